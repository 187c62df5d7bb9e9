//! Most signs of a large problem, in single precision.
//!
//! With nearly as many active columns as rows hundreds of signs are wrong at first, and sweeps and factors
//! that only settle them take most of a draw's time. In single precision both cost half; what is left is for the
//! exact search.

use super::interior;
use crate::engine::job::Control;
use crate::error::Error;
use crate::lasso::damping::{Damping, Step, TRIALS};
use crate::lasso::quadratic::Quadratic;
use crate::linalg::cholesky_single::SingleCholesky;
use crate::linalg::lanes::dispatch;
use crate::linalg::single::padded;
use crate::penalty::soft_threshold_single;

/// Steps at most, and those after which the signs are for an interior-point method; sweeps between the steps, and
/// before the first.
const MOST: u32 = 12;
const STEPS: u32 = 4;
const BETWEEN: u32 = 24;
const BEFORE: u32 = 48;
/// Sweeps without a change of sign that are enough.
const QUIET: u32 = 4;
/// What an objective may grow by, as a part of its terms: rounding.
const ROUNDING: f64 = 1e-6;

/// The problem, over its mean curvature: single precision has a short range.
pub(super) struct Signs {
    pub size: usize,
    /// From one row of H to the next.
    stride: usize,
    gram: Vec<f32>,
    pub curvature: Vec<f32>,
    pub l1: Vec<f32>,
    ridge: Vec<f32>,
    pub beta: Vec<f32>,
    /// b − (H + D)β, filled up with zeros.
    pub correlation: Vec<f32>,
    pub factor: SingleCholesky,
}

/// Bring β, whose correlations are given, near the minimum. Nothing changes where single precision does not reach.
pub(super) fn approach(
    q: &Quadratic,
    correlation: &[f64],
    beta: &mut [f64],
    control: &Control,
) -> Result<(), Error> {
    let Some(mut signs) = Signs::new(q, correlation, beta) else { return Ok(()) };
    signs.settle(BEFORE, control)?;
    let mut damping = Damping::none();
    for round in 0..MOST {
        control.check()?;
        let step = signs.step(&damping, control)?;
        let whole = step.is_whole() && damping.is_zero();
        // Few signs are left after it, for the exact search.
        if (step.is_short(round > 0) || round == STEPS) && interior::approach(&mut signs, control)?
        {
            break;
        }
        if !damping.learn(step) {
            break;
        }
        let still = signs.settle(BETWEEN, control)?;
        if whole && still {
            break;
        }
    }
    if signs.beta.iter().all(|b| b.is_finite()) {
        beta.iter_mut().zip(&signs.beta).for_each(|(to, b)| *to = f64::from(*b));
    }
    Ok(())
}

impl Signs {
    pub fn new(q: &Quadratic, correlation: &[f64], beta: &[f64]) -> Option<Signs> {
        let (size, stride) = (q.size(), padded(q.size()));
        let unit = (0..size).map(|j| q.row(j)[j]).sum::<f64>() / size as f64;
        let scaled = |v: &[f64]| -> Vec<f32> { v.iter().map(|v| (v / unit) as f32).collect() };
        let mut gram = vec![0.0; size * stride];
        for (j, line) in gram.chunks_exact_mut(stride).enumerate() {
            line.iter_mut().zip(&q.row(j)[..size]).for_each(|(o, h)| *o = (h / unit) as f32);
        }
        let ridge = scaled(&q.penalty.ridge);
        let curvature: Vec<f32> = (0..size).map(|j| gram[j * stride + j] + ridge[j]).collect();
        let mut correlation = scaled(correlation);
        correlation.resize(stride, 0.0);
        let beta: Vec<f32> = beta.iter().map(|b| *b as f32).collect();
        let sound = |v: &[f32]| v.iter().all(|v| v.is_finite());
        if !(sound(&curvature) && sound(&correlation) && sound(&beta)) {
            return None;
        }
        let l1 = scaled(&q.penalty.l1);
        let factor = SingleCholesky::default();
        Some(Signs { size, stride, gram, curvature, l1, ridge, beta, correlation, factor })
    }

    /// Sweep until signs have stopped changing; false if they had not when it ended.
    fn settle(&mut self, most: u32, control: &Control) -> Result<bool, Error> {
        let mut quiet = 0;
        for round in 0..most {
            control.check()?;
            quiet = if sweep(self, round % 4 != 0) == 0 { quiet + 1 } else { 0 };
            if quiet >= QUIET {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Factor H + D on some coordinates, with more on the diagonal; false if that is not definite.
    pub fn factor(
        &mut self,
        which: &[usize],
        more: impl Fn(usize, f32) -> f32,
        control: &Control,
    ) -> Result<bool, Error> {
        let Signs { gram, stride, ridge, factor, .. } = self;
        let fill = |row: usize, out: &mut [f32]| {
            let j = which[row];
            let line = &gram[j * *stride..][..*stride];
            out.iter_mut().zip(&which[row..]).for_each(|(o, &k)| *o = line[k]);
            out[0] += ridge[j] + more(j, out[0]);
        };
        factor.factor_while(which.len(), fill, || control.check())
    }

    /// A step of Newton on the support that stops coordinates at zero.
    fn step(&mut self, damping: &Damping, control: &Control) -> Result<Step, Error> {
        let active: Vec<usize> = (0..self.size).filter(|&j| self.beta[j] != 0.0).collect();
        let more = |_, square| damping.ridge(f64::from(square)) as f32;
        if !self.factor(&active, more, control)? {
            return Ok(Step::None);
        }
        let rhs = |&j: &usize| self.correlation[j] - self.l1[j] * self.beta[j].signum();
        let mut along: Vec<f32> = active.iter().map(rhs).collect();
        self.factor.solve(&mut along);
        for trial in 0..TRIALS {
            let (length, mut crossed) = (0.5f32.powi(trial as i32), 0);
            let mut next = self.beta.clone();
            for (&j, &d) in active.iter().zip(&along) {
                let new = length.mul_add(d, next[j]);
                let stopped = new * next[j] < 0.0 && self.l1[j] > 0.0;
                crossed += usize::from(stopped);
                next[j] = if stopped { 0.0 } else { new };
            }
            let correlation = correlate(self, &next);
            if self.descends(&next, &correlation) {
                (self.beta, self.correlation) = (next, correlation);
                return Ok(Step::Taken { trial, crossed });
            }
        }
        Ok(Step::None)
    }

    /// Is the objective no larger at another point, whose correlations are given?
    pub fn descends(&self, next: &[f32], correlation: &[f32]) -> bool {
        let (mut sum, mut size) = (0.0f64, 0.0f64);
        for j in (0..self.size).filter(|&j| next[j] != self.beta[j]) {
            let [from, to, l1] = [self.beta[j], next[j], self.l1[j]].map(f64::from);
            let slopes = f64::from(self.correlation[j]) + f64::from(correlation[j]);
            let (fit, penalty) = (-0.5 * (to - from) * slopes, l1 * (to.abs() - from.abs()));
            sum += fit + penalty;
            size += fit.abs() + penalty.abs();
        }
        sum <= ROUNDING * size
    }
}

dispatch! {
    /// One sweep of coordinate descent; the number of signs that changed.
    fn sweep(signs: &mut Signs, support_only: bool) -> u32 {
        let mut changed = 0;
        for j in 0..signs.size {
            let (old, curvature) = (signs.beta[j], signs.curvature[j]);
            if (support_only && old == 0.0) || curvature <= 0.0 {
                continue;
            }
            let z = curvature.mul_add(old, signs.correlation[j]);
            let new = soft_threshold_single(z, signs.l1[j], curvature);
            let change = new - old;
            if change != 0.0 {
                let row = &signs.gram[j * signs.stride..][..signs.stride];
                for (c, &h) in signs.correlation.iter_mut().zip(row) {
                    *c = (-change).mul_add(h, *c);
                }
                signs.correlation[j] -= signs.ridge[j] * change;
                signs.beta[j] = new;
                changed += u32::from(old * new <= 0.0);
            }
        }
        changed
    }
}

dispatch! {
    /// The correlations at another point.
    pub(super) fn correlate(signs: &Signs, next: &[f32]) -> Vec<f32> {
        let mut out = signs.correlation.clone();
        for (j, (&to, &from)) in next.iter().zip(&signs.beta).enumerate() {
            if to != from {
                let row = &signs.gram[j * signs.stride..][..signs.stride];
                for (c, &h) in out.iter_mut().zip(row) {
                    *c = (from - to).mul_add(h, *c);
                }
                out[j] += signs.ridge[j] * (from - to);
            }
        }
        out
    }
}
