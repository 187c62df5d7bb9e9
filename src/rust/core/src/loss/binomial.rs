//! Binomial: l = log(1 + e^η) − y η with y a proportion, whose residual is y − 1 / (1 + e^−η).

use super::observed::Observed;
use super::rows::{AtRow, Lines, each_row};
use super::{Likelihood, Sums};
use crate::linalg::elementary::{exp, ln_1p};
use crate::linalg::lanes::dispatch;
use std::ops::Range;

pub struct Binomial {
    y: Observed,
    /// −y log y − (1 − y) log(1 − y), which no fit can go below; None where every y is 0 or 1.
    least: Option<Observed>,
}

impl Binomial {
    pub fn new(y: Observed) -> Binomial {
        let part = |p: f64| if p > 0.0 { -p * libm::log(p) } else { 0.0 };
        let shares = y.values().iter().any(|y| *y != 0.0 && *y != 1.0);
        let least = shares.then(|| y.map(|y| part(y) + part(1.0 - y)));
        Binomial { least, y }
    }
}

impl Likelihood for Binomial {
    fn start(&self, weight: &dyn Fn(usize) -> f64, _: &[f64]) -> Vec<f64> {
        // Half a success and half a failure more: never without an end.
        let successes: f64 = self.y.iter().enumerate().map(|(i, y)| weight(i) * y).sum();
        let failures = (0..self.y.len()).map(weight).sum::<f64>() - successes;
        vec![libm::log((successes + 0.5) / (failures + 0.5))]
    }

    fn residuals(&self, rows: &Range<usize>, weights: &[f64], panel: &mut [f64], sums: &mut Sums) {
        let [loss, least, total, residual, curvature] = sums.of_likelihood();
        let least_of_rows = self.least.as_ref().map(|least| least.over(rows.clone()));
        let of_rows = (&*self.y.over(rows.clone()), least_of_rows.as_deref());
        residuals(of_rows, weights, panel, loss, least, total, residual, curvature);
    }

    fn separates(&self, rows: &Range<usize>, weights: &[f64], eta: &[f64], slack: f64) -> bool {
        let right =
            |(y, eta): (&f64, &f64)| (*y == 1.0 || *eta < slack) && (*y == 0.0 || *eta > -slack);
        let y = self.y.over(rows.clone());
        let of_rows = y.iter().zip(eta);
        weights.iter().zip(of_rows).all(|(w, row)| *w == 0.0 || right(row))
    }

    fn curvature(&self, _: &Range<usize>, weights: &[f64], eta: &[f64], out: &mut [f64]) {
        curvature(weights, eta, out);
    }
}

/// The loss of a row above `bottom`.
#[inline(always)]
fn at((y, bottom): (f64, f64), eta: f64) -> AtRow {
    let t = exp(-eta.abs());
    let (large, up) = (1.0 / (1.0 + t), eta >= 0.0);
    let small = t * large;
    let (mean, rest) = if up { (large, small) } else { (small, large) };
    let slope = if up { 1.0 - y } else { -y };
    AtRow {
        loss: slope.mul_add(eta, ln_1p(t)) - bottom,
        // No difference of numbers near each other.
        residual: y * rest - (1.0 - y) * mean,
        curvature: mean * rest,
    }
}

dispatch! {
    #[expect(clippy::too_many_arguments, reason = "one caller, one loop; slices that do not overlap")]
    fn residuals(
        of_rows: (&[f64], Option<&[f64]>),
        weights: &[f64],
        panel: &mut [f64],
        loss: &mut [f64],
        least: &mut [f64],
        weight: &mut [f64],
        residual: &mut [f64],
        curvature: &mut [f64],
    ) {
        let lines = Lines { loss, least, weight, residual, curvature };
        match of_rows {
            (y, Some(bottom)) => {
                each_row(|i| ((y[i], bottom[i]), bottom[i]), at, weights, panel, lines);
            }
            (y, None) => each_row(|i| ((y[i], 0.0), 0.0), at, weights, panel, lines),
        }
    }

    fn curvature(weights: &[f64], eta: &[f64], out: &mut [f64]) {
        for ((o, w), eta) in out.iter_mut().zip(weights).zip(eta) {
            let t = exp(-eta.abs());
            *o = w * t / ((1.0 + t) * (1.0 + t));
        }
    }
}
