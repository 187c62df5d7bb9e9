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
    /// The steps that were asked for are done, and did not lead far: the gradient is still a large part
    /// of what it was at the start.
    Unsettled = 5,
    /// The objective falls for ever along a direction that nothing penalises: there is no mode.
    Separated = 6,
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
    /// Its status, with a last look: nothing that is not finite has converged, whatever a certificate says.
    pub fn sound_status(&self) -> Status {
        let finite = self.status != Status::Converged || self.theta.iter().all(|t| t.is_finite());
        if finite { self.status } else { Status::NotConverged }
    }

    /// The same with something else to carry.
    pub fn carrying<B>(self, aside: B) -> Mode<B> {
        let Mode { theta, status, iterations, objective, gap, sigma, .. } = self;
        Mode { theta, status, iterations, objective, gap, sigma, aside }
    }

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
