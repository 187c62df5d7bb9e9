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
}
