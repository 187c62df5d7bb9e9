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

    /// The same rows in another order: row i is the old row `order[i]`.
    pub fn reordered(self, order: &[u32]) -> Source {
        match &self {
            Source::Dense(x) => {
                let (mut column, mut values) = (vec![0.0; x.rows], Vec::new());
                for j in 0..x.cols {
                    self.copy_column(j, &mut column);
                    values.extend(order.iter().map(|&i| column[i as usize]));
                }
                Source::dense(&values, x.rows, x.cols)
            }
            Source::Sparse(x) => {
                let mut new = vec![0; x.rows()];
                order.iter().enumerate().for_each(|(to, &from)| new[from as usize] = to);
                let mut triplets = sprs::TriMat::new((x.rows(), x.cols()));
                for (j, column) in x.outer_iterator().enumerate() {
                    column.iter().for_each(|(i, v)| triplets.add_triplet(new[i], j, *v));
                }
                Source::Sparse(triplets.to_csc())
            }
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
