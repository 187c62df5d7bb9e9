//! Lambda chosen anew in a draw, so that the draws contain what is not known of it.
//!
//! The rows with the weights of a draw are data like any other: their cross-validation, over the folds of the
//! fit, chooses the lambda of the draw. What comes out is a factor of the fit's lambda, beside the prior
//! weight. Of few columns the Gram matrices of a draw's folds add up to its own, and a choice costs some
//! hundred small problems.

use crate::engine::cv::{CrossValidated, CrossValidation, Curve, Folds, Lambda, cross_validate};
use crate::engine::job::Control;
use crate::engine::problem::Mode;
use crate::error::Error;
use crate::random::weights::WeightPlan;

/// Most lambdas of the grid of a draw: steps of a quarter are below what a choice is uncertain by.
const LAMBDAS: usize = 40;

/// How lambda is chosen in a draw, if it is; `curve` is that of the fit.
pub(super) fn anew(lambda: &Lambda, curve: Option<&Curve>) -> Option<CrossValidation> {
    match (lambda, curve) {
        (Lambda::CrossValidated(settings), Some(curve)) if settings.anew => Some(CrossValidation {
            folds: Folds::Given(curve.fold.clone()),
            lambdas: settings.lambdas.min(LAMBDAS),
            ..settings.clone()
        }),
        _ => None,
    }
}

/// The weights of a draw as case weights of a plan; None where none is positive.
pub(super) fn draw_plan(plan: &WeightPlan, draw: u64) -> Option<WeightPlan> {
    let mut weights = vec![0.0; plan.rows()];
    plan.draw(draw).fill(0, &mut weights);
    plan.clone().with_case_weights(weights).ok()
}

/// The lambda that a draw's data choose, as a factor of the fit's; 1 where its weights leave too few folds.
pub(super) fn factor(
    problem: &dyn CrossValidated,
    settings: &CrossValidation,
    lambda: f64,
    control: &Control,
) -> Result<f64, Error> {
    match cross_validate(problem, settings, &control.within()) {
        Ok(curve) => Ok(curve.chosen(settings.rule) / lambda),
        Err(Error::Argument { .. }) => Ok(1.0),
        Err(error) => Err(error),
    }
}

/// Modes, draw after draw, with the lambda of each.
pub(super) fn carry_lambdas(modes: Vec<Mode>, lambda: &[f64], factors: &[f64]) -> Vec<Mode<f64>> {
    let lambdas =
        factors.iter().flat_map(|factor| lambda.iter().map(move |lambda| lambda * factor));
    modes.into_iter().zip(lambdas).map(|(mode, lambda)| mode.carrying(lambda)).collect()
}
