//! Multinomial: l = log Σₖ e^ηₖ − η_y with a predictor for each class, whose residuals are 1[y = k] − πₖ.

use super::observed::Observed;
use super::{Likelihood, Sums};
use crate::linalg::elementary::{exp, ln_1p};
use crate::linalg::lanes::{LANES, dispatch};
use std::ops::Range;

pub struct Multinomial {
    /// The class of each row, from 1.
    y: Observed,
    classes: usize,
}

impl Multinomial {
    pub fn new(y: Observed, classes: usize) -> Multinomial {
        Multinomial { y, classes }
    }

    /// The classes of these rows, from 0.
    fn of_rows(&self, rows: &Range<usize>) -> Vec<u32> {
        self.y.over(rows.clone()).iter().map(|y| *y as u32 - 1).collect()
    }
}

impl Likelihood for Multinomial {
    fn predictors(&self) -> usize {
        self.classes
    }

    fn start(&self, weight: &dyn Fn(usize) -> f64, _: &[f64]) -> Vec<f64> {
        // Half a row more of each class: never without an end.
        let mut counts = vec![0.5; self.classes];
        self.y.iter().enumerate().for_each(|(i, k)| counts[k as usize - 1] += weight(i));
        let logs: Vec<f64> = counts.iter().map(|c| libm::log(*c)).collect();
        let mean = logs.iter().sum::<f64>() / self.classes as f64;
        logs.iter().map(|l| l - mean).collect()
    }

    fn residuals(&self, rows: &Range<usize>, weights: &[f64], panel: &mut [f64], sums: &mut Sums) {
        let mut cells = vec![[0.0; LANES]; 2 * self.classes];
        let y = self.of_rows(rows);
        if sums.of_likelihood()[0].len() == self.classes {
            of_one_draw(&y, (weights, self.classes), panel, sums, &mut cells, &mut []);
        } else {
            of_draws(&y, weights, panel, sums, &mut cells);
        }
    }

    fn residuals_and_shares(
        &self,
        weights: &[f64],
        panel: &mut [f64],
        sums: &mut Sums,
        shares: &mut [f64],
    ) -> bool {
        let mut cells = vec![[0.0; LANES]; 2 * self.classes];
        let y = self.of_rows(&(0..weights.len()));
        of_one_draw(&y, (weights, 1), panel, sums, &mut cells, shares);
        true
    }

    fn separates(&self, rows: &Range<usize>, weights: &[f64], eta: &[f64], slack: f64) -> bool {
        let n = weights.len();
        self.of_rows(rows).into_iter().enumerate().all(|(i, y)| {
            let own = eta[y as usize * n + i];
            let below = |k: usize| k == y as usize || eta[k * n + i] < own + slack;
            weights[i] == 0.0 || (0..self.classes).all(below)
        })
    }

    fn shares(&self, eta: &mut [f64], rows: usize) -> bool {
        softmax(eta, rows);
        true
    }

    fn curvature(&self, _: &Range<usize>, weights: &[f64], eta: &[f64], out: &mut [f64]) {
        let n = weights.len();
        let mut share = eta.to_vec();
        softmax(&mut share, n);
        let mut lines = out.chunks_exact_mut(n.max(1));
        for k in 0..self.classes {
            for l in k..self.classes {
                let Some(line) = lines.next() else { return };
                let own = f64::from(u8::from(k == l));
                let (a, b) = (&share[k * n..][..n], &share[l * n..][..n]);
                for (((o, w), a), b) in line.iter_mut().zip(weights).zip(a).zip(b) {
                    *o = w * a * (own - b);
                }
            }
        }
    }
}

/// The loss of eight rows: how far η of their class is below the largest, and the rest.
struct Eight {
    near: [f64; LANES],
    beyond: [f64; LANES],
}

/// The residuals and sums of one draw: rows side by side, where draws cannot be; and the shares, if there is room for them.
#[inline(never)]
fn of_one_draw(
    y: &[u32],
    (weights, stride): (&[f64], usize),
    panel: &mut [f64],
    sums: &mut Sums,
    cells: &mut [[f64; LANES]],
    into: &mut [f64],
) {
    let [loss, _, total, residual, curvature] = sums.of_likelihood();
    let classes = cells.len() / 2;
    let (mut losses, mut totals, mut curvatures) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
    let mut residuals = vec![[0.0; LANES]; classes];
    for (e, lines) in panel.chunks_mut(LANES * classes).enumerate() {
        // What is missing in the last rows has no weight.
        let (mut own, mut w) = ([0; LANES], [0.0; LANES]);
        for (k, line) in lines.chunks_exact(classes).enumerate() {
            (own[k], w[k]) = (y[e * LANES + k], weights[(e * LANES + k) * stride]);
            line.iter().zip(cells.iter_mut()).for_each(|(eta, cell)| cell[k] = *eta);
        }
        let at = eight(&own, &w, cells);
        for k in 0..LANES {
            losses[k] += w[k] * (at.near[k] + at.beyond[k]);
            totals[k] += w[k];
        }
        for (class, sums) in residuals.iter_mut().enumerate() {
            let (left, shares) = (&cells[class], &cells[classes + class]);
            for k in 0..LANES {
                curvatures[k] += w[k] * shares[k] * (1.0 - shares[k]);
                sums[k] += left[k];
            }
            if !into.is_empty() {
                let count = lines.len() / classes;
                into[class * y.len() + e * LANES..][..count].copy_from_slice(&shares[..count]);
            }
        }
        for (k, line) in lines.chunks_exact_mut(classes).enumerate() {
            line.iter_mut().zip(cells.iter()).for_each(|(left, cell)| *left = cell[k]);
        }
    }
    loss[0] += losses.iter().sum::<f64>();
    total[0] += totals.iter().sum::<f64>();
    curvature[0] += curvatures.iter().sum::<f64>();
    for (sum, lanes) in residual.iter_mut().zip(&residuals) {
        *sum += lanes.iter().sum::<f64>();
    }
}

/// The same of several draws: they stand side by side.
fn of_draws(
    y: &[u32],
    weights: &[f64],
    panel: &mut [f64],
    sums: &mut Sums,
    cells: &mut [[f64; LANES]],
) {
    let [loss, _, total, residual, curvature] = sums.of_likelihood();
    let classes = cells.len() / 2;
    // A line has the draws of the first class side by side, then of the next.
    let width = loss.len();
    let draws = width / classes;
    for (i, line) in panel.chunks_exact_mut(width).enumerate() {
        let own = [y[i]; LANES];
        for first in (0..draws).step_by(LANES) {
            let count = LANES.min(draws - first);
            let mut w = [0.0; LANES];
            w[..count].copy_from_slice(&weights[i * width + first..][..count]);
            for (cell, lanes) in cells.iter_mut().zip(line.chunks_exact(draws)) {
                cell[..count].copy_from_slice(&lanes[first..][..count]);
            }
            let at = eight(&own, &w, cells);
            for k in 0..count {
                loss[first + k] += w[k] * at.near[k];
                loss[first + k] += w[k] * at.beyond[k];
                total[first + k] += w[k];
            }
            for (class, lanes) in line.chunks_exact_mut(draws).enumerate() {
                lanes[first..][..count].copy_from_slice(&cells[class][..count]);
                let shares = &cells[classes + class];
                for k in 0..count {
                    curvature[first + k] += w[k] * shares[k] * (1.0 - shares[k]);
                    residual[class * draws + first + k] += cells[class][k];
                }
            }
        }
    }
}

dispatch! {
    /// Turn −η, class after class, into W r; behind it stand the shares.
    fn eight(own: &[u32; LANES], w: &[f64; LANES], cells: &mut [[f64; LANES]]) -> Eight {
        let (cells, shares) = cells.split_at_mut(cells.len() / 2);
        let (mut largest, mut near) = ([f64::NEG_INFINITY; LANES], [0.0; LANES]);
        for (class, cell) in cells.iter().enumerate() {
            for k in 0..LANES {
                largest[k] = largest[k].max(-cell[k]);
                near[k] = if class as u32 == own[k] { cell[k] } else { near[k] };
            }
        }
        let (mut all, mut others, mut first) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        for (class, cell) in cells.iter_mut().enumerate() {
            for k in 0..LANES {
                let e = exp(-cell[k] - largest[k]);
                let mine = class as u32 == own[k];
                cell[k] = e;
                all[k] += e;
                others[k] += if mine { 0.0 } else { e };
                first[k] = if mine { e } else { first[k] };
            }
        }
        let mut beyond = [0.0; LANES];
        for k in 0..LANES {
            near[k] += largest[k];
            // Without a difference of numbers near each other where the own class is the largest.
            let above = if first[k] == 1.0 { others[k] } else { all[k] - 1.0 };
            beyond[k] = ln_1p(above.max(0.0));
        }
        // Divisions are as dear as exponentials.
        let inverse = all.map(|all| 1.0 / all);
        for ((class, cell), share) in cells.iter_mut().enumerate().zip(shares) {
            for k in 0..LANES {
                let left = if class as u32 == own[k] { others[k] } else { -cell[k] };
                share[k] = cell[k] * inverse[k];
                cell[k] = w[k] * (left * inverse[k]);
            }
        }
        Eight { near, beyond }
    }

    /// η, class after class of n rows each, to probabilities.
    fn softmax(eta: &mut [f64], n: usize) {
        let mut largest = vec![f64::NEG_INFINITY; n];
        for line in eta.chunks_exact(n) {
            largest.iter_mut().zip(line).for_each(|(m, e)| *m = m.max(*e));
        }
        let mut all = vec![0.0; n];
        for line in eta.chunks_exact_mut(n) {
            for ((e, m), s) in line.iter_mut().zip(&largest).zip(&mut all) {
                *e = exp(*e - m);
                *s += *e;
            }
        }
        all.iter_mut().for_each(|s| *s = 1.0 / *s);
        for line in eta.chunks_exact_mut(n) {
            line.iter_mut().zip(&all).for_each(|(e, s)| *e *= s);
        }
    }
}
