//! The paths of a group of folds on their residuals: all of them see the data in the same pass.
//!
//! A walk of an elastic net asks for the gap on its own columns, though its sweeps still gain: where columns are nearly
//! the same (two that have one entry each, in the same row) and only the ridge tells them apart, sweeps move
//! coefficients from one to the other for long, and no fit with them. The gap, which is of second order with a ridge,
//! knows that, what sweeps gain does not. Tried: passes over all columns for these looks, which cost as much as
//! the sweeps (1,000 × 3,000 with twenty entries a column took half as long again); without a ridge looks are in vain.
//!
//! Tried: the sweeps of all folds side by side, an entry of a sparse column looked up once for a vector of them. Folds
//! end at different times (200 × 3,000: in two thirds of the sweeps four of ten folds or fewer were left), and what one
//! looks at all must: 429 ms for 388, and 582 for 455 at 1,000 × 3,000 with twenty entries a column.

use super::columns::{FoldColumns, Held, Singles};
use super::walk::{Coordinates, Walk, exact};
use super::{Folding, nonzero};
use crate::data::design::Design;
use crate::engine::cv::{Ending, Path};
use crate::engine::job::Control;
use crate::engine::limits::Limits;
use crate::error::Error;
use crate::lasso::batch::Attempt;
use crate::lasso::newton::Newton;
use crate::lasso::pass::{Room, pass, pass_in};
use crate::lasso::problem::Lasso;
use crate::lasso::task::{RowWeights, Task};

/// Walks between passes before the exact way.
const ROUNDS: u32 = 6;
/// The gap that the exact way is asked for, at most.
const EXACT: f64 = 9e-7;
/// Part of its gain at which a walk ends that is to be looked at again.
const FINER: f64 = 0.03;
/// Part of its penalty that a slope has where a walk looks at its column, once a pass missed some.
const NEARLY: f64 = 0.95;
/// What a step costs beside a multiplication of a dense product, a number of its column.
const DENSE: f64 = 2.0;
const SPARSE: f64 = 16.0;
/// Products with the whole matrix that the exact way costs, at least.
const PASSES: f64 = 24.0;

/// What a step on a column costs.
pub fn step(design: &Design) -> f64 {
    (SPARSE * length(design)).min(DENSE * design.rows as f64)
}

/// Are steps on filled columns cheaper?
fn fills(design: &Design) -> bool {
    SPARSE * length(design) > DENSE * design.rows as f64
}

/// Numbers of a column.
fn length(design: &Design) -> f64 {
    design.size() as f64 / design.cols.max(1) as f64
}

/// A fold: what it is fitted to, and what it is judged by.
struct Fold<'a> {
    fit: Attempt<'a>,
    held: Held,
    columns: FoldColumns,
    walk: Walk,
    path: Path,
    /// Is it still to be fitted at this lambda, and did the last walk end by itself?
    open: bool,
    settled: bool,
    /// Weight of the rows that it is fitted to, as a part of all.
    share: f64,
}

pub fn paths(
    folding: &Folding,
    of_row: &[u32],
    group: &[u32],
    lambda: &[f64],
    control: &Control,
) -> Result<Vec<Path>, Error> {
    let lasso = folding.lasso;
    let mut folds = begin(folding, of_row, group, control)?;
    let (rows, ridge) = (lasso.data.design.rows, lasso.factors.alpha() < 1.0);
    let mut singles = Singles::new(&lasso.data.design, fills(&lasso.data.design));
    let (mut newton, mut room) = (Newton::default(), Room::default());
    let (mut last, mut ending) = (f64::INFINITY, Ending::default());
    for &lambda in lambda {
        for fold in &mut folds {
            let task = &mut fold.fit.task;
            lasso.factors.fill(lambda * fold.share, &[1.0], &mut task.penalty);
            fold.open = weight(task) > 0.0;
            fold.walk.aim(rows, ridge, &fold.path, task);
            fold.walk.ahead.go(last, lambda, &mut task.beta, 0);
        }
        // The rule of Tibshirani et al. (2012): slopes change less than λ does.
        let strong = if last.is_finite() { 2.0 - last / lambda } else { 1.0 };
        together(lasso, &mut folds, &mut singles, strong, &mut room, control)?;
        for fold in folds.iter_mut().filter(|f| f.open) {
            fold.exactly(lasso, &mut newton, control)?;
        }
        let left = folds[0].fit.task.found.rr;
        for fold in &mut folds {
            fold.path.nonzero.push(nonzero(&fold.fit.task.beta));
            let selected = lasso.options.refit.map(|_| fold.fit.task.beta.clone());
            if let Some(refit) = lasso.options.refit {
                lasso.restrict(&mut fold.fit.task, refit * fold.share, &[1.0]);
                fold.exactly(lasso, &mut newton, control)?;
            }
            let (beta, b0) = (&fold.fit.task.beta, fold.fit.task.found.b0);
            fold.path.errors.push(fold.held.squares(&lasso.data, b0, beta));
            if let Some(selected) = selected {
                fold.fit.task.beta = selected;
            }
        }
        last = lambda;
        let Fold { fit, path, .. } = &folds[0];
        let yy = fit.task.totals.as_ref().map_or(0.0, |totals| totals.yy);
        let full = path.nonzero.last().is_some_and(|count| *count as usize == fit.task.beta.len());
        if group == [0] && ending.is_here(left / yy, full) {
            break;
        }
    }
    Ok(folds.into_iter().map(|f| f.path).collect())
}

fn weight(task: &Task) -> f64 {
    task.totals.as_ref().map_or(0.0, |t| t.w)
}

fn begin<'a>(
    &Folding { lasso, plan, .. }: &Folding<'a>,
    of_row: &'a [u32],
    group: &[u32],
    control: &Control,
) -> Result<Vec<Fold<'a>>, Error> {
    let rows = |number: u32, held: bool| RowWeights::Fold { plan, fold: of_row, number, held };
    let mut fits: Vec<Task> = group.iter().map(|&f| lasso.task(rows(f, false))).collect();
    let mut all = lasso.task(RowWeights::Case(plan));
    let mut everything: Vec<&mut Task> = fits.iter_mut().chain([&mut all]).collect();
    pass(&lasso.data, &mut everything, control)?;
    let total = weight(&all);
    let fold = |(mut fit, &number): (Task<'a>, &u32)| {
        let held = Held::new(lasso.data.design.rows, rows(number, true));
        let weight_of_held = held.weights.iter().sum();
        Fold {
            columns: FoldColumns::new(&lasso.data, &mut fit),
            walk: Walk::new(FINER),
            path: Path {
                errors: Vec::new(),
                weight: if weight(&fit) > 0.0 { weight_of_held } else { 0.0 },
                nonzero: Vec::new(),
            },
            open: false,
            settled: true,
            share: weight(&fit) / total,
            fit: Attempt::from(fit),
            held,
        }
    };
    Ok(fits.into_iter().zip(group).map(fold).collect())
}

/// Walk, pass, certify, until all folds are certified or nothing more is gained.
fn together(
    lasso: &Lasso,
    folds: &mut [Fold],
    singles: &mut Singles,
    strong: f64,
    room: &mut Room,
    control: &Control,
) -> Result<(), Error> {
    let bare = |f: &Fold| f.fit.task.penalty.l1.contains(&0.0);
    let mut walking: Vec<&mut Fold> = folds.iter_mut().filter(|f| f.open && !bare(f)).collect();
    for round in 0..ROUNDS {
        if walking.is_empty() {
            break;
        }
        let least = if round == 0 { strong } else { NEARLY };
        for fold in &mut walking {
            fold.descend(lasso, singles, least, control)?;
        }
        let mut tasks: Vec<&mut Task> = walking.iter_mut().map(|f| &mut f.fit.task).collect();
        pass_in(&lasso.data, &mut tasks, room, control)?;
        for Fold { walk, fit, open, settled, .. } in walking.iter_mut().map(|f| &mut **f) {
            *open = !walk.is_near(&fit.point(), *settled);
        }
        walking.retain(|f| f.open && f.settled);
    }
    Ok(())
}

impl Fold<'_> {
    /// Walk on the columns whose slopes are at least this part of their penalty.
    fn descend(
        &mut self,
        lasso: &Lasso,
        singles: &mut Singles,
        least: f64,
        control: &Control,
    ) -> Result<(), Error> {
        let data = &lasso.data;
        let task = &mut self.fit.task;
        let (slopes, l1) = (&task.found.gradient, &task.penalty.l1);
        let wanted = |j: usize| task.beta[j] != 0.0 || slopes[j].abs() >= least * l1[j];
        let which: Vec<u32> = (0..task.beta.len() as u32).filter(|&j| wanted(j as usize)).collect();
        self.columns.admit(data, singles, &which);
        let mut steps = self.columns.residual(data, singles, task);
        let (each, length, size) = (step(&data.design), length(&data.design), data.design.size());
        // The exact way looks at all of the data, too.
        let worth = |m: f64| (exact(m, length) + PASSES * size as f64) / each;
        let on =
            Coordinates { which: &which, penalty: &task.penalty, square: self.columns.squares() };
        let beta = &mut task.beta;
        let ridge = lasso.factors.alpha() < 1.0;
        self.settled = self.walk.descend(
            steps.as_mut(),
            &on,
            beta,
            &worth,
            &mut |walk, steps, beta, gain| {
                walk.is_still(gain) || (ridge && walk.is_near_on(steps, &on, beta, gain))
            },
            control,
        )?;
        Ok(())
    }

    /// By the Gram matrix of the columns that matter.
    fn exactly(
        &mut self,
        lasso: &Lasso,
        newton: &mut Newton,
        control: &Control,
    ) -> Result<(), Error> {
        let limits = Limits { tolerance: EXACT, ..lasso.options.limits };
        lasso.solve_alone(&mut self.fit, limits, newton, control)?;
        Ok(())
    }
}
