//! The normal-means problem: exact means and draws.

use crate::convert::{Fields, Result, reply};
use crate::job::{self, Outcome};
use crate::settings::weight_plan;
use extendr_api::prelude::*;
use wbb_core::engine::job::Control;
use wbb_core::engine::table::by_numbers;
use wbb_core::error::Error;
use wbb_core::laplace::{draws, posterior_mean, wbb_mean_fixed, wbb_mean_random};

/// Means that take less time than to start a thread.
const FEW: usize = 1000;

/// The user's vectors, as long as they are given: an element of a shorter one is met again and again,
/// so that R has no copies of full length to make.
struct Problem {
    y: Vec<f64>,
    lambda: Vec<f64>,
    sigma: Vec<f64>,
    count: usize,
}

impl Problem {
    fn read(y: Vec<f64>, lambda: Vec<f64>, sigma: Vec<f64>, fields: &Fields) -> Result<Problem> {
        let count = fields.count("n")?;
        if count > 0 && [&y, &lambda, &sigma].iter().any(|given| given.is_empty()) {
            return Err(Error::Internal("a vector of normal means is empty".into()));
        }
        Ok(Problem { y, lambda, sigma, count })
    }

    /// y, lambda and sigma of an element.
    fn at(&self, i: usize) -> (f64, f64, f64) {
        let of = |given: &[f64]| given[i % given.len()];
        (of(&self.y), of(&self.lambda), of(&self.sigma))
    }

    /// y and the threshold of the mode, in its units.
    fn thresholded(&self, i: usize) -> (f64, f64) {
        let (y, lambda, sigma) = self.at(i);
        (y, lambda * sigma * sigma)
    }
}

/// Start to compute E(theta | y).
#[extendr]
fn rust_laplace_posterior_job(
    y: Vec<f64>,
    lambda: Vec<f64>,
    sigma: Vec<f64>,
    settings: List,
) -> Robj {
    let fields = Fields::new(&settings);
    let problem = Problem::read(y, lambda, sigma, &fields);
    reply(problem.and_then(|problem| {
        means(&fields, problem.count, move |i| {
            let (y, lambda, sigma) = problem.at(i);
            posterior_mean(y, lambda, sigma)
        })
    }))
}

/// Start to compute the mean of the weighted Bayesian bootstrap.
#[extendr]
fn rust_laplace_wbb_job(
    y: Vec<f64>,
    lambda: Vec<f64>,
    sigma: Vec<f64>,
    fixed: bool,
    settings: List,
) -> Robj {
    let mean = if fixed { wbb_mean_fixed } else { wbb_mean_random };
    let fields = Fields::new(&settings);
    let problem = Problem::read(y, lambda, sigma, &fields);
    reply(problem.and_then(|problem| {
        means(&fields, problem.count, move |i| {
            let (y, threshold) = problem.thresholded(i);
            mean(y, threshold)
        })
    }))
}

fn means(
    fields: &Fields,
    count: usize,
    mean: impl Fn(usize) -> f64 + Send + Sync + 'static,
) -> Result<Robj> {
    let work = move |control: &Control| {
        let tables = vec![("mean", by_numbers(count, control, mean)?.into())];
        Ok(Outcome { tables, rest: Box::new(|| list!()) })
    };
    if count <= FEW {
        return Ok(job::at_once(work));
    }
    job::start(fields, work)
}

/// Start to make draws of the bootstrap, one row a draw, column-major.
#[extendr]
fn rust_laplace_draws_job(y: Vec<f64>, lambda: Vec<f64>, sigma: Vec<f64>, settings: List) -> Robj {
    let fields = Fields::new(&settings);
    reply(
        Problem::read(y, lambda, sigma, &fields).and_then(|problem| start_draws(problem, &fields)),
    )
}

fn start_draws(problem: Problem, fields: &Fields) -> Result<Robj> {
    let plan = weight_plan(fields)?;
    let count = fields.count("draws")? as u64;
    job::start(fields, move |control| {
        let (y, threshold): (Vec<_>, Vec<_>) =
            (0..problem.count).map(|i| problem.thresholded(i)).unzip();
        let table = draws(&y, &threshold, &plan, count, control)?;
        Ok(Outcome { tables: vec![("draws", table.into())], rest: Box::new(|| list!()) })
    })
}

extendr_module! {
    mod laplace;
    fn rust_laplace_posterior_job;
    fn rust_laplace_wbb_job;
    fn rust_laplace_draws_job;
}
