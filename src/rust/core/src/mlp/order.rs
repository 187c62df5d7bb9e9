//! The order in which rows are seen.

use crate::engine::job::Control;
use crate::error::Error;
use crate::random::streams::random_stream;
use rand::RngCore;

/// Rows between two looks for a stop.
const PIECE: usize = 1 << 18;

/// The order of the rows in an epoch, the same for all draws: only weights (and starts) set draws apart.
/// Within a batch it does not matter, but memory likes rows that rise.
pub fn shuffle(
    seed: u64,
    epoch: usize,
    batch: usize,
    order: &mut [u32],
    control: &Control,
) -> Result<(), Error> {
    order.iter_mut().enumerate().for_each(|(i, o)| *o = i as u32);
    let mut rng = random_stream(seed, b"wbb order of rows, rev 1", epoch as u64);
    for i in (1..order.len()).rev() {
        if i % PIECE == 0 {
            control.check()?;
        }
        // Of 2⁶⁴ words some rows get one more than others: nothing that could be seen.
        let chosen = (rng.next_u64() as u128 * (i + 1) as u128) >> 64;
        order.swap(i, chosen as usize);
    }
    for rows in order.chunks_mut(batch) {
        control.check()?;
        rows.sort_unstable();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_comes_once_and_epochs_and_seeds_differ() {
        let of = |seed, epoch| {
            let mut order = vec![0; 1000];
            shuffle(seed, epoch, 100, &mut order, &Control::default()).unwrap();
            order
        };
        let mut sorted = of(1, 0);
        assert!(sorted.chunks(100).all(|batch| batch.is_sorted()));
        sorted.sort_unstable();
        assert!(sorted.iter().enumerate().all(|(i, o)| i as u32 == *o));
        assert_eq!(of(1, 0), of(1, 0));
        assert_ne!(of(1, 0), of(1, 1));
        assert_ne!(of(1, 0), of(2, 0));
    }
}
