//! Multinomial: l = log Σₖ e^ηₖ − η_y with a predictor for each class, whose residuals are 1[y = k] − πₖ.

use super::{Likelihood, Sums};
use crate::linalg::elementary::{exp, ln_1p};
use crate::linalg::lanes::dispatch;
use std::ops::Range;

pub struct Multinomial {
    /// The class of each row, from 0.
    y: Vec<u32>,
    classes: usize,
}

impl Multinomial {
    pub fn new(y: Vec<u32>, classes: usize) -> Multinomial {
        Multinomial { y, classes }
    }
}

impl Likelihood for Multinomial {
    fn predictors(&self) -> usize {
        self.classes
    }

    fn start(&self, weight: &dyn Fn(usize) -> f64, _: &[f64]) -> Vec<f64> {
        // Half a row more of each class: never without an end.
        let mut counts = vec![0.5; self.classes];
        self.y.iter().enumerate().for_each(|(i, &k)| counts[k as usize] += weight(i));
        let logs: Vec<f64> = counts.iter().map(|c| libm::log(*c)).collect();
        let mean = logs.iter().sum::<f64>() / self.classes as f64;
        logs.iter().map(|l| l - mean).collect()
    }

    fn residuals(&self, rows: &Range<usize>, weights: &[f64], panel: &mut [f64], sums: &mut Sums) {
        let [loss, _, total, residual, curvature] = sums.of_likelihood();
        let mut scratch = vec![0.0; 3 * loss.len() / self.classes];
        let y = &self.y[rows.clone()];
        let classes = self.classes;
        residuals(y, classes, weights, panel, loss, total, residual, curvature, &mut scratch);
    }

    fn separates(&self, rows: &Range<usize>, weights: &[f64], eta: &[f64]) -> bool {
        let n = weights.len();
        self.y[rows.clone()].iter().enumerate().all(|(i, &y)| {
            let own = eta[y as usize * n + i];
            let below = |k: usize| k == y as usize || eta[k * n + i] < own;
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

dispatch! {
    #[expect(clippy::too_many_arguments, reason = "one caller, one loop")]
    fn residuals(
        y: &[u32],
        classes: usize,
        weights: &[f64],
        panel: &mut [f64],
        loss: &mut [f64],
        total: &mut [f64],
        residual: &mut [f64],
        curvature: &mut [f64],
        scratch: &mut [f64],
    ) {
        // A line has the draws of the first class side by side, then of the next.
        let width = loss.len();
        let draws = width / classes;
        let (largest, scratch) = scratch.split_at_mut(draws);
        let (all, others) = scratch.split_at_mut(draws);
        for (i, line) in panel.chunks_exact_mut(width).enumerate() {
            let weights = &weights[i * width..][..draws];
            let own = y[i] as usize;
            // The panel holds −η.
            largest.fill(f64::NEG_INFINITY);
            for lanes in line.chunks_exact(draws) {
                largest.iter_mut().zip(lanes).for_each(|(m, e)| *m = m.max(-e));
            }
            all.fill(0.0);
            others.fill(0.0);
            for k in 0..draws {
                let distance = largest[k] + line[own * draws + k];
                loss[k] += weights[k] * distance;
                total[k] += weights[k];
            }
            for (class, lanes) in line.chunks_exact_mut(draws).enumerate() {
                let other = if class == own { 0.0 } else { 1.0 };
                for k in 0..draws {
                    let e = exp(-lanes[k] - largest[k]);
                    lanes[k] = e;
                    all[k] += e;
                    others[k] += other * e;
                }
            }
            for k in 0..draws {
                // Without a difference of numbers near each other where the own class is the largest.
                let beyond = if line[own * draws + k] == 1.0 { others[k] } else { all[k] - 1.0 };
                loss[k] += weights[k] * ln_1p(beyond.max(0.0));
            }
            for (class, lanes) in line.chunks_exact_mut(draws).enumerate() {
                let residual = &mut residual[class * draws..][..draws];
                for k in 0..draws {
                    let left = if class == own { others[k] } else { -lanes[k] };
                    let share = lanes[k] / all[k];
                    curvature[k] += weights[k] * share * (1.0 - share);
                    lanes[k] = weights[k] * (left / all[k]);
                    residual[k] += lanes[k];
                }
            }
        }
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
        for line in eta.chunks_exact_mut(n) {
            line.iter_mut().zip(&all).for_each(|(e, s)| *e /= s);
        }
    }
}
