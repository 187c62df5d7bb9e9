//! The minimum of a model of several classes without its Gram matrix, by coordinate descent.
//!
//! With shares μ the curvature of a row is w (diag μ − μμ'). Where η of class k has moved by qₖ, its weighted residual is
//! gₖ − w μₖ (qₖ − t), t = Σ μₗ qₗ: a step on one class changes two numbers of a row, whatever the number of classes. The Gram
//! matrix has a column for each column and class, and costs far more. The intercepts are always where they are best for the rest: with C
//! their curvature and b that of a coordinate beside them, it has b'C⁻¹b less of its own. Sweeps are extrapolated
//! as those of least squares are.

mod block;
mod problem;
mod sweep;

use super::task::{Data, Place, Task};
use crate::engine::job::Control;
use crate::error::Error;
use crate::lasso::extrapolate::{Extrapolation, State, Terms};
use crate::penalty::Penalty;
use problem::Problem;
pub use problem::{AtRows, of_shares};
use sweep::{subtract_each, sweep_over};

/// Sweeps of the support for one of all coordinates, and the most of both.
const INNER: u32 = 10;
const SWEEPS: u32 = 1000;
/// Sweeps that are enough where no more than such a precision is wanted: rows that are fitted all but perfectly make columns
/// alike, whose signs settle in hundreds of sweeps, and a model made far from the end is worth less than the next one.
const ENOUGH: u32 = 10;
const COARSE: f64 = 1e-3;
/// Slopes are nearly what they should be, as a multiple of that.
const NEAR: f64 = 30.0;
/// What it costs to keep and combine states, for each of their numbers, in steps on an entry.
const COMBINED: f64 = 2.0;

/// Where the minimum over these coordinates is, the changes of slopes in a sweep within this part of their λ; false, and where it has come
/// to, if more is spent on it than `most` steps on an entry.
pub fn minimise(
    data: &Data,
    task: &Task,
    rows: AtRows,
    coordinates: &[u32],
    (precision, most): (f64, f64),
    control: &Control,
) -> Result<(Place, bool), Error> {
    let problem = Problem::new(data, task, rows, coordinates);
    let mut state = begin(&problem, problem.from.clone());
    let mut extrapolation = Extrapolation::default();
    let (mut support, mut spent, mut combined, mut sweep) = (Vec::new(), 0.0, false, 0);
    let (mut before, size) = (f64::INFINITY, problem.start.len() as f64);
    while sweep < SWEEPS && spent <= most {
        control.check()?;
        let whole = sweep % INNER == 0;
        if whole || sweep % INNER == 1 {
            support = (0..problem.all.len()).filter(|&c| whole || state.beta[c] != 0.0).collect();
        }
        let cost = problem.cost(&support);
        spent += cost;
        let change = sweep_over(&problem, &support, &mut state);
        sweep += 1;
        let far = precision >= COARSE && sweep > ENOUGH;
        if change <= precision || (whole && far) {
            if whole && combined && !far {
                // Combinations add up rounding in the residual.
                state = begin(&problem, std::mem::take(&mut state.beta));
                (combined, sweep) = (false, sweep - 1);
                extrapolation.forget();
                continue;
            }
            if whole {
                return Ok((problem.place(data, task, &state), true));
            }
            // The support has settled: see what the others say.
            sweep = sweep.next_multiple_of(INNER);
        }
        let Penalty { l1, ridge } = &problem.penalty;
        let product = |a: &State, b: &State| {
            let both = a.residual.iter().zip(&b.residual).zip(&problem.metric);
            both.map(|((a, b), m)| a * b * m).sum()
        };
        let terms = Terms { l1, ridge, product: &product };
        // What is left at the pace of the last two sweeps.
        let left = libm::log(precision / change) / libm::log(change / before);
        let slow = change >= before || left * cost > COMBINED * size;
        before = change;
        if change <= NEAR * precision || !slow {
            extrapolation.forget();
        } else if extrapolation.note(&mut state, &terms) {
            (combined, before) = (true, f64::INFINITY);
            spent += COMBINED * size;
        }
    }
    Ok((problem.place(data, task, &state), false))
}

/// The state at these coefficients.
fn begin(problem: &Problem, beta: Vec<f64>) -> State {
    let mut residual = problem.start.clone();
    let by: Vec<f64> = beta.iter().zip(&problem.from).map(|(to, from)| to - from).collect();
    subtract_each(problem, &by, &mut residual);
    State { residual, level: 0.0, beta }
}
