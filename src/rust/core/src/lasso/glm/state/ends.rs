//! How a solve ends: near enough, without a mode, or where nothing leads on.

use super::{State, Uses};
use crate::engine::problem::Status;
use crate::lasso::batch::End;
use crate::lasso::glm::attempt::Setting;
use crate::lasso::glm::certificate::{all_free, bare, by_slopes, reach, separates, size};
use crate::lasso::glm::model::Step;
use crate::lasso::glm::task::{Place, Task};

/// Steps of coefficients without a penalty that are not small, by how far they take a row, the part of the loss of a fit
/// without columns that counts as little and as none, and rounds of such steps with nothing left to gain: there is no mode.
pub(super) const LONG: f64 = 0.05;
const GOOD: f64 = 0.05;
const PERFECT: f64 = 1e-9;
const LINGERS: u32 = 4;
/// Part of such a step by which a row may go to the wrong side: what the step has beside the way that has no end.
const SLACK: f64 = 0.01;
/// Predictors from which on slopes may be lost to rounding.
const FAR: f64 = 25.0;
/// Part of the last step of such coefficients that is no approach to an end.
const LASTS: f64 = 0.2;
/// What is left of the error of coefficients, none of which is penalised.
const SHARP: f64 = 3e-8;

impl State {
    /// Do coefficients without a penalty go on and on, every row on the right side already?
    pub(super) fn separates(&self, set: Setting, task: &mut Task) -> bool {
        self.free > LONG && Self::goes_right(set, task)
    }

    /// Does a good fit lie on a way without an end?
    fn goes_right(set: Setting, task: &mut Task) -> bool {
        let along = bare(task, task.place.clone());
        Self::is_good(set, task) && separates(set.data, task, &along, 0.0)
    }

    fn is_good(set: Setting, task: &Task) -> bool {
        task.found.loss <= GOOD * set.unit * task.found.weight
    }

    /// Has the last step of coefficients without a penalty no end?
    fn is_endless(&self, set: Setting, task: &mut Task) -> bool {
        self.free > LONG && separates(set.data, task, &self.along, SLACK * self.free)
    }

    /// End if the bound of the gap is within the tolerance: at the end of the step, which is closer. `left`
    /// is the part of the error that a step leaves, unless the model is Newton's.
    pub(super) fn certify(
        &mut self,
        set: Setting,
        task: &mut Task,
        step: &Step,
        bound: f64,
        left: Option<f64>,
        round: u32,
    ) -> bool {
        let size = size(set, task);
        let gap = bound / size;
        let enough = gap <= set.limits.tolerance;
        let perfect = size <= PERFECT * set.unit * task.found.weight;
        let little = step.doubled() <= set.limits.tolerance * size;
        let along = bare(task, step.to.less(&task.place));
        let free = reach(set.data, &along);
        if free > LONG && (little || perfect) {
            // Nothing left to gain, and coefficients go on: they have no end, if the curvature from here says so, too. Later
            // it would be too small to say anything.
            if self.uses == Uses::Reference && !perfect {
                self.slow = u32::MAX / 2;
                return false;
            }
            self.lingered = if free > LASTS * self.free { self.lingered + 1 } else { 0 };
            (self.along, self.free) = (along, free);
            let lasts = perfect || self.lingered > LINGERS;
            if lasts && (self.is_endless(set, task) || Self::goes_right(set, task)) {
                self.end = Some(ended(task, Status::Separated, gap, round));
            }
            return self.end.is_some();
        }
        // Nothing shrinks them: they are to be what any other method finds.
        let sharp = left.unwrap_or(free).min(1.0) * free <= SHARP || !all_free(task);
        if enough && sharp {
            // Or have slopes been lost to rounding on a way without an end?
            let lost = lies_on_endless(set, task, &step.to);
            let status = if lost { Status::Separated } else { Status::Converged };
            let here = ended(task, status, gap, round);
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
        let place = task.place.clone();
        let endless = (little && self.is_endless(set, task))
            || lies_on_endless(set, task, &place)
            || Self::goes_right(set, task);
        let status = match endless {
            true => Status::Separated,
            false if proved <= set.limits.tolerance => Status::Converged,
            false => Status::NotConverged,
        };
        self.end = Some(ended(task, status, gap, round));
    }
}

/// Is a place so far on a way without an end that nothing is left of its slope? Rows at risk have it as a difference from one.
fn lies_on_endless(set: Setting, task: &mut Task, place: &Place) -> bool {
    if !set.data.likelihood.coupled() {
        return false;
    }
    let mut along = bare(task, place.clone());
    let far = |(b, x): (&mut f64, &f64)| *b = if b.abs() * x > FAR { *b } else { 0.0 };
    along.beta.iter_mut().zip(set.data.largest()).for_each(far);
    let slack = SLACK * reach(set.data, &along);
    slack > 0.0 && separates(set.data, task, &along, slack)
}

pub(super) fn ended(task: &Task, status: Status, gap: f64, iterations: u32) -> End {
    let objective = task.found.loss + task.penalties() + task.found.least;
    let finite = objective.is_finite();
    let status = if finite { status } else { Status::NotConverged };
    End { status, iterations, objective, gap: if finite { gap } else { f64::INFINITY } }
}
