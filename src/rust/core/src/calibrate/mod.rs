//! Do the intervals cover? The bootstrap run on data simulated from a fit, whose truth is known (MATH 10).
//!
//! Replicate r has a response of its own and weights of its own, both functions of (seed, r) alone;
//! the design is shared where rows stay in their order. Of the draws of a replicate nothing is kept but where the truth lies among
//! them, which says for every level at once whether the interval covers: Newton's (1991) prepivoting.
//!
//! Replicates run in parallel, the draws of each one after another.

mod counts;
mod errors;
mod lasso;
mod pairs;
mod place;
mod response;
mod survival;

use crate::engine::job::{Control, Stage, for_each};
use crate::engine::problem::{Status, WeightedProblem};
use crate::error::Error;
use crate::random::streams::random_stream;
use crate::random::weights::WeightPlan;
use crate::trendfilter::{TrendFilter, TrendOptions};
use errors::Errors;
pub use lasso::{Original, lasso};
use ndarray::{Array2, ShapeBuilder};
use place::Place;
use rand::RngCore;
use rand_chacha::ChaCha8Rng;
use std::sync::{Mutex, PoisonError};

/// How data are simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Responses of the family about the fitted values.
    Parametric,
    /// The fit's own residuals about them, drawn with replacement.
    Residual,
    /// Rows (or whole clusters) drawn with replacement.
    Pairs,
}

impl Scheme {
    pub fn new(name: &str) -> Result<Scheme, Error> {
        match name {
            "parametric" => Ok(Scheme::Parametric),
            "residual" => Ok(Scheme::Residual),
            "pairs" => Ok(Scheme::Pairs),
            _ => Err(Error::argument("scheme", format!("there is no scheme \"{name}\""))),
        }
    }
}

/// What is simulated from, and how often.
pub struct Simulation {
    pub scheme: Scheme,
    /// What the intervals are to cover, a number for each coefficient: one truth for all replicates, or one each.
    pub truths: Vec<Vec<f64>>,
    /// Of an error where the case weight is 1.
    pub sigma: f64,
    /// What the fit left, for errors that are drawn from it.
    pub residuals: Vec<f64>,
    pub replicates: usize,
    /// In each of them.
    pub draws: u64,
    pub seed: u64,
}

impl Simulation {
    fn truth(&self, replicate: usize) -> &[f64] {
        let at = replicate % self.truths.len().max(1);
        self.truths.get(at).map_or(&[], Vec::as_slice)
    }
}

/// Where the truth lies among the draws of each replicate.
pub struct Coverage {
    /// By replicate and coefficient: the smallest and the largest probability whose quantile of the draws
    /// is the truth; NaN without draws.
    pub first: Array2<f64>,
    pub last: Array2<f64>,
    /// How many standard deviations of the draws the truth lies above their mean, and that mean.
    pub root: Array2<f64>,
    pub mean: Array2<f64>,
    /// Of each replicate: its lambda, and the draws that have no solution.
    pub lambda: Vec<f64>,
    pub failed: Vec<u32>,
}

/// Of a trend filter; `fitted` is what the truth says of each row.
pub fn trendfilter(
    x: &[f64],
    y: Vec<f64>,
    plan: WeightPlan,
    options: TrendOptions,
    fitted: &[f64],
    simulation: &Simulation,
    control: &Control,
) -> Result<Coverage, Error> {
    control.begin(Stage::Mode, 1);
    if simulation.scheme == Scheme::Pairs {
        let text = "must not be \"pairs\": a trend has its points given";
        return Err(Error::argument("scheme", text.into()));
    }
    let errors = Errors::new(simulation, &plan);
    let whole = TrendFilter::new(x, y, plan, options, &control.within())?;
    run(simulation, control, &|_, rng, control| {
        let seed = rng.next_u64();
        let filter = whole.with_response(errors.about(fitted, rng), seed, control)?;
        Ok((filter.lambda[0], filter))
    })
}

/// Data simulated from a truth: their lambda and their problem.
type Maker<'a, P> =
    dyn Fn(&[f64], &mut ChaCha8Rng, &Control) -> Result<(f64, P), Error> + Sync + 'a;

/// Every replicate; `make` simulates its data from its truth and gives its lambda and its problem.
fn run<P: WeightedProblem>(
    simulation: &Simulation,
    control: &Control,
    make: &Maker<P>,
) -> Result<Coverage, Error> {
    let (count, size) = (simulation.replicates, simulation.truth(0).len());
    control.begin(Stage::Replicates, count as u64);
    let coverage = Mutex::new(Coverage {
        first: Array2::zeros((count, size).f()),
        last: Array2::zeros((count, size).f()),
        root: Array2::zeros((count, size).f()),
        mean: Array2::zeros((count, size).f()),
        lambda: vec![0.0; count],
        failed: vec![0; count],
    });
    let replicates: Vec<usize> = (0..count).collect();
    let name = |r: &usize| format!("in replicate {}", r + 1);
    for_each(&replicates, control, name, |&r| {
        let within = control.within();
        let mut rng = random_stream(simulation.seed, b"wbb calibration, rev 1  ", r as u64);
        let truth = simulation.truth(r);
        let (lambda, problem) = make(truth, &mut rng, &within)?;
        let (places, failed) = places(&problem, truth, simulation.draws, &within)?;
        let mut coverage = coverage.lock().unwrap_or_else(PoisonError::into_inner);
        for (j, place) in places.iter().enumerate() {
            (coverage.first[[r, j]], coverage.last[[r, j]]) = place.probabilities();
            coverage.root[[r, j]] = place.root();
            coverage.mean[[r, j]] = place.mean();
        }
        (coverage.lambda[r], coverage.failed[r]) = (lambda, failed);
        drop(coverage);
        control.advance(1);
        Ok(())
    })?;
    Ok(coverage.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Where the truth lies among the draws of a problem, and how many have no solution.
fn places<P: WeightedProblem>(
    problem: &P,
    truth: &[f64],
    draws: u64,
    control: &Control,
) -> Result<(Vec<Place>, u32), Error> {
    let mut places: Vec<Place> = truth.iter().map(|&t| Place::new(t)).collect();
    let mut failed = 0;
    let batch = problem.batch().max(1) as u64;
    for first in (1..=draws).step_by(batch as usize) {
        let some: Vec<u64> = (first..first + batch).take_while(|k| *k <= draws).collect();
        for mode in problem.solve(&some, control)? {
            if mode.sound_status() != Status::Converged {
                failed += 1;
                continue;
            }
            places.iter_mut().zip(&mode.theta).for_each(|(place, value)| place.see(*value));
        }
    }
    Ok((places, failed))
}
