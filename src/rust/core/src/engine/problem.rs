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
        for &w in weights.iter().filter(|w| **w > 0.0) {
            spread.rows += 1;
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
/// A linear smoother has E Σ w r² = σ² (Σw − Σ wᵢ hᵢ), hᵢ its leverages, Σ hᵢ = df. Rows of large weight have large
/// leverage: hᵢ = κwᵢ / (1 + κwᵢ), with κ such that they sum to df. To second order in the share ρ = df / n, for weights of
/// squared coefficient of variation v as of a gamma law, Σw − Σ wh = Σw (1 − (1 − v) ρ)^((1 + v) / (1 − v)): that is
/// n − df for equal weights, and n exp(−2 df / n) for exponential ones, where the first order, n − 2 df, is far too small
/// once df is a third of n. One row at least is left over to measure σ by: df counts as n − 1 at most. Never less than
/// √(squares / Σw), never infinite.
pub fn residual_sd(squares: f64, rows: usize, total: f64, square_weight: f64, df: f64) -> f64 {
    let n = rows as f64;
    if !(total > 0.0) {
        return 0.0;
    }
    let share = (df / n).clamp(0.0, 1.0 - 1.0 / n);
    let v = (n * (square_weight / total) / total - 1.0).max(0.0);
    let left = if (v - 1.0).abs() < 1e-6 {
        libm::exp(-2.0 * share)
    } else {
        libm::pow(1.0 - (1.0 - v) * share, (1.0 + v) / (1.0 - v))
    };
    (squares / total / left).sqrt()
}
