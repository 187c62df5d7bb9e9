//! What is made of the draws' answers: everything that must not leave with all of them.
//!
//! Sums over draws and over rows run in the order of the draws and the rows, so that nothing depends
//! on threads or on how the rows were put into blocks.

use crate::engine::job::{Control, for_parts};
use crate::error::Error;
use crate::random::mixture::{Level, Mixture};
use ndarray::{Array2, Array3, ArrayView1, ArrayView3, Axis, ShapeBuilder, s};
use std::ops::Range;

/// The answers of all draws at some rows, by draw, output and row.
pub struct Block<'a> {
    pub values: ArrayView3<'a, f64>,
    pub rows: Range<usize>,
}

impl Block<'_> {
    fn draws(&self) -> f64 {
        self.values.len_of(Axis(0)) as f64
    }

    /// The mean of the draws' `f(answer)`, by row and output.
    fn mean(&self, f: impl Fn(f64) -> f64) -> Array2<f64> {
        let (_, outputs, rows) = self.values.dim();
        let mut sum = Array2::zeros((outputs, rows));
        for of_draw in self.values.outer_iter() {
            sum.zip_mut_with(&of_draw, |sum, answer| *sum += f(*answer));
        }
        (sum / self.draws()).reversed_axes()
    }
}

pub trait Reduction {
    /// Blocks come in the order of their rows.
    fn take(&mut self, block: &Block, control: &Control) -> Result<(), Error>;
}

/// Nothing is reduced: all answers, by draw, row and output.
pub struct All(pub Array3<f64>);

impl All {
    pub fn new([draws, rows, outputs]: [usize; 3]) -> All {
        All(Array3::zeros((draws, rows, outputs).f()))
    }
}

impl Reduction for All {
    fn take(&mut self, block: &Block, control: &Control) -> Result<(), Error> {
        for (row, at) in block.rows.clone().enumerate() {
            control.check()?;
            self.0.slice_mut(s![.., at, ..]).assign(&block.values.slice(s![.., .., row]));
        }
        Ok(())
    }
}

/// The posterior mean, by row and output.
pub struct Mean(pub Array2<f64>);

impl Mean {
    pub fn new([_, rows, outputs]: [usize; 3]) -> Mean {
        Mean(Array2::zeros((rows, outputs).f()))
    }
}

impl Reduction for Mean {
    fn take(&mut self, block: &Block, _: &Control) -> Result<(), Error> {
        self.0.slice_mut(s![block.rows.clone(), ..]).assign(&block.mean(|v| v));
        Ok(())
    }
}

/// What an interval is one of.
pub enum Interval {
    /// The draws' answers.
    Credible,
    /// A new response, normal around the answer of each draw with its standard deviation.
    Predictive(Vec<f64>),
}

/// The mean and quantiles, by row, output and probability.
pub struct Limits {
    pub mean: Mean,
    pub limits: Array3<f64>,
    interval: Interval,
    levels: Vec<Level>,
}

impl Limits {
    pub fn new(shape: [usize; 3], interval: Interval, probs: &[f64]) -> Limits {
        let limits = Array3::zeros((shape[1], shape[2], probs.len()).f());
        let levels = probs.iter().map(|p| Level::new(*p)).collect();
        Limits { mean: Mean::new(shape), limits, interval, levels }
    }

    fn of_cell(&self, answers: ArrayView1<f64>) -> Vec<f64> {
        let mut answers = answers.to_vec();
        match &self.interval {
            Interval::Credible => {
                self.levels.iter().map(|level| quantile(&mut answers, level.p)).collect()
            }
            Interval::Predictive(sigma) => {
                let mixture = Mixture { centre: &answers, sigma };
                mixture.quantiles(&self.levels)
            }
        }
    }
}

impl Reduction for Limits {
    fn take(&mut self, block: &Block, control: &Control) -> Result<(), Error> {
        self.mean.take(block, control)?;
        let (_, outputs, rows) = block.values.dim();
        let cells: Vec<(usize, usize)> =
            (0..outputs).flat_map(|o| (0..rows).map(move |row| (o, row))).collect();
        let mut found = vec![Vec::new(); cells.len()];
        for_parts(found.iter_mut().zip(&cells), control, |_, (found, &(output, row))| {
            *found = self.of_cell(block.values.slice(s![.., output, row]));
            Ok(())
        })?;
        for (&(output, row), found) in cells.iter().zip(&found) {
            let mut place = self.limits.slice_mut(s![block.rows.start + row, output, ..]);
            place.iter_mut().zip(found).for_each(|(place, limit)| *place = *limit);
        }
        Ok(())
    }
}

/// As R's default (type 7); the numbers are put into another order.
fn quantile(numbers: &mut [f64], p: f64) -> f64 {
    let at = (numbers.len() - 1) as f64 * p;
    let below = at.floor();
    let (_, lower, above) = numbers.select_nth_unstable_by(below as usize, f64::total_cmp);
    let lower = *lower;
    let upper = above.iter().copied().min_by(f64::total_cmp).unwrap_or(lower);
    lower + (at - below) * (upper - lower)
}

/// How uncertain the draws are of each row, and how far they differ.
pub struct Spread {
    /// Classes: the mean of the draws' entropies. Numbers: 0, for the noise is known beside the answers.
    pub data: Vec<f64>,
    /// Classes: the mutual information of class and draw. Numbers: the variance of the draws.
    pub model: Vec<f64>,
    classes: bool,
}

impl Spread {
    pub fn new([_, rows, _]: [usize; 3], classes: bool) -> Spread {
        Spread { data: Vec::with_capacity(rows), model: Vec::with_capacity(rows), classes }
    }
}

/// −p log p, 0 for p = 0.
fn entropy(p: f64) -> f64 {
    if p > 0.0 { -p * libm::log(p) } else { 0.0 }
}

impl Reduction for Spread {
    fn take(&mut self, block: &Block, control: &Control) -> Result<(), Error> {
        let mean = block.mean(|v| v);
        control.check()?;
        if self.classes {
            let own = block.mean(entropy);
            for (mean, own) in mean.outer_iter().zip(own.outer_iter()) {
                let (whole, own) = (mean.iter().map(|p| entropy(*p)).sum::<f64>(), own.sum());
                self.data.push(own);
                // Negative only by rounding.
                self.model.push((whole - own).max(0.0));
            }
        } else {
            for (row, mean) in mean.iter().enumerate() {
                let answers = block.values.slice(s![.., 0, row]);
                let square = answers.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
                self.data.push(0.0);
                self.model.push(square / block.draws());
            }
        }
        Ok(())
    }
}

/// What was observed at the rows.
pub enum Observed {
    /// Classes, from 0.
    Classes(Vec<u32>),
    /// Numbers, and the standard deviation of each draw.
    Numbers { y: Vec<f64>, sigma: Vec<f64> },
}

/// A probability below this counts as this much: one wrong certainty must not be an infinite loss.
const LEAST: f64 = f64::EPSILON;

/// How good the draws are, and how good their mean is: sums over the rows.
pub struct Scores {
    /// Of each draw: rows whose likeliest class was observed.
    pub right: Vec<f64>,
    /// −log likelihoods.
    pub loss: Vec<f64>,
    /// Squared errors.
    pub square: Vec<f64>,
    /// Of the mean of the draws' probabilities.
    pub mean_right: f64,
    /// Of the mixture of the draws.
    pub mean_loss: f64,
    observed: Observed,
}

impl Scores {
    pub fn new([draws, ..]: [usize; 3], observed: Observed) -> Scores {
        let zero = || vec![0.0; draws];
        let (right, loss, square) = (zero(), zero(), zero());
        Scores { right, loss, square, mean_right: 0.0, mean_loss: 0.0, observed }
    }
}

/// Is this the largest, the first among equals?
fn is_likeliest(probabilities: ArrayView1<f64>, class: usize) -> bool {
    let own = probabilities[class];
    probabilities.iter().enumerate().all(|(c, p)| if c < class { *p < own } else { *p <= own })
}

impl Reduction for Scores {
    fn take(&mut self, block: &Block, control: &Control) -> Result<(), Error> {
        let draws = block.values.len_of(Axis(0));
        let mean = block.mean(|v| v);
        for (row, at) in block.rows.clone().enumerate() {
            control.check()?;
            match &self.observed {
                Observed::Classes(ids) => {
                    let id = ids[at] as usize;
                    let mut sum = 0.0;
                    for k in 0..draws {
                        let answers = block.values.slice(s![k, .., row]);
                        let likely = answers[id].max(LEAST);
                        self.right[k] += f64::from(u8::from(is_likeliest(answers, id)));
                        self.loss[k] -= libm::log(likely);
                        sum += likely;
                    }
                    self.mean_right += f64::from(u8::from(is_likeliest(mean.row(row), id)));
                    self.mean_loss -= libm::log(sum / draws as f64);
                }
                Observed::Numbers { y, sigma } => {
                    let answers = block.values.slice(s![.., 0, row]).to_vec();
                    let mixture = Mixture { centre: &answers, sigma };
                    for (k, answer) in answers.iter().enumerate() {
                        self.loss[k] -= mixture.log_density_of(k, y[at]);
                        self.square[k] += (answer - y[at]) * (answer - y[at]);
                    }
                    self.mean_loss -= mixture.log_density(y[at]);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three draws of two classes at two rows.
    const ANSWERS: [[[f64; 2]; 2]; 3] =
        [[[0.9, 0.2], [0.1, 0.8]], [[0.5, 0.5], [0.5, 0.5]], [[0.4, 0.0], [0.6, 1.0]]];

    fn take(reduction: &mut dyn Reduction) {
        let values = ndarray::arr3(&ANSWERS);
        // One row at a time: blocks must not matter.
        for row in 0..2 {
            let values = values.slice(s![.., .., row..row + 1]);
            reduction.take(&Block { values, rows: row..row + 1 }, &Control::default()).unwrap();
        }
    }

    const SHAPE: [usize; 3] = [3, 2, 2];

    #[test]
    fn all_answers_and_their_means() {
        let mut all = All::new(SHAPE);
        take(&mut all);
        assert_eq!(all.0[[2, 0, 1]], 0.6);
        let mut mean = Mean::new(SHAPE);
        take(&mut mean);
        assert!((mean.0[[0, 0]] - 0.6).abs() < 1e-15 && (mean.0[[1, 1]] - 2.3 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn limits_are_quantiles_as_in_r() {
        let mut limits = Limits::new(SHAPE, Interval::Credible, &[0.25, 1.0]);
        take(&mut limits);
        assert!((limits.limits[[0, 0, 0]] - 0.45).abs() < 1e-15);
        assert_eq!(limits.limits[[1, 0, 1]], 0.5);
        // Half of the components' mass is below the middle of symmetric ones.
        let sigma = vec![1.0, 2.0, 1.0];
        let mut limits = Limits::new([3, 2, 1], Interval::Predictive(sigma), &[0.5]);
        let values = ndarray::arr3(&[[[-1.0]], [[0.0]], [[1.0]]]);
        let block = Block { values: values.view(), rows: 0..1 };
        limits.take(&block, &Control::default()).unwrap();
        assert!(limits.limits[[0, 0, 0]].abs() < 1e-10);
    }

    #[test]
    fn uncertainty_is_the_data_s_and_the_model_s() {
        let mut spread = Spread::new(SHAPE, true);
        take(&mut spread);
        let h = |p: f64| -p * p.ln() - (1.0 - p) * (1.0 - p).ln();
        let own = (h(0.9) + h(0.5) + h(0.4)) / 3.0;
        assert!((spread.data[0] - own).abs() < 1e-14);
        assert!((spread.model[0] - (h(0.6) - own)).abs() < 1e-14);
        // A draw that is certain has no entropy.
        assert!((spread.data[1] - (h(0.2) + h(0.5)) / 3.0).abs() < 1e-14);
        let mut spread = Spread::new([3, 1, 1], false);
        let values = ndarray::arr3(&[[[1.0]], [[2.0]], [[6.0]]]);
        let block = Block { values: values.view(), rows: 0..1 };
        spread.take(&block, &Control::default()).unwrap();
        assert!((spread.model[0] - 14.0 / 3.0).abs() < 1e-14);
    }

    #[test]
    fn scores_are_those_of_each_draw_and_of_the_mean() {
        let mut scores = Scores::new(SHAPE, Observed::Classes(vec![0, 0]));
        take(&mut scores);
        // Among equals the first is taken.
        assert_eq!(scores.right, [1.0, 2.0, 0.0]);
        assert!((scores.loss[0] + (0.9f64 * 0.2).ln()).abs() < 1e-14);
        assert!((scores.loss[2] + (0.4 * LEAST).ln()).abs() < 1e-13);
        assert_eq!(scores.mean_right, 1.0);
        assert!((scores.mean_loss + (0.6f64 * (0.7 + LEAST) / 3.0).ln()).abs() < 1e-14);
        let observed = Observed::Numbers { y: vec![1.0], sigma: vec![1.0, 2.0] };
        let mut scores = Scores::new([2, 1, 1], observed);
        let values = ndarray::arr3(&[[[1.0]], [[4.0]]]);
        let block = Block { values: values.view(), rows: 0..1 };
        scores.take(&block, &Control::default()).unwrap();
        assert_eq!(scores.square, [0.0, 9.0]);
        let height = 0.5 * std::f64::consts::TAU.ln();
        assert!((scores.loss[0] - height).abs() < 1e-14);
        assert!((scores.loss[1] - (height + 2f64.ln() + 9.0 / 8.0)).abs() < 1e-14);
        let mean = ((-scores.loss[0]).exp() + (-scores.loss[1]).exp()) / 2.0;
        assert!((scores.mean_loss + mean.ln()).abs() < 1e-14);
    }
}
