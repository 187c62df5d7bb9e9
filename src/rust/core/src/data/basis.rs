//! Coefficients of columns that stand in other coordinates, on their way back.

use crate::linalg::cholesky::Cholesky;
use ndarray::{Array2, ArrayView1};

/// Most that dropped columns may change a fit, as a part of it, when they take their share of its coefficients.
const SHARE: f64 = 1e-10;

pub struct Basis {
    /// The columns of the basis: those that stay, then those whose places other columns have taken.
    kept: Vec<u32>,
    /// Columns that depend on them.
    dropped: Vec<u32>,
    /// A column for each that was changed: what it was, in the basis.
    changed: Array2<f64>,
    /// The dropped columns, in the kept ones.
    dependence: Array2<f64>,
    /// What each has beside that.
    missed: Vec<f64>,
}

impl Basis {
    /// Of these columns, `kept` and `dropped` as above. `along` has what each changed one was, in those before it and itself;
    /// `dependent` what the dropped ones are, in the basis, but for columns of the size `missed`.
    pub fn new(
        kept: Vec<u32>,
        dropped: Vec<u32>,
        along: &[Vec<f64>],
        dependent: &[Vec<f64>],
        missed: Vec<f64>,
    ) -> Basis {
        let table = |of: &[Vec<f64>]| {
            let entry = |(i, k): (usize, usize)| of[k].get(i).copied().unwrap_or(0.0);
            Array2::from_shape_fn((kept.len(), of.len()), entry)
        };
        let (changed, mut dependence) = (table(along), table(dependent));
        for mut column in dependence.columns_mut() {
            let mut solved = column.to_vec();
            back_substitute(&changed, &mut solved);
            column.assign(&ArrayView1::from(&solved));
        }
        Basis { kept, dropped, changed, dependence, missed }
    }

    /// Columns that have no place in the basis.
    pub fn dropped(&self) -> &[u32] {
        &self.dropped
    }

    /// From coefficients of the basis to those of the columns: of all that give the same fit, the
    /// shortest. With t those of the kept columns and S the dropped ones in these, they are
    /// β_D = (I + S'S)⁻¹S't and β_K = t − S β_D. Where those are so large that what a dropped column has beside S
    /// would be seen, it has no share.
    pub fn unpack(&self, beta: &mut [f64]) {
        let mut t: Vec<f64> = self.kept.iter().map(|&j| beta[j as usize]).collect();
        let largest = |t: &[f64]| t.iter().fold(0.0f64, |m, t| m.max(t.abs()));
        let fit = largest(&t);
        back_substitute(&self.changed, &mut t);
        let most = largest(&t);
        let shares = |k: usize| self.missed[k] * most <= SHARE * fit;
        let product = |a: usize, b: usize| -> f64 {
            if !shares(a) || !shares(b) {
                return 0.0;
            }
            let (a, b) = (self.dependence.column(a), self.dependence.column(b));
            a.iter().zip(b).map(|(x, y)| x * y).sum()
        };
        let count = self.dropped.len();
        let mut extra: Vec<f64> = (self.dependence.columns().into_iter().enumerate())
            .map(|(k, s)| if shares(k) { s.iter().zip(&t).map(|(s, t)| s * t).sum() } else { 0.0 })
            .collect();
        let mut factor = Cholesky::default();
        factor.factor(count, |row, out| {
            out.iter_mut().zip(row..count).for_each(|(o, b)| *o = product(row, b));
            out[0] += 1.0;
            1.0
        });
        factor.solve(&mut extra);
        for (t, row) in t.iter_mut().zip(self.dependence.outer_iter()) {
            *t -= row.iter().zip(&extra).map(|(s, e)| s * e).sum::<f64>();
        }
        self.kept.iter().zip(t).for_each(|(&j, t)| beta[j as usize] = t);
        self.dropped.iter().zip(extra).for_each(|(&j, e)| beta[j as usize] = e);
    }
}

/// From coefficients of the basis to those of the kept columns, the last of which were changed.
fn back_substitute(changed: &Array2<f64>, x: &mut [f64]) {
    let first = x.len() - changed.ncols();
    for (k, column) in changed.columns().into_iter().enumerate().rev() {
        let own = x[first + k] / column[first + k];
        x[first + k] = own;
        x[..first + k].iter_mut().zip(column).for_each(|(x, c)| *x -= own * c);
    }
}
