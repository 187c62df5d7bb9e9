//! A model for draws of many rows: the Gram matrix of the unit weights stands in for that of the draw.
//!
//! With many more rows than coefficients the two differ by a small factor, 1 ± 2√(p/n), so each pass
//! over the data gains a fixed number of digits, and no draw needs a Gram matrix of its own. Passes at
//! points with the same signs are combined exactly — gradients are affine in β — which makes this the
//! conjugate-gradient method with the reference as its preconditioner.

use super::free::Reduced;
use super::gram::Centred;
use super::newton::Newton;
use super::quadratic::{Origin, Quadratic};
use super::sweeps::approach;
use super::task::{Found, Task};
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::cholesky::Cholesky;
use crate::penalty::Penalty;
use ndarray::Array2;
use std::collections::VecDeque;

/// Part of the first change at which the sweeps of a reference step end.
const ROUGH: f64 = 0.1;
/// Points that a combination may use.
const MEMORY: usize = 8;

/// The Gram matrix of unit weights, for all draws.
pub struct Reference {
    pub moments: Centred,
    /// The model without what the penalty factors leave free; None: nothing is.
    reduced: Option<Reduced>,
}

impl Reference {
    /// `penalty` is that of any lambda.
    pub fn new(moments: Centred, penalty: &Penalty) -> Reference {
        let reduced = Reduced::new(&moments.model(penalty));
        Reference { moments, reduced }
    }

    /// Replace β by (nearly) the minimum of the model around it.
    pub fn step(
        &self,
        task: &mut Task,
        newton: &mut Newton,
        control: &Control,
    ) -> Result<(), Error> {
        // The model's problem, divided by the draw's total weight over the reference's.
        let weight = self.moments.w;
        let ratio = weight / task.totals.as_ref().map_or(weight, |t| t.w);
        let penalty = task.penalty.scaled(ratio);
        let mut correlation: Vec<f64> = task.found.gradient.iter().map(|g| g * ratio).collect();
        for (c, (d, b)) in correlation.iter_mut().zip(penalty.ridge.iter().zip(&task.beta)) {
            *c -= d * b;
        }
        let model = self.moments.model(&penalty);
        let fresh;
        let reduced = match &self.reduced {
            Some(reduced) if reduced.fits(&model) => Some(reduced),
            None if !penalty.l1.contains(&0.0) => None,
            // The second step of a refit, or a lambda of zero.
            _ => {
                fresh = Reduced::new(&model);
                fresh.as_ref()
            }
        };
        let Some(reduced) = reduced else {
            return nearly(&model, &mut task.beta, correlation, newton, control);
        };
        let penalty = reduced.penalty(&penalty);
        let inner = Quadratic { gram: reduced.gram(), penalty: &penalty };
        let mut rest = reduced.restrict(&task.beta);
        nearly(&inner, &mut rest, reduced.correlations(&correlation), newton, control)?;
        reduced.expand(&rest, &correlation, &mut task.beta);
        Ok(())
    }
}

/// (Nearly) the minimum of a model, whose correlations at β are given.
fn nearly(
    model: &Quadratic,
    beta: &mut [f64],
    mut correlation: Vec<f64>,
    newton: &mut Newton,
    control: &Control,
) -> Result<(), Error> {
    let from = (beta.to_vec(), correlation.clone());
    if !approach(model, beta, &mut correlation, ROUGH) {
        // Collinear columns.
        let origin = Origin { beta: &from.0, correlation: &from.1 };
        newton.minimise(model, &origin, beta, control)?;
    }
    Ok(())
}

/// Points visited with their gradients.
#[derive(Default)]
pub struct History {
    points: VecDeque<(Vec<f64>, Found)>,
}

impl History {
    /// Move to the best point among the combinations of those visited with the signs of the current
    /// one, and remember the current one. Needs no pass: residuals and gradients combine as β does.
    pub fn combine(&mut self, task: &mut Task) {
        // The sign of a coefficient without a kink does not matter.
        let alike = |other: &[f64]| {
            other.iter().zip(&task.beta).zip(&task.penalty.l1).all(|((a, b), l1)| {
                let sign = |v: f64| v.signum() * f64::from(v != 0.0);
                *l1 == 0.0 || sign(*a) == sign(*b)
            })
        };
        self.points.retain(|(beta, _)| alike(beta));
        let current = (task.beta.clone(), task.found.clone());
        if !self.points.is_empty() {
            self.move_to_best(task);
        }
        self.points.push_back(current);
        if self.points.len() > MEMORY {
            self.points.pop_front();
        }
    }

    fn move_to_best(&self, task: &mut Task) {
        let support: Vec<usize> = (0..task.beta.len()).filter(|&j| task.beta[j] != 0.0).collect();
        let m = self.points.len();
        let penalty = &task.penalty;
        // Directions d = βₛ − β on the support, and (H + D)d = gₛ-differences.
        let shape = (m, support.len());
        let directions = Array2::from_shape_fn(shape, |(s, i)| {
            self.points[s].0[support[i]] - task.beta[support[i]]
        });
        let images = Array2::from_shape_fn(shape, |(s, i)| {
            let j = support[i];
            let change = task.found.gradient[j] - self.points[s].1.gradient[j];
            change + penalty.ridge[j] * directions[[s, i]]
        });
        let mut combination: Vec<f64> = directions
            .outer_iter()
            .map(|d| {
                support.iter().zip(d).fold(0.0, |slope, (&j, d)| {
                    let down = task.found.gradient[j]
                        - penalty.ridge[j] * task.beta[j]
                        - penalty.l1[j] * task.beta[j].signum();
                    slope + down * d
                })
            })
            .collect();
        let mut cholesky = Cholesky::default();
        cholesky.factor(m, |s, out| {
            for (o, t) in out.iter_mut().zip(s..m) {
                *o = images.row(s).iter().zip(directions.row(t)).map(|(a, b)| a * b).sum();
            }
            0.0
        });
        cholesky.solve(&mut combination);
        let at = |i: usize, j: usize| {
            (0..m).fold(task.beta[j], |b, s| b + combination[s] * directions[[s, i]])
        };
        // The quadratic model holds only while signs do.
        let turned =
            |(i, &j): (usize, &usize)| penalty.l1[j] > 0.0 && at(i, j) * task.beta[j] <= 0.0;
        if support.iter().enumerate().any(turned) {
            return;
        }
        let moved: Vec<f64> = support.iter().enumerate().map(|(i, &j)| at(i, j)).collect();
        let mut found = task.found.clone();
        // r'Wr after a move d with image Hd: rr − 2 g'd + d'Hd.
        for (i, &j) in support.iter().enumerate() {
            let d = moved[i] - task.beta[j];
            let image: f64 = (0..m)
                .map(|s| combination[s] * (task.found.gradient[j] - self.points[s].1.gradient[j]))
                .sum();
            found.rr += d * (image - 2.0 * task.found.gradient[j]);
        }
        for (s, (_, other)) in self.points.iter().enumerate() {
            let c = combination[s];
            found.b0 += c * (other.b0 - task.found.b0);
            for (g, (a, b)) in
                found.gradient.iter_mut().zip(other.gradient.iter().zip(&task.found.gradient))
            {
                *g += c * (a - b);
            }
        }
        support.iter().zip(moved).for_each(|(&j, b)| task.beta[j] = b);
        task.found = found;
    }
}
