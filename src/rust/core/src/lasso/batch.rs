//! Solve a batch of weighted lassos: step each, pass over the data once for all, certify, repeat.

use super::models::{History, Reference, WorkingSet};
use super::moments::Data;
use super::newton::Newton;
use super::pass::{Task, pass};
use crate::engine::job::Control;
use crate::engine::limits::Limits;
use crate::engine::problem::Status;
use crate::error::Error;

/// How a task ended.
#[derive(Clone, Copy)]
pub struct End {
    pub status: Status,
    pub iterations: u32,
    pub objective: f64,
    pub gap: f64,
}

enum Model<'a> {
    Reference(&'a Reference, History),
    Working,
}

struct Progress<'a> {
    model: Model<'a>,
    /// The best gap so far, and rounds since it last got clearly better.
    best: f64,
    stalled: u32,
    end: Option<End>,
}

/// Rounds without a clearly better gap after which a model is given up.
const PATIENCE: u32 = 3;
/// Rounds that the reference model may take.
const REFERENCE_ROUNDS: u32 = 30;

/// Solve all tasks from their β; on return `found` belongs to β.
pub fn solve(
    data: &Data,
    tasks: &mut [Task],
    reference: Option<&Reference>,
    limits: Limits,
    newton: &mut Newton,
    control: &Control,
) -> Result<Vec<End>, Error> {
    let p = data.design.cols;
    let mut states: Vec<Progress> = tasks
        .iter()
        .map(|_| Progress {
            model: match reference {
                Some(reference) => Model::Reference(reference, History::default()),
                None => Model::Working,
            },
            best: f64::INFINITY,
            stalled: 0,
            end: None,
        })
        .collect();
    if reference.is_none() {
        for task in tasks.iter_mut().filter(|t| t.totals.is_none()) {
            control.check()?;
            let mut set = Box::new(WorkingSet::new(p));
            set.begin(data, task, control)?;
            task.set = Some(set);
        }
    }
    for round in 1.. {
        let mut open: Vec<&mut Task> = tasks
            .iter_mut()
            .zip(&states)
            .filter(|(_, s)| s.end.is_none())
            .map(|(t, _)| t)
            .collect();
        if open.is_empty() {
            break;
        }
        pass(data, &mut open, control)?;
        for (task, state) in tasks.iter_mut().zip(&mut states).filter(|(_, s)| s.end.is_none()) {
            control.check()?;
            state.judge(task, p, round, limits);
            if state.end.is_none() {
                match &mut state.model {
                    Model::Reference(reference, _) => reference.step(task, newton, control)?,
                    Model::Working => {
                        let fresh = || Box::new(WorkingSet::new(p));
                        let mut set = task.set.take().unwrap_or_else(fresh);
                        // New columns are progress, even if the gap does not show it yet.
                        if set.step(data, task, control)? {
                            state.stalled = 0;
                        }
                        task.set = Some(set);
                    }
                }
            }
        }
    }
    // Every state has ended: the loop above leaves no other way.
    Ok(states.into_iter().filter_map(|s| s.end).collect())
}

impl Progress<'_> {
    fn judge(&mut self, task: &mut Task, p: usize, round: u32, limits: Limits) {
        let ended =
            |status, objective, gap| Some(End { status, iterations: round, objective, gap });
        if task.totals.as_ref().is_none_or(|t| t.w <= 0.0) {
            task.beta.fill(0.0);
            self.end = ended(Status::Empty, 0.0, 0.0);
            return;
        }
        if let Model::Reference(_, history) = &mut self.model {
            history.combine(task);
        }
        let certificate = task.certify(|a, b| match &self.model {
            Model::Reference(reference, _) => reference.curvature(p, a, b),
            Model::Working => task.set.as_ref().map_or(0.0, |set| set.curvature(a, b)),
        });
        let gap = if certificate.gap.is_nan() { f64::INFINITY } else { certificate.gap };
        if gap <= limits.tolerance {
            self.end = ended(Status::Converged, certificate.objective, gap);
            return;
        }
        self.stalled = if gap < 0.5 * self.best { 0 } else { self.stalled + 1 };
        self.best = self.best.min(gap);
        let from_reference = matches!(self.model, Model::Reference(..));
        if from_reference && (self.stalled > PATIENCE || round > REFERENCE_ROUNDS) {
            self.model = Model::Working;
            self.stalled = 0;
        } else if round >= limits.iterations || (!from_reference && self.stalled > PATIENCE) {
            self.end = ended(Status::NotConverged, certificate.objective, gap);
        }
    }
}
