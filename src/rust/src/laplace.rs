//! The normal-means problem: exact means and draws.

use crate::convert::{Fields, Result, reply};
use crate::job::{self, Outcome};
use crate::settings::weight_plan;
use extendr_api::prelude::*;
use wbb_core::engine::job::Control;
use wbb_core::engine::table::by_numbers;
use wbb_core::laplace::{draws, posterior_mean, wbb_mean_fixed, wbb_mean_random};

/// Means that take less time than to start a thread.
const FEW: usize = 1000;

/// Start to compute E(theta | y); R has given the three vectors one length.
#[extendr]
fn rust_laplace_posterior_job(
    y: Vec<f64>,
    lambda: Vec<f64>,
    sigma: Vec<f64>,
    settings: List,
) -> Robj {
    means(&settings, y.len(), move |i| posterior_mean(y[i], lambda[i], sigma[i]))
}

/// Start to compute the mean of the weighted Bayesian bootstrap; `lambda` is in the units of y.
#[extendr]
fn rust_laplace_wbb_job(y: Vec<f64>, lambda: Vec<f64>, fixed: bool, settings: List) -> Robj {
    let mean = if fixed { wbb_mean_fixed } else { wbb_mean_random };
    means(&settings, y.len(), move |i| mean(y[i], lambda[i]))
}

fn means(
    settings: &List,
    count: usize,
    mean: impl Fn(usize) -> f64 + Send + Sync + 'static,
) -> Robj {
    let work = move |control: &Control| {
        let tables = vec![("mean", by_numbers(count, control, mean)?.into())];
        Ok(Outcome { tables, rest: Box::new(|| list!()) })
    };
    if count <= FEW {
        return job::at_once(work);
    }
    reply(job::start(&Fields::new(settings), work))
}

/// Start to make draws of the bootstrap, one row a draw, column-major.
#[extendr]
fn rust_laplace_draws_job(y: Vec<f64>, lambda: Vec<f64>, settings: List) -> Robj {
    reply(start_draws(y, lambda, &Fields::new(&settings)))
}

fn start_draws(y: Vec<f64>, lambda: Vec<f64>, fields: &Fields) -> Result<Robj> {
    let plan = weight_plan(fields)?;
    let count = fields.count("draws")? as u64;
    job::start(fields, move |control| {
        let table = draws(&y, &lambda, &plan, count, control)?;
        Ok(Outcome { tables: vec![("draws", table.into())], rest: Box::new(|| list!()) })
    })
}

extendr_module! {
    mod laplace;
    fn rust_laplace_posterior_job;
    fn rust_laplace_wbb_job;
    fn rust_laplace_draws_job;
}
