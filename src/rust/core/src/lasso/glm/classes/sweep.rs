//! Sweeps over columns: the classes of a column together.

use super::block::Together;
use super::problem::{Columns, FOUR, Problem, WIDE, sum_of};
use crate::lasso::extrapolate::State;
use crate::linalg::lanes::dispatch;
use crate::penalty::Penalty;
use pulp::{as_arrays, as_arrays_mut};

#[inline(always)]
fn fours(v: &[f64]) -> &[[f64; FOUR]] {
    as_arrays::<FOUR, _>(v).0
}

/// The slopes of coordinates of one column, without their penalties.
#[inline(always)]
fn slopes(problem: &Problem, which: &[usize], residual: &[f64], out: &mut Together) {
    let Together { slopes, row, .. } = out;
    let layout = problem.layout;
    let column = problem.all[which[0]].column;
    row.clear();
    row.resize(layout.numbers, 0.0);
    match &problem.columns {
        Columns::Dense(values) => {
            let lines = layout.lines;
            let x = &values[column * lines..][..lines];
            for &c in which {
                let first = layout.of(0, problem.all[c].class);
                let (mean, left) = (&residual[..lines], &residual[first..][..lines]);
                let weight = &problem.weight[first..][..lines];
                let mut sum = [0.0; WIDE];
                let lanes = |v| as_arrays::<WIDE, f64>(v).0.iter();
                for (((x, r), w), t) in
                    lanes(x).zip(lanes(left)).zip(lanes(weight)).zip(lanes(mean))
                {
                    for l in 0..WIDE {
                        sum[l] = x[l].mul_add(w[l].mul_add(t[l], r[l]), sum[l]);
                    }
                }
                row[problem.all[c].class + 1] = sum_of(std::hint::black_box(sum));
            }
        }
        Columns::Sparse(columns) => {
            let (places, entries) = &columns[column];
            // Three classes, the most usual, stay in a register.
            let mut sum = [0.0; FOUR];
            for (&i, x) in places.iter().zip(*entries) {
                let r = &residual[i as usize * layout.row..][..layout.row];
                if layout.row == FOUR {
                    for l in 0..FOUR {
                        sum[l] = x.mul_add(r[l], sum[l]);
                    }
                    continue;
                }
                let sums = as_arrays_mut::<FOUR, _>(row).0.iter_mut();
                for (sum, r) in sums.zip(fours(r)) {
                    for l in 0..FOUR {
                        sum[l] = x.mul_add(r[l], sum[l]);
                    }
                }
            }
            if layout.row == FOUR {
                row.copy_from_slice(&sum);
            }
        }
    }
    let sums = &residual[problem.start.len() - problem.intercepts..];
    slopes.clear();
    for &c in which {
        let mut slope = row[problem.all[c].class + 1];
        for (e, b) in sums.iter().zip(problem.beside(c)) {
            slope = (-b).mul_add(*e, slope);
        }
        slopes.push(slope);
    }
}

dispatch! {
    /// r −= s x for coordinates of one column.
    fn subtract(
        problem: &Problem,
        which: &[usize],
        moved: &[f64],
        row: &mut Vec<f64>,
        residual: &mut [f64],
    ) {
        let Problem { layout, weight, share, .. } = problem;
        let column = problem.all[which[0]].column;
        match &problem.columns {
            Columns::Dense(values) => {
                let lines = layout.lines;
                let x = &values[column * lines..][..lines];
                let (mean, left) = residual.split_at_mut(lines);
                for (&c, &s) in which.iter().zip(moved) {
                    if s == 0.0 {
                        continue;
                    }
                    let first = layout.of(0, problem.all[c].class);
                    let left = &mut left[first - lines..][..lines];
                    let (weight, share) = (&weight[first..][..lines], &share[first..][..lines]);
                    for i in 0..lines {
                        let by = s * x[i];
                        left[i] = (-weight[i]).mul_add(by, left[i]);
                        mean[i] = share[i].mul_add(by, mean[i]);
                    }
                }
            }
            Columns::Sparse(columns) => {
                let (places, entries) = &columns[column];
                row.clear();
                row.resize(layout.row, 0.0);
                which.iter().zip(moved).for_each(|(&c, s)| row[problem.all[c].class + 1] = *s);
                if let &[_, a, b, c] = row.as_slice() {
                    // The weight of a row, which stands before its shares, is no share.
                    let (by, classes) = ([0.0, a, b, c], [0.0, 1.0, 1.0, 1.0]);
                    for (&i, x) in places.iter().zip(*entries) {
                        let at = i as usize * FOUR;
                        let (s, r) = (&share[at..][..FOUR], &mut residual[at..][..FOUR]);
                        let mean = s[1].mul_add(a, s[2].mul_add(b, s[3] * c));
                        let weight = -s[0] * x;
                        for l in 0..FOUR {
                            let off = (-mean).mul_add(classes[l], by[l]);
                            r[l] = (weight * s[l]).mul_add(off, r[l]);
                        }
                    }
                } else {
                    for (&i, x) in places.iter().zip(*entries) {
                        let at = i as usize * layout.row;
                        let (s, r) = (&share[at..][..layout.row], &mut residual[at..][..layout.row]);
                        let mut mean = [0.0; FOUR];
                        for (s, by) in fours(s).iter().zip(fours(row)) {
                            for l in 0..FOUR {
                                mean[l] = s[l].mul_add(by[l], mean[l]);
                            }
                        }
                        let mean = (mean[0] + mean[1]) + (mean[2] + mean[3]);
                        let (weight, left) = (-s[0] * x, as_arrays_mut::<FOUR, _>(r).0);
                        for (r, (s, by)) in left.iter_mut().zip(fours(s).iter().zip(fours(row))) {
                            for l in 0..FOUR {
                                r[l] = (weight * s[l]).mul_add(by[l] - mean, r[l]);
                            }
                        }
                        r[0] = 0.0;
                    }
                }
            }
        }
        let first = problem.start.len() - problem.intercepts;
        for (&c, s) in which.iter().zip(moved) {
            for (e, b) in residual[first..].iter_mut().zip(problem.beside(c)) {
                *e = (-s).mul_add(*b, *e);
            }
        }
    }
}

/// r −= s x for all coordinates.
pub fn subtract_each(problem: &Problem, by: &[f64], residual: &mut [f64]) {
    let all: Vec<usize> = (0..by.len()).filter(|&c| by[c] != 0.0).collect();
    let mut row = Vec::new();
    for group in problem.by_column(&all) {
        let moved: Vec<f64> = group.iter().map(|&c| by[c]).collect();
        subtract(problem, group, &moved, &mut row, residual);
    }
}

dispatch! {
    /// The largest change of a slope, as a part of its λ.
    pub fn sweep_over(problem: &Problem, which: &[usize], state: &mut State) -> f64 {
        let Penalty { l1, ridge } = &problem.penalty;
        let mut largest = 0.0f64;
        let mut together = Together::default();
        for group in problem.by_column(which) {
            together.beta.clear();
            together.beta.extend(group.iter().map(|&c| state.beta[c]));
            slopes(problem, group, &state.residual, &mut together);
            let rounds = problem.rounds(group[0]);
            if !together.minimise(problem, group, rounds) {
                continue;
            }
            for (&c, &new) in group.iter().zip(&together.beta) {
                let moved = (new - state.beta[c]).abs() * (problem.all[c].square + ridge[c]);
                state.beta[c] = new;
                // A division is dear beside a column of few entries.
                if moved > largest * l1[c] {
                    largest = moved / l1[c];
                }
            }
            let Together { moved, row, .. } = &mut together;
            subtract(problem, group, moved, row, &mut state.residual);
        }
        largest
    }
}
