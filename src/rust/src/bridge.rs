//! The Bayesian bridge: data and settings in, chains out.

use crate::convert::{Fields, Result, reply};
use crate::job::{self, Outcome};
use crate::matrix::Matrix;
use crate::settings::seed;
use extendr_api::prelude::*;
use wbb_core::bridge::{Data, Kept, Noise, Options, Scaling, Shrinkage, diagnose_all, keep};
use wbb_core::engine::job::Control;
use wbb_core::error::Error;

/// Start the chains; see R/bridge.R for the settings.
#[extendr]
fn rust_bridge_job(x: ExternalPtr<Matrix>, y: Vec<f64>, settings: List) -> Robj {
    reply(start(Matrix::take(x), y, &Fields::new(&settings)))
}

fn start(x: Matrix, y: Vec<f64>, fields: &Fields) -> Result<Robj> {
    let prepare = data(x, y, fields)?;
    let options = options(fields)?;
    job::start(fields, move |control| {
        let kept = keep(&prepare(control)?, &options, control)?;
        if !kept.whole {
            return Ok(stopped(kept));
        }
        match whole(&kept, control) {
            Err(Error::Cancelled) => Ok(stopped(kept)),
            outcome => outcome,
        }
    })
}

fn whole(kept: &Kept, control: &Control) -> Result<Outcome> {
    let chains = kept.table(control)?;
    let (rhat, ess): (Vec<f64>, Vec<f64>) = chains.diagnose(control)?.into_iter().unzip();
    let (sigma, nu, prior) = (chains.sigma, chains.nu, prior(chains.noise));
    let rest = move || list!(sigma = sigma, nu = nu, rhat = rhat, ess = ess, sigma2_prior = prior);
    Ok(Outcome { tables: vec![("draws", chains.theta.into())], rest: Box::new(rest) })
}

/// The lines as they lie: whoever stops a run waits for the prompt.
fn stopped(kept: Kept) -> Outcome {
    let (prior, size) = (prior(kept.noise), [kept.draws as f64, kept.chains() as f64]);
    let rest = move || list!(kept = size.to_vec(), sigma2_prior = prior);
    Outcome { tables: vec![("lines", kept.into())], rest: Box::new(rest) }
}

fn prior(noise: Noise) -> Vec<f64> {
    match noise {
        Noise::InverseGamma { shape, rate } => vec![shape, rate],
        Noise::Fixed(_) | Noise::Unknown => vec![],
    }
}

/// The data, to be standardised inside the job.
pub fn data(
    x: Matrix,
    y: Vec<f64>,
    fields: &Fields,
) -> Result<impl FnOnce(&Control) -> Result<Data> + Send + 'static> {
    let scaling =
        Scaling { intercept: fields.flag("intercept")?, standardize: fields.flag("standardize")? };
    Ok(move |control: &Control| Data::new(&x.source("x")?, y, scaling, control))
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

/// `nu` is its known value, or shape and rate of its prior.
fn shrinkage(fields: &Fields) -> Result<Shrinkage> {
    match fields.numbers("nu")?[..] {
        [nu] => Ok(Shrinkage::Fixed(nu)),
        [shape, rate] => Ok(Shrinkage::Gamma { shape, rate }),
        _ => Err(Error::Internal("nu is neither known nor has a prior".into())),
    }
}

fn noise(fields: &Fields) -> Result<Noise> {
    match (fields.optional_number("sigma")?, fields.optional_numbers("sigma2_prior")?.as_deref()) {
        (Some(sigma), None) => Ok(Noise::Fixed(sigma * sigma)),
        (None, Some(&[shape, rate])) => Ok(Noise::InverseGamma { shape, rate }),
        (None, None) => Ok(Noise::Unknown),
        _ => Err(Error::Internal("sigma is known and has a prior".into())),
    }
}

/// Start to find R-hat and effective sample size of each column of `values`, a table of the draws of
/// `chains` chains.
#[extendr]
fn rust_diagnose_job(values: Vec<f64>, columns: f64, chains: f64, settings: List) -> Robj {
    let (columns, chains) = (columns as usize, chains as usize);
    reply(job::start(&Fields::new(&settings), move |control| {
        let measures = diagnose_all(&values, columns, chains, control)?;
        let (rhat, ess): (Vec<f64>, Vec<f64>) = measures.into_iter().unzip();
        Ok(Outcome { tables: vec![], rest: Box::new(move || list!(rhat = rhat, ess = ess)) })
    }))
}

extendr_module! {
    mod bridge;
    fn rust_diagnose_job;
    fn rust_bridge_job;
}
