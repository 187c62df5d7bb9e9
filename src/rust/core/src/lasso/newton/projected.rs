//! Steps that stop coordinates at zero, where many signs are still wrong (see `damping`).

use super::Newton;
use crate::engine::job::Control;
use crate::error::Error;
use crate::lasso::damping::{Damping, Step, TRIALS};
use crate::lasso::quadratic::{Origin, Quadratic};
use crate::lasso::sweeps::sweep;

/// Steps at most, and sweeps between them.
const MOST: u32 = 12;
const BETWEEN: u32 = 5;

impl Newton {
    /// Come near the minimum; the exact search goes on from there.
    pub(super) fn approach(
        &mut self,
        q: &Quadratic,
        origin: &Origin,
        beta: &mut [f64],
        control: &Control,
    ) -> Result<(), Error> {
        let mut damping = Damping::none();
        for _ in 0..MOST {
            control.check()?;
            let rounding = origin.rounding(&self.correlation);
            let slack = |j: usize| 1e-11 * q.penalty.l1[j] + rounding;
            self.active.clear();
            self.active.extend((0..beta.len()).filter(|&j| beta[j] != 0.0));
            if damping.is_zero() {
                self.arrange(q);
            } else {
                self.factored.clear();
            }
            if !self.set_right_hand_side(q, beta, slack) {
                break;
            }
            self.factor(q, &damping, control)?;
            let sound = !self.cholesky.has_dependence();
            let step = if sound { self.project(q, origin, beta) } else { Step::None };
            // Signs have settled: the rest is for the search.
            if (step.is_whole() && damping.is_zero()) || !damping.learn(step) {
                break;
            }
            sweep(q, beta, &mut self.correlation, BETWEEN);
        }
        if !damping.is_zero() {
            self.factored.clear();
        }
        Ok(())
    }

    /// Go along the direction, stopping coordinates at zero, as far as that descends.
    fn project(&mut self, q: &Quadratic, origin: &Origin, beta: &mut [f64]) -> Step {
        self.solve();
        let before = origin.value(q, &self.correlation, beta);
        let mut next = beta.to_vec();
        for trial in 0..TRIALS {
            let (length, mut crossed) = (0.5f64.powi(trial as i32), 0);
            for (&j, &d) in self.active.iter().zip(&self.direction) {
                let new = length.mul_add(d, beta[j]);
                let stopped = new * beta[j] < 0.0 && q.penalty.l1[j] > 0.0;
                crossed += usize::from(stopped);
                next[j] = if stopped { 0.0 } else { new };
            }
            origin.correlate(q, &next, &mut self.correlation);
            let after = origin.value(q, &self.correlation, &next);
            if after.sum.is_finite() && !after.is_above(&before) {
                beta.copy_from_slice(&next);
                return Step::Taken { trial, crossed };
            }
        }
        origin.correlate(q, beta, &mut self.correlation);
        Step::None
    }
}
