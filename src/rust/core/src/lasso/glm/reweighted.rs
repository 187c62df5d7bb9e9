//! The minimum of a draw's own model without its Gram matrix: least squares reweighted by the curvature of
//! the loss, by descent on the residual of sparse columns.
//!
//! The Gram matrix of some hundred sparse columns is full, and costs far more than the columns do.

use super::attempt::Setting;
use super::certificate::{by_slopes, size};
use super::curvature::{column_sums, of_rows};
use super::task::{Data, Place, Task};
use crate::engine::job::Control;
use crate::error::Error;
use crate::lasso::descent::{Descent, descent_cost, exact_cost};
use crate::lasso::task::{self as squares, RowWeights, Totals};
use crate::lasso::working::looked_at;
use crate::loss::{Sums, sum};

/// Gram matrices that a draw takes.
const MODELS: f64 = 3.0;
/// The least curvature of a row, as a part of the mean: a row that is fitted all but perfectly may stand
/// still, but its slope counts.
const LEAST: f64 = 1e-9;
/// Rounds of Newton for the intercept, the longest step of one, and the shortest that is worth another.
const ROUNDS: u32 = 40;
const LONGEST: f64 = 2.0;
const SHORTEST: f64 = 1e-14;

/// Steps in a row that do not halve the gap, after which only the Gram matrix is left.
const VAIN: u32 = 4;
/// How near the minimum of a model a step goes: to a part of the square of the gap, never further away than
/// the second, nor nearer than a part of the tolerance; and how much nearer after each step in vain.
const SQUARED: f64 = 0.3;
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
    /// Where the minimum of the model at a task's place is, whose coordinates would be these; None if this is
    /// not the way for it.
    pub fn step(
        &mut self,
        set: Setting,
        task: &mut Task,
        coordinates: &[u32],
        control: &Control,
    ) -> Result<Option<Place>, Error> {
        let open = self.in_vain < VAIN && is_open(set.data, task);
        if !open || !is_cheaper(set.data, task, coordinates) {
            return Ok(None);
        }
        let gap = by_slopes(set.data, task) / size(set, task);
        self.in_vain = if gap < 0.5 * self.gap { 0 } else { self.in_vain + 1 };
        self.gap = self.gap.min(gap);
        let near = SQUARED * gap * gap * FINER.powi(self.in_vain as i32);
        let precision = near.min(COARSE).max(MISS * set.limits.tolerance);
        let to = minimise(set.data, task, precision, control)?;
        if to.is_none() {
            self.in_vain = VAIN;
        }
        Ok(to)
    }
}

/// Can a draw be solved so? Its rows have one predictor each, and every slope a bound.
fn is_open(data: &Data, task: &Task) -> bool {
    let plain = data.predictors() == 1 && !data.likelihood.coupled();
    plain && data.base.design.is_sparse() && task.penalty.l1.iter().all(|l1| *l1 > 0.0)
}

/// Does it cost less than Gram matrices of these columns, by count? What descent leaves at one place it goes on
/// from at the next: all steps together cost as much as one alone.
fn is_cheaper(data: &Data, task: &Task, columns: &[u32]) -> bool {
    let design = &data.base.design;
    let entries = |columns: &[u32]| {
        let of_column = |j: &u32| design.sparse_column(*j as usize).map_or(0, |c| c.0.len());
        columns.iter().map(of_column).sum::<usize>() as f64
    };
    let moved = |j: &u32| task.place.beta[*j as usize] != 0.0;
    let support: Vec<u32> = columns.iter().copied().filter(moved).collect();
    let (m, active) = (columns.len() as f64, support.len() as f64);
    let descent = descent_cost(entries(&support), active, data.rows() as f64);
    descent < MODELS * exact_cost(entries(columns), m)
}

/// Where the minimum of the model at a task's place is, slopes within this part of their λ, and there the
/// intercept that is best for the loss itself. None if descent does not get there.
fn minimise(
    data: &Data,
    task: &mut Task,
    precision: f64,
    control: &Control,
) -> Result<Option<Place>, Error> {
    let n = data.rows();
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
    let response = shift.enumerate().map(|(i, s)| rows.eta[i] - offset(i) + s).collect();
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
    let columns = looked_at(&data.base, &model);
    let mut descent = Descent::new(&data.base, &mut model);
    descent.admit(&data.base, &columns, control)?;
    if !descent.minimise(&data.base, &mut model, precision, control)? {
        return Ok(None);
    }
    let mut to = Place { beta: model.beta, intercept: task.place.intercept.clone() };
    rows.predict(data, &to, control)?;
    if let Some(b0) = to.intercept.first_mut() {
        *b0 += rows.settle(data, control)?;
    }
    Ok(to.intercept.iter().chain(&to.beta).all(|b| b.is_finite()).then_some(to))
}

/// Put the intercept of a task where it is best for its columns.
pub fn settle_intercept(data: &Data, task: &mut Task, control: &Control) -> Result<(), Error> {
    if data.intercept {
        let more = Rows::new(data, task, control)?.settle(data, control)?;
        task.place.intercept.iter_mut().for_each(|b0| *b0 += more);
    }
    Ok(())
}

/// What is known of the rows at a place.
struct Rows {
    weights: Vec<f64>,
    eta: Vec<f64>,
    /// w r.
    residual: Vec<f64>,
}

impl Rows {
    fn new(data: &Data, task: &mut Task, control: &Control) -> Result<Rows, Error> {
        let n = data.rows();
        let mut rows = Rows { weights: vec![0.0; n], eta: vec![0.0; n], residual: vec![0.0; n] };
        task.weights.fill(0, &mut rows.weights);
        rows.predict(data, &task.place, control)?;
        Ok(rows)
    }

    fn predict(&mut self, data: &Data, at: &Place, control: &Control) -> Result<(), Error> {
        for range in data.base.design.blocks() {
            control.check()?;
            data.predict(0, &range, at, &mut self.eta[range.clone()]);
        }
        Ok(())
    }

    /// Residuals with this much more in η; their sum, and that of the curvature.
    fn look(&mut self, data: &Data, more: f64) -> (f64, f64) {
        let mut sums = Sums::new(sum::COUNT, 1);
        self.residual.iter_mut().zip(&self.eta).for_each(|(r, eta)| *r = -(eta + more));
        let rows = 0..self.eta.len();
        data.likelihood.residuals(&rows, &self.weights, &mut self.residual, &mut sums);
        (sums.get(sum::RESIDUAL, 0), sums.get(sum::CURVATURE, 0))
    }

    /// What the intercept is to change by, so that residuals sum to nothing.
    fn settle(&mut self, data: &Data, control: &Control) -> Result<f64, Error> {
        let mut more = 0.0;
        for _ in 0..ROUNDS {
            control.check()?;
            let (slope, curvature) = self.look(data, more);
            let by = (slope / curvature).clamp(-LONGEST, LONGEST);
            if by.is_nan() {
                break;
            }
            more += by;
            if by.abs() <= SHORTEST {
                break;
            }
        }
        Ok(more)
    }
}
