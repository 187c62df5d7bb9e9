//! Networks: data and settings in, networks and their answers out.

use crate::convert::{Fields, Matrix, Result, reply};
use crate::job::{self, Outcome};
use crate::results::{codes, flat, integers};
use crate::settings::{Range, weight_plan};
use extendr_api::prelude::*;
use ndarray::{Array2, ShapeBuilder};
use wbb_core::data::source::Source;
use wbb_core::data::standard::Standard;
use wbb_core::engine::bootstrap::{self, Draws};
use wbb_core::error::Error;
use wbb_core::mlp::{
    Activation, Answer, DrawNetwork, Inputs, Method, Mlp, Recipe, Shape, Target, predict,
};

/// Start the training of networks; see R/mlp.R for the settings. `test` may be NULL.
#[extendr]
fn rust_mlp_job(x: List, y: Vec<f64>, test: Nullable<List>, settings: List) -> Robj {
    reply(start(&x, y, &test, &Fields::new(&settings)))
}

fn start(x: &List, y: Vec<f64>, test: &Nullable<List>, fields: &Fields) -> Result<Robj> {
    let plan = weight_plan(fields)?;
    let x = Matrix::new(x, "x")?.source()?;
    let test = match test {
        Nullable::NotNull(test) => Some(Matrix::new(test, "test")?.source()?),
        Nullable::Null => None,
    };
    let classes = fields.count("classes")?;
    let shape = shape(x.cols(), classes, fields)?;
    let standardize = fields.flag("standardize")?;
    let (recipe, keep) = (recipe(fields)?, keep(fields)?);
    let range = Range::read(fields)?;
    job::start(fields, move |control| {
        // A sparse matrix keeps its zeros.
        let centred = matches!(x, Source::Dense(_));
        let units = standardize.then(|| Standard::new(&x, centred, |i| plan.case(i)));
        control.check()?;
        let inputs = Inputs::new(&x, units.as_ref());
        drop(x);
        control.check()?;
        let test = test.map(|test| Inputs::new(&test, units.as_ref()));
        let target = match classes {
            0 => Target::numbers(&y, |i| plan.case(i)),
            _ => Target::classes(y.iter().map(|&id| id as u32).collect(), classes),
        };
        let epochs = recipe.epochs;
        let mlp = Mlp::new(shape, inputs, target, test, plan, recipe, keep);
        let draws = bootstrap::run(&mlp, range.first, range.count, control)?;
        Ok(outcome(draws, epochs, keep, units.unwrap_or_default(), mlp.answer()))
    })
}

/// The answers of networks at new rows.
#[extendr]
fn rust_mlp_predict_job(networks: List, x: List, settings: List) -> Robj {
    reply(start_predict(&networks, &x, &Fields::new(&settings)))
}

fn start_predict(networks: &List, x: &List, fields: &Fields) -> Result<Robj> {
    let x = Matrix::new(x, "newdata")?.source()?;
    let classes = fields.count("classes")?;
    let shape = shape(x.cols(), classes, fields)?;
    let networks =
        networks.values().map(|bytes| read(&bytes, &shape)).collect::<Result<Vec<_>>>()?;
    let (center, scale) = (fields.numbers("center")?, fields.numbers("scale")?);
    let units = (!scale.is_empty()).then(|| Standard { center, scale, sd: Vec::new() });
    let answer = match classes {
        0 => {
            Answer::Number { center: fields.number("y_center")?, scale: fields.number("y_scale")? }
        }
        _ => Answer::Classes(classes),
    };
    job::start(fields, move |control| {
        let x = Inputs::new(&x, units.as_ref());
        let answers = predict(&shape, &networks, &x, answer, control)?;
        Ok(Outcome { tables: vec![("predictions", answers)], rest: Box::new(|| list!()) })
    })
}

fn shape(columns: usize, classes: usize, fields: &Fields) -> Result<Shape> {
    let mut sizes = vec![columns];
    sizes.extend(fields.counts::<usize>("hidden")?);
    sizes.push(classes.max(1));
    Ok(Shape { sizes, activation: Activation::new(&fields.text("activation")?)? })
}

fn recipe(fields: &Fields) -> Result<Recipe> {
    Ok(Recipe {
        lambda: fields.number("lambda")?,
        epochs: fields.count("epochs")?,
        batch: fields.count("batch_size")?,
        rate: fields.number("learning_rate")?,
        decay: fields.number("decay")?,
        method: Method::new(&fields.text("optimizer")?, fields.number("momentum")?)?,
        shuffle: either(fields, "batches", "shuffled", "cyclic")?,
        fresh: either(fields, "init", "fresh", "shared")?,
        tolerance: fields.number("tolerance")?,
    })
}

fn keep(fields: &Fields) -> Result<bool> {
    either(fields, "keep", "networks", "predictions")
}

/// Is it the one word, and not the other?
fn either(fields: &Fields, name: &str, yes: &str, no: &str) -> Result<bool> {
    match fields.text(name)? {
        word if word == yes => Ok(true),
        word if word == no => Ok(false),
        word => fields.unknown(name, &word),
    }
}

/// Four bytes a parameter, as R keeps them.
fn write(parameters: &[f32]) -> Robj {
    let bytes: Vec<u8> = parameters.iter().flat_map(|p| p.to_le_bytes()).collect();
    Raw::from_bytes(&bytes).into()
}

fn read(bytes: &Robj, shape: &Shape) -> Result<Vec<f32>> {
    let bytes = bytes.as_raw_slice().unwrap_or(&[]);
    if bytes.len() != 4 * shape.parameters() {
        let text =
            format!("holds a network of {} bytes, not {}", bytes.len(), 4 * shape.parameters());
        return Err(Error::argument("object", text));
    }
    Ok(bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}

fn outcome(
    draws: Draws<DrawNetwork>,
    epochs: usize,
    keep: bool,
    units: Standard,
    answer: Answer,
) -> Outcome {
    let networks = draws.asides;
    let predictions =
        by_draw(&networks, |n| &n.answers, networks.first().map_or(0, |n| n.answers.len()));
    let tables =
        if predictions.is_empty() { Vec::new() } else { vec![("predictions", predictions)] };
    let rest = move || {
        let of_draws =
            |f: fn(&DrawNetwork) -> f64| -> Vec<f64> { networks.iter().map(f).collect() };
        let (y_center, y_scale) = match answer {
            Answer::Number { center, scale } => (center, scale),
            Answer::Classes(_) => (0.0, 1.0),
        };
        let kept = |n: &DrawNetwork| n.parameters.as_ref().map_or_else(|| ().into(), |p| write(p));
        list!(
            draws = if keep {
                List::from_values(networks.iter().map(kept)).into()
            } else {
                Robj::from(())
            },
            curve = by_draw(&networks, |n| &n.curve, epochs),
            diagnostics = list!(
                status = codes(flat(draws.status)),
                iterations = integers(flat(draws.iterations)),
                learning_rate = of_draws(|n| n.rate),
                objective = flat(draws.objective),
                loss = of_draws(|n| n.loss),
                gradient = of_draws(|n| n.gradient),
                accuracy = of_draws(|n| n.accuracy),
                sigma = flat(draws.sigma)
            ),
            center = units.center,
            scale = units.scale,
            y_center = y_center,
            y_scale = y_scale
        )
    };
    Outcome { tables, rest: Box::new(rest) }
}

/// `size` numbers of each network, draws fastest; NaN where a network has fewer (after an early stop).
fn by_draw(
    networks: &[DrawNetwork],
    numbers: fn(&DrawNetwork) -> &Vec<f64>,
    size: usize,
) -> Vec<f64> {
    let mut table = Array2::from_elem((networks.len(), size).f(), f64::NAN);
    for (mut row, network) in table.outer_iter_mut().zip(networks) {
        row.iter_mut().zip(numbers(network)).for_each(|(place, value)| *place = *value);
    }
    flat(table)
}

extendr_module! {
    mod mlp;
    fn rust_mlp_job;
    fn rust_mlp_predict_job;
}
