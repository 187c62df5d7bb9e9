//! Errors of least squares.

use super::{Scheme, Simulation};
use crate::linalg::elementary::{normal, unit};
use crate::random::weights::WeightPlan;
use rand::RngCore;
use rand_chacha::ChaCha8Rng;

/// Errors, divided by the root of the case weight: a row of weight 4 is as exact as the mean of four.
pub struct Errors {
    /// Of each row: what an error of standard deviation σ is multiplied by.
    scale: Vec<f64>,
    law: Law,
}

enum Law {
    Normal(f64),
    /// One of these.
    Residuals(Vec<f64>),
}

impl Errors {
    pub fn new(simulation: &Simulation, plan: &WeightPlan) -> Errors {
        let Simulation { residuals, sigma, scheme, .. } = simulation;
        let case = |i: usize| plan.case(i);
        let root = |i: usize| if case(i) > 0.0 { case(i).sqrt() } else { 1.0 };
        let law = match scheme {
            Scheme::Residual => {
                let rows = (0..residuals.len()).filter(|&i| case(i) > 0.0);
                Law::Residuals(spread(rows.map(|i| root(i) * residuals[i]), *sigma))
            }
            _ => Law::Normal(*sigma),
        };
        Errors { scale: (0..plan.rows()).map(|i| 1.0 / root(i)).collect(), law }
    }

    /// A response about these fitted values.
    pub fn about(&self, fitted: &[f64], rng: &mut ChaCha8Rng) -> Vec<f64> {
        let error = |rng: &mut ChaCha8Rng| match &self.law {
            Law::Normal(sigma) => sigma * normal(uniform(rng), uniform(rng)),
            Law::Residuals(all) => all[index(rng, all.len())],
        };
        fitted.iter().zip(&self.scale).map(|(f, s)| f + s * error(rng)).collect()
    }
}

/// Residuals about their mean, of standard deviation σ: those of a fit are smaller than the errors.
fn spread(residuals: impl Iterator<Item = f64>, sigma: f64) -> Vec<f64> {
    let mut all: Vec<f64> = residuals.collect();
    let count = all.len() as f64;
    let mean = all.iter().sum::<f64>() / count;
    all.iter_mut().for_each(|r| *r -= mean);
    let sd = (all.iter().map(|r| r * r).sum::<f64>() / count).sqrt();
    let scale = if sd > 0.0 { sigma / sd } else { 0.0 };
    all.iter_mut().for_each(|r| *r *= scale);
    all
}

/// In (0, 1).
pub fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    unit(rng.next_u64().to_le_bytes())
}

/// One of `count`, all with the same chance.
pub fn index(rng: &mut ChaCha8Rng, count: usize) -> usize {
    ((uniform(rng) * count as f64) as usize).min(count - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::laws::{self, PriorWeight};
    use crate::random::streams::random_stream;

    /// Standard deviation of the errors of a row over many draws.
    fn sd(scheme: Scheme, case: f64) -> f64 {
        let plan = WeightPlan::new(1, laws::Law::Ones, PriorWeight::Fixed, 50);
        let plan = plan.with_case_weights(vec![case; 50]).unwrap();
        let simulation = Simulation {
            scheme,
            truths: vec![],
            sigma: 3.0,
            residuals: (0..50).map(|i| f64::from(i % 7) - 1.5).collect(),
            replicates: 0,
            draws: 0,
            seed: 1,
        };
        let errors = Errors::new(&simulation, &plan);
        let mut rng = random_stream(1, b"a test of the responses ", 0);
        let mut squares = 0.0;
        for _ in 0..2000 {
            let y = errors.about(&[1.5; 50], &mut rng);
            squares += y.iter().map(|v| (v - 1.5).powi(2)).sum::<f64>();
        }
        (squares / 1e5).sqrt()
    }

    #[test]
    fn errors_have_the_deviation_of_the_fit() {
        // 100,000 errors: σ̂ is within 5 of its standard errors, σ/√2n at most (false alarm 6e-7 each).
        for scheme in [Scheme::Parametric, Scheme::Residual] {
            for case in [1.0, 4.0] {
                let sigma = 3.0 / f64::sqrt(case);
                let bound = 5.0 * sigma / f64::sqrt(2e5);
                assert!((sd(scheme, case) - sigma).abs() < bound, "{scheme:?} {case}");
            }
        }
    }
}
