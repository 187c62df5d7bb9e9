//! The laws of the weights: of the rows, and of the penalty.

use crate::error::Error;

/// Law of the row weights, with mean 1 (MATH 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// Exp(1), the paper's.
    Exponential,
    /// n · Dirichlet(a, …, a).
    Dirichlet(f64),
    /// Gamma(shape a, rate a).
    Gamma(f64),
    /// Mammen's two points, shifted to mean 1 (mean, variance and third central moment 1).
    Mammen,
    /// Poisson(1) counts.
    Poisson,
    /// Multinomial(n; 1/n, …): the classical bootstrap.
    Multinomial,
    /// All ones: every draw is the mode itself.
    Ones,
}

impl Law {
    /// Some laws have a parameter, which is positive; the others ignore it.
    pub fn new(name: &str, parameter: Option<f64>) -> Result<Law, Error> {
        let shaped = |law: fn(f64) -> Law| match parameter {
            Some(shape) if shape > 0.0 && shape.is_finite() => Ok(law(shape)),
            Some(shape) => {
                let text = format!("its parameter must be positive, but is {shape}");
                Err(Error::argument("weights", text))
            }
            None => Err(Error::argument("weights", format!("\"{name}\" needs a parameter"))),
        };
        match name {
            "exponential" => Ok(Law::Exponential),
            "dirichlet" => shaped(Law::Dirichlet),
            "gamma" => shaped(Law::Gamma),
            "mammen" => Ok(Law::Mammen),
            "poisson" => Ok(Law::Poisson),
            "multinomial" => Ok(Law::Multinomial),
            "ones" => Ok(Law::Ones),
            _ => Err(Error::argument("weights", format!("there is no weight law \"{name}\""))),
        }
    }
}

/// Weight of the penalty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PriorWeight {
    /// One Exp(1) for the whole penalty.
    Random,
    /// 1.
    Fixed,
    /// One Exp(1) for each coefficient (Ng & Newton 2022).
    Coefficient,
}

impl PriorWeight {
    pub fn new(name: &str) -> Result<PriorWeight, Error> {
        match name {
            "random" => Ok(PriorWeight::Random),
            "fixed" => Ok(PriorWeight::Fixed),
            "coef" => Ok(PriorWeight::Coefficient),
            _ => {
                Err(Error::argument("prior_weight", format!("there is no prior weight \"{name}\"")))
            }
        }
    }
}
