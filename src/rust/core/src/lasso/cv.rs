//! Cross-validated paths of the lasso: folds are rows of weight zero.

use super::batch;
use super::moments::{Centred, Moments};
use super::newton::Newton;
use super::pass::{RowWeights, Task, pass};
use super::problem::Lasso;
use super::quadratic::Origin;
use super::sweeps::converge;
use crate::engine::cv::{CrossValidated, Path};
use crate::engine::job::Control;
use crate::engine::limits::Limits;
use crate::error::Error;
use crate::linalg::dense::{axpy, dot};
use crate::linalg::lanes::LANES;

/// Sweeps end when none moves the fit by more than this part of y'Wy.
const PRECISION: f64 = 1e-11;
/// Gap of the solutions that are found by passes over the data.
const ROUGH: f64 = 1e-6;
/// The path ends where less than this part of y'Wy is left, as glmnet's does.
const SATURATED: f64 = 1e-3;

/// A lasso whose lambda is not chosen yet, and the moments of all its rows where they are known.
pub struct Folding<'a> {
    pub lasso: &'a Lasso,
    pub total: Option<&'a Moments>,
}

impl CrossValidated for Folding<'_> {
    fn largest_lambda(&self, control: &Control) -> Result<f64, Error> {
        lambda_max(self.lasso, self.total, control)
    }

    fn smallest_ratio(&self) -> f64 {
        let design = &self.lasso.data().design;
        if design.rows < design.cols { 1e-2 } else { 1e-4 }
    }

    /// At random from the seed, whole clusters together.
    fn folds(&self, count: u32) -> Vec<u32> {
        let keys = self.lasso.plan().fold_keys();
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by(|&a, &b| keys[a].total_cmp(&keys[b]));
        let mut of_unit = vec![0; keys.len()];
        for (rank, unit) in order.into_iter().enumerate() {
            of_unit[unit] = rank as u32 % count + 1;
        }
        match self.lasso.plan().clusters() {
            Some(clusters) => clusters.iter().map(|&g| of_unit[g as usize]).collect(),
            None => of_unit,
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
                .map(|&fold| path_by_gram(self.lasso, total, of_row, fold, lambda, control))
                .collect::<Result<Vec<_>, _>>()?,
            None => paths_by_passes(self.lasso, of_row, group, lambda, control)?,
        };
        let unit = self.lasso.unit();
        paths.iter_mut().flat_map(|path| &mut path.errors).for_each(|error| *error *= unit);
        Ok(paths)
    }
}

/// The smallest lambda at which every penalised coefficient is zero (on the user's scale).
pub fn lambda_max(lasso: &Lasso, total: Option<&Moments>, control: &Control) -> Result<f64, Error> {
    let mut newton = Newton::default();
    let mut task = lasso.task(RowWeights::Case(lasso.plan()));
    let units: Vec<f64> = (0..task.beta.len()).map(|j| lasso.unit_penalty(j)).collect();
    for (l1, &unit) in task.l1.iter_mut().zip(&units) {
        *l1 = if unit > 0.0 { f64::INFINITY } else { 0.0 };
    }
    let gradient = match total {
        Some(total) => {
            let centred = total.clone().centre(lasso.options().intercept);
            lasso.solve_gram(&centred, &mut task, &mut newton, control)?;
            let p = task.beta.len();
            let mut gradient = centred.xy.clone();
            for (j, &b) in task.beta.iter().enumerate().filter(|(_, b)| **b != 0.0) {
                axpy(-b, &centred.gram[j * p..][..p], &mut gradient);
            }
            gradient
        }
        None => {
            let one = std::slice::from_mut(&mut task);
            batch::solve(lasso.data(), one, None, lasso.options().limits, &mut newton, control)?;
            task.found.gradient
        }
    };
    // As glmnet does, ridge borrows its path from a mixing of 0.001.
    let alpha = lasso.options().alpha.max(1e-3);
    let largest = gradient
        .iter()
        .zip(&units)
        .filter(|(_, unit)| **unit > 0.0)
        .fold(0.0f64, |m, (g, unit)| m.max(g.abs() / (alpha * unit)));
    Ok(if largest > 0.0 { largest } else { 1.0 })
}

fn nonzero(beta: &[f64]) -> u32 {
    beta.iter().filter(|b| **b != 0.0).count() as u32
}

fn path_by_gram(
    lasso: &Lasso,
    total: &Moments,
    of_row: &[u32],
    fold: u32,
    lambda: &[f64],
    control: &Control,
) -> Result<Path, Error> {
    let mut held = RowWeights::Fold { plan: lasso.plan(), fold: of_row, number: fold, held: true };
    let held = Moments::new(lasso.data(), |first, w| held.fill(first, w), control)?;
    let train = total.without(&held);
    // A fold that leaves nothing to train on says nothing; rounding must not make it something.
    let share = if train.w > 1e-12 * total.w { train.w / total.w } else { 0.0 };
    let mut path = Path { errors: Vec::new(), weight: held.w, nonzero: Vec::new() };
    if share == 0.0 {
        path.weight = 0.0;
    }
    let centred = train.centre(lasso.options().intercept);
    let mut newton = Newton::default();
    let mut task = lasso.task(RowWeights::Case(lasso.plan()));
    let mut correlation = Vec::new();
    for &lambda in lambda {
        control.check()?;
        if share == 0.0 {
            path.errors.push(0.0);
            path.nonzero.push(0);
            continue;
        }
        lasso.set_penalty(&mut task, lambda * share, &[1.0]);
        let model = centred.model(&task.l1, &task.ridge);
        let zero = vec![0.0; task.beta.len()];
        let origin = Origin { beta: &zero, correlation: &centred.xy };
        origin.correlate(&model, &task.beta, &mut correlation);
        if !converge(&model, &mut task.beta, &mut correlation, PRECISION * centred.yy) {
            newton.minimise(&model, &origin, &mut task.beta, control)?;
        }
        path.errors.push(held.squares(centred.intercept(&task.beta), &task.beta));
        path.nonzero.push(nonzero(&task.beta));
        let left = train_squares(&centred, &task.beta);
        if fold == 0 && left < SATURATED * centred.yy {
            break;
        }
    }
    Ok(path)
}

/// r'Wr at β.
fn train_squares(c: &Centred, beta: &[f64]) -> f64 {
    let p = beta.len();
    let mut sum = c.yy;
    for (j, &b) in beta.iter().enumerate().filter(|(_, b)| **b != 0.0) {
        sum += b * (dot(&c.gram[j * p..][..p], beta) - 2.0 * c.xy[j]);
    }
    sum
}

fn paths_by_passes(
    lasso: &Lasso,
    of_row: &[u32],
    group: &[u32],
    lambda: &[f64],
    control: &Control,
) -> Result<Vec<Path>, Error> {
    let rows = |number: u32, held: bool| RowWeights::Fold {
        plan: lasso.plan(),
        fold: of_row,
        number,
        held,
    };
    let mut tasks: Vec<Task> = group.iter().map(|&f| lasso.task(rows(f, false))).collect();
    let mut tests: Vec<Task> = group.iter().map(|&f| lasso.task(rows(f, true))).collect();
    let mut all = lasso.task(RowWeights::Case(lasso.plan()));
    let mut everything: Vec<&mut Task> =
        tasks.iter_mut().chain(tests.iter_mut()).chain([&mut all]).collect();
    pass(lasso.data(), &mut everything, control)?;
    let weight = |t: &Task| t.totals.as_ref().map_or(0.0, |t| t.w);
    let total = weight(&all);
    let mut paths: Vec<Path> = tasks
        .iter()
        .zip(&tests)
        .map(|(task, test)| Path {
            errors: Vec::new(),
            weight: if weight(task) > 0.0 { weight(test) } else { 0.0 },
            nonzero: Vec::new(),
        })
        .collect();
    let limits = Limits { tolerance: ROUGH, ..lasso.options().limits };
    let mut newton = Newton::default();
    for &lambda in lambda {
        for task in &mut tasks {
            let share = weight(task) / total;
            lasso.set_penalty(task, lambda * share, &[1.0]);
        }
        batch::solve(lasso.data(), &mut tasks, None, limits, &mut newton, control)?;
        for (task, test) in tasks.iter().zip(&mut tests) {
            test.beta.copy_from_slice(&task.beta);
        }
        pass(lasso.data(), &mut tests.iter_mut().collect::<Vec<_>>(), control)?;
        for ((path, task), test) in paths.iter_mut().zip(&tasks).zip(&tests) {
            // Around the intercept of the training rows, not the test rows' own.
            let off = test.found.b0 - task.found.b0;
            path.errors.push(test.found.rr + weight(test) * off * off);
            path.nonzero.push(nonzero(&task.beta));
        }
        let saturated =
            |t: &Task| t.found.rr < SATURATED * t.totals.as_ref().map_or(0.0, |totals| totals.yy);
        if group == [0] && saturated(&tasks[0]) {
            break;
        }
    }
    Ok(paths)
}
