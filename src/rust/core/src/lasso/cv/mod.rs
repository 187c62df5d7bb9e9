//! Cross-validated paths of the lasso: folds are rows of weight zero.
//!
//! Every fold goes down the lambdas on its Gram matrix, which is that of all rows less that of the rows
//! held out (`by_gram`), or on its residual (`by_passes`, `walk`, `columns`), where each fit has a gap that is
//! small enough for its error.

mod by_gram;
mod by_passes;
mod columns;
mod walk;

use super::batch::Attempt;
use super::gram::Moments;
use super::newton::Newton;
use super::problem::Lasso;
use super::redrawn::{anew, draw_plan, factor};
use super::task::RowWeights;
use crate::engine::cv::{CrossValidated, Path};
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::lanes::LANES;
use crate::random::weights::WeightPlan;
pub use walk::{MANY, MISS};

/// A lasso whose lambda is not chosen yet, the case weights to choose it with, and the moments of all rows where
/// they are known.
pub struct Folding<'a> {
    pub lasso: &'a Lasso,
    pub total: Option<&'a Moments>,
    pub plan: &'a WeightPlan,
}

impl CrossValidated for Folding<'_> {
    fn largest_lambda(&self, control: &Control) -> Result<f64, Error> {
        lambda_max(self.lasso, self.plan, self.total, control)
    }

    fn smallest_ratio(&self) -> f64 {
        let design = &self.lasso.data.design;
        if design.rows < design.cols { 1e-2 } else { 1e-4 }
    }

    /// At random from the seed, whole clusters together.
    fn folds(&self, count: u32) -> Vec<u32> {
        match self.lasso.summed {
            // They were made with the sums.
            Some(_) => Vec::new(),
            None => self.plan.folds(count),
        }
    }

    /// Gram matrices go one by one; passes are shared by as many folds as there are threads for.
    fn together(&self, folds: u32) -> usize {
        let share = folds.div_ceil(rayon::current_num_threads() as u32) as usize;
        if self.gram().is_some() { 1 } else { share.clamp(1, 2 * LANES) }
    }

    fn paths(
        &self,
        of_row: &[u32],
        group: &[u32],
        lambda: &[f64],
        control: &Control,
    ) -> Result<Vec<Path>, Error> {
        let mut paths = match self.gram() {
            Some(total) => group
                .iter()
                .map(|&fold| by_gram::path(self, total, of_row, fold, lambda, control))
                .collect::<Result<Vec<_>, _>>()?,
            None => by_passes::paths(self, of_row, group, lambda, control)?,
        };
        let unit = self.lasso.unit();
        paths.iter_mut().flat_map(|path| &mut path.errors).for_each(|error| *error *= unit);
        Ok(paths)
    }
}

impl Folding<'_> {
    /// The moments, where a step on a row of the Gram matrix costs less than one on the residual.
    fn gram(&self) -> Option<&Moments> {
        let design = &self.lasso.data.design;
        let cheaper = self.lasso.summed.is_some() || design.cols as f64 <= by_passes::step(design);
        self.total.filter(|_| cheaper)
    }
}

/// The smallest lambda at which every penalised coefficient is zero (on the user's scale).
pub fn lambda_max(
    lasso: &Lasso,
    plan: &WeightPlan,
    total: Option<&Moments>,
    control: &Control,
) -> Result<f64, Error> {
    let mut newton = Newton::default();
    let mut task = lasso.task(RowWeights::Case(plan));
    let factors = &lasso.factors;
    let penalised = |j: &usize| factors.unit(*j) > 0.0;
    (0..factors.size()).filter(penalised).for_each(|j| task.penalty.exclude(j));
    let gradient = match total {
        Some(total) => {
            let centred = total.clone().centre(lasso.options.intercept);
            lasso.solve_gram(&centred, &mut task, &mut newton, control)?;
            centred.gradient(&task.beta)
        }
        None => {
            let mut attempt = Attempt::from(task);
            lasso.solve_alone(&mut attempt, lasso.options.limits, &mut newton, control)?;
            attempt.task.found.gradient
        }
    };
    // As glmnet does, ridge borrows its path from a mixing of 0.001.
    let alpha = factors.alpha().max(1e-3);
    let largest = (0..factors.size())
        .filter(penalised)
        .fold(0.0f64, |m, j| m.max(gradient[j].abs() / (alpha * factors.unit(j))));
    // Whoever sums a slope in another order is to find it below, too.
    Ok(if largest > 0.0 { largest * (1.0 + 1e-12) } else { 1.0 })
}

fn nonzero(beta: &[f64]) -> u32 {
    beta.iter().filter(|b| **b != 0.0).count() as u32
}

impl Lasso {
    /// What multiplies lambda in each of these draws.
    pub(super) fn lambda_factors(
        &self,
        draws: &[u64],
        control: &Control,
    ) -> Result<Vec<f64>, Error> {
        let Some(settings) = anew(&self.options.lambda, self.curve.as_ref()) else {
            return Ok(vec![1.0; draws.len()]);
        };
        let choose = |&draw: &u64| {
            let Some(plan) = draw_plan(&self.plan, draw) else { return Ok(1.0) };
            let total = self.total_moments(&plan, control)?;
            let folding = Folding { lasso: self, total: total.as_ref(), plan: &plan };
            factor(&folding, &settings, self.lambda[0], control)
        };
        draws.iter().map(choose).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::source::Source;
    use crate::engine::cv::{CrossValidation, Curve, Folds, Lambda, Rule, cross_validate};
    use crate::engine::limits::Limits;
    use crate::lasso::Options;
    use crate::random::laws::{Law, PriorWeight};
    use crate::random::weights::WeightPlan;

    /// Half of the entries are zero, the last column is nearly the first.
    fn lasso(rows: usize, cols: usize, sparse: bool, alpha: f64, unit: f64) -> Lasso {
        let noise = |k: usize| ((k * 7919 + k * k % 104_729) as f64 * 0.618).sin();
        let entry = |i: usize, j: usize| match j {
            _ if j + 1 == cols => noise(i) + 0.1 * noise(i + 7),
            _ if (i + j * j) % 2 == 0 => noise(i + rows * j),
            _ => 0.0,
        };
        let x: Vec<f64> = (0..rows * cols).map(|k| unit * entry(k % rows, k / rows)).collect();
        let y = (0..rows).map(|i| 3.0 * entry(i, 0) - entry(i, 2) + noise(i * i + 3)).collect();
        let source = if sparse {
            Source::without_zeros(&x, rows, cols)
        } else {
            Source::dense(&x, rows, cols)
        };
        let options = Options {
            lambda: Lambda::Given(vec![1.0]),
            alpha,
            penalty_factor: vec![1.0; cols],
            intercept: true,
            standardize: true,
            refit: None,
            limits: Limits { tolerance: 1e-8, iterations: 1000 },
        };
        let case: Vec<f64> = (0..rows).map(|i| 1.0 + (i % 3) as f64).collect();
        let plan = WeightPlan::new(1, Law::Exponential, PriorWeight::Fixed, rows);
        let plan = plan.with_case_weights(case).unwrap();
        Lasso::new(source, y, plan, options, &Control::default()).unwrap()
    }

    fn curve(lasso: &Lasso, by_gram: bool) -> Curve {
        let control = Control::default();
        let mut weights = RowWeights::Case(&lasso.plan);
        let total =
            Moments::new(&lasso.data, &mut |first, w| weights.fill(first, w), &control).unwrap();
        let folding = Folding { lasso, total: by_gram.then_some(&total), plan: &lasso.plan };
        let settings = CrossValidation {
            folds: Folds::Count(5),
            lambdas: 30,
            ratio: Some(0.01),
            rule: Rule::Min,
            anew: false,
        };
        cross_validate(&folding, &settings, &control).unwrap()
    }

    #[test]
    fn both_ways_and_all_units_have_the_same_curve() {
        for (rows, cols, sparse, alpha) in [
            (80, 30, false, 1.0),
            (60, 90, false, 1.0),
            (60, 90, false, 0.5),
            (60, 90, true, 0.5),
            (70, 40, true, 1.0),
        ] {
            let exact = curve(&lasso(rows, cols, sparse, alpha, 1.0), true);
            for (by_gram, unit) in [(false, 1.0), (false, 1e6), (true, 1e-6)] {
                let other = curve(&lasso(rows, cols, sparse, alpha, unit), by_gram);
                assert_eq!(exact.fold, other.fold);
                assert!(exact.lambda.len() > 20 && exact.lambda.len() == other.lambda.len());
                for l in 0..exact.lambda.len() {
                    let off = (exact.mean[l] - other.mean[l]).abs() / exact.se[l];
                    assert!(off < 0.05, "{rows} {cols} {sparse} {alpha} {by_gram} {l}: {off}");
                }
            }
        }
    }
}
