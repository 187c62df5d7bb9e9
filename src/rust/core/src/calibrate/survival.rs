//! Times simulated from a Cox model: events from the baseline hazard, censoring as it was.
//!
//! The cumulative baseline hazard is Breslow's at the truth, linear between the times of events: times are then told
//! apart, as observed ones are. A row that was censored is censored at that time again; of one with an event the censoring
//! is drawn from Kaplan and Meier's estimate, beyond the time of the event (the conditional bootstrap of Hjort 1985).

use super::errors::uniform;
use crate::linalg::elementary::{exp, ln_unit};
use crate::linalg::order::increasing;
use crate::random::weights::WeightPlan;
use rand_chacha::ChaCha8Rng;

pub struct Survival {
    time: Vec<f64>,
    status: Vec<f64>,
    case: Vec<f64>,
    /// Rows by time.
    order: Vec<usize>,
    /// At each time of censoring, ascending: the chance not to be censored by then.
    uncensored: Vec<(f64, f64)>,
}

impl Survival {
    pub fn new(time: &[f64], status: &[f64], plan: &WeightPlan) -> Survival {
        let mut order: Vec<usize> = (0..time.len()).collect();
        increasing(&mut order, time);
        let case: Vec<f64> = (0..time.len()).map(|i| plan.case(i)).collect();
        let mut at_risk: f64 = case.iter().sum();
        let (mut chance, mut uncensored) = (1.0, Vec::new());
        for tied in order.chunk_by(|&a, &b| time[a] == time[b]) {
            let weight = |event: f64| -> f64 {
                tied.iter().filter(|&&i| status[i] == event).map(|&i| case[i]).sum()
            };
            // Who has the event at this time is not at risk of being censored then.
            at_risk -= weight(1.0);
            let censored = weight(0.0);
            if censored > 0.0 {
                chance *= (1.0 - censored / at_risk).max(0.0);
                uncensored.push((time[tied[0]], chance));
            }
            at_risk -= censored;
        }
        Survival { time: time.to_vec(), status: status.to_vec(), case, order, uncensored }
    }

    /// Times, and which of them are events, at these linear predictors.
    pub fn draw(&self, eta: &[f64], rng: &mut ChaCha8Rng) -> (Vec<f64>, Vec<f64>) {
        let largest = eta.iter().fold(f64::NEG_INFINITY, |m, e| m.max(*e));
        let risk: Vec<f64> = eta.iter().map(|e| exp(e - largest)).collect();
        let steps = self.hazard(&risk);
        let rows = (0..eta.len()).map(|i| {
            let event = when(&steps, -ln_unit(uniform(rng)) / risk[i]);
            let censored = self.censored(i, uniform(rng));
            if event <= censored { (event, 1.0) } else { (censored, 0.0) }
        });
        rows.unzip()
    }

    /// The cumulative baseline hazard at the times of events, from nothing at the beginning.
    fn hazard(&self, risk: &[f64]) -> Vec<(f64, f64)> {
        let mut at_risk: f64 = risk.iter().zip(&self.case).map(|(r, w)| r * w).sum();
        let begin = self.order.first().map_or(0.0, |&i| self.time[i].min(0.0));
        let (mut sum, mut steps) = (0.0, vec![(begin, 0.0)]);
        for tied in self.order.chunk_by(|&a, &b| self.time[a] == self.time[b]) {
            let events: f64 = tied.iter().map(|&i| self.case[i] * self.status[i]).sum();
            if events > 0.0 && at_risk > 0.0 {
                sum += events / at_risk;
                steps.push((self.time[tied[0]], sum));
            }
            at_risk -= tied.iter().map(|&i| risk[i] * self.case[i]).sum::<f64>();
        }
        steps
    }

    /// When row i would be censored; the last time of all if never.
    fn censored(&self, i: usize, u: f64) -> f64 {
        if self.status[i] == 0.0 {
            return self.time[i];
        }
        let later = self.uncensored.partition_point(|(time, _)| *time <= self.time[i]);
        let now = if later == 0 { 1.0 } else { self.uncensored[later - 1].1 };
        let found = self.uncensored[later..].iter().find(|(_, chance)| *chance <= u * now);
        let last = self.order.last().map_or(0.0, |&i| self.time[i]);
        found.map_or(last, |(time, _)| *time)
    }
}

/// When a cumulative hazard is reached; never: infinity.
fn when(steps: &[(f64, f64)], hazard: f64) -> f64 {
    let after = steps.partition_point(|(_, h)| *h < hazard);
    match (after.checked_sub(1).map(|k| steps[k]), steps.get(after)) {
        (Some((t0, h0)), Some((t1, h1))) => t0 + (t1 - t0) * (hazard - h0) / (h1 - h0),
        (None, Some((time, _))) => *time,
        (_, None) => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::laws::{Law, PriorWeight};
    use crate::random::streams::random_stream;

    #[test]
    fn simulated_times_have_the_hazard_and_the_censoring_of_the_data() {
        let n = 400;
        let time: Vec<f64> = (0..n).map(|i| 1.0 + (i * 37 % n) as f64).collect();
        let status: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i % 3 > 0))).collect();
        let plan = WeightPlan::new(1, Law::Ones, PriorWeight::Fixed, n);
        let survival = Survival::new(&time, &status, &plan);
        let mut rng = random_stream(1, b"a test of the responses ", 0);
        let (mut events, mut early) = (0.0, 0.0);
        for _ in 0..200 {
            let (times, states) = survival.draw(&vec![0.0; n], &mut rng);
            assert!(times.iter().all(|t| *t >= 0.0 && *t <= n as f64));
            // Who was censored is never later than then.
            assert!((0..n).all(|i| status[i] > 0.0 || times[i] <= time[i]));
            events += states.iter().sum::<f64>();
            early +=
                times.iter().zip(&states).filter(|(t, s)| **t < 200.0 && **s > 0.0).count() as f64;
        }
        // Means of 80,000 rows about 2/3 and about a third: within 5 standard errors (at most 0.0018 each),
        // and what censoring in place of a sample of it does, some 1 %.
        assert!((events / 8e4 - 2.0 / 3.0).abs() < 0.025, "{}", events / 8e4);
        assert!((early / 8e4 - 1.0 / 3.0).abs() < 0.025, "{}", early / 8e4);
        // A larger hazard is earlier.
        let eta: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { 2.0 } else { 0.0 }).collect();
        let (times, _) = survival.draw(&eta, &mut rng);
        let sum = |odd: usize| (0..n).filter(|i| i % 2 == odd).map(|i| times[i]).sum::<f64>();
        assert!(sum(0) < 0.8 * sum(1));
    }
}
