//! x as the user has it, copied once.

use super::blocks::Blocked;
use crate::linalg::sparse::{SparseMatrix, line};

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

    /// The same matrix without its zeros.
    pub fn without_zeros(values: &[f64], rows: usize, cols: usize) -> Source {
        let mut entries = sprs::TriMat::new((rows, cols));
        for (k, &v) in values.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            entries.add_triplet(k % rows, k / rows, v);
        }
        Source::Sparse(entries.to_csc())
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

    /// The matrix of these rows, in this order; a row may be there more than once.
    pub fn rows_at(&self, rows: &[usize]) -> Source {
        match self {
            Source::Dense(x) => {
                let mut values = Vec::with_capacity(rows.len() * x.cols);
                for j in 0..x.cols {
                    let column: Vec<f64> = x.column(j).collect();
                    values.extend(rows.iter().map(|&row| column[row]));
                }
                Source::dense(&values, rows.len(), x.cols)
            }
            Source::Sparse(x) => {
                let by_row = x.to_csr();
                let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
                for &row in rows {
                    let (at, entries) = line(&by_row, row);
                    columns.extend_from_slice(at);
                    values.extend_from_slice(entries);
                    starts.push(columns.len());
                }
                let chosen = SparseMatrix::new((rows.len(), x.cols()), starts, columns, values);
                Source::Sparse(chosen.to_csc())
            }
        }
    }

    /// The same once more.
    pub fn copied(&self) -> Source {
        self.rows_at(&(0..self.rows()).collect::<Vec<_>>())
    }

    /// The same rows in another order: row i is the old row `order[i]`.
    pub fn reordered(self, order: &[u32]) -> Source {
        let rows: Vec<usize> = order.iter().map(|&i| i as usize).collect();
        self.rows_at(&rows)
    }

    /// out += Xβ.
    pub fn add_product(&self, beta: &[f64], out: &mut [f64]) {
        for (j, &b) in beta.iter().enumerate().filter(|(_, b)| **b != 0.0) {
            match self {
                Source::Dense(x) => out.iter_mut().zip(x.column(j)).for_each(|(o, v)| *o += b * v),
                Source::Sparse(x) => {
                    for (i, v) in x.outer_view(j).iter().flat_map(|column| column.iter()) {
                        out[i] += b * v;
                    }
                }
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

#[cfg(test)]
mod tests {
    use super::*;
    use sprs::CsMat;

    #[test]
    fn rows_are_taken_in_order_and_again() {
        let dense: Vec<f64> = vec![0.0, 3.0, 0.0, -1.0, 5.0, 6.0, 7.0, 9.0];
        let (starts, rows) = (vec![0, 2, 6], vec![1, 3, 0, 1, 2, 3]);
        let entries = vec![3.0, -1.0, 5.0, 6.0, 7.0, 9.0];
        let sparse = Source::Sparse(CsMat::new_csc((4, 2), starts, rows, entries));
        for source in [Source::dense(&dense, 4, 2), sparse] {
            let taken = source.rows_at(&[3, 0, 3]);
            assert_eq!((taken.rows(), taken.cols()), (3, 2));
            let mut column = vec![0.0; 3];
            for (j, expected) in [[-1.0, 0.0, -1.0], [9.0, 5.0, 9.0]].iter().enumerate() {
                taken.copy_column(j, &mut column);
                assert_eq!(&column, expected);
            }
            let mut product = vec![1.0; 3];
            taken.add_product(&[2.0, -1.0], &mut product);
            assert_eq!(product, [-10.0, -4.0, -10.0]);
        }
    }
}
