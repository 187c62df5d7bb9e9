//! x as the user has it, copied once.

use super::blocks::Blocked;
use crate::linalg::sparse::SparseMatrix;

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

    pub fn rows(&self) -> usize {
        match self {
            Source::Dense(x) => x.rows,
            Source::Sparse(x) => x.rows(),
        }
    }

    pub fn cols(&self) -> usize {
        match self {
            Source::Dense(x) => x.cols,
            Source::Sparse(x) => x.cols(),
        }
    }

    /// Write column j, zeros too.
    pub fn copy_column(&self, j: usize, out: &mut [f64]) {
        match self {
            Source::Dense(x) => out.iter_mut().zip(x.column(j)).for_each(|(o, v)| *o = v),
            Source::Sparse(x) => {
                out.fill(0.0);
                for (i, v) in x.outer_view(j).iter().flat_map(|column| column.iter()) {
                    out[i] = *v;
                }
            }
        }
    }
}
