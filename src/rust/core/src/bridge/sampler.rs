//! All chains on the threads of a job, and what is kept of them, also where they are stopped.

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

/// What chains have kept, line by line: the coefficients, σ and ν of each draw.
#[derive(Clone, Debug)]
pub struct Kept {
    /// By chain, as they came; of each the first `draws` count.
    lines: Vec<Vec<f64>>,
    width: usize,
    pub draws: usize,
    /// Whether these are all that were asked for.
    pub whole: bool,
    pub noise: Noise,
}

impl Kept {
    pub fn chains(&self) -> usize {
        self.lines.len()
    }

    /// Numbers in all.
    pub fn size(&self) -> usize {
        self.chains() * self.draws * self.width
    }

    /// Number `at` of the table of all lines, column after column.
    pub fn value(&self, at: usize) -> Option<f64> {
        let rows = self.chains() * self.draws;
        let (column, row) = (at / rows, at % rows);
        self.lines.get(row / self.draws)?.get(row % self.draws * self.width + column).copied()
    }

    /// As tables.
    pub fn table(&self, control: &Control) -> Result<Chains, Error> {
        let (draws, width) = (self.draws, self.width);
        let (rows, dimension) = (self.chains() * draws, width - 2);
        let column = |j: usize| {
            self.lines.iter().flat_map(move |l| l.iter().skip(j).step_by(width).take(draws))
        };
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
            count: self.chains(),
            noise: self.noise,
        })
    }
}

/// Of chains that were stopped on their way the first ones, cut to one length, such that most draws
/// remain: what a run of fewer and shorter chains gives. How many chains, and how many draws of each.
fn longest(lengths: impl Iterator<Item = usize>) -> (usize, usize) {
    let shortest = lengths.scan(usize::MAX, |least, length| {
        *least = length.min(*least);
        Some(*least)
    });
    let choices = shortest.enumerate().map(|(before, draws)| (before + 1, draws));
    choices.max_by_key(|(chains, draws)| (chains * draws, *chains)).unwrap_or((0, 0))
}

/// Run all chains on the threads of the current pool. Chain c depends on (seed, c) alone.
pub fn run(data: &Data, options: &Options, control: &Control) -> Result<Chains, Error> {
    let kept = keep(data, options, control)?;
    if kept.whole { kept.table(control) } else { Err(Error::Cancelled) }
}

/// The same, but a stop gives what is kept by then, the first draws of a chain, which do not depend on how
/// many follow; without any it is an error.
pub fn keep(data: &Data, options: &Options, control: &Control) -> Result<Kept, Error> {
    let sampler = Sampler::new(data, control)?;
    control.begin(Stage::Draws, options.iterations());
    sampler.keep(options, control)
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
    fn keep(&self, options: &Options, control: &Control) -> Result<Kept, Error> {
        let options = self.settle(options, control)?;
        let width = self.data.columns() + usize::from(self.data.intercept) + 2;
        let keep = |chain: &mut Chain, kept: &mut Vec<f64>| chain.keep_line(kept);
        let (mut lines, end) = self.run(&options, width, keep, control);
        let (chains, draws) = longest(lines.iter().map(|line| line.len() / width));
        match end {
            Err(Error::Cancelled) if draws > 0 => lines.truncate(chains),
            end => end?,
        }
        let whole = (chains, draws) == (options.chains, options.draws);
        Ok(Kept { lines, width, draws, whole, noise: options.noise })
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
        let (lines, end) = self.run(&options, p, keep, control);
        end?;
        lines.into_iter().map(shaped).collect()
    }

    fn settle(&self, options: &Options, control: &Control) -> Result<Options, Error> {
        options.settle(self.data, || match &self.moments {
            Some(moments) => Ok(moments.fit),
            None => least_squares(self.data, control),
        })
    }

    /// What `keep` adds for each kept state, `width` numbers, chain by chain, and how it ended.
    fn run(
        &self,
        options: &Options,
        width: usize,
        keep: impl Fn(&mut Chain, &mut Vec<f64>) + Sync,
        control: &Control,
    ) -> (Vec<Vec<f64>>, Result<(), Error>) {
        let lines = Mutex::new(vec![Vec::new(); options.chains]);
        let chains: Vec<usize> = (0..options.chains).collect();
        let name = |chain: &usize| format!("in chain {}", chain + 1);
        let end = for_each(&chains, control, name, |&chain| {
            let mut kept = Vec::with_capacity(options.draws * width);
            let end = Chain::start(self.data, self.moments.as_ref(), options, chain)?
                .run(control, |state| keep(state, &mut kept));
            lines.lock().unwrap_or_else(PoisonError::into_inner)[chain] = kept;
            end
        });
        (lines.into_inner().unwrap_or_else(PoisonError::into_inner), end)
    }
}

#[cfg(test)]
mod tests {
    use super::longest;

    #[test]
    fn a_stop_keeps_the_most_draws_of_the_first_chains() {
        let of = |lengths: &[usize]| longest(lengths.iter().copied());
        assert_eq!(of(&[100, 100, 3, 2]), (2, 100));
        assert_eq!(of(&[90, 100, 60, 58]), (4, 58));
        assert_eq!(of(&[70, 50, 0, 0]), (2, 50));
        assert_eq!(of(&[120, 50, 0, 0]), (1, 120));
        // More chains where there is the choice; none has begun.
        assert_eq!(of(&[100, 100, 50, 50]), (4, 50));
        assert_eq!(of(&[0, 0]).1, 0);
        assert_eq!(of(&[]), (0, 0));
    }
}
