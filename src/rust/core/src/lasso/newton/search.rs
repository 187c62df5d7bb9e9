//! The search along a direction.

use super::Newton;
use crate::lasso::quadratic::Quadratic;
use crate::linalg::order::ascending;

impl Newton {
    /// Exact search along the direction: the objective is convex and piecewise quadratic, with a
    /// break where a coordinate changes sign. Length of the step, and the coordinate that it puts
    /// on zero; None if no step descends.
    pub(super) fn search(
        &mut self,
        q: &Quadratic,
        beta: &[f64],
        fall: f64,
        curvature: f64,
        rounding: f64,
    ) -> Option<(f64, Option<usize>)> {
        self.breaks.clear();
        let mut slope = -fall;
        for (i, &j) in self.active.iter().enumerate() {
            let d = self.direction[i];
            if d * self.sign[i] >= 0.0 || q.penalty.l1[j] == 0.0 {
                continue;
            }
            if beta[j] == 0.0 {
                slope += 2.0 * q.penalty.l1[j] * d.abs();
            } else {
                self.breaks.push((-beta[j] / d, i));
            }
        }
        let noise = rounding * self.direction.iter().map(|d| d.abs()).sum::<f64>();
        if slope >= -noise || !curvature.is_finite() {
            return None;
        }
        // Where the slope, known at `from`, reaches zero if no break comes before.
        let bottom = |from: f64, slope: f64| {
            if curvature > -1e-12 * slope { from - slope / curvature } else { f64::INFINITY }
        };
        ascending(&mut self.breaks);
        let mut from = 0.0;
        for &(at, i) in &self.breaks {
            if bottom(from, slope) <= at {
                break;
            }
            slope += curvature * (at - from)
                + 2.0 * q.penalty.l1[self.active[i]] * self.direction[i].abs();
            from = at;
            if slope >= 0.0 {
                return Some((at, Some(self.active[i])));
            }
        }
        let length = bottom(from, slope);
        // The Newton step itself, up to rounding: take it whole.
        let whole = from == 0.0 && (length - 1.0).abs() < 1e-6;
        Some((if whole || !length.is_finite() { 1.0 } else { length }, None))
    }
}
