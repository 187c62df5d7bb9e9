//! A quadratic model of a family's loss around a place, and the step to its minimum.

use super::task::{Place, Task};
use crate::engine::job::Control;
use crate::error::Error;
use crate::lasso::free::Reduced;
use crate::lasso::newton::Newton;
use crate::lasso::quadratic::{Origin, Quadratic};
use crate::lasso::sweeps::converge;
use crate::penalty::Penalty;
use ndarray::Array2;

/// Violations of the conditions of a minimum, as a part of its terms, from which on the search has given up: columns that
/// nearly depend on each other gain far more together than each of them alone. And how often it then begins again.
const GAVE_UP: f64 = 1e-12;
const AGAIN: u32 = 4;

/// The curvature of the intercepts and of some coordinates.
pub struct Model {
    pub coordinates: Vec<u32>,
    pub intercepts: usize,
    pub gram: Array2<f64>,
}

/// Where a model leads.
pub struct Step {
    pub to: Place,
    /// What the objective loses on the way, by the model.
    pub decrease: f64,
    /// What it misses of that of the model's minimum, and whether that was looked for to the end.
    pub missed: f64,
    pub exact: bool,
}

impl Step {
    /// The one that stays.
    pub fn none(at: &Place) -> Step {
        Step { to: at.clone(), decrease: 0.0, missed: 0.0, exact: true }
    }

    /// Twice what is to be gained: how far the minimum can be if the model is right.
    pub fn doubled(&self) -> f64 {
        2.0 * (self.decrease + self.missed)
    }
}

/// How the minimum of a model is found, and what serves again.
#[derive(Default)]
pub struct Solver {
    newton: Newton,
    reduced: Option<Reduced>,
    ridge: Vec<f64>,
    known: bool,
}

impl Solver {
    /// Another model comes: nothing of the last serves.
    pub fn forget(&mut self) {
        (self.reduced, self.known) = (None, false);
    }
}

/// What sweeps may miss of the minimum of a model: at first, and where that is not little beside what the
/// step gains, at last.
#[derive(Clone, Copy)]
pub struct Enough {
    pub first: f64,
    pub last: f64,
}

/// How the minimum of a model is looked for.
#[derive(Clone, Copy)]
pub enum Approach<'a> {
    /// To the end, from this place on.
    Exactly(&'a Place),
    /// By sweeps from the task's place, if they come there.
    Nearly(Enough),
}

impl Model {
    /// The problem of a task in this model's coordinates, times `ratio`.
    fn problem(&self, task: &Task, ratio: f64) -> (Penalty, Vec<f64>, Vec<f64>) {
        let of_columns = task.penalty.of(&self.coordinates).scaled(ratio);
        let mut penalty = Penalty::none(self.intercepts);
        penalty.l1.extend(of_columns.l1);
        penalty.ridge.extend(of_columns.ridge);
        let coordinates = || self.coordinates.iter().map(|&j| j as usize);
        let beta = self.of(&task.place);
        let slopes = task.found.slopes[..self.intercepts].iter().map(|s| s * ratio);
        let correlation = slopes.chain(coordinates().map(|j| ratio * task.slope(j))).collect();
        (penalty, beta, correlation)
    }

    /// The model's coefficients at a place.
    fn of(&self, place: &Place) -> Vec<f64> {
        let columns = self.coordinates.iter().map(|&j| place.beta[j as usize]);
        place.intercept.iter().copied().chain(columns).collect()
    }

    /// Without what is free in this problem, for all that share the model.
    pub fn reduced(&self, task: &Task) -> Option<Reduced> {
        let (penalty, ..) = self.problem(task, 1.0);
        Reduced::new(&Quadratic { gram: self.gram.view(), penalty: &penalty })
    }

    /// To the minimum of the model around a task's place: the exact one, or nearly where that is enough.
    /// The task's curvature is the model's over `ratio`.
    pub fn step(
        &self,
        task: &Task,
        ratio: f64,
        shared: Option<&Reduced>,
        solver: &mut Solver,
        from: Approach,
        control: &Control,
    ) -> Result<Step, Error> {
        let (start, enough) = match from {
            Approach::Exactly(start) => (start, None),
            Approach::Nearly(enough) => (&task.place, Some(enough)),
        };
        let (penalty, from, correlation) = self.problem(task, ratio);
        let model = Quadratic { gram: self.gram.view(), penalty: &penalty };
        let origin = Origin { beta: &from, correlation: &correlation };
        let mut beta = self.of(start);
        let Solver { newton, reduced, ridge, known } = solver;
        let fits = |r: &&Reduced| r.fits(&model);
        if shared.filter(fits).is_none() && reduced.as_ref().filter(fits).is_none() {
            (*reduced, *known) = (Reduced::new(&model), false);
        }
        let again = *known && penalty.ridge == *ridge;
        let (mut missed, mut gained) = (0.0, 0.0);
        let mut descend = |q: &Quadratic, origin: &Origin, beta: &mut [f64]| -> Result<(), Error> {
            if let Some(enough) = enough {
                let found = sweep(q, origin, beta, enough.first * ratio, enough.last * ratio);
                if let Some(least) = found {
                    missed = least / ratio;
                    return Ok(());
                }
                beta.copy_from_slice(origin.beta);
            }
            if again && enough.is_none() {
                newton.minimise_again(q, origin, beta, control)?;
            } else {
                newton.minimise(q, origin, beta, control)?;
            }
            gained = begin_again(q, origin, beta, newton, control)?;
            Ok(())
        };
        match shared.filter(fits).or(reduced.as_ref()) {
            None => descend(&model, &origin, &mut beta)?,
            Some(reduced) => {
                let inner_penalty = reduced.penalty(&penalty);
                let inner = Quadratic { gram: reduced.gram(), penalty: &inner_penalty };
                let mut rest = reduced.restrict(&beta);
                let inner_from = reduced.restrict(&from);
                let inner_correlation = reduced.correlations(&correlation);
                let inner_origin = Origin { beta: &inner_from, correlation: &inner_correlation };
                descend(&inner, &inner_origin, &mut rest)?;
                // The correlations are those of the task's place, wherever the search began.
                beta.copy_from_slice(&from);
                reduced.expand(&rest, &correlation, &mut beta);
            }
        }
        (*ridge, *known) = (penalty.ridge.clone(), enough.is_none());
        let mut there = Vec::new();
        origin.correlate(&model, &beta, &mut there);
        let exact = missed == 0.0;
        if exact {
            missed = (violations(&model, &there, &beta) + gained) / ratio;
        }
        let decrease =
            origin.value(&model, &correlation, &from).sum - origin.value(&model, &there, &beta).sum;
        let mut to = task.place.clone();
        to.intercept.copy_from_slice(&beta[..self.intercepts]);
        self.coordinates.iter().zip(&beta[self.intercepts..]).for_each(|(&j, b)| {
            to.beta[j as usize] = *b;
        });
        Ok(Step { to, decrease: decrease.max(0.0) / ratio, missed, exact })
    }
}

/// Go on where the exact search gave up before the minimum; what the last try still gained.
fn begin_again(
    q: &Quadratic,
    origin: &Origin,
    beta: &mut [f64],
    newton: &mut Newton,
    control: &Control,
) -> Result<f64, Error> {
    let (mut gained, mut there) = (0.0, Vec::new());
    for _ in 0..AGAIN {
        origin.correlate(q, beta, &mut there);
        let before = origin.value(q, &there, beta);
        if violations(q, &there, beta) <= GAVE_UP * before.size {
            break;
        }
        newton.minimise(q, origin, beta, control)?;
        origin.correlate(q, beta, &mut there);
        gained = (before.sum - origin.value(q, &there, beta).sum).max(0.0);
    }
    Ok(gained)
}

/// Sweep until little is missed beside what is gained: how much that is; None if it takes too long.
fn sweep(q: &Quadratic, origin: &Origin, beta: &mut [f64], first: f64, last: f64) -> Option<f64> {
    let mut correlation = origin.correlation.to_vec();
    let start = origin.value(q, &correlation, beta).sum;
    let mut least = first.max(last);
    loop {
        // Each coordinate may miss its part.
        let moved = beta.iter().filter(|b| **b != 0.0).count() + 8;
        if !converge(q, beta, &mut correlation, least / moved as f64) {
            return None;
        }
        let gained = start - origin.value(q, &correlation, beta).sum;
        if least <= last || least <= 0.05 * gained {
            return Some(least);
        }
        least = (0.02 * gained.max(0.0)).max(last).min(0.1 * least);
    }
}

/// What a model's minimum is missed by where its conditions are violated, coordinate by coordinate: next to
/// nothing, unless the exact method gave up.
fn violations(q: &Quadratic, correlation: &[f64], beta: &[f64]) -> f64 {
    let Penalty { l1, ridge } = q.penalty;
    let bounded = (0..beta.len()).filter(|&j| l1[j].is_finite());
    let gains = bounded.map(|j| {
        let over = if beta[j] == 0.0 {
            (correlation[j].abs() - l1[j]).max(0.0)
        } else {
            correlation[j] - l1[j].copysign(beta[j])
        };
        let curvature = q.row(j)[j] + ridge[j];
        if curvature > 0.0 { over * over / curvature } else { 0.0 }
    });
    gains.sum()
}
