//! Differences that vanish, made exactly zero.
//!
//! An interior point comes near a zero and never there; its dual variables say which differences vanish. Coefficients
//! whose difference does are given one value, and a coefficient that is penalised by itself zero. A row of D with
//! more entries has in general no doubles that would make it zero.

use crate::linalg::sparse::{SparseMatrix, line};

/// What a row of D asks for where it vanishes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Tie {
    Zero(u32),
    Equal(u32, u32),
    Nothing,
}

pub struct Ties {
    of_row: Vec<Tie>,
    /// Of each coefficient, a power of two: coefficients are equal in the user's units.
    unit: Vec<f64>,
}

impl Ties {
    /// Of D by rows, in the units of the solver.
    pub fn new(d: &SparseMatrix, unit: Vec<f64>) -> Ties {
        let tie = |row: usize| match line(d, row) {
            ([j], _) => Tie::Zero(*j as u32),
            ([j, k], [a, b]) if a * unit[*j] == -b * unit[*k] => Tie::Equal(*j as u32, *k as u32),
            _ => Tie::Nothing,
        };
        Ties { of_row: (0..d.rows()).map(tie).collect(), unit }
    }

    /// β with the differences of these rows exactly zero; None if there is nothing to do.
    ///
    /// A group takes the mean of its members: to first order the loss then rises by no more than the penalty falls.
    pub fn tie(&self, beta: &[f64], vanish: &[bool]) -> Option<Vec<f64>> {
        let mut groups = Groups::new(beta.len());
        let mut zero = vec![false; beta.len()];
        let mut any = false;
        for (tie, _) in self.of_row.iter().zip(vanish).filter(|(_, vanish)| **vanish) {
            match *tie {
                Tie::Zero(j) => zero[j as usize] = true,
                Tie::Equal(j, k) => groups.join(j as usize, k as usize),
                Tie::Nothing => continue,
            }
            any = true;
        }
        if !any {
            return None;
        }
        let mut sums = vec![(0.0, 0.0); beta.len()];
        for (j, b) in beta.iter().enumerate() {
            let of = groups.root(j);
            sums[of].0 += b / self.unit[j];
            sums[of].1 += 1.0;
            zero[of] |= zero[j];
        }
        let value = |j: usize| {
            let of = groups.root_of(j);
            if zero[of] { 0.0 } else { sums[of].0 / sums[of].1 * self.unit[j] }
        };
        // A coefficient by itself keeps its bits.
        let alone = |j: usize| sums[groups.root_of(j)].1 == 1.0 && !zero[j];
        Some((0..beta.len()).map(|j| if alone(j) { beta[j] } else { value(j) }).collect())
    }
}

/// Sets that are joined: each member points towards the first of its set.
struct Groups {
    towards: Vec<u32>,
}

impl Groups {
    fn new(count: usize) -> Groups {
        Groups { towards: (0..count as u32).collect() }
    }

    fn root_of(&self, mut j: usize) -> usize {
        while self.towards[j] as usize != j {
            j = self.towards[j] as usize;
        }
        j
    }

    /// Shortens the way for those who ask after.
    fn root(&mut self, mut j: usize) -> usize {
        while self.towards[j] as usize != j {
            self.towards[j] = self.towards[self.towards[j] as usize];
            j = self.towards[j] as usize;
        }
        j
    }

    fn join(&mut self, j: usize, k: usize) {
        let (j, k) = (self.root(j), self.root(k));
        self.towards[j.max(k)] = j.min(k) as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ties(rows: &[[f64; 4]], unit: [f64; 4]) -> Ties {
        let dense = ndarray::Array2::from_shape_fn((rows.len(), 4), |(i, j)| rows[i][j]);
        Ties::new(&sprs::CsMat::csr_from_dense(dense.view(), 0.0), unit.to_vec())
    }

    #[test]
    fn groups_have_one_value_and_those_with_a_zero_none() {
        let chain = [[1.0, -1.0, 0.0, 0.0], [0.0, 1.0, -1.0, 0.0], [0.0, 0.0, 3.0, 0.0]];
        let ties = ties(&chain, [1.0; 4]);
        let beta = [1.0, 1.5, 2.0, 7.0];
        assert_eq!(ties.tie(&beta, &[true, false, false]).unwrap(), [1.25, 1.25, 2.0, 7.0]);
        assert_eq!(ties.tie(&beta, &[true, true, false]).unwrap(), [1.5, 1.5, 1.5, 7.0]);
        assert_eq!(ties.tie(&beta, &[false, true, true]).unwrap(), [1.0, 0.0, 0.0, 7.0]);
        assert_eq!(ties.tie(&beta, &[false; 3]), None);
    }

    #[test]
    fn equality_is_that_of_the_user_s_units_and_longer_rows_are_left_alone() {
        // In the user's units β₁ − β₂, with a column four times as large, and two rows that are no such difference.
        let rows = [[1.0, -0.25, 0.0, 0.0], [1.0, -1.0, 0.0, 0.0], [0.0, 1.0, -2.0, 1.0]];
        let ties = ties(&rows, [1.0, 4.0, 1.0, 1.0]);
        let tied = ties.tie(&[1.0, 4.2, 2.0, 7.0], &[true, true, true]).unwrap();
        assert_eq!(tied[0], tied[1] / 4.0);
        assert_eq!(tied[2..], [2.0, 7.0]);
    }
}
