//! Equal mixtures of normal distributions: what the draws of a regression say of a new response.

use crate::linalg::normal::{TAU_ROOT, local};

/// Components N(centre, sigma²), one a draw.
pub struct Mixture<'a> {
    pub centre: &'a [f64],
    pub sigma: &'a [f64],
}

/// A probability with the normal quantile that every search for one of a mixture begins from.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    pub p: f64,
    z: f64,
}

impl Level {
    /// By bisection: there are two levels in a whole prediction.
    pub fn new(p: f64) -> Level {
        let (mut lower, mut upper) = (-40.0, 40.0);
        for _ in 0..STEPS {
            let middle = 0.5 * (lower + upper);
            if normal_mass(middle) < p {
                lower = middle;
            } else {
                upper = middle;
            }
        }
        Level { p, z: 0.5 * (lower + upper) }
    }
}

/// Steps after which rounding alone can keep a bracket open.
const STEPS: usize = 200;
/// Of a quantile, relative to the components'.
const TOLERANCE: f64 = 1e-10;
/// A step as short as this, in the smallest standard deviation, leaves an error of its third power.
const LAST_STEP: f64 = 1e-4;

impl Mixture<'_> {
    /// A draw that fits perfectly is a point mass; zero would give 0/0 at that point.
    fn components(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let sigma = self.sigma.iter().map(|s| s.max(f64::MIN_POSITIVE));
        self.centre.iter().copied().zip(sigma)
    }

    /// The quantiles at some levels, by Halley's steps (of third order) kept inside a bracket. The quantiles
    /// of the components bracket that of the mixture; the normal distribution with its mean and variance
    /// is the start.
    pub fn quantiles(&self, levels: &[Level]) -> Vec<f64> {
        let count = self.centre.len() as f64;
        let scales: Vec<f64> = self.components().map(|(_, s)| 1.0 / s).collect();
        let smallest = self.components().fold(f64::INFINITY, |least, (_, s)| least.min(s));
        let middle = self.centre.iter().sum::<f64>() / count;
        let square: f64 = self.components().map(|(c, s)| (c - middle) * (c - middle) + s * s).sum();
        let spread = (square / count).sqrt();
        let mut room = vec![0.0; 3 * self.centre.len()];
        let mut search = |&Level { p, z }: &Level| {
            let of_components = || self.components().map(|(c, s)| c + z * s);
            let mut lower = of_components().fold(f64::INFINITY, f64::min);
            let mut upper = of_components().fold(f64::NEG_INFINITY, f64::max);
            let tolerance = TOLERANCE * lower.abs().max(upper.abs());
            let mut at = (middle + z * spread).clamp(lower, upper);
            for _ in 0..STEPS {
                let here = local(at, self.centre, &scales, &mut room);
                let excess = here.mass - p;
                if excess > 0.0 {
                    upper = at;
                } else {
                    lower = at;
                }
                let newton = excess / here.density;
                let bend = 1.0 - 0.5 * newton * here.slope / here.density;
                let step = newton / if bend.is_finite() { bend.clamp(0.5, 2.0) } else { 1.0 };
                let inside = step.is_finite() && (lower..=upper).contains(&(at - step));
                let next = if inside { at - step } else { lower + (upper - lower) / 2.0 };
                let moved = (next - at).abs();
                at = next;
                if moved <= tolerance || (inside && moved <= LAST_STEP * smallest) {
                    break;
                }
            }
            at
        };
        levels.iter().map(&mut search).collect()
    }

    /// Of one component.
    pub fn log_density_of(&self, component: usize, y: f64) -> f64 {
        let sigma = self.sigma[component].max(f64::MIN_POSITIVE);
        let z = (y - self.centre[component]) / sigma;
        -0.5 * z * z - libm::log(sigma * TAU_ROOT)
    }

    /// Of the mixture; the largest component leads, so that nothing overflows.
    pub fn log_density(&self, y: f64) -> f64 {
        let logs = || (0..self.centre.len()).map(|k| self.log_density_of(k, y));
        let top = logs().fold(f64::NEG_INFINITY, f64::max);
        if top == f64::NEG_INFINITY {
            return top;
        }
        let sum: f64 = logs().map(|l| libm::exp(l - top)).sum();
        top + libm::log(sum / self.centre.len() as f64)
    }
}

fn normal_mass(z: f64) -> f64 {
    0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_one_component_are_those_of_the_normal_distribution() {
        // R 4.2: qnorm(c(0.025, 0.5, 0.999)).
        for (p, z) in [(0.025, -1.959963984540054), (0.5, 0.0), (0.999, 3.090232306167813)] {
            let at = Mixture { centre: &[3.0], sigma: &[2.0] }.quantiles(&[Level::new(p)])[0];
            assert!((at - (3.0 + 2.0 * z)).abs() < 1e-9, "{p}: {at}");
        }
    }

    #[test]
    fn a_quantile_has_its_mass_below() {
        let centre = [-3.0, 0.0, 0.5, 10.0];
        let sigma = [0.1, 3.0, 0.0, 1.0];
        for p in [0.001, 0.2, 0.7, 0.9, 0.999] {
            let mixture = Mixture { centre: &centre, sigma: &sigma };
            let at = mixture.quantiles(&[Level::new(p)])[0];
            let below = |at: f64| {
                mixture.components().map(|(c, s)| normal_mass((at - c) / s)).sum::<f64>() / 4.0
            };
            assert!(below(at - 1e-6) <= p + 1e-9 && below(at + 1e-6) >= p - 1e-9, "{p}: {at}");
        }
    }

    #[test]
    fn draws_that_all_fit_perfectly_are_a_point() {
        let mixture = Mixture { centre: &[2.0, 2.0], sigma: &[0.0, 0.0] };
        assert!((mixture.quantiles(&[Level::new(0.9)])[0] - 2.0).abs() < 1e-12);
        assert_eq!(mixture.log_density(3.0), f64::NEG_INFINITY);
    }
}
