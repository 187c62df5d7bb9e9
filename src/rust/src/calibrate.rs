//! Calibration: data, settings of the fit and what is simulated from it in, places of the truth out.

use crate::convert::{Fields, Result, reply};
use crate::job::{self, Outcome};
use crate::matrix::Matrix;
use crate::results::integers;
use crate::settings::{measure, response, seed, weight_plan};
use crate::{lasso, trendfilter};
use extendr_api::prelude::*;
use wbb_core::calibrate::{self, Coverage, Original, Scheme, Simulation};

/// Start the calibration of a lasso; see R/calibrate.R for the settings.
#[extendr]
fn rust_calibrate_lasso_job(x: ExternalPtr<Matrix>, y: Vec<f64>, settings: List) -> Robj {
    reply(start_lasso(Matrix::take(x), y, &Fields::new(&settings)))
}

/// Start that of a trend filter.
#[extendr]
fn rust_calibrate_trendfilter_job(x: Vec<f64>, y: Vec<f64>, settings: List) -> Robj {
    reply(start_trendfilter(x, y, &Fields::new(&settings)))
}

fn start_lasso(x: Matrix, y: Vec<f64>, fields: &Fields) -> Result<Robj> {
    let response = response(fields, y.into())?;
    let measure = measure(fields, &response.family)?;
    let sizes = fields.optional_numbers("sizes")?.unwrap_or_default();
    let (plan, options) = (weight_plan(fields)?, lasso::options(fields)?);
    let simulation = simulation(fields)?;
    job::start(fields, move |control| {
        let original = Original { x: x.source("x")?, response, measure, sizes, plan, options };
        calibrate::lasso(original, &simulation, control).map(outcome)
    })
}

fn start_trendfilter(x: Vec<f64>, y: Vec<f64>, fields: &Fields) -> Result<Robj> {
    let (plan, options) = (weight_plan(fields)?, trendfilter::options(fields)?);
    let (fitted, simulation) = (fields.numbers("fitted")?, simulation(fields)?);
    job::start(fields, move |control| {
        calibrate::trendfilter(&x, y, plan, options, &fitted, &simulation, control).map(outcome)
    })
}

fn simulation(fields: &Fields) -> Result<Simulation> {
    let (truths, size) = (fields.numbers("truths")?, fields.count("coefficients")?);
    Ok(Simulation {
        scheme: Scheme::new(&fields.text("scheme")?)?,
        truths: truths.chunks_exact(size.max(1)).map(<[f64]>::to_vec).collect(),
        sigma: fields.number("sigma")?,
        residuals: fields.numbers("residuals")?,
        replicates: fields.count("replicates")?,
        draws: fields.count("draws")? as u64,
        seed: seed(fields)?,
    })
}

fn outcome(coverage: Coverage) -> Outcome {
    let Coverage { first, last, root, mean, lambda, failed } = coverage;
    let rest = move || list!(lambda = lambda, failed = integers(failed));
    Outcome {
        tables: vec![
            ("first", first.into()),
            ("last", last.into()),
            ("root", root.into()),
            ("mean", mean.into()),
        ],
        rest: Box::new(rest),
    }
}

extendr_module! {
    mod calibrate;
    fn rust_calibrate_lasso_job;
    fn rust_calibrate_trendfilter_job;
}
