//! Solve a batch of weighted problems of a family: pass over the data once for all, step each to the
//! minimum of its model, repeat.
//!
//! A model is made at a place and serves while it gains digits: Newton's method where the curvature is
//! cheap, its chord where a pass over the data is cheaper. The objective never rises: a step that goes
//! uphill is shortened, or taken again with the curvature of its start.
//!
//! # The certificate
//!
//! At a place with means μ, curvature h and the model's step d, δ = Xd, the point μ + hδ meets the
//! constraints of the dual (MATH 8) where d is the minimum of the model and no column outside of it is
//! violated. Its distance from the primal is Σ w KL(μ + hδ, μ) ≤ Σ w (hδ)² / h, twice what the model says
//! can be gained. A model made elsewhere is off by a factor: consecutive steps by it, which shorten by θ,
//! say how far, and the gain counts 1/(1 − θ)² times. A draw ends where its last step leads, closer than that.

use super::curvature::{curvature, curvatures};
use super::model::{Enough, Model, Solver, Step};
use super::pass::pass;
use super::task::{Data, Found, Place, Task};
use crate::engine::job::Control;
use crate::engine::limits::Limits;
use crate::engine::problem::Status;
use crate::error::Error;
use crate::lasso::batch::End;
use crate::lasso::free::Reduced;
use std::borrow::BorrowMut;

/// Coordinates up to which a model has all of them.
pub const FEW: usize = 64;
/// Part of its penalty that a slope has where its column comes into a model.
const NEARLY: f64 = 0.9;
/// Part of the last gain below which a model made elsewhere serves on, and rounds above that for
/// which the reference is put up with.
const SERVES: f64 = 0.1;
const PATIENCE: u32 = 3;
/// Rounds without less to gain after which double precision is exhausted.
const EXHAUSTED: u32 = 6;
/// Steps of coefficients without a penalty that are not small, the part of the loss of a fit without
/// columns that counts as little and as none, and rounds of such steps with nothing left to gain: there
/// is no mode.
const LONG: f64 = 0.02;
const GOOD: f64 = 0.05;
const PERFECT: f64 = 1e-9;
const LINGERS: u32 = 20;
/// What is left of the error of coefficients, none of which is penalised.
const SHARP: f64 = 1e-7;
/// The least objective that gaps are measured against, as a part of that of a fit without columns.
const FLOOR: f64 = 1e-10;

/// The model of unit weights, which all draws share.
pub struct Reference {
    pub model: Model,
    pub reduced: Option<Reduced>,
}

/// What a solve is told.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    pub data: &'a Data,
    pub reference: Option<&'a Reference>,
    /// Are the curvatures of all tasks made in one product? It costs the products of all columns first: not
    /// for one task alone.
    pub direct: bool,
    pub limits: Limits,
    /// Loss of a fit without columns, for one unit of weight.
    pub unit: f64,
}

/// A task and what is known of its curvature.
pub struct Attempt<'a> {
    pub task: Task<'a>,
    own: Option<Own>,
}

struct Own {
    model: Model,
    solver: Solver,
}

impl<'a> From<Task<'a>> for Attempt<'a> {
    fn from(task: Task<'a>) -> Attempt<'a> {
        Attempt { task, own: None }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Uses {
    Reference,
    Own,
}

struct State {
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
    /// The longest way of a coefficient without a penalty in the last step.
    free: f64,
    slow: u32,
    stalled: u32,
    lingered: u32,
    end: Option<End>,
}

/// What comes after a look at a place.
enum Next {
    Done,
    /// Another pass, where the task was moved to.
    Pass,
    /// A model of its own, made here.
    Model,
}

/// Solve all tasks from their places; on return `found` belongs to the place.
pub fn solve<'a, A: BorrowMut<Attempt<'a>>>(
    set: Setting,
    attempts: &mut [A],
    control: &Control,
) -> Result<Vec<End>, Error> {
    let uses = if set.reference.is_some() { Uses::Reference } else { Uses::Own };
    let mut states: Vec<State> = attempts.iter().map(|_| State::new(uses)).collect();
    for round in 1.. {
        let mut open: Vec<&mut Task> = attempts
            .iter_mut()
            .zip(&states)
            .filter(|(_, s)| s.end.is_none())
            .map(|(a, _)| &mut a.borrow_mut().task)
            .collect();
        if open.is_empty() {
            break;
        }
        pass(set.data, &mut open, control)?;
        let mut wanting: Vec<(&mut Attempt, &mut State)> = Vec::new();
        for (attempt, state) in
            attempts.iter_mut().zip(&mut states).filter(|(_, s)| s.end.is_none())
        {
            control.check()?;
            let attempt = attempt.borrow_mut();
            if let Next::Model = state.look(set, attempt, round, control)? {
                wanting.push((attempt, state));
            }
        }
        make_models(set, &mut wanting, control)?;
        for (attempt, state) in wanting {
            control.check()?;
            state.step_by_own(set, attempt, round, control)?;
        }
    }
    // Every state has ended: the loop above leaves no other way.
    Ok(states.into_iter().filter_map(|s| s.end).collect())
}

/// Of each draw at its place.
fn make_models(
    set: Setting,
    wanting: &mut [(&mut Attempt, &mut State)],
    control: &Control,
) -> Result<(), Error> {
    let Setting { data, direct, .. } = set;
    let coordinates: Vec<Vec<u32>> = wanting.iter().map(|(a, _)| choose(data, &a.task)).collect();
    let grams = if direct {
        let mut tasks: Vec<&mut Task> = wanting.iter_mut().map(|(a, _)| &mut a.task).collect();
        curvatures(data, &mut tasks, control)?
    } else {
        let mut grams = Vec::with_capacity(wanting.len());
        for ((attempt, _), coordinates) in wanting.iter_mut().zip(&coordinates) {
            let Task { weights, place, .. } = &mut attempt.task;
            grams.push(curvature(data, weights, place, coordinates, control)?);
        }
        grams
    };
    for (((attempt, state), gram), coordinates) in wanting.iter_mut().zip(grams).zip(coordinates) {
        let (intercepts, weight) = (data.intercepts(), attempt.task.found.weight);
        let coordinates = if direct { (0..data.size() as u32).collect() } else { coordinates };
        let mut solver = attempt.own.take().map(|own| own.solver).unwrap_or_default();
        solver.forget();
        attempt.own = Some(Own { model: Model { coordinates, intercepts, gram, weight }, solver });
        (state.uses, state.fresh, state.last) = (Uses::Own, true, None);
    }
    Ok(())
}

/// The coordinates of a model: all where they are few, else the support, those without a kink, and
/// what is violated or nearly so; the worst of these where they are many.
fn choose(data: &Data, task: &Task) -> Vec<u32> {
    let all = data.size() <= FEW;
    let (mut chosen, mut wanted) = (Vec::new(), Vec::new());
    for j in (0..data.size()).filter(|&j| task.penalty.l1[j].is_finite()) {
        let lack = task.lack(j);
        if all || lack == f64::INFINITY {
            chosen.push(j as u32);
        } else if lack > NEARLY {
            wanted.push((lack, j as u32));
        }
    }
    let most = chosen.len().max(FEW);
    if wanted.len() > most {
        wanted.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        wanted.truncate(most);
    }
    chosen.extend(wanted.into_iter().map(|w| w.1));
    chosen.sort_unstable();
    chosen
}

/// Is a coordinate outside of the model violated, or could it be after a step that gains this much?
fn lacks(model: &Model, task: &Task, gain: f64) -> bool {
    // A standardised column has about the curvature of the intercept.
    let reach = (2.0 * gain * task.found.weight).sqrt();
    let mut inside = model.coordinates.iter().peekable();
    (0..task.place.beta.len()).any(|j| {
        if inside.next_if(|c| **c as usize == j).is_some() {
            return false;
        }
        let l1 = task.penalty.l1[j];
        let outside = l1.is_finite() && task.slope(j).abs() + reach.min(0.05 * l1) > l1;
        outside || task.place.beta[j] != 0.0
    })
}

impl State {
    fn new(uses: Uses) -> State {
        State {
            uses,
            solver: Solver::default(),
            best: None,
            target: None,
            part: 1.0,
            fresh: false,
            last: None,
            before: None,
            least: f64::INFINITY,
            free: 0.0,
            slow: 0,
            stalled: 0,
            lingered: 0,
            end: None,
        }
    }

    /// Judge the place that a pass has been to, and go on from it.
    fn look(
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
            return Ok(self.go_back(set, attempt, round));
        }
        self.best = Some((task.place.clone(), task.found.clone(), objective));
        (self.part, self.fresh) = (1.0, false);
        if round >= set.limits.iterations {
            self.give_up(set, &mut attempt.task, round);
            return Ok(Next::Done);
        }
        if self.free > LONG && separates(set, &mut attempt.task) {
            self.end = Some(ended(&attempt.task, Status::Separated, 1.0, round));
            return Ok(Next::Done);
        }
        let Some(step) = self.step_by_known(set, attempt, control)? else {
            return Ok(Next::Model);
        };
        // A small part of what the last step gained: the model serves.
        let ratio = self.last.map_or(1.0, |last| step.decrease / last);
        let theta = ratio.sqrt().min(0.95);
        let model = match (self.uses, set.reference, &attempt.own) {
            (Uses::Reference, Some(reference), _) => Some(&reference.model),
            (_, _, own) => own.as_ref().map(|own| &own.model),
        };
        let outside = model.is_none_or(|m| lacks(m, &attempt.task, step.decrease));
        if self.last.is_some() && !outside {
            let gain = step.decrease / ((1.0 - theta) * (1.0 - theta));
            if self.certify(set, &mut attempt.task, &step, gain, theta, round) {
                return Ok(Next::Done);
            }
        }
        let serves = match self.uses {
            Uses::Reference => {
                self.slow = if ratio > 0.3 { self.slow + 1 } else { 0 };
                !outside && self.slow <= PATIENCE
            }
            // One left by another lambda is worth a try.
            Uses::Own => {
                !outside && (ratio <= SERVES || self.last.is_none()) && set.data.size() > FEW
            }
        };
        if !serves {
            return Ok(Next::Model);
        }
        self.go(&mut attempt.task, step);
        Ok(Next::Pass)
    }

    /// The step of a model that is there already.
    fn step_by_known(
        &mut self,
        set: Setting,
        attempt: &mut Attempt,
        control: &Control,
    ) -> Result<Option<Step>, Error> {
        let task = &attempt.task;
        let enough = self.enough(set, task);
        if let (Uses::Reference, Some(reference)) = (self.uses, set.reference) {
            let (model, shared) = (&reference.model, reference.reduced.as_ref());
            return model.step(task, shared, &mut self.solver, Some(enough), control).map(Some);
        }
        let Some(Own { model, solver }) = &mut attempt.own else { return Ok(None) };
        // Coefficients that the model does not know cannot be moved by it.
        let known = |j: &usize| {
            task.place.beta[*j] == 0.0 || model.coordinates.binary_search(&(*j as u32)).is_ok()
        };
        if !(0..task.place.beta.len()).all(|j| known(&j)) {
            return Ok(None);
        }
        let enough = Some(enough).filter(|_| model.coordinates.len() > FEW);
        model.step(task, None, solver, enough, control).map(Some)
    }

    /// How near the minimum of a model of many coordinates is worth going: to a small part of what the
    /// last step gained, or of what the tolerance leaves.
    fn enough(&self, set: Setting, task: &Task) -> Enough {
        let size = self.size(set, task);
        Enough {
            first: 0.03 * self.last.unwrap_or(0.1 * size),
            last: 0.02 * set.limits.tolerance * size,
        }
    }

    /// The step of a model just made here.
    fn step_by_own(
        &mut self,
        set: Setting,
        attempt: &mut Attempt,
        round: u32,
        control: &Control,
    ) -> Result<(), Error> {
        // What the step before gained, if there was one.
        (self.last, self.before) = (self.before, None);
        let enough = self.enough(set, &attempt.task);
        let Some(Own { model, solver }) = &mut attempt.own else { return Ok(()) };
        let enough = Some(enough).filter(|_| model.coordinates.len() > FEW);
        let step = model.step(&attempt.task, None, solver, enough, control)?;
        self.last = None;
        if !lacks(model, &attempt.task, step.decrease)
            && self.certify(set, &mut attempt.task, &step, step.decrease, step.free, round)
        {
            return Ok(());
        }
        let small = step.decrease < 1e-5 * self.size(set, &attempt.task);
        let less = step.decrease < 0.5 * self.least;
        self.stalled = if less || !small { 0 } else { self.stalled + 1 };
        self.least = self.least.min(step.decrease);
        if self.stalled > EXHAUSTED || !step.decrease.is_finite() {
            self.give_up(set, &mut attempt.task, round);
            return Ok(());
        }
        self.go(&mut attempt.task, step);
        Ok(())
    }

    fn go(&mut self, task: &mut Task, step: Step) {
        (self.last, self.before, self.free) = (Some(step.decrease), Some(step.decrease), step.free);
        task.place = step.to.clone();
        self.target = Some(step.to);
    }

    /// What gaps are measured against.
    fn size(&self, set: Setting, task: &Task) -> f64 {
        let objective = task.found.loss + task.penalties();
        objective.max(FLOOR * set.unit * task.found.weight)
    }

    /// End if what can be gained is within the tolerance: at the end of the step, which gains it. `left`
    /// is the part of the error that a step leaves.
    fn certify(
        &mut self,
        set: Setting,
        task: &mut Task,
        step: &Step,
        gain: f64,
        left: f64,
        round: u32,
    ) -> bool {
        let size = self.size(set, task);
        let gap = 2.0 * (gain + step.missed) / size;
        let enough = gap <= set.limits.tolerance;
        let perfect = size <= PERFECT * set.unit * task.found.weight;
        if step.free > LONG && (enough || perfect) {
            // Nothing left to gain, and coefficients go on: they have no end.
            self.lingered += 1;
            if perfect || self.lingered > LINGERS {
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

    /// After a step that went uphill.
    fn go_back(&mut self, set: Setting, attempt: &mut Attempt, round: u32) -> Next {
        let task = &mut attempt.task;
        let Some((place, found, _)) = &self.best else { return Next::Done };
        if !self.fresh {
            // The model was made elsewhere: again, with the curvature from here.
            (task.place, task.found) = (place.clone(), found.clone());
            return Next::Model;
        }
        self.part *= 0.25;
        self.last = None;
        match &self.target {
            Some(target) if self.part > 1e-12 && round < set.limits.iterations => {
                task.place = place.towards(target, self.part);
                Next::Pass
            }
            _ => {
                self.give_up(set, task, round);
                Next::Done
            }
        }
    }

    /// End at the best place seen.
    fn give_up(&mut self, set: Setting, task: &mut Task, round: u32) {
        if let Some((place, found, _)) = self.best.take() {
            (task.place, task.found) = (place, found);
        }
        let size = self.size(set, task);
        let gap = 2.0 * self.least.min(self.last.unwrap_or(f64::INFINITY)) / size;
        let little = gap < 1e-4 || size < GOOD * set.unit * task.found.weight;
        let endless = self.free > LONG && little;
        let status = if endless { Status::Separated } else { Status::NotConverged };
        self.end = Some(ended(task, status, gap, round));
    }
}

fn all_free(task: &Task) -> bool {
    let penalty = &task.penalty;
    penalty
        .l1
        .iter()
        .zip(&penalty.ridge)
        .all(|(l1, d)| *d == 0.0 && (*l1 == 0.0 || l1.is_infinite()))
}

/// Does a multiple of the coefficients, none of which is penalised, fit better for ever?
fn separates(set: Setting, task: &mut Task) -> bool {
    let data = set.data;
    if task.found.loss > GOOD * set.unit * task.found.weight || !all_free(task) {
        return false;
    }
    let (n, classes, block) = (data.rows(), data.predictors(), data.base.design.block);
    let (mut w, mut eta) = (vec![0.0; block], vec![0.0; classes * block]);
    data.base.design.blocks().all(|rows| {
        let count = rows.len();
        task.weights.fill(rows.start, &mut w[..count]);
        for (k, eta) in eta.chunks_exact_mut(count).take(classes).enumerate() {
            data.predict(k, &rows, &task.place, eta);
            if let Some(offset) = data.offset.get(k * n..(k + 1) * n) {
                eta.iter_mut().zip(&offset[rows.clone()]).for_each(|(e, o)| *e -= o);
            }
        }
        data.likelihood.separates(&rows, &w[..count], &eta[..classes * count])
    })
}

fn ended(task: &Task, status: Status, gap: f64, iterations: u32) -> End {
    let objective = task.found.loss + task.penalties() + task.found.least;
    let finite = objective.is_finite();
    let status = if finite { status } else { Status::NotConverged };
    End { status, iterations, objective, gap: if finite { gap } else { f64::INFINITY } }
}
