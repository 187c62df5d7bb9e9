//! Cross-validated paths of the lasso: folds are rows of weight zero.

use super::batch::{self, Attempt};
use super::free::minimise;
use super::gram::{Centred, Moments};
use super::newton::Newton;
use super::pass::{fits, pass};
use super::problem::Lasso;
use super::quadratic::Origin;
use super::redrawn::{anew, draw_plan, factor};
use super::sweeps::converge;
use super::task::{RowWeights, Task};
use crate::engine::cv::{CrossValidated, Path};
use crate::engine::job::Control;
use crate::engine::limits::Limits;
use crate::error::Error;
use crate::linalg::lanes::LANES;
use crate::random::weights::WeightPlan;

/// Sweeps end when none moves the fit by more than this part of y'Wy.
const PRECISION: f64 = 1e-11;
/// Gap of the solutions that are found by passes over the data.
const ROUGH: f64 = 1e-6;
/// The path ends where less than this part of y'Wy is left, as glmnet's does.
const SATURATED: f64 = 1e-3;

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
        if self.total.is_some() { 1 } else { share.clamp(1, 2 * LANES) }
    }

    fn paths(
        &self,
        of_row: &[u32],
        group: &[u32],
        lambda: &[f64],
        control: &Control,
    ) -> Result<Vec<Path>, Error> {
        let mut paths = match self.total {
            Some(total) => group
                .iter()
                .map(|&fold| path_by_gram(self, total, of_row, fold, lambda, control))
                .collect::<Result<Vec<_>, _>>()?,
            None => paths_by_passes(self, of_row, group, lambda, control)?,
        };
        let unit = self.lasso.unit();
        paths.iter_mut().flat_map(|path| &mut path.errors).for_each(|error| *error *= unit);
        Ok(paths)
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
            let one = std::slice::from_mut(&mut attempt);
            batch::solve(&lasso.data, one, None, lasso.options.limits, &mut newton, control)?;
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

fn path_by_gram(
    &Folding { lasso, plan, .. }: &Folding,
    total: &Moments,
    of_row: &[u32],
    fold: u32,
    lambda: &[f64],
    control: &Control,
) -> Result<Path, Error> {
    let held = match &lasso.summed {
        Some(summed) => summed.fold(fold),
        None => {
            let mut rows = RowWeights::Fold { plan, fold: of_row, number: fold, held: true };
            Moments::new(&lasso.data, |first, w| rows.fill(first, w), control)?
        }
    };
    let train = total.without(&held);
    // A fold that leaves nothing to train on says nothing; rounding must not make it something.
    let share = if train.w > 1e-12 * total.w { train.w / total.w } else { 0.0 };
    let mut path = Path { errors: Vec::new(), weight: held.w, nonzero: Vec::new() };
    if share == 0.0 {
        path.weight = 0.0;
    }
    let centred = train.centre(lasso.options.intercept);
    let mut newton = Newton::default();
    let mut task = lasso.task(RowWeights::Case(plan));
    for &lambda in lambda {
        control.check()?;
        if share == 0.0 {
            path.errors.push(0.0);
            path.nonzero.push(0);
            continue;
        }
        lasso.factors.fill(lambda * share, &[1.0], &mut task.penalty);
        closely(&centred, &mut task, &mut newton, control)?;
        let selected = task.beta.clone();
        if let Some(refit) = lasso.options.refit {
            lasso.restrict(&mut task, refit * share, &[1.0]);
            closely(&centred, &mut task, &mut newton, control)?;
        }
        path.errors.push(held.squares(centred.intercept(&task.beta), &task.beta));
        path.nonzero.push(nonzero(&selected));
        task.beta = selected;
        if fold == 0 && centred.squares(&task.beta) < SATURATED * centred.yy {
            break;
        }
    }
    Ok(path)
}

/// Near enough to the minimum for a prediction.
fn closely(
    centred: &Centred,
    task: &mut Task,
    newton: &mut Newton,
    control: &Control,
) -> Result<(), Error> {
    let model = centred.model(&task.penalty);
    let zero = vec![0.0; task.beta.len()];
    let origin = Origin { beta: &zero, correlation: &centred.xy };
    let bare = task.penalty.l1.contains(&0.0);
    let mut correlation = Vec::new();
    origin.correlate(&model, &task.beta, &mut correlation);
    // Sweeps creep where nothing is penalised.
    let least = PRECISION * centred.yy;
    if bare || !converge(&model, &mut task.beta, &mut correlation, least) {
        minimise(&model, &origin, &mut task.beta, newton, false, control)?;
    }
    Ok(())
}

fn paths_by_passes(
    &Folding { lasso, plan, .. }: &Folding,
    of_row: &[u32],
    group: &[u32],
    lambda: &[f64],
    control: &Control,
) -> Result<Vec<Path>, Error> {
    let rows = |number: u32, held: bool| RowWeights::Fold { plan, fold: of_row, number, held };
    let attempt = |&f: &u32| Attempt::from(lasso.task(rows(f, false)));
    let mut attempts: Vec<Attempt> = group.iter().map(attempt).collect();
    let mut tests: Vec<Task> = group.iter().map(|&f| lasso.task(rows(f, true))).collect();
    let mut all = lasso.task(RowWeights::Case(plan));
    let mut everything: Vec<&mut Task> = attempts
        .iter_mut()
        .map(|a| &mut a.task)
        .chain(tests.iter_mut())
        .chain([&mut all])
        .collect();
    pass(&lasso.data, &mut everything, control)?;
    let weight = |t: &Task| t.totals.as_ref().map_or(0.0, |t| t.w);
    let total = weight(&all);
    let mut paths: Vec<Path> = attempts
        .iter()
        .zip(&tests)
        .map(|(attempt, test)| Path {
            errors: Vec::new(),
            weight: if weight(&attempt.task) > 0.0 { weight(test) } else { 0.0 },
            nonzero: Vec::new(),
        })
        .collect();
    let limits = Limits { tolerance: ROUGH, ..lasso.options.limits };
    let mut newton = Newton::default();
    for &lambda in lambda {
        for Attempt { task, .. } in &mut attempts {
            let share = weight(task) / total;
            lasso.factors.fill(lambda * share, &[1.0], &mut task.penalty);
        }
        batch::solve(&lasso.data, &mut attempts, None, limits, &mut newton, control)?;
        let selected: Vec<Vec<f64>> = attempts.iter().map(|a| a.task.beta.clone()).collect();
        let left: Vec<f64> = attempts.iter().map(|a| a.task.found.rr).collect();
        if let Some(refit) = lasso.options.refit {
            for Attempt { task, .. } in &mut attempts {
                let share = weight(task) / total;
                lasso.restrict(task, refit * share, &[1.0]);
            }
            batch::solve(&lasso.data, &mut attempts, None, limits, &mut newton, control)?;
        }
        for (attempt, test) in attempts.iter().zip(&mut tests) {
            test.beta.copy_from_slice(&attempt.task.beta);
        }
        fits(&lasso.data, &mut tests.iter_mut().collect::<Vec<_>>(), control)?;
        for (((path, attempt), test), selected) in
            paths.iter_mut().zip(&mut attempts).zip(&tests).zip(selected)
        {
            // Around the intercept of the training rows, not the test rows' own.
            let off = test.found.b0 - attempt.task.found.b0;
            path.errors.push(test.found.rr + weight(test) * off * off);
            path.nonzero.push(nonzero(&selected));
            attempt.task.beta = selected;
        }
        let yy = attempts[0].task.totals.as_ref().map_or(0.0, |totals| totals.yy);
        if group == [0] && left[0] < SATURATED * yy {
            break;
        }
    }
    Ok(paths)
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
