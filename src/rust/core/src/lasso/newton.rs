//! The exact minimum of a small problem in memory.
//!
//! An active-set Newton method (feature-sign search, Lee, Battle, Raina & Ng 2006): solve for the
//! current signs by Cholesky, walk towards that solution with an exact search over the points where
//! signs change, let violated zeros in, repeat. It ends in finitely many steps at the exact minimum,
//! whatever the collinearity. Where there are many coordinates, sweeps settle most signs first: a
//! Newton step costs as much as many of them.

use super::quadratic::{Origin, Quadratic};
use super::sweeps::{settle, sweep};
use crate::cholesky::Cholesky;
use crate::kernels::axpy;
use crate::parallel::Control;

/// Which violated zeros may leave zero in a step.
#[derive(Clone, Copy, PartialEq)]
enum Entry {
    All,
    None,
    One,
}

/// Fewer coordinates than this go to Newton at once.
const SMALL: usize = 24;

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
    factored_id: u64,
}

impl Newton {
    /// Minimise from `beta`; the number of steps taken. A stopped job ends it early: whoever called
    /// checks that before using the result.
    pub fn minimise(
        &mut self,
        q: &Quadratic,
        origin: &Origin,
        beta: &mut [f64],
        control: &Control,
    ) -> u32 {
        origin.correlate(q, beta, &mut self.correlation);
        if q.size() >= SMALL {
            settle(q, beta, &mut self.correlation, control);
        }
        self.descend(q, origin, beta, control)
    }

    fn descend(
        &mut self,
        q: &Quadratic,
        origin: &Origin,
        beta: &mut [f64],
        control: &Control,
    ) -> u32 {
        let p = q.size();
        let limit = 100 + 4 * p as u32;
        // Zeros enter together at first. Once that has blocked them (they can cancel each other, or
        // creep), the support settles alone and then takes one at a time, which always descends.
        let mut entry = Entry::All;
        let mut blocked = false;
        let mut settled = false;
        let mut setbacks = 0;
        for step in 0..limit {
            if control.check().is_err() {
                return step;
            }
            let rounding = origin.rounding(&self.correlation);
            let slack = |j: usize| 1e-11 * q.l1[j] + rounding;
            let entering = self.choose(q, beta, slack, entry);
            self.arrange(q);
            let wrong = self.set_right_hand_side(q, beta, slack);
            if entering == 0 && (!wrong || settled) {
                if entry != Entry::None {
                    return step;
                }
                entry = if blocked { Entry::One } else { Entry::All };
                continue;
            }
            self.factor(q);
            let dependent = self.dependent(beta, entry);
            if dependent.is_some_and(|k| entry == Entry::All || self.reduce(q, beta, k)) {
                (entry, blocked, settled) = (Entry::None, true, false);
                origin.correlate(q, beta, &mut self.correlation);
                continue;
            }
            let fall = self.solve();
            let stuck = |(&j, &d): (&usize, &f64)| beta[j] != 0.0 || d == 0.0;
            if entry == Entry::All
                && entering > 0
                && self.active.iter().zip(&self.direction).all(stuck)
            {
                // What wants to enter depends on the support: alone it can take a column's place.
                (entry, blocked) = (Entry::None, true);
                continue;
            }
            // Without dependent columns the direction solves its equations, and the two agree.
            let curvature = if self.cholesky.has_dependence() { self.curvature(q) } else { fall };
            let Some((length, landing)) = self.search(q, beta, fall, curvature, rounding) else {
                match entry {
                    Entry::All if entering > 0 => (entry, blocked) = (Entry::None, true),
                    Entry::None => entry = Entry::One,
                    _ => return step,
                }
                continue;
            };
            let before = (beta.to_vec(), origin.value(q, &self.correlation, beta));
            for (&j, &d) in self.active.iter().zip(&self.direction) {
                beta[j] += length * d;
            }
            if let Some(j) = landing {
                beta[j] = 0.0;
            }
            origin.correlate(q, beta, &mut self.correlation);
            let after = origin.value(q, &self.correlation, beta);
            if after.0 > before.1.0 + 1e-12 * (after.1 + before.1.1) {
                // H is singular to rounding and the step was noise: sweeps cannot go uphill.
                beta.copy_from_slice(&before.0);
                origin.correlate(q, beta, &mut self.correlation);
                setbacks += 1;
                let sweeps = if setbacks <= 3 { 50 } else { 1000 };
                sweep(q, beta, &mut self.correlation, sweeps);
                if setbacks > 3 {
                    return step;
                }
                (entry, blocked, settled) = (Entry::None, true, false);
                continue;
            }
            // A whole step with every sign kept solves its equations to rounding; one repetition
            // polishes, more would chase the last bit.
            let whole = landing.is_none() && length == 1.0;
            settled = entering == 0 && whole;
            if entry == Entry::All {
                blocked = length < 1e-6;
            }
            if !whole || entry == Entry::One {
                entry = Entry::None;
            }
        }
        limit
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
            let excess = c.abs() - q.l1[j] - slack(j);
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
            let rhs = c - q.l1[j] * sign;
            wrong |= rhs.abs() > slack(j);
            self.sign.push(sign);
            self.direction.push(rhs);
        }
        wrong
    }

    /// Put the active set in the order of the factor, where the factor can be brought to it by
    /// taking out and adding a few columns.
    fn arrange(&mut self, q: &Quadratic) {
        if self.factored_id != q.id || self.cholesky.has_dependence() {
            self.factored.clear();
            return;
        }
        // 1: wanted, 2: in the factor.
        self.mark.clear();
        self.mark.resize(q.size(), 0u8);
        self.active.iter().for_each(|&j| self.mark[j] |= 1);
        self.factored.iter().for_each(|&j| self.mark[j] |= 2);
        let leaving = self.factored.iter().filter(|&&j| self.mark[j] == 2).count();
        let entering = self.active.iter().filter(|&&j| self.mark[j] == 1).count();
        // A factor from scratch costs m³/6, a column out up to 2m², a column in m²/2.
        if 12 * leaving + 3 * entering > self.active.len() {
            self.factored.clear();
            return;
        }
        for k in (0..self.factored.len()).rev() {
            if self.mark[self.factored[k]] == 2 {
                self.factored.remove(k);
                self.cholesky.remove(k);
            }
        }
        for &j in self.active.iter().filter(|&&j| self.mark[j] == 1) {
            self.factored.push(j);
            let line = &q.gram[j * q.stride..];
            let mut column: Vec<f64> = self.factored.iter().map(|&k| line[k]).collect();
            if let Some(last) = column.last_mut() {
                *last += q.ridge[j];
            }
            self.cholesky.append(column, q.ridge[j]);
        }
        self.active.clone_from(&self.factored);
    }

    fn factor(&mut self, q: &Quadratic) {
        if !self.factored.is_empty() {
            return;
        }
        let active = &self.active;
        self.cholesky.factor(active.len(), |row, out| {
            let j = active[row];
            let line = &q.gram[j * q.stride..];
            for (o, &k) in out.iter_mut().zip(&active[row..]) {
                *o = line[k];
            }
            out[0] += q.ridge[j];
            q.ridge[j]
        });
        self.factored.clone_from(active);
        self.factored_id = q.id;
    }

    /// The first column of the support that depends on those before, or the single one that enters.
    fn dependent(&self, beta: &[f64], entry: Entry) -> Option<usize> {
        (0..self.active.len()).find(|&k| {
            self.cholesky.is_dependent(k) && (beta[self.active[k]] != 0.0 || entry == Entry::One)
        })
    }

    /// Walk along the combinations of columns that the fit does not see, one for each dependent
    /// column from k on, downhill in the penalty, each until a coordinate reaches zero and stays
    /// there. False if none does.
    fn reduce(&mut self, q: &Quadratic, beta: &mut [f64], k: usize) -> bool {
        let active = &self.active;
        let mut walked: Vec<(Vec<f64>, usize)> = Vec::new();
        for k in k..active.len() {
            if !self.cholesky.is_dependent(k) || (beta[active[k]] == 0.0 && !walked.is_empty()) {
                continue;
            }
            let mut along = vec![0.0; active.len()];
            self.cholesky.dependence(k, &mut along);
            for (other, landing) in &walked {
                axpy(-along[*landing] / other[*landing], other, &mut along);
                along[*landing] = 0.0;
            }
            let slope: f64 = along.iter().zip(&self.direction).map(|(v, rhs)| -v * rhs).sum();
            if slope > 0.0 {
                along.iter_mut().for_each(|v| *v = -*v);
            }
            let first = (0..active.len())
                .filter(|&i| q.l1[active[i]] > 0.0 && along[i] * beta[active[i]] < 0.0)
                .map(|i| (-beta[active[i]] / along[i], i))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            let Some((length, landing)) = first else { break };
            for (&j, &v) in active.iter().zip(&along) {
                beta[j] += length * v;
            }
            beta[active[landing]] = 0.0;
            walked.push((along, landing));
        }
        !walked.is_empty()
    }

    /// direction ← (H + D)⁻¹ direction on the active set; the slope of the objective along it, negated.
    fn solve(&mut self) -> f64 {
        let rhs = self.direction.clone();
        self.cholesky.solve(&mut self.direction);
        rhs.iter().zip(&self.direction).map(|(r, d)| r * d).sum()
    }

    /// d'(H + D)d for the direction d.
    fn curvature(&self, q: &Quadratic) -> f64 {
        let mut sum = 0.0;
        for (&j, &d) in self.active.iter().zip(&self.direction) {
            if d != 0.0 {
                let line = &q.gram[j * q.stride..];
                let along: f64 =
                    self.active.iter().zip(&self.direction).map(|(&k, e)| line[k] * e).sum();
                sum += d * (along + q.ridge[j] * d);
            }
        }
        sum
    }

    /// Exact search along the direction: the objective is convex and piecewise quadratic, with a
    /// break where a coordinate changes sign. Length of the step, and the coordinate that it puts
    /// on zero; None if no step descends.
    fn search(
        &mut self,
        q: &Quadratic,
        beta: &[f64],
        fall: f64,
        curvature: f64,
        rounding: f64,
    ) -> Option<(f64, Option<usize>)> {
        self.breaks.clear();
        let mut slope = -fall;
        for (i, &j) in self.active.iter().enumerate() {
            let d = self.direction[i];
            if d * self.sign[i] >= 0.0 || q.l1[j] == 0.0 {
                continue;
            }
            if beta[j] == 0.0 {
                slope += 2.0 * q.l1[j] * d.abs();
            } else {
                self.breaks.push((-beta[j] / d, i));
            }
        }
        let noise = rounding * self.direction.iter().map(|d| d.abs()).sum::<f64>();
        if slope >= -noise || !curvature.is_finite() {
            return None;
        }
        // Where the slope, known at `from`, reaches zero if no break comes before.
        let bottom = |from: f64, slope: f64| {
            if curvature > -1e-12 * slope { from - slope / curvature } else { f64::INFINITY }
        };
        self.breaks.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut from = 0.0;
        for &(at, i) in &self.breaks {
            if bottom(from, slope) <= at {
                break;
            }
            slope += curvature * (at - from) + 2.0 * q.l1[self.active[i]] * self.direction[i].abs();
            from = at;
            if slope >= 0.0 {
                return Some((at, Some(self.active[i])));
            }
        }
        let length = bottom(from, slope);
        // The Newton step itself, up to rounding: take it whole.
        let whole = from == 0.0 && (length - 1.0).abs() < 1e-6;
        Some((if whole || !length.is_finite() { 1.0 } else { length }, None))
    }
}

#[cfg(test)]
mod tests {
    use super::super::sweeps::approach;
    use super::*;
    use proptest::prelude::*;

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
            let q = Quadratic { gram: &h, stride: p, l1: &l1, ridge: &ridge, id: seed };
            let mut beta = vec![0.0; p];
            let mut solver = Newton { factored_id: u64::MAX, ..Newton::default() };
            let zero = vec![0.0; p];
            let origin = Origin { beta: &zero, correlation: &b };
            solver.minimise(&q, &origin, &mut beta, &Control::default());
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
            let (l1, ridge) = ([1e-3; 2], [0.0; 2]);
            let q = Quadratic { gram: &h, stride: 2, l1: &l1, ridge: &ridge, id: 1 };
            let mut beta = [0.1, -2.75];
            let origin = Origin { beta: &beta.clone(), correlation: &[0.2, 1e-18] };
            Newton::default().minimise(&q, &origin, &mut beta, &Control::default());
            assert!((beta[0] - 0.299).abs() < 1e-12, "{vanished} {beta:?}");
            assert_eq!(beta[1], 0.0, "{vanished}");
        }
    }

    #[test]
    fn sweeps_alone_come_close_and_excluded_coordinates_stay_zero() {
        let (h, b) = gram(30, 200, 3, false);
        let mut l1 = vec![5.0; 30];
        l1[0] = f64::INFINITY;
        let ridge = vec![0.0; 30];
        let q = Quadratic { gram: &h, stride: 30, l1: &l1, ridge: &ridge, id: 1 };
        let (mut rough, mut exact) = (vec![0.0; 30], vec![0.0; 30]);
        let mut correlation = b.clone();
        for _ in 0..4 {
            assert!(approach(&q, &mut rough, &mut correlation, 1e-3));
        }
        let origin = Origin { beta: &[0.0; 30], correlation: &b };
        Newton::default().minimise(&q, &origin, &mut exact, &Control::default());
        assert_eq!(exact[0], 0.0);
        for (a, b) in rough.iter().zip(&exact) {
            assert!((a - b).abs() < 1e-2, "{a} {b}");
        }
    }
}
