//! Predictions of networks: networks, rows and a question in, what is made of all draws' answers out.

use crate::convert::{Fields, Result, reply};
use crate::job;
use crate::matrix::Matrix;
use crate::mlp::shape;
use crate::question::Question;
use extendr_api::prelude::*;
use wbb_core::data::standard::Standard;
use wbb_core::engine::job::Control;
use wbb_core::mlp::{Answer, Inputs, Networks, Shape};

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

/// Ask the networks of a shelf about new rows; see R/mlp-predict.R for the settings.
#[extendr]
fn rust_mlp_predict_job(
    mut networks: ExternalPtr<Shelf>,
    x: ExternalPtr<Matrix>,
    question: List,
    settings: List,
) -> Robj {
    let networks = std::mem::take(&mut networks.0);
    reply(start(networks, Matrix::take(x), &Fields::new(&question), &Fields::new(&settings)))
}

fn start(
    networks: Vec<Option<Vec<u8>>>,
    x: Matrix,
    question: &Fields,
    fields: &Fields,
) -> Result<Robj> {
    let classes = fields.count("classes")?;
    let (shape, question) = (shape(x.columns, classes, fields)?, Question::read(question)?);
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
        let x = Inputs::new(&x.source("newdata")?, units.as_ref(), control)?;
        question.put(&Networks { shape: &shape, networks: &networks, x: &x, answer }, control)
    })
}

fn decode(
    networks: Vec<Option<Vec<u8>>>,
    shape: &Shape,
    control: &Control,
) -> Result<Vec<Vec<f32>>> {
    let one = |bytes: Option<Vec<u8>>| {
        control.check()?;
        shape.decode(&bytes.unwrap_or_default())
    };
    networks.into_iter().map(one).collect()
}

extendr_module! {
    mod mlp_predict;
    fn rust_shelf;
    fn rust_shelf_put;
    fn rust_shelf_take;
    fn rust_mlp_predict_job;
}
