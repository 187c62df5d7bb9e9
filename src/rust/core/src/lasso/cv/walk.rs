//! A way down the lambdas of a fold: coordinate descent from where the last two lambdas point to.
//!
//! A cross-validated error needs no exact fit. With a gap of G the fit is within δ = √(2G/Σw) of the exact
//! one, in the mean over the rows, and the error within 2σδ of the exact one. The walk ends where δ is
//! proved to be a small part of σ/√n, σ² the smallest error so far (rows beyond a few thousand no longer
//! count), or, behind the minimum, of what the error is above it: no rule looks there for more.
//! That is the worst case: a gap is of the order of what slopes miss, and the fit of its square.
//!
//! Of what was tried: a gap of 1e-6 of the objective, as draws nearly have it, costs two to ten times as
//! much where nearly as many columns as rows are active, for digits that no curve shows. Between two
//! lambdas coefficients move nearly on a line (without a ridge exactly so, while the support stays), so that
//! the next one starts ahead on it.

use crate::engine::cv::Path;
use crate::engine::job::Control;
use crate::error::Error;
use crate::lasso::certificate::Point;
use crate::lasso::task::Task;
use crate::penalty::{Penalty, step};

/// Part of σ/√n, squared, by which a fit may miss, and the rows beyond which they no longer count.
const MISS: f64 = 0.02;
const MANY: usize = 2500;
/// The same as a part of what an error is above the smallest, over its root.
const BEHIND: f64 = 0.05;
/// The least squares that count as left, as a part of y'Wy.
const LEAST: f64 = 1e-3;
/// Part of a slope's λ that it may miss where hardly anything is fitted.
const LOOSEST: f64 = 0.3;
/// The part of a gap that is small enough at which walks aim.
const AIM: f64 = 0.5;
/// The most that slopes may miss beyond the estimate.
const MOST_SLACK: f64 = 20.0;
/// Sweeps of the support for one of all columns, and the part of its change at which they end.
pub const INNER: u32 = 8;
const SETTLED: f64 = 0.1;
/// Looks at all columns that a walk may always take, sweeps of the support, and the cost of the exact step in cubes of the support.
const FREE: f64 = 10.0;
const FEWEST: f64 = 200.0;
const FACTORS: f64 = 1.0;

/// What a step on a coordinate needs: slopes xⱼ'W r, and a residual to change.
pub trait Steps {
    /// One sweep over these coordinates; the largest change of a slope as a part of its λ.
    fn sweep(&mut self, on: &Coordinates, beta: &mut [f64]) -> f64;
}

/// The coordinates of a sweep, their penalty and their squares.
pub struct Coordinates<'a> {
    pub which: &'a [u32],
    pub penalty: &'a Penalty,
    pub square: &'a [f64],
}

/// The parts of a step.
pub trait Slopes {
    /// xⱼ'W r.
    fn slope(&self, j: usize) -> f64;
    /// r −= s xⱼ.
    fn subtract(&mut self, j: usize, s: f64);
}

/// A sweep over anything that has slopes.
#[inline(always)]
pub fn sweep(state: &mut impl Slopes, on: &Coordinates, beta: &mut [f64]) -> f64 {
    let mut largest = 0.0f64;
    for &j in on.which {
        let j = j as usize;
        let (old, l1, ridge) = (beta[j], on.penalty.l1[j], on.penalty.ridge[j]);
        let curvature = on.square[j] + ridge;
        let new =
            if curvature > 0.0 { step(old, state.slope(j), on.square[j], l1, ridge) } else { 0.0 };
        let change = new - old;
        if change != 0.0 {
            state.subtract(j, change);
            beta[j] = new;
            largest = largest.max(curvature * change.abs() / l1);
        }
    }
    largest
}

/// How near a walk comes to the minimum, and with how much patience.
pub struct Walk {
    /// The last lambda and its coefficients.
    before: Option<(f64, Vec<f64>)>,
    /// Part of the cost of the exact step that the next walk may take.
    patience: f64,
    /// Slopes that may miss more than expected without a gap that is too large, as a multiple.
    slack: f64,
    /// The smallest error so far.
    best: f64,
    /// The gap that is small enough at this lambda, and the part of its λ that a slope may miss next.
    enough: f64,
    precision: f64,
}

impl Default for Walk {
    fn default() -> Walk {
        let (best, enough, precision) = (f64::INFINITY, 0.0, 0.0);
        Walk { before: None, patience: 1.0, slack: 1.0, best, enough, precision }
    }
}

impl Walk {
    /// How near the next fit of a fold is to be, where its path and its last fit are these.
    #[inline(never)]
    pub fn aim(&mut self, rows: usize, path: &Path, task: &Task) {
        let (w, yy) = task.totals.as_ref().map_or((0.0, 0.0), |t| (t.w, t.yy));
        let support = task.beta.iter().filter(|b| **b != 0.0).count();
        let error = match path.errors.last() {
            Some(error) if path.weight > 0.0 => error / path.weight,
            // Nothing is held out of all rows: what is left to them stands for an error.
            _ => {
                let free = (1.0 - support as f64 / rows as f64).max(0.1);
                (task.found.rr / (w * free * free)).min(yy / w)
            }
        };
        let error = error.max(LEAST * yy / w);
        self.best = self.best.min(error);
        let above = BEHIND * (error - self.best);
        let miss = MISS * self.best / rows.clamp(1, MANY) as f64;
        self.enough = 0.5 * w * miss.max(above * above / error);
        // What the penalty takes.
        let fitted: f64 = task.beta.iter().zip(&task.found.gradient).map(|(b, g)| b * g).sum();
        let part = 0.5 * self.slack * self.enough / fitted.max(f64::MIN_POSITIVE);
        self.precision = part.min(LOOSEST);
    }

    /// Have slopes changed by no more than they may?
    pub fn is_still(&self, change: f64) -> bool {
        change <= self.precision
    }

    /// Is the gap at a point small enough?
    pub fn is_near(&self, point: &Point) -> bool {
        gap(point) <= self.enough
    }

    /// Is it what walks that end by themselves aim at?
    pub fn is_nearer(&self, point: &Point) -> bool {
        gap(point) <= AIM * self.enough
    }

    /// Small enough, after a walk that had to end without knowing: the next one is finer, or less so.
    pub fn learn(&mut self, point: &Point) -> bool {
        let gap = gap(point);
        if gap > self.enough {
            self.slack = (0.5 * self.slack).max(0.1);
        } else if gap < 0.5 * self.enough {
            self.slack = (1.5 * self.slack).min(MOST_SLACK);
        }
        self.precision *= (AIM * self.enough / gap).clamp(0.01, 0.5);
        gap <= self.enough
    }

    /// From the solution at the last lambda to where the last two point to at the next.
    #[inline(never)]
    pub fn ahead(&mut self, last: f64, next: f64, beta: &mut [f64]) {
        let here = beta.to_vec();
        if let Some((first, from)) = self.before.take() {
            let far = if first > last { (last - next) / (first - last) } else { 0.0 };
            for (b, from) in beta.iter_mut().zip(from).filter(|(b, _)| **b != 0.0) {
                let to = *b + far * (*b - from);
                // A kink is on the way: not beyond it.
                *b = if to * *b > 0.0 { to } else { 0.0 };
            }
        }
        self.before = Some((last, here));
    }

    /// Sweep until `is_done`, which is told the largest change of a slope in the last sweep over all
    /// coordinates. False if that would cost more than the exact way: `worth(m)` steps where m columns are
    /// active.
    pub fn descend<S: Steps + ?Sized>(
        &mut self,
        steps: &mut S,
        on: &Coordinates,
        beta: &mut [f64],
        worth: impl Fn(f64) -> f64,
        is_done: impl Fn(&Walk, &S, &[f64], f64) -> bool,
        control: &Control,
    ) -> Result<bool, Error> {
        let mut spent = 0.0;
        loop {
            spent += on.which.len() as f64;
            control.check()?;
            let change = steps.sweep(on, beta);
            if is_done(self, steps, beta, change) {
                self.patience = (2.0 * self.patience).min(1.0);
                return Ok(true);
            }
            let support: Vec<u32> =
                on.which.iter().copied().filter(|&j| beta[j as usize] != 0.0).collect();
            let m = support.len() as f64;
            let all = on.which.len() as f64;
            if spent > self.patience * worth(m).max(FEWEST * m) + FREE * all {
                self.patience *= 0.5;
                return Ok(false);
            }
            let inner = Coordinates { which: &support, ..*on };
            for _ in 0..INNER {
                spent += m;
                if steps.sweep(&inner, beta) <= (0.5 * self.precision).max(SETTLED * change) {
                    break;
                }
            }
        }
    }
}

/// Of a point all of whose coordinates are penalised.
fn gap(point: &Point) -> f64 {
    let certificate = point.certify(0.0, &|_| 0.0);
    certificate.gap * certificate.objective
}

/// What the Gram matrix of m columns and its factors cost, in multiplications; a pair of columns costs
/// `pair` of them.
pub fn exact(m: f64, pair: f64) -> f64 {
    0.5 * pair * m * m + FACTORS * m * m * m
}
