//! Networks as a weighted problem: a draw is trained from its start on its own weights.

use super::data::Inputs;
use super::network::Shape;
use super::predict::Networks;
use super::start::start;
use super::target::{Answer, Target};
use super::train::{Init, Recipe, Sample, Trained, Trainer};
use crate::engine::job::{Control, Stage};
use crate::engine::problem::{Mode, Status, WeightedProblem};
use crate::error::Error;
use crate::predictions::Answers;
use crate::random::weights::WeightPlan;
use ndarray::{Array2, ShapeBuilder};
use std::borrow::Cow;
use std::sync::OnceLock;

/// A diverged draw is tried again with this share of its step.
const SMALLER: f64 = 0.1;

/// A draw whose gradient ends at more than this share of what it began with has not come far: on a
/// quadratic a sixteenth of the way down would still be to go.
const UNSETTLED: f64 = 0.25;

/// What a draw is: its network and how it was trained; losses in the user's units. There is no θ beside it.
pub struct DrawNetwork {
    /// Without padding; None if the draw has no network or networks are not kept.
    pub parameters: Option<Vec<f32>>,
    /// Answers at the rows to predict, by row and output.
    pub answers: Array2<f64>,
    /// Norm of the objective's gradient where the training ended, and where it began.
    pub gradient: f64,
    pub start_gradient: f64,
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
    pub(super) x: Inputs,
    pub(super) target: Target,
    /// Rows to predict with every draw.
    test: Option<Inputs>,
    pub(super) plan: WeightPlan,
    pub recipe: Recipe,
    keep: bool,
    /// Where draws begin that have no place of their own, and what they have in common from there.
    shared: OnceLock<Vec<f32>>,
    common: OnceLock<Common>,
}

/// The first epochs of all draws.
#[derive(Clone)]
struct Common {
    network: Vec<f32>,
    curve: Vec<f64>,
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
        let (shared, common) = (OnceLock::new(), OnceLock::new());
        Mlp { shape, x, target, test, plan, recipe, keep, shared, common }
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
            control.advance(self.own_epochs() as u64);
            return Ok(self.without_network(Status::Empty, self.recipe.rate));
        }
        let first = self.first(draw, control)?;
        let relative = relative(&weights, total);
        let sample = self.sample(&relative, prior[0] / total);
        let start_gradient = Trainer::new(&self.shape, sample).start_gradient(&first, control)?;
        let common = self.common(&first, control)?;
        let before = common.curve.len();
        let recipe = Recipe { epochs: self.own_epochs(), before, ..self.recipe.clone() };
        // A second attempt is not counted again.
        let mut left = recipe.epochs as u64;
        let tick = || {
            if left > 0 {
                left -= 1;
                control.advance(1);
            }
        };
        let (trained, rate) = self.train(sample, &common.network, &recipe, control, tick)?;
        control.advance(left);
        match trained {
            Some(mut trained) => {
                trained.curve.splice(0..0, common.curve.iter().copied());
                self.with_network(trained, start_gradient, total, rate, control)
            }
            None => Ok(self.without_network(Status::Diverged, rate)),
        }
    }

    fn own_epochs(&self) -> usize {
        self.recipe.epochs - self.recipe.init.common(self.recipe.epochs)
    }

    /// `prior` is the weight of the penalty over that of the rows.
    fn sample<'a>(&'a self, weights: &'a [f32], prior: f64) -> Sample<'a> {
        let penalty = self.recipe.lambda * prior;
        Sample { x: &self.x, target: &self.target, weights, penalty }
    }

    /// The network, and the step that led to it: what diverges is tried again with a smaller one.
    pub(super) fn train(
        &self,
        sample: Sample,
        start: &[f32],
        recipe: &Recipe,
        control: &Control,
        mut tick: impl FnMut(),
    ) -> Result<(Option<Trained>, f64), Error> {
        let trainer = || Trainer::new(&self.shape, sample);
        let trained = trainer().train(start, recipe, control, &mut tick)?;
        if trained.is_some() {
            return Ok((trained, recipe.rate));
        }
        let recipe = Recipe { rate: recipe.rate * SMALLER, ..recipe.clone() };
        Ok((trainer().train(start, &recipe, control, &mut tick)?, recipe.rate))
    }

    /// The random place where a draw, or the network that it starts from, begins.
    pub(super) fn first(&self, draw: u64, control: &Control) -> Result<Cow<'_, [f32]>, Error> {
        let seed = self.plan.seed();
        if self.recipe.init == Init::Fresh {
            return start(&self.shape, seed, draw, control).map(Cow::Owned);
        }
        let shared = once(&self.shared, || start(&self.shape, seed, 0, control))?;
        Ok(Cow::Borrowed(shared))
    }

    /// What the draws that begin at `first` have in common: the epochs of a network of the data as they are. It keeps the
    /// order of the seed, since what another order does to the draws can be seen only from one start.
    fn common(&self, first: &[f32], control: &Control) -> Result<Cow<'_, Common>, Error> {
        let nothing = || Common { network: first.to_vec(), curve: Vec::new() };
        let epochs = self.recipe.init.common(self.recipe.epochs);
        if epochs == 0 {
            return Ok(Cow::Owned(nothing()));
        }
        let found = once(&self.common, || {
            let case: Vec<f64> = (0..self.x.rows).map(|i| self.plan.case(i)).collect();
            let total = case.iter().sum();
            let weights = relative(&case, total);
            let sample = self.sample(&weights, 1.0 / total);
            let shuffle = self.recipe.shuffle.map(|_| self.plan.seed());
            // What the draws go on from has not come to rest.
            let decay = self.recipe.decay.or(Some(0.0));
            let recipe = Recipe { epochs, shuffle, decay, tolerance: 0.0, ..self.recipe.clone() };
            let (trained, _) = self.train(sample, first, &recipe, control, || {})?;
            // Draws that diverge with it will say so themselves.
            let common = |t: Trained| Common { network: t.parameters, curve: t.curve };
            Ok(trained.map_or_else(nothing, common))
        })?;
        Ok(Cow::Borrowed(found))
    }

    fn with_network(
        &self,
        trained: Trained,
        start_gradient: f64,
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
            start_gradient,
            rate,
            loss: trained.loss * unit,
            accuracy: if numbers { f64::NAN } else { trained.right as f64 / self.x.rows as f64 },
            curve: trained.curve.iter().map(|o| o * unit).collect(),
        };
        let status = if trained.gradient > UNSETTLED * start_gradient {
            Status::Unsettled
        } else if trained.settled {
            Status::Converged
        } else {
            Status::Finished
        };
        Ok(Mode {
            theta: Vec::new(),
            status,
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
            answers: Array2::from_elem(self.test_shape().f(), nan),
            gradient: nan,
            start_gradient: nan,
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

    /// Rows to predict, and outputs of each.
    fn test_shape(&self) -> (usize, usize) {
        (self.test.as_ref().map_or(0, |x| x.rows), self.target.outputs())
    }

    /// The answers at the test rows.
    fn test_answers(&self, parameters: &[f32], control: &Control) -> Result<Array2<f64>, Error> {
        let mut out = Array2::zeros(self.test_shape().f());
        if let Some(x) = &self.test {
            let networks = [parameters];
            let answers =
                Networks { shape: &self.shape, networks: &networks, x, answer: self.answer() };
            answers.fill(0, 0..x.rows, control, &mut out.view_mut())?;
        }
        Ok(out)
    }
}

/// Weights of mean 1.
pub(super) fn relative(weights: &[f64], total: f64) -> Vec<f32> {
    let mean = total / weights.len() as f64;
    weights.iter().map(|w| (w / mean) as f32).collect()
}

/// What is made when it is first needed. Threads that need it at once all make it, and find the same: none of them
/// could do anything else meanwhile.
fn once<T>(place: &OnceLock<T>, make: impl FnOnce() -> Result<T, Error>) -> Result<&T, Error> {
    if let Some(found) = place.get() {
        return Ok(found);
    }
    let made = make()?;
    Ok(place.get_or_init(|| made))
}

impl WeightedProblem for Mlp {
    type Aside = DrawNetwork;

    /// A network is no vector of coefficients: units can be exchanged. It is carried aside, in f32.
    fn dimension(&self) -> usize {
        0
    }

    fn progress(&self) -> (Stage, u64) {
        (Stage::Epochs, self.own_epochs() as u64)
    }

    fn solve(&self, draws: &[u64], control: &Control) -> Result<Vec<Mode<DrawNetwork>>, Error> {
        draws.iter().map(|&draw| self.solve_draw(draw, control)).collect()
    }
}
