//! Cross-validated paths of a family: folds are rows of weight zero.

use super::attempt::{Attempt, Setting};
use super::measure::{area, misclassified};
use super::pass::pass;
use super::problem::Glm;
use super::reweighted::settle_start;
use super::solve::solve;
use super::task::Task;
use crate::engine::cv::{Ahead, CrossValidated, Ending, Path};
use crate::engine::job::Control;
use crate::engine::limits::Limits;
use crate::error::Error;
use crate::lasso::cv::{MANY, MISS};
use crate::lasso::task::RowWeights;
use crate::linalg::lanes::LANES;
use crate::loss::response::Measure;
use crate::random::weights::WeightPlan;

/// Gaps of the solutions of folds, at least and at most.
const FINEST: f64 = 1e-7;
const ROUGHEST: f64 = 1e-4;

/// A problem whose lambda is not chosen yet, and the case weights to choose it with.
pub struct Folding<'a> {
    pub glm: &'a Glm,
    pub plan: &'a WeightPlan,
}

/// A fold: what it is fitted to, and what it is judged by.
struct Fold<'a> {
    fit: Attempt<'a>,
    test: Task<'a>,
    path: Path,
    ahead: Ahead,
    /// Weight of the rows that it is fitted to, as a part of all.
    share: f64,
}

impl CrossValidated for Folding<'_> {
    fn largest_lambda(&self, control: &Control) -> Result<f64, Error> {
        self.glm.lambda_max(self.plan, control)
    }

    fn smallest_ratio(&self) -> f64 {
        if self.glm.data.rows() < self.glm.data.cols() { 1e-2 } else { 1e-4 }
    }

    /// At random from the seed, whole clusters together; without clusters classes are spread evenly.
    fn folds(&self, count: u32) -> Vec<u32> {
        let plan = self.plan;
        let folds = plan.folds(count);
        let Some(strata) = self.glm.strata.as_ref().filter(|_| plan.clusters().is_none()) else {
            return folds;
        };
        // Where the rows of a stratum begin, if rows are in their order; then the place of its next.
        let largest = strata.values().iter().fold(0.0f64, |m, s| m.max(*s));
        let mut next = vec![0; largest as usize + 2];
        strata.iter().for_each(|s| next[s as usize + 1] += 1);
        (1..next.len()).for_each(|s| next[s] += next[s - 1]);
        let fold = |s: f64| {
            let place = &mut next[s as usize];
            *place += 1;
            folds[*place - 1]
        };
        strata.iter().map(fold).collect()
    }

    fn together(&self, folds: u32) -> usize {
        let share = folds.div_ceil(rayon::current_num_threads() as u32) as usize;
        share.clamp(1, 2 * LANES)
    }

    fn larger_is_better(&self) -> bool {
        self.glm.measure == Measure::Auc
    }

    fn paths(
        &self,
        of_row: &[u32],
        group: &[u32],
        lambda: &[f64],
        control: &Control,
    ) -> Result<Vec<Path>, Error> {
        let glm = self.glm;
        let mut folds: Vec<Fold> = group.iter().map(|&f| self.fold(of_row, f)).collect();
        for fold in &mut folds {
            settle_start(&glm.data, &mut fold.fit.task, control)?;
        }
        let whole = group == [0];
        let setting =
            Setting { direct: glm.is_small(), alone: whole, path: true, ..glm.rough(FINEST) };
        let (mut last, mut ending) = (f64::INFINITY, Ending::default());
        for &lambda in lambda {
            control.check()?;
            let tolerance = folds.iter().map(|f| f.enough(glm)).fold(ROUGHEST, f64::min);
            for fold in &mut folds {
                glm.factors.fill(lambda * fold.share, &[1.0], &mut fold.fit.task.penalty);
                fold.go_ahead(last, lambda);
            }
            let limits = Limits { tolerance, ..setting.limits };
            let setting = Setting { limits, ..setting };
            solve_all(setting, &mut folds, control)?;
            let selected: Vec<Vec<f64>> = folds.iter().map(|f| f.fit.task.place.flat()).collect();
            let first = &folds[0].fit.task;
            let left = first.found.loss / (first.found.weight * glm.unit);
            let full = first.place.beta.iter().all(|b| *b != 0.0);
            for fold in &mut folds {
                let beta = &fold.fit.task.place.beta;
                fold.path.nonzero.push(beta.iter().filter(|b| **b != 0.0).count() as u32);
            }
            if let Some(refit) = glm.options.refit {
                for fold in &mut folds {
                    glm.restrict(&mut fold.fit.task, refit * fold.share, &[1.0]);
                }
                solve_all(setting, &mut folds, control)?;
            }
            // The fit to all rows has none to be judged by.
            if !whole {
                self.judge(&mut folds, control)?;
            }
            for (fold, selected) in folds.iter_mut().zip(&selected) {
                fold.fit.task.place.set(selected);
            }
            last = lambda;
            if whole && ending.is_here(left, full) {
                break;
            }
        }
        Ok(folds.into_iter().map(|f| f.path).collect())
    }
}

fn solve_all(setting: Setting, folds: &mut [Fold], control: &Control) -> Result<(), Error> {
    let mut open: Vec<&mut Attempt> = folds.iter_mut().map(|f| &mut f.fit).collect();
    solve(setting, &mut open, control)?;
    Ok(())
}

impl Fold<'_> {
    /// To where the last two lambdas point to.
    fn go_ahead(&mut self, last: f64, next: f64) {
        let place = &mut self.fit.task.place;
        let mut flat = place.flat();
        self.ahead.go(last, next, &mut flat, place.intercept.len());
        place.set(&flat);
    }

    /// The gap that is small enough for an error, by the place of the last fit: the deviance may miss as much as squares may.
    fn enough(&self, glm: &Glm) -> f64 {
        let task = &self.fit.task;
        let (rows, weight) = (glm.data.rows(), task.found.weight);
        if weight <= 0.0 {
            return ROUGHEST;
        }
        // What is left to the rows of the fit, with its degrees of freedom, stands for an error.
        let moved = self.path.nonzero.last().map_or(0.0, |count| f64::from(*count));
        let free = (1.0 - moved / rows as f64).max(0.1);
        let error = (task.found.loss / (weight * free * free)).min(glm.unit);
        let size = (task.found.loss + task.penalties()) / weight;
        (MISS * error / (rows.clamp(1, MANY) as f64 * size)).clamp(FINEST, ROUGHEST)
    }
}

impl Folding<'_> {
    fn fold<'a>(&'a self, of_row: &'a [u32], number: u32) -> Fold<'a> {
        let &Folding { glm, plan } = self;
        let n = glm.data.rows();
        let rows = |held: bool| match number {
            0 => RowWeights::Case(plan),
            _ => RowWeights::Fold { plan, fold: of_row, number, held },
        };
        let mut fit = glm.task(rows(false));
        fit.place.intercept = glm.null_intercepts(plan);
        let counts = |i: usize| glm.events.as_ref().map_or(1.0, |e| e[i]);
        let held = |i: usize| if number == 0 || of_row[i] == number { plan.case(i) } else { 0.0 };
        let of_all: f64 = (0..n).map(|i| plan.case(i)).sum();
        let of_held: f64 = (0..n).map(held).sum();
        let share = if number == 0 { 1.0 } else { ((of_all - of_held) / of_all).max(0.0) };
        let mut weight: f64 = (0..n).map(|i| held(i) * counts(i)).sum();
        // A fold that leaves nothing to train on says nothing.
        if share <= 1e-12 {
            weight = 0.0;
        }
        // Where rows depend on each other, what is held out is what all rows have more than the others.
        let test = match &glm.events {
            Some(_) => glm.task(RowWeights::Case(plan)),
            None => glm.task(rows(true)),
        };
        let path = Path { errors: Vec::new(), weight, nonzero: Vec::new() };
        Fold { fit: Attempt::from(fit), test, path, ahead: Ahead::default(), share }
    }

    /// The error of each fold at where it stands.
    fn judge(&self, folds: &mut [Fold], control: &Control) -> Result<(), Error> {
        let glm = self.glm;
        if matches!(glm.measure, Measure::Class | Measure::Auc) {
            let mut held = vec![0.0; glm.data.rows()];
            for fold in folds {
                let at = &fold.fit.task.place;
                fold.test.weights.fill(0, &mut held);
                let error = match glm.measure {
                    Measure::Auc => match area(&glm.data, &glm.y, &held, at, control)? {
                        Some(area) => area * fold.path.weight,
                        None => {
                            fold.path.weight = 0.0;
                            0.0
                        }
                    },
                    _ => misclassified(&glm.data, &glm.y, &held, at, control)?,
                };
                fold.path.errors.push(error);
            }
            return Ok(());
        }
        for fold in folds.iter_mut() {
            fold.test.place = fold.fit.task.place.clone();
        }
        let mut tests: Vec<&mut Task> = folds.iter_mut().map(|f| &mut f.test).collect();
        pass(&glm.data, &mut tests, control)?;
        for fold in folds {
            let (test, fit) = (&fold.test.found, &fold.fit.task.found);
            let deviance = match &glm.events {
                Some(_) => 2.0 * (test.loss + test.least - fit.loss - fit.least),
                None => 2.0 * test.loss,
            };
            fold.path.errors.push(deviance);
        }
        Ok(())
    }
}
