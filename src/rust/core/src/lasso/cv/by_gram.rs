//! The path of a fold from its Gram matrix: all rows less those held out.

use super::walk::{Coordinates, Slopes, Steps, Walk, exact, sweep};
use super::{Folding, nonzero};
use crate::engine::cv::{Ending, Path};
use crate::engine::job::Control;
use crate::error::Error;
use crate::lasso::certificate::Point;
use crate::lasso::free::minimise;
use crate::lasso::gram::{Centred, Moments};
use crate::lasso::newton::Newton;
use crate::lasso::quadratic::Origin;
use crate::lasso::task::{RowWeights, Task, Totals};
use crate::linalg::lanes::dispatch;

/// Part of what a last sweep may gain that sweeps at the minimum do.
const STILL: f64 = 1e-6;
/// Multiplications that nobody feels.
const CHEAP: f64 = 2e5;

pub fn path(
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
            Moments::new(&lasso.data, &mut |first, w| rows.fill(first, w), control)?
        }
    };
    let train = total.without(&held);
    // A fold that leaves nothing to train on says nothing; rounding must not make it something.
    let share = if train.w > 1e-12 * total.w { train.w / total.w } else { 0.0 };
    let mut path = Path { errors: Vec::new(), weight: held.w, nonzero: Vec::new() };
    if share == 0.0 {
        let nothing = (vec![0.0; lambda.len()], vec![0; lambda.len()]);
        (path.errors, path.nonzero, path.weight) = (nothing.0, nothing.1, 0.0);
        return Ok(path);
    }
    let centred = train.centre(lasso.options.intercept);
    let mut newton = Newton::default();
    let mut task = lasso.task(RowWeights::Case(plan));
    task.totals = Some(Totals { w: centred.w, yy: centred.yy, xw: Vec::new() });
    stand(&centred, &mut task, centred.xy.clone());
    let square = centred.gram.diag().to_vec();
    let mut walk = Walk::default();
    let (mut last, mut ending) = (f64::INFINITY, Ending::default());
    for &lambda in lambda {
        control.check()?;
        lasso.factors.fill(lambda * share, &[1.0], &mut task.penalty);
        walk.aim(lasso.data.design.rows, &path, &task);
        walk.ahead.go(last, lambda, &mut task.beta, 0);
        if !descend(&centred, &square, &mut walk, &mut task, control)? {
            exactly(&centred, &mut task, &mut newton, control)?;
            let gradient = centred.gradient(&task.beta);
            stand(&centred, &mut task, gradient);
        }
        let selected = task.beta.clone();
        if let Some(refit) = lasso.options.refit {
            lasso.restrict(&mut task, refit * share, &[1.0]);
            exactly(&centred, &mut task, &mut newton, control)?;
        }
        path.errors.push(held.squares(centred.intercept(&task.beta), &task.beta));
        path.nonzero.push(nonzero(&selected));
        task.beta = selected;
        last = lambda;
        let full = task.beta.iter().all(|b| *b != 0.0);
        if fold == 0 && ending.is_here(task.found.rr / centred.yy, full) {
            break;
        }
    }
    Ok(path)
}

/// What is found where the task stands, with this gradient.
fn stand(centred: &Centred, task: &mut Task, gradient: Vec<f64>) {
    task.found.rr = left(centred, &task.beta, &gradient);
    task.found.gradient = gradient;
}

/// r'Wr = y'Wy − β'X'Wy − β'X'Wr.
fn left(centred: &Centred, beta: &[f64], gradient: &[f64]) -> f64 {
    let explained = beta.iter().zip(centred.xy.iter().zip(gradient));
    (centred.yy - explained.map(|(b, (xy, g))| b * (xy + g)).sum::<f64>()).max(0.0)
}

/// Walk until the fit is near enough, or at the minimum where that costs next to nothing; false if it takes too
/// long. Slopes of all columns are known here, so that a gap costs less than a sweep.
fn descend(
    centred: &Centred,
    square: &[f64],
    walk: &mut Walk,
    task: &mut Task,
    control: &Control,
) -> Result<bool, Error> {
    let Task { beta, penalty, .. } = task;
    // Sweeps creep where nothing is penalised.
    if penalty.l1.contains(&0.0) {
        return Ok(false);
    }
    let all: Vec<u32> = (0..beta.len() as u32).collect();
    let on = Coordinates { which: &all, penalty, square };
    let worth = |m: f64| exact(m, 0.0) / all.len() as f64;
    let mut slopes = Correlations { centred, slope: centred.gradient(beta) };
    let near = |walk: &mut Walk, slopes: &Correlations, beta: &[f64], gain: f64| {
        if exact(f64::from(nonzero(beta)), 0.0) < CHEAP {
            return walk.is_still(gain / STILL);
        }
        if !walk.is_still(gain) {
            return false;
        }
        let rr = left(centred, beta, &slopes.slope);
        let Centred { yy, w, .. } = *centred;
        walk.is_near(&Point { beta, gradient: &slopes.slope, penalty, rr, yy, w }, true)
    };
    let settled = walk.descend(&mut slopes, &on, beta, worth, near, control)?;
    stand(centred, task, slopes.slope);
    Ok(settled)
}

/// At the minimum.
fn exactly(
    centred: &Centred,
    task: &mut Task,
    newton: &mut Newton,
    control: &Control,
) -> Result<(), Error> {
    let model = centred.model(&task.penalty);
    let zero = vec![0.0; task.beta.len()];
    let origin = Origin { beta: &zero, correlation: &centred.xy };
    minimise(&model, &origin, &mut task.beta, newton, false, control)?;
    Ok(())
}

/// Slopes of all columns, which a step changes by a row of the Gram matrix.
struct Correlations<'a> {
    centred: &'a Centred,
    slope: Vec<f64>,
}

impl Slopes for Correlations<'_> {
    #[inline(always)]
    fn slope(&self, j: usize) -> f64 {
        self.slope[j]
    }

    #[inline(always)]
    fn subtract(&mut self, j: usize, by: f64) {
        let row = self.centred.gram.row(j).to_slice().unwrap_or_default();
        for (s, &h) in self.slope.iter_mut().zip(row) {
            *s = (-by).mul_add(h, *s);
        }
    }
}

dispatch! {
    fn sweep_correlations(state: &mut Correlations, on: &Coordinates, beta: &mut [f64]) -> f64 {
        sweep(state, on, beta)
    }
}

impl Steps for Correlations<'_> {
    fn sweep(&mut self, on: &Coordinates, beta: &mut [f64]) -> f64 {
        sweep_correlations(self, on, beta)
    }

    fn slopes(&self, which: &[u32]) -> Vec<f64> {
        which.iter().map(|&j| self.slope(j as usize)).collect()
    }
}
