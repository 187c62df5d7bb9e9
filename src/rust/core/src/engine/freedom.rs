//! What weighted residuals say of the errors, once the fit has had its share.

use crate::random::weights::WeightPlan;

/// Weights that are enough to know how unequal those of a law are.
pub const SAMPLE: usize = 2000;

/// How unequal the weights of a draw are: what its residuals say of σ depends on it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spread {
    /// Rows with weight, Σw and Σw².
    pub rows: usize,
    pub total: f64,
    pub squares: f64,
}

impl Spread {
    pub fn of(weights: &[f64]) -> Spread {
        let mut spread = Spread::default();
        for &w in weights {
            spread.rows += usize::from(w > 0.0);
            spread.total += w;
            spread.squares += w * w;
        }
        spread
    }

    /// Of the draws of a plan, from some weights of the first few, whichever draws are asked for: for
    /// estimators that do not hold the weights of a draw.
    pub fn of_draws(plan: &WeightPlan) -> Spread {
        let rows = plan.rows().clamp(1, SAMPLE);
        let mut weights = vec![0.0; rows * SAMPLE.div_ceil(rows)];
        for (k, part) in weights.chunks_exact_mut(rows).enumerate() {
            plan.draw(k as u64 + 1).fill(0, part);
        }
        // As unequal as these, on as many rows as there are.
        Spread::of(&weights).times(plan.rows() as f64 / weights.len() as f64)
    }

    /// So many times these weights.
    pub fn times(&self, times: f64) -> Spread {
        Spread {
            rows: (self.rows as f64 * times).round() as usize,
            total: self.total * times,
            squares: self.squares * times,
        }
    }

    /// Weights as unequal, with another sum.
    pub fn with_total(&self, total: f64) -> Spread {
        let scale = if self.total > 0.0 { total / self.total } else { 0.0 };
        Spread { rows: self.rows, total, squares: self.squares * scale * scale }
    }

    pub fn residual_sd(&self, squares: f64, df: f64) -> f64 {
        residual_sd(squares, self.rows, self.total, self.squares, df)
    }
}

/// σ from the weighted sum of squared residuals of a fit of `df` coefficients by the same weights.
///
/// A linear smoother with leverages hᵢ, Σ hᵢ = df, has E Σ w r² = σ² (Σw − Σ wᵢ hᵢ), and rows of
/// large weight have large leverage: to first order Σ wh = df Σw² / Σw, that is df for equal
/// weights and 2 df for exponential ones. The second order is smaller, but columns and knots that
/// were chosen by the same data take up more than they count for, and intervals for new rows then
/// cover best with the first (tests/trend_prediction.rs, and test-predict.R for the lasso). It must not run away where df is near
/// half of n: what is left is at least half of what leverages h = κw / (1 + κw) leave, which is,
/// for weights of squared coefficient of variation v as of a gamma law and to second order in ρ =
/// df / n, Σw (1 − (1 − v) ρ)^((1 + v) / (1 − v)): n − df for equal weights, n exp(−2 df / n) for
/// exponential ones. One row at least is left over: df counts as n − 1 at most. Never less than
/// √(squares / Σw), never infinite.
pub fn residual_sd(squares: f64, rows: usize, total: f64, square_weight: f64, df: f64) -> f64 {
    let n = rows as f64;
    if n < 1.0 || total <= 0.0 {
        return 0.0;
    }
    let share = (df / n).clamp(0.0, 1.0 - 1.0 / n);
    let v = (n * (square_weight / total) / total - 1.0).max(0.0);
    let leverages = if (v - 1.0).abs() < 1e-6 {
        libm::exp(-2.0 * share)
    } else {
        libm::pow(1.0 - (1.0 - v) * share, (1.0 + v) / (1.0 - v))
    };
    let left = (1.0 - (1.0 + v) * share).max(0.5 * leverages);
    (squares / total / left).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::laws::{Law, PriorWeight};

    #[test]
    fn sigma_counts_degrees_of_freedom() {
        let equal = Spread::of(&[2.0; 30]);
        // Weights of two: Σ w r² = 2 Σ r².
        assert!((equal.residual_sd(2.0 * 45.0, 10.0).powi(2) - 45.0 / 20.0).abs() < 1e-12);
        // Exponential weights: n − 2 df, but at least half of what one mean for each group of m
        // rows leaves, E Σ_g (S − Q/S) = n (m − 1) / (m + 1).
        let left = |m: f64| 1.0 / residual_sd(1.0, 600, 600.0, 1200.0, 600.0 / m).powi(2) / 600.0;
        for m in [3.0, 5.0, 10.0, 100.0] {
            assert!((left(m) - (1.0 - 2.0 / m)).abs() < 1e-12, "{m}");
        }
        assert!((left(2.0) - 0.5 / 3.0).abs() < 0.02, "{}", left(2.0));
        // Near v = 1 the two formulas meet.
        let near = |q: f64| residual_sd(1.0, 100, 100.0, q, 60.0);
        assert!((near(200.0) / near(200.01) - 1.0).abs() < 1e-4);
    }

    #[test]
    fn sigma_is_finite_and_at_least_the_plain_one_whatever_the_counts() {
        for weights in [vec![1.0; 5], vec![0.0, 3.0, 0.0], vec![1e-300, 1e5, 1.0], vec![1e-200; 4]]
        {
            let spread = Spread::of(&weights);
            for df in [0.0, 1.0, 2.5, 5.0, 1e6] {
                let sigma = spread.residual_sd(spread.total, df);
                assert!(sigma.is_finite() && sigma >= 1.0 - 1e-12, "{weights:?} {df} {sigma}");
            }
        }
        assert_eq!(Spread::of(&[0.0]).residual_sd(0.0, 1.0), 0.0);
    }

    #[test]
    fn the_draws_of_a_plan_are_as_unequal_as_their_law() {
        // Of 2000 exponential weights Σw²/n has standard deviation 0.1, Σw/n 0.022: v is within 5 sd
        // of 1.
        for rows in [7, 300, 50_000] {
            let plan = WeightPlan::new(3, Law::Exponential, PriorWeight::Fixed, rows);
            let spread = Spread::of_draws(&plan).with_total(5.0);
            let v = rows as f64 * spread.squares / 25.0 - 1.0;
            assert!(spread.rows == rows && (v - 1.0).abs() < 0.6, "{rows} {v}");
        }
    }
}
