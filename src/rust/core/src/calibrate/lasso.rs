//! Replicates of a lasso of any family.

use super::pairs::Pairs;
use super::response::Simulator;
use super::{Coverage, Scheme, Simulation, run};
use crate::data::source::Source;
use crate::engine::job::{Control, Stage};
use crate::error::Error;
use crate::lasso::{Glm, Lasso, Options};
use crate::loss::response::{Family, Measure, Response};
use crate::random::weights::WeightPlan;
use rand::RngCore;

/// What the fit was made of.
pub struct Original {
    pub x: Source,
    pub response: Response,
    /// Trials or exposures of the rows, where they are not 1.
    pub sizes: Vec<f64>,
    pub measure: Measure,
    pub plan: WeightPlan,
    pub options: Options,
}

impl Original {
    /// The linear predictors at a truth, class after class; least squares are shifted by an offset and do not see it.
    pub fn predictors(&self, truth: &[f64]) -> Vec<f64> {
        let Response { y, family, offset } = &self.response;
        let (n, predictors) = match family {
            Family::Multinomial { classes } => (y.len(), *classes),
            _ => (y.len(), 1),
        };
        let mut eta = match offset {
            Some(offset) if *family != Family::Gaussian => offset.clone(),
            _ => vec![0.0; n * predictors],
        };
        let own = truth.len() / predictors;
        for (theta, eta) in truth.chunks_exact(own.max(1)).zip(eta.chunks_exact_mut(n.max(1))) {
            let (intercept, slopes) = theta.split_at(own - self.x.cols());
            eta.iter_mut().for_each(|e| *e += intercept.iter().sum::<f64>());
            self.x.add_product(slopes, eta);
        }
        eta
    }
}

pub fn lasso(
    original: Original,
    simulation: &Simulation,
    control: &Control,
) -> Result<Coverage, Error> {
    control.begin(Stage::Mode, 1);
    let simulator = Simulator::new(&original, simulation);
    let Original { x, response, measure, plan, options, .. } = &original;
    let gaussian = response.family == Family::Gaussian;
    if simulation.scheme == Scheme::Pairs {
        let pairs = Pairs::new(&original);
        return if gaussian {
            run(simulation, control, &|_, rng, control| {
                let (x, response, plan, options) = pairs.draw(rng)?;
                with_lambda(Lasso::new(x, response.shifted(), plan, options, control)?, |l| {
                    &l.lambda
                })
            })
        } else {
            run(simulation, control, &|_, rng, control| {
                let (x, response, plan, options) = pairs.draw(rng)?;
                with_lambda(Glm::new(x, response, *measure, plan, options, control)?, |g| &g.lambda)
            })
        };
    }
    let within = control.within();
    match &response.family {
        Family::Gaussian => {
            let y = response.clone().shifted();
            let whole = Lasso::new(x.copied(), y, plan.clone(), options.clone(), &within)?;
            run(simulation, control, &|truth, rng, control| {
                let seed = rng.next_u64();
                let y = simulator.draw(&original, truth, rng).y.into_rows();
                with_lambda(whole.with_response(y, seed, control)?, |l| &l.lambda)
            })
        }
        // The rows of a new response are in another order.
        Family::Cox { .. } => run(simulation, control, &|truth, rng, control| {
            let plan = plan.clone().with_seed(rng.next_u64());
            let response = simulator.draw(&original, truth, rng);
            let glm = Glm::new(x.copied(), response, *measure, plan, options.clone(), control)?;
            with_lambda(glm, |g| &g.lambda)
        }),
        _ => {
            let (response, plan) = (response.clone(), plan.clone());
            let whole = Glm::new(x.copied(), response, *measure, plan, options.clone(), &within)?;
            run(simulation, control, &|truth, rng, control| {
                let seed = rng.next_u64();
                let response = simulator.draw(&original, truth, rng);
                with_lambda(whole.with_response(response, seed, control)?, |g| &g.lambda)
            })
        }
    }
}

fn with_lambda<P>(problem: P, lambda: impl Fn(&P) -> &Vec<f64>) -> Result<(f64, P), Error> {
    let lambda = lambda(&problem)[0];
    Ok((lambda, problem))
}
