//! What R asks of the answers of all draws, and the reply: a question is list(what, ...), see R/ask.R.

use crate::convert::{Fields, Result};
use crate::job::Outcome;
use crate::results::flat;
use extendr_api::prelude::*;
use wbb_core::engine::job::Control;
use wbb_core::predictions::{All, Answers, Interval, Limits, Mean, Observed, Scores, Spread, ask};

/// What is to be made of the answers.
pub enum Question {
    Draws,
    Mean,
    Limits { interval: Interval, probs: Vec<f64> },
    Spread { classes: bool },
    Scores(Observed),
}

impl Question {
    pub fn read(fields: &Fields) -> Result<Question> {
        let limits = |interval| Ok(Question::Limits { interval, probs: fields.numbers("probs")? });
        match fields.text("what")?.as_str() {
            "draws" => Ok(Question::Draws),
            "mean" => Ok(Question::Mean),
            "credible" => limits(Interval::Credible),
            "prediction" => limits(Interval::Predictive(fields.numbers("sigma")?)),
            "spread" => Ok(Question::Spread { classes: fields.flag("classes")? }),
            "classes" => {
                // R counts from 1.
                let ids = fields.counts::<u32>("y")?;
                let ids = ids.into_iter().map(|id| id.saturating_sub(1)).collect();
                Ok(Question::Scores(Observed::Classes(ids)))
            }
            "numbers" => {
                let (y, sigma) = (fields.numbers("y")?, fields.numbers("sigma")?);
                Ok(Question::Scores(Observed::Numbers { y, sigma }))
            }
            word => fields.unknown("what", word),
        }
    }

    /// `rows` have a part for each row, `sums` are over rows.
    pub fn put(self, answers: &dyn Answers, control: &Control) -> Result<Outcome> {
        let shape = answers.shape();
        let rest: Box<dyn FnOnce() -> List + Send> = match self {
            Question::Draws => {
                let mut all = All::new(shape);
                ask(answers, &mut all, control)?;
                let tables = vec![("draws", all.0.into())];
                return Ok(Outcome { tables, rest: Box::new(|| list!()) });
            }
            Question::Mean => {
                let mut mean = Mean::new(shape);
                ask(answers, &mut mean, control)?;
                let mean = flat(mean.0);
                Box::new(move || list!(rows = list!(mean = mean)))
            }
            Question::Limits { interval, probs } => {
                let mut found = Limits::new(shape, interval, &probs);
                ask(answers, &mut found, control)?;
                let limits = |k| flat(found.limits.index_axis(ndarray::Axis(2), k).to_owned());
                let (lower, upper) = (limits(0), limits(1));
                let mean = flat(found.mean.0);
                Box::new(move || list!(rows = list!(mean = mean, lower = lower, upper = upper)))
            }
            Question::Spread { classes } => {
                let mut found = Spread::new(shape, classes);
                ask(answers, &mut found, control)?;
                Box::new(move || list!(rows = list!(data = found.data, model = found.model)))
            }
            Question::Scores(observed) => {
                let mut found = Scores::new(shape, observed);
                ask(answers, &mut found, control)?;
                Box::new(move || {
                    list!(
                        sums = list!(
                            right = found.right,
                            loss = found.loss,
                            square = found.square,
                            mean_right = found.mean_right,
                            mean_loss = found.mean_loss
                        )
                    )
                })
            }
        };
        Ok(Outcome { tables: Vec::new(), rest })
    }
}
