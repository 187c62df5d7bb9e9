//! A way down the lambdas of a fold: coordinate descent from where the last two lambdas point to.
//!
//! A cross-validated error needs no exact fit. With an objective that is G above its minimum the fit is within
//! δ = √(2G/Σw) of the exact one, in the mean over the rows, and the error within 2σδ of the exact one. What a walk
//! aims at is a δ that is a small part of σ/√n, σ² the smallest error so far (rows beyond a few thousand no longer
//! count), or, behind the minimum, of what the error is above it: no rule looks there for more. With a ridge the
//! duality gap is of the order of G and proves it. Without one it is of the order of what slopes miss, and G of its
//! square: the walk ends where sweeps, at the pace of the last two, no longer gain a small part of G, and the gap has
//! to prove a multiple of it alone, one that grows with √n as G over the objective falls with n.
//!
//! Of what was tried: a gap of 1e-6 of the objective, as draws nearly have it, costs two to ten times as
//! much where nearly as many columns as rows are active, for digits that no curve shows; a proof of G without a ridge
//! costs two to four times as much as what sweeps gain, for a curve that is off by a thousandth of its standard errors
//! instead of a hundredth. The largest change of a slope in the place of that gain: one column decides, and walks
//! take a third longer. Gains without their pace: off by a tenth where sweeps creep, next to saturation.
//! Iterates of the support are combined: where nearly as many columns as rows are active sweeps alone creep, and what
//! they gain says so late. By counted multiplications of a path down to 1e-4 of the largest lambda (1,000 × 1,000, on a
//! Gram matrix): dense columns 2.4e9 before and 0.58e9 since, sparse ones of ten entries with a ridge 3.1e9 and 1.1e9;
//! AR(0.9) with a ridge as many as before, but no walk is given up, where 21 were and went the exact way. Twenty sweeps
//! of the support for one of all columns, since eight hardly let one combination in. Tried: to leave out steps that gain
//! a tenth or three tenths of the mean gain of a step (a third fewer multiplications alone, none beside combinations), and
//! to sweep on a packed Gram matrix of the support (nothing: where supports are small all is cheap).
//! Between two lambdas coefficients move nearly on a line (without a ridge exactly so, while the support stays), so
//! that the next one starts ahead on it.

use crate::engine::cv::{Ahead, Path};
use crate::engine::job::Control;
use crate::error::Error;
use crate::lasso::certificate::{Point, ridge_gap};
use crate::lasso::extrapolate::{Extrapolation, State, Terms};
use crate::lasso::task::Task;
use crate::penalty::{Penalty, step};

/// Part of σ/√n, squared, by which a fit may miss, and the rows beyond which they no longer count.
pub const MISS: f64 = 0.02;
pub const MANY: usize = 2500;
/// The same as a part of what an error is above the smallest, over its root.
const BEHIND: f64 = 0.02;
/// The least squares that count as left, as a part of y'Wy.
const LEAST: f64 = 1e-3;
/// Part of what an objective may be above its minimum that sweeps may still gain, at the pace of the last two, and
/// where a ridge lets the gap decide.
const GAIN: f64 = 3e-4;
const WITH_RIDGE: f64 = 1e-2;
/// Part of what is to be proved that is enough on some of the columns.
const CLEARLY: f64 = 0.9;
/// The multiple of what it may be above its minimum that is to be proved with a ridge, and without one, over √n.
const AIM: f64 = 0.3;
const PROVED: f64 = 2.0;
/// What is left beside the gain of sweeps that hardly slow down: one over this.
const CREEPING: f64 = 1e-3;
/// Sweeps of the support for one of all columns, and the part of its gain at which they end.
const INNER: u32 = 20;
const SETTLED: f64 = 0.01;
/// Sweeps of the support before iterates are combined.
const SHORT: u32 = 1;
/// Looks at all columns that a walk may always take, sweeps of the support, and the cost of the exact step in cubes of the support.
const FREE: f64 = 10.0;
const FEWEST: f64 = 200.0;
const FACTORS: f64 = 1.0;

/// What a step on a coordinate needs: slopes xⱼ'W r, and a residual to change.
pub trait Steps {
    /// One sweep over these coordinates; what it takes from the objective, at least.
    fn sweep(&mut self, on: &Coordinates, beta: &mut [f64]) -> f64;
    /// The slopes of these coordinates.
    fn slopes(&self, which: &[u32]) -> Vec<f64>;
    /// Where it stands, beside β.
    fn note(&self, state: &mut State);
    fn go(&mut self, state: &State);
    /// r'Wr as a product of states, whose β is that of these coordinates.
    fn product(&self, which: &[u32], a: &State, b: &State) -> f64;
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
    let mut gain = 0.0;
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
            gain += 0.5 * curvature * change * change;
        }
    }
    gain
}

/// Is a walk over where it stands, and where this is left to gain?
type IsDone<'a> = dyn FnMut(&mut Walk, &dyn Steps, &[f64], f64) -> bool + 'a;

/// How near a walk comes to the minimum, and with how much patience.
pub struct Walk {
    pub ahead: Ahead,
    extrapolation: Extrapolation,
    /// Part of the cost of the exact step that the next walk may take.
    patience: f64,
    /// The smallest error so far.
    best: f64,
    /// How far above its minimum an objective may be at this lambda, and what a last sweep may gain.
    enough: f64,
    gain: f64,
    /// What is to be proved, and what is left beside a gain, at most: one over this.
    proved: f64,
    creeps: f64,
    /// The next gain where one proved too little, beside it.
    finer: f64,
    ridge: bool,
}

impl Walk {
    /// One that is to be so much finer where it proved too little.
    pub fn new(finer: f64) -> Walk {
        Walk {
            ahead: Ahead::default(),
            extrapolation: Extrapolation::default(),
            patience: 1.0,
            best: f64::INFINITY,
            enough: 0.0,
            gain: 0.0,
            proved: 0.0,
            creeps: 1.0,
            finer,
            ridge: false,
        }
    }

    /// How near the next fit of a fold is to be, where its path and its last fit are these.
    #[inline(never)]
    pub fn aim(&mut self, rows: usize, ridge: bool, path: &Path, task: &Task) {
        let (w, yy) = task.totals.as_ref().map_or((0.0, 0.0), |t| (t.w, t.yy));
        let error = match path.errors.last() {
            Some(error) if path.weight > 0.0 => error / path.weight,
            // Nothing is held out of all rows: what is left to them stands for an error.
            _ => {
                let support = path.nonzero.last().map_or(0.0, |count| f64::from(*count));
                let free = (1.0 - support / rows as f64).max(0.1);
                (task.found.rr / (w * free * free)).min(yy / w)
            }
        };
        let error = error.max(LEAST * yy / w);
        self.best = self.best.min(error);
        let above = BEHIND * (error - self.best);
        let miss = MISS * self.best / rows.clamp(1, MANY) as f64;
        self.enough = 0.5 * w * miss.max(above * above / error);
        let root = (rows.clamp(1, MANY) as f64).sqrt();
        let (gain, proved, creeps) =
            if ridge { (WITH_RIDGE, AIM, 1.0) } else { (GAIN, PROVED * root, CREEPING) };
        (self.gain, self.proved) = (gain * self.enough, proved * self.enough);
        (self.ridge, self.creeps) = (ridge, creeps);
    }

    /// Is the walk over where sweeps gain so much?
    pub fn is_still(&self, gain: f64) -> bool {
        gain <= self.gain
    }

    /// Is enough proved on the coordinates of a walk, those of an elastic net, where a sweep over them gains so much?
    pub fn is_near_on(&self, steps: &dyn Steps, on: &Coordinates, beta: &[f64], gain: f64) -> bool {
        // What a sweep gains is no less than what is left.
        if gain > self.proved {
            return false;
        }
        let beta: Vec<f64> = on.which.iter().map(|&j| beta[j as usize]).collect();
        let (gradient, penalty) = (steps.slopes(on.which), on.penalty.of(on.which));
        ridge_gap(&beta, &gradient, &penalty) <= CLEARLY * self.proved
    }

    /// Is enough proved of a point, all of it where the walk there was given up? If not, the next one is finer.
    pub fn is_near(&mut self, point: &Point, settled: bool) -> bool {
        let gap = if self.ridge {
            ridge_gap(point.beta, point.gradient, point.penalty)
        } else {
            let certificate = point.certify(0.0, &|_| 0.0);
            certificate.gap * certificate.objective
        };
        let near = gap <= if settled { self.proved } else { self.enough };
        if !near {
            self.gain *= self.finer;
        }
        near
    }

    /// Another iterate of the same sweep: from some of them to where they lead to.
    fn note(&mut self, steps: &mut dyn Steps, on: &Coordinates, beta: &mut [f64]) {
        let Penalty { l1, ridge } = on.penalty.of(on.which);
        let mut state = State {
            beta: on.which.iter().map(|&j| beta[j as usize]).collect(),
            ..State::default()
        };
        steps.note(&mut state);
        let product = |a: &State, b: &State| steps.product(on.which, a, b);
        let terms = Terms { l1: &l1, ridge: &ridge, product: &product };
        if self.extrapolation.note(&mut state, &terms) {
            steps.go(&state);
            on.which.iter().zip(&state.beta).for_each(|(&j, b)| beta[j as usize] = *b);
        }
    }

    /// Sweep until `is_done`, which is told what is left to gain at the pace of the last two sweeps over all
    /// coordinates. False if that would cost more than the exact way: `worth(m)` steps where m columns are active.
    pub fn descend(
        &mut self,
        steps: &mut dyn Steps,
        on: &Coordinates,
        beta: &mut [f64],
        worth: &dyn Fn(f64) -> f64,
        is_done: &mut IsDone,
        control: &Control,
    ) -> Result<bool, Error> {
        let (mut spent, mut before) = (0.0, f64::INFINITY);
        loop {
            spent += on.which.len() as f64;
            control.check()?;
            let gain = steps.sweep(on, beta);
            // Sweeps that gain nearly as much as those before them have a long way to go.
            let left = gain / (1.0 - gain / before).max(self.creeps);
            before = gain;
            if is_done(self, steps, beta, left) {
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
            self.extrapolation.forget();
            for sweep in 0..INNER {
                spent += m;
                if steps.sweep(&inner, beta) <= (0.5 * self.gain).max(SETTLED * gain) {
                    break;
                }
                // Most end before that.
                if sweep >= SHORT {
                    self.note(steps, &inner, beta);
                }
            }
        }
    }
}

/// What the Gram matrix of m columns and its factors cost, in multiplications; a pair of columns costs
/// `pair` of them.
pub fn exact(m: f64, pair: f64) -> f64 {
    0.5 * pair * m * m + FACTORS * m * m * m
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs of equal columns of square one, each in a response of three of its own: slopes are 3 − b₁ − b₂.
    #[derive(Clone)]
    struct Twins(Vec<f64>);

    impl Slopes for Twins {
        fn slope(&self, j: usize) -> f64 {
            self.0[j / 2]
        }

        fn subtract(&mut self, j: usize, by: f64) {
            self.0[j / 2] -= by;
        }
    }

    impl Steps for Twins {
        fn sweep(&mut self, on: &Coordinates, beta: &mut [f64]) -> f64 {
            sweep(self, on, beta)
        }

        fn slopes(&self, which: &[u32]) -> Vec<f64> {
            which.iter().map(|&j| self.slope(j as usize)).collect()
        }

        fn note(&self, state: &mut State) {
            state.residual.clone_from(&self.0);
        }

        fn go(&mut self, state: &State) {
            self.0.clone_from(&state.residual);
        }

        fn product(&self, _: &[u32], a: &State, b: &State) -> f64 {
            a.residual.iter().zip(&b.residual).map(|(a, b)| a * b).sum()
        }
    }

    /// Where a walk on these pairs ends that `is_done` ends: sweeps of all columns, what the last of them gained, and
    /// what the objective is above its minimum.
    fn walked(
        walk: &mut Walk,
        is_done: fn(&Walk, &dyn Steps, &Coordinates, &[f64], f64) -> bool,
    ) -> (u32, f64, f64) {
        let (l1, pairs) = (1.0, 12);
        let ridge: Vec<f64> = (0..2 * pairs).map(|j| 1e-3 * (1 + j / 2) as f64).collect();
        let penalty = Penalty { l1: vec![l1; 2 * pairs], ridge };
        let which: Vec<u32> = (0..2 * pairs as u32).collect();
        let on = Coordinates { which: &which, penalty: &penalty, square: &vec![1.0; 2 * pairs] };
        let objective = |b: &[f64]| -> f64 {
            let left: f64 = b.chunks(2).map(|two| (3.0 - two[0] - two[1]).powi(2)).sum();
            let each = b.iter().zip(&penalty.ridge);
            0.5 * left + each.map(|(b, d)| l1 * b.abs() + 0.5 * d * b * b).sum::<f64>()
        };
        let best: Vec<f64> = penalty.ridge.iter().map(|d| 2.0 / (2.0 + d)).collect();
        let (mut steps, mut beta) = (Twins(vec![3.0; pairs]), vec![0.0; 2 * pairs]);
        let (mut sweeps, mut last) = (0, 0.0);
        let mut end = |walk: &mut Walk, steps: &dyn Steps, beta: &[f64], gain: f64| {
            (sweeps, last) = (sweeps + 1, gain);
            is_done(walk, steps, &on, beta, gain)
        };
        let (patient, control) = (|_: f64| 1e9, Control::default());
        assert!(walk.descend(&mut steps, &on, &mut beta, &patient, &mut end, &control).unwrap());
        (sweeps, last, objective(&beta) - objective(&best))
    }

    #[test]
    fn a_walk_of_an_elastic_net_ends_by_its_gap_while_sweeps_still_gain() {
        let mut walk = Walk { proved: 1e-3, ..Walk::new(1.0) };
        let (sweeps, gain, above) =
            walked(&mut walk, |walk, steps, on, beta, gain| walk.is_near_on(steps, on, beta, gain));
        assert!(sweeps < 100 && gain > 0.0 && above <= 1e-3, "{sweeps} {gain:e} {above:e}");
    }

    #[test]
    fn combined_iterates_are_at_the_minimum_long_before_sweeps_alone() {
        // Sweeps leave a part 1 − d of the distance, so that a thousandth of it takes thousands.
        let mut walk = Walk::new(1.0);
        let (sweeps, _, above) = walked(&mut walk, |_, _, _, _, gain| gain < 1e-12);
        assert!(sweeps < 40 && above < 1e-9, "{sweeps} {above:e}");
    }
}
