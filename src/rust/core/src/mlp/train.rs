//! One draw: epochs of steps from a start, and a last look at where they led.

use super::average::{Average, Schedule};
use super::data::Inputs;
use super::network::{Layer, Shape, Workspace};
use super::optimizer::{Method, Optimizer, pieces};
use super::order::shuffle;
use super::target::{Judge, Losses, Target};
use crate::engine::job::Control;
use crate::error::Error;

/// Where draws begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Init {
    /// All in one place, chosen at random.
    Shared,
    /// Each in a place of its own.
    Fresh,
    /// In the shared place, and the first epochs are one network's, trained on the data as they are: after
    /// them the order of the batches no longer decides which valley is gone down (Frankle et al. 2020).
    Trained,
}

/// The share of the epochs that draws have in common is one in so many.
const COMMON: usize = 5;

impl Init {
    pub fn new(name: &str) -> Result<Init, Error> {
        match name {
            "shared" => Ok(Init::Shared),
            "fresh" => Ok(Init::Fresh),
            "trained" => Ok(Init::Trained),
            _ => Err(Error::argument("init", format!("there is no start \"{name}\""))),
        }
    }

    /// Epochs that all draws have in common; the last is always their own.
    pub fn common(self, epochs: usize) -> usize {
        match self {
            Init::Shared | Init::Fresh => 0,
            Init::Trained => epochs.div_ceil(COMMON).min(epochs.saturating_sub(1)),
        }
    }
}

/// How a network is trained.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub lambda: f64,
    pub epochs: usize,
    /// Epochs that led to the start: orders and steps go on from there.
    pub before: usize,
    /// Rows of a step.
    pub batch: usize,
    /// Step k is rate · exp(−decay k); without a decay it is constant while draws have their epochs in common and
    /// then falls from a share of it to zero in a line.
    pub rate: f64,
    pub decay: Option<f64>,
    pub method: Method,
    /// The share of the steps, at the end, whose iterates are averaged; 0 is the last iterate.
    pub average: f64,
    /// The seed of a new order of the rows for each epoch; otherwise they come as they are.
    pub shuffle: Option<u64>,
    pub init: Init,
    /// Stop when the objective changes by less than this (relative) in `QUIET` epochs in a row.
    pub tolerance: f64,
}

const QUIET: usize = 3;

/// A loss this many times that of the start (of at most `YARDSTICK` rows), and of a network that always answers 0, is
/// no minimum however finite it is.
const BLOWN_UP: f64 = 2.0;

/// Rows of the loss and the gradient at the start: enough for a yardstick, and next to nothing beside the epochs.
const YARDSTICK: usize = 1024;

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

/// A network in training.
pub struct Trainer<'a> {
    layers: Vec<Layer>,
    sample: Sample<'a>,
    workspace: Workspace,
    judge: Judge,
    gradient: Vec<f32>,
    block: usize,
}

impl<'a> Trainer<'a> {
    pub fn new(shape: &Shape, sample: Sample<'a>) -> Trainer<'a> {
        let (layers, block) = (shape.layers(), block_rows(shape));
        Trainer {
            sample,
            workspace: Workspace::new(shape, block),
            judge: Judge::new(block),
            gradient: vec![0.0; layers.last().map_or(0, |l| l.biases().end)],
            layers,
            block,
        }
    }

    /// Train from a start (padded); None if the numbers run away. `tick` is called after every epoch.
    pub fn train(
        mut self,
        start: &[f32],
        recipe: &Recipe,
        control: &Control,
        mut tick: impl FnMut(),
    ) -> Result<Option<Trained>, Error> {
        let rows = self.sample.x.rows;
        let mut parameters = start.to_vec();
        let mut optimizer = Optimizer::new(recipe.method, parameters.len());
        let mut average = Average::default();
        let per_epoch = rows.div_ceil(recipe.batch);
        let mut schedule = Schedule::new(recipe.epochs, per_epoch, recipe.average);
        let steps_before = (recipe.before * per_epoch) as u64;
        let steady = recipe.before.max(recipe.init.common(recipe.epochs)) * per_epoch;
        let shrink = 2.0 * self.sample.penalty as f32;
        let mut order: Vec<u32> = (0..rows as u32).collect();
        let mut curve: Vec<f64> = Vec::new();
        let (mut quiet, mut settled, mut steps) = (0, false, 0u64);
        let some: Vec<u32> = spread_rows(rows, YARDSTICK).collect();
        let silent = self.sample.target.silent_loss(self.sample.weights);
        let bearable = BLOWN_UP * silent.max(self.loss(start, &some, control)?);
        while curve.len() < schedule.epochs {
            if let Some(seed) = recipe.shuffle {
                let epoch = recipe.before + curve.len();
                shuffle(seed, epoch, recipe.batch, &mut order, control)?;
            }
            let mut loss = 0.0;
            for batch in order.chunks(recipe.batch) {
                let share = 1.0 / batch.len() as f32;
                let losses = self.accumulate(&parameters, batch, share, control)?;
                loss += losses.loss;
                if !losses.loss.is_finite() {
                    return Ok(None);
                }
                let step = steps_before + steps;
                let rate = recipe.rate
                    * match recipe.decay {
                        Some(decay) => libm::exp(-(decay * step as f64)),
                        None => schedule.fall(step, steps_before, steady as u64),
                    };
                let (layers, gradient) = (&self.layers, &mut self.gradient);
                optimizer.step(layers, shrink, rate, &mut parameters, gradient, control)?;
                if steps >= schedule.from {
                    average.add(&parameters, control)?;
                }
                steps += 1;
            }
            let objective = loss / rows as f64 + self.penalty(&parameters);
            let still = curve
                .last()
                .is_some_and(|last| (objective - last).abs() <= recipe.tolerance * last.abs());
            quiet = if still { quiet + 1 } else { 0 };
            curve.push(objective);
            tick();
            // Towards the end it is the step that comes to rest.
            let early = !settled && steps < schedule.from;
            if recipe.tolerance > 0.0 && quiet >= QUIET && early {
                settled = true;
                schedule.settle(curve.len());
            }
        }
        average.put(&mut parameters);
        drop(average);
        let all: Vec<u32> = (0..rows as u32).collect();
        let end = self.look(&parameters, &all, control)?;
        let objective = end.loss + self.penalty(&parameters);
        let finite = objective.is_finite() && end.gradient.is_finite();
        Ok((finite && end.loss <= bearable).then_some(Trained {
            parameters,
            settled,
            curve,
            loss: end.loss,
            objective,
            gradient: end.gradient,
            right: end.right,
        }))
    }

    /// Norm of the objective's gradient at a start, from at most `YARDSTICK` rows.
    pub fn start_gradient(&mut self, start: &[f32], control: &Control) -> Result<f64, Error> {
        let rows: Vec<u32> = spread_rows(self.sample.x.rows, YARDSTICK).collect();
        Ok(self.look(start, &rows, control)?.gradient)
    }

    /// Σ weight × loss over these rows, by their number.
    pub fn loss(
        &mut self,
        parameters: &[f32],
        rows: &[u32],
        control: &Control,
    ) -> Result<f64, Error> {
        Ok(self.look(parameters, rows, control)?.loss)
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
            let x = self.sample.x.rows(which);
            self.workspace.forward(parameters, &x, which.len(), control)?;
            let (outputs, errors) = self.workspace.outputs(which.len());
            let (target, weights) = (self.sample.target, self.sample.weights);
            let losses = self.judge.judge(target, which, weights, share, outputs, errors);
            let gradient = &mut self.gradient;
            self.workspace.backward(parameters, &x, which.len(), gradient, control)?;
            sum.loss += losses.loss;
            sum.right += losses.right;
        }
        Ok(sum)
    }

    fn penalty(&self, parameters: &[f32]) -> f64 {
        let square = |layer: &Layer| -> f64 {
            parameters[layer.weights()].iter().map(|&w| f64::from(w) * f64::from(w)).sum()
        };
        self.sample.penalty * self.layers.iter().map(square).sum::<f64>()
    }

    /// Loss and gradient over these rows, in double precision.
    fn look(&mut self, parameters: &[f32], rows: &[u32], control: &Control) -> Result<View, Error> {
        let share = 1.0 / rows.len() as f32;
        let mut total = vec![0.0f64; parameters.len()];
        let mut sum = Losses::default();
        for which in rows.chunks(ROWS) {
            let losses = self.accumulate(parameters, which, share, control)?;
            sum.loss += losses.loss;
            sum.right += losses.right;
            for piece in pieces(0..total.len()) {
                control.check()?;
                let gradient = &mut self.gradient[piece.clone()];
                for (t, g) in total[piece].iter_mut().zip(gradient) {
                    *t += *g as f64;
                    *g = 0.0;
                }
            }
        }
        let p = self.sample.penalty;
        for layer in &self.layers {
            for (t, w) in total[layer.weights()].iter_mut().zip(&parameters[layer.weights()]) {
                *t += 2.0 * p * *w as f64;
            }
        }
        let gradient = total.iter().map(|t| t * t).sum::<f64>().sqrt();
        Ok(View { loss: sum.loss / rows.len() as f64, gradient, right: sum.right })
    }
}

/// What some rows say of a network; loss per unit of weight.
struct View {
    loss: f64,
    /// Norm of the objective's gradient.
    gradient: f64,
    right: usize,
}

/// At most so many of the rows, evenly spread: they may come sorted.
fn spread_rows(rows: usize, most: usize) -> impl Iterator<Item = u32> {
    let count = rows.min(most);
    (0..count).map(move |i| (i * rows / count) as u32)
}
