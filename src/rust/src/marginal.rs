//! Marginal likelihoods: data and settings in, a curve over lambda out.

use crate::bridge::data;
use crate::convert::{Fields, Result, reply};
use crate::job::{self, Outcome};
use crate::matrix::Matrix;
use crate::settings::seed;
use extendr_api::prelude::*;
use wbb_core::marginal::{Options, choose, evidence};

/// Start them at `lambda`, or on a grid made for the data; see R/marglik.R for the settings.
#[extendr]
fn rust_marglik_job(x: ExternalPtr<Matrix>, y: Vec<f64>, settings: List) -> Robj {
    reply(start(Matrix::take(x), y, &Fields::new(&settings)))
}

fn start(x: Matrix, y: Vec<f64>, fields: &Fields) -> Result<Robj> {
    let prepare = data(x, y, fields)?;
    let lambda = fields.optional_numbers("lambda")?;
    let options = Options {
        sigma: fields.optional_number("sigma")?,
        draws: fields.count("draws")?,
        burn: fields.count("burn")?,
        seed: seed(fields)?,
    };
    job::start(fields, move |control| {
        let data = prepare(control)?;
        let curve = match lambda {
            Some(lambda) => evidence(&data, &lambda, &options, control)?,
            None => choose(&data, &options, control)?,
        };
        let rest = move || {
            list!(
                lambda = curve.iter().map(|e| e.lambda).collect::<Vec<f64>>(),
                log_ml = curve.iter().map(|e| e.log).collect::<Vec<f64>>(),
                se = curve.iter().map(|e| e.error).collect::<Vec<f64>>()
            )
        };
        Ok(Outcome { tables: vec![], rest: Box::new(rest) })
    })
}

extendr_module! {
    mod marginal;
    fn rust_marglik_job;
}
