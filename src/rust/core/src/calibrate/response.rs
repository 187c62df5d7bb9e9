//! A response simulated from a truth, as its family has it.

use super::counts::{binomial, poisson};
use super::errors::{Errors, uniform};
use super::survival::Survival;
use super::{Original, Simulation};
use crate::linalg::elementary::exp;
use crate::loss::response::{Family, Response};
use rand_chacha::ChaCha8Rng;

/// What a family needs to simulate.
pub enum Simulator {
    Gaussian(Errors),
    Binomial,
    Poisson,
    Multinomial,
    Cox(Survival),
}

impl Simulator {
    pub fn new(original: &Original, simulation: &Simulation) -> Simulator {
        let Original { response, plan, .. } = original;
        match &response.family {
            Family::Gaussian => Simulator::Gaussian(Errors::new(simulation, plan)),
            Family::Binomial => Simulator::Binomial,
            Family::Poisson => Simulator::Poisson,
            Family::Multinomial { .. } => Simulator::Multinomial,
            Family::Cox { status } => {
                Simulator::Cox(Survival::new(&response.y.all(), status, plan))
            }
        }
    }

    /// A new response of the truth. Of several trials (or an exposure) a row has their mean.
    pub fn draw(&self, original: &Original, truth: &[f64], rng: &mut ChaCha8Rng) -> Response {
        let eta = original.predictors(truth);
        let Original { response, sizes, .. } = original;
        let rows =
            || eta.iter().enumerate().map(|(i, eta)| (*eta, sizes.get(i).copied().unwrap_or(1.0)));
        let mut family = response.family.clone();
        let y = match self {
            Simulator::Gaussian(errors) => errors.about(&eta, rng),
            Simulator::Binomial => {
                rows().map(|(eta, trials)| binomial(eta, trials, rng) / trials).collect()
            }
            Simulator::Poisson => {
                rows().map(|(eta, exposure)| poisson(eta, exposure, rng) / exposure).collect()
            }
            Simulator::Multinomial => {
                let n = response.y.len();
                (0..n).map(|i| class(eta.iter().skip(i).step_by(n.max(1)), rng)).collect()
            }
            Simulator::Cox(survival) => {
                let (time, status) = survival.draw(&eta, rng);
                family = Family::Cox { status };
                time
            }
        };
        Response { y: y.into(), family, offset: response.offset.clone() }
    }
}

/// A class, from 1, with chances like e^η.
fn class<'a>(eta: impl Iterator<Item = &'a f64> + Clone, rng: &mut ChaCha8Rng) -> f64 {
    let largest = eta.clone().fold(f64::NEG_INFINITY, |m, e| m.max(*e));
    let chances = eta.map(|e| exp(e - largest));
    let mut left = uniform(rng) * chances.clone().sum::<f64>();
    let mut class = 0.0;
    for chance in chances {
        class += 1.0;
        left -= chance;
        if left < 0.0 {
            break;
        }
    }
    class
}
