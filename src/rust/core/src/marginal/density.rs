//! log of likelihood times prior as a function of β, intercept and unknown variance integrated out.

use crate::bridge::{Data, Gaussian};
use crate::engine::job::Control;
use crate::error::Error;
use statrs::function::gamma::ln_gamma;
use std::f64::consts::TAU;

pub struct Density<'a> {
    gaussian: Gaussian<'a>,
    lambda: f64,
    variance: Option<f64>,
    /// Powers of 1/σ² in likelihood and prior.
    power: f64,
    constant: f64,
}

impl<'a> Density<'a> {
    pub fn new(
        data: &Data,
        gaussian: Gaussian<'a>,
        lambda: f64,
        sigma: Option<f64>,
    ) -> Density<'a> {
        let (p, freedom) = (data.columns() as f64, data.freedom() as f64);
        let power = 0.5 * freedom + p;
        let variance = sigma.map(|sigma| sigma * sigma);
        let intercept = if data.intercept { 0.5 * (data.rows() as f64).ln() } else { 0.0 };
        let of_variance = match variance {
            Some(variance) => -power * variance.ln(),
            None => ln_gamma(power),
        };
        let constant = p * (0.5 * lambda).ln() - 0.5 * freedom * TAU.ln() - intercept + of_variance;
        Density { gaussian, lambda, variance, power, constant }
    }

    pub fn at(&mut self, beta: &[f64], control: &Control) -> Result<f64, Error> {
        let size: f64 = beta.iter().map(|b| b.abs()).sum();
        let square = self.gaussian.residual_square(beta, control)?;
        let objective = 0.5 * square + self.lambda * size;
        Ok(self.constant
            - match self.variance {
                Some(variance) => objective / variance,
                None => self.power * objective.ln(),
            })
    }
}
