//! The exact minimum of a small problem in memory.
//!
//! An active-set Newton method (feature-sign search, Lee, Battle, Raina & Ng 2006): solve for the
//! current signs by Cholesky, walk towards that solution with an exact search over the points where
//! signs change, let violated zeros in, repeat. It ends in finitely many steps at the exact minimum,
//! whatever the collinearity. Where there are many coordinates, sweeps settle most signs first: a
//! Newton step costs as much as many of them.

mod factor;
mod interior;
mod projected;
mod search;
mod single;

use super::damping::Damping;
use super::quadratic::{Origin, Quadratic};
use super::sweeps::{settle, sweep};
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::cholesky::Cholesky;

/// Which violated zeros may leave zero in a step.
#[derive(Clone, Copy, Default, PartialEq)]
enum Entry {
    #[default]
    All,
    None,
    One,
}

/// Where the search stands.
///
/// Zeros enter together at first. Once that has blocked them (they can cancel each other, or creep),
/// the support settles alone and then takes one at a time, which always descends.
#[derive(Default)]
struct Phase {
    entry: Entry,
    /// Have zeros that entered together blocked each other?
    blocked: bool,
    /// Did the last step solve its equations with every sign kept? One repetition polishes, more
    /// would chase the last bit.
    settled: bool,
    /// Steps that went uphill and were taken back.
    setbacks: u32,
}

impl Phase {
    /// Let the support settle alone.
    fn close(&mut self) {
        (self.entry, self.blocked, self.settled) = (Entry::None, true, false);
    }

    /// The support has settled.
    fn open(&mut self) {
        self.entry = if self.blocked { Entry::One } else { Entry::All };
    }
}

/// Whether the search goes on after a step.
#[derive(PartialEq)]
enum Next {
    Step,
    Done,
}

/// Fewer coordinates than this go to Newton at once.
const SMALL: usize = 24;
/// From this size on a search that starts far away begins in single precision; slopes are far from their λ by this
/// part of it.
const LARGE: usize = 400;
const FAR: f64 = 1e-3;
/// Steps of the search, which change a factor where they can, before whole factors find the signs.
const FEW: u32 = 10;
/// How many times as many steps stand before the next such attempt.
const FEWER: u32 = 4;
/// Sweeps after a step that a sign cut short: it has put one coordinate on zero, and sweeps find the
/// others that are to follow.
const BETWEEN: u32 = 4;
/// Setbacks after which sweeps have the last word.
const SETBACKS: u32 = 3;

/// Scratch of the method, kept between problems.
#[derive(Default)]
pub struct Newton {
    correlation: Vec<f64>,
    active: Vec<usize>,
    direction: Vec<f64>,
    sign: Vec<f64>,
    breaks: Vec<(f64, usize)>,
    cholesky: Cholesky,
    factored: Vec<usize>,
    mark: Vec<u8>,
}

impl Newton {
    /// Minimise from `beta`; the number of steps taken.
    pub fn minimise(
        &mut self,
        q: &Quadratic,
        origin: &Origin,
        beta: &mut [f64],
        control: &Control,
    ) -> Result<u32, Error> {
        self.factored.clear();
        self.minimise_again(q, origin, beta, control)
    }

    /// The same where H + D of the columns that the last problem had are still what they were: its
    /// factor serves on.
    pub fn minimise_again(
        &mut self,
        q: &Quadratic,
        origin: &Origin,
        beta: &mut [f64],
        control: &Control,
    ) -> Result<u32, Error> {
        origin.correlate(q, beta, &mut self.correlation);
        if q.size() >= LARGE && self.is_far(q, beta) {
            single::approach(q, &self.correlation, beta, control)?;
            origin.correlate(q, beta, &mut self.correlation);
        }
        if q.size() >= SMALL {
            settle(q, beta, &mut self.correlation, control)?;
        }
        let limit = 100 + 4 * q.size() as u32;
        let mut patience = FEW;
        let mut phase = Phase::default();
        for step in 0..limit {
            control.check()?;
            if step == patience && q.size() >= SMALL {
                self.approach(q, origin, beta, control)?;
                phase = Phase::default();
                patience *= FEWER;
            }
            if self.step(q, origin, beta, &mut phase, control)? == Next::Done {
                return Ok(step);
            }
        }
        Ok(limit)
    }

    /// Is any slope far from what it should be? Where nothing has a kink there are no signs to settle.
    fn is_far(&self, q: &Quadratic, beta: &[f64]) -> bool {
        self.correlation.iter().zip(beta).zip(&q.penalty.l1).any(|((c, b), l1)| {
            let off = if *b == 0.0 { c.abs() - l1 } else { (c - l1 * b.signum()).abs() };
            *l1 > 0.0 && off > FAR * l1
        })
    }

    fn step(
        &mut self,
        q: &Quadratic,
        origin: &Origin,
        beta: &mut [f64],
        phase: &mut Phase,
        control: &Control,
    ) -> Result<Next, Error> {
        let rounding = origin.rounding(&self.correlation);
        let slack = |j: usize| 1e-11 * q.penalty.l1[j] + rounding;
        let entering = self.choose(q, beta, slack, phase.entry);
        self.arrange(q);
        let wrong = self.set_right_hand_side(q, beta, slack);
        if entering == 0 && (!wrong || phase.settled) {
            if phase.entry != Entry::None {
                return Ok(Next::Done);
            }
            phase.open();
            return Ok(Next::Step);
        }
        self.factor(q, &Damping::none(), control)?;
        let dependent = self.dependent(beta, phase.entry);
        if dependent.is_some_and(|k| phase.entry == Entry::All || self.reduce(q, beta, k)) {
            phase.close();
            origin.correlate(q, beta, &mut self.correlation);
            return Ok(Next::Step);
        }
        let fall = self.solve();
        let stuck = |(&j, &d): (&usize, &f64)| beta[j] != 0.0 || d == 0.0;
        if phase.entry == Entry::All
            && entering > 0
            && self.active.iter().zip(&self.direction).all(stuck)
        {
            // What wants to enter depends on the support: alone it can take a column's place.
            (phase.entry, phase.blocked) = (Entry::None, true);
            return Ok(Next::Step);
        }
        // Without dependent columns the direction solves its equations, and the two agree.
        let curvature = if self.cholesky.has_dependence() { self.curvature(q) } else { fall };
        let Some((length, landing)) = self.search(q, beta, fall, curvature, rounding) else {
            match phase.entry {
                Entry::All if entering > 0 => (phase.entry, phase.blocked) = (Entry::None, true),
                Entry::None => phase.entry = Entry::One,
                _ => return Ok(Next::Done),
            }
            return Ok(Next::Step);
        };
        if !self.walk(q, origin, beta, length, landing) {
            phase.setbacks += 1;
            let last = phase.setbacks > SETBACKS;
            sweep(q, beta, &mut self.correlation, if last { 1000 } else { 50 });
            phase.close();
            return Ok(if last { Next::Done } else { Next::Step });
        }
        let whole = landing.is_none() && length == 1.0;
        phase.settled = entering == 0 && whole;
        if phase.entry == Entry::All {
            phase.blocked = length < 1e-6;
        }
        if !whole && !phase.blocked && q.size() >= SMALL {
            sweep(q, beta, &mut self.correlation, BETWEEN);
        }
        if !whole || phase.entry == Entry::One {
            phase.entry = Entry::None;
        }
        Ok(Next::Step)
    }

    /// Go along the direction; false, and no step, if that went uphill: H is singular to rounding and
    /// the step was noise (sweeps cannot go uphill).
    fn walk(
        &mut self,
        q: &Quadratic,
        origin: &Origin,
        beta: &mut [f64],
        length: f64,
        landing: Option<usize>,
    ) -> bool {
        let (from, before) = (beta.to_vec(), origin.value(q, &self.correlation, beta));
        for (&j, &d) in self.active.iter().zip(&self.direction) {
            beta[j] += length * d;
        }
        if let Some(j) = landing {
            beta[j] = 0.0;
        }
        origin.correlate(q, beta, &mut self.correlation);
        // Not a number is above everything.
        let after = origin.value(q, &self.correlation, beta);
        let down = after.sum.is_finite() && !after.is_above(&before);
        if !down {
            beta.copy_from_slice(&from);
            origin.correlate(q, beta, &mut self.correlation);
        }
        down
    }

    /// The support and the violated zeros that may enter; the number of the latter.
    fn choose(
        &mut self,
        q: &Quadratic,
        beta: &[f64],
        slack: impl Fn(usize) -> f64,
        entry: Entry,
    ) -> usize {
        self.active.clear();
        self.active.extend((0..beta.len()).filter(|&j| beta[j] != 0.0));
        if entry == Entry::None {
            return 0;
        }
        // After the support: where columns depend on each other, the later ones stay out.
        let support = self.active.len();
        let mut worst = (0.0, 0);
        for (j, c) in self.correlation.iter().enumerate() {
            let excess = c.abs() - q.penalty.l1[j] - slack(j);
            if beta[j] == 0.0 && excess > 0.0 {
                self.active.push(j);
                if excess > worst.0 {
                    worst = (excess, j);
                }
            }
        }
        if entry == Entry::One && self.active.len() > support {
            self.active.truncate(support);
            self.active.push(worst.1);
        }
        self.active.len() - support
    }

    /// direction = c − λ s on the active set; true if any of it is beyond the slack.
    fn set_right_hand_side(
        &mut self,
        q: &Quadratic,
        beta: &[f64],
        slack: impl Fn(usize) -> f64,
    ) -> bool {
        self.sign.clear();
        self.direction.clear();
        let mut wrong = false;
        for &j in &self.active {
            let c = self.correlation[j];
            let sign = if beta[j] != 0.0 { beta[j].signum() } else { c.signum() };
            let rhs = c - q.penalty.l1[j] * sign;
            wrong |= rhs.abs() > slack(j);
            self.sign.push(sign);
            self.direction.push(rhs);
        }
        wrong
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lasso::sweeps::approach;
    use crate::penalty::Penalty;
    use ndarray::ArrayView2;
    use proptest::prelude::*;

    fn square(values: &[f64], size: usize) -> ArrayView2<'_, f64> {
        ArrayView2::from_shape((size, size), values).unwrap()
    }

    fn gram(p: usize, rows: usize, seed: u64, collinear: bool) -> (Vec<f64>, Vec<f64>) {
        let noise = |a: usize| {
            let mut z = (a as u64 + 1 + 1_000_003 * seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            (z >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let x: Vec<Vec<f64>> = (0..p)
            .map(|j| {
                let copy = collinear && j % 3 == 1;
                let of = if copy { j - 1 } else { j };
                (0..rows)
                    .map(|i| {
                        noise(i * 131 + of * 7919) + if copy { 1e-4 * noise(i + 5) } else { 0.0 }
                    })
                    .collect()
            })
            .collect();
        let y: Vec<f64> = (0..rows).map(|i| 3.0 * x[0][i] - x[p - 1][i] + noise(i * 977)).collect();
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(u, v)| u * v).sum() };
        let h = (0..p * p).map(|c| dot(&x[c / p], &x[c % p])).collect();
        (h, x.iter().map(|c| dot(c, &y)).collect())
    }

    proptest! {
        #[test]
        fn ends_at_a_point_that_satisfies_the_kkt_conditions(
            p in 1usize..40, rows in 3usize..60, seed in 0u64..1000, fraction in 0.0f64..1.1,
            ridge in prop::bool::ANY, collinear in prop::bool::ANY,
        ) {
            let (h, b) = gram(p, rows, seed, collinear);
            let top = b.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            let l1 = vec![fraction * fraction * top; p];
            let ridge = vec![if ridge { 0.1 * top } else { 0.0 }; p];
            let penalty = Penalty { l1: l1.clone(), ridge };
            let q = Quadratic { gram: square(&h, p), penalty: &penalty };
            let mut beta = vec![0.0; p];
            let mut solver = Newton::default();
            let zero = vec![0.0; p];
            let origin = Origin { beta: &zero, correlation: &b };
            solver.minimise(&q, &origin, &mut beta, &Control::default()).unwrap();
            origin.correlate(&q, &beta, &mut solver.correlation);
            // Without any penalty a singular H leaves the last digits open (its objective is flat
            // to the square of this).
            let tolerance = top * if fraction < 1e-3 { 1e-6 } else { 1e-8 };
            for j in 0..p {
                let c = solver.correlation[j];
                if beta[j] != 0.0 && l1[j] > 0.0 {
                    prop_assert!((c - l1[j] * beta[j].signum()).abs() <= tolerance, "{j} {c} {}", l1[j]);
                } else {
                    prop_assert!(c.abs() <= l1[j] + tolerance, "{j} {c} {}", l1[j]);
                }
            }
        }
    }

    #[test]
    fn a_coefficient_whose_column_has_vanished_goes_to_zero() {
        for vanished in [0.0, 1e-17, -1e-17] {
            let h = [1.0, 0.0, 0.0, vanished];
            let penalty = Penalty { l1: vec![1e-3; 2], ridge: vec![0.0; 2] };
            let q = Quadratic { gram: square(&h, 2), penalty: &penalty };
            let mut beta = [0.1, -2.75];
            let origin = Origin { beta: &beta.clone(), correlation: &[0.2, 1e-18] };
            Newton::default().minimise(&q, &origin, &mut beta, &Control::default()).unwrap();
            assert!((beta[0] - 0.299).abs() < 1e-12, "{vanished} {beta:?}");
            assert_eq!(beta[1], 0.0, "{vanished}");
        }
    }

    #[test]
    fn a_large_problem_may_end_with_nothing() {
        let size = LARGE + 10;
        let (h, b) = gram(size, 50, 1, false);
        let penalty = Penalty { l1: vec![1e3; size], ridge: vec![0.0; size] };
        let q = Quadratic { gram: square(&h, size), penalty: &penalty };
        let (zero, mut beta) = (vec![0.0; size], vec![0.1; size]);
        let origin = Origin { beta: &zero, correlation: &b };
        Newton::default().minimise(&q, &origin, &mut beta, &Control::default()).unwrap();
        assert_eq!(beta, zero);
    }

    #[test]
    fn sweeps_alone_come_close_and_excluded_coordinates_stay_zero() {
        let (h, b) = gram(30, 200, 3, false);
        let mut l1 = vec![5.0; 30];
        l1[0] = f64::INFINITY;
        let penalty = Penalty { l1, ridge: vec![0.0; 30] };
        let q = Quadratic { gram: square(&h, 30), penalty: &penalty };
        let (mut rough, mut exact) = (vec![0.0; 30], vec![0.0; 30]);
        let mut correlation = b.clone();
        for _ in 0..4 {
            assert!(approach(&q, &mut rough, &mut correlation, 1e-3));
        }
        let origin = Origin { beta: &[0.0; 30], correlation: &b };
        Newton::default().minimise(&q, &origin, &mut exact, &Control::default()).unwrap();
        assert_eq!(exact[0], 0.0);
        for (a, b) in rough.iter().zip(&exact) {
            assert!((a - b).abs() < 1e-2, "{a} {b}");
        }
    }
}
