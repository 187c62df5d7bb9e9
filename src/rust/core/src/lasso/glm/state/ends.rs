//! How a solve ends: near enough, without a mode, or where nothing leads on.

use super::{State, Uses};
use crate::engine::problem::Status;
use crate::lasso::batch::End;
use crate::lasso::glm::attempt::Setting;
use crate::lasso::glm::certificate::{all_free, by_slopes, has_silent_class, separates, size};
use crate::lasso::glm::model::Step;
use crate::lasso::glm::task::Task;

/// Steps of coefficients without a penalty that are not small, the part of the loss of a fit without
/// columns that counts as little and as none, and rounds of such steps with nothing left to gain: there
/// is no mode.
pub(super) const LONG: f64 = 0.02;
const GOOD: f64 = 0.05;
const PERFECT: f64 = 1e-9;
const LINGERS: u32 = 10;
/// Part of the last step of such coefficients that is no approach to an end.
const LASTS: f64 = 0.2;
/// What is left of the error of coefficients, none of which is penalised.
const SHARP: f64 = 1e-7;

impl State {
    /// Do coefficients without a penalty go on and on, every row on the right side already?
    pub(super) fn separates(&self, set: Setting, task: &mut Task) -> bool {
        self.free > LONG && Self::is_good(set, task) && separates(set.data, task)
    }

    fn is_good(set: Setting, task: &Task) -> bool {
        task.found.loss <= GOOD * set.unit * task.found.weight
    }

    /// End if the bound of the gap is within the tolerance: at the end of the step, which is closer. `left`
    /// is the part of the error that a step leaves.
    pub(super) fn certify(
        &mut self,
        set: Setting,
        task: &mut Task,
        step: &Step,
        bound: f64,
        left: f64,
        round: u32,
    ) -> bool {
        let size = size(set, task);
        let gap = bound / size;
        let enough = gap <= set.limits.tolerance;
        let perfect = size <= PERFECT * set.unit * task.found.weight;
        let little = step.doubled() <= set.limits.tolerance * size;
        if step.free > LONG && (little || perfect) {
            // Nothing left to gain, and coefficients go on: they have no end, if the curvature from here says so, too. Later
            // it would be too small to say anything.
            if self.uses == Uses::Reference && !perfect {
                self.slow = u32::MAX / 2;
                return false;
            }
            self.lingered = if step.free > LASTS * self.free { self.lingered + 1 } else { 0 };
            if perfect || (self.lingered > LINGERS && endless(set, task)) {
                self.end = Some(ended(task, Status::Separated, gap, round));
            }
            return self.end.is_some();
        }
        // Nothing shrinks them: they are to be what any other method finds.
        let sharp = left.min(1.0) * step.free <= SHARP || !all_free(task);
        if enough && sharp {
            let here = ended(task, Status::Converged, gap, round);
            self.end = Some(End { objective: here.objective - step.decrease, ..here });
            task.place = step.to.clone();
        }
        self.end.is_some()
    }

    /// End at the best place seen.
    pub(super) fn give_up(&mut self, set: Setting, task: &mut Task, round: u32) {
        if let Some((place, found, _)) = self.best.take() {
            (task.place, task.found) = (place, found);
        }
        let size = size(set, task);
        // What slopes prove, if anything; else what the models have said, which was not enough.
        let by_rows = !set.data.likelihood.coupled() && task.penalty.l1.iter().all(|l1| *l1 > 0.0);
        let proved = if by_rows { by_slopes(set, task) / size } else { f64::INFINITY };
        let said = 2.0 * self.least.min(self.last.unwrap_or(f64::INFINITY)) / size;
        let gap = if proved.is_finite() { proved } else { said.max(set.limits.tolerance) };
        let little = gap < 1e-4 || size < GOOD * set.unit * task.found.weight;
        // However short the last step was, for want of digits in the curvature.
        let endless = (self.free > LONG && little && endless(set, task))
            || (Self::is_good(set, task) && separates(set.data, task));
        let status = match endless {
            true => Status::Separated,
            false if proved <= set.limits.tolerance => Status::Converged,
            false => Status::NotConverged,
        };
        self.end = Some(ended(task, status, gap, round));
    }
}

/// Can steps that go on have no end? With a column without a penalty; an intercept alone turns back, but for that of a
/// class without any weight.
fn endless(set: Setting, task: &mut Task) -> bool {
    let penalty = &task.penalty;
    let mut columns = penalty.l1.iter().zip(&penalty.ridge);
    columns.any(|(l1, d)| *l1 == 0.0 && *d == 0.0) || has_silent_class(set.data, task)
}

pub(super) fn ended(task: &Task, status: Status, gap: f64, iterations: u32) -> End {
    let objective = task.found.loss + task.penalties() + task.found.least;
    let finite = objective.is_finite();
    let status = if finite { status } else { Status::NotConverged };
    End { status, iterations, objective, gap: if finite { gap } else { f64::INFINITY } }
}
