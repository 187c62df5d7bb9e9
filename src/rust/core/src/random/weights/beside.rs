//! Exponential weights of many draws side by side: a vector holds the same word of several streams.
//!
//! The words are those of `rand_chacha`'s ChaCha8. A block is sixteen words of 32 bits, made of a state that has four constants, the
//! key (words 4 to 11), the block's number (12, 13) and the stream's (14, 15); row i has words 2i and 2i + 1 of its draw's stream. A draw at a
//! time, as `rand_chacha` makes them, the numbers would have to be brought side by side after that, which takes as long again.

use super::plan::WeightPlan;
use crate::linalg::elementary::{ln_unit, unit};
use crate::random::laws::Law;
use pulp::{Arch, Simd, WithSimd};

/// Words of a block, the rows that have them, and the most streams that a vector holds.
const WORDS: usize = 16;
const ROWS: usize = 8;
const MOST: usize = 16;
const DOUBLE_ROUNDS: usize = 4;
const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

impl WeightPlan {
    /// Weights of the rows `first ..` of draws `draw ..`, row after row `width` draws, into `panel`. Lanes are filled beyond the
    /// last draw that anybody asked for. False where the law has no such way, and nothing was filled.
    pub fn fill_beside(&self, draw: u64, first: usize, width: usize, panel: &mut [f64]) -> bool {
        let plain = matches!(self.law, Law::Exponential | Law::Gamma(1.0));
        if !plain || self.clusters.is_some() || self.has_cases() {
            return false;
        }
        let seed = self.stream(0).get_seed();
        let word = |k: usize| u32::from_le_bytes(std::array::from_fn(|byte| seed[4 * k + byte]));
        let key = std::array::from_fn(word);
        Arch::new().dispatch(Exponentials { key, draw, first, width, panel });
        true
    }
}

struct Exponentials<'a> {
    key: [u32; 8],
    draw: u64,
    first: usize,
    width: usize,
    panel: &'a mut [f64],
}

impl WithSimd for Exponentials<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Exponentials { key, draw, first, width, panel } = self;
        let mut words = [0; WORDS * MOST];
        let mut whole = [0; ROWS * MOST];
        let mut made = [0.0; ROWS * MOST];
        for at in (0..width).step_by(S::U32_LANES) {
            let lanes = S::U32_LANES.min(width - at);
            let streams: [u64; MOST] = std::array::from_fn(|l| 2 * (draw + (at + l) as u64));
            let low: [u32; MOST] = std::array::from_fn(|l| streams[l] as u32);
            let high: [u32; MOST] = std::array::from_fn(|l| (streams[l] >> 32) as u32);
            let streams = [S::as_simd_u32s(&low).0[0], S::as_simd_u32s(&high).0[0]];
            let rows = panel.len() / width;
            let mut row = 0;
            while row < rows {
                // The first block and the last may be cut.
                let (block, from) = ((first + row) / ROWS, (first + row) % ROWS);
                let to = ROWS.min(from + rows - row);
                let block = chacha(simd, &key, block as u64, streams);
                S::as_mut_simd_u32s(&mut words).0[..WORDS].copy_from_slice(&block);
                let pairs = words.chunks_exact(2 * S::U32_LANES);
                for (pair, line) in pairs.zip(whole.chunks_exact_mut(S::U32_LANES)) {
                    let (low, high) = pair.split_at(S::U32_LANES);
                    for ((word, low), high) in line.iter_mut().zip(low).zip(high) {
                        *word = u64::from(*high) << 32 | u64::from(*low);
                    }
                }
                // All of the block in one loop: those of a line are so few that a compiler takes them one by one.
                for (number, word) in made.iter_mut().zip(&whole).take(ROWS * S::U32_LANES) {
                    *number = -ln_unit(unit(word.to_le_bytes()));
                }
                let made = made.chunks_exact(S::U32_LANES).skip(from);
                let lines = panel.chunks_exact_mut(width).skip(row).take(to - from);
                lines.zip(made).for_each(|(line, made)| {
                    line[at..at + lanes].copy_from_slice(&made[..lanes]);
                });
                row += to - from;
            }
        }
    }
}

/// The words of a block, of as many streams as a vector holds.
#[inline(always)]
fn chacha<S: Simd>(simd: S, key: &[u32; 8], block: u64, streams: [S::u32s; 2]) -> [S::u32s; WORDS] {
    // Not by `from_fn`, whose closure may stay a call.
    let mut start = [streams[0]; WORDS];
    for (word, constant) in start.iter_mut().zip(&CONSTANTS) {
        *word = simd.splat_u32s(*constant);
    }
    for (word, part) in start[4..].iter_mut().zip(key) {
        *word = simd.splat_u32s(*part);
    }
    start[12] = simd.splat_u32s(block as u32);
    start[13] = simd.splat_u32s((block >> 32) as u32);
    start[15] = streams[1];
    let mut x = start;
    for _ in 0..DOUBLE_ROUNDS {
        quarter(simd, &mut x, [0, 4, 8, 12]);
        quarter(simd, &mut x, [1, 5, 9, 13]);
        quarter(simd, &mut x, [2, 6, 10, 14]);
        quarter(simd, &mut x, [3, 7, 11, 15]);
        quarter(simd, &mut x, [0, 5, 10, 15]);
        quarter(simd, &mut x, [1, 6, 11, 12]);
        quarter(simd, &mut x, [2, 7, 8, 13]);
        quarter(simd, &mut x, [3, 4, 9, 14]);
    }
    x.iter_mut().zip(start).for_each(|(word, start)| *word = simd.add_u32s(*word, start));
    x
}

#[inline(always)]
fn quarter<S: Simd>(simd: S, x: &mut [S::u32s; WORDS], [a, b, c, d]: [usize; 4]) {
    x[a] = simd.add_u32s(x[a], x[b]);
    x[d] = turn(simd, simd.xor_u32s(x[d], x[a]), 16);
    x[c] = simd.add_u32s(x[c], x[d]);
    x[b] = turn(simd, simd.xor_u32s(x[b], x[c]), 12);
    x[a] = simd.add_u32s(x[a], x[b]);
    x[d] = turn(simd, simd.xor_u32s(x[d], x[a]), 8);
    x[c] = simd.add_u32s(x[c], x[d]);
    x[b] = turn(simd, simd.xor_u32s(x[b], x[c]), 7);
}

#[inline(always)]
fn turn<S: Simd>(simd: S, v: S::u32s, by: u32) -> S::u32s {
    let left = simd.wrapping_dyn_shl_u32s(v, simd.splat_u32s(by));
    simd.or_u32s(left, simd.wrapping_dyn_shr_u32s(v, simd.splat_u32s(32 - by)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::laws::PriorWeight;

    #[test]
    fn weights_are_those_of_a_draw_at_a_time() {
        for (seed, draw, first, rows, width) in [
            (1, 1, 0, 1, 8),
            (7, 3, 5, 2, 24),
            (u64::MAX, 1 << 40, 1 << 36, 70, 16),
            (9, 990, 511, 130, 32),
        ] {
            let plan = WeightPlan::new(seed, Law::Exponential, PriorWeight::Random, 0);
            let mut panel = vec![0.0; rows * width];
            assert!(plan.fill_beside(draw, first, width, &mut panel));
            let mut line = vec![0.0; rows];
            for lane in 0..width {
                plan.draw(draw + lane as u64).fill(first, &mut line);
                let own: Vec<f64> = panel.iter().skip(lane).step_by(width).copied().collect();
                assert_eq!(own, line, "{seed} {draw} {first} {lane}");
            }
        }
    }

    #[test]
    fn other_laws_have_no_such_way() {
        for law in [Law::Gamma(2.0), Law::Poisson, Law::Mammen, Law::Ones, Law::Dirichlet(1.0)] {
            let plan = WeightPlan::new(1, law, PriorWeight::Random, 10);
            let mut panel = vec![-1.0; 8];
            assert!(!plan.fill_beside(1, 0, 8, &mut panel));
            assert_eq!(panel, [-1.0; 8]);
        }
    }
}
