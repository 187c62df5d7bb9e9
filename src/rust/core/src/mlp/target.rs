//! What the outputs are to be, and how far off they are.

use super::units::softmax;
use crate::data::standard::Standard;

/// The response.
pub enum Target {
    /// Class of each row, from 0, and their number: cross-entropy of the softmax.
    Classes { ids: Vec<u32>, count: usize },
    /// In units in which optimisation is easy: y = center + scale · value. Squared error.
    Numbers { values: Vec<f32>, center: f64, scale: f64 },
}

impl Target {
    pub fn classes(ids: Vec<u32>, count: usize) -> Target {
        Target::Classes { ids, count }
    }

    /// Mean 0 and standard deviation 1 under the user's weights.
    pub fn numbers(y: &[f64], case: impl Fn(usize) -> f64 + Copy) -> Target {
        let units = Standard::of_column(y, true, case);
        let scale = units.sd[0];
        let values = y.iter().map(|v| ((v - units.center[0]) / scale) as f32).collect();
        Target::Numbers { values, center: units.center[0], scale }
    }

    pub fn outputs(&self) -> usize {
        match self {
            Target::Classes { count, .. } => *count,
            Target::Numbers { .. } => 1,
        }
    }

    /// The loss of a network whose outputs are all 0, under weights of mean 1.
    pub fn silent_loss(&self, weights: &[f32]) -> f64 {
        match self {
            Target::Classes { count, .. } => libm::log(*count as f64),
            Target::Numbers { values, .. } => {
                let square = |(w, v): (&f32, &f32)| *w as f64 * (*v as f64 * *v as f64);
                0.5 * weights.iter().zip(values).map(square).sum::<f64>() / values.len() as f64
            }
        }
    }

    /// What a loss in our units is in the user's.
    pub fn loss_unit(&self) -> f64 {
        match self {
            Target::Classes { .. } => 1.0,
            Target::Numbers { scale, .. } => scale * scale,
        }
    }
}

/// What the rows of a block say of the parameters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Losses {
    /// Σ weight × loss.
    pub loss: f64,
    /// Rows whose likeliest class is theirs.
    pub right: usize,
}

/// Room for the losses of a block of rows.
pub struct Judge {
    log_sums: Vec<f64>,
    scores: Vec<f32>,
}

impl Judge {
    pub fn new(block: usize) -> Judge {
        Judge { log_sums: vec![0.0; block], scores: vec![0.0; block] }
    }

    /// Losses of the rows `which` from their outputs, and the derivative of Σ weight × loss by the
    /// outputs, times `share`. Outputs are left as probabilities; padding gets no errors.
    pub fn judge(
        &mut self,
        target: &Target,
        which: &[u32],
        weights: &[f32],
        share: f32,
        outputs: &mut [f32],
        errors: &mut [f32],
    ) -> Losses {
        let width = outputs.len() / which.len();
        let rows = || which.iter().map(|&r| r as usize);
        let mut sum = Losses::default();
        match target {
            Target::Classes { ids, count } => {
                for ((score, row), i) in
                    self.scores.iter_mut().zip(outputs.chunks_exact(width)).zip(rows())
                {
                    *score = row[ids[i] as usize];
                }
                softmax(outputs, width, *count, &mut self.log_sums);
                for (k, i) in rows().enumerate() {
                    let (p, e) =
                        (&outputs[k * width..][..width], &mut errors[k * width..][..width]);
                    let (id, weight) = (ids[i] as usize, weights[i]);
                    for (e, p) in e.iter_mut().zip(p) {
                        *e = weight * share * p;
                    }
                    e[id] -= weight * share;
                    sum.right +=
                        p[..*count].iter().enumerate().all(|(c, q)| c == id || *q < p[id]) as usize;
                    // A weight of zero silences even an infinite loss.
                    if weight > 0.0 {
                        sum.loss += weight as f64 * (self.log_sums[k] - self.scores[k] as f64);
                    }
                }
            }
            Target::Numbers { values, .. } => {
                errors.fill(0.0);
                for (k, i) in rows().enumerate() {
                    let residual = outputs[k * width] - values[i];
                    errors[k * width] = weights[i] * share * residual;
                    sum.loss += 0.5 * weights[i] as f64 * (residual as f64 * residual as f64);
                }
            }
        }
        sum
    }

    /// Probabilities, or numbers in the user's units, of some rows.
    pub fn answers(
        &mut self,
        answer: Answer,
        outputs: &mut [f32],
        count: usize,
        mut put: impl FnMut(usize, usize, f64),
    ) {
        let width = outputs.len() / count.max(1);
        if let Answer::Classes(classes) = answer {
            softmax(outputs, width, classes, &mut self.log_sums);
        }
        for (k, row) in outputs.chunks_exact(width).enumerate() {
            match answer {
                Answer::Classes(classes) => {
                    row[..classes].iter().enumerate().for_each(|(c, &p)| put(k, c, p as f64));
                }
                Answer::Number { center, scale } => put(k, 0, center + scale * row[0] as f64),
            }
        }
    }
}

/// How outputs are to be read.
#[derive(Clone, Copy, Debug)]
pub enum Answer {
    Classes(usize),
    Number { center: f64, scale: f64 },
}

impl Answer {
    pub fn outputs(&self) -> usize {
        match self {
            Answer::Classes(count) => *count,
            Answer::Number { .. } => 1,
        }
    }
}

impl From<&Target> for Answer {
    fn from(target: &Target) -> Answer {
        match target {
            Target::Classes { count, .. } => Answer::Classes(*count),
            Target::Numbers { center, scale, .. } => {
                Answer::Number { center: *center, scale: *scale }
            }
        }
    }
}
