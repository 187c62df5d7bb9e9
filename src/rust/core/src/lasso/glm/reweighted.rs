//! The minimum of a draw's own model without its Gram matrix: least squares reweighted by the curvature of
//! the loss, by descent on the residual of columns.
//!
//! The Gram matrix of some hundred sparse columns is full, and costs far more than the columns do; that of dense ones does where
//! they are nearly as many as the rows, or have several classes. Finer models far from the end (a precision of 0.01 or 0.002 in place of 0.05)
//! were tried, and make no difference.

use super::attempt::{FEW, Setting};
use super::certificate::{by_slopes, size};
use super::classes::{AtRows, minimise as minimum, of_shares};
use super::curvature::{column_sums, of_rows};
use super::task::{Data, Place, Task};
use crate::engine::job::Control;
use crate::error::Error;
use crate::lasso::by_rows::{goes_by_rows, solve_by_rows};
use crate::lasso::descent::{Descent, descent_cost, exact_cost};
use crate::lasso::task::{self as squares, RowWeights, Totals};
use crate::lasso::working::looked_at;
use crate::linalg::dense::dot;
use crate::loss::{Sums, sum};

/// Gram matrices that a draw takes, and a lambda of a path.
const MODELS: f64 = 3.0;
const ON_A_PATH: f64 = 0.1;
/// The least curvature of a row, as a part of the mean: a row that is fitted all but perfectly may stand
/// still, but its slope counts.
const LEAST: f64 = 1e-9;
/// Rounds of Newton for the intercept, the longest step of one, and the shortest that is worth another: what it leaves is
/// of the order of its square.
const ROUNDS: u32 = 40;
const LONGEST: f64 = 2.0;
const SHORTEST: f64 = 2e-8;
const SHORT: f64 = 1e-3;
/// What a step on an entry costs for one of several classes, in multiplications of a dense product, for what a descent may take
/// beside the Gram matrix.
const STEP: f64 = 50.0;
const DENSE_STEP: f64 = 8.0;
/// How many times as much a descent of several classes takes on dense columns as one of one class: five streams of numbers, and
/// classes that are nearly each other's negatives.
const SLOW: f64 = 6.0;
const PATIENCE: f64 = 0.5;
/// What an entry of a sparse design costs that a Gram matrix looks at, and a row of it.
const LOOK: f64 = 50.0;
const OF_ROW: f64 = 150.0;

/// Steps in a row that do not halve the gap, nor take this part of the objective, after which only the Gram matrix is
/// left: far from the end a single slope makes the gap.
const VAIN: u32 = 4;
const MUCH: f64 = 1e-3;
/// How near the minimum of a model a step goes: to a part of the square of the gap, never further away than
/// the second, nor nearer than a part of the tolerance, or of its root where only the objective counts; and how much
/// nearer after each step in vain.
const SQUARED: f64 = 0.3;
const ROOT: f64 = 0.1;
const COARSE: f64 = 0.05;
const MISS: f64 = 0.3;
const FINER: f64 = 0.1;

/// How a draw fares without Gram matrices.
pub struct Reweighting {
    /// The least gap, and steps since it last was halved.
    gap: f64,
    in_vain: u32,
}

impl Default for Reweighting {
    fn default() -> Reweighting {
        Reweighting { gap: f64::INFINITY, in_vain: 0 }
    }
}

impl Reweighting {
    pub fn give_up(&mut self) {
        self.in_vain = VAIN;
    }

    /// Is only the Gram matrix left?
    fn gave_up(&self) -> bool {
        self.in_vain >= VAIN
    }

    /// Did sweeps over sparse columns take too long? Far dearer ones over their Gram matrix would, too.
    pub fn is_hard(&self, data: &Data) -> bool {
        self.gave_up() && data.base.design.is_sparse()
    }

    /// Where the minimum of the model at a task's place is, whose coordinates would be these; None if this is
    /// not the way for it. The step before has `gained` as much, which is infinite where it had to be shortened (no finer model would
    /// have led further), and slopes prove this bound, if that is known.
    pub fn step(
        &mut self,
        set: Setting,
        task: &mut Task,
        coordinates: &[u32],
        (gained, proved): (f64, Option<f64>),
        rows: &mut Rows,
        control: &Control,
    ) -> Result<Option<Place>, Error> {
        let open = !self.gave_up() && is_open(set, task);
        if !open || !is_cheaper(set, task, coordinates) {
            return Ok(None);
        }
        let size = size(set, task);
        let gap = proved.unwrap_or_else(|| by_slopes(set, task)) / size;
        // No finer model than the exact one of the rows could lead further.
        let exact = is_wide_ridge(set.data, task);
        let leads_on = gap < 0.5 * self.gap || gained > MUCH * size || exact;
        self.in_vain = if leads_on { 0 } else { self.in_vain + 1 };
        self.gap = self.gap.min(gap);
        let finer = FINER.powi(self.in_vain as i32);
        let near = SQUARED * gap * gap * finer;
        let tolerance = set.limits.tolerance;
        let finest = if set.rough { ROOT * tolerance.sqrt() } else { MISS * tolerance };
        let precision = near.max(finest * finer).min(COARSE);
        let (to, reached) = if set.data.predictors() > 1 {
            minimise_classes(set, task, coordinates, precision, rows, control)?
        } else {
            let to = minimise(set, task, precision, control)?;
            let reached = to.is_some();
            (to, reached)
        };
        if !reached {
            self.give_up();
        }
        Ok(to)
    }
}

/// Is it a ridge whose rows are fewer than its columns?
pub fn is_wide_ridge(data: &Data, task: &Task) -> bool {
    let single = data.predictors() == 1 && !data.likelihood.coupled();
    single && goes_by_rows(&data.base, &task.penalty).is_some()
}

/// Can a draw be solved so? Every slope has a bound, no row depends on another, and Gram matrices are not cheap anyway.
fn is_open(set: Setting, task: &Task) -> bool {
    let data = set.data;
    if is_wide_ridge(data, task) {
        return true;
    }
    // Where draws share a model they have far more rows than columns.
    let many = data.base.design.is_sparse() || (data.size() > FEW && set.reference.is_none());
    many && !data.likelihood.coupled() && task.penalty.l1.iter().all(|l1| *l1 > 0.0)
}

/// Entries of these coordinates.
fn entries(data: &Data, coordinates: &[u32]) -> f64 {
    if !data.base.design.is_sparse() {
        return (coordinates.len() * data.rows()) as f64;
    }
    let column = |c: &u32| data.base.design.sparse_column(*c as usize % data.cols());
    coordinates.iter().map(|c| column(c).map_or(0, |c| c.0.len())).sum::<usize>() as f64
}

/// Does it cost less than Gram matrices of these coordinates, by count? What descent leaves at one place it goes on
/// from at the next: all steps together cost as much as one alone.
fn is_cheaper(set: Setting, task: &Task, coordinates: &[u32]) -> bool {
    let data = set.data;
    if is_wide_ridge(data, task) {
        return true;
    }
    let moved = |j: &u32| task.place.beta[*j as usize] != 0.0;
    let support: Vec<u32> = coordinates.iter().copied().filter(moved).collect();
    // Shares of classes sum to one.
    let free = data.rows() as f64 * (data.predictors() as f64 - 1.0).max(1.0);
    let sparse = data.base.design.is_sparse();
    let slow = if data.predictors() > 1 && !sparse { SLOW } else { 1.0 };
    let descent = slow * descent_cost(entries(data, &support), support.len() as f64, free, sparse);
    let models = if set.path { ON_A_PATH } else { MODELS };
    descent < models * own_cost(data, coordinates)
}

/// What a Gram matrix of these coordinates costs, and what comes of it.
pub fn own_cost(data: &Data, coordinates: &[u32]) -> f64 {
    let (classes, m) = (data.predictors() as f64, coordinates.len() as f64);
    let entries = entries(data, coordinates);
    if !data.base.design.is_sparse() {
        return exact_cost(0.5 * entries, m);
    }
    // Every pair of classes looks at all entries.
    let pairs = 0.5 * classes * (classes + 1.0);
    // Measured for several classes: of one, rows cost little beside what else is charged.
    let of_rows = if classes > 1.0 { OF_ROW * data.rows() as f64 } else { 0.0 };
    let looks = LOOK * data.base.design.size() as f64 + of_rows;
    pairs * looks + exact_cost(entries, m)
}

/// The same as `minimise` for several classes; a descent that does not get there has led on, and says so.
fn minimise_classes(
    set: Setting,
    task: &mut Task,
    coordinates: &[u32],
    precision: f64,
    rows: &mut Rows,
    control: &Control,
) -> Result<(Option<Place>, bool), Error> {
    let data = set.data;
    rows.go_to(data, task, control)?;
    let Some(counted) = rows.look_at_classes(data) else { return Ok((None, false)) };
    let Rows { weights, residual, shares, .. } = &*rows;
    let given = AtRows { weights, residual, shares };
    let step = if data.base.design.is_sparse() { STEP } else { DENSE_STEP };
    let most = PATIENCE * own_cost(data, coordinates) / step;
    let (mut to, reached) = minimum(data, task, given, coordinates, (precision, most), control)?;
    rows.predict(data, &to, control)?;
    let shortest = if set.rough { SHORT } else { SHORTEST };
    let more = rows.settle_classes(data, &counted, shortest, control)?;
    to.intercept.iter_mut().zip(more).for_each(|(b0, more)| *b0 += more);
    let finite = to.intercept.iter().chain(&to.beta).all(|b| b.is_finite());
    Ok((finite.then_some(to), reached))
}

/// Where the minimum of the model at a task's place is, slopes within this part of their λ, and there the
/// intercept that is best for the loss itself, or, if it is only a start for others, for the model. None if descent does
/// not get there.
fn minimise(
    set: Setting,
    task: &mut Task,
    precision: f64,
    control: &Control,
) -> Result<Option<Place>, Error> {
    let (data, n) = (set.data, set.data.rows());
    let mut rows = Rows::new(data, task, control)?;
    let mut curvature = of_rows(data, &mut task.weights, &task.place, control)?.swap_remove(0);
    let least = LEAST * curvature.iter().sum::<f64>() / n.max(1) as f64;
    let positive = rows.weights.iter().zip(&mut curvature).filter(|(w, _)| **w > 0.0);
    positive.for_each(|(_, h)| *h = h.max(least));
    rows.look(data, 0.0);
    let quotient = |(r, h): (&f64, &f64)| if *h > 0.0 { r / h } else { 0.0 };
    let shift = rows.residual.iter().zip(&curvature).map(quotient);
    // The intercept and the offset are no part of what columns fit.
    let base = task.place.intercept.first().copied().unwrap_or(0.0);
    let offset = |i: usize| base + data.offset.get(i).copied().unwrap_or(0.0);
    let response: Vec<f64> = shift.enumerate().map(|(i, s)| rows.eta[i] - offset(i) + s).collect();
    let of_response = dot(&curvature, &response);
    let totals = if data.intercept {
        let all: Vec<u32> = (0..data.cols() as u32).collect();
        let (xw, w) = column_sums(data, &all, &curvature, control)?;
        Some(Totals { w, yy: 0.0, xw })
    } else {
        None
    };
    let mut model = squares::Task {
        weights: RowWeights::Curvature(curvature),
        response: Some(response),
        penalty: task.penalty.clone(),
        beta: task.place.beta.clone(),
        totals,
        found: squares::Found { gradient: task.found.gradient.clone(), ..Default::default() },
    };
    let reached = if is_wide_ridge(data, task) {
        solve_by_rows(&data.base, &mut model, precision, control)?.is_some()
    } else {
        let columns = looked_at(&data.base, &model);
        let mut descent = Descent::new(&data.base, &mut model);
        descent.admit(&data.base, &columns, control)?;
        descent.minimise(&data.base, &mut model, precision, control)?
    };
    if !reached {
        return Ok(None);
    }
    let mut to = Place { beta: model.beta, intercept: task.place.intercept.clone() };
    if let (true, Some(totals)) = (set.rough, &model.totals) {
        to.intercept[0] += (of_response - dot(&totals.xw, &to.beta)) / totals.w;
    } else if data.intercept {
        rows.predict(data, &to, control)?;
        to.intercept[0] += rows.settle(data, SHORTEST, control)?;
    }
    Ok(to.intercept.iter().chain(&to.beta).all(|b| b.is_finite()).then_some(to))
}

/// Put the intercept of a task where it is best for its columns.
pub fn settle_intercept(data: &Data, task: &mut Task, control: &Control) -> Result<(), Error> {
    if !data.intercept {
        return Ok(());
    }
    let mut rows = Rows::new(data, task, control)?;
    let more = match rows.look_at_classes(data) {
        Some(counted) => rows.settle_classes(data, &counted, SHORTEST, control)?,
        None => vec![rows.settle(data, SHORTEST, control)?],
    };
    task.place.intercept.iter_mut().zip(more).for_each(|(b0, more)| *b0 += more);
    Ok(())
}

/// The same where a path begins, so that nothing comes in with its first lambda; of rows that are many, of which nothing is
/// to be kept, or depend on each other it is left as near as the gap of its solution says. True if it was not left.
pub fn settle_start(data: &Data, task: &mut Task, control: &Control) -> Result<bool, Error> {
    let settles = !data.likelihood.coupled() && !data.is_long();
    if settles {
        settle_intercept(data, task, control)?;
    }
    Ok(settles)
}

/// What is known of the rows at a place; its room serves one place after the other.
#[derive(Default)]
pub struct Rows {
    weights: Vec<f64>,
    /// Predictor after predictor.
    eta: Vec<f64>,
    /// w r, row after row.
    residual: Vec<f64>,
    /// Of several classes, class after class.
    shares: Vec<f64>,
}

impl Rows {
    fn new(data: &Data, task: &mut Task, control: &Control) -> Result<Rows, Error> {
        let mut rows = Rows::default();
        rows.go_to(data, task, control)?;
        Ok(rows)
    }

    fn go_to(&mut self, data: &Data, task: &mut Task, control: &Control) -> Result<(), Error> {
        let (n, classes) = (data.rows(), data.predictors());
        self.weights.resize(n, 0.0);
        self.eta.resize(n * classes, 0.0);
        self.residual.resize(n * classes, 0.0);
        task.weights.fill(0, &mut self.weights);
        self.predict(data, &task.place, control)
    }

    fn predict(&mut self, data: &Data, at: &Place, control: &Control) -> Result<(), Error> {
        for (k, eta) in self.eta.chunks_exact_mut(data.rows().max(1)).enumerate() {
            control.check()?;
            if data.base.design.is_sparse() {
                data.predict_by_columns(k, at, eta);
                continue;
            }
            for range in data.base.design.blocks() {
                control.check()?;
                data.predict(k, &range, at, &mut eta[range.clone()]);
            }
        }
        Ok(())
    }

    /// Residuals with this much more in η of the only predictor; their sums.
    fn look(&mut self, data: &Data, more: f64) -> Sums {
        let mut sums = Sums::new(sum::COUNT, 1);
        self.residual.iter_mut().zip(&self.eta).for_each(|(r, eta)| *r = -(eta + more));
        let rows = 0..data.rows();
        data.likelihood.residuals(&rows, &self.weights, &mut self.residual, &mut sums);
        sums
    }

    /// Residuals and shares of several classes, and the weight of the rows that are of each; None of one.
    fn look_at_classes(&mut self, data: &Data) -> Option<Vec<f64>> {
        let (n, classes) = (data.rows(), data.predictors());
        if classes == 1 {
            return None;
        }
        let mut sums = Sums::new(sum::COUNT, classes);
        for (k, eta) in self.eta.chunks_exact(n.max(1)).enumerate() {
            let of_class = self.residual.iter_mut().skip(k).step_by(classes);
            of_class.zip(eta).for_each(|(r, eta)| *r = -eta);
        }
        let Rows { weights, residual, shares, .. } = self;
        shares.resize(n * classes, 0.0);
        if !data.likelihood.residuals_and_shares(weights, residual, &mut sums, shares) {
            return None;
        }
        let expected = shares.chunks_exact(n.max(1)).map(|share| dot(weights, share));
        Some(expected.enumerate().map(|(k, e)| sums.get(sum::RESIDUAL, k) + e).collect())
    }

    /// What the intercept is to change by, so that residuals sum to nothing, by steps as short as this.
    fn settle(&mut self, data: &Data, shortest: f64, control: &Control) -> Result<f64, Error> {
        let mut more = 0.0;
        for _ in 0..ROUNDS {
            control.check()?;
            let sums = self.look(data, more);
            let by = sums.get(sum::RESIDUAL, 0) / sums.get(sum::CURVATURE, 0);
            let by = by.clamp(-LONGEST, LONGEST);
            if by.is_nan() {
                break;
            }
            more += by;
            if by.abs() <= shortest {
                break;
            }
        }
        Ok(more)
    }

    /// The same of several classes, by the weight of the rows that are of each: with the shares of a place goes their curvature.
    fn settle_classes(
        &mut self,
        data: &Data,
        counted: &[f64],
        shortest: f64,
        control: &Control,
    ) -> Result<Vec<f64>, Error> {
        let (n, classes) = (data.rows(), counted.len());
        let Rows { weights, eta: start, shares, .. } = self;
        let mut more = vec![0.0; classes];
        for _ in 0..ROUNDS {
            control.check()?;
            let lines = shares.chunks_exact_mut(n.max(1)).zip(start.chunks_exact(n.max(1)));
            for ((share, eta), more) in lines.zip(&more) {
                share.iter_mut().zip(eta).for_each(|(share, eta)| *share = eta + more);
            }
            data.likelihood.shares(shares, n);
            let (mut by, factor) = of_shares(weights, shares, classes);
            by.iter_mut().zip(counted).for_each(|(by, counted)| *by = counted - *by);
            factor.solve(&mut by);
            by.iter_mut().for_each(|b| *b = b.clamp(-LONGEST, LONGEST));
            if by.iter().any(|b| b.is_nan()) {
                break;
            }
            more.iter_mut().zip(&by).for_each(|(more, by)| *more += by);
            if by.iter().all(|b| b.abs() <= shortest) {
                break;
            }
        }
        Ok(more)
    }
}
