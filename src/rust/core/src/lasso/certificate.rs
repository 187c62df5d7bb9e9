//! How far a point is from the minimum, proved by duality.
//!
//! P(β) = ½ Σ wᵢ rᵢ² + Σ λⱼ|βⱼ| + ½ Σ dⱼ βⱼ² is, with rows √dⱼ eⱼ added to the design, a lasso. Any
//! multiple s v of a vector with |xⱼ'W s v| ≤ λⱼ for all j gives the lower bound
//! D(s) = s v'Wy − ½ s² v'Wv ≤ min P, and v = r is the vector of the minimum. Coordinates F without an
//! ℓ1 term need xⱼ'W v = 0: v = r − X_F d with H_FF d = e, e what their slopes are. That costs the
//! Newton decrement c = ½ e'd, and it moves the other slopes: by at most √(2c Hⱼⱼ), which counts at
//! first order and must not be left out. With y = r + Xβ this is
//!   v'Wv = r'Wr − 2c,  v'Wy = r'Wr − 2c + Σ βⱼ xⱼ'W v over the others.
//!
//! A multiple costs at first order what the worst slope misses. Where every coordinate has a ridge, r itself is a
//! bound, by the conjugate (|xⱼ'W r| − λⱼ)₊² / 2dⱼ of each penalty: its gap is of second order, and the less counts.

use super::free::FreeBlock;
use crate::penalty::Penalty;

/// The least objective that gaps are measured against, as a part of ½ y'Wy: a perfect fit has
/// objective 0 and no relative gap.
const FLOOR: f64 = 1e-10;

/// Everything about a point that the certificate needs; residuals are centred if there is an intercept.
pub struct Point<'a> {
    pub beta: &'a [f64],
    /// xⱼ'W r.
    pub gradient: &'a [f64],
    pub penalty: &'a Penalty,
    /// r'Wr, and y'Wy before centring.
    pub rr: f64,
    pub yy: f64,
    /// Σw.
    pub w: f64,
}

#[derive(Clone, Copy, Debug)]
pub struct Certificate {
    pub objective: f64,
    /// Relative to the objective; infinite if nothing is proved.
    pub gap: f64,
}

impl Point<'_> {
    /// What β loses beside the loss: Σ λ|β|, and Σ d β².
    fn penalties(&self) -> (f64, f64) {
        let (mut kinks, mut square) = (0.0, 0.0);
        for (j, &b) in self.beta.iter().enumerate().filter(|(_, b)| **b != 0.0) {
            kinks += self.penalty.l1[j] * b.abs();
            square += self.penalty.ridge[j] * b * b;
        }
        (kinks, square)
    }

    /// xⱼ'W r − dⱼ βⱼ.
    fn slope(&self, j: usize) -> f64 {
        self.gradient[j] - self.penalty.ridge[j] * self.beta[j]
    }

    /// Nothing that is not finite is ever proved.
    fn certificate(&self, objective: f64, gap: f64) -> Certificate {
        let size = objective.max(FLOOR * 0.5 * self.yy);
        let gap = if gap <= 0.0 { 0.0 } else { gap / size };
        let proved = objective.is_finite() && gap.is_finite();
        Certificate { objective, gap: if proved { gap } else { f64::INFINITY } }
    }

    /// By a gap that is known already.
    pub fn with_gap(&self, gap: f64) -> Certificate {
        let (kinks, square) = self.penalties();
        self.certificate(0.5 * (self.rr.max(0.0) + square) + kinks, gap)
    }

    /// The coordinates without an ℓ1 term and their slopes; none if all slopes are zero. One that is zero
    /// counts beside others: what it leaves to gain depends on them.
    pub fn unpenalised(&self) -> (Vec<usize>, Vec<f64>) {
        let bare = (0..self.beta.len()).filter(|&j| self.penalty.l1[j] == 0.0);
        let (which, slopes): (Vec<usize>, Vec<f64>) = bare.map(|j| (j, self.slope(j))).unzip();
        if slopes.iter().all(|g| *g == 0.0) { Default::default() } else { (which, slopes) }
    }

    /// By a multiple of the residual; `charge` is what coordinates without an ℓ1 term leave to gain,
    /// `curvature` bounds Hⱼⱼ of the others.
    #[inline(never)]
    pub fn certify(&self, charge: f64, curvature: &dyn Fn(usize) -> f64) -> Certificate {
        let (kinks, square) = self.penalties();
        let rr = self.rr.max(0.0) + square;
        let objective = 0.5 * rr + kinks;
        let (mut feasible, mut fitted) = (f64::INFINITY, 0.0);
        for j in (0..self.beta.len()).filter(|&j| self.penalty.l1[j] > 0.0) {
            let (g, b) = (self.slope(j), self.beta[j]);
            let moved = if charge > 0.0 { (2.0 * charge * curvature(j)).sqrt() } else { 0.0 };
            let most = g.abs() + moved;
            // A division is dear, and most slopes are not the worst.
            if most != 0.0 && feasible * most > self.penalty.l1[j] {
                feasible = self.penalty.l1[j] / most;
            }
            if b != 0.0 {
                fitted += b * g - b.abs() * moved;
            }
        }
        let left = self.above_zero(rr - 2.0 * charge);
        let along = left + fitted;
        let s = if along > 0.0 { (along / left).min(feasible) } else { 0.0 };
        let dual = s * along - 0.5 * s * s * left;
        // A sum that overflowed bounds nothing.
        let gap = if dual.is_finite() { objective - dual } else { f64::INFINITY };
        self.certificate(
            objective,
            self.above_zero(gap).min(ridge_gap(self.beta, self.gradient, self.penalty)),
        )
    }

    /// Differences of equal numbers may come out below zero; what is not a number stays one.
    fn above_zero(&self, gap: f64) -> f64 {
        if gap < 0.0 { 0.0 } else { gap }
    }

    /// By a Newton step on the coordinates that are not zero: v = W(r − X d) with (H + D) d = e, where e
    /// is what their slopes miss, meets their constraints exactly, and its bound is ½ d'e below P. For
    /// where λ is so small that the rounding of a slope is no longer small beside it.
    ///
    /// `curvature` knows H between columns, where it does; `largest` bounds its diagonal.
    #[inline(never)]
    pub fn certify_by_step(
        &self,
        curvature: &dyn Fn(usize, usize) -> Option<f64>,
        largest: f64,
    ) -> Certificate {
        let (kinks, square) = self.penalties();
        let objective = 0.5 * (self.rr.max(0.0) + square) + kinks;
        let active: Vec<usize> = (0..self.beta.len())
            .filter(|&j| self.beta[j] != 0.0 || self.penalty.l1[j] == 0.0)
            .collect();
        if active.iter().any(|&j| curvature(j, j).is_none()) {
            return self.certificate(objective, f64::INFINITY);
        }
        let known = |a: usize, b: usize| curvature(a, b).unwrap_or(f64::NAN);
        let block = FreeBlock::new(active, &self.penalty.ridge, known);
        let sign = |b: f64| if b == 0.0 { 0.0 } else { b.signum() };
        let missed: Vec<f64> = (block.which.iter())
            .map(|&j| self.slope(j) - self.penalty.l1[j] * sign(self.beta[j]))
            .collect();
        let charge = block.charge(&missed, self.yy, self.w);
        let mut step = missed;
        block.solve(&mut step);
        // How far the step can move the slope of a column whose products are not known.
        let reach = (2.0 * charge * largest).sqrt();
        let zeros = (0..self.beta.len()).filter(|&j| self.beta[j] == 0.0);
        for j in zeros.filter(|&j| self.penalty.l1[j] > 0.0 && self.penalty.l1[j].is_finite()) {
            let moved = match curvature(j, j) {
                Some(_) => block.which.iter().zip(&step).map(|(&a, d)| known(j, a) * d).sum(),
                None => reach.copysign(-self.slope(j)),
            };
            let beyond = (self.slope(j) - moved).abs() > self.penalty.l1[j];
            if beyond || !f64::is_finite(moved) {
                return self.certificate(objective, f64::INFINITY);
            }
        }
        self.certificate(objective, charge)
    }
}

/// The gap of the residual itself, not as a part of the objective; infinite where a slope is beyond a penalty that has
/// no ridge.
#[inline(never)]
pub fn ridge_gap(beta: &[f64], gradient: &[f64], penalty: &Penalty) -> f64 {
    let Penalty { l1, ridge } = penalty;
    let mut sum = 0.0;
    for (j, &b) in beta.iter().enumerate().filter(|(j, _)| l1[*j].is_finite()) {
        let (g, d) = (gradient[j], ridge[j]);
        let beyond = g.abs() - l1[j];
        // Most coordinates add nothing.
        if b == 0.0 && beyond <= 0.0 {
            continue;
        }
        if beyond > 0.0 && d <= 0.0 {
            return f64::INFINITY;
        }
        sum += if beyond > 0.0 && g * b >= 0.0 {
            0.5 * (d * b.abs() - beyond).powi(2) / d
        } else {
            let conjugate = if beyond > 0.0 { 0.5 * beyond * beyond / d } else { 0.0 };
            l1[j] * b.abs() + 0.5 * d * b * b + conjugate - g * b
        };
    }
    if sum.is_finite() { sum } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One column x = 1 of weight 1, y = 2: P(b) = ½ (2 − b)² + λ|b|.
    fn at(b: f64, l1: f64, by_step: bool) -> Certificate {
        let r = 2.0 - b;
        let penalty = Penalty { l1: vec![l1], ridge: vec![0.0] };
        let point =
            Point { beta: &[b], gradient: &[r], penalty: &penalty, rr: r * r, yy: 4.0, w: 1.0 };
        if by_step {
            return point.certify_by_step(&|_, _| Some(1.0), 1.0);
        }
        let (which, slopes) = point.unpenalised();
        let charge = FreeBlock::new(which, &[0.0], |_, _| 1.0).charge(&slopes, 4.0, 1.0);
        point.certify(charge, &|_| 1.0)
    }

    #[test]
    fn the_gap_is_zero_at_the_minimum_and_bounds_the_excess_elsewhere() {
        for l1 in [0.0, 0.5, 1.9, 2.0, 3.0] {
            let best = (2.0f64 - l1).max(0.0);
            for by_step in [false, true] {
                let minimum = at(best, l1, by_step);
                assert!(minimum.gap < 1e-15, "{l1} {}", minimum.gap);
                for b in [-1.0, 0.0, 0.3, 1.0, 2.5] {
                    let c = at(b, l1, by_step);
                    let excess = c.objective - minimum.objective;
                    assert!(c.gap * c.objective.max(2e-10) >= excess - 1e-12, "{l1} {b} {by_step}");
                }
            }
        }
    }

    #[test]
    fn a_ridge_makes_the_gap_one_of_second_order() {
        // P(b) = ½ (2 − b)² + λ|b| + ½ d b², at its minimum for b = (2 − λ) / (1 + d).
        for (l1, d) in [(0.5, 0.5), (0.5, 3.0), (3.0, 0.2), (0.0, 1.0)] {
            let best = (2.0f64 - l1).max(0.0) / (1.0 + d);
            let value = |b: f64| 0.5 * (2.0 - b).powi(2) + l1 * b.abs() + 0.5 * d * b * b;
            for off in [0.0, 1e-5, -1e-5, 0.3, -1.0] {
                let (b, penalty) = (best + off, Penalty { l1: vec![l1], ridge: vec![d] });
                let gap = ridge_gap(&[b], &[2.0 - b], &penalty);
                assert!(gap >= value(b) - value(best) - 1e-15, "{l1} {d} {off}: {gap}");
                let first = if best == 0.0 { l1 * off.abs() * 3.0 } else { 0.0 };
                assert!(gap <= 40.0 * off * off + first + 1e-15, "{l1} {d} {off}: {gap}");
            }
        }
    }

    #[test]
    fn nothing_that_is_not_finite_is_certified() {
        let penalty = Penalty { l1: vec![1.0], ridge: vec![0.0] };
        for (beta, gradient, rr) in [
            (1e200, f64::INFINITY, f64::INFINITY),
            (f64::NAN, 1.0, 1.0),
            (1.0, f64::NAN, f64::NAN),
            (1e300, 1e300, 1e308),
        ] {
            let point = Point {
                beta: &[beta],
                gradient: &[gradient],
                penalty: &penalty,
                rr,
                yy: 4.0,
                w: 1.0,
            };
            for certificate in
                [point.certify(0.0, &|_| 1.0), point.certify_by_step(&|_, _| Some(1.0), 1.0)]
            {
                assert!(certificate.gap > 0.5, "{beta:e} {gradient:e} {rr:e}: {}", certificate.gap);
            }
        }
    }

    #[test]
    fn a_slope_along_what_the_fit_does_not_see_is_not_certified() {
        // Two equal columns: a slope that differs between them can fall for ever.
        let block = FreeBlock::new(vec![0, 1], &[0.0; 2], |_, _| 1.0);
        assert_eq!(block.charge(&[1e-3, -1e-3], 1.0, 1.0), f64::INFINITY);
        assert!((block.charge(&[1e-3, 1e-3], 1.0, 1.0) - 0.5e-6).abs() < 1e-12);
        let mut beta = [3.0, 1.0];
        block.shorten(&mut beta);
        assert!(beta.iter().all(|b| (b - 2.0).abs() < 1e-15), "{beta:?}");
    }

    #[test]
    fn a_perfect_fit_and_a_constant_response_are_certified() {
        assert!(at(2.0, 0.0, false).gap < 1e-15);
        let penalty = Penalty { l1: vec![1.0], ridge: vec![0.0] };
        let flat =
            Point { beta: &[0.0], gradient: &[0.0], penalty: &penalty, rr: 0.0, yy: 0.0, w: 1.0 };
        assert_eq!(flat.certify(0.0, &|_| 1.0).gap, 0.0);
    }
}
