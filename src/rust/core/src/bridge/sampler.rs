//! All chains on the threads of a job, and what is kept of them.

use super::chain::Chain;
use super::data::Data;
use super::diagnostics::{diagnose, diagnose_all};
use super::gaussian::{Gaussian, Moments, least_squares};
use super::options::{Noise, Options};
use crate::engine::job::{Control, Stage, for_each, for_parts};
use crate::error::Error;
use ndarray::{Array2, ShapeBuilder};
use std::sync::{Mutex, PoisonError};

/// Kept iterations: the draws of chain 1, then those of chain 2, …
#[derive(Clone, Debug, PartialEq)]
pub struct Chains {
    /// By draw and coefficient, the draws next to each other in memory; on the original scale, the
    /// intercept first.
    pub theta: Array2<f64>,
    pub sigma: Vec<f64>,
    pub nu: Vec<f64>,
    pub count: usize,
    /// What was taken to be known of σ².
    pub noise: Noise,
}

impl Chains {
    /// (R̂, effective sample size) of the coefficients, then of σ and ν.
    pub fn diagnose(&self, control: &Control) -> Result<Vec<(f64, f64)>, Error> {
        let theta = self.theta.as_slice_memory_order().unwrap_or_default();
        let mut measures = diagnose_all(theta, self.theta.ncols(), self.count, control)?;
        for values in [&self.sigma, &self.nu] {
            measures.push(diagnose(values, self.count, control)?);
        }
        Ok(measures)
    }
}

/// Run all chains on the threads of the current pool. Chain c depends on (seed, c) alone.
pub fn run(data: &Data, options: &Options, control: &Control) -> Result<Chains, Error> {
    let sampler = Sampler::new(data, control)?;
    control.begin(Stage::Draws, options.iterations());
    sampler.chains(options, control)
}

/// Data with what chains of any options share.
pub struct Sampler<'a> {
    data: &'a Data,
    /// None with more columns than rows.
    moments: Option<Moments>,
}

impl<'a> Sampler<'a> {
    pub fn new(data: &'a Data, control: &Control) -> Result<Sampler<'a>, Error> {
        Ok(Sampler { data, moments: Moments::new(data, control)? })
    }

    /// The residual sum of squares as a function of β.
    pub fn gaussian(&self) -> Gaussian<'_> {
        Gaussian::new(self.data, self.moments.as_ref())
    }

    /// The chains; progress is counted in iterations.
    pub fn chains(&self, options: &Options, control: &Control) -> Result<Chains, Error> {
        let options = self.settle(options, control)?;
        let dimension = self.data.columns() + usize::from(self.data.intercept);
        let width = dimension + 2;
        let keep = |chain: &mut Chain, kept: &mut Vec<f64>| chain.keep_line(kept);
        let lines = self.run(&options, width, keep, control)?;
        let rows = options.draws * options.chains;
        let column = |j: usize| lines.iter().flat_map(move |l| l.iter().skip(j).step_by(width));
        let mut theta = vec![0.0; rows * dimension];
        for_parts(theta.chunks_exact_mut(rows), control, |j, to| {
            to.iter_mut().zip(column(j)).for_each(|(o, v)| *o = *v);
            Ok(())
        })?;
        let theta = Array2::from_shape_vec((rows, dimension).f(), theta)
            .map_err(|e| Error::Internal(format!("the draws have another shape: {e}")))?;
        Ok(Chains {
            theta,
            sigma: column(dimension).copied().collect(),
            nu: column(dimension + 1).copied().collect(),
            count: options.chains,
            noise: options.noise,
        })
    }

    /// Only β of each chain, on the scale of the standardised columns, a row a draw.
    pub fn coefficients(
        &self,
        options: &Options,
        control: &Control,
    ) -> Result<Vec<Array2<f64>>, Error> {
        let options = self.settle(options, control)?;
        let p = self.data.columns();
        let keep = |chain: &mut Chain, kept: &mut Vec<f64>| kept.extend_from_slice(&chain.beta);
        let shaped = |kept| {
            Array2::from_shape_vec((options.draws, p), kept)
                .map_err(|e| Error::Internal(format!("the draws have another shape: {e}")))
        };
        self.run(&options, p, keep, control)?.into_iter().map(shaped).collect()
    }

    fn settle(&self, options: &Options, control: &Control) -> Result<Options, Error> {
        options.settle(self.data, || match &self.moments {
            Some(moments) => Ok(moments.fit),
            None => least_squares(self.data, control),
        })
    }

    /// What `keep` adds for each kept state, `width` numbers, chain by chain.
    fn run(
        &self,
        options: &Options,
        width: usize,
        keep: impl Fn(&mut Chain, &mut Vec<f64>) + Sync,
        control: &Control,
    ) -> Result<Vec<Vec<f64>>, Error> {
        let lines = Mutex::new(vec![Vec::new(); options.chains]);
        let chains: Vec<usize> = (0..options.chains).collect();
        let name = |chain: &usize| format!("in chain {}", chain + 1);
        for_each(&chains, control, name, |&chain| {
            let mut kept = Vec::with_capacity(options.draws * width);
            Chain::start(self.data, self.moments.as_ref(), options, chain)?
                .run(control, |state| keep(state, &mut kept))?;
            lines.lock().unwrap_or_else(PoisonError::into_inner)[chain] = kept;
            Ok(())
        })?;
        Ok(lines.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}
