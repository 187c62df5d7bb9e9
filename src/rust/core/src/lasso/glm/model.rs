//! A quadratic model of a family's loss around a place, and the step to its minimum.

use super::task::{Place, Task};
use crate::engine::job::Control;
use crate::error::Error;
use crate::lasso::free::{Reduced, is_free};
use crate::lasso::newton::Newton;
use crate::lasso::quadratic::{Origin, Quadratic};
use crate::lasso::sweeps::converge;
use crate::penalty::Penalty;
use ndarray::Array2;

/// The curvature of the intercepts and of some coordinates, for a problem of total weight `weight`.
pub struct Model {
    pub coordinates: Vec<u32>,
    pub intercepts: usize,
    pub gram: Array2<f64>,
    pub weight: f64,
}

/// Where a model leads.
pub struct Step {
    pub to: Place,
    /// What the objective loses on the way, by the model.
    pub decrease: f64,
    /// What it misses of that of the model's minimum.
    pub missed: f64,
    /// The longest way of a coefficient that nothing penalises.
    pub free: f64,
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

impl Model {
    /// The problem of a task in this model's coordinates, divided by the task's weight over the model's.
    fn problem(&self, task: &Task, ratio: f64) -> (Penalty, Vec<f64>, Vec<f64>) {
        let of_columns = task.penalty.of(&self.coordinates).scaled(ratio);
        let mut penalty = Penalty::none(self.intercepts);
        penalty.l1.extend(of_columns.l1);
        penalty.ridge.extend(of_columns.ridge);
        let coordinates = || self.coordinates.iter().map(|&j| j as usize);
        let mut beta = task.place.intercept.clone();
        beta.extend(coordinates().map(|j| task.place.beta[j]));
        let slopes = task.found.slopes[..self.intercepts].iter().map(|s| s * ratio);
        let correlation = slopes.chain(coordinates().map(|j| ratio * task.slope(j))).collect();
        (penalty, beta, correlation)
    }

    /// Without what is free in this problem, for all that share the model.
    pub fn reduced(&self, task: &Task) -> Option<Reduced> {
        let (penalty, ..) = self.problem(task, 1.0);
        Reduced::new(&Quadratic { gram: self.gram.view(), penalty: &penalty })
    }

    /// To the minimum of the model around a task's place: the exact one, or nearly where that is enough.
    pub fn step(
        &self,
        task: &Task,
        shared: Option<&Reduced>,
        solver: &mut Solver,
        enough: Option<Enough>,
        control: &Control,
    ) -> Result<Step, Error> {
        let ratio = self.weight / task.found.weight;
        let (penalty, from, correlation) = self.problem(task, ratio);
        let model = Quadratic { gram: self.gram.view(), penalty: &penalty };
        let origin = Origin { beta: &from, correlation: &correlation };
        let mut beta = from.clone();
        let Solver { newton, reduced, ridge, known } = solver;
        let fits = |r: &&Reduced| r.fits(&model);
        if shared.filter(fits).is_none() && reduced.as_ref().filter(fits).is_none() {
            (*reduced, *known) = (Reduced::new(&model), false);
        }
        let again = *known && penalty.ridge == *ridge;
        let mut missed = 0.0;
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
            Ok(())
        };
        match shared.filter(fits).or(reduced.as_ref()) {
            None => descend(&model, &origin, &mut beta)?,
            Some(reduced) => {
                let inner_penalty = reduced.penalty(&penalty);
                let inner = Quadratic { gram: reduced.gram(), penalty: &inner_penalty };
                let mut rest = reduced.restrict(&beta);
                let inner_from = rest.clone();
                let inner_correlation = reduced.correlations(&correlation);
                let inner_origin = Origin { beta: &inner_from, correlation: &inner_correlation };
                descend(&inner, &inner_origin, &mut rest)?;
                reduced.expand(&rest, &correlation, &mut beta);
            }
        }
        (*ridge, *known) = (penalty.ridge.clone(), enough.is_none());
        let mut there = Vec::new();
        origin.correlate(&model, &beta, &mut there);
        let decrease =
            origin.value(&model, &correlation, &from).sum - origin.value(&model, &there, &beta).sum;
        let free = (0..beta.len())
            .filter(|&i| is_free(&penalty, i, model.row(i)[i]))
            .fold(0.0f64, |m, i| m.max((beta[i] - from[i]).abs()));
        let mut to = task.place.clone();
        to.intercept.copy_from_slice(&beta[..self.intercepts]);
        self.coordinates.iter().zip(&beta[self.intercepts..]).for_each(|(&j, b)| {
            to.beta[j as usize] = *b;
        });
        Ok(Step { to, decrease: decrease.max(0.0) / ratio, missed, free })
    }
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
