//! Do the intervals cover? The bootstrap run on data simulated from a fit, whose truth is known (MATH 10).
//!
//! Replicate r has a response of its own and weights of its own, both functions of (seed, r) alone;
//! the design is shared. Of the draws of a replicate nothing is kept but where the truth lies among
//! them, which says for every level at once whether the interval covers: Newton's (1991) prepivoting.
//!
//! Replicates run in parallel, the draws of each one after another.

mod pairs;
mod place;
mod response;

use crate::data::source::Source;
use crate::engine::job::{Control, Stage, for_each};
use crate::engine::problem::{Status, WeightedProblem};
use crate::error::Error;
use crate::lasso::{Lasso, Options};
use crate::random::streams::random_stream;
use crate::random::weights::WeightPlan;
use crate::trendfilter::{TrendFilter, TrendOptions};
use ndarray::{Array2, ShapeBuilder};
use pairs::Pairs;
use place::Place;
use rand::RngCore;
use rand_chacha::ChaCha8Rng;
use response::Response;
use std::sync::{Mutex, PoisonError};

/// How data are simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Normal errors about the fitted values.
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
    /// What the intervals are to cover: a number for each coefficient.
    pub truth: Vec<f64>,
    /// The response that the truth predicts in each row, and its standard deviation where the case
    /// weight is 1.
    pub fitted: Vec<f64>,
    pub sigma: f64,
    pub replicates: usize,
    /// In each of them.
    pub draws: u64,
    pub seed: u64,
}

/// Where the truth lies among the draws of each replicate.
pub struct Coverage {
    /// By replicate and coefficient: the smallest and the largest probability whose quantile of the draws
    /// is the truth; NaN without draws.
    pub first: Array2<f64>,
    pub last: Array2<f64>,
    /// How many standard deviations of the draws the truth lies above their mean.
    pub root: Array2<f64>,
    /// Of each replicate: its lambda, and the draws that have no solution.
    pub lambda: Vec<f64>,
    pub failed: Vec<u32>,
}

/// Of a lasso.
pub fn lasso(
    x: Source,
    y: Vec<f64>,
    plan: WeightPlan,
    options: Options,
    simulation: &Simulation,
    control: &Control,
) -> Result<Coverage, Error> {
    control.begin(Stage::Mode, 1);
    if simulation.scheme == Scheme::Pairs {
        let pairs = Pairs::new(x, y, plan, options);
        return run(simulation, control, |rng, control| {
            let lasso = pairs.draw(rng, control)?;
            Ok((lasso.lambda[0], lasso))
        });
    }
    let response = Response::new(simulation, &y, &plan);
    let whole = Lasso::new(x, y, plan, options, &control.within())?;
    run(simulation, control, |rng, control| {
        let seed = rng.next_u64();
        let lasso = whole.with_response(response.draw(rng), seed, control)?;
        Ok((lasso.lambda[0], lasso))
    })
}

/// Of a trend filter.
pub fn trendfilter(
    x: &[f64],
    y: Vec<f64>,
    plan: WeightPlan,
    options: TrendOptions,
    simulation: &Simulation,
    control: &Control,
) -> Result<Coverage, Error> {
    control.begin(Stage::Mode, 1);
    if simulation.scheme == Scheme::Pairs {
        let text = "must not be \"pairs\": a trend has its points given";
        return Err(Error::argument("scheme", text.into()));
    }
    let response = Response::new(simulation, &y, &plan);
    let whole = TrendFilter::new(x, y, plan, options, &control.within())?;
    run(simulation, control, |rng, control| {
        let seed = rng.next_u64();
        let filter = whole.with_response(response.draw(rng), seed, control)?;
        Ok((filter.lambda[0], filter))
    })
}

/// Every replicate; `make` simulates its data and gives its lambda and its problem.
fn run<P: WeightedProblem>(
    simulation: &Simulation,
    control: &Control,
    make: impl Fn(&mut ChaCha8Rng, &Control) -> Result<(f64, P), Error> + Sync,
) -> Result<Coverage, Error> {
    let (count, size) = (simulation.replicates, simulation.truth.len());
    control.begin(Stage::Replicates, count as u64);
    let coverage = Mutex::new(Coverage {
        first: Array2::zeros((count, size).f()),
        last: Array2::zeros((count, size).f()),
        root: Array2::zeros((count, size).f()),
        lambda: vec![0.0; count],
        failed: vec![0; count],
    });
    let replicates: Vec<usize> = (0..count).collect();
    let name = |r: &usize| format!("in replicate {}", r + 1);
    for_each(&replicates, control, name, |&r| {
        let within = control.within();
        let mut rng = random_stream(simulation.seed, b"wbb calibration, rev 1  ", r as u64);
        let (lambda, problem) = make(&mut rng, &within)?;
        let (places, failed) = places(&problem, simulation, &within)?;
        let mut coverage = coverage.lock().unwrap_or_else(PoisonError::into_inner);
        for (j, place) in places.iter().enumerate() {
            (coverage.first[[r, j]], coverage.last[[r, j]]) = place.probabilities();
            coverage.root[[r, j]] = place.root();
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
    simulation: &Simulation,
    control: &Control,
) -> Result<(Vec<Place>, u32), Error> {
    let mut places: Vec<Place> = simulation.truth.iter().map(|&t| Place::new(t)).collect();
    let mut failed = 0;
    let batch = problem.batch().max(1) as u64;
    for first in (1..=simulation.draws).step_by(batch as usize) {
        let draws: Vec<u64> =
            (first..first + batch).take_while(|k| *k <= simulation.draws).collect();
        for mode in problem.solve(&draws, control)? {
            if mode.status != Status::Converged {
                failed += 1;
                continue;
            }
            places.iter_mut().zip(&mode.theta).for_each(|(place, value)| place.see(*value));
        }
    }
    Ok((places, failed))
}
