//! Columns that are multiples of each other, as those of one entry in the same row are: one of them stands for all.
//!
//! The fit sees only their sum, so that nothing says how they share it but a ridge, and that slowly: a support that holds
//! two has singular equations, whose steps lead nowhere. With cₖ times the first column and λₖ = |cₖ| λ the penalty of
//! the sum is that of one coefficient with the ridge 1/Σ cₖ²/dₖ.

use super::OUT;
use super::columns::SparseColumns;

/// What rounding may do to a multiple.
const ROUNDING: f64 = 1e-13;

#[derive(Default)]
pub struct Twins {
    /// Of each column the first that it is a multiple of, which may be itself, and how many times that it is.
    first: Vec<(u32, f64)>,
    /// The first ones, by what multiples have in common.
    table: Vec<u32>,
}

impl Twins {
    /// Note the columns that are new.
    pub fn note(&mut self, columns: &SparseColumns, count: usize) {
        if self.table.len() < 2 * count {
            self.table = vec![OUT; (4 * count).next_power_of_two()];
            let again: Vec<usize> =
                (0..self.first.len()).filter(|&k| self.first[k].0 as usize == k).collect();
            again.into_iter().for_each(|k| {
                self.find(columns, k);
            });
        }
        for k in self.first.len()..count {
            let first = self.find(columns, k);
            self.first.push(first);
        }
    }

    /// The first column that this one is a multiple of; where there is none, it is one from now on.
    fn find(&mut self, columns: &SparseColumns, k: usize) -> (u32, f64) {
        let (rows, values) = columns.get(k);
        let ([row, ..], [value, ..]) = (rows, values) else { return (k as u32, 1.0) };
        let end = rows.len() - 1;
        let ratio = u64::from(((values[end] / value) as f32).to_bits());
        let mixed = u64::from(*row) ^ u64::from(rows[end]) << 21 ^ (end as u64) << 42 ^ ratio << 32;
        let mixed = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut at = (mixed >> 32) as usize % self.table.len();
        loop {
            let known = self.table[at];
            if known == OUT {
                self.table[at] = k as u32;
                return (k as u32, 1.0);
            }
            let (others, from) = columns.get(known as usize);
            let times = value / from[0];
            let is_multiple = || {
                times.is_finite()
                    && times != 0.0
                    && values
                        .iter()
                        .zip(from)
                        .all(|(v, f)| (v - times * f).abs() <= ROUNDING * v.abs())
            };
            if others == rows && is_multiple() {
                return (known, times);
            }
            at = (at + 1) % self.table.len();
        }
    }

    /// Put what multiples have, and their ridge, on the first of them, where the penalty does not tell them apart; the
    /// columns that stand for all.
    pub fn fold(&self, l1: &[f64], ridge: &mut [f64], beta: &mut [f64]) -> Vec<usize> {
        let mut standing = Vec::with_capacity(beta.len());
        let mut given: Vec<usize> = Vec::new();
        for k in 0..beta.len() {
            match self.stands_for(k, l1) {
                Some((first, times)) => {
                    beta[first] += times * beta[k];
                    beta[k] = 0.0;
                    given.push(k);
                }
                None => standing.push(k),
            }
        }
        let own: Vec<f64> = given.iter().map(|&k| ridge[k]).collect();
        for (k, d) in given.into_iter().zip(own) {
            if let Some((first, times)) = self.stands_for(k, l1).filter(|_| d > 0.0) {
                ridge[first] = 1.0 / (1.0 / ridge[first] + times * times / d);
            }
        }
        standing
    }

    /// What each takes of the sum; `ridge` is that of the folded columns, `own` theirs.
    pub fn unfold(&self, l1: &[f64], ridge: &[f64], own: &[f64], beta: &mut [f64]) {
        for k in 0..beta.len() {
            if let Some((first, times)) = self.stands_for(k, l1).filter(|_| own[k] > 0.0) {
                beta[k] = beta[first] * ridge[first] * times / own[k];
            }
        }
        for k in (0..beta.len()).filter(|&k| own[k] > 0.0 && self.stands_for(k, l1).is_none()) {
            beta[k] *= ridge[k] / own[k];
        }
    }

    /// The column that stands for this one, and how many times it this is.
    pub fn stands_for(&self, k: usize, l1: &[f64]) -> Option<(usize, f64)> {
        let (first, times) = *self.first.get(k)?;
        let first = first as usize;
        let same = (l1[k] - times.abs() * l1[first]).abs() <= ROUNDING.sqrt() * l1[k];
        (first != k && l1[k] > 0.0 && l1[k].is_finite() && same).then_some((first, times))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::design::Design;
    use crate::data::source::Source;
    use crate::lasso::descent::columns::{Packed, Roots};
    use crate::lasso::task::Data;

    #[test]
    fn multiples_are_found_and_share_what_their_sum_has() {
        let columns = [
            [0.0, 2.0, 0.0, -1.0],
            [0.0, 2.0, 0.0, 1.0],
            [0.0, -6.0, 0.0, 3.0],
            [5.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 4.0, 0.0],
            [2.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 0.0],
        ];
        let source = Source::without_zeros(&columns.concat(), 4, columns.len());
        let design = Design::new(source, true, |_| 1.0, || Ok::<(), ()>(())).unwrap();
        let data = Data { design: design.into(), y: vec![0.0; 4], intercept: true };
        let roots = Roots { values: vec![1.0, 0.5, 2.0, 0.1], centred_by: 5.26 };
        let mut packed = Packed::new(&data);
        let mut twins = Twins::default();
        for count in [3, 7] {
            (twins.first.len()..count).for_each(|j| {
                packed.push(&data, &roots, j);
            });
            let Packed::Sparse(columns) = &packed else { panic!("not sparse") };
            twins.note(columns, count);
        }
        let first: Vec<u32> = twins.first.iter().map(|f| f.0).collect();
        assert_eq!(first, [0, 1, 0, 3, 4, 3, 6]);
        assert!((twins.first[2].1 + 1.0).abs() < 1e-14 && (twins.first[5].1 - 1.0).abs() < 1e-14);
        // A larger penalty tells columns 3 and 5 apart.
        let l1 = [1.0, 1.0, 1.0, 1.0, 1.0, 1.5, 1.0];
        for own in [[0.0; 7], [0.5; 7]] {
            let (mut ridge, mut beta) = (own, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
            assert_eq!(twins.fold(&l1, &mut ridge, &mut beta), [0, 1, 3, 4, 5, 6]);
            assert!((beta[0] + 2.0).abs() < 1e-13 && beta[2] == 0.0, "{beta:?}");
            assert!((ridge[0] - 0.5 * own[0]).abs() < 1e-14, "{ridge:?}");
            twins.unfold(&l1, &ridge, &own, &mut beta);
            let shared = if own[0] > 0.0 { [-1.0, 1.0] } else { [-2.0, 0.0] };
            assert!((beta[0] - shared[0]).abs() + (beta[2] - shared[1]).abs() < 1e-13, "{beta:?}");
            assert_eq!((beta[1], &beta[3..]), (2.0, &[4.0, 5.0, 6.0, 7.0][..]));
        }
    }
}
