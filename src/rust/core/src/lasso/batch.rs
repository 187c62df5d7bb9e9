//! Solve a batch of weighted lassos: step each, pass over the data once for all, certify, repeat.

use super::by_rows::solve_by_rows;
use super::certificate::{Certificate, Point};
use super::cross::{centre, cross};
use super::free::FreeBlock;
use super::newton::Newton;
use super::pass::pass;
use super::reference::{History, Reference};
use super::task::{Data, Found, Task};
use super::working::WorkingSet;
use crate::engine::job::Control;
use crate::engine::limits::Limits;
use crate::engine::problem::Status;
use crate::error::Error;

/// A task and what is known of its curvature, which depends on the weights alone and serves all
/// lambdas.
pub struct Attempt<'a> {
    pub task: Task<'a>,
    /// Gram matrix of the columns that mattered so far.
    set: Option<Box<WorkingSet>>,
    /// That of the coordinates without an ℓ1 term, for draws that have no other.
    unpenalised: Option<(Vec<usize>, Vec<f64>, FreeBlock)>,
}

impl<'a> From<Task<'a>> for Attempt<'a> {
    fn from(task: Task<'a>) -> Attempt<'a> {
        Attempt { task, set: None, unpenalised: None }
    }
}

/// How a task is solved: on which data, and by which reference, if any.
#[derive(Clone, Copy)]
pub struct Road<'a> {
    pub data: &'a Data,
    pub reference: Option<&'a Reference>,
}

/// How a task ended.
#[derive(Clone, Copy, Debug)]
pub struct End {
    pub status: Status,
    pub iterations: u32,
    pub objective: f64,
    pub gap: f64,
}

impl End {
    /// Without any weight there is nothing to fit.
    pub const EMPTY: End = End { status: Status::Empty, iterations: 0, objective: 0.0, gap: 0.0 };
}

enum Model<'a> {
    Reference(&'a Reference, History),
    Working,
}

struct Progress<'a> {
    model: Model<'a>,
    /// The best gap so far, and rounds since it last got clearly better.
    gap: f64,
    stalled: u32,
    /// The best point so far: a draw that fails ends there.
    best: Option<Best>,
    end: Option<End>,
}

struct Best {
    certificate: Certificate,
    beta: Vec<f64>,
    found: Found,
}

/// Rounds without a clearly better gap after which a model is given up.
const PATIENCE: u32 = 3;
/// Rounds that the reference model may take.
const REFERENCE_ROUNDS: u32 = 30;

/// Solve all tasks from their β, each on its road; on return `found` belongs to β.
pub fn solve(
    attempts: &mut [Attempt],
    roads: &[Road],
    limits: Limits,
    newton: &mut Newton,
    control: &Control,
) -> Result<Vec<End>, Error> {
    let (mut ends, mut rest) = (Vec::with_capacity(roads.len()), attempts);
    // Those that pass over the same data pass together.
    for run in roads.chunk_by(|a, b| std::ptr::eq(a.data, b.data)) {
        let (together, others) = std::mem::take(&mut rest).split_at_mut(run.len());
        ends.extend(solve_together(together, run, limits, newton, control)?);
        rest = others;
    }
    Ok(ends)
}

fn solve_together(
    attempts: &mut [Attempt],
    roads: &[Road],
    limits: Limits,
    newton: &mut Newton,
    control: &Control,
) -> Result<Vec<End>, Error> {
    let Some(&Road { data, .. }) = roads.first() else { return Ok(Vec::new()) };
    let mut states: Vec<Progress> = roads.iter().map(|r| Progress::new(r.reference)).collect();
    for ((attempt, road), state) in attempts.iter_mut().zip(roads).zip(&mut states) {
        control.check()?;
        if let Some(proved) = solve_by_rows(data, &mut attempt.task, limits.tolerance, control)? {
            state.end = ended(Status::Converged, 1, proved);
        }
        if state.end.is_some() || road.reference.is_some() {
            continue;
        }
        let (task, set) = attempt.working(data);
        set.begin(data, task, limits.tolerance, control)?;
    }
    for round in 1.. {
        let mut open: Vec<&mut Task> = attempts
            .iter_mut()
            .zip(&states)
            .filter(|(_, s)| s.end.is_none())
            .map(|(a, _)| &mut a.task)
            .collect();
        if open.is_empty() {
            break;
        }
        pass(data, &mut open, control)?;
        for (attempt, state) in
            attempts.iter_mut().zip(&mut states).filter(|(_, s)| s.end.is_none())
        {
            control.check()?;
            state.judge(data, attempt, round, limits, control)?;
            if state.end.is_some() {
                continue;
            }
            match &mut state.model {
                Model::Reference(reference, _) => {
                    reference.step(&mut attempt.task, newton, control)?;
                }
                Model::Working => {
                    let (task, set) = attempt.working(data);
                    // New columns are progress, even if the gap does not show it yet.
                    if set.step(data, task, limits.tolerance, state.gap, control)? {
                        state.stalled = 0;
                    }
                }
            }
        }
    }
    // Every state has ended: the loop above leaves no other way.
    Ok(states.into_iter().filter_map(|s| s.end).collect())
}

fn ended(status: Status, iterations: u32, at: Certificate) -> Option<End> {
    Some(End { status, iterations, objective: at.objective, gap: at.gap })
}

impl<'a> Attempt<'a> {
    /// The task beside its working set, which is made where there is none.
    fn working(&mut self, data: &Data) -> (&mut Task<'a>, &mut WorkingSet) {
        let fresh = || Box::new(WorkingSet::new(data.design.cols));
        (&mut self.task, self.set.get_or_insert_with(fresh))
    }

    pub fn point(&self) -> Point<'_> {
        self.task.point()
    }

    /// The certificate of β. What unpenalised coordinates add is found only where it decides.
    fn certify(
        &mut self,
        data: &Data,
        enough: f64,
        control: &Control,
    ) -> Result<Certificate, Error> {
        let (which, slopes) = self.point().unpenalised();
        if which.is_empty() {
            return Ok(self.point().certify(0.0, &|_| 0.0));
        }
        let Point { yy, w, .. } = self.point();
        let largest = data.design.largest();
        let curvature = |j: usize| w * largest[j] * largest[j];
        // About what the steepest of them leaves to gain: a standardised column has curvature Σw.
        let steepest = slopes.iter().fold(0.0f64, |m, g| m.max(g * g)) / (8.0 * w);
        let hint = self.point().certify(steepest, &curvature);
        if hint.gap > enough {
            return Ok(hint);
        }
        let ridge: Vec<f64> = which.iter().map(|&j| self.task.penalty.ridge[j]).collect();
        let known = self.unpenalised.as_ref().is_some_and(|(w, r, _)| *w == which && *r == ridge);
        if !known {
            let block = self.unpenalised_block(data, which.clone(), control)?;
            self.unpenalised = Some((which, ridge, block));
        }
        let charge =
            self.unpenalised.as_ref().map_or(f64::INFINITY, |u| u.2.charge(&slopes, yy, w));
        Ok(self.point().certify(charge, &curvature))
    }

    /// Their curvature in this draw, from the working set or from the data.
    fn unpenalised_block(
        &mut self,
        data: &Data,
        which: Vec<usize>,
        control: &Control,
    ) -> Result<FreeBlock, Error> {
        let ridge = &self.task.penalty.ridge;
        let known = |set: &&WorkingSet| which.iter().all(|&j| set.curvature(j, j).is_some());
        if let Some(set) = self.set.as_deref().filter(known) {
            let own = |a: usize, b: usize| set.curvature(a, b).unwrap_or(f64::NAN);
            return Ok(FreeBlock::new(which, ridge, own));
        }
        let columns: Vec<u32> = which.iter().map(|&j| j as u32).collect();
        let weights = &mut self.task.weights;
        let mut gram = cross(data, &columns, 0, control, &mut |first, w| weights.fill(first, w))?;
        if let Some(totals) = self.task.totals.as_ref().filter(|_| data.intercept) {
            centre(&mut gram, totals, &columns, 0);
        }
        let place = |j: usize| which.binary_search(&j).unwrap_or(0);
        let own = |a: usize, b: usize| {
            let (a, b) = (place(a), place(b));
            gram[[a.min(b), a.max(b)]]
        };
        Ok(FreeBlock::new(which.clone(), ridge, own))
    }

    /// The certificate by a Newton step, from what the working set knows of the curvature.
    fn certify_by_step(&self, data: &Data) -> Certificate {
        let curvature = |a: usize, b: usize| self.set.as_ref().and_then(|s| s.curvature(a, b));
        // A standardised column has Σx² = n, so that no x² is above n.
        let largest = data.design.rows as f64 * self.task.totals.as_ref().map_or(0.0, |t| t.w);
        self.point().certify_by_step(&curvature, largest)
    }
}

impl<'a> Progress<'a> {
    fn new(reference: Option<&'a Reference>) -> Progress<'a> {
        let model = match reference {
            Some(reference) => Model::Reference(reference, History::default()),
            None => Model::Working,
        };
        Progress { model, gap: f64::INFINITY, stalled: 0, best: None, end: None }
    }

    fn judge(
        &mut self,
        data: &Data,
        attempt: &mut Attempt,
        round: u32,
        limits: Limits,
        control: &Control,
    ) -> Result<(), Error> {
        if attempt.task.is_empty() {
            attempt.task.beta.fill(0.0);
            self.end = Some(End { iterations: round, ..End::EMPTY });
            return Ok(());
        }
        if let Model::Reference(_, history) = &mut self.model {
            history.combine(&mut attempt.task);
        }
        let certificate = attempt.certify(data, limits.tolerance, control)?;
        if certificate.gap <= limits.tolerance {
            self.end = ended(Status::Converged, round, certificate);
            return Ok(());
        }
        self.remember(&attempt.task, certificate);
        self.stalled = if certificate.gap < 0.5 * self.gap { 0 } else { self.stalled + 1 };
        self.gap = self.gap.min(certificate.gap);
        let from_reference = matches!(self.model, Model::Reference(..));
        if from_reference && (self.stalled > PATIENCE || round > REFERENCE_ROUNDS) {
            self.model = Model::Working;
            self.stalled = 0;
        } else if round >= limits.iterations || (!from_reference && self.stalled > PATIENCE) {
            let certificate = self.go_back(&mut attempt.task, certificate);
            let closer = attempt.certify_by_step(data);
            self.end = if closer.gap <= limits.tolerance {
                ended(Status::Converged, round, closer)
            } else {
                ended(Status::NotConverged, round, certificate)
            };
        }
        Ok(())
    }

    fn remember(&mut self, task: &Task, certificate: Certificate) {
        let finite = certificate.objective.is_finite();
        let better =
            self.best.as_ref().is_none_or(|b| certificate.objective < b.certificate.objective);
        if finite && better {
            let (beta, found) = (task.beta.clone(), task.found.clone());
            self.best = Some(Best { certificate, beta, found });
        }
    }

    /// Where the draw ends if it ends here: at the best point that it has seen.
    fn go_back(&mut self, task: &mut Task, here: Certificate) -> Certificate {
        match self.best.take() {
            Some(best)
                if best.certificate.objective < here.objective || !here.objective.is_finite() =>
            {
                task.beta = best.beta;
                task.found = best.found;
                best.certificate
            }
            _ => here,
        }
    }
}
