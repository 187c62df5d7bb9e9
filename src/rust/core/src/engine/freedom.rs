//! How much of the errors' variance a fit leaves in its weighted residuals.
//!
//! A least-squares fit of d coefficients under weights w leaves E Σ w r² = σ² Σ wᵢ (1 − ℓᵢ), where the
//! leverages ℓᵢ sum to d. Leaving a row out, ℓᵢ = wᵢ hᵢ / (1 + wᵢ hᵢ), and with more than a handful of
//! rows the hᵢ hardly differ: one h that makes the leverages sum to d gives the share of the variance
//! that is left. Unit weights give the usual 1 − d/n; random ones leave less, because the rows with the
//! most weight are fitted best (Exp(1): 1 − 2d/n for small d).

use crate::random::weights::WeightPlan;
use std::sync::Mutex;
use std::sync::PoisonError;

/// Weights that are enough to know their law.
const SAMPLE: usize = 2000;
/// Case weights that are looked at, of more than that some.
const MANY: usize = 100_000;
/// The least share: a fit with as many coefficients as rows says nothing of the errors.
const LEAST: f64 = 0.02;

pub struct Freedom {
    weights: Vec<f64>,
    /// Weights of the sample for each row of the data.
    density: f64,
    /// Shares found so far, by degrees of freedom.
    known: Mutex<Vec<(f64, f64)>>,
}

impl Freedom {
    /// Of draws: some weights of the first few, whichever draws are asked for.
    pub fn of_draws(plan: &WeightPlan) -> Freedom {
        let rows = plan.rows().clamp(1, SAMPLE);
        let draws = SAMPLE.div_ceil(rows);
        let mut weights = vec![0.0; rows * draws];
        for (k, part) in weights.chunks_exact_mut(rows).enumerate() {
            plan.draw(k as u64 + 1).fill(0, part);
        }
        Freedom::new(weights, plan)
    }

    /// Of the mode: the user's own weights.
    pub fn of_mode(plan: &WeightPlan) -> Freedom {
        let step = plan.rows().div_ceil(MANY).max(1);
        Freedom::new((0..plan.rows()).step_by(step).map(|i| plan.case(i)).collect(), plan)
    }

    fn new(weights: Vec<f64>, plan: &WeightPlan) -> Freedom {
        let density = weights.len() as f64 / plan.rows().max(1) as f64;
        Freedom { weights, density, known: Mutex::default() }
    }

    /// The residual standard deviation of a fit of `df` coefficients: Σ w r² and Σ w are given.
    pub fn sigma(&self, squares: f64, weight: f64, df: f64) -> f64 {
        if weight > 0.0 { (squares / (weight * self.share(df))).sqrt() } else { 0.0 }
    }

    /// Σ wᵢ (1 − ℓᵢ) / Σ wᵢ.
    fn share(&self, df: f64) -> f64 {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&(_, share)) = known.iter().find(|(d, _)| *d == df) {
            return share;
        }
        let share = self.find_share(df);
        known.push((df, share));
        share
    }

    fn find_share(&self, df: f64) -> f64 {
        let positive = self.weights.iter().filter(|w| **w > 0.0).count() as f64;
        let (wanted, total) = (df * self.density, self.weights.iter().sum::<f64>());
        if df <= 0.0 || total <= 0.0 {
            return 1.0;
        }
        let sum = |f: &dyn Fn(f64) -> f64| self.weights.iter().map(|w| f(*w)).sum::<f64>();
        let leverage = |h: f64| sum(&|w| w * h / (1.0 + w * h));
        if wanted >= positive {
            return LEAST;
        }
        // Leverages rise with h: double it until they are enough, then halve the interval.
        let mean = total / positive;
        let (mut low, mut high) = (0.0, 1.0 / mean);
        while leverage(high) < wanted && high < 1e12 / mean {
            (low, high) = (high, 2.0 * high);
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if leverage(middle) < wanted { low = middle } else { high = middle }
        }
        (sum(&|w| w / (1.0 + w * high)) / total).max(LEAST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::laws::{Law, PriorWeight};

    #[test]
    fn unit_weights_have_the_usual_degrees_of_freedom() {
        let plan = WeightPlan::new(1, Law::Ones, PriorWeight::Fixed, 30);
        for freedom in [Freedom::of_draws(&plan), Freedom::of_mode(&plan)] {
            for df in [0.0, 1.0, 10.0, 25.0] {
                assert!((freedom.share(df) - (1.0 - df / 30.0)).abs() < 1e-9, "{df}");
            }
            assert_eq!(freedom.share(40.0), LEAST);
            assert!((freedom.sigma(40.0, 30.0, 10.0) - 2f64.sqrt()).abs() < 1e-9);
        }
    }

    #[test]
    fn exponential_weights_leave_less() {
        // For small d the share is 1 − 2d/n; its derivative E w² = 2 is estimated from 2000 weights whose
        // squares have variance 20: within 5 sd (0.5) of 2.
        let plan = WeightPlan::new(1, Law::Exponential, PriorWeight::Fixed, 4000);
        let share = Freedom::of_draws(&plan).share(40.0);
        assert!((share - 0.98).abs() < 0.005, "{share}");
        let more = Freedom::of_draws(&plan).share(1500.0);
        assert!(more < 1.0 - 1500.0 / 4000.0 && more > 0.1, "{more}");
    }
}
