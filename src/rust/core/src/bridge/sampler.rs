//! The chains: Gibbs steps, and what is kept of them.

use super::data::Data;
use super::diagnostics::diagnose;
use super::gaussian::{Gaussian, Moments};
use super::stable::Tilted;
use crate::engine::job::{Control, Stage, for_each};
use crate::error::Error;
use crate::random::streams::random_stream;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma, StandardNormal};
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// What is known of ν = τ^(−α).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shrinkage {
    /// ν ~ Gamma(shape, rate).
    Gamma { shape: f64, rate: f64 },
    /// ν is given.
    Fixed(f64),
    /// ν = λ/σ²: with α = 1 the prior whose posterior mode is the lasso at λ, whatever σ² (MATH 2.6).
    Lasso(f64),
}

/// What is known of σ².
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Noise {
    /// InvGamma(shape, rate); both 0: p(σ²) ∝ 1/σ².
    InverseGamma {
        shape: f64,
        rate: f64,
    },
    Fixed(f64),
}

#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub alpha: f64,
    pub shrinkage: Shrinkage,
    pub noise: Noise,
    pub draws: usize,
    pub burn: usize,
    pub thin: usize,
    pub chains: usize,
    pub seed: u64,
}

/// Kept iterations: the draws of chain 1, then those of chain 2, …; coefficients on the original
/// scale, [draw, coefficient] column-major, the intercept first.
#[derive(Clone, Debug, PartialEq)]
pub struct Chains {
    pub theta: Vec<f64>,
    pub sigma: Vec<f64>,
    pub nu: Vec<f64>,
    pub count: usize,
}

impl Chains {
    /// (R̂, effective sample size) of the coefficients, then of σ and ν.
    pub fn diagnose(&self) -> Vec<(f64, f64)> {
        let columns: Vec<&[f64]> = self
            .theta
            .chunks_exact(self.sigma.len())
            .chain([self.sigma.as_slice(), self.nu.as_slice()])
            .collect();
        columns.par_iter().map(|values| diagnose(values, self.count)).collect()
    }
}

/// Iterations between two looks at the stop signal.
const CHECK: usize = 64;

impl Options {
    fn check(&self, data: &Data) -> Result<(), Error> {
        let within = |argument, value: f64, ok: bool| {
            if ok && value.is_finite() {
                Ok(())
            } else {
                Err(Error::argument(argument, format!("is out of range: {value}")))
            }
        };
        within("alpha", self.alpha, self.alpha > 0.0 && self.alpha <= 2.0)?;
        match self.shrinkage {
            Shrinkage::Gamma { shape, rate } => {
                within("nu", shape, shape > 0.0)?;
                within("nu", rate, rate > 0.0)?;
            }
            Shrinkage::Fixed(nu) => within("nu", nu, nu > 0.0)?,
            Shrinkage::Lasso(lambda) => {
                within("lambda", lambda, lambda > 0.0)?;
                within("alpha", self.alpha, self.alpha == 1.0)?;
            }
        }
        match self.noise {
            Noise::InverseGamma { shape, rate } => {
                within("sigma2_prior", shape, shape >= 0.0)?;
                within("sigma2_prior", rate, rate >= 0.0)?;
                if data.freedom() + 2.0 * shape <= 0.0 {
                    let text = "must be proper when there is a single row";
                    return Err(Error::argument("sigma2_prior", text.into()));
                }
            }
            Noise::Fixed(variance) => within("sigma", variance, variance > 0.0)?,
        }
        if self.draws == 0 || self.thin == 0 || self.chains == 0 {
            return Err(Error::argument("draws", "must be at least one".into()));
        }
        Ok(())
    }

    /// With p(σ²) ∝ 1/σ² and a β that fits perfectly the posterior has infinite mass at σ² = 0:
    /// near that β the likelihood grows like |y − Xβ|^(−n). The lasso's prior scales with σ² and
    /// prevents it, unless y is 0.
    fn check_proper(&self, data: &Data, least_square: f64) -> Result<(), Error> {
        let free = matches!(self.noise, Noise::InverseGamma { rate: 0.0, .. });
        let scaled = matches!(self.shrinkage, Shrinkage::Lasso(_));
        let total = data.response_variance() * data.rows as f64;
        if free && total == 0.0 {
            return Err(Error::argument(
                "y",
                "does not vary, and the variance has no proper prior".into(),
            ));
        }
        if free && !scaled && least_square <= 1e-20 * total {
            let text = "must have a positive rate: some coefficients fit `y` perfectly, and the posterior \
                        with p(sigma^2) proportional to 1/sigma^2 is improper";
            return Err(Error::argument("sigma2_prior", text.into()));
        }
        Ok(())
    }
}

/// Run all chains on the threads of the current pool. Chain c depends on (seed, c) alone.
pub fn run(data: &Data, options: &Options, control: &Control) -> Result<Chains, Error> {
    options.check(data)?;
    let moments = Moments::new(data);
    // With more columns than rows some β fits perfectly.
    options.check_proper(data, moments.as_ref().map_or(0.0, |m| m.least))?;
    let iterations = (options.burn + options.draws * options.thin) as u64;
    control.begin(Stage::Draws, iterations * options.chains as u64);
    let (p, rows) = (data.columns, options.draws * options.chains);
    let dimension = p + usize::from(data.intercept);
    let table = Mutex::new(Chains {
        theta: vec![0.0; rows * dimension],
        sigma: vec![0.0; rows],
        nu: vec![0.0; rows],
        count: options.chains,
    });
    let chains: Vec<usize> = (0..options.chains).collect();
    let name = |chain: &usize| format!("in chain {}", chain + 1);
    for_each(&chains, control, name, |&chain| {
        let kept = Chain::start(data, moments.as_ref(), options, chain)?.run(control)?;
        let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
        let first = chain * options.draws;
        for (draw, line) in kept.chunks_exact(dimension + 2).enumerate() {
            for (j, value) in line[..dimension].iter().enumerate() {
                table.theta[j * rows + first + draw] = *value;
            }
            table.sigma[first + draw] = line[dimension];
            table.nu[first + draw] = line[dimension + 1];
        }
        Ok(())
    })?;
    Ok(table.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// One chain: state, conditionals with their constant parts, and the generator.
struct Chain<'a> {
    data: &'a Data,
    options: &'a Options,
    gaussian: Gaussian<'a>,
    scale: Tilted,
    nu_gamma: Option<Gamma<f64>>,
    variance_gamma: Option<Gamma<f64>>,
    beta: Vec<f64>,
    precision: Vec<f64>,
    variance: f64,
    nu: f64,
    rng: ChaCha8Rng,
}

impl<'a> Chain<'a> {
    fn start(
        data: &'a Data,
        moments: Option<&'a Moments>,
        options: &'a Options,
        chain: usize,
    ) -> Result<Chain<'a>, Error> {
        let mut rng = random_stream(options.seed, b"wbb bridge stream, rev 1", chain as u64);
        let p = data.columns as f64;
        let gamma = |shape: f64| {
            Gamma::new(shape, 1.0).map_err(|e| Error::Internal(format!("gamma({shape}): {e}")))
        };
        let nu_gamma = match options.shrinkage {
            Shrinkage::Gamma { shape, .. } => Some(gamma(shape + p / options.alpha)?),
            _ => None,
        };
        let variance_gamma = match options.noise {
            Noise::InverseGamma { shape, .. } => {
                let scaled = if matches!(options.shrinkage, Shrinkage::Lasso(_)) { p } else { 0.0 };
                Some(gamma(shape + 0.5 * data.freedom() + scaled)?)
            }
            Noise::Fixed(_) => None,
        };
        // Chains start far apart, with coefficients of any sign that could explain all of y.
        let total = data.response_variance();
        let beta: Vec<f64> = (0..data.columns)
            .map(|j| {
                let z: f64 = StandardNormal.sample(&mut rng);
                let column = data.column(j);
                let square = column.iter().map(|v| v * v).sum::<f64>() / data.rows as f64;
                if square > 0.0 { z * (total / (square * p)).sqrt() } else { z }
            })
            .collect();
        let spread: f64 = StandardNormal.sample(&mut rng);
        let variance = match options.noise {
            Noise::Fixed(variance) => variance,
            Noise::InverseGamma { rate, .. } if total == 0.0 => rate,
            Noise::InverseGamma { .. } => total * (0.5 * spread).exp(),
        };
        let mut chain = Chain {
            data,
            options,
            gaussian: Gaussian::new(data, moments),
            scale: Tilted::new(options.alpha),
            nu_gamma,
            variance_gamma,
            precision: vec![0.0; beta.len()],
            beta,
            variance,
            nu: 1.0,
            rng,
        };
        chain.draw_shrinkage();
        chain.draw_scales();
        Ok(chain)
    }

    /// Lines of (intercept), β, σ, ν.
    fn run(mut self, control: &Control) -> Result<Vec<f64>, Error> {
        let options = self.options;
        let width = self.data.columns + usize::from(self.data.intercept) + 2;
        let mut kept = Vec::with_capacity(options.draws * width);
        for iteration in 1..=options.burn + options.draws * options.thin {
            self.step();
            if iteration > options.burn && (iteration - options.burn) % options.thin == 0 {
                self.keep(&mut kept);
            }
            if iteration % CHECK == 0 {
                control.check()?;
                control.advance(CHECK as u64);
            }
        }
        Ok(kept)
    }

    fn step(&mut self) {
        self.gaussian.draw(self.variance, &self.precision, &mut self.beta, &mut self.rng);
        self.draw_variance();
        self.draw_shrinkage();
        self.draw_scales();
    }

    fn draw_variance(&mut self) {
        let Some(gamma) = self.variance_gamma else {
            return;
        };
        let Noise::InverseGamma { rate, .. } = self.options.noise else {
            return;
        };
        let mut sum = rate + 0.5 * self.gaussian.residual_square(&self.beta);
        if let Shrinkage::Lasso(lambda) = self.options.shrinkage {
            sum += lambda * self.powers();
        }
        self.variance = sum / gamma.sample(&mut self.rng);
    }

    fn draw_shrinkage(&mut self) {
        self.nu = match (self.options.shrinkage, self.nu_gamma) {
            (Shrinkage::Gamma { rate, .. }, Some(gamma)) => {
                gamma.sample(&mut self.rng) / (rate + self.powers())
            }
            (Shrinkage::Lasso(lambda), _) => lambda / self.variance,
            (Shrinkage::Fixed(nu), _) => nu,
            (Shrinkage::Gamma { .. }, None) => self.nu,
        };
    }

    /// Σ |βⱼ|^α.
    fn powers(&self) -> f64 {
        let alpha = self.options.alpha;
        let sizes = self.beta.iter().map(|b| b.abs());
        if alpha == 0.5 {
            sizes.map(f64::sqrt).sum()
        } else if alpha == 1.0 {
            sizes.sum()
        } else {
            sizes.map(|b| b.powf(alpha)).sum()
        }
    }

    /// Precisions 2 sⱼ/τ², with the scales drawn given |βⱼ|/τ.
    fn draw_scales(&mut self) {
        let alpha = self.options.alpha;
        let inverse_tau = if alpha == 0.5 { self.nu * self.nu } else { self.nu.powf(1.0 / alpha) };
        let double = 2.0 * inverse_tau * inverse_tau;
        for (precision, beta) in self.precision.iter_mut().zip(&self.beta) {
            let scale = self.scale.draw(beta.abs() * inverse_tau, &mut self.rng);
            // The scales' tails are so heavy that one may overflow, and its coefficient is then 0
            // to the last digit.
            *precision = (double * scale).clamp(f64::MIN_POSITIVE, f64::MAX);
        }
    }

    fn keep(&mut self, kept: &mut Vec<f64>) {
        let data = self.data;
        let sigma = self.variance.sqrt();
        let first = kept.len();
        if data.intercept {
            kept.push(0.0);
        }
        let mut shift = 0.0;
        for (j, b) in self.beta.iter().enumerate() {
            let b = b / data.x_scale[j];
            shift += b * data.x_mean[j];
            kept.push(b);
        }
        if data.intercept {
            let z: f64 = StandardNormal.sample(&mut self.rng);
            kept[first] = data.y_mean - shift + z * sigma / (data.rows as f64).sqrt();
        }
        kept.extend([sigma, self.nu]);
    }
}
