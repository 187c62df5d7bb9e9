//! The small problem behind every lasso: min ½ β'(H + D)β − b'β + Σ λⱼ|βⱼ| with H in memory.
//!
//! `sweeps` comes near the minimum by coordinate descent, `newton` ends at it exactly.

use crate::kernels::dispatch;

/// All of the problem but b. H is symmetric, row after row, rows `stride` apart; D is diagonal;
/// λⱼ = ∞ excludes a coordinate.
pub struct Quadratic<'a> {
    pub gram: &'a [f64],
    pub stride: usize,
    pub l1: &'a [f64],
    pub ridge: &'a [f64],
    /// Two problems with the same id have the same H and D: a factor can be used again.
    pub id: u64,
}

impl Quadratic<'_> {
    pub fn size(&self) -> usize {
        self.l1.len()
    }

    /// v −= s (H + D)β.
    pub fn subtract(&self, s: f64, beta: &[f64], v: &mut [f64]) {
        subtract(self, s, beta, v);
    }

    /// The objective at β, from b and the correlations b − (H + D)β.
    pub fn value(&self, linear: &[f64], correlation: &[f64], beta: &[f64]) -> f64 {
        let terms = beta.iter().zip(correlation).zip(linear).zip(self.l1);
        terms
            .filter(|(((b, _), _), _)| **b != 0.0)
            .map(|(((b, c), l), l1)| l1 * b.abs() - 0.5 * b * (l + c))
            .sum()
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
