//! What solvers give back, as lists: draws, modes, the curve of a cross-validation.

use extendr_api::prelude::*;
use wbb_core::bootstrap::Draws;
use wbb_core::lasso::Curve;
use wbb_core::problem::{Mode, Status};

/// What a solver has found.
pub struct Solved {
    /// None if they were not asked for.
    pub draws: Option<Draws>,
    pub modes: Vec<Mode>,
    pub lambda: Vec<f64>,
    pub curve: Option<Curve>,
    pub method: &'static str,
}

impl Solved {
    pub fn list(self) -> List {
        let mode: Vec<f64> = self.modes.iter().flat_map(|m| m.theta.iter().copied()).collect();
        let (draws, diagnostics) = match self.draws {
            Some(draws) => draw_lists(draws),
            None => (().into(), ().into()),
        };
        list!(
            draws = draws,
            diagnostics = diagnostics,
            mode = mode,
            mode_diagnostics = mode_list(&self.modes),
            lambda = self.lambda,
            cv = self.curve.map_or_else(|| ().into(), |curve| Robj::from(curve_list(curve))),
            method = self.method
        )
    }
}

/// The table of θ, and what is known of each draw.
fn draw_lists(draws: Draws) -> (Robj, Robj) {
    let diagnostics = list!(
        status = codes(draws.status),
        iterations = integers(draws.iterations),
        objective = draws.objective,
        gap = draws.gap,
        sigma = draws.sigma
    );
    (draws.theta.into(), diagnostics.into())
}

fn mode_list(modes: &[Mode]) -> List {
    let of_modes = |f: fn(&Mode) -> f64| -> Vec<f64> { modes.iter().map(f).collect() };
    list!(
        status = codes(modes.iter().map(|m| m.status)),
        iterations = integers(modes.iter().map(|m| m.iterations)),
        objective = of_modes(|m| m.objective),
        gap = of_modes(|m| m.gap),
        sigma = of_modes(|m| m.sigma)
    )
}

fn curve_list(curve: Curve) -> List {
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
