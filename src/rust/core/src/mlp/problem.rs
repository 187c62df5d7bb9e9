//! Networks as a weighted problem: a draw is trained from its start on its own weights.

use super::data::Inputs;
use super::network::Shape;
use super::predict::predict_rows;
use super::target::{Answer, Target};
use super::train::{Recipe, Sample, Trained, Trainer};
use crate::engine::job::{Control, Stage};
use crate::engine::problem::{Mode, Status, WeightedProblem};
use crate::error::Error;
use crate::random::weights::WeightPlan;

/// A diverged draw is tried again with this share of its step.
const SMALLER: f64 = 0.1;

/// What a draw is: its network and how it was trained; losses in the user's units. There is no θ beside it.
pub struct DrawNetwork {
    /// Without padding; None if the draw has no network or networks are not kept.
    pub parameters: Option<Vec<f32>>,
    /// Answers at the rows to predict, row fastest.
    pub answers: Vec<f64>,
    /// Norm of the objective's gradient where the training ended.
    pub gradient: f64,
    pub rate: f64,
    /// Σ w l / Σ w.
    pub loss: f64,
    /// Share of the rows that are classified rightly.
    pub accuracy: f64,
    /// Objective / Σ w while each epoch ran.
    pub curve: Vec<f64>,
}

pub struct Mlp {
    pub shape: Shape,
    x: Inputs,
    target: Target,
    /// Rows to predict with every draw.
    test: Option<Inputs>,
    plan: WeightPlan,
    recipe: Recipe,
    keep: bool,
}

impl Mlp {
    pub fn new(
        shape: Shape,
        x: Inputs,
        target: Target,
        test: Option<Inputs>,
        plan: WeightPlan,
        recipe: Recipe,
        keep: bool,
    ) -> Mlp {
        Mlp { shape, x, target, test, plan, recipe, keep }
    }

    pub fn answer(&self) -> Answer {
        Answer::from(&self.target)
    }

    fn solve_draw(&self, draw: u64, control: &Control) -> Result<Mode<DrawNetwork>, Error> {
        let mut weights = vec![0.0; self.x.rows];
        self.plan.draw(draw).fill(0, &mut weights);
        let total: f64 = weights.iter().sum();
        let mut prior = [1.0];
        self.plan.fill_prior(draw, &mut prior);
        if total == 0.0 {
            control.advance(self.recipe.epochs as u64);
            return Ok(self.without_network(Status::Empty, self.recipe.rate));
        }
        let mean = total / weights.len() as f64;
        let relative: Vec<f32> = weights.iter().map(|w| (w / mean) as f32).collect();
        let sample = Sample {
            x: &self.x,
            target: &self.target,
            weights: &relative,
            penalty: self.recipe.lambda * prior[0] / total,
        };
        // A second attempt is not counted again.
        let mut left = self.recipe.epochs as u64;
        let mut tick = || {
            if left > 0 {
                left -= 1;
                control.advance(1);
            }
        };
        let mut rate = self.recipe.rate;
        let mut trained = None;
        for attempt in 0..2 {
            if attempt == 1 {
                rate *= SMALLER;
            }
            let recipe = Recipe { rate, ..self.recipe.clone() };
            let trainer = Trainer::new(&self.shape, sample);
            trained = trainer.train(&recipe, self.plan.seed(), draw, control, &mut tick)?;
            if trained.is_some() {
                break;
            }
        }
        control.advance(left);
        match trained {
            Some(trained) => self.with_network(trained, total, rate, control),
            None => Ok(self.without_network(Status::Diverged, rate)),
        }
    }

    fn with_network(
        &self,
        trained: Trained,
        total: f64,
        rate: f64,
        control: &Control,
    ) -> Result<Mode<DrawNetwork>, Error> {
        let unit = self.target.loss_unit();
        let numbers = matches!(self.target, Target::Numbers { .. });
        let network = DrawNetwork {
            parameters: self.keep.then(|| self.shape.compact(&trained.parameters)),
            answers: self.test_answers(&trained.parameters, control)?,
            gradient: trained.gradient,
            rate,
            loss: trained.loss * unit,
            accuracy: if numbers { f64::NAN } else { trained.right as f64 / self.x.rows as f64 },
            curve: trained.curve.iter().map(|o| o * unit).collect(),
        };
        Ok(Mode {
            theta: Vec::new(),
            status: if trained.settled { Status::Converged } else { Status::Finished },
            iterations: trained.curve.len() as u32,
            objective: trained.objective * unit * total,
            gap: f64::NAN,
            sigma: if numbers { unit.sqrt() * (2.0 * trained.loss).sqrt() } else { f64::NAN },
            aside: network,
        })
    }

    /// Nothing that could be taken for an answer.
    fn without_network(&self, status: Status, rate: f64) -> Mode<DrawNetwork> {
        let nan = f64::NAN;
        let network = DrawNetwork {
            parameters: None,
            answers: vec![nan; self.test_size()],
            gradient: nan,
            rate,
            loss: nan,
            accuracy: nan,
            curve: Vec::new(),
        };
        Mode {
            theta: Vec::new(),
            status,
            iterations: 0,
            objective: nan,
            gap: nan,
            sigma: nan,
            aside: network,
        }
    }

    /// Answers of a draw at the rows to predict.
    fn test_size(&self) -> usize {
        self.test.as_ref().map_or(0, |x| x.rows * self.target.outputs())
    }

    /// The answers at the test rows, row fastest.
    fn test_answers(&self, parameters: &[f32], control: &Control) -> Result<Vec<f64>, Error> {
        let mut out = vec![0.0; self.test_size()];
        if let Some(test) = &self.test {
            let put = |row: usize, output: usize, value| out[output * test.rows + row] = value;
            predict_rows(&self.shape, parameters, test, self.answer(), control, put)?;
        }
        Ok(out)
    }
}

impl WeightedProblem for Mlp {
    type Aside = DrawNetwork;

    /// A network is no vector of coefficients: units can be exchanged. It is carried aside, in f32.
    fn dimension(&self) -> usize {
        0
    }

    fn progress(&self) -> (Stage, u64) {
        (Stage::Epochs, self.recipe.epochs as u64)
    }

    fn solve(&self, draws: &[u64], control: &Control) -> Result<Vec<Mode<DrawNetwork>>, Error> {
        draws.iter().map(|&draw| self.solve_draw(draw, control)).collect()
    }
}
