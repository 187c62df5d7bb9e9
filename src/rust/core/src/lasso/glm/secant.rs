//! Steps of a model that all draws share, corrected by what the steps before have shown of the draw's own
//! curvature.
//!
//! Places visited and their slopes tell the curvature H along the ways S between them: HS = Y, what the slopes
//! changed by. After a step d of the model the best way on along S is known without a pass over the data,
//! as S'H d = Y'd: with r what is left of the slopes beside the penalty, S'Y c = S'r − Y'd. It is the
//! conjugate-gradient method with the model as its preconditioner, as long as signs stay.

use crate::linalg::cholesky::Cholesky;
use crate::linalg::dense::dot;
use std::collections::VecDeque;

/// Ways that are kept.
const MEMORY: usize = 4;
/// What a correction may be of the step, by length.
const LONGEST: f64 = 1.0;

#[derive(Default)]
pub struct Secants {
    /// The last place and its slopes; intercepts come first.
    last: Option<(Vec<f64>, Vec<f64>)>,
    ways: VecDeque<(Vec<f64>, Vec<f64>)>,
}

impl Secants {
    pub fn forget(&mut self) {
        *self = Secants::default();
    }

    /// Remember a place and its slopes.
    pub fn note(&mut self, at: Vec<f64>, slopes: Vec<f64>) {
        if let Some((before, slopes_before)) = &self.last {
            let difference = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect();
            self.ways.push_back((difference(&at, before), difference(slopes_before, &slopes)));
            if self.ways.len() > MEMORY {
                self.ways.pop_front();
            }
        }
        self.last = Some((at, slopes));
    }

    /// Where to go in place of `end`, that of a step of the model from the last place; None if nothing is known
    /// better.
    pub fn correct(&self, end: Vec<f64>, l1: impl Fn(usize) -> f64) -> Option<Vec<f64>> {
        let (at, slopes) = self.last.as_ref()?;
        // What is zero at the end of the step stays so.
        let stays: Vec<usize> = (0..end.len()).filter(|&i| l1(i) == 0.0 || end[i] != 0.0).collect();
        let of = |v: &[f64]| -> Vec<f64> { stays.iter().map(|&i| v[i]).collect() };
        let step: Vec<f64> = stays.iter().map(|&i| end[i] - at[i]).collect();
        let left: Vec<f64> = stays.iter().map(|&i| slopes[i] - l1(i).copysign(end[i])).collect();
        let ways: Vec<(Vec<f64>, Vec<f64>)> =
            self.ways.iter().map(|(s, y)| (of(s), of(y))).collect();
        let m = ways.len();
        let mut along: Vec<f64> = ways.iter().map(|(s, y)| dot(s, &left) - dot(y, &step)).collect();
        let mut cholesky = Cholesky::with_threshold(1e-8);
        cholesky.factor(m, |row, out| {
            let (s, y) = &ways[row];
            for (o, (t, z)) in out.iter_mut().zip(&ways[row..]) {
                // The same but for what the loss is not quadratic.
                *o = 0.5 * (dot(s, z) + dot(y, t));
            }
            0.0
        });
        if m == 0 || (0..m).any(|i| cholesky.is_dependent(i)) {
            return None;
        }
        cholesky.solve(&mut along);
        let mut by = vec![0.0; stays.len()];
        for ((s, _), c) in ways.iter().zip(&along) {
            by.iter_mut().zip(s).for_each(|(b, s)| *b += c * s);
        }
        let sound = dot(&by, &by) <= LONGEST * dot(&step, &step);
        if !sound {
            return None;
        }
        let mut there = end;
        for (&i, by) in stays.iter().zip(&by) {
            let new = there[i] + by;
            // The slope holds only while the sign does.
            if l1(i) == 0.0 || new * there[i] > 0.0 {
                there[i] = new;
            }
        }
        Some(there)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds to the minimum of Σ h x²/2 − x + l1 |x| by steps of the model h = 1.
    fn rounds(l1: f64, corrected: bool) -> usize {
        let h = [0.6, 0.8, 1.1, 1.3, 1.4];
        let (mut x, mut secants) = (vec![0.0; 5], Secants::default());
        (1..1000)
            .find(|_| {
                let slopes: Vec<f64> = x.iter().zip(h).map(|(x, h)| 1.0 - h * x).collect();
                let end: Vec<f64> =
                    x.iter().zip(&slopes).map(|(x, s)| (x + s - l1).max(0.0)).collect();
                secants.note(x.clone(), slopes);
                let better = secants.correct(end.clone(), |_| l1).filter(|_| corrected);
                x = better.unwrap_or(end);
                x.iter().zip(h).all(|(x, h)| (x - (1.0 - l1) / h).abs() < 1e-10)
            })
            .unwrap_or(0)
    }

    #[test]
    fn what_steps_have_shown_saves_half_of_them() {
        for l1 in [0.0, 0.3] {
            assert!(rounds(l1, true) <= 13, "{}", rounds(l1, true));
            assert!(rounds(l1, false) > 20, "{}", rounds(l1, false));
        }
    }

    #[test]
    fn what_a_step_leaves_at_zero_stays_there() {
        let mut secants = Secants::default();
        secants.note(vec![1.0, 0.2], vec![0.5, -0.9]);
        secants.note(vec![1.4, 0.1], vec![0.3, -0.8]);
        let there = secants.correct(vec![1.52, 0.0], |_| 0.2).unwrap();
        assert_eq!(there[1], 0.0);
        // A curvature of 0.5: the slope is that of the penalty there.
        assert!((there[0] - 1.6).abs() < 1e-12, "{}", there[0]);
    }
}
