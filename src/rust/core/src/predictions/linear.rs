//! Answers of linear fits: b₀ + x'b of every draw, from a dense or a sparse x.

use super::answers::Answers;
use crate::data::source::Source;
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::dense::axpy;
use crate::linalg::sparse::line;
use ndarray::{Array2, ArrayViewMut2};
use std::ops::Range;

pub struct Linear {
    /// The rows to predict; a sparse matrix is by rows.
    x: Source,
    /// Of each draw.
    intercepts: Vec<f64>,
    /// By draw and column.
    slopes: Array2<f64>,
}

impl Linear {
    /// `draws` are by draw and coefficient, an intercept first if there is one.
    pub fn new(
        x: Source,
        draws: &Source,
        intercept: bool,
        control: &Control,
    ) -> Result<Linear, Error> {
        let first = usize::from(intercept);
        let mut column = vec![0.0; draws.rows()];
        let mut intercepts = column.clone();
        if intercept {
            draws.copy_column(0, &mut intercepts);
        }
        // A copy in the order in which it is read.
        let mut slopes = Array2::zeros((draws.rows(), draws.cols().saturating_sub(first)));
        for (j, mut places) in slopes.columns_mut().into_iter().enumerate() {
            control.check()?;
            draws.copy_column(first + j, &mut column);
            places.iter_mut().zip(&column).for_each(|(place, value)| *place = *value);
        }
        let x = match x {
            Source::Sparse(x) => Source::Sparse(x.to_csr()),
            dense => dense,
        };
        Ok(Linear { x, intercepts, slopes })
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
            Source::Dense(x) => {
                let mut rest = &mut answers[..];
                for block in x.blocks_of(&rows) {
                    control.check()?;
                    let here = rows.start.max(block.start)..rows.end.min(block.end);
                    let (part, others) = rest.split_at_mut(here.len());
                    let held = x.get(&block);
                    let columns = held.chunks_exact(block.len());
                    for (column, slope) in columns.zip(slopes).filter(|(_, slope)| **slope != 0.0) {
                        axpy(*slope, &column[here.start - block.start..][..here.len()], part);
                    }
                    rest = others;
                }
            }
            Source::Sparse(x) => {
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
    use crate::linalg::sparse::SparseMatrix;

    fn answers(x: Source, draws: &Source, intercept: bool) -> Vec<f64> {
        let control = Control::default();
        let linear = Linear::new(x, draws, intercept, &control).unwrap();
        let mut all = All::new(linear.shape());
        ask(&linear, &mut all, &control).unwrap();
        all.0.into_raw_vec_and_offset().0
    }

    #[test]
    fn dense_and_sparse_rows_have_the_same_answers() {
        let draws = Source::dense(&[1.0, -1.0, 2.0, 0.5, 0.0, 3.0], 2, 3);
        let slopes = Source::dense(&[2.0, 0.5, 0.0, 3.0], 2, 2);
        let dense = || Source::dense(&[1.0, 0.0, 2.0, 0.0, 4.0, 5.0], 3, 2);
        let columns = SparseMatrix::new_csc(
            (3, 2),
            vec![0, 2, 4],
            vec![0, 2, 1, 2],
            vec![1.0, 2.0, 4.0, 5.0],
        );
        let expected = [3.0, -0.5, 1.0, 11.0, 5.0, 15.0];
        assert_eq!(answers(dense(), &draws, true), expected);
        assert_eq!(answers(Source::Sparse(columns), &draws, true), expected);
        let without: Vec<f64> = expected
            .iter()
            .enumerate()
            .map(|(i, v)| if i % 2 == 0 { v - 1.0 } else { v + 1.0 })
            .collect();
        assert_eq!(answers(dense(), &slopes, false), without);
    }

    #[test]
    fn rows_are_asked_across_blocks() {
        let (rows, cols) = (2000, 2);
        let x: Vec<f64> = (0..rows * cols).map(|i| i as f64).collect();
        let draws = Source::dense(&[1.0, 10.0, 2.0], 1, 3);
        let control = Control::default();
        let linear = Linear::new(Source::dense(&x, rows, cols), &draws, true, &control).unwrap();
        for range in [0..rows, 3..504, 500..1600, 1999..2000] {
            let mut out = Array2::zeros((range.len(), 1));
            linear.fill(0, range.clone(), &control, &mut out.view_mut()).unwrap();
            for (row, found) in range.zip(out) {
                assert_eq!(found, 1.0 + 10.0 * x[row] + 2.0 * x[rows + row]);
            }
        }
    }
}
