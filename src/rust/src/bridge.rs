//! The Bayesian bridge: data and settings in, chains out.

use crate::convert::{Fields, Matrix, Result, reply};
use crate::job::{self, Outcome};
use crate::settings::seed;
use extendr_api::prelude::*;
use wbb_core::bridge::{Data, Design, Noise, Options, Shrinkage, diagnose, run};
use wbb_core::error::Error;

/// Start the chains; see R/bridge.R for the settings.
#[extendr]
fn rust_bridge_job(x: List, y: Vec<f64>, settings: List) -> Robj {
    reply(start(&x, y, &Fields::new(&settings)))
}

fn start(x: &List, y: Vec<f64>, fields: &Fields) -> Result<Robj> {
    let x = Matrix::new(x, "x")?;
    let design = Design {
        rows: x.rows,
        columns: x.columns,
        intercept: fields.flag("intercept")?,
        standardize: fields.flag("standardize")?,
    };
    let x = x.with_dense(<[f64]>::to_vec)?;
    let options = options(fields)?;
    job::start(fields, move |control| {
        let data = Data::new(x, y, design)?;
        let chains = run(&data, &options, control)?;
        let (rhat, ess): (Vec<f64>, Vec<f64>) = chains.diagnose().into_iter().unzip();
        let (sigma, nu) = (chains.sigma, chains.nu);
        let rest = move || list!(sigma = sigma, nu = nu, rhat = rhat, ess = ess);
        Ok(Outcome { tables: vec![("draws", chains.theta)], rest: Box::new(rest) })
    })
}

fn options(fields: &Fields) -> Result<Options> {
    Ok(Options {
        alpha: fields.number("alpha")?,
        shrinkage: shrinkage(fields)?,
        noise: noise(fields)?,
        draws: fields.count("draws")?,
        burn: fields.count("burn")?,
        thin: fields.count("thin")?,
        chains: fields.count("chains")?,
        seed: seed(fields)?,
    })
}

/// `nu` is its known value, or shape and rate of its prior. `lambda` in its place is that of the
/// lasso's objective, where ν = λ/σ².
fn shrinkage(fields: &Fields) -> Result<Shrinkage> {
    match (fields.optional_number("lambda")?, fields.optional_numbers("nu")?.as_deref()) {
        (Some(lambda), None) => Ok(Shrinkage::Lasso(lambda)),
        (None, Some(&[nu])) => Ok(Shrinkage::Fixed(nu)),
        (None, Some(&[shape, rate])) => Ok(Shrinkage::Gamma { shape, rate }),
        _ => Err(Error::Internal("nu is neither known nor has a prior".into())),
    }
}

fn noise(fields: &Fields) -> Result<Noise> {
    match (fields.optional_number("sigma")?, fields.optional_numbers("sigma2_prior")?.as_deref()) {
        (Some(sigma), None) => Ok(Noise::Fixed(sigma * sigma)),
        (None, Some(&[shape, rate])) => Ok(Noise::InverseGamma { shape, rate }),
        _ => Err(Error::Internal("sigma is neither known nor has a prior".into())),
    }
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
