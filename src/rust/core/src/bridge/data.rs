//! The data of a bridge regression, centred and scaled once.

use crate::data::source::Source;
use crate::data::standard::{Standard, standard};
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::dense::{axpy, dot};
use ndarray::{Array2, ShapeBuilder};

/// What the user chose about the columns.
#[derive(Clone, Copy, Debug)]
pub struct Scaling {
    pub intercept: bool,
    pub standardize: bool,
}

/// Columns and response, centred where there is an intercept; columns of standard deviation 1
/// (divisor n) if asked. Beside an intercept a constant column becomes zero: its coefficient keeps
/// its prior.
#[derive(Clone, Debug)]
pub struct Data {
    /// Each column's numbers next to each other.
    pub x: Array2<f64>,
    pub y: Vec<f64>,
    pub intercept: bool,
    pub x_mean: Vec<f64>,
    pub x_scale: Vec<f64>,
    pub y_mean: f64,
    /// |xⱼ|².
    pub squares: Vec<f64>,
}

impl Data {
    pub fn new(
        source: &Source,
        mut y: Vec<f64>,
        scaling: Scaling,
        control: &Control,
    ) -> Result<Data, Error> {
        let (n, p) = (source.rows(), source.cols());
        if n == 0 || p == 0 {
            return Err(Error::argument("x", format!("has {n} rows and {p} columns")));
        }
        if y.len() != n {
            return Err(Error::argument("y", format!("has {} values for {n} rows", y.len())));
        }
        let mut x = Array2::zeros((n, p).f());
        let (mut x_mean, mut x_scale, mut squares) = (vec![0.0; p], vec![1.0; p], vec![0.0; p]);
        for (j, mut column) in x.columns_mut().into_iter().enumerate() {
            control.check()?;
            let Some(column) = column.as_slice_mut() else {
                continue;
            };
            source.copy_column(j, column);
            let of = Standard::of_column(column, scaling.intercept, |_| 1.0);
            x_mean[j] = of.center[0];
            if scaling.standardize {
                // A column's spread is about its mean, whether or not the model has an intercept.
                x_scale[j] = of.sd[0];
            }
            // Infinite for a constant column beside an intercept, which says nothing.
            let scale = if of.scale[0].is_finite() { x_scale[j] } else { of.scale[0] };
            column.iter_mut().for_each(|v| *v = standard(*v, x_mean[j], scale));
            squares[j] = dot(column, column);
        }
        let y_mean = Standard::of_column(&y, scaling.intercept, |_| 1.0).center[0];
        y.iter_mut().for_each(|v| *v -= y_mean);
        if squares.iter().any(|v| !v.is_finite()) || y.iter().any(|v| !v.is_finite()) {
            return Err(Error::argument("x", "must be finite, also after scaling".into()));
        }
        Ok(Data { x, y, intercept: scaling.intercept, x_mean, x_scale, y_mean, squares })
    }

    pub fn rows(&self) -> usize {
        self.x.nrows()
    }

    pub fn columns(&self) -> usize {
        self.x.ncols()
    }

    /// Rows less the one that the intercept takes.
    pub fn freedom(&self) -> usize {
        self.rows() - usize::from(self.intercept)
    }

    /// All numbers, column after column.
    pub fn values(&self) -> &[f64] {
        self.x.as_slice_memory_order().unwrap_or_default()
    }

    pub fn column(&self, j: usize) -> &[f64] {
        &self.values()[j * self.rows()..][..self.rows()]
    }

    /// y − Xβ.
    pub fn residual(&self, beta: &[f64], out: &mut [f64], control: &Control) -> Result<(), Error> {
        out.copy_from_slice(&self.y);
        for (j, b) in beta.iter().enumerate() {
            control.check()?;
            axpy(-b, self.column(j), out);
        }
        Ok(())
    }

    /// X'X, in full; by blocks of rows, which stay in the cache for all pairs of columns.
    pub fn gram(&self, control: &Control) -> Result<Array2<f64>, Error> {
        const BLOCK: usize = 512;
        let (n, p) = (self.rows(), self.columns());
        let mut gram = Array2::zeros((p, p));
        for first in (0..n).step_by(BLOCK) {
            let rows = first..(first + BLOCK).min(n);
            for j in 0..p {
                control.check()?;
                let column = &self.column(j)[rows.clone()];
                for k in 0..=j {
                    gram[[j, k]] += dot(column, &self.column(k)[rows.clone()]);
                }
            }
        }
        for j in 0..p {
            for k in 0..j {
                gram[[k, j]] = gram[[j, k]];
            }
        }
        Ok(gram)
    }

    /// X'y.
    pub fn cross(&self) -> Vec<f64> {
        (0..self.columns()).map(|j| dot(self.column(j), &self.y)).collect()
    }

    /// Variance of the response (divisor n), or its mean square without intercept.
    pub fn response_variance(&self) -> f64 {
        dot(&self.y, &self.y) / self.rows() as f64
    }
}
