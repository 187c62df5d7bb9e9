//! The small problem behind every lasso: min ½ β'(H + D)β − b'β + Σ λⱼ|βⱼ| with H in memory.
//!
//! b is given by a point and the correlations c = b − (H + D)β there: near the minimum they are far
//! smaller than b, and so are their rounding errors. `sweeps` comes near the minimum by coordinate
//! descent, `newton` ends at it exactly, `free` takes out first what has no penalty.

use crate::linalg::lanes::dispatch;
use crate::penalty::Penalty;
use ndarray::{ArrayView2, Axis};

/// All of the problem but b. H is symmetric; D and the λⱼ are the penalty.
#[derive(Clone, Copy)]
pub struct Quadratic<'a> {
    pub gram: ArrayView2<'a, f64>,
    pub penalty: &'a Penalty,
}

impl<'a> Quadratic<'a> {
    pub fn size(&self) -> usize {
        self.penalty.l1.len()
    }

    /// Row j of H; rows are contiguous.
    #[inline(always)]
    pub fn row(&self, j: usize) -> &'a [f64] {
        self.gram.index_axis_move(Axis(0), j).to_slice().unwrap_or_default()
    }

    /// v −= s (H + D)β.
    pub fn subtract(&self, s: f64, beta: &[f64], v: &mut [f64]) {
        subtract(self, s, beta, v);
    }
}

/// Where a problem is known: a point and the correlations there.
pub struct Origin<'a> {
    pub beta: &'a [f64],
    pub correlation: &'a [f64],
}

/// An objective, and the size of its terms, which bounds its rounding error.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    pub sum: f64,
    pub size: f64,
}

impl Value {
    /// Is this above the other by more than rounding can be?
    pub fn is_above(&self, other: &Value) -> bool {
        self.sum > other.sum + 1e-12 * (self.size + other.size)
    }
}

impl Origin<'_> {
    /// b − (H + D)β.
    pub fn correlate(&self, q: &Quadratic, beta: &[f64], out: &mut Vec<f64>) {
        let moved: Vec<f64> = beta.iter().zip(self.beta).map(|(b, o)| b - o).collect();
        out.clear();
        out.extend_from_slice(self.correlation);
        q.subtract(1.0, &moved, out);
    }

    /// The objective at β, whose correlations are given, less the quadratic part at the origin.
    pub fn value(&self, q: &Quadratic, correlation: &[f64], beta: &[f64]) -> Value {
        let mut value = Value { sum: 0.0, size: 0.0 };
        for (j, b) in beta.iter().enumerate() {
            let fit = 0.5 * (b - self.beta[j]) * (self.correlation[j] + correlation[j]);
            let penalty = if *b != 0.0 { q.penalty.l1[j] * b.abs() } else { 0.0 };
            value.sum += penalty - fit;
            value.size += penalty + fit.abs();
        }
        value
    }

    /// Rounding error of the correlations.
    pub fn rounding(&self, correlation: &[f64]) -> f64 {
        let largest = |v: &[f64]| v.iter().fold(0.0f64, |m, c| m.max(c.abs()));
        let moved =
            self.correlation.iter().zip(correlation).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        8.0 * f64::EPSILON * (largest(self.correlation) + moved)
    }
}

dispatch! {
    fn subtract(q: &Quadratic, s: f64, beta: &[f64], out: &mut [f64]) {
        for (j, &b) in beta.iter().enumerate() {
            if b != 0.0 {
                let row = &q.row(j)[..out.len()];
                for (o, &h) in out.iter_mut().zip(row) {
                    *o = (-s * b).mul_add(h, *o);
                }
                out[j] -= s * q.penalty.ridge[j] * b;
            }
        }
    }
}
