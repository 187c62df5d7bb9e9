//! One sweep of a descent, over columns of either kind.

use super::State;
use super::columns::{Column, DenseColumns, SparseColumns};
use crate::linalg::lanes::dispatch;
use crate::penalty::step;

/// How far the last sweep was from one that changes nothing: the largest change of a slope as a part of
/// its λ, and of the objective where there is none.
#[derive(Clone, Copy, Default)]
pub struct Change {
    pub slope: f64,
    pub free: f64,
}

/// What a sweep needs beside the columns.
pub struct Problem<'a> {
    pub which: &'a [usize],
    pub square: &'a [f64],
    pub l1: &'a [f64],
    pub ridge: &'a [f64],
    pub objective: f64,
}

#[inline(always)]
fn sweep(columns: &impl Column, problem: &Problem, state: &mut State) -> Change {
    let mut largest = Change::default();
    for &k in problem.which {
        let (old, l1, ridge) = (state.beta[k], problem.l1[k], problem.ridge[k]);
        let curvature = problem.square[k] + ridge;
        let new = if curvature > 0.0 {
            step(old, columns.slope(k, state), problem.square[k], l1, ridge)
        } else if l1 > 0.0 {
            0.0
        } else {
            old
        };
        let change = new - old;
        if change != 0.0 {
            columns.subtract(k, change, state);
            state.beta[k] = new;
            let slope = curvature * change.abs();
            if l1 > 0.0 {
                // A division is dear beside a column of few entries.
                if slope > largest.slope * l1 {
                    largest.slope = slope / l1;
                }
            } else {
                largest.free = largest.free.max(slope * change.abs() / problem.objective);
            }
        }
    }
    largest
}

#[inline(always)]
fn subtract_all(columns: &impl Column, state: &mut State) {
    for k in 0..state.beta.len() {
        let b = state.beta[k];
        if b != 0.0 {
            columns.subtract(k, b, state);
        }
    }
}

dispatch! {
    pub fn sweep_dense(columns: &DenseColumns, problem: &Problem, state: &mut State) -> Change {
        sweep(columns, problem, state)
    }
}

dispatch! {
    pub fn sweep_sparse(columns: &SparseColumns, problem: &Problem, state: &mut State) -> Change {
        sweep(columns, problem, state)
    }
}

dispatch! {
    pub fn subtract_dense(columns: &DenseColumns, state: &mut State) {
        subtract_all(columns, state);
    }
}

dispatch! {
    pub fn subtract_sparse(columns: &SparseColumns, state: &mut State) {
        subtract_all(columns, state);
    }
}
