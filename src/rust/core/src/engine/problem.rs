//! What an estimator must know, and what it gives back.

use super::job::{Control, Stage};
use crate::error::Error;

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The certificate is within the tolerance.
    Converged = 0,
    /// The iteration limit, or the limit of double precision, came first; the gap says how far.
    NotConverged = 1,
    /// All weights of the draw are zero: only the penalty spoke.
    Empty = 2,
    /// The steps that were asked for are done; the gradient says how near a minimum they led.
    Finished = 3,
    /// Not a number: there is no solution to speak of.
    Diverged = 4,
}

/// The minimiser of one weighted problem with its certificate, and what else it carries.
#[derive(Clone, Debug)]
pub struct Mode<A = ()> {
    pub theta: Vec<f64>,
    pub status: Status,
    pub iterations: u32,
    pub objective: f64,
    /// Duality gap relative to the objective; NaN where no bound is known.
    pub gap: f64,
    /// Residual standard deviation; NaN where there are no residuals.
    pub sigma: f64,
    /// What the estimator has to say of a mode besides θ: knots, a network.
    pub aside: A,
}

impl<A> Mode<A> {
    /// The mode of a draw without any weight: only the penalty speaks.
    pub fn empty(theta: Vec<f64>, aside: A) -> Mode<A> {
        Mode {
            theta,
            status: Status::Empty,
            iterations: 0,
            objective: 0.0,
            gap: 0.0,
            sigma: 0.0,
            aside,
        }
    }
}

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

    pub fn residual_sd(&self, squares: f64, df: f64) -> f64 {
        residual_sd(squares, self.rows, self.total, self.squares, df)
    }
}

/// A weighted, penalised problem: Σ wᵢ lᵢ(θ) + w₀ λ φ(θ).
///
/// A problem may solve the draws of a batch together; what it returns for a draw must not depend on
/// its neighbours in the batch.
pub trait WeightedProblem: Sync {
    /// What a mode carries besides θ.
    type Aside: Send;

    /// Numbers in each mode.
    fn dimension(&self) -> usize;

    /// Modes of each draw (the lambdas of a path).
    fn modes(&self) -> usize {
        1
    }

    /// Draws that are best solved together.
    fn batch(&self) -> usize {
        1
    }

    /// What the progress of the draws is called, and the units of it in each. A problem whose draws
    /// have more than one advances them itself.
    fn progress(&self) -> (Stage, u64) {
        (Stage::Draws, 1)
    }

    /// All modes of these draws, draw after draw; draws count from 1.
    fn solve(&self, draws: &[u64], control: &Control) -> Result<Vec<Mode<Self::Aside>>, Error>;
}

/// σ from the weighted sum of squared residuals of a fit of `df` coefficients by the same weights.
///
/// A linear smoother with leverages hᵢ, Σ hᵢ = df, has E Σ w r² = σ² (Σw − Σ wᵢ hᵢ), and rows of
/// large weight have large leverage: to first order Σ wh = df Σw² / Σw, that is df for equal
/// weights and 2 df for exponential ones. The second order is smaller, but columns and knots that
/// were chosen by the same data take up more than they count for, and intervals for new rows then
/// cover best with the first (tests/trend_prediction.rs). It must not run away where df is near
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
}
