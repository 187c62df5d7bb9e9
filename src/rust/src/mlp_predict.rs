//! Predictions of networks: networks, rows and a question in, what is made of all draws' answers out.

use crate::convert::{Fields, Matrix, Result, reply};
use crate::job::{self, Outcome};
use crate::mlp::shape;
use crate::results::flat;
use extendr_api::prelude::*;
use ndarray::{Array3, ShapeBuilder};
use wbb_core::data::standard::Standard;
use wbb_core::engine::job::Control;
use wbb_core::error::Error;
use wbb_core::mlp::{
    All, Answer, Answers, Inputs, Interval, Limits, Mean, Networks, Observed, Scores, Shape,
    Spread, Table, ask,
};

/// Networks on their way between R and a job, as R keeps them: four bytes a parameter. A few at a time
/// cross, so that R can be interrupted in between.
pub struct Shelf(pub Vec<Option<Vec<u8>>>);

impl Shelf {
    pub fn new(networks: impl Iterator<Item = Option<Vec<f32>>>) -> Shelf {
        let bytes = |p: Vec<f32>| p.iter().flat_map(|p| p.to_le_bytes()).collect();
        Shelf(networks.map(|network| network.map(bytes)).collect())
    }
}

/// An empty shelf.
#[extendr]
fn rust_shelf() -> ExternalPtr<Shelf> {
    ExternalPtr::new(Shelf(Vec::new()))
}

/// Put networks on a shelf.
#[extendr]
fn rust_shelf_put(mut shelf: ExternalPtr<Shelf>, networks: List) {
    shelf.0.extend(networks.values().map(|n| n.as_raw_slice().map(<[u8]>::to_vec)));
}

/// The next networks of a shelf, which are then gone from it; NULL for a draw that has none.
#[extendr]
fn rust_shelf_take(mut shelf: ExternalPtr<Shelf>, count: f64) -> List {
    let count = (count as usize).min(shelf.0.len());
    let robj = |bytes: Option<Vec<u8>>| {
        bytes.map_or_else(|| ().into(), |bytes| Robj::from(Raw::from_bytes(&bytes)))
    };
    List::from_values(shelf.0.drain(..count).map(robj))
}

/// Ask the networks of a shelf about new rows; see R/mlp-predict.R for the question and the settings.
#[extendr]
fn rust_mlp_predict_job(
    mut networks: ExternalPtr<Shelf>,
    x: List,
    question: List,
    settings: List,
) -> Robj {
    let networks = std::mem::take(&mut networks.0);
    reply(start(networks, &x, &Fields::new(&question), &Fields::new(&settings)))
}

fn start(
    networks: Vec<Option<Vec<u8>>>,
    x: &List,
    question: &Fields,
    fields: &Fields,
) -> Result<Robj> {
    let x = Matrix::new(x, "newdata")?.source()?;
    let classes = fields.count("classes")?;
    let (shape, question) = (shape(x.cols(), classes, fields)?, Question::read(question)?);
    let (center, scale) = (fields.numbers("center")?, fields.numbers("scale")?);
    let units = (!scale.is_empty()).then(|| Standard { center, scale, sd: Vec::new() });
    let answer = match classes {
        0 => {
            Answer::Number { center: fields.number("y_center")?, scale: fields.number("y_scale")? }
        }
        _ => Answer::Classes(classes),
    };
    job::start(fields, move |control| {
        let networks = decode(networks, &shape, control)?;
        let x = Inputs::new(&x, units.as_ref(), control)?;
        question.put(&Networks { shape: &shape, networks: &networks, x: &x, answer }, control)
    })
}

fn decode(
    networks: Vec<Option<Vec<u8>>>,
    shape: &Shape,
    control: &Control,
) -> Result<Vec<Vec<f32>>> {
    let number = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    let one = |bytes: Option<Vec<u8>>| {
        control.check()?;
        let bytes = bytes.unwrap_or_default();
        if bytes.len() != 4 * shape.parameters() {
            let (found, wanted) = (bytes.len(), 4 * shape.parameters());
            let text = format!("holds a network of {found} bytes, not {wanted}");
            return Err(Error::argument("object", text));
        }
        Ok(shape.expand(&bytes.chunks_exact(4).map(number).collect::<Vec<f32>>()))
    };
    networks.into_iter().map(one).collect()
}

/// Ask about answers that were kept: draws by rows by classes.
#[extendr]
fn rust_mlp_kept_job(answers: &[f64], shape: &[f64], question: List, settings: List) -> Robj {
    reply(start_kept(answers, shape, &Fields::new(&question), &Fields::new(&settings)))
}

fn start_kept(answers: &[f64], shape: &[f64], question: &Fields, fields: &Fields) -> Result<Robj> {
    let question = Question::read(question)?;
    let size = |k: usize| shape.get(k).map_or(1, |size| *size as usize);
    let table = Array3::from_shape_vec((size(0), size(1), size(2)).f(), answers.to_vec())
        .map_err(|e| Error::Internal(format!("kept answers: {e}")))?;
    job::start(fields, move |control| question.put(&Table(table), control))
}

/// What is to be made of the answers.
enum Question {
    Draws,
    Mean,
    Limits { interval: Interval, probs: Vec<f64> },
    Spread { classes: bool },
    Scores(Observed),
}

impl Question {
    fn read(fields: &Fields) -> Result<Question> {
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
    fn put(self, answers: &dyn Answers, control: &Control) -> Result<Outcome> {
        let shape = answers.shape();
        let rest: Box<dyn FnOnce() -> List + Send> = match self {
            Question::Draws => {
                let mut all = All::new(shape);
                ask(answers, &mut all, control)?;
                let tables = vec![("draws", flat(all.0))];
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

extendr_module! {
    mod mlp_predict;
    fn rust_shelf;
    fn rust_shelf_put;
    fn rust_shelf_take;
    fn rust_mlp_predict_job;
    fn rust_mlp_kept_job;
}
