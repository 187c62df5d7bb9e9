//! One chain: state, conditionals with their constant parts, and the generator.

use super::data::Data;
use super::gaussian::{Gaussian, Moments};
use super::options::{Noise, Options, Shrinkage};
use super::stable::Tilted;
use crate::engine::job::Control;
use crate::error::Error;
use crate::random::streams::random_stream;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma, StandardNormal};

/// Most iterations between two looks at the stop signal, and products in so many.
const CHECK: usize = 64;
const WORK: usize = 1 << 20;
/// Of 1/τ and of |β|/τ: their squares are numbers, and beyond it nothing is left of a coefficient.
const LARGEST: f64 = 1e100;

pub struct Chain<'a> {
    data: &'a Data,
    options: &'a Options,
    gaussian: Gaussian<'a>,
    scale: Tilted,
    nu_gamma: Option<Gamma<f64>>,
    variance_gamma: Option<Gamma<f64>>,
    pub beta: Vec<f64>,
    precision: Vec<f64>,
    pub variance: f64,
    pub nu: f64,
    rng: ChaCha8Rng,
}

impl<'a> Chain<'a> {
    pub fn start(
        data: &'a Data,
        moments: Option<&'a Moments>,
        options: &'a Options,
        chain: usize,
    ) -> Result<Chain<'a>, Error> {
        let mut rng = random_stream(options.seed, b"wbb bridge stream, rev 1", chain as u64);
        let p = data.columns() as f64;
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
                Some(gamma(shape + 0.5 * data.freedom() as f64 + scaled)?)
            }
            _ => None,
        };
        // Chains start far apart, with coefficients of any sign that could explain all of y.
        let total = data.response_variance();
        let start = |square: &f64| {
            let z: f64 = StandardNormal.sample(&mut rng);
            let square = square / data.rows() as f64;
            if square > 0.0 { z * (total / (square * p)).sqrt() } else { z }
        };
        let beta: Vec<f64> = data.squares.iter().map(start).collect();
        let spread: f64 = StandardNormal.sample(&mut rng);
        let variance = match options.noise {
            Noise::Fixed(variance) => variance,
            Noise::InverseGamma { rate, .. } if total == 0.0 => rate,
            _ => total * (0.5 * spread).exp(),
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

    /// Run to the end, showing `keep` every state that is kept.
    pub fn run(
        mut self,
        control: &Control,
        mut keep: impl FnMut(&mut Chain<'a>),
    ) -> Result<(), Error> {
        let options = self.options;
        let (n, p) = (self.data.rows(), self.data.columns());
        let every = (WORK / (n.min(p).saturating_mul(p))).clamp(1, CHECK);
        let last = options.burn + options.draws * options.thin;
        for iteration in 1..=last {
            self.step(control)?;
            if iteration > options.burn && (iteration - options.burn) % options.thin == 0 {
                keep(&mut self);
            }
            if iteration % every == 0 || iteration == last {
                control.check()?;
                control.advance(((iteration - 1) % every + 1) as u64);
            }
        }
        Ok(())
    }

    fn step(&mut self, control: &Control) -> Result<(), Error> {
        let Chain { gaussian, precision, beta, rng, variance, .. } = self;
        gaussian.draw(*variance, precision, beta, rng, control)?;
        self.draw_variance(control)?;
        self.draw_shrinkage();
        self.draw_scales();
        Ok(())
    }

    fn draw_variance(&mut self, control: &Control) -> Result<(), Error> {
        let (Some(gamma), Noise::InverseGamma { rate, .. }) =
            (self.variance_gamma, self.options.noise)
        else {
            return Ok(());
        };
        let mut sum = rate + 0.5 * self.gaussian.residual_square(&self.beta, control)?;
        if let Shrinkage::Lasso(lambda) = self.options.shrinkage {
            sum += lambda * self.powers();
        }
        self.variance = sum / gamma.sample(&mut self.rng);
        Ok(())
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
        // Rejection would go on for ever where the tilt is no number.
        let inverse_tau = inverse_tau.min(LARGEST);
        let double = 2.0 * inverse_tau * inverse_tau;
        for (precision, beta) in self.precision.iter_mut().zip(&self.beta) {
            let scale = self.scale.draw((beta.abs() * inverse_tau).min(LARGEST), &mut self.rng);
            // The scales' tails are so heavy that one may overflow, and its coefficient is then 0
            // to the last digit.
            *precision = (double * scale).clamp(f64::MIN_POSITIVE, f64::MAX);
        }
    }

    /// Add (intercept), β on the scale of the user's columns, σ and ν.
    pub fn keep_line(&mut self, kept: &mut Vec<f64>) {
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
            kept[first] = data.y_mean - shift + z * sigma / (data.rows() as f64).sqrt();
        }
        kept.extend([sigma, self.nu]);
    }
}
