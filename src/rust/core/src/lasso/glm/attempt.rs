//! What a solve is told, and a task with what is known of its curvature.

use super::model::{Model, Solver};
use super::task::{Data, Found, Place, Task};
use crate::engine::limits::Limits;
use crate::lasso::free::Reduced;

/// Coordinates up to which a model has all of them.
pub const FEW: usize = 64;
/// Curvature that counts as none, as a part of the reference's.
const FLAT: f64 = 1e-3;
/// The part of the error that a step leaves from which on it proves nothing.
const TOO_FAR: f64 = 0.5;

/// The model of unit weights, which all draws share.
pub struct Reference {
    pub model: Model,
    pub reduced: Option<Reduced>,
    /// Σ w l'' and Σ w where it was made.
    pub curvature: f64,
    pub weight: f64,
    /// How many weights are drawn: the more, the nearer is the curvature of a draw.
    pub units: f64,
    /// Rounds that gain little, after which a draw's own model is worth its cost.
    pub patience: u32,
}

impl Reference {
    /// Its curvature over that of a task, where nothing is fitted so well that there is hardly any.
    pub fn ratio(&self, found: &Found) -> f64 {
        let least = FLAT * self.curvature / self.weight * found.weight;
        self.curvature / found.curvature.max(least)
    }

    /// The part of its error that a step of a draw by it leaves, by the theory of random weights.
    pub fn leaves(&self, task: &Task) -> f64 {
        let moved = task.place.beta.iter().filter(|b| **b != 0.0).count();
        distance((moved + task.place.intercept.len()) as f64 + 1.0, self.units)
    }

    /// Is the draw near enough to it for its steps to say how far the minimum is?
    pub fn says_enough(&self, task: &Task) -> bool {
        self.leaves(task) < TOO_FAR
    }
}

/// How far the curvature of draws of so many weights is from that of all, as a part of it, where so many coordinates move.
pub fn distance(moved: f64, units: f64) -> f64 {
    2.0 * (moved / units).sqrt()
}

/// What a solve is told.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    pub data: &'a Data,
    pub reference: Option<&'a Reference>,
    /// Are the curvatures of all tasks made in one product? It costs the products of all columns first: not
    /// for one task alone.
    pub direct: bool,
    pub limits: Limits,
    /// Is what it ends with only a start for others? Then the end is near enough where the model says so,
    /// and nothing is proved.
    pub rough: bool,
    /// Is it always one task, never a batch of draws?
    pub alone: bool,
    /// Is it one of many lambdas that follow each other closely, so that a model serves several of them?
    pub path: bool,
    /// Loss of a fit without columns, for one unit of weight.
    pub unit: f64,
}

/// A task and what is known of its curvature.
pub struct Attempt<'a> {
    pub task: Task<'a>,
    pub own: Option<Own>,
}

/// A model of a task's own weights, and where it was made.
pub struct Own {
    pub model: Model,
    pub made_at: Place,
    pub solver: Solver,
}

impl<'a> From<Task<'a>> for Attempt<'a> {
    fn from(task: Task<'a>) -> Attempt<'a> {
        Attempt { task, own: None }
    }
}
