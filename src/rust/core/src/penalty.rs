//! The elastic-net penalty Σ λⱼ|βⱼ| + ½ Σ dⱼ βⱼ² on standardised coefficients, and its threshold.

/// The strengths of one problem: λⱼ (∞ excludes a coordinate) and dⱼ.
#[derive(Clone, Debug, Default)]
pub struct Penalty {
    pub l1: Vec<f64>,
    pub ridge: Vec<f64>,
}

impl Penalty {
    pub fn none(size: usize) -> Penalty {
        Penalty { l1: vec![0.0; size], ridge: vec![0.0; size] }
    }

    /// Keep coordinate j at zero.
    pub fn exclude(&mut self, j: usize) {
        (self.l1[j], self.ridge[j]) = (f64::INFINITY, 0.0);
    }

    /// Of these coordinates alone.
    pub fn of(&self, which: &[u32]) -> Penalty {
        let take = |v: &[f64]| which.iter().map(|&j| v[j as usize]).collect();
        Penalty { l1: take(&self.l1), ridge: take(&self.ridge) }
    }

    /// Divided by a positive number.
    pub fn scaled(&self, by: f64) -> Penalty {
        let scaled = |v: &[f64]| v.iter().map(|v| v * by).collect();
        Penalty { l1: scaled(&self.l1), ridge: scaled(&self.ridge) }
    }
}

/// What the penalty of each coordinate is for λ = 1: the user's factors on the scale of the solver.
///
/// Columns are always scaled inside, and so is y; the penalty follows the scale that the user chose.
/// The squared term is divided by the scale of y, as in glmnet: both terms then grow with λ alike,
/// whatever the units of y.
#[derive(Clone, Debug)]
pub struct Factors {
    l1: Vec<f64>,
    ridge: Vec<f64>,
    alpha: f64,
}

impl Factors {
    /// `user` are the user's factors, `chosen` the scales that the penalty is to see, `scale` those of
    /// the solver (∞: a column that says nothing), `response` the scale of y.
    pub fn new(
        user: &[f64],
        chosen: impl Fn(usize) -> f64,
        scale: &[f64],
        response: f64,
        alpha: f64,
    ) -> Factors {
        let mut out = Factors { l1: Vec::new(), ridge: Vec::new(), alpha };
        for (j, (factor, scale)) in user.iter().zip(scale).enumerate() {
            let ratio = chosen(j) / scale;
            let unit = factor * ratio / response;
            out.l1.push(if scale.is_finite() { unit } else { f64::INFINITY });
            out.ridge.push(unit * ratio);
        }
        out
    }

    pub fn size(&self) -> usize {
        self.l1.len()
    }

    /// λⱼ at λ = 1 and α = 1; infinite for a column that says nothing.
    pub fn unit(&self, j: usize) -> f64 {
        self.l1[j]
    }

    /// Keep coordinate j at zero, whatever λ.
    pub fn exclude(&mut self, j: usize) {
        self.l1[j] = f64::INFINITY;
    }

    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The penalty at λ; `prior` is one weight, or one for each coordinate.
    pub fn fill(&self, lambda: f64, prior: &[f64], out: &mut Penalty) {
        for j in 0..self.size() {
            if self.l1[j].is_infinite() {
                out.exclude(j);
                continue;
            }
            let strength = lambda * prior[j.min(prior.len() - 1)];
            out.l1[j] = strength * self.alpha * self.l1[j];
            out.ridge[j] = (strength * (1.0 - self.alpha) * self.ridge[j]).min(1e300);
        }
    }
}

/// argmin ½ h b² − z b + λ|b|.
#[inline(always)]
pub fn soft_threshold(z: f64, l1: f64, curvature: f64) -> f64 {
    let size = z.abs() - l1;
    if size > 0.0 { size.copysign(z) / curvature } else { 0.0 }
}

/// The same in single precision.
#[inline(always)]
pub fn soft_threshold_single(z: f32, l1: f32, curvature: f32) -> f32 {
    let size = z.abs() - l1;
    if size > 0.0 { size.copysign(z) / curvature } else { 0.0 }
}

/// The minimum in one coordinate of a lasso, whose column has this square and, at `old`, this slope.
#[inline(always)]
pub fn step(old: f64, slope: f64, square: f64, l1: f64, ridge: f64) -> f64 {
    let curvature = square + ridge;
    soft_threshold(curvature.mul_add(old, (-ridge).mul_add(old, slope)), l1, curvature)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_penalty_does_not_depend_on_units() {
        // y in other units: λ with it, and the standardised penalty stays.
        let at = |response: f64, lambda: f64| {
            let factors = Factors::new(&[1.0, 2.0], |_| 3.0, &[3.0, 3.0], response, 0.3);
            let mut penalty = Penalty::none(2);
            factors.fill(lambda, &[1.0], &mut penalty);
            (penalty.l1, penalty.ridge)
        };
        let ((l1, ridge), (other_l1, other_ridge)) = (at(2.0, 5.0), at(2000.0, 5000.0));
        for (a, b) in l1.iter().chain(&ridge).zip(other_l1.iter().chain(&other_ridge)) {
            assert!((a / b - 1.0).abs() < 1e-14);
        }
        assert_eq!((l1[1], ridge[1]), (2.0 * l1[0], 2.0 * ridge[0]));
    }

    #[test]
    fn thresholds_minimise() {
        assert_eq!(soft_threshold(3.0, 1.0, 2.0), 1.0);
        assert_eq!(soft_threshold(-3.0, 1.0, 2.0), -1.0);
        assert_eq!(soft_threshold(0.5, 1.0, 2.0), 0.0);
        assert_eq!(soft_threshold_single(-3.0, 1.0, 2.0), -1.0);
    }
}
