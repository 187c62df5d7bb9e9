//! Where the solve of one draw stands: judge the place that a pass has been to, and go on from it.
//!
//! The objective never rises: a step that goes uphill is shortened, or taken again with the curvature of
//! its start. A draw ends where its last step leads, once `certificate` says that it is near enough.

mod ends;

use super::attempt::{Attempt, FEW, Own, Reference, Setting};
use super::certificate::{bare, by_own, by_reference, by_slopes, lacks, reach, size};
use super::model::{Approach, Enough, Solver, Step};
use super::reweighted::{Reweighting, Rows, is_wide_ridge, settle_intercept};
use super::secant::Secants;
use super::task::{Found, Place, Task};
use crate::engine::job::Control;
use crate::engine::problem::Status;
use crate::error::Error;
use crate::lasso::batch::End;
use ends::{LONG, ended};

/// Part of the last gain below which a model made elsewhere serves on.
const SERVES: f64 = 0.1;
/// Part of its penalty that a slope outside of a model may come near to it while the model serves.
const NEAR: f64 = 0.05;
/// The same where a column comes into one.
pub const NEARLY: f64 = 0.9;
/// Part of a step of sweeps below which nothing of it leads down.
const LOST: f64 = 1e-3;
/// Rounds without less to gain after which double precision is exhausted.
const EXHAUSTED: u32 = 6;
/// The part of the loss of a fit without columns below which rows hardly have a curvature to be weighed by.
const ALL_BUT_PERFECT: f64 = 1e-3;

#[derive(Clone, Copy, PartialEq)]
enum Uses {
    Reference,
    Own,
    /// Its own without a Gram matrix.
    Reweighted,
}

pub struct State {
    uses: Uses,
    /// The solver of steps by the reference.
    solver: Solver,
    /// The lowest place, its objective, where its step leads, and the part of the way tried last.
    best: Option<(Place, Found, f64)>,
    target: Option<Place>,
    part: f64,
    /// Was the model made at `best`?
    fresh: bool,
    /// What the last step was to gain, if the model still is what it was.
    last: Option<f64>,
    /// What any last step was to gain.
    before: Option<f64>,
    least: f64,
    /// What the objective lost at the last place; infinite at the first.
    gained: f64,
    /// Did the last step have to be shortened?
    shortened: bool,
    /// Where the last step took coefficients without a penalty, and how far that took a row.
    along: Place,
    free: f64,
    slow: u32,
    stalled: u32,
    lingered: u32,
    reweighting: Reweighting,
    /// What slopes prove at the last place, if they were asked.
    proved: Option<f64>,
    secants: Secants,
    /// The end of the model's step, where another place was tried.
    plain: Option<Place>,
    /// Was the last step of the reference corrected?
    corrected: bool,
    /// Part of its penalty that a slope has where its column comes into a model; less where models of
    /// fewer columns could prove nothing.
    pub nearly: f64,
    pub end: Option<End>,
}

/// What comes after a look at a place.
pub enum Next {
    Done,
    /// Another pass, where the task was moved to.
    Pass,
    /// A model of its own, made here.
    Model,
}

impl State {
    pub fn new(set: Setting) -> State {
        State {
            uses: if set.reference.is_some() { Uses::Reference } else { Uses::Own },
            solver: Solver::default(),
            best: None,
            target: None,
            part: 1.0,
            fresh: false,
            last: None,
            before: None,
            least: f64::INFINITY,
            gained: f64::INFINITY,
            shortened: false,
            along: Place::default(),
            free: 0.0,
            slow: 0,
            stalled: 0,
            lingered: 0,
            reweighting: Reweighting::default(),
            proved: None,
            secants: Secants::default(),
            plain: None,
            corrected: false,
            nearly: NEARLY,
            end: None,
        }
    }

    /// A model was made here.
    pub fn has_own(&mut self) {
        (self.uses, self.fresh, self.last) = (Uses::Own, true, None);
    }

    /// Judge the place that a pass has been to, and go on from it.
    pub fn look(
        &mut self,
        set: Setting,
        attempt: &mut Attempt,
        round: u32,
        control: &Control,
    ) -> Result<Next, Error> {
        let task = &mut attempt.task;
        if task.found.weight <= 0.0 {
            task.place.beta.fill(0.0);
            self.end = Some(End { iterations: round, ..End::EMPTY });
            return Ok(Next::Done);
        }
        let objective = task.found.loss + task.penalties();
        let uphill = self.best.as_ref().is_some_and(|(_, found, lowest)| {
            let rounding = 1e-12 * lowest.abs() + 1e-14 * found.least.abs();
            // What is not a number is above everything.
            objective.is_nan() || objective > lowest + rounding
        });
        if !objective.is_finite() && self.best.is_none() {
            // Nowhere to go back to: closer to nothing at all.
            if round >= set.limits.iterations.min(200) {
                self.give_up(set, task, round);
                return Ok(Next::Done);
            }
            task.place.beta.iter_mut().for_each(|b| *b *= 0.5);
            task.place.intercept.iter_mut().for_each(|b| *b *= 0.5);
            return Ok(Next::Pass);
        }
        if uphill {
            return self.go_back(set, attempt, round, control);
        }
        let before = self.best.as_ref().map_or(f64::INFINITY, |best| best.2);
        self.gained = (before - objective).max(0.0);
        let whole = self.part == 1.0;
        self.shortened = !whole;
        self.best = Some((task.place.clone(), task.found.clone(), objective));
        (self.part, self.fresh, self.plain) = (1.0, false, None);
        if self.uses == Uses::Reference {
            self.secants.note(attempt.task.place.flat(), attempt.task.slopes());
        }
        if round >= set.limits.iterations {
            self.give_up(set, &mut attempt.task, round);
            return Ok(Next::Done);
        }
        if self.separates(set, &mut attempt.task) {
            self.end = Some(ended(&attempt.task, Status::Separated, 1.0, round));
            return Ok(Next::Done);
        }
        if self.uses == Uses::Reweighted {
            let task = &mut attempt.task;
            let (here, mut bound) = (Step::none(&task.place), by_slopes(set, task));
            self.proved = Some(bound);
            if set.rough && whole {
                // A whole step of Newton leaves less than it has gained.
                bound = bound.min(self.gained);
            }
            let ends = self.certify(set, task, &here, bound, Some(0.0), round);
            return Ok(if ends { Next::Done } else { Next::Model });
        }
        let Some((step, bound)) = self.best_step(set, attempt, control)? else {
            return Ok(Next::Model);
        };
        // A small part of what the last step gained: the model serves.
        let ratio = self.ratio(&step);
        let model = match (self.uses, set.reference, &attempt.own) {
            (Uses::Reference, Some(reference), _) => Some(&reference.model),
            (_, _, own) => own.as_ref().map(|own| &own.model),
        };
        let near = |j: usize| NEAR * attempt.task.penalty.l1[j];
        let outside = model.is_none_or(|m| lacks(m, &attempt.task, near));
        let left = ratio.sqrt().min(1.0);
        if self.certify(set, &mut attempt.task, &step, bound, Some(left), round) {
            return Ok(Next::Done);
        }
        // Made too far from here, or of other weights, to prove that this is near enough: one made here does.
        let says = |r: &Reference| self.uses == Uses::Reference && r.says_enough(&attempt.task);
        let unproved = step.doubled() <= set.limits.tolerance * size(set, &attempt.task)
            && !set.reference.is_some_and(says);
        let serves = !unproved
            && match self.uses {
                Uses::Reference => {
                    self.slow = if ratio > 0.3 { self.slow + 1 } else { 0 };
                    !outside && self.slow <= set.reference.map_or(0, |r| r.patience)
                }
                // One left by another lambda is worth a try.
                Uses::Own | Uses::Reweighted => {
                    !outside && (ratio <= SERVES || self.last.is_none()) && set.data.size() > FEW
                }
            };
        if !serves {
            return Ok(Next::Model);
        }
        // What a corrected step leaves says nothing of the model's own steps, by which the end is judged: the last ones
        // are those of the model alone.
        let near = step.doubled() <= set.limits.tolerance * size(set, &attempt.task);
        let corrected = match self.uses {
            Uses::Reference if !near => {
                let (l1, intercepts) = (&attempt.task.penalty.l1, step.to.intercept.len());
                self.secants.correct(step.to.flat(), |i| {
                    if i < intercepts { 0.0 } else { l1[i - intercepts] }
                })
            }
            _ => None,
        };
        self.go(set, &mut attempt.task, step);
        self.corrected = corrected.is_some();
        if let Some(there) = corrected {
            self.plain = Some(attempt.task.place.clone());
            attempt.task.place.set(&there);
        }
        Ok(Next::Pass)
    }

    /// The part of what the last step was to gain that this one is to, 1 if there was none.
    fn ratio(&self, step: &Step) -> f64 {
        self.last.map_or(1.0, |last| step.decrease / last)
    }

    /// How far the place is from the minimum, by the step of the model in use.
    fn bound(&self, set: Setting, attempt: &Attempt, step: &Step) -> f64 {
        match (self.uses, set.reference, &attempt.own) {
            (Uses::Reference, Some(_), _) if self.corrected && !set.rough => f64::INFINITY,
            (Uses::Reference, Some(reference), _) => {
                by_reference(set, reference, &attempt.task, step, self.ratio(step))
            }
            (_, _, Some(own)) => by_own(set, own, &attempt.task, step),
            _ => f64::INFINITY,
        }
    }

    /// The step of a model that is there already, with how far it says that the place is from the minimum.
    /// What would be near enough by a step that is nearly the model's has to be so by the exact one.
    fn best_step(
        &mut self,
        set: Setting,
        attempt: &mut Attempt,
        control: &Control,
    ) -> Result<Option<(Step, f64)>, Error> {
        let Some(step) = self.step_by_known(set, attempt, None, control)? else { return Ok(None) };
        let bound = self.bound(set, attempt, &step);
        let near = if self.uses == Uses::Own { step.doubled() } else { bound };
        let ends = near <= set.limits.tolerance * size(set, &attempt.task);
        if !ends || set.rough || step.exact {
            return Ok(Some((step, bound)));
        }
        let exact = self.step_by_known(set, attempt, Some(&step.to), control)?;
        Ok(exact.map(|step| {
            let bound = self.bound(set, attempt, &step);
            (step, bound)
        }))
    }

    /// The step of a model that is there already; the exact one, if it is known nearly.
    fn step_by_known(
        &mut self,
        set: Setting,
        attempt: &mut Attempt,
        nearly: Option<&Place>,
        control: &Control,
    ) -> Result<Option<Step>, Error> {
        let task = &attempt.task;
        let rough = Approach::Nearly(self.enough(set, task));
        if let (Uses::Reference, Some(reference)) = (self.uses, set.reference) {
            let (model, shared) = (&reference.model, reference.reduced.as_ref());
            let ratio = reference.ratio(&task.found);
            let (solver, from) = (&mut self.solver, nearly.map_or(rough, Approach::Exactly));
            return model.step(task, ratio, shared, solver, from, control).map(Some);
        }
        let Some(Own { model, solver, .. }) = &mut attempt.own else { return Ok(None) };
        // Coefficients that the model does not know cannot be moved by it.
        let known = |j: &usize| {
            task.place.beta[*j] == 0.0 || model.coordinates.binary_search(&(*j as u32)).is_ok()
        };
        if !(0..task.place.beta.len()).all(|j| known(&j)) {
            return Ok(None);
        }
        let from = match nearly {
            Some(place) => Approach::Exactly(place),
            None if model.coordinates.len() <= FEW || self.reweighting.is_hard(set.data) => {
                Approach::Exactly(&task.place)
            }
            None => rough,
        };
        model.step(task, 1.0, None, solver, from, control).map(Some)
    }

    /// How near the minimum of a model of many coordinates is worth going: to a small part of what the
    /// last step gained, or of what the tolerance leaves.
    fn enough(&self, set: Setting, task: &Task) -> Enough {
        let size = size(set, task);
        Enough {
            first: 0.03 * self.last.unwrap_or(0.1 * size),
            last: 0.02 * set.limits.tolerance * size,
        }
    }

    /// The step of a model just made here.
    pub fn step_by_own(
        &mut self,
        set: Setting,
        attempt: &mut Attempt,
        round: u32,
        control: &Control,
    ) -> Result<(), Error> {
        // What the step before gained, if there was one.
        (self.last, self.before) = (self.before, None);
        let Some((step, bound)) = self.best_step(set, attempt, control)? else { return Ok(()) };
        self.last = None;
        if self.certify(set, &mut attempt.task, &step, bound, None, round) {
            return Ok(());
        }
        if step.doubled() <= set.limits.tolerance * size(set, &attempt.task) {
            // Soon all of them: what a step may add to slopes can be more than a small penalty.
            self.nearly = if self.nearly > 0.1 { 0.25 * self.nearly } else { 0.0 };
        }
        let small = step.decrease < 1e-5 * size(set, &attempt.task);
        let less = step.decrease < 0.5 * self.least;
        self.stalled = if less || !small { 0 } else { self.stalled + 1 };
        self.least = self.least.min(step.decrease);
        if self.stalled > EXHAUSTED || !step.decrease.is_finite() {
            self.give_up(set, &mut attempt.task, round);
            return Ok(());
        }
        self.go(set, &mut attempt.task, step);
        Ok(())
    }

    /// The step of the task's own model without its Gram matrix, of these coordinates; false if that
    /// is not the way for it.
    pub fn step_reweighted(
        &mut self,
        set: Setting,
        task: &mut Task,
        coordinates: &[u32],
        rows: &mut Rows,
        control: &Control,
    ) -> Result<bool, Error> {
        let flat = task.found.loss <= ALL_BUT_PERFECT * set.unit * task.found.weight;
        if flat && !is_wide_ridge(set.data, task) {
            return Ok(false);
        }
        let gained = if self.shortened { f64::INFINITY } else { self.gained };
        let known = (gained, self.proved.take());
        let Some(to) = self.reweighting.step(set, task, coordinates, known, rows, control)? else {
            return Ok(false);
        };
        (self.uses, self.fresh, self.last, self.before) = (Uses::Reweighted, true, None, None);
        self.free = 0.0;
        task.place = to.clone();
        self.target = Some(to);
        Ok(true)
    }

    fn go(&mut self, set: Setting, task: &mut Task, step: Step) {
        (self.last, self.before) = (Some(step.decrease), Some(step.decrease));
        self.along = bare(task, step.to.less(&task.place));
        self.free = reach(set.data, &self.along);
        task.place = step.to.clone();
        self.target = Some(step.to);
    }

    /// After a step that went uphill.
    fn go_back(
        &mut self,
        set: Setting,
        attempt: &mut Attempt,
        round: u32,
        control: &Control,
    ) -> Result<Next, Error> {
        let task = &mut attempt.task;
        let Some((place, found, _)) = &self.best else { return Ok(Next::Done) };
        if let Some(plain) = self.plain.take() {
            self.secants.forget();
            self.corrected = false;
            task.place = plain;
            return Ok(Next::Pass);
        }
        if !self.fresh {
            // The model was made elsewhere: again, with the curvature from here.
            (task.place, task.found) = (place.clone(), found.clone());
            return Ok(Next::Model);
        }
        self.part *= 0.25;
        self.last = None;
        if self.uses == Uses::Reweighted && self.part < LOST {
            // Sweeps whose curvature rounding has eaten went nowhere: the Gram matrix, from where they began.
            self.reweighting.give_up();
            (task.place, task.found, self.part) = (place.clone(), found.clone(), 1.0);
            return Ok(Next::Model);
        }
        match &self.target {
            Some(target) if self.part > 1e-12 && round < set.limits.iterations => {
                task.place = place.towards(target, self.part);
                if self.uses == Uses::Reweighted {
                    // Its intercept is the best at the end of the step, and no mean of the two on the way.
                    settle_intercept(set.data, task, control)?;
                }
                Ok(Next::Pass)
            }
            _ => {
                if self.free > LONG {
                    // Not a bit of a long step could be gone: what its model says of the end is worth nothing.
                    (self.free, self.least) = (0.0, f64::INFINITY);
                }
                self.give_up(set, task, round);
                Ok(Next::Done)
            }
        }
    }
}
