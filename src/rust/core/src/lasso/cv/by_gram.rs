//! The path of a fold from its Gram matrix: all rows less those held out.
//!
//! Sweeps are on a copy in single precision, from slopes that are found anew in double at each lambda: half the bytes
//! took two thirds of the time where the matrix is larger than the second cache.

use super::columns::Held;
use super::walk::{Coordinates, Slopes, Steps, Walk, exact, sweep};
use super::{Folding, nonzero};
use crate::engine::cv::{Ending, Path};
use crate::engine::job::Control;
use crate::error::Error;
use crate::lasso::certificate::Point;
use crate::lasso::extrapolate::State;
use crate::lasso::free::minimise;
use crate::lasso::gram::{Centred, Moments};
use crate::lasso::newton::Newton;
use crate::lasso::quadratic::Origin;
use crate::lasso::task::{RowWeights, Task, Totals};
use crate::linalg::lanes::dispatch;

/// Part of what a last sweep may gain that sweeps at the minimum do.
const STILL: f64 = 1e-6;
/// What rounding leaves of a slope, as a part of its penalty.
const ROUNDING: f64 = 1e-6;
/// Part of its gain at which a walk looks again: a gap costs less than a sweep here.
const FINER: f64 = 0.1;
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
    let rows = || RowWeights::Fold { plan, fold: of_row, number: fold, held: true };
    let held = match &lasso.summed {
        Some(summed) => summed.fold(fold),
        None => {
            let mut rows = rows();
            Moments::new(&lasso.data, &mut |first, w| rows.fill(first, w), control)?
        }
    };
    // Few rows are sooner looked at than a Gram matrix.
    let few = lasso.summed.is_none().then(|| Held::new(lasso.data.design.rows, rows()));
    let few = few.filter(|few| few.weights.len() < lasso.data.design.cols);
    let few = few.map(|few| few.pack(&lasso.data.design));
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
    let rows: Vec<f32> = centred.gram.iter().map(|h| (h / centred.w) as f32).collect();
    let mut walk = Walk::new(FINER);
    let (mut last, mut ending) = (f64::INFINITY, Ending::default());
    for &lambda in lambda {
        control.check()?;
        lasso.factors.fill(lambda * share, &[1.0], &mut task.penalty);
        walk.aim(lasso.data.design.rows, lasso.factors.alpha() < 1.0, &path, &task);
        walk.ahead.go(last, lambda, &mut task.beta, 0);
        if !descend(&centred, (&rows, &square), &mut walk, &mut task, control)? {
            exactly(&centred, &mut task, &mut newton, control)?;
            let gradient = centred.gradient(&task.beta);
            stand(&centred, &mut task, gradient);
        }
        let selected = task.beta.clone();
        if let Some(refit) = lasso.options.refit {
            lasso.restrict(&mut task, refit * share, &[1.0]);
            exactly(&centred, &mut task, &mut newton, control)?;
        }
        let b0 = centred.intercept(&task.beta);
        path.errors.push(match &few {
            Some(few) => few.squares(&lasso.data, b0, &task.beta),
            None => held.squares(b0, &task.beta),
        });
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
    (rows, square): (&[f32], &[f64]),
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
    let mut slopes = Correlations { rows, w: centred.w, slope: Vec::new() };
    slopes.put(&centred.gradient(beta));
    let mut near = |walk: &mut Walk, slopes: &dyn Steps, beta: &[f64], gain: f64| {
        if exact(f64::from(nonzero(beta)), 0.0) < CHEAP {
            let rounding = |j: usize| (ROUNDING * penalty.l1[j]).powi(2) / square[j];
            let support = (0..beta.len()).filter(|&j| beta[j] != 0.0);
            return walk.is_still((gain - support.map(rounding).sum::<f64>()) / STILL);
        }
        if !walk.is_still(gain) {
            return false;
        }
        let gradient = slopes.slopes(&all);
        let rr = left(centred, beta, &gradient);
        let Centred { yy, w, .. } = *centred;
        walk.is_near(&Point { beta, gradient: &gradient, penalty, rr, yy, w }, true)
    };
    let settled = walk.descend(&mut slopes, &on, beta, &worth, &mut near, control)?;
    stand(centred, task, slopes.slopes(&all));
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

/// Slopes of all columns, which a step changes by a row of the Gram matrix: a part of Σw each, in single precision, as
/// rows of half the size stay near the caches and slopes begin afresh at each lambda.
struct Correlations<'a> {
    rows: &'a [f32],
    w: f64,
    slope: Vec<f32>,
}

impl Correlations<'_> {
    fn put(&mut self, slopes: &[f64]) {
        self.slope = slopes.iter().map(|s| (s / self.w) as f32).collect();
    }
}

impl Slopes for Correlations<'_> {
    #[inline(always)]
    fn slope(&self, j: usize) -> f64 {
        f64::from(self.slope[j]) * self.w
    }

    #[inline(always)]
    fn subtract(&mut self, j: usize, by: f64) {
        let row = self.rows.chunks_exact(self.slope.len()).nth(j).unwrap_or_default();
        let by = by as f32;
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

    fn note(&self, state: &mut State) {
        state.residual = self.slope.iter().map(|s| f64::from(*s) * self.w).collect();
    }

    fn go(&mut self, state: &State) {
        self.put(&state.residual);
    }

    /// Slopes change by −H d.
    fn product(&self, which: &[u32], a: &State, b: &State) -> f64 {
        -which.iter().zip(&b.beta).map(|(&j, d)| d * a.residual[j as usize]).sum::<f64>()
    }
}
