//! The mean of the last iterates, after Polyak & Ruppert.
//!
//! At a constant step the last iterate of stochastic gradient descent wanders around the minimum, and
//! where it happens to stand says more of the last batches than of the draw's weights. The mean of the
//! iterates does not wander: its noise falls with their number (Polyak & Juditsky 1992). Only the
//! last ones count, because the first still carry the way from the start (Rakhlin, Shamir & Sridharan 2012).

use super::optimizer::pieces;
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::lanes::dispatch;

/// A sum of iterates in the making.
#[derive(Default)]
pub struct Average {
    sum: Vec<f64>,
    count: u64,
}

impl Average {
    pub fn add(&mut self, parameters: &[f32], control: &Control) -> Result<(), Error> {
        self.sum.resize(parameters.len(), 0.0);
        for piece in pieces(0..parameters.len()) {
            control.check()?;
            add(&parameters[piece.clone()], &mut self.sum[piece]);
        }
        self.count += 1;
        Ok(())
    }

    /// The mean in place of the last iterate; that stays where nothing was added.
    pub fn put(&self, parameters: &mut [f32]) {
        if self.count == 0 {
            return;
        }
        for (p, sum) in parameters.iter_mut().zip(&self.sum) {
            *p = (sum / self.count as f64) as f32;
        }
    }
}

dispatch! {
    fn add(parameters: &[f32], sum: &mut [f64]) {
        for (sum, p) in sum.iter_mut().zip(parameters) {
            *sum += f64::from(*p);
        }
    }
}

/// The first step after those that draws have in common, as a share of these. Long steps come far, and choose a valley: that is
/// to be done once for all draws, which would else go apart by the order of their batches.
const AFTER_COMMON: f64 = 1.0 / 3.0;

/// The epochs of a run and the step from which on iterates are averaged: the last `share` of the steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    pub epochs: usize,
    pub from: u64,
    share: f64,
    steps: u64,
}

impl Schedule {
    /// `steps` in each epoch. Where an epoch is one step there is no noise of batches to average.
    pub fn new(epochs: usize, steps: usize, share: f64) -> Schedule {
        let share = if steps > 1 { share } else { 0.0 };
        let all = (epochs * steps) as u64;
        let averaged = (share * all as f64).ceil() as u64;
        Schedule { epochs, from: all - averaged.min(all), share, steps: steps as u64 }
    }

    /// What is left of the step when `step` steps were taken, `before` of them in an earlier run: all of it for `steady`
    /// steps, then a share of it, and nothing at the end.
    pub fn fall(&self, step: u64, before: u64, steady: u64) -> f64 {
        let end = before + self.epochs as u64 * self.steps;
        if step < steady || end <= steady {
            1.0
        } else {
            let first = if steady > 0 { AFTER_COMMON } else { 1.0 };
            first * ((end - step) as f64 / (end - steady) as f64)
        }
    }

    /// The loss has settled after `epoch` epochs: the end comes sooner, with the same share of averaged
    /// steps before it.
    pub fn settle(&mut self, epoch: usize) {
        let done = epoch as u64 * self.steps;
        if done < self.from {
            let more = epoch as f64 * self.share / (1.0 - self.share);
            self.epochs = self.epochs.min(epoch + more.ceil() as usize);
            self.from = done;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_that_of_what_was_added() {
        let mut average = Average::default();
        let mut at = [7.0, 7.0];
        average.put(&mut at);
        assert_eq!(at, [7.0, 7.0]);
        for iterate in [[1.0, 0.5], [2.0, 0.5], [6.0, -4.0]] {
            average.add(&iterate, &Control::default()).unwrap();
        }
        average.put(&mut at);
        assert_eq!(at, [3.0, -1.0]);
    }

    #[test]
    fn the_last_share_of_the_steps_is_averaged() {
        let of = |epochs, steps, share| Schedule::new(epochs, steps, share).from;
        assert_eq!(of(5, 100, 0.2), 400);
        assert_eq!(of(1, 10, 0.25), 7);
        assert_eq!(of(3, 4, 0.0), 12);
        assert_eq!(of(3, 4, 1.0), 0);
        assert_eq!(of(50, 1, 0.2), 50);
    }

    #[test]
    fn steps_fall_in_a_line() {
        let mut schedule = Schedule::new(4, 10, 0.2);
        let falls = |s: &Schedule| [10, 40, 49].map(|step| s.fall(step, 10, 10));
        assert_eq!(falls(&schedule), [1.0, 0.25, 0.025].map(|f| f * AFTER_COMMON));
        assert_eq!(schedule.fall(9, 10, 10), 1.0);
        assert_eq!(schedule.fall(10, 0, 0), 0.75);
        // An end that comes sooner is that of a shorter run.
        schedule.settle(2);
        assert_eq!(schedule.fall(30, 10, 10), Schedule::new(3, 10, 0.2).fall(30, 10, 10));
        // All of a run may be in common.
        assert_eq!(Schedule::new(1, 10, 0.2).fall(9, 0, 10), 1.0);
    }

    #[test]
    fn a_loss_that_settles_brings_the_end_nearer() {
        let mut early = Schedule::new(100, 10, 0.2);
        early.settle(8);
        assert_eq!((early.epochs, early.from), (10, 80));
        // Too late to be of use.
        let mut late = Schedule::new(100, 10, 0.2);
        late.settle(85);
        assert_eq!(late, Schedule::new(100, 10, 0.2));
        late.settle(79);
        assert_eq!((late.epochs, late.from), (99, 790));
        let mut plain = Schedule::new(100, 10, 0.0);
        plain.settle(8);
        assert_eq!((plain.epochs, plain.from), (8, 80));
    }
}
