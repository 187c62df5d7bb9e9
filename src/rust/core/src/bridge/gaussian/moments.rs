//! What the chains share of the data, with at most as many columns as rows.

use super::Fit;
use crate::bridge::data::Data;
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::cholesky::Cholesky;
use crate::linalg::dense::dot;
use crate::linalg::lanes::dispatch;
use ndarray::Array2;

pub struct Moments {
    /// X'X.
    pub gram: Array2<f64>,
    /// X'y.
    pub cross: Vec<f64>,
    /// R' with R'R = X'X, and R⁻ᵀX'y: |y − Xβ|² = least + |R⁻ᵀX'y − Rβ|², a sum of squares that does
    /// not cancel. A dependent column has no row in R: the rows before hold all of it.
    root: Array2<f64>,
    aim: Vec<f64>,
    pub fit: Fit,
}

impl Moments {
    /// None with more columns than rows.
    pub fn new(data: &Data, control: &Control) -> Result<Option<Moments>, Error> {
        let p = data.columns();
        if p > data.rows() {
            return Ok(None);
        }
        let (gram, cross) = (data.gram(control)?, data.cross());
        let mut factor = Cholesky::default();
        let fill = |row: usize, out: &mut [f64]| {
            out.iter_mut().zip(gram.row(row).iter().skip(row)).for_each(|(o, v)| *o = *v);
            0.0
        };
        factor.factor_while(p, fill, || control.check())?;
        let mut root = Array2::zeros((p, p));
        for k in 0..p {
            for (i, v) in factor.row(k).iter().enumerate() {
                root[[k + i, k]] = *v;
            }
        }
        let mut aim = cross.clone();
        factor.solve_half(&mut aim);
        let mut beta = aim.clone();
        factor.solve_other_half(&mut beta);
        // From the residuals themselves.
        let mut residual = vec![0.0; data.rows()];
        data.residual(&beta, &mut residual, control)?;
        let fit = Fit { rank: factor.rank(), square: dot(&residual, &residual) };
        Ok(Some(Moments { gram, cross, root, aim, fit }))
    }

    /// |y − Xβ|²; `gap` is a workspace of as many numbers as there are columns.
    #[inline]
    pub fn residual_square(&self, beta: &[f64], gap: &mut [f64]) -> f64 {
        gap.copy_from_slice(&self.aim);
        subtract_root(self.root.as_slice().unwrap_or_default(), beta, gap);
        self.fit.square + dot(gap, gap)
    }
}

dispatch! {
    /// gap −= Rβ; `root` holds the columns of R.
    fn subtract_root(root: &[f64], beta: &[f64], gap: &mut [f64]) {
        for (j, (column, b)) in root.chunks_exact(beta.len()).zip(beta).enumerate() {
            for (g, r) in gap[..=j].iter_mut().zip(&column[..=j]) {
                *g = (-b).mul_add(*r, *g);
            }
        }
    }
}
