//! What solvers give back, as lists: draws, modes, the curve of a cross-validation.

use crate::job::Outcome;
use extendr_api::prelude::*;
use ndarray::{Array, Dimension};
use wbb_core::engine::bootstrap::Draws;
use wbb_core::engine::cv::Curve;
use wbb_core::engine::problem::{Mode, Status};

/// What a solver has found.
pub struct Solved<A> {
    /// None if they were not asked for.
    pub draws: Option<Draws<A>>,
    pub modes: Vec<Mode<A>>,
    pub lambda: Vec<f64>,
    pub curve: Option<Curve>,
    pub method: &'static str,
}

impl<A: Send + 'static> Solved<A> {
    pub fn outcome(self) -> Outcome {
        self.outcome_with(Vec::new)
    }

    /// With `more` fields that only this solver has; larger ones are to be put into the tables.
    pub fn outcome_with(
        mut self,
        more: impl FnOnce() -> Vec<(&'static str, Robj)> + Send + 'static,
    ) -> Outcome {
        let theta = self.draws.as_mut().map(|draws| std::mem::take(&mut draws.theta));
        let rest = move || {
            let mode: Vec<f64> = self.modes.iter().flat_map(|m| m.theta.iter().copied()).collect();
            let mut fields = vec![
                ("diagnostics", or_null(self.draws.map(draw_list))),
                ("mode", mode.into()),
                ("mode_diagnostics", mode_list(&self.modes).into()),
                ("lambda", self.lambda.into()),
                ("cv", or_null(self.curve.map(curve_list))),
                ("method", self.method.into()),
            ];
            fields.extend(more());
            List::from_pairs(fields)
        };
        let tables = theta.map(|theta| ("draws", theta.into())).into_iter().collect();
        Outcome { tables, rest: Box::new(rest) }
    }
}

pub fn or_null(list: Option<List>) -> Robj {
    list.map_or_else(|| ().into(), Robj::from)
}

/// A table as R holds it: column after column.
pub fn flat<T, D: Dimension>(table: Array<T, D>) -> Vec<T> {
    table.into_raw_vec_and_offset().0
}

fn draw_list<A>(draws: Draws<A>) -> List {
    list!(
        status = codes(flat(draws.status)),
        iterations = integers(flat(draws.iterations)),
        objective = flat(draws.objective),
        gap = flat(draws.gap),
        sigma = flat(draws.sigma)
    )
}

fn mode_list<A>(modes: &[Mode<A>]) -> List {
    let of_modes = |f: fn(&Mode<A>) -> f64| -> Vec<f64> { modes.iter().map(f).collect() };
    list!(
        status = codes(modes.iter().map(|m| m.sound_status())),
        iterations = integers(modes.iter().map(|m| m.iterations)),
        objective = of_modes(|m| m.objective),
        gap = of_modes(|m| m.gap),
        sigma = of_modes(|m| m.sigma)
    )
}

pub fn curve_list(curve: Curve) -> List {
    list!(
        lambda = curve.lambda,
        mean = curve.mean,
        se = curve.se,
        nonzero = integers(curve.nonzero),
        foldid = integers(curve.fold),
        index_min = curve.index_min as i32 + 1,
        index_1se = curve.index_1se as i32 + 1
    )
}

/// R knows the words; see `status_levels` there.
pub fn codes(status: impl IntoIterator<Item = Status>) -> Vec<i32> {
    status.into_iter().map(|s| s as i32).collect()
}

pub fn integers(values: impl IntoIterator<Item = u32>) -> Vec<i32> {
    values.into_iter().map(|v| v as i32).collect()
}
