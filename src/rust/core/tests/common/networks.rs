//! Small networks: data, a plain network in double precision, and short ways to train and to look.

use sprs::TriMat;
use wbb_core::data::source::Source;
use wbb_core::engine::bootstrap::{self, Draws};
use wbb_core::engine::job::Control;
use wbb_core::mlp::{Activation, DrawNetwork, Init, Inputs, Method, Mlp, Recipe, Shape, Target};
use wbb_core::random::laws::{Law, PriorWeight};
use wbb_core::random::weights::WeightPlan;

pub const SEED: u64 = 3;

/// Reproducible numbers in (-1, 1).
pub fn wave(i: usize) -> f64 {
    ((i as f64 + 1.0) * 12.9898).sin() * ((i as f64 + 7.0) * 0.731).cos()
}

pub struct Data {
    pub n: usize,
    pub p: usize,
    /// Column-major.
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    /// 0: numbers.
    pub classes: usize,
    pub case: Vec<f64>,
}

impl Data {
    pub fn new(n: usize, p: usize, classes: usize) -> Data {
        let x: Vec<f64> = (0..n * p).map(wave).collect();
        let signal = |i: usize| x[i] + 0.5 * x[(p - 1) * n + i] + 0.3 * wave(i + 100_000);
        let y = (0..n)
            .map(|i| match classes {
                0 => 50.0 + 20.0 * signal(i),
                k => ((signal(i) + 1.8) / 3.6 * k as f64).clamp(0.0, k as f64 - 1.0).floor(),
            })
            .collect();
        Data { n, p, x, y, classes, case: vec![1.0; n] }
    }

    pub fn plan(&self, law: Law) -> WeightPlan {
        WeightPlan::new(SEED, law, PriorWeight::Random, self.n)
            .with_case_weights(self.case.clone())
            .unwrap()
    }

    pub fn target(&self) -> Target {
        match self.classes {
            0 => Target::numbers(&self.y, |i| self.case[i]),
            k => Target::classes(self.y.iter().map(|&c| c as u32).collect(), k),
        }
    }

    pub fn sparse(&self) -> Source {
        let mut triplets = TriMat::new((self.n, self.p));
        for (at, &v) in self.x.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            triplets.add_triplet(at % self.n, at / self.n, v);
        }
        Source::Sparse(triplets.to_csc())
    }

    pub fn inputs(&self) -> Inputs {
        let x = Source::dense(&self.x, self.n, self.p);
        Inputs::new(&x, None, &Control::default()).unwrap()
    }

    pub fn shape(&self, hidden: &[usize], activation: Activation) -> Shape {
        let sizes = [&[self.p][..], hidden, &[self.classes.max(1)]].concat();
        Shape { sizes, activation }
    }

    pub fn mlp(&self, shape: Shape, law: Law, recipe: &Recipe) -> Mlp {
        let (x, test) = (self.inputs(), Some(self.inputs()));
        Mlp::new(shape, x, self.target(), test, self.plan(law), recipe.clone(), true)
    }
}

/// Whole batches, in order, by plain gradient descent.
pub fn recipe(epochs: usize, rate: f64) -> Recipe {
    Recipe {
        lambda: 0.3,
        epochs,
        before: 0,
        batch: usize::MAX,
        rate,
        decay: Some(0.0),
        method: Method::Sgd,
        average: 0.0,
        shuffle: None,
        init: Init::Shared,
        tolerance: 0.0,
    }
}

pub fn draw(mlp: &Mlp, first: u64, count: usize) -> (Draws<DrawNetwork>, Vec<DrawNetwork>) {
    let mut draws = bootstrap::run(mlp, first, count, &Control::default()).unwrap();
    let networks = std::mem::take(&mut draws.asides);
    (draws, networks)
}

pub fn parameters(network: &DrawNetwork) -> Vec<f64> {
    network.parameters.as_ref().unwrap().iter().map(|&v| v as f64).collect()
}

/// The objective over Σ w in double precision, from its definition; numbers in units of the target.
pub struct Plain<'a> {
    pub data: &'a Data,
    pub shape: &'a Shape,
    pub weights: Vec<f64>,
    pub prior: f64,
    pub center: f64,
    pub scale: f64,
}

impl<'a> Plain<'a> {
    pub fn new(data: &'a Data, shape: &'a Shape, law: Law, k: u64) -> Plain<'a> {
        let mut weights = vec![0.0; data.n];
        let plan = data.plan(law);
        plan.draw(k).fill(0, &mut weights);
        let mut prior = [0.0];
        plan.fill_prior(k, &mut prior);
        let (center, scale) = match data.target() {
            Target::Numbers { center, scale, .. } => (center, scale),
            Target::Classes { .. } => (0.0, 1.0),
        };
        Plain { data, shape, weights, prior: prior[0], center, scale }
    }

    pub fn outputs(&self, parameters: &[f64], row: usize) -> Vec<f64> {
        let data = self.data;
        let mut units: Vec<f64> = (0..data.p).map(|j| data.x[j * data.n + row]).collect();
        let mut from = parameters;
        let layers = self.shape.sizes.len() - 1;
        for (l, sizes) in self.shape.sizes.windows(2).enumerate() {
            let (weights, rest) = from.split_at(sizes[0] * sizes[1]);
            let (bias, rest) = rest.split_at(sizes[1]);
            from = rest;
            let mut next = bias.to_vec();
            for (u, w) in units.iter().zip(weights.chunks(sizes[1])) {
                next.iter_mut().zip(w).for_each(|(o, w)| *o += u * w);
            }
            if l + 1 < layers {
                next.iter_mut().for_each(|o| {
                    *o = match self.shape.activation {
                        Activation::Relu => o.max(0.0),
                        Activation::Tanh => o.tanh(),
                        Activation::Identity => *o,
                    }
                });
            }
            units = next;
        }
        units
    }

    pub fn loss(&self, parameters: &[f64], row: usize) -> f64 {
        let out = self.outputs(parameters, row);
        let y = self.data.y[row];
        if self.data.classes == 0 {
            return 0.5 * (self.center + self.scale * out[0] - y).powi(2);
        }
        let largest = out.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        let sum: f64 = out.iter().map(|o| (o - largest).exp()).sum();
        largest + sum.ln() - out[y as usize]
    }

    pub fn objective(&self, parameters: &[f64], lambda: f64) -> f64 {
        let losses: f64 =
            self.weights.iter().enumerate().map(|(i, w)| w * self.loss(parameters, i)).sum();
        let mut from = parameters;
        let mut square = 0.0;
        for sizes in self.shape.sizes.windows(2) {
            let (weights, rest) = from.split_at(sizes[0] * sizes[1]);
            square += weights.iter().map(|w| (self.scale * w).powi(2)).sum::<f64>();
            from = &rest[sizes[1]..];
        }
        losses + lambda * self.prior * square
    }

    pub fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// Of the objective over Σ w, in the units that are trained in: slopes to the left and right, which
    /// differ where a ReLU sits on its kink (zero bias, all units before it silent).
    pub fn gradient(&self, parameters: &[f64], lambda: f64) -> Vec<[f64; 2]> {
        let mut at = parameters.to_vec();
        let mut side = |j: usize, value: f64| {
            let before = std::mem::replace(&mut at[j], value);
            let objective = self.objective(&at, lambda);
            at[j] = before;
            objective
        };
        let h = 1e-6;
        let unit = h * self.total() * self.scale * self.scale;
        (0..parameters.len())
            .map(|j| {
                let [left, here, right] = [-h, 0.0, h].map(|h| side(j, parameters[j] + h));
                [(here - left) / unit, (right - here) / unit]
            })
            .collect()
    }
}
