//! Numbers made one by one or row by row, on all threads and with an ear for the stop.

use super::job::{Control, Stage, for_each, for_parts};
use super::memory;
use crate::error::Error;
use crate::random::laws::PriorWeight;
use crate::random::weights::WeightPlan;
use ndarray::{Array2, ShapeBuilder, s};
use std::sync::{Mutex, PoisonError};

/// Numbers between two looks at the stop signal.
const PART: usize = 1 << 14;
/// Rows put into the table together: a cache line of each column.
const ROWS: usize = 8;

/// `number(i)` for all i.
pub fn by_numbers(
    count: usize,
    control: &Control,
    number: impl Fn(usize) -> f64 + Sync,
) -> Result<Vec<f64>, Error> {
    memory::room(count)?;
    let mut out = vec![0.0; count];
    for_parts(out.chunks_mut(PART), control, |part, out| {
        out.iter_mut().enumerate().for_each(|(i, o)| *o = number(part * PART + i));
        Ok(())
    })?;
    Ok(out)
}

/// A table with one row for each of `items`, of `width` numbers, which `make` writes; column after
/// column in memory.
pub fn by_rows<T: Sync>(
    items: &[T],
    width: usize,
    control: &Control,
    make: impl Fn(&T, &mut [f64]) -> Result<(), Error> + Sync,
) -> Result<Array2<f64>, Error> {
    control.begin(Stage::Draws, items.len() as u64);
    memory::room(items.len() * width)?;
    let table = Mutex::new(Array2::zeros((items.len(), width).f()));
    // Few rows where they are long: a stop waits for those at hand.
    let height = (64 * PART / width.max(1)).clamp(1, ROWS);
    let firsts: Vec<usize> = (0..items.len()).step_by(height).collect();
    let name = |first: &usize| format!("from row {}", first + 1);
    for_each(&firsts, control, name, |&first| {
        let items = &items[first..(first + height).min(items.len())];
        let mut rows = Array2::zeros((items.len(), width));
        for (item, mut row) in items.iter().zip(rows.rows_mut()) {
            control.check()?;
            make(item, row.as_slice_mut().unwrap_or_default())?;
        }
        let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
        for from in (0..width).step_by(PART) {
            control.check()?;
            let columns = from..(from + PART).min(width);
            let mut places = table.slice_mut(s![first..first + items.len(), columns.clone()]);
            places.assign(&rows.slice(s![.., columns]));
        }
        drop(table);
        control.advance(items.len() as u64);
        Ok(())
    })?;
    Ok(table.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// The weights of draws, a row each: of the rows of the data, then `prior` of the penalty.
pub fn weights(
    draws: &[(&WeightPlan, u64)],
    rows: usize,
    prior: usize,
    control: &Control,
) -> Result<Array2<f64>, Error> {
    by_rows(draws, rows + prior, control, |&(plan, draw), line| {
        let (of_rows, of_prior) = line.split_at_mut(rows);
        let mut weights = plan.draw(draw);
        for (part, out) in of_rows.chunks_mut(PART).enumerate() {
            control.check()?;
            weights.fill(part * PART, out);
        }
        plan.fill_prior(draw, of_prior);
        Ok(())
    })
}

/// Prior weights of a draw, of `terms` terms of a penalty.
pub fn prior_weights(plan: &WeightPlan, terms: usize) -> usize {
    match plan.prior() {
        PriorWeight::Coefficient => terms,
        PriorWeight::Random | PriorWeight::Fixed => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::laws::Law;

    #[test]
    fn rows_and_numbers_find_their_places() {
        let control = Control::default();
        for (count, width) in [(1, 1), (21, 3), (8, 40_000), (3, 0), (0, 3)] {
            let items: Vec<usize> = (0..count).collect();
            let table = by_rows(&items, width, &control, |&i, row| {
                row.iter_mut().enumerate().for_each(|(j, v)| *v = (i * width + j) as f64);
                Ok(())
            })
            .unwrap();
            assert_eq!(table.dim(), (count, width));
            assert!(table.indexed_iter().all(|((i, j), v)| *v == (i * width + j) as f64));
        }
        let numbers = by_numbers(40_000, &control, |i| i as f64).unwrap();
        assert!(numbers.iter().enumerate().all(|(i, v)| *v == i as f64));
    }

    #[test]
    fn weights_are_those_of_their_plans() {
        let plans =
            [1, 2].map(|seed| WeightPlan::new(seed, Law::Exponential, PriorWeight::Random, 20_000));
        let draws = [(&plans[1], 4), (&plans[0], 7)];
        let table = weights(&draws, 20_000, 1, &Control::default()).unwrap();
        for (row, (plan, draw)) in table.rows().into_iter().zip(draws) {
            let (mut of_rows, mut prior) = (vec![0.0; 20_000], [0.0]);
            plan.draw(draw).fill(0, &mut of_rows);
            plan.fill_prior(draw, &mut prior);
            assert!(row.iter().eq(of_rows.iter().chain(&prior)));
        }
    }

    #[test]
    fn a_stop_is_heard() {
        let control = Control::default();
        control.stop();
        assert_eq!(by_numbers(5, &control, |_| 0.0), Err(Error::Cancelled));
        assert_eq!(by_rows(&[1], 5, &control, |_, _| Ok(())), Err(Error::Cancelled));
    }
}
