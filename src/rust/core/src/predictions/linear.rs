//! Answers of linear fits: b₀ + x'b of every draw, from a dense or a sparse x.

use super::answers::Answers;
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::dense::axpy;
use crate::linalg::sparse::{SparseMatrix, line};
use ndarray::{Array2, ArrayViewMut2};
use std::ops::Range;

/// The rows to predict.
pub enum Columns {
    /// Column after column.
    Dense { values: Vec<f64>, rows: usize },
    /// By rows.
    Sparse(SparseMatrix),
}

impl Columns {
    /// From a sparse matrix by columns.
    pub fn sparse(x: &SparseMatrix) -> Columns {
        Columns::Sparse(x.to_csr())
    }

    fn rows(&self) -> usize {
        match self {
            Columns::Dense { rows, .. } => *rows,
            Columns::Sparse(x) => x.rows(),
        }
    }
}

pub struct Linear {
    x: Columns,
    /// Of each draw.
    intercepts: Vec<f64>,
    /// By draw and column.
    slopes: Array2<f64>,
}

impl Linear {
    /// `draws` are by draw and coefficient, an intercept first if there is one.
    pub fn new(x: Columns, draws: &Array2<f64>, intercept: bool) -> Linear {
        let first = usize::from(intercept);
        let intercepts = match intercept {
            true => draws.column(0).to_vec(),
            false => vec![0.0; draws.nrows()],
        };
        // A copy in the order in which it is read.
        let slopes = draws.slice(ndarray::s![.., first..]).as_standard_layout().into_owned();
        Linear { x, intercepts, slopes }
    }
}

impl Answers for Linear {
    fn shape(&self) -> [usize; 3] {
        [self.intercepts.len(), self.x.rows(), 1]
    }

    fn fill(
        &self,
        draw: usize,
        rows: Range<usize>,
        control: &Control,
        out: &mut ArrayViewMut2<f64>,
    ) -> Result<(), Error> {
        let mut answers = vec![self.intercepts[draw]; rows.len()];
        let slopes = self.slopes.row(draw);
        match &self.x {
            Columns::Dense { values, rows: all } => {
                for (column, slope) in values.chunks_exact((*all).max(1)).zip(slopes) {
                    if *slope != 0.0 {
                        control.check()?;
                        axpy(*slope, &column[rows.clone()], &mut answers);
                    }
                }
            }
            Columns::Sparse(x) => {
                control.check()?;
                for (row, answer) in rows.zip(&mut answers) {
                    let (columns, values) = line(x, row);
                    for (&column, value) in columns.iter().zip(values) {
                        *answer = slopes[column].mul_add(*value, *answer);
                    }
                }
            }
        }
        out.column_mut(0).iter_mut().zip(answers).for_each(|(out, answer)| *out = answer);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{All, ask};
    use super::*;
    use ndarray::array;

    fn answers(linear: &Linear) -> Vec<f64> {
        let mut all = All::new(linear.shape());
        ask(linear, &mut all, &Control::default()).unwrap();
        all.0.into_raw_vec_and_offset().0
    }

    #[test]
    fn dense_and_sparse_rows_have_the_same_answers() {
        let draws = array![[1.0, 2.0, 0.0], [-1.0, 0.5, 3.0]];
        let dense = || Columns::Dense { values: vec![1.0, 0.0, 2.0, 0.0, 4.0, 5.0], rows: 3 };
        let columns = SparseMatrix::new_csc(
            (3, 2),
            vec![0, 2, 4],
            vec![0, 2, 1, 2],
            vec![1.0, 2.0, 4.0, 5.0],
        );
        let expected = [3.0, -0.5, 1.0, 11.0, 5.0, 15.0];
        assert_eq!(answers(&Linear::new(dense(), &draws, true)), expected);
        assert_eq!(answers(&Linear::new(Columns::sparse(&columns), &draws, true)), expected);
        let slopes = draws.slice(ndarray::s![.., 1..]).to_owned();
        let without: Vec<f64> = expected
            .iter()
            .enumerate()
            .map(|(i, v)| if i % 2 == 0 { v - 1.0 } else { v + 1.0 })
            .collect();
        assert_eq!(answers(&Linear::new(dense(), &slopes, false)), without);
    }
}
