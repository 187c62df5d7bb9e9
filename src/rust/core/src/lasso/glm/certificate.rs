//! How far a draw is from its minimum, proved by duality, or whether there is one at all.
//!
//! At a place b with means μ and curvature h, let H̃ = X'W h̃ X be a model of the draw's own weights, made
//! where no Xb is further than R away, d the step to its minimum, m what it gains and δ = Xd. The point
//! μ + h̃δ of the dual (MATH 8) has the slopes of the model's minimum, so that it meets the constraints of
//! all coordinates of the model. Its distance from the primal is
//!
//! ```text
//! m − ½ d'H̃d + Σ w KL(μ + h̃δ, μ) ≤ m − ½ d'H̃d + Σ w (h̃δ)² / h ≤ 2 e^R m
//! ```
//!
//! as no h̃ / h is above e^R (Poisson, binomial; of several classes and of rows at risk, whose third cumulant
//! is at most the range of η times the variance, with R a bound of the range) and d'H̃d ≤ 2m. It lies in the
//! domain if e^R |δ| ≤ 1, and then b + d is not above b. A coordinate j outside of the model meets its
//! constraint if its slope does and what the step adds, at most √(H̃ⱼⱼ 2m), leaves it so.
//!
//! The step has to be the exact one: sweeps that hardly move may be far from the minimum of a model whose
//! columns are alike.
//!
//! Without a Gram matrix the means are mixed with the observed: y − c (y − μ) has c times the slopes, and
//! meets the constraints of all coordinates for some c. What it adds to the gap is convex in c, nothing at 1 and
//! the loss at 0: (1 − c) times the loss at most. Residuals that do not quite sum to nothing, as the
//! intercept wants, are shrunk further on one side, which moves slope j by |Σwr| max |xⱼ| at most. Of several classes a
//! part τ of the means is replaced by shares π + δ that all rows have in common, with π those of the classes: their residuals
//! sum to −δ Σw, which makes up for Σwr where τ is |Σwr| / (π Σw) at least. It adds τ times what all rows can lose, at most, and τ
//! Σ w |xⱼ| to a slope, or twice that. π Σw is the weight of the rows of a class, and not to be taken for the least that it can be, by the
//! steepest slope: of many rows the rounding of Σwr alone would then be a gap of 1e-7.
//!
//! The reference is of other weights, and nothing is proved of it: there the steps say how far they are
//! off. If one leaves the part θ of the error, m counts 1/(1 − θ)² times; θ is never taken for less than
//! the theory of random weights has it for as many columns as the draw has, whatever the corrections of `secant` gain
//! beside it. Where that is half of the error and more, only a model of the draw's own proves anything.

use super::attempt::{Own, Reference, Setting};
use super::model::{Model, Step};
use super::task::{Data, Place, Task};
use crate::linalg::dense::dot;
use crate::penalty::Penalty;

/// The least objective that gaps are measured against, as a part of that of a fit without columns.
const FLOOR: f64 = 1e-10;

/// What gaps are measured against.
pub fn size(set: Setting, task: &Task) -> f64 {
    let objective = task.found.loss + task.penalties();
    objective.max(FLOOR * set.unit * task.found.weight)
}

/// A bound of the gap at the task's place, infinite if nothing is proved, by a step of its own model.
pub fn by_own(set: Setting, own: &Own, task: &Task, step: &Step) -> f64 {
    let data = set.data;
    if set.rough {
        let lacking = lacks(&own.model, task, |_| 0.0);
        return if lacking { f64::INFINITY } else { step.doubled() };
    }
    let bound = |distance: &dyn Fn(&Place, &Place) -> f64| {
        let far = distance(&own.made_at, &task.place);
        let inside = far.exp() * distance(&task.place, &step.to) <= 1.0;
        let reach = (step.doubled() * far.exp() * task.found.curvature).sqrt();
        if !inside || lacks(&own.model, task, |j| reach * data.largest()[j % data.cols()]) {
            return f64::INFINITY;
        }
        far.exp() * step.doubled()
    };
    let (near, tolerance) = (step.doubled(), set.limits.tolerance * size(set, task));
    let known = bound(&|a, b| most(data, a, b));
    // All columns together could move a row far further than they do.
    if near <= tolerance && known > tolerance { bound(&|a, b| distance(data, a, b)) } else { known }
}

/// The same by a step of the reference, where the last step left this part of what it was to gain.
pub fn by_reference(
    set: Setting,
    reference: &Reference,
    task: &Task,
    step: &Step,
    ratio: f64,
) -> f64 {
    if lacks(&reference.model, task, |_| 0.0) {
        return f64::INFINITY;
    }
    if set.rough {
        return step.doubled();
    }
    let left = 1.0 - ratio.sqrt().max(reference.leaves(task));
    let says = left > 0.05 && reference.says_enough(task);
    if says { 2.0 * (step.decrease / (left * left) + step.missed) } else { f64::INFINITY }
}

/// A bound of the gap at the task's place by its slopes alone: no coordinate without an ℓ1 term.
/// Of several classes it may be less than the bound where that is above the tolerance anyway.
pub fn by_slopes(set: Setting, task: &mut Task) -> f64 {
    let data = set.data;
    let bound = by_slopes_and(data, task, &Reach::default());
    if data.predictors() == 1 || bound > set.limits.tolerance * size(set, task) {
        return bound;
    }
    let reach = Reach::new(data, task);
    by_slopes_and(data, task, &reach)
}

/// What rows of several classes can change together: their loss, whatever their classes, and Σ w |x| of each column, at most;
/// and the weight of the rows of each class.
#[derive(Default)]
struct Reach {
    loss: f64,
    columns: Vec<f64>,
    counted: Vec<f64>,
}

fn by_slopes_and(data: &Data, task: &Task, rows: &Reach) -> f64 {
    let Penalty { l1, ridge } = &task.penalty;
    let (beta, slopes) = (&task.place.beta, &task.found.gradient);
    let cols = data.cols().max(1);
    let bounded = |j: &usize| l1[*j].is_finite();
    let largest = |j: usize| data.largest()[j % cols];
    // Residuals of one sign sum to half of all at least, and no slope is steeper than all together.
    let uneven = |(k, over): (usize, &f64)| {
        let steepest = (k * cols..(k + 1) * cols)
            .filter(|j| bounded(j) && largest(*j) > 0.0)
            .fold(0.0f64, |m, j| m.max(slopes[j].abs() / largest(j)));
        let above = 0.5 * (steepest - over.abs()).max(0.0);
        let counted = rows.counted.get(k).copied().unwrap_or(0.0);
        if *over == 0.0 { 0.0 } else { over.abs() / above.max(counted) }
    };
    let sums = &task.found.slopes[..data.intercepts()];
    let uneven = sums.iter().enumerate().map(uneven).fold(0.0, f64::max);
    let (single, sum) = (data.predictors() == 1, sums.first().map_or(0.0, |s| s.abs()));
    let lost = uneven * if single { task.found.loss } else { rows.loss };
    let over = |j: usize| {
        if single {
            sum * largest(j)
        } else {
            2.0 * uneven * rows.columns.get(j % cols).copied().unwrap_or(0.0)
        }
    };
    let reach = |j: usize| slopes[j].abs() + over(j);
    // A slope that nothing but a ridge bounds is no constraint.
    let mixed = (0..beta.len())
        .filter(|j| bounded(j) && reach(*j) > 0.0 && l1[*j] > 0.0)
        .fold(1.0f64, |c, j| c.min((l1[j] + ridge[j] * beta[j].abs()) / reach(j)));
    let of_column = |j: usize| {
        let (size, above) = (beta[j].abs(), (mixed * reach(j) - l1[j]).max(0.0));
        let conjugate = if ridge[j] > 0.0 { 0.5 * above * above / ridge[j] } else { 0.0 };
        let linear = l1[j] * size - mixed * (slopes[j] * beta[j] - over(j) * size);
        linear + 0.5 * ridge[j] * size * size + conjugate
    };
    let of_columns: f64 = (0..beta.len()).filter(bounded).map(of_column).sum();
    let gap = (1.0 - mixed) * task.found.loss + lost + of_columns;
    if uneven < 1.0 { gap.max(0.0) } else { f64::INFINITY }
}

impl Reach {
    fn new(data: &Data, task: &mut Task) -> Reach {
        let (design, classes) = (&data.base.design, data.predictors());
        let (mut weights, mut eta) = (vec![0.0; data.rows()], vec![0.0; classes * design.block]);
        task.weights.fill(0, &mut weights);
        let weight = task.found.weight;
        let mut loss = libm::log(classes as f64) * weight;
        let mut counted = task.found.slopes.clone();
        for rows in design.blocks() {
            let count = rows.len();
            for (k, eta) in eta.chunks_exact_mut(count).take(classes).enumerate() {
                data.predict(k, &rows, &task.place, eta);
            }
            for (i, w) in weights[rows.clone()].iter().enumerate() {
                let of_row = (0..classes).map(|k| eta[k * count + i]);
                let least = of_row.clone().fold(f64::INFINITY, f64::min);
                loss += w * (of_row.fold(f64::NEG_INFINITY, f64::max) - least);
            }
            // What they are expected to be and what is left of them.
            let eta = &mut eta[..classes * count];
            if data.likelihood.shares(eta, count) {
                let shares =
                    eta.chunks_exact(count).map(|share| dot(&weights[rows.clone()], share));
                counted.iter_mut().zip(shares).for_each(|(sum, expected)| *sum += expected);
            }
        }
        let of_column = |j: usize| match (design.sparse(), design.sparse_column(j)) {
            (Some(x), Some((places, values))) => {
                let sizes = places.iter().zip(values).map(|(i, x)| weights[*i as usize] * x.abs());
                sizes.sum::<f64>() + x.shift[j].abs() * weight
            }
            _ => data.largest()[j] * weight,
        };
        Reach { loss, columns: (0..data.cols()).map(of_column).collect(), counted }
    }
}

/// How far η of any row is at two places; with several predictors, or rows that are compared, the range.
fn distance(data: &Data, a: &Place, b: &Place) -> f64 {
    let (design, classes) = (&data.base.design, data.predictors());
    let by: Vec<f64> = b.beta.iter().zip(&a.beta).map(|(b, a)| b - a).collect();
    let mut moved = vec![0.0; classes * design.block];
    let mut most = 0.0f64;
    for rows in design.blocks() {
        let count = rows.len();
        for k in 0..classes {
            let line = &mut moved[k * count..][..count];
            line.fill(b.intercept.get(k).map_or(0.0, |b| b - a.intercept[k]));
            design.add_product(&rows, &by[k * data.cols()..][..data.cols()], line);
        }
        for i in 0..count {
            let of_row = || (0..classes).map(|k| moved[k * count + i]);
            let high = of_row().fold(f64::NEG_INFINITY, f64::max);
            let low = of_row().fold(f64::INFINITY, f64::min);
            most = most.max(if classes > 1 { high - low } else { high.abs() });
        }
    }
    if data.likelihood.coupled() { 2.0 * most } else { most }
}

/// The same at most, by the largest entries of the columns.
fn most(data: &Data, a: &Place, b: &Place) -> f64 {
    let cols = data.cols();
    // What all classes have in common changes nothing.
    let range = |a: &[f64], b: &[f64], j: usize, stride: usize| {
        let moved = || (j..a.len()).step_by(stride).map(|i| a[i] - b[i]);
        let (low, high) = moved()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), d| (low.min(d), high.max(d)));
        if data.predictors() > 1 { high - low } else { high.abs() }
    };
    let base = if data.intercept { range(&a.intercept, &b.intercept, 0, 1) } else { 0.0 };
    let moved =
        data.largest().iter().enumerate().map(|(j, x)| x * range(&a.beta, &b.beta, j, cols));
    let most = base + moved.sum::<f64>();
    if data.likelihood.coupled() { 2.0 * most } else { most }
}

/// Is a coordinate outside of the model violated, or could it be where its slope changes by `reach`?
pub fn lacks(model: &Model, task: &Task, reach: impl Fn(usize) -> f64) -> bool {
    if model.coordinates.len() == task.place.beta.len() {
        return false;
    }
    let mut inside = model.coordinates.iter().peekable();
    (0..task.place.beta.len()).any(|j| {
        if inside.next_if(|c| **c as usize == j).is_some() {
            return false;
        }
        let l1 = task.penalty.l1[j];
        let outside = l1.is_finite() && task.slope(j).abs() + reach(j) > l1;
        outside || task.place.beta[j] != 0.0
    })
}

/// Is nothing penalised?
pub fn all_free(task: &Task) -> bool {
    let penalty = &task.penalty;
    penalty
        .l1
        .iter()
        .zip(&penalty.ridge)
        .all(|(l1, d)| *d == 0.0 && (*l1 == 0.0 || l1.is_infinite()))
}

/// A way of the coefficients that nothing penalises, the others left out.
pub fn bare(task: &Task, mut along: Place) -> Place {
    let penalty = &task.penalty;
    for (b, (l1, d)) in along.beta.iter_mut().zip(penalty.l1.iter().zip(&penalty.ridge)) {
        *b = if *l1 == 0.0 && *d == 0.0 { *b } else { 0.0 };
    }
    along
}

/// How far any of these coefficients takes a row.
pub fn reach(data: &Data, along: &Place) -> f64 {
    let of_column = data.largest().iter().cycle().zip(&along.beta).map(|(x, b)| x * b.abs());
    along.intercept.iter().map(|b| b.abs()).chain(of_column).fold(0.0, f64::max)
}

/// Does more and more of this way fit better for ever, but for rows that it takes to the wrong side by `slack` at most?
pub fn separates(data: &Data, task: &mut Task, along: &Place, slack: f64) -> bool {
    let mut moves = false;
    let (n, classes, block) = (data.rows(), data.predictors(), data.base.design.block);
    // Rows that depend on each other are looked at together, as they have one predictor.
    let coupled = data.likelihood.coupled();
    let length = if coupled { n } else { block };
    let (mut w, mut eta) = (vec![0.0; length], vec![0.0; classes * length]);
    let right = data.base.design.blocks().all(|rows| {
        let count = rows.len();
        let (w, eta) = if coupled {
            (&mut w[rows.clone()], &mut eta[rows.clone()])
        } else {
            (&mut w[..count], &mut eta[..classes * count])
        };
        task.weights.fill(rows.start, w);
        for (k, eta) in eta.chunks_exact_mut(count).enumerate() {
            data.predict(k, &rows, along, eta);
            if let Some(offset) = data.offset.get(k * n..(k + 1) * n) {
                eta.iter_mut().zip(&offset[rows.clone()]).for_each(|(e, o)| *e -= o);
            }
        }
        // Of several classes what they have in common moves nothing.
        let base = |i: usize| if classes > 1 { eta[i] } else { 0.0 };
        let moved =
            |(k, e): (usize, &f64)| w[k % count] > 0.0 && (e - base(k % count)).abs() > slack;
        moves |= eta.iter().enumerate().any(moved);
        coupled || data.likelihood.separates(&rows, w, eta, slack)
    });
    right && moves && (!coupled || data.likelihood.separates(&(0..n), &w, &eta, slack))
}
