//! Networks: data and settings in, networks and their answers out.

use crate::convert::{Fields, Matrix, Result, reply};
use crate::job::{self, Outcome};
use crate::results::{codes, integers};
use crate::settings::{Range, weight_plan};
use extendr_api::prelude::*;
use wbb_core::bootstrap::{self, Draws};
use wbb_core::error::Error;
use wbb_core::mlp::{
    Activation, Answer, DrawNetwork, Inputs, Method, Mlp, Recipe, Shape, Source, Target, Units,
    predict,
};

/// Start the training of networks; see R/mlp.R for the settings. `test` may be NULL.
#[extendr]
fn rust_mlp_job(x: List, y: Vec<f64>, test: Nullable<List>, settings: List) -> Robj {
    reply(start(&x, y, &test, &Fields::new(&settings)))
}

fn start(x: &List, y: Vec<f64>, test: &Nullable<List>, fields: &Fields) -> Result<Robj> {
    let plan = weight_plan(fields)?;
    let x = Copied::read(&Matrix::new(x, "x")?)?;
    let test = match test {
        Nullable::NotNull(test) => Some(Copied::read(&Matrix::new(test, "test")?)?),
        Nullable::Null => None,
    };
    let classes = fields.count("classes")?;
    let shape = shape(x.columns, classes, fields)?;
    let standardize = fields.flag("standardize")?;
    let (recipe, keep) = (recipe(fields)?, keep(fields)?);
    let range = Range::read(fields)?;
    job::start(fields, move |control| {
        let units = match standardize {
            true => x.standard(|i| plan.case(i)),
            false => Units::default(),
        };
        control.check()?;
        let x = x.inputs(&units);
        control.check()?;
        let test = test.map(|test| test.inputs(&units));
        let target = match classes {
            0 => Target::numbers(&y, |i| plan.case(i)),
            _ => Target::classes(y.iter().map(|&id| id as u32).collect(), classes),
        };
        let epochs = recipe.epochs;
        let mlp = Mlp::new(shape, x, target, test, plan, recipe, keep);
        let draws = bootstrap::run(&mlp, range.first, range.count, control)?;
        let (networks, answer) = (mlp.take_networks(), mlp.answer());
        Ok(outcome(draws, networks, epochs, keep, units, answer))
    })
}

/// The answers of networks at new rows.
#[extendr]
fn rust_mlp_predict_job(networks: List, x: List, settings: List) -> Robj {
    reply(start_predict(&networks, &x, &Fields::new(&settings)))
}

fn start_predict(networks: &List, x: &List, fields: &Fields) -> Result<Robj> {
    let x = Copied::read(&Matrix::new(x, "newdata")?)?;
    let classes = fields.count("classes")?;
    let shape = shape(x.columns, classes, fields)?;
    let networks =
        networks.values().map(|bytes| read(&bytes, &shape)).collect::<Result<Vec<_>>>()?;
    let units = Units { center: fields.numbers("center")?, scale: fields.numbers("scale")? };
    let answer = match classes {
        0 => {
            Answer::Number { center: fields.number("y_center")?, scale: fields.number("y_scale")? }
        }
        _ => Answer::Classes(classes),
    };
    job::start(fields, move |control| {
        let answers = predict(&shape, &networks, &x.inputs(&units), answer, control)?;
        Ok(Outcome { tables: vec![("predictions", answers)], rest: Box::new(|| list!()) })
    })
}

/// The user's matrix, copied once; what becomes of it is the job's.
struct Copied {
    rows: usize,
    columns: usize,
    values: Values,
}

enum Values {
    /// Column-major.
    Dense(Vec<f64>),
    Sparse(Source<'static>),
}

impl Copied {
    fn read(x: &Matrix) -> Result<Copied> {
        let values = match x.sparse()? {
            Some(x) => Values::Sparse(Source::Sparse(x)),
            None => Values::Dense(x.with_dense(<[f64]>::to_vec)?),
        };
        Ok(Copied { rows: x.rows, columns: x.columns, values })
    }

    fn with_source<T>(&self, look: impl FnOnce(&Source) -> T) -> T {
        match &self.values {
            Values::Dense(values) => look(&Source::Dense(values)),
            Values::Sparse(source) => look(source),
        }
    }

    fn standard(&self, case: impl Fn(usize) -> f64 + Copy) -> Units {
        self.with_source(|source| Units::standard(source, self.rows, self.columns, case))
    }

    /// The numbers that networks see; the copy goes.
    fn inputs(self, units: &Units) -> Inputs {
        self.with_source(|source| Inputs::new(source, self.rows, self.columns, units))
    }
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
    Ok(bytes.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect())
}

fn outcome(
    mut draws: Draws,
    networks: Vec<DrawNetwork>,
    epochs: usize,
    keep: bool,
    units: Units,
    answer: Answer,
) -> Outcome {
    let predictions = std::mem::take(&mut draws.theta);
    let tables = if draws.dimension > 0 { vec![("predictions", predictions)] } else { Vec::new() };
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
            curve = curves(&networks, epochs),
            diagnostics = list!(
                status = codes(draws.status),
                iterations = integers(draws.iterations),
                learning_rate = of_draws(|n| n.rate),
                objective = draws.objective,
                loss = of_draws(|n| n.loss),
                gradient = draws.gap,
                accuracy = of_draws(|n| n.accuracy),
                sigma = draws.sigma
            ),
            center = units.center,
            scale = units.scale,
            y_center = y_center,
            y_scale = y_scale
        )
    };
    Outcome { tables, rest: Box::new(rest) }
}

/// The loss of each epoch, [draw, epoch]; NaN after an early stop.
fn curves(networks: &[DrawNetwork], epochs: usize) -> Vec<f64> {
    let mut curves = vec![f64::NAN; networks.len() * epochs];
    for (k, network) in networks.iter().enumerate() {
        for (e, &value) in network.curve.iter().enumerate() {
            curves[e * networks.len() + k] = value;
        }
    }
    curves
}

extendr_module! {
    mod mlp;
    fn rust_mlp_job;
    fn rust_mlp_predict_job;
}
