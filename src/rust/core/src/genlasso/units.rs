//! The units in which the numbers of a problem are near one: powers of two, so that nothing is rounded.
//!
//! With β in the units of y over those of each column of X, rows of D, columns of X, y and the mean
//! weight are all of size one, and one set of limits serves responses of 1e-200 and of 1e200.

use super::system::largest;
use crate::error::Error;
use crate::linalg::Pause;
use crate::linalg::sparse::{SparseMatrix, line};

pub struct Units {
    pub response: f64,
    /// Of each column of X, and of each row of D in the new coefficients.
    pub columns: Vec<f64>,
    rows: Vec<f64>,
}

/// The power of two at or below |v|; one for nothing.
fn power_of_two(v: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    if v == 0.0 { 1.0 } else { f64::from_bits(v.to_bits() & EXPONENT).max(f64::MIN_POSITIVE) }
}

/// √Σv², without overflow.
fn norm(values: &[f64]) -> f64 {
    let top = largest(values);
    if top == 0.0 {
        0.0
    } else {
        top * values.iter().map(|v| (v / top) * (v / top)).sum::<f64>().sqrt()
    }
}

impl Units {
    /// Of matrices by rows, which are brought to the new units.
    pub fn of(
        y: &mut [f64],
        x: &mut SparseMatrix,
        d: &mut SparseMatrix,
        pause: Pause,
    ) -> Result<Units, Error> {
        let response = power_of_two(largest(y));
        y.iter_mut().for_each(|v| *v /= response);
        pause()?;
        let (of_x, of_d) = (x.to_csc(), d.to_csc());
        pause()?;
        let column = |j: usize| {
            let (seen, penalised) = (norm(line(&of_x, j).1), norm(line(&of_d, j).1));
            power_of_two(if seen > 0.0 { seen } else { penalised })
        };
        let columns: Vec<f64> = (0..x.cols()).map(column).collect();
        for matrix in [&mut *x, &mut *d] {
            pause()?;
            for mut row in matrix.outer_iterator_mut() {
                row.iter_mut().for_each(|(j, v)| *v /= columns[j]);
            }
        }
        pause()?;
        let rows: Vec<f64> = (0..d.rows()).map(|i| power_of_two(largest(line(d, i).1))).collect();
        for (mut row, unit) in d.outer_iterator_mut().zip(&rows) {
            row.iter_mut().for_each(|(_, v)| *v /= unit);
        }
        Ok(Units { response, columns, rows })
    }

    /// The penalty of a row of D, for weights divided by their mean.
    pub fn penalty(&self, row: usize, c: f64, mean_weight: f64) -> f64 {
        c / mean_weight / self.response * self.rows[row]
    }

    /// A coefficient in the user's units.
    pub fn coefficient(&self, column: usize, value: f64) -> f64 {
        value * self.response / self.columns[column]
    }

    /// An objective in the user's units.
    pub fn objective(&self, value: f64, mean_weight: f64) -> f64 {
        value * mean_weight * self.response * self.response
    }
}
