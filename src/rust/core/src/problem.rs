//! What an estimator must know, and what it gives back.

use crate::error::Error;
use crate::parallel::{Control, Stage};

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

/// The minimiser of one weighted problem with its certificate.
#[derive(Clone, Debug)]
pub struct Mode {
    pub theta: Vec<f64>,
    pub status: Status,
    pub iterations: u32,
    pub objective: f64,
    /// Duality gap relative to the objective; of a network, the norm of the gradient.
    pub gap: f64,
    /// Weighted root mean square of the residuals.
    pub sigma: f64,
}

/// A weighted, penalised problem: Σ wᵢ lᵢ(θ) + w₀ λ φ(θ).
///
/// A problem may solve the draws of a batch together; what it returns for a draw must not depend on
/// its neighbours in the batch.
pub trait WeightedProblem: Sync {
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
    fn solve(&self, draws: &[u64], control: &Control) -> Result<Vec<Mode>, Error>;
}
