//! One draw: a start, epochs of steps, and a last look at where they led.

use super::data::Inputs;
use super::network::{Layer, Shape, Workspace};
use super::optimizer::{Method, Optimizer};
use super::target::{Judge, Losses, Target};
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::elementary::{normal, unit};
use crate::random::streams::random_stream;
use rand::RngCore;

/// How a network is trained.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub lambda: f64,
    pub epochs: usize,
    /// Rows of a step.
    pub batch: usize,
    /// Step k is rate · exp(−decay k).
    pub rate: f64,
    pub decay: f64,
    pub method: Method,
    /// A new order of the rows for each epoch; otherwise they come as they are.
    pub shuffle: bool,
    /// A start of its own for each draw; otherwise all begin in the same place.
    pub fresh: bool,
    /// Stop when the objective changes by less than this (relative) in `QUIET` epochs in a row.
    pub tolerance: f64,
}

const QUIET: usize = 3;

/// A loss this many times that of the first batch, and of a network that always answers 0, is no
/// minimum however finite it is.
const BLOWN_UP: f64 = 2.0;

/// Multiplications in a block of rows: a stop is looked for after each.
const WORK: usize = 1 << 28;
const ROWS: usize = 256;

/// Rows that are worked on together.
pub fn block_rows(shape: &Shape) -> usize {
    (WORK / shape.parameters().max(1)).clamp(1, ROWS)
}

/// The data of a draw.
#[derive(Clone, Copy)]
pub struct Sample<'a> {
    pub x: &'a Inputs,
    pub target: &'a Target,
    /// Row weights with mean 1.
    pub weights: &'a [f32],
    /// λ w₀ / Σ w.
    pub penalty: f64,
}

/// Where the steps led; losses and objective are per unit of weight, in the units of the target.
pub struct Trained {
    pub parameters: Vec<f32>,
    pub settled: bool,
    /// Objective of each epoch, summed while the parameters moved.
    pub curve: Vec<f64>,
    pub loss: f64,
    pub objective: f64,
    /// Norm of the objective's gradient.
    pub gradient: f64,
    pub right: usize,
}

/// The start of draw k, padded: normal weights, zero biases.
pub fn start(shape: &Shape, seed: u64, draw: u64) -> Vec<f32> {
    let mut rng = random_stream(seed, b"wbb network start, rev 1", draw);
    let mut compact = Vec::with_capacity(shape.parameters());
    for sizes in shape.sizes.windows(2) {
        let sd = (shape.activation.gain() / sizes[0] as f64).sqrt();
        let mut number = || unit(rng.next_u64().to_le_bytes());
        compact.extend((0..sizes[0] * sizes[1]).map(|_| (sd * normal(number(), number())) as f32));
        compact.extend(std::iter::repeat_n(0.0, sizes[1]));
    }
    shape.expand(&compact)
}

/// The order of the rows in an epoch, the same for all draws: only weights (and starts) set draws apart.
fn shuffle(seed: u64, epoch: usize, order: &mut [u32]) {
    order.iter_mut().enumerate().for_each(|(i, o)| *o = i as u32);
    let mut rng = random_stream(seed, b"wbb order of rows, rev 1", epoch as u64);
    for i in (1..order.len()).rev() {
        // Of 2⁶⁴ words some rows get one more than others: nothing that could be seen.
        let chosen = (rng.next_u64() as u128 * (i + 1) as u128) >> 64;
        order.swap(i, chosen as usize);
    }
}

/// A network in training.
pub struct Trainer<'a> {
    shape: &'a Shape,
    layers: Vec<Layer>,
    sample: Sample<'a>,
    /// Penalty of each layer's squared weights.
    penalties: Vec<f64>,
    workspace: Workspace,
    judge: Judge,
    gradient: Vec<f32>,
    block: usize,
}

impl<'a> Trainer<'a> {
    pub fn new(shape: &'a Shape, sample: Sample<'a>) -> Trainer<'a> {
        let (layers, block) = (shape.layers(), block_rows(shape));
        // In the units of the target the last layer's weights shrink with it, the others do not.
        let mut penalties = vec![sample.penalty / sample.target.loss_unit(); layers.len()];
        if let Some(last) = penalties.last_mut() {
            *last = sample.penalty;
        }
        Trainer {
            shape,
            sample,
            penalties,
            workspace: Workspace::new(shape, block),
            judge: Judge::new(block),
            gradient: vec![0.0; layers.last().map_or(0, |l| l.biases().end)],
            layers,
            block,
        }
    }

    /// Train; None if the numbers run away. `tick` is called after every epoch.
    pub fn train(
        mut self,
        recipe: &Recipe,
        seed: u64,
        draw: u64,
        control: &Control,
        mut tick: impl FnMut(),
    ) -> Result<Option<Trained>, Error> {
        let mut parameters = start(self.shape, seed, if recipe.fresh { draw } else { 0 });
        let mut optimizer = Optimizer::new(recipe.method, parameters.len());
        let shrink: Vec<f32> = self.penalties.iter().map(|p| 2.0 * *p as f32).collect();
        let mut order: Vec<u32> = (0..self.sample.x.rows as u32).collect();
        let mut curve: Vec<f64> = Vec::with_capacity(recipe.epochs);
        let (mut quiet, mut steps) = (0, 0u64);
        let mut bearable = BLOWN_UP * self.sample.target.silent_loss(self.sample.weights);
        for epoch in 0..recipe.epochs {
            if recipe.shuffle {
                shuffle(seed, epoch, &mut order);
                // The order within a batch does not matter, but memory likes it.
                order.chunks_mut(recipe.batch).for_each(|batch| batch.sort_unstable());
            }
            let mut loss = 0.0;
            for batch in order.chunks(recipe.batch) {
                let share = 1.0 / batch.len() as f32;
                let losses = self.accumulate(&parameters, batch, share, control)?;
                loss += losses.loss;
                if !losses.loss.is_finite() {
                    return Ok(None);
                }
                if steps == 0 {
                    bearable = bearable.max(BLOWN_UP * losses.loss / batch.len() as f64);
                }
                let rate = recipe.rate * libm::exp(-recipe.decay * steps as f64);
                let gradient = &mut self.gradient;
                optimizer.step(&self.layers, &shrink, rate, &mut parameters, gradient);
                steps += 1;
            }
            let objective = loss / order.len() as f64 + self.penalty(&parameters);
            let settled = curve
                .last()
                .is_some_and(|last| (objective - last).abs() <= recipe.tolerance * last.abs());
            quiet = if settled { quiet + 1 } else { 0 };
            curve.push(objective);
            tick();
            if recipe.tolerance > 0.0 && quiet == QUIET {
                break;
            }
        }
        let settled = recipe.tolerance > 0.0 && quiet == QUIET;
        let trained = self.finish(parameters, curve, settled, control)?;
        Ok(trained.filter(|t| t.loss <= bearable))
    }

    /// gradient += share × Σ weight × gradient of the loss over these rows.
    fn accumulate(
        &mut self,
        parameters: &[f32],
        rows: &[u32],
        share: f32,
        control: &Control,
    ) -> Result<Losses, Error> {
        let mut sum = Losses::default();
        for which in rows.chunks(self.block) {
            control.check()?;
            let x = self.sample.x.rows(which);
            self.workspace.forward(parameters, &x, which.len());
            let (outputs, errors) = self.workspace.outputs(which.len());
            let (target, weights) = (self.sample.target, self.sample.weights);
            let losses = self.judge.judge(target, which, weights, share, outputs, errors);
            self.workspace.backward(parameters, &x, which.len(), &mut self.gradient);
            sum.loss += losses.loss;
            sum.right += losses.right;
        }
        Ok(sum)
    }

    fn penalty(&self, parameters: &[f32]) -> f64 {
        let square = |layer: &Layer| -> f64 {
            parameters[layer.weights()].iter().map(|&w| (w as f64).powi(2)).sum()
        };
        self.layers.iter().zip(&self.penalties).map(|(l, p)| p * square(l)).sum()
    }

    /// Loss, objective and gradient at the end, over all rows and in double precision.
    fn finish(
        mut self,
        parameters: Vec<f32>,
        curve: Vec<f64>,
        settled: bool,
        control: &Control,
    ) -> Result<Option<Trained>, Error> {
        let rows: Vec<u32> = (0..self.sample.x.rows as u32).collect();
        let share = 1.0 / rows.len() as f32;
        let mut total = vec![0.0f64; parameters.len()];
        let mut sum = Losses::default();
        for which in rows.chunks(self.block) {
            let losses = self.accumulate(&parameters, which, share, control)?;
            sum.loss += losses.loss;
            sum.right += losses.right;
            for (t, g) in total.iter_mut().zip(&mut self.gradient) {
                *t += *g as f64;
                *g = 0.0;
            }
        }
        for (layer, p) in self.layers.iter().zip(&self.penalties) {
            for (t, w) in total[layer.weights()].iter_mut().zip(&parameters[layer.weights()]) {
                *t += 2.0 * p * *w as f64;
            }
        }
        let loss = sum.loss / rows.len() as f64;
        let objective = loss + self.penalty(&parameters);
        let gradient = total.iter().map(|t| t * t).sum::<f64>().sqrt();
        if !(objective.is_finite() && gradient.is_finite()) {
            return Ok(None);
        }
        Ok(Some(Trained {
            parameters,
            settled,
            curve,
            loss,
            objective,
            gradient,
            right: sum.right,
        }))
    }
}
