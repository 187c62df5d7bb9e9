//! Cox's partial likelihood: Σ over events of log Σ_{at risk} w e^η − η, weights in both, ties after
//! Breslow. Rows are in the order of time, and what is left of one depends on all others.

use super::{Likelihood, Risks, Sums};
use crate::linalg::elementary::{exp, ln_unit};
use crate::linalg::lanes::dispatch;
use crate::linalg::order::increasing;
use std::ops::Range;

pub struct Cox {
    /// 1 for an event.
    status: Vec<f64>,
    /// The rows of each time, ascending.
    times: Vec<Range<usize>>,
}

impl Cox {
    /// From times and states of rows in any order; the order that they are wanted in.
    pub fn new(times: &[f64], status: &[f64]) -> (Cox, Vec<u32>) {
        let mut order: Vec<usize> = (0..times.len()).collect();
        increasing(&mut order, times);
        let mut ranges = Vec::new();
        for tied in order.chunk_by(|&a, &b| times[a] == times[b]) {
            let start = ranges.last().map_or(0, |r: &Range<usize>| r.end);
            ranges.push(start..start + tied.len());
        }
        let status = order.iter().map(|&i| status[i]).collect();
        (Cox { status, times: ranges }, order.into_iter().map(|i| i as u32).collect())
    }

    /// For lanes of one width: e^(η − m) in place of −η, with m the largest η of weight; at each time
    /// Σ w e^(η − m) over the rows at risk and the weight of the events.
    fn risk(&self, weights: &[f64], panel: &mut [f64], width: usize) -> Risk {
        let mut risk = Risk {
            largest: vec![f64::NEG_INFINITY; width],
            at_risk: vec![0.0; self.times.len() * width],
            events: vec![0.0; self.times.len() * width],
        };
        exponentials(weights, panel, &mut risk.largest);
        let mut sum = vec![0.0; width];
        for (t, rows) in self.times.iter().enumerate().rev() {
            let events = &mut risk.events[t * width..][..width];
            for i in rows.clone() {
                let (line, weights) =
                    (&panel[i * width..][..width], &weights[i * width..][..width]);
                for k in 0..width {
                    sum[k] += weights[k] * line[k];
                    events[k] += weights[k] * self.status[i];
                }
            }
            risk.at_risk[t * width..][..width].copy_from_slice(&sum);
        }
        risk
    }
}

/// What `Cox::risk` finds: of each lane, and of each time.
struct Risk {
    largest: Vec<f64>,
    at_risk: Vec<f64>,
    events: Vec<f64>,
}

dispatch! {
    /// The panel from −η to e^(η − m), m the largest η of weight in a lane.
    fn exponentials(weights: &[f64], panel: &mut [f64], largest: &mut [f64]) {
        let width = largest.len();
        for (line, weights) in panel.chunks_exact(width).zip(weights.chunks_exact(width)) {
            for k in 0..width {
                let eta = if weights[k] > 0.0 { -line[k] } else { f64::NEG_INFINITY };
                largest[k] = largest[k].max(eta);
            }
        }
        for m in largest.iter_mut() {
            *m = if m.is_finite() { *m } else { 0.0 };
        }
        for line in panel.chunks_exact_mut(width) {
            for k in 0..width {
                line[k] = exp((-line[k] - largest[k]).min(0.0));
            }
        }
    }

    /// The losses of the events of one time, and what they add to the hazard.
    fn add_events(
        at_risk: &[f64],
        events: &[f64],
        largest: &[f64],
        loss: &mut [f64],
        least: &mut [f64],
        hazard: &mut [f64],
    ) {
        for k in 0..hazard.len() {
            // `ln_unit` is right for any positive number; without events nothing is added.
            let (d, s) = (events[k], at_risk[k]);
            let there = d > 0.0;
            let (log_d, log_s) = (ln_unit(if there { d } else { 1.0 }), ln_unit(if there { s } else { 1.0 }));
            // A fit that puts all risk on those who have the event leaves d log d.
            loss[k] += d * (log_s - log_d + largest[k]);
            least[k] += d * log_d;
            hazard[k] += if there { d / s } else { 0.0 };
        }
    }
}

impl Likelihood for Cox {
    fn coupled(&self) -> bool {
        true
    }

    /// Those that are gone before the first event.
    fn unheard(&self, weights: &[f64]) -> usize {
        let event = |i: usize| weights[i] * self.status[i] > 0.0;
        let first = self.times.iter().find(|rows| (*rows).clone().any(event));
        first.map_or(weights.len(), |rows| rows.start)
    }

    fn start(&self, _: &dyn Fn(usize) -> f64, _: &[f64]) -> Vec<f64> {
        vec![0.0]
    }

    /// No row at risk is above one that has the event, and some are below.
    fn separates(&self, _: &Range<usize>, weights: &[f64], eta: &[f64], slack: f64) -> bool {
        let (mut most, mut least) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut above = false;
        for rows in self.times.iter().rev() {
            for i in rows.clone().filter(|&i| weights[i] > 0.0) {
                (most, least) = (most.max(eta[i]), least.min(eta[i]));
            }
            for i in rows.clone().filter(|&i| weights[i] * self.status[i] > 0.0) {
                if eta[i] < most - slack {
                    return false;
                }
                above |= least + slack < eta[i];
            }
        }
        above
    }

    fn residuals(&self, _: &Range<usize>, weights: &[f64], panel: &mut [f64], sums: &mut Sums) {
        let [loss, least, total, residual, curvature] = sums.of_likelihood();
        let width = loss.len();
        for (i, line) in panel.chunks_exact(width).enumerate() {
            for k in 0..width {
                let (w, event) = (weights[i * width + k], weights[i * width + k] * self.status[i]);
                loss[k] += event * line[k];
                total[k] += w;
                // Each event has the variance of those at risk.
                curvature[k] += event;
            }
        }
        let Risk { largest, at_risk, events } = self.risk(weights, panel, width);
        let mut hazard = vec![0.0; width];
        for (t, rows) in self.times.iter().enumerate() {
            let at = t * width..(t + 1) * width;
            add_events(&at_risk[at.clone()], &events[at], &largest, loss, least, &mut hazard);
            for i in rows.clone() {
                for k in 0..width {
                    let w = weights[i * width + k];
                    let left = w * (self.status[i] - panel[i * width + k] * hazard[k]);
                    panel[i * width + k] = left;
                    residual[k] += left;
                }
            }
        }
    }

    fn curvature(&self, _: &Range<usize>, weights: &[f64], eta: &[f64], out: &mut [f64]) {
        let mut panel: Vec<f64> = eta.iter().map(|e| -e).collect();
        let Risk { at_risk, events, .. } = self.risk(weights, &mut panel, 1);
        let mut hazard = 0.0;
        for (t, rows) in self.times.iter().enumerate() {
            if events[t] > 0.0 {
                hazard += events[t] / at_risk[t];
            }
            for i in rows.clone() {
                out[i] = weights[i] * panel[i] * hazard;
            }
        }
    }

    fn risks(&self, weights: &[f64], eta: &[f64]) -> Option<Risks> {
        let mut panel: Vec<f64> = eta.iter().map(|e| -e).collect();
        let Risk { at_risk, events, .. } = self.risk(weights, &mut panel, 1);
        let share = panel.iter().zip(weights).map(|(e, w)| e * w).collect();
        let sets = self.times.iter().enumerate().filter(|(t, _)| events[*t] > 0.0);
        let sets = sets.map(|(t, rows)| (rows.start, at_risk[t], events[t])).collect();
        Some(Risks { share, sets })
    }
}
