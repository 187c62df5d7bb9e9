//! The data of a bridge regression, centred and scaled once.

use crate::error::Error;
use crate::linalg::dense::{axpy, dot};

/// What the user chose about the columns.
#[derive(Clone, Copy, Debug)]
pub struct Design {
    pub rows: usize,
    pub columns: usize,
    pub intercept: bool,
    pub standardize: bool,
}

/// Columns and response, centred where there is an intercept; columns of standard deviation 1
/// (divisor n) if asked. A constant column becomes zero: its coefficient keeps its prior.
#[derive(Clone, Debug)]
pub struct Data {
    pub rows: usize,
    pub columns: usize,
    pub intercept: bool,
    /// Column after column.
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    pub x_mean: Vec<f64>,
    pub x_scale: Vec<f64>,
    pub y_mean: f64,
}

impl Data {
    pub fn new(mut x: Vec<f64>, mut y: Vec<f64>, design: Design) -> Result<Data, Error> {
        let (n, p) = (design.rows, design.columns);
        if n == 0 || p == 0 || x.len() != n * p {
            let text = format!("has {} values for {n} rows and {p} columns", x.len());
            return Err(Error::argument("x", text));
        }
        if y.len() != n {
            return Err(Error::argument("y", format!("has {} values for {n} rows", y.len())));
        }
        let mean = |v: &[f64]| v.iter().sum::<f64>() / n as f64;
        let (mut x_mean, mut x_scale) = (vec![0.0; p], vec![1.0; p]);
        for (j, column) in x.chunks_exact_mut(n).enumerate() {
            let size = column.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            if design.intercept {
                x_mean[j] = mean(column);
                column.iter_mut().for_each(|v| *v -= x_mean[j]);
            }
            let spread = column.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            if spread <= 1e-13 * size {
                column.fill(0.0);
            } else if design.standardize {
                // A column's spread is about its mean, whether or not the model has an intercept.
                let centre = mean(column);
                let square = column.iter().map(|v| (v - centre).powi(2)).sum::<f64>();
                let sd = (square / n as f64).sqrt();
                if sd > 0.0 {
                    x_scale[j] = sd;
                    column.iter_mut().for_each(|v| *v /= sd);
                }
            }
        }
        let y_mean = if design.intercept { mean(&y) } else { 0.0 };
        y.iter_mut().for_each(|v| *v -= y_mean);
        let finite = |v: &[f64]| v.iter().all(|v| v.is_finite());
        if !finite(&x) || !finite(&y) {
            return Err(Error::argument("x", "must be finite, also after scaling".into()));
        }
        Ok(Data { rows: n, columns: p, intercept: design.intercept, x, y, x_mean, x_scale, y_mean })
    }

    /// Rows less the one that the intercept takes.
    pub fn freedom(&self) -> f64 {
        self.rows as f64 - f64::from(u8::from(self.intercept))
    }

    pub fn column(&self, j: usize) -> &[f64] {
        &self.x[j * self.rows..][..self.rows]
    }

    /// y − Xβ.
    pub fn residual(&self, beta: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&self.y);
        for (j, b) in beta.iter().enumerate() {
            axpy(-b, self.column(j), out);
        }
    }

    /// X'X, in full; by blocks of rows, which stay in the cache for all pairs of columns.
    pub fn gram(&self) -> Vec<f64> {
        const BLOCK: usize = 512;
        let (n, p) = (self.rows, self.columns);
        let mut gram = vec![0.0; p * p];
        for first in (0..n).step_by(BLOCK) {
            let rows = first..(first + BLOCK).min(n);
            for j in 0..p {
                let column = &self.column(j)[rows.clone()];
                for k in 0..=j {
                    gram[j * p + k] += dot(column, &self.column(k)[rows.clone()]);
                }
            }
        }
        for j in 0..p {
            for k in 0..j {
                gram[k * p + j] = gram[j * p + k];
            }
        }
        gram
    }

    pub fn cross(&self) -> Vec<f64> {
        (0..self.columns).map(|j| dot(self.column(j), &self.y)).collect()
    }

    /// Variance of the response (divisor n), or its mean square without intercept.
    pub fn response_variance(&self) -> f64 {
        dot(&self.y, &self.y) / self.rows as f64
    }
}
