//! The design matrix, standardised once: dense in blocks of rows, or sparse and never filled.

use super::blocks::{Blocked, ROWS, ranges};
use super::rows::{Sparse, SparseRows, standard};
use crate::data::standard::{Moments, moments};
use crate::linalg::sparse::SparseMatrix;
use std::ops::Range;

/// x as the user has it.
pub enum Source {
    Dense(Blocked),
    /// Compressed by columns.
    Sparse(SparseMatrix),
}

impl Source {
    /// A column-major matrix. This is the one copy of the data.
    pub fn dense(values: &[f64], rows: usize, cols: usize) -> Source {
        Source::Dense(Blocked::new(values, rows, cols))
    }
}

/// The standardised matrix: column j is (xⱼ − centerⱼ) / scaleⱼ.
pub struct Design {
    pub rows: usize,
    pub cols: usize,
    pub center: Vec<f64>,
    /// What the columns are divided by: standard deviations, or root mean squares if not centred.
    pub scale: Vec<f64>,
    /// Standard deviations (1 for a constant column).
    pub sd: Vec<f64>,
    /// Rows of a block.
    pub block: usize,
    storage: Storage,
}

enum Storage {
    Dense(Blocked),
    Sparse(Sparse),
}

impl Design {
    /// `case` are the user's weights: they weigh the means and variances too.
    pub fn new(
        source: Source,
        rows: usize,
        cols: usize,
        centred: bool,
        case: impl Fn(usize) -> f64 + Copy,
    ) -> Design {
        let total: f64 = (0..rows).map(case).sum();
        let moments: Vec<Moments> = match &source {
            Source::Dense(x) => {
                (0..cols).map(|j| moments(x.column(j).enumerate(), rows, total, case)).collect()
            }
            Source::Sparse(x) => x
                .outer_iterator()
                .map(|c| moments(c.iter().map(|(i, &v)| (i, v)), rows, total, case))
                .collect(),
        };
        let mut center = vec![0.0; cols];
        let mut scale = vec![1.0; cols];
        let mut sd = vec![1.0; cols];
        for (j, m) in moments.iter().enumerate() {
            if !m.constant {
                sd[j] = m.sd;
            }
            if centred {
                center[j] = m.mean;
                // Beside an intercept a constant column says nothing: scale ∞ makes it zero.
                scale[j] = if m.constant { f64::INFINITY } else { m.sd };
            } else if m.rms > 0.0 {
                scale[j] = m.rms;
            }
        }
        let (block, storage) = match source {
            Source::Dense(mut x) => {
                x.change(|j, v| standard(v, center[j], scale[j]));
                (x.block, Storage::Dense(x))
            }
            Source::Sparse(x) => (ROWS, Storage::Sparse(Sparse::new(&x, &center, &scale))),
        };
        Design { rows, cols, center, scale, sd, block, storage }
    }

    pub fn is_sparse(&self) -> bool {
        matches!(self.storage, Storage::Sparse { .. })
    }

    /// Multiplications in one product with the whole matrix.
    pub fn size(&self) -> usize {
        match &self.storage {
            Storage::Dense(_) => self.rows * self.cols,
            Storage::Sparse(x) => x.size(),
        }
    }

    /// The rows of each block.
    pub fn blocks(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        ranges(self.rows, self.block)
    }

    /// A dense block, column after column.
    pub fn dense_block(&self, rows: &Range<usize>) -> Option<&[f64]> {
        match &self.storage {
            Storage::Dense(x) => Some(x.get(rows)),
            Storage::Sparse(_) => None,
        }
    }

    /// A sparse matrix.
    pub fn sparse(&self) -> Option<SparseRows<'_>> {
        match &self.storage {
            Storage::Sparse(x) => Some(x.rows()),
            Storage::Dense(_) => None,
        }
    }

    /// Coefficients on the scale of the user's columns.
    pub fn unscale(&self, beta: &[f64]) -> Vec<f64> {
        beta.iter().zip(&self.scale).map(|(b, s)| b / s).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprs::CsMat;

    fn column(values: &[f64], centred: bool) -> (f64, f64, Vec<f64>) {
        let n = values.len();
        let d = Design::new(Source::dense(values, n, 1), n, 1, centred, |_| 1.0);
        (d.center[0], d.scale[0], d.dense_block(&(0..n)).unwrap().to_vec())
    }

    #[test]
    fn columns_have_mean_zero_and_variance_one_at_any_scale() {
        for size in [1.0, 1e-300, 1e300] {
            let (center, scale, x) = column(&[size, 2.0 * size, 6.0 * size], true);
            assert!((center / size - 3.0).abs() < 1e-14);
            assert!((scale / size - (14.0f64 / 3.0).sqrt()).abs() < 1e-14);
            assert!(x.iter().sum::<f64>().abs() < 1e-14);
        }
    }

    #[test]
    fn constant_columns_vanish_beside_an_intercept_and_stay_without() {
        assert_eq!(column(&[7.1; 3], true).2, vec![0.0; 3]);
        assert_eq!(column(&[7.1; 3], false).2, vec![1.0; 3]);
    }

    #[test]
    fn sparse_and_dense_have_the_same_scales() {
        let dense = vec![0.0, 3.0, 0.0, -1.0, 5.0, 6.0, 7.0, 9.0];
        let sparse = CsMat::new_csc(
            (4, 2),
            vec![0, 2, 6],
            vec![1, 3, 0, 1, 2, 3],
            vec![3.0, -1.0, 5.0, 6.0, 7.0, 9.0],
        );
        let case = |i: usize| [1.0, 2.0, 0.5, 1.0][i];
        let a = Design::new(Source::dense(&dense, 4, 2), 4, 2, true, case);
        let b = Design::new(Source::Sparse(sparse), 4, 2, true, case);
        for j in 0..2 {
            assert!(
                (a.center[j] - b.center[j]).abs() < 1e-14
                    && (a.scale[j] - b.scale[j]).abs() < 1e-14
            );
        }
        let rows = b.sparse().unwrap();
        for i in 0..4 {
            let mut filled: Vec<f64> = rows.shift.iter().map(|s| -s).collect();
            let (columns, values) = rows.row(i);
            columns.iter().zip(values).for_each(|(&j, v)| filled[j as usize] += v);
            for (j, v) in filled.iter().enumerate() {
                assert!((v - a.dense_block(&(0..4)).unwrap()[j * 4 + i]).abs() < 1e-14);
            }
        }
    }
}
