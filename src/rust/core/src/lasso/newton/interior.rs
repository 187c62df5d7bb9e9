//! An interior-point method in single precision (Mehrotra 1992): near the minimum in some ten factors, however many
//! signs are wrong at first.
//!
//! β = β₊ − β₋ with slacks s± = λ ∓ c; a step solves (H + D + 1/E) Δβ = q/E with E = β₊/s₊ + β₋/s₋, twice with one
//! factor. Only the matrix is in single precision: products of a slack and its coordinate become small.

use super::single::{Signs, correlate};
use crate::engine::job::Control;
use crate::error::Error;

/// Steps at most.
const MOST: u32 = 25;
/// Where it begins: a part of the mean |βⱼ|, and of λⱼ, that is added so that nothing starts on its bound.
const ASIDE: f64 = 0.3;
/// It ends where what is left to gain is this part of the penalty: signs are known by then.
const ENOUGH: f64 = 1e-6;
/// Steps go so far towards the first bound.
const SHORT: f64 = 0.99;
/// The shortest step that gets anywhere.
const SHORTEST: f64 = 1e-3;
/// Columns with less of E, beside their curvature, do not move the others.
const STILL: f64 = 1e-4;

/// A coordinate's part above zero or below: its value, its slack, and the way to go of both.
#[derive(Clone, Copy, Default)]
struct Side {
    beta: f64,
    slack: f64,
    /// What the slack misses: λ ∓ c − s.
    miss: f64,
    to_beta: f64,
    to_slack: f64,
}

impl Side {
    fn product(&self) -> f64 {
        self.beta * self.slack
    }

    fn ahead(&self, length: f64) -> f64 {
        length.mul_add(self.to_beta, self.beta) * length.mul_add(self.to_slack, self.slack)
    }

    /// How far the way leads until a bound.
    fn room(&self) -> f64 {
        let until = |x: f64, d: f64| if d < 0.0 { -x / d } else { f64::INFINITY };
        until(self.beta, self.to_beta).min(until(self.slack, self.to_slack))
    }

    fn go(&mut self, length: f64) {
        self.beta = length.mul_add(self.to_beta, self.beta);
        self.slack = length.mul_add(self.to_slack, self.slack);
    }

    /// What β is to change by if the slack does not, beyond what it misses.
    fn wanted(&self, target: f64) -> f64 {
        (target - self.beta * self.miss) / self.slack
    }

    /// The way, where slacks change by `change` beyond what they miss.
    fn set(&mut self, target: f64, change: f64) {
        self.to_slack = change + self.miss;
        self.to_beta = (target - self.beta * self.to_slack) / self.slack;
    }
}

/// Bring β near the minimum; false, and no change, if that fails.
pub(super) fn approach(signs: &mut Signs, control: &Control) -> Result<bool, Error> {
    // What has no penalty has no bound, and what has an infinite one no value.
    if signs.l1.iter().chain(&signs.curvature).any(|v| !v.is_finite() || *v <= 0.0) {
        return Ok(false);
    }
    let mut sides = begin(signs);
    let (mut next, mut correlation) = (signs.beta.clone(), signs.correlation.clone());
    for _ in 0..MOST {
        control.check()?;
        for (j, [up, down]) in sides.iter_mut().enumerate() {
            let (l1, c) = (f64::from(signs.l1[j]), f64::from(correlation[j]));
            (up.miss, down.miss) = (l1 - c - up.slack, l1 + c - down.slack);
        }
        let Some(length) = step(signs, &mut sides, control)? else { break };
        next.iter_mut().zip(&sides).for_each(|(o, [up, down])| *o = (up.beta - down.beta) as f32);
        correlation = correlate(signs, &next);
        let left: f64 = sides.iter().flatten().map(Side::product).sum();
        let penalty: f64 = next.iter().zip(&signs.l1).map(|(b, l)| f64::from(b.abs() * l)).sum();
        if left <= ENOUGH * penalty || length < SHORTEST {
            break;
        }
    }
    for ((o, [up, down]), h) in next.iter_mut().zip(&sides).zip(&signs.curvature) {
        let out = |s: &Side| s.beta * f64::from(*h) < s.slack;
        if out(up) && out(down) {
            *o = 0.0;
        }
    }
    correlation = correlate(signs, &next);
    let down = signs.descends(&next, &correlation);
    if down {
        (signs.beta, signs.correlation) = (next, correlation);
    }
    Ok(down)
}

fn begin(signs: &Signs) -> Vec<[Side; 2]> {
    let mean = signs.beta.iter().map(|b| f64::from(b.abs())).sum::<f64>() / signs.size as f64;
    // Where all are zero, as far as one coordinate alone would go.
    let alone = || {
        let most = |m: f32, (c, h): (&f32, &f32)| m.max(c.abs() / h);
        f64::from(signs.correlation.iter().zip(&signs.curvature).fold(0.0, most))
    };
    let aside = ASIDE * if mean > 0.0 { mean } else { alone() };
    let side = |beta: f64, slack: f64, l1: f64| Side {
        beta: beta.max(0.0) + aside,
        slack: slack.max(ASIDE * l1),
        ..Side::default()
    };
    (0..signs.size)
        .map(|j| {
            let [beta, c, l1] = [signs.beta[j], signs.correlation[j], signs.l1[j]].map(f64::from);
            [side(beta, l1 - c, l1), side(-beta, l1 + c, l1)]
        })
        .collect()
}

/// One step, by a prediction and its correction; its length, or None if there is no factor.
fn step(
    signs: &mut Signs,
    sides: &mut [[Side; 2]],
    control: &Control,
) -> Result<Option<f64>, Error> {
    let spread: Vec<f64> =
        sides.iter().map(|[up, down]| up.beta / up.slack + down.beta / down.slack).collect();
    let moving: Vec<usize> =
        (0..signs.size).filter(|&j| spread[j] * f64::from(signs.curvature[j]) > STILL).collect();
    if !signs.factor(&moving, |j, _| (1.0 / spread[j]) as f32, control)? {
        return Ok(None);
    }
    let count = 2.0 * sides.len() as f64;
    let mean = sides.iter().flatten().map(Side::product).sum::<f64>() / count;
    find_way(signs, sides, &spread, &moving, |side| -side.product());
    let length = room(sides).min(1.0);
    let ahead = sides.iter().flatten().map(|s| s.ahead(length)).sum::<f64>() / count;
    let centre = mean * (ahead / mean).powi(3);
    find_way(signs, sides, &spread, &moving, |side| {
        centre - side.product() - side.to_beta * side.to_slack
    });
    let length = (SHORT * room(sides)).min(1.0);
    sides.iter_mut().flatten().for_each(|s| s.go(length));
    Ok(length.is_finite().then_some(length))
}

fn room(sides: &[[Side; 2]]) -> f64 {
    sides.iter().flatten().fold(f64::INFINITY, |m, s| m.min(s.room()))
}

/// The way on which every product of a value and its slack changes by what `target` says.
fn find_way(
    signs: &Signs,
    sides: &mut [[Side; 2]],
    spread: &[f64],
    moving: &[usize],
    target: impl Fn(&Side) -> f64,
) {
    let wanted = |[up, down]: &[Side; 2]| up.wanted(target(up)) - down.wanted(target(down));
    let wanted: Vec<f64> = sides.iter().map(wanted).collect();
    let mut along: Vec<f32> = moving.iter().map(|&j| (wanted[j] / spread[j]) as f32).collect();
    signs.factor.solve(&mut along);
    // The slopes that this changes: H Δβ, of coordinates that hardly move by the product, as that of the
    // others is what the equations leave.
    let mut to = signs.beta.clone();
    moving.iter().zip(&along).for_each(|(&j, a)| to[j] = signs.beta[j] + a);
    let moved = correlate(signs, &to);
    let mut slope: Vec<f64> =
        signs.correlation.iter().zip(&moved).map(|(a, b)| f64::from(a - b)).collect();
    for (&j, &a) in moving.iter().zip(&along) {
        if spread[j] * f64::from(signs.curvature[j]) > 1.0 {
            slope[j] = (wanted[j] - f64::from(a)) / spread[j];
        }
    }
    for ([up, down], slope) in sides.iter_mut().zip(slope) {
        up.set(target(up), slope);
        down.set(target(down), -slope);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Newton;
    use super::*;
    use crate::lasso::quadratic::{Origin, Quadratic};
    use crate::penalty::Penalty;
    use ndarray::Array2;

    /// More columns than rows, a little ridge, and a penalty so small that most columns are active.
    fn problem(size: usize, rows: usize) -> (Array2<f64>, Vec<f64>, Penalty) {
        let entry = |i: usize, j: usize| ((i * 7919 + j * 104_729 + i * j * j) as f64).sin();
        let x = Array2::from_shape_fn((rows, size), |(i, j)| entry(i, j));
        let y: Vec<f64> = (0..rows).map(|i| entry(i, 3) - entry(i, 5) + (i as f64).cos()).collect();
        let b: Vec<f64> =
            x.columns().into_iter().map(|c| c.iter().zip(&y).map(|(x, y)| x * y).sum()).collect();
        let penalty = Penalty { l1: vec![0.02 * rows as f64; size], ridge: vec![0.01; size] };
        (x.t().dot(&x), b, penalty)
    }

    #[test]
    fn comes_so_near_that_signs_are_known() {
        for (size, rows) in [(40, 30), (90, 60), (60, 300)] {
            let (gram, b, penalty) = problem(size, rows);
            let q = Quadratic { gram: gram.view(), penalty: &penalty };
            let mut signs = Signs::new(&q, &b, &vec![0.0; size]).unwrap();
            assert!(approach(&mut signs, &Control::default()).unwrap());
            let (zero, mut exact) = (vec![0.0; size], vec![0.0; size]);
            let origin = Origin { beta: &zero, correlation: &b };
            Newton::default().minimise(&q, &origin, &mut exact, &Control::default()).unwrap();
            let largest = exact.iter().fold(0.0f64, |m, b| m.max(b.abs()));
            for (j, (near, exact)) in signs.beta.iter().zip(&exact).enumerate() {
                let off = (f64::from(*near) - exact).abs();
                assert!(off < 1e-3 * largest, "{size} {rows} {j}: {near} {exact}");
            }
            let support = |b: &[f64]| b.iter().filter(|b| **b != 0.0).count();
            let near: Vec<f64> = signs.beta.iter().map(|b| f64::from(*b)).collect();
            assert!(support(&near).abs_diff(support(&exact)) <= 2, "{size} {rows}");
        }
    }

    #[test]
    fn leaves_alone_what_has_no_bound() {
        let (gram, b, mut penalty) = problem(30, 40);
        for odd in [0.0, f64::INFINITY] {
            penalty.l1[4] = odd;
            let q = Quadratic { gram: gram.view(), penalty: &penalty };
            let mut signs = Signs::new(&q, &b, &[0.1; 30]).unwrap();
            assert!(!approach(&mut signs, &Control::default()).unwrap());
            assert!(signs.beta.iter().all(|b| *b == 0.1));
        }
    }
}
