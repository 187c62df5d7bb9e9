//! Draws of the weighted Bayesian bootstrap: soft thresholding at λ w₀/w₁.

use crate::engine::job::Control;
use crate::engine::table::{by_rows, prior_weights};
use crate::error::Error;
use crate::random::weights::WeightPlan;
use ndarray::Array2;

/// Draws 1 … `count` of the mean of each y, a row a draw; `threshold` is λσ², that of the mode, and
/// `plan` has a row for each y.
pub fn draws(
    y: &[f64],
    threshold: &[f64],
    plan: &WeightPlan,
    count: u64,
    control: &Control,
) -> Result<Array2<f64>, Error> {
    let numbers: Vec<u64> = (1..=count).collect();
    by_rows(&numbers, y.len(), control, |&draw, line| {
        plan.draw(draw).fill(0, line);
        let mut prior = vec![0.0; prior_weights(plan, y.len())];
        plan.fill_prior(draw, &mut prior);
        // One weight for all of them, or one each.
        let of_each = prior.iter().cycle();
        for (((w, y), threshold), prior) in line.iter_mut().zip(y).zip(threshold).zip(of_each) {
            *w = soft_threshold(*y, *threshold, prior / *w);
        }
        Ok(())
    })
}

/// λ = 0 leaves y as it is, also where a weight underflows.
fn soft_threshold(y: f64, threshold: f64, ratio: f64) -> f64 {
    let size = if threshold == 0.0 { y.abs() } else { (y.abs() - threshold * ratio).max(0.0) };
    size.copysign(y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laplace::wbb_mean_random;
    use crate::random::laws::{Law, PriorWeight};

    #[test]
    fn draws_have_the_exact_mean() {
        let (y, count) = ([-1.0, 0.5, 3.0, 2.0], 20_000);
        let threshold = [2.0, 2.0, 2.0, 0.0];
        for prior in [PriorWeight::Random, PriorWeight::Coefficient] {
            let plan = WeightPlan::new(5, Law::Exponential, prior, 4);
            let table = draws(&y, &threshold, &plan, count, &Control::default()).unwrap();
            for (j, column) in table.columns().into_iter().enumerate() {
                let mean = column.sum() / count as f64;
                let variance = column.mapv(|v| (v - mean).powi(2)).sum() / count as f64;
                let exact = wbb_mean_random(y[j], threshold[j]);
                // 6 comparisons at 5 standard errors, and two that are exact.
                let bound = 5.0 * (variance / count as f64).sqrt() + 1e-12;
                assert!((mean - exact).abs() < bound, "{prior:?} {j}: {mean} {exact}");
            }
        }
    }
}
