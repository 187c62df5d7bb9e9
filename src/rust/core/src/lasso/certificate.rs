//! How far a point is from the minimum, proved by duality.
//!
//! P(β) = ½ Σ wᵢ rᵢ² + Σ λⱼ|βⱼ| + ½ Σ dⱼ βⱼ² is, with rows √dⱼ eⱼ added to the design, a lasso. Any
//! multiple s r of its residual with |xⱼ'W s r| ≤ λⱼ for all j gives the lower bound
//! D(s) = s r'Wy − ½ s² r'Wr ≤ min P. Coordinates without an ℓ1 term need xⱼ'W r = 0; what rounding
//! leaves of it is charged to the gap as the Newton decrement it is.

use crate::linalg::cholesky::Cholesky;

/// The least objective that gaps are measured against, as a part of ½ y'Wy: a perfect fit has
/// objective 0 and no relative gap.
const FLOOR: f64 = 1e-10;

/// Everything about a point that the certificate needs; residuals are centred if there is an intercept.
pub struct Point<'a> {
    pub beta: &'a [f64],
    /// xⱼ'W r.
    pub gradient: &'a [f64],
    pub l1: &'a [f64],
    pub ridge: &'a [f64],
    /// r'Wr, r'Wy, and y'Wy before centring.
    pub rr: f64,
    pub ry: f64,
    pub yy: f64,
}

#[derive(Clone, Copy, Debug)]
pub struct Certificate {
    pub objective: f64,
    /// Relative to the objective.
    pub gap: f64,
}

impl Point<'_> {
    /// `curvature(a, b)` is (some close estimate of) x_a'W x_b, asked for only among coordinates
    /// without an ℓ1 term.
    pub fn certify(&self, curvature: impl Fn(usize, usize) -> f64) -> Certificate {
        let mut penalty = 0.0;
        let mut square = 0.0;
        let mut feasible = f64::INFINITY;
        let mut free = Vec::new();
        for (j, &b) in self.beta.iter().enumerate() {
            let g = self.gradient[j] - self.ridge[j] * b;
            square += self.ridge[j] * b * b;
            if self.l1[j] > 0.0 {
                if b != 0.0 {
                    penalty += self.l1[j] * b.abs();
                }
                if g != 0.0 {
                    feasible = feasible.min(self.l1[j] / g.abs());
                }
            } else if g != 0.0 {
                free.push((j, g));
            }
        }
        let rr = self.rr.max(0.0) + square;
        let objective = 0.5 * rr + penalty;
        let best = if rr > 0.0 { self.ry / rr } else { 0.0 };
        let s = best.clamp(-feasible, feasible);
        let dual = s * self.ry - 0.5 * s * s * rr;
        let gap = (objective - dual).max(0.0) + self.decrement(&free, curvature);
        let size = objective.max(FLOOR * 0.5 * self.yy);
        Certificate { objective, gap: if gap == 0.0 { 0.0 } else { gap / size } }
    }

    /// ½ g'H⁻¹g over the free coordinates.
    fn decrement(&self, free: &[(usize, f64)], curvature: impl Fn(usize, usize) -> f64) -> f64 {
        if free.is_empty() {
            return 0.0;
        }
        // Where the caller does not know the curvature yet, nothing is certified.
        if free.iter().any(|&(j, _)| curvature(j, j) + self.ridge[j] <= 0.0) {
            return f64::INFINITY;
        }
        let mut cholesky = Cholesky::default();
        cholesky.factor(free.len(), |row, out| {
            let j = free[row].0;
            for (o, &(k, _)) in out.iter_mut().zip(&free[row..]) {
                *o = curvature(j, k);
            }
            out[0] += self.ridge[j];
            self.ridge[j]
        });
        let mut step: Vec<f64> = free.iter().map(|f| f.1).collect();
        cholesky.solve(&mut step);
        0.5 * step.iter().zip(free).map(|(d, f)| d * f.1).sum::<f64>().max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One column x = 1 of weight 1, y = 2: P(b) = ½ (2 − b)² + λ|b|.
    fn at(b: f64, l1: f64) -> Certificate {
        let r = 2.0 - b;
        Point {
            beta: &[b],
            gradient: &[r],
            l1: &[l1],
            ridge: &[0.0],
            rr: r * r,
            ry: 2.0 * r,
            yy: 4.0,
        }
        .certify(|_, _| 1.0)
    }

    #[test]
    fn the_gap_is_zero_at_the_minimum_and_bounds_the_excess_elsewhere() {
        for l1 in [0.0, 0.5, 1.9, 2.0, 3.0] {
            let best = (2.0f64 - l1).max(0.0);
            let minimum = at(best, l1);
            assert!(minimum.gap < 1e-15, "{l1} {}", minimum.gap);
            for b in [-1.0, 0.0, 0.3, 1.0, 2.5] {
                let c = at(b, l1);
                let excess = c.objective - minimum.objective;
                assert!(c.gap * c.objective.max(2e-10) >= excess - 1e-12, "{l1} {b}");
            }
        }
    }

    #[test]
    fn without_its_curvature_a_free_coordinate_is_not_certified() {
        let r = 1.0;
        let point = Point {
            beta: &[1.0],
            gradient: &[r],
            l1: &[0.0],
            ridge: &[0.0],
            rr: 1.0,
            ry: 2.0,
            yy: 4.0,
        };
        assert_eq!(point.certify(|_, _| 0.0).gap, f64::INFINITY);
    }

    #[test]
    fn a_perfect_fit_and_a_constant_response_are_certified() {
        assert!(at(2.0, 0.0).gap < 1e-15);
        let flat = Point {
            beta: &[0.0],
            gradient: &[0.0],
            l1: &[1.0],
            ridge: &[0.0],
            rr: 0.0,
            ry: 0.0,
            yy: 0.0,
        };
        assert_eq!(flat.certify(|_, _| 1.0).gap, 0.0);
    }
}
