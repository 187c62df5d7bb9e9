//! Poisson: l = e^η − y η, whose residual is y − e^η.

use super::observed::Observed;
use super::rows::{AtRow, Lines, each_row};
use super::{Likelihood, Sums};
use crate::linalg::elementary::exp;
use crate::linalg::lanes::dispatch;
use std::ops::Range;

pub struct Poisson {
    y: Observed,
    /// log y (0 where y is): no fit can go below y − y log y.
    log: Observed,
}

impl Poisson {
    pub fn new(y: Observed) -> Poisson {
        let log = y.map(|y| if y > 0.0 { libm::log(y) } else { 0.0 });
        Poisson { log, y }
    }
}

impl Likelihood for Poisson {
    fn start(&self, weight: &dyn Fn(usize) -> f64, offset: &[f64]) -> Vec<f64> {
        let exposed: f64 = match offset {
            [] => (0..self.y.len()).map(weight).sum(),
            _ => offset.iter().enumerate().map(|(i, o)| weight(i) * exp(*o)).sum(),
        };
        let counted: f64 = self.y.iter().enumerate().map(|(i, y)| weight(i) * y).sum();
        let rate = (counted + 1e-3) / exposed;
        vec![libm::log(rate).clamp(-500.0, 500.0)]
    }

    fn residuals(&self, rows: &Range<usize>, weights: &[f64], panel: &mut [f64], sums: &mut Sums) {
        let [loss, least, total, residual, curvature] = sums.of_likelihood();
        let of_rows = (&*self.y.over(rows.clone()), &*self.log.over(rows.clone()));
        residuals(of_rows, weights, panel, loss, least, total, residual, curvature);
    }

    fn separates(&self, rows: &Range<usize>, weights: &[f64], eta: &[f64], slack: f64) -> bool {
        let y = self.y.over(rows.clone());
        let right = |(y, eta): (&f64, &f64)| *eta < slack && (*y == 0.0 || *eta > -slack);
        weights.iter().zip(y.iter().zip(eta)).all(|(w, row)| *w == 0.0 || right(row))
    }

    fn curvature(&self, _: &Range<usize>, weights: &[f64], eta: &[f64], out: &mut [f64]) {
        curvature(weights, eta, out);
    }
}

#[inline(always)]
fn at((y, log): (f64, f64), eta: f64) -> AtRow {
    let mean = exp(eta);
    let residual = y - mean;
    // e^η − y − y (η − log y): large counts lose no digits.
    AtRow { loss: y * (log - eta) - residual, residual, curvature: mean }
}

dispatch! {
    #[expect(clippy::too_many_arguments, reason = "one caller, one loop; slices that do not overlap")]
    fn residuals(
        of_rows: (&[f64], &[f64]),
        weights: &[f64],
        panel: &mut [f64],
        loss: &mut [f64],
        least: &mut [f64],
        weight: &mut [f64],
        residual: &mut [f64],
        curvature: &mut [f64],
    ) {
        let row = |i: usize| {
            let (y, log) = (of_rows.0[i], of_rows.1[i]);
            ((y, log), y - y * log)
        };
        each_row(row, at, weights, panel, Lines { loss, least, weight, residual, curvature });
    }

    fn curvature(weights: &[f64], eta: &[f64], out: &mut [f64]) {
        for ((o, w), eta) in out.iter_mut().zip(weights).zip(eta) {
            *o = w * exp(*eta);
        }
    }
}
