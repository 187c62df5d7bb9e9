//! The steps: plain gradient descent, momentum, Adam.

use super::network::Layer;
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::lanes::dispatch;
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    Sgd,
    /// The share of the last step that goes on.
    Momentum(f32),
    /// Kingma & Ba (2015), with their constants.
    Adam,
}

impl Method {
    pub fn new(name: &str, momentum: f64) -> Result<Method, Error> {
        match name {
            "sgd" => Ok(Method::Sgd),
            "momentum" => Ok(Method::Momentum(momentum as f32)),
            "adam" => Ok(Method::Adam),
            _ => Err(Error::argument("optimizer", format!("there is no optimizer \"{name}\""))),
        }
    }
}

const BETA: [f64; 2] = [0.9, 0.999];
const EPSILON: f32 = 1e-8;

pub struct Optimizer {
    method: Method,
    /// Running means of the gradient (momentum, Adam) and of its square (Adam).
    means: [Vec<f32>; 2],
    /// What the start at 0 still weighs in them: β to the power of the steps. By repeated products, which
    /// are the same on every machine; `powi` need not be.
    unseen: [f64; 2],
}

impl Optimizer {
    pub fn new(method: Method, size: usize) -> Optimizer {
        let (first, second) = match method {
            Method::Sgd => (0, 0),
            Method::Momentum(_) => (size, 0),
            Method::Adam => (size, size),
        };
        Optimizer { method, means: [vec![0.0; first], vec![0.0; second]], unseen: [1.0; 2] }
    }

    /// One step of size `rate` along the gradient, which is then set to zero. `shrink` is the
    /// derivative of the penalty divided by the weight.
    pub fn step(
        &mut self,
        layers: &[Layer],
        shrink: f32,
        rate: f64,
        parameters: &mut [f32],
        gradient: &mut [f32],
        control: &Control,
    ) -> Result<(), Error> {
        for (unseen, beta) in self.unseen.iter_mut().zip(BETA) {
            *unseen *= beta;
        }
        let [first, second] = self.unseen.map(|unseen| 1.0 - unseen);
        let adam_rate = (rate * second.sqrt() / first) as f32;
        for layer in layers {
            for (range, shrink) in [(layer.weights(), shrink), (layer.biases(), 0.0)] {
                for piece in pieces(range) {
                    control.check()?;
                    let (p, g) = (&mut parameters[piece.clone()], &mut gradient[piece.clone()]);
                    let [mean, square] = &mut self.means;
                    match self.method {
                        Method::Sgd => sgd(rate as f32, shrink, p, g),
                        Method::Momentum(keep) => {
                            momentum(rate as f32, keep, shrink, p, g, &mut mean[piece]);
                        }
                        Method::Adam => {
                            let (mean, square) = (&mut mean[piece.clone()], &mut square[piece]);
                            adam(adam_rate, shrink, p, g, mean, square);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// Parameters between two looks for a stop: a wide layer has more than a moment's work.
const PIECE: usize = 1 << 20;

/// Parts of a range of parameters.
pub fn pieces(range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(PIECE).map(move |first| first..(first + PIECE).min(end))
}

dispatch! {
    fn sgd(rate: f32, shrink: f32, parameters: &mut [f32], gradient: &mut [f32]) {
        for (p, g) in parameters.iter_mut().zip(gradient) {
            *p -= rate * shrink.mul_add(*p, *g);
            *g = 0.0;
        }
    }

    fn momentum(
        rate: f32, keep: f32, shrink: f32,
        parameters: &mut [f32], gradient: &mut [f32], mean: &mut [f32],
    ) {
        for ((p, g), m) in parameters.iter_mut().zip(gradient).zip(mean) {
            *m = keep.mul_add(*m, shrink.mul_add(*p, *g));
            *p -= rate * *m;
            *g = 0.0;
        }
    }

    fn adam(
        rate: f32, shrink: f32,
        parameters: &mut [f32], gradient: &mut [f32], mean: &mut [f32], square: &mut [f32],
    ) {
        let [b, c] = BETA.map(|b| b as f32);
        for (((p, g), m), s) in parameters.iter_mut().zip(gradient).zip(mean).zip(square) {
            let d = shrink.mul_add(*p, *g);
            *m = b.mul_add(*m, (1.0 - b) * d);
            *s = c.mul_add(*s, (1.0 - c) * d * d);
            *p -= rate * *m / (s.sqrt() + EPSILON);
            *g = 0.0;
        }
    }
}
