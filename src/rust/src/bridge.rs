//! The Bayesian bridge: data and options in, chains out.

use crate::convert::{Fields, Result, error_list};
use crate::job::{self, Convert};
use extendr_api::prelude::*;
use wbb_core::bridge::{Data, Design, Noise, Options, Shrinkage, diagnose, run};
use wbb_core::error::Error;

/// Start the chains; see R/bridge-fit.R for the fields.
#[extendr]
fn rust_bridge_job(x: Vec<f64>, y: Vec<f64>, options: List) -> Robj {
    start(x, y, &Fields(&options)).unwrap_or_else(|e| error_list(&e).into())
}

fn start(x: Vec<f64>, y: Vec<f64>, fields: &Fields) -> Result<Robj> {
    let design = Design {
        rows: fields.count("n")?,
        columns: fields.count("p")?,
        intercept: fields.flag("intercept")?,
        standardize: fields.flag("standardize")?,
    };
    let options = options(fields)?;
    let work = move |control: &_| {
        let data = Data::new(x, y, design)?;
        let chains = run(&data, &options, control)?;
        let (rhat, ess): (Vec<f64>, Vec<f64>) = chains.diagnose().into_iter().unzip();
        let convert = move || {
            list!(
                draws = chains.theta,
                sigma = chains.sigma,
                nu = chains.nu,
                rhat = rhat,
                ess = ess
            )
        };
        Ok(Box::new(convert) as Convert)
    };
    Ok(job::start(fields.count("threads")?, work))
}

fn options(fields: &Fields) -> Result<Options> {
    let pair = |name: &str| match fields.numbers(name)?[..] {
        [first, second] => Ok((first, second)),
        _ => Err(Error::Internal(format!("option {name} is not a pair"))),
    };
    let (first, second) = pair("shrinkage_values")?;
    let shrinkage = match fields.text("shrinkage")?.as_str() {
        "gamma" => Shrinkage::Gamma { shape: first, rate: second },
        "lasso" => Shrinkage::Lasso(first),
        _ => Shrinkage::Fixed(first),
    };
    let (first, second) = pair("noise_values")?;
    let noise = match fields.text("noise")?.as_str() {
        "prior" => Noise::InverseGamma { shape: first, rate: second },
        _ => Noise::Fixed(first),
    };
    Ok(Options {
        alpha: fields.number("alpha")?,
        shrinkage,
        noise,
        draws: fields.count("draws")?,
        burn: fields.count("burn")?,
        thin: fields.count("thin")?,
        chains: fields.count("chains")?,
        // A negative seed is as good as any other: its bits are the key.
        seed: fields.number("seed")? as i64 as u64,
    })
}

/// R-hat and effective sample size of the values of `chains` chains.
#[extendr]
fn rust_diagnose(values: Vec<f64>, chains: f64) -> Vec<f64> {
    let (rhat, ess) = diagnose(&values, chains as usize);
    vec![rhat, ess]
}

extendr_module! {
    mod bridge;
    fn rust_diagnose;
    fn rust_bridge_job;
}
