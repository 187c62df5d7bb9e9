//! The minimum of a model of several classes without its Gram matrix, by coordinate descent.
//!
//! With shares μ the curvature of a row is w (diag μ − μμ'). Where η of class k has moved by qₖ, its weighted residual is
//! gₖ − w μₖ (qₖ − t), t = Σ μₗ qₗ: a step on one class changes two numbers of a row, whatever the number of classes. The Gram
//! matrix has a column for each column and class, and costs far more. The intercepts are always where they are best for the rest: with C
//! their curvature and b that of a coordinate beside them, it has b'C⁻¹b less of its own. Sweeps are extrapolated
//! as those of least squares are.

mod block;
mod problem;

use super::task::{Data, Place, Task};
use crate::engine::job::Control;
use crate::error::Error;
use crate::lasso::descent::{Extrapolation, State, Terms};
use crate::linalg::lanes::dispatch;
use crate::penalty::{Penalty, step};
use block::Together;
pub use problem::{AtRows, of_shares};
use problem::{Columns, Coordinate, FOUR, Problem, WIDE, sum_of};
use pulp::{as_arrays, as_arrays_mut};

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

/// Where the minimum over these coordinates is, the changes of slopes in a sweep within this part of their λ; None if more
/// is spent on it than `most` steps on an entry.
pub fn minimise(
    data: &Data,
    task: &Task,
    rows: AtRows,
    coordinates: &[u32],
    (precision, most): (f64, f64),
    control: &Control,
) -> Result<Option<Place>, Error> {
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
                return Ok(Some(problem.place(data, task, &state)));
            }
            // The support has settled: see what the others say.
            sweep = sweep.next_multiple_of(INNER);
        }
        let Penalty { l1, ridge } = &problem.penalty;
        let terms = Terms { l1, ridge, weight: 0.0, metric: &problem.metric };
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
    Ok(None)
}

/// The state at these coefficients.
fn begin(problem: &Problem, beta: Vec<f64>) -> State {
    let mut state = State { residual: problem.start.clone(), level: 0.0, beta: Vec::new() };
    for (c, (to, from)) in beta.iter().zip(&problem.from).enumerate() {
        if to != from {
            subtract(problem, c, to - from, &mut state.residual);
        }
    }
    state.beta = beta;
    state
}

/// r −= s x for a coordinate.
#[inline(always)]
fn subtract(problem: &Problem, c: usize, s: f64, residual: &mut [f64]) {
    let Coordinate { class, column, .. } = problem.all[c];
    let Problem { layout, weight, share, .. } = problem;
    match &problem.columns {
        Columns::Dense(values) => {
            let (lines, first) = (layout.lines, layout.of(0, class));
            let x = &values[column * lines..][..lines];
            let (mean, left) = residual.split_at_mut(lines);
            let left = &mut left[first - lines..][..lines];
            let (weight, share) = (&weight[first..][..lines], &share[first..][..lines]);
            for i in 0..lines {
                let by = s * x[i];
                left[i] = (-weight[i]).mul_add(by, left[i]);
                mean[i] = share[i].mul_add(by, mean[i]);
            }
        }
        Columns::Sparse(columns) => {
            let (places, entries) = &columns[column];
            for (&i, x) in places.iter().zip(*entries) {
                let (first, by) = (layout.mean(i as usize), s * x);
                let at = first + class + 1;
                residual[at] = (-weight[at]).mul_add(by, residual[at]);
                residual[first] = share[at].mul_add(by, residual[first]);
            }
        }
    }
    let beside = &problem.beside[c * problem.intercepts..][..problem.intercepts];
    let sums = residual.iter_mut().rev().zip(beside.iter().rev());
    sums.for_each(|(e, b)| *e = (-s).mul_add(*b, *e));
}

/// The slope of a coordinate, without its penalty.
#[inline(always)]
fn slope(problem: &Problem, c: usize, residual: &[f64]) -> f64 {
    let Coordinate { class, column, .. } = problem.all[c];
    let Problem { layout, weight, .. } = problem;
    let beside = &problem.beside[c * problem.intercepts..][..problem.intercepts];
    let sums = residual.iter().rev().zip(beside.iter().rev());
    let moved: f64 = sums.fold(0.0, |m, (e, b)| b.mul_add(*e, m));
    let of_rows = match &problem.columns {
        Columns::Dense(values) => {
            let (lines, first) = (layout.lines, layout.of(0, class));
            let x = &values[column * lines..][..lines];
            let (mean, left) = (&residual[..lines], &residual[first..][..lines]);
            let weight = &weight[first..][..lines];
            let mut sum = [0.0; WIDE];
            let lanes = |v| as_arrays::<WIDE, f64>(v).0.iter();
            for (((x, r), w), t) in lanes(x).zip(lanes(left)).zip(lanes(weight)).zip(lanes(mean)) {
                for l in 0..WIDE {
                    sum[l] = x[l].mul_add(w[l].mul_add(t[l], r[l]), sum[l]);
                }
            }
            sum_of(std::hint::black_box(sum))
        }
        Columns::Sparse(columns) => {
            let (places, entries) = (columns[column].0.as_ref(), columns[column].1);
            let residual = |i: u32| {
                let first = layout.mean(i as usize);
                let at = first + class + 1;
                weight[at].mul_add(residual[first], residual[at])
            };
            // Sums side by side do not wait for each other.
            let ((fours, rest), (values, last)) =
                (as_arrays::<4, _>(places), as_arrays::<4, _>(entries));
            let mut sums = [0.0; 4];
            for (at, x) in fours.iter().zip(values) {
                for l in 0..4 {
                    sums[l] = x[l].mul_add(residual(at[l]), sums[l]);
                }
            }
            for (&i, x) in rest.iter().zip(last) {
                sums[0] = x.mul_add(residual(i), sums[0]);
            }
            (sums[0] + sums[1]) + (sums[2] + sums[3])
        }
    };
    of_rows - moved
}

/// The slopes of coordinates of one column.
#[inline(always)]
fn slopes(problem: &Problem, which: &[usize], residual: &[f64], out: &mut Together) {
    let Together { slopes, row, .. } = out;
    slopes.clear();
    let Columns::Sparse(columns) = &problem.columns else {
        for &c in which {
            slopes.push(slope(problem, c, residual));
        }
        return;
    };
    let (places, entries) = &columns[problem.all[which[0]].column];
    let (width, weight) = (problem.layout.row, &problem.weight);
    row.clear();
    row.resize(width, 0.0);
    if width == FOUR {
        let mut sum = [0.0; FOUR];
        for (&i, x) in places.iter().zip(*entries) {
            let at = i as usize * FOUR;
            let (r, w) = (&residual[at..][..FOUR], &weight[at..][..FOUR]);
            for l in 0..FOUR {
                sum[l] = x.mul_add(w[l].mul_add(r[0], r[l]), sum[l]);
            }
        }
        row.copy_from_slice(&sum);
    } else {
        for (&i, x) in places.iter().zip(*entries) {
            let at = i as usize * width;
            let (r, w) = (&residual[at..][..width], &weight[at..][..width]);
            let t = r[0];
            for (sum, (r, w)) in
                as_arrays_mut::<FOUR, _>(row).0.iter_mut().zip(fours(r).iter().zip(fours(w)))
            {
                for l in 0..FOUR {
                    sum[l] = x.mul_add(w[l].mul_add(t, r[l]), sum[l]);
                }
            }
        }
    }
    let sums = &residual[problem.start.len() - problem.intercepts..];
    for &c in which {
        let mut moved = 0.0;
        let beside = &problem.beside[c * problem.intercepts..][..problem.intercepts];
        for (e, b) in sums.iter().zip(beside) {
            moved = b.mul_add(*e, moved);
        }
        slopes.push(row[problem.all[c].class + 1] - moved);
    }
}

#[inline(always)]
fn fours(v: &[f64]) -> &[[f64; FOUR]] {
    as_arrays::<FOUR, _>(v).0
}

/// r −= s x for coordinates of one column.
#[inline(always)]
fn subtract_all(problem: &Problem, which: &[usize], by: &mut Together, residual: &mut [f64]) {
    let Together { moved, row, .. } = by;
    let Columns::Sparse(columns) = &problem.columns else {
        for (&c, &moved) in which.iter().zip(moved.iter()) {
            if moved != 0.0 {
                subtract(problem, c, moved, residual);
            }
        }
        return;
    };
    let (places, entries) = &columns[problem.all[which[0]].column];
    let width = problem.layout.row;
    let Problem { weight, share, .. } = problem;
    row.fill(0.0);
    for (&c, &moved) in which.iter().zip(moved.iter()) {
        row[problem.all[c].class + 1] = moved;
    }
    for (&i, x) in places.iter().zip(*entries) {
        let at = i as usize * width;
        let (r, w, s) =
            (&mut residual[at..][..width], &weight[at..][..width], &share[at..][..width]);
        let mut mean = [0.0; FOUR];
        let of_classes = fours(row).iter().zip(fours(w).iter().zip(fours(s)));
        for (r, (d, (w, s))) in as_arrays_mut::<FOUR, _>(r).0.iter_mut().zip(of_classes) {
            for l in 0..FOUR {
                let by = d[l] * x;
                r[l] = (-w[l]).mul_add(by, r[l]);
                mean[l] = s[l].mul_add(by, mean[l]);
            }
        }
        r[0] += (mean[0] + mean[1]) + (mean[2] + mean[3]);
    }
    let first = problem.start.len() - problem.intercepts;
    for (&c, &moved) in which.iter().zip(moved.iter()) {
        let beside = &problem.beside[c * problem.intercepts..][..problem.intercepts];
        for (e, b) in residual[first..].iter_mut().zip(beside) {
            *e = (-moved).mul_add(*b, *e);
        }
    }
}

dispatch! {
    /// The largest change of a slope, as a part of its λ.
    fn sweep_over(problem: &Problem, which: &[usize], state: &mut State) -> f64 {
        let Penalty { l1, ridge } = &problem.penalty;
        let mut largest = 0.0f64;
        let mut together = Together::default();
        for group in which.chunk_by(|&a, &b| problem.all[a].column == problem.all[b].column) {
            if group.len() > 1 {
                together.beta.clear();
                together.beta.extend(group.iter().map(|&c| state.beta[c]));
                slopes(problem, group, &state.residual, &mut together);
                if together.minimise(problem, group) {
                    for (&c, &new) in group.iter().zip(&together.beta) {
                        let change = (new - state.beta[c]) * (problem.all[c].square + ridge[c]);
                        state.beta[c] = new;
                        if change.abs() > largest * l1[c] {
                            largest = change.abs() / l1[c];
                        }
                    }
                    subtract_all(problem, group, &mut together, &mut state.residual);
                }
                continue;
            }
            let c = group[0];
            let (old, square) = (state.beta[c], problem.all[c].square);
            let curvature = square + ridge[c];
            let new = if curvature > 0.0 {
                step(old, slope(problem, c, &state.residual), square, l1[c], ridge[c])
            } else {
                0.0
            };
            let change = new - old;
            if change != 0.0 {
                subtract(problem, c, change, &mut state.residual);
                state.beta[c] = new;
                let moved = curvature * change.abs();
                // A division is dear beside a column of few entries.
                if moved > largest * l1[c] {
                    largest = moved / l1[c];
                }
            }
        }
        largest
    }
}
