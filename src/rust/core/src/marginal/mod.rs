//! The marginal likelihood of λ under the prior whose posterior mode is the lasso (MATH 2.6).
//!
//! ```text
//! y ~ N(b₀ + Xβ, σ²),   p(b₀) ∝ 1,   βⱼ ~ Laplace of rate λ/σ²,   p(σ²) ∝ 1/σ², or σ² known
//! ```
//!
//! b₀ and σ² are integrated out by hand (`density`), β by the chains of [`bridge`](crate::bridge) and
//! a bridge in another sense: the optimal one of Meng & Wong (1996) from the posterior to a normal
//! distribution (`estimate`). Both priors are improper, so only differences between λs mean anything.
//!
//! All λs have the same random numbers, which makes their differences less noisy.

mod density;
mod estimate;
mod grid;

use crate::bridge::{self, Data, Noise, Sampler, Shrinkage};
use crate::engine::job::{Control, Stage, for_each};
use crate::error::Error;
use density::Density;
pub use grid::choose;
use std::sync::{Mutex, PoisonError};

#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The noise's standard deviation, if it is known.
    pub sigma: Option<f64>,
    pub draws: usize,
    pub burn: usize,
    pub seed: u64,
}

/// log m(y | λ), and the standard error of the estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    pub lambda: f64,
    pub log: f64,
    pub error: f64,
}

impl Options {
    /// One chain gives the normal distribution at the bridge's other end, the other is bridged: they
    /// must not be the same draws.
    fn chains(&self, lambda: f64) -> bridge::Options {
        let (shrinkage, noise) = match self.sigma {
            Some(sigma) => {
                (Shrinkage::Fixed(lambda / (sigma * sigma)), Noise::Fixed(sigma * sigma))
            }
            None => (Shrinkage::Lasso(lambda), Noise::Unknown),
        };
        bridge::Options {
            alpha: 1.0,
            shrinkage,
            noise,
            draws: self.draws,
            burn: self.burn,
            thin: 1,
            chains: 2,
            seed: self.seed,
        }
    }

    /// Iterations of the chains of `count` λs, which is what progress is counted in.
    fn iterations(&self, count: usize) -> u64 {
        count as u64 * self.chains(1.0).iterations()
    }
}

/// The evidence of each λ, on the threads of the current pool.
pub fn evidence(
    data: &Data,
    lambdas: &[f64],
    options: &Options,
    control: &Control,
) -> Result<Vec<Evidence>, Error> {
    let sampler = Sampler::new(data, control)?;
    control.begin(Stage::Draws, options.iterations(lambdas.len()));
    evidence_by(&sampler, data, lambdas, options, control)
}

fn evidence_by(
    sampler: &Sampler,
    data: &Data,
    lambdas: &[f64],
    options: &Options,
    control: &Control,
) -> Result<Vec<Evidence>, Error> {
    let found = Mutex::new(vec![None; lambdas.len()]);
    let places: Vec<usize> = (0..lambdas.len()).collect();
    for_each(
        &places,
        control,
        |&k| format!("at lambda {}", lambdas[k]),
        |&k| {
            let chains = sampler.coefficients(&options.chains(lambdas[k]), control)?;
            let [fitted, bridged] = &chains[..] else {
                return Err(Error::Internal("there are not two chains".into()));
            };
            let mut density = Density::new(data, sampler.gaussian(), lambdas[k], options.sigma);
            let (log, error) = estimate::bridge(fitted, bridged, options.seed, control, |b| {
                density.at(b, control)
            })?;
            let here = Evidence { lambda: lambdas[k], log, error };
            found.lock().unwrap_or_else(PoisonError::into_inner)[k] = Some(here);
            Ok(())
        },
    )?;
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten().collect())
}
