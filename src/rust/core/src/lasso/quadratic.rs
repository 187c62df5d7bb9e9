//! The small problem behind every lasso: min ½ β'(H + D)β − b'β + Σ λⱼ|βⱼ| with H in memory.
//!
//! b is given by a point and the correlations c = b − (H + D)β there: near the minimum they are far
//! smaller than b, and so are their rounding errors. `sweeps` comes near the minimum by coordinate
//! descent, `newton` ends at it exactly.

use crate::linalg::lanes::dispatch;

/// All of the problem but b. H is symmetric, row after row, rows `stride` apart; D is diagonal;
/// λⱼ = ∞ excludes a coordinate.
pub struct Quadratic<'a> {
    pub gram: &'a [f64],
    pub stride: usize,
    pub l1: &'a [f64],
    pub ridge: &'a [f64],
}

impl Quadratic<'_> {
    pub fn size(&self) -> usize {
        self.l1.len()
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

impl Origin<'_> {
    /// b − (H + D)β.
    pub fn correlate(&self, q: &Quadratic, beta: &[f64], out: &mut Vec<f64>) {
        let moved: Vec<f64> = beta.iter().zip(self.beta).map(|(b, o)| b - o).collect();
        out.clear();
        out.extend_from_slice(self.correlation);
        q.subtract(1.0, &moved, out);
    }

    /// The objective at β, whose correlations are given, less the quadratic part at the origin; and
    /// the size of its terms, which bounds its rounding error.
    pub fn value(&self, q: &Quadratic, correlation: &[f64], beta: &[f64]) -> (f64, f64) {
        let (mut sum, mut size) = (0.0, 0.0);
        for (j, b) in beta.iter().enumerate() {
            let fit = 0.5 * (b - self.beta[j]) * (self.correlation[j] + correlation[j]);
            let penalty = if *b != 0.0 { q.l1[j] * b.abs() } else { 0.0 };
            sum += penalty - fit;
            size += penalty + fit.abs();
        }
        (sum, size)
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
                let row = &q.gram[j * q.stride..][..out.len()];
                for (o, &h) in out.iter_mut().zip(row) {
                    *o = (-s * b).mul_add(h, *o);
                }
                out[j] -= s * q.ridge[j] * b;
            }
        }
    }
}
