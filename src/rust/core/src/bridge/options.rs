//! What is known of ν and σ², how long to run, and whether there is a posterior at all.

use super::data::Data;
use super::gaussian::Fit;
use crate::error::Error;

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
    /// p(σ²) ∝ 1/σ², unless the columns can fit any y perfectly: then InvGamma(1, Var(y)/10).
    Unknown,
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

impl Options {
    /// Iterations of all chains.
    pub fn iterations(&self) -> u64 {
        (self.burn + self.draws * self.thin) as u64 * self.chains as u64
    }

    /// The options with what is known of σ² settled; `fit` is asked for only where it matters.
    pub(super) fn settle(
        mut self,
        data: &Data,
        fit: impl FnOnce() -> Result<Fit, Error>,
    ) -> Result<Options, Error> {
        self.check_ranges()?;
        let free = matches!(self.noise, Noise::Unknown | Noise::InverseGamma { rate: 0.0, .. });
        if free {
            let total = data.response_variance() * data.rows() as f64;
            if total == 0.0 {
                let text = "does not vary, and the variance has no proper prior";
                return Err(Error::argument("y", text.into()));
            }
            // The lasso's prior scales with σ², and keeps it from zero.
            if !matches!(self.shrinkage, Shrinkage::Lasso(_)) {
                self.settle_free(data, total, fit()?)?;
            }
        }
        if self.noise == Noise::Unknown {
            self.noise = Noise::InverseGamma { shape: 0.0, rate: 0.0 };
        }
        match self.noise {
            Noise::InverseGamma { shape, .. } if data.freedom() == 0 && shape == 0.0 => {
                let text = "must be proper when there is a single row";
                Err(Error::argument("sigma2_prior", text.into()))
            }
            _ => Ok(self),
        }
    }

    /// With p(σ²) ∝ 1/σ² and a β that fits perfectly the posterior has infinite mass at σ² = 0:
    /// near that β the likelihood grows like |y − Xβ|^(−n). Independent columns, as many as there
    /// are rows, have such a β for every y.
    fn settle_free(&mut self, data: &Data, total: f64, fit: Fit) -> Result<(), Error> {
        let any = fit.rank >= data.freedom();
        if any && self.noise == Noise::Unknown {
            let rate = 0.1 * data.response_variance();
            self.noise = Noise::InverseGamma { shape: 1.0, rate };
        } else if any || fit.square <= 1e-20 * total {
            let text = "must have a positive rate: some coefficients fit `y` perfectly, and the posterior \
                        with p(sigma^2) proportional to 1/sigma^2 is improper";
            return Err(Error::argument("sigma2_prior", text.into()));
        }
        Ok(())
    }

    fn check_ranges(&self) -> Result<(), Error> {
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
            }
            Noise::Fixed(variance) => within("sigma", variance, variance > 0.0)?,
            Noise::Unknown => {}
        }
        if self.draws == 0 || self.thin == 0 || self.chains == 0 {
            return Err(Error::argument("draws", "must be at least one".into()));
        }
        Ok(())
    }
}
