//! What solvers give back, as lists: draws, modes, the curve of a cross-validation.

use crate::job::Outcome;
use crate::tables::Table;
use extendr_api::prelude::*;
use ndarray::{Array, Dimension};
use wbb_core::engine::bootstrap::Blocks;
use wbb_core::engine::cv::Curve;
use wbb_core::engine::problem::{Mode, Status};

/// What a solver has found.
pub struct Solved<A> {
    /// None if they were not asked for.
    pub draws: Option<Blocks<A>>,
    pub modes: Vec<Mode>,
    pub lambda: Vec<f64>,
    pub curve: Option<Curve>,
    pub method: &'static str,
}

impl<A> Solved<A> {
    /// With `more` fields that only this solver has; larger ones are to be put into the tables. Also what the modes of
    /// the draws carry, by blocks.
    pub fn outcome(
        self,
        more: impl FnOnce() -> Vec<(&'static str, Robj)> + Send + 'static,
    ) -> (Outcome, Vec<A>) {
        let Solved { draws, modes, lambda, curve, method } = self;
        let kept = draws.as_ref().map(|draws| draws.draws as f64);
        let (tables, asides) = draws.map(draw_tables).unwrap_or_default();
        let rest = move || {
            let mode: Vec<f64> = modes.iter().flat_map(|m| m.theta.iter().copied()).collect();
            let mut fields = vec![
                ("kept", kept.into()),
                // Filled by its tables.
                ("diagnostics", or_null(kept.map(|_| List::new(0)))),
                ("mode", mode.into()),
                ("mode_diagnostics", mode_list(&modes).into()),
                ("lambda", lambda.into()),
                ("cv", or_null(curve.map(curve_list))),
                ("method", method.into()),
            ];
            fields.extend(more());
            List::from_pairs(fields)
        };
        (Outcome { tables, rest: Box::new(rest) }, asides)
    }
}

/// The draws and their diagnostics, and what else they carry.
fn draw_tables<A>(draws: Blocks<A>) -> (Vec<(&'static str, Table)>, Vec<A>) {
    let count = draws.blocks.len();
    let parts = || Vec::with_capacity(count);
    let (mut theta, mut objective, mut gap, mut sigma) = (parts(), parts(), parts(), parts());
    let (mut status, mut iterations) = (Vec::with_capacity(count), Vec::with_capacity(count));
    let mut asides = Vec::with_capacity(count);
    for block in draws.blocks {
        theta.push(block.theta);
        status.push(codes(block.status));
        iterations.push(integers(block.iterations));
        objective.push(block.objective);
        gap.push(block.gap);
        sigma.push(block.sigma);
        asides.push(block.asides);
    }
    let modes = draws.modes;
    let tables = vec![
        ("draws", Table::of_rows(theta, draws.dimension * modes)),
        ("diagnostics/status", Table::of_integers(status, modes)),
        ("diagnostics/iterations", Table::of_integers(iterations, modes)),
        ("diagnostics/objective", Table::of_rows(objective, modes)),
        ("diagnostics/gap", Table::of_rows(gap, modes)),
        ("diagnostics/sigma", Table::of_rows(sigma, modes)),
    ];
    (tables, asides)
}

pub fn or_null(list: Option<List>) -> Robj {
    list.map_or_else(|| ().into(), Robj::from)
}

/// A table as R holds it: column after column.
pub fn flat<T, D: Dimension>(table: Array<T, D>) -> Vec<T> {
    table.into_raw_vec_and_offset().0
}

fn mode_list(modes: &[Mode]) -> List {
    let of_modes = |f: fn(&Mode) -> f64| -> Vec<f64> { modes.iter().map(f).collect() };
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
