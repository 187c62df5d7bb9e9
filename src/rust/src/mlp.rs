//! Networks: data and options in, networks and their answers out.

use crate::convert::{Fields, Result, error_list};
use crate::job::{self, Convert};
use crate::lasso::{flat, source};
use extendr_api::prelude::*;
use wbb_core::data::source::Source;
use wbb_core::data::standard::Standard;
use wbb_core::engine::bootstrap::{self, Draws};
use wbb_core::mlp::{
    Activation, Answer, DrawNetwork, Inputs, Method, Mlp, Recipe, Shape, Target, predict,
};
use wbb_core::random::weights::WeightPlan;

/// Start the training of networks; see R/mlp-fit.R for the fields.
#[extendr]
fn rust_mlp_job(design: List, y: Vec<f64>, test: List, options: List) -> Robj {
    start(&Fields(&design), &y, &Fields(&test), &Fields(&options))
        .unwrap_or_else(|e| error_list(&e).into())
}

fn start(design: &Fields, y: &[f64], test: &Fields, fields: &Fields) -> Result<Robj> {
    let plan = fields.weight_plan()?;
    let (n, p) = (fields.count("n")?, fields.count("p")?);
    let (shape, standardize) = (shape(fields)?, fields.flag("standardize")?);
    let x = source(design, n, p)?;
    let rows = fields.count("n_test")?;
    let test = if rows > 0 { Some(source(test, rows, p)?) } else { None };
    let target = target(y, &plan, fields.count("classes")?);
    let (recipe, keep) = (recipe(fields)?, fields.flag("keep_networks")?);
    let epochs = recipe.epochs;
    let (first, count) = (fields.number("first_draw")? as u64, fields.count("draws")?);
    let work = move |control: &_| {
        // A sparse matrix keeps its zeros.
        let centred = matches!(x, Source::Dense(_));
        let units = standardize.then(|| Standard::new(&x, centred, |i| plan.case(i)));
        let inputs = Inputs::new(&x, units.as_ref());
        drop(x);
        let test = test.map(|test| Inputs::new(&test, units.as_ref()));
        let mlp = Mlp::new(shape, inputs, target, test, plan, recipe, keep);
        let mut draws = bootstrap::run(&mlp, first, count, control)?;
        let (networks, answer) = (std::mem::take(&mut draws.asides), mlp.answer());
        let units = units.unwrap_or_default();
        Ok(Box::new(move || result(draws, networks, epochs, keep, units, answer)) as Convert)
    };
    Ok(job::start(fields.count("threads")?, work))
}

/// The answers of networks at new rows.
#[extendr]
fn rust_mlp_predict_job(networks: List, design: List, options: List) -> Robj {
    start_predict(&networks, &Fields(&design), &Fields(&options))
        .unwrap_or_else(|e| error_list(&e).into())
}

fn start_predict(networks: &List, design: &Fields, fields: &Fields) -> Result<Robj> {
    let shape = shape(fields)?;
    let networks =
        networks.values().map(|bytes| read(&bytes, &shape)).collect::<Result<Vec<_>>>()?;
    let (center, scale) = (fields.numbers("center")?, fields.numbers("scale")?);
    let units = (!scale.is_empty()).then(|| Standard { center, scale, sd: Vec::new() });
    let x = source(design, fields.count("n")?, fields.count("p")?)?;
    let answer = match fields.count("classes")? {
        0 => {
            Answer::Number { center: fields.number("y_center")?, scale: fields.number("y_scale")? }
        }
        classes => Answer::Classes(classes),
    };
    let work = move |control: &_| {
        let x = Inputs::new(&x, units.as_ref());
        let answers = predict(&shape, &networks, &x, answer, control)?;
        Ok(Box::new(move || list!(predictions = answers)) as Convert)
    };
    Ok(job::start(fields.count("threads")?, work))
}

fn shape(fields: &Fields) -> Result<Shape> {
    let mut sizes = vec![fields.count("p")?];
    sizes.extend(fields.ids("hidden")?.into_iter().map(|h| h as usize));
    sizes.push(fields.count("classes")?.max(1));
    Ok(Shape { sizes, activation: Activation::new(&fields.text("activation")?)? })
}

fn target(y: &[f64], plan: &WeightPlan, classes: usize) -> Target {
    if classes == 0 {
        return Target::numbers(y, |i| plan.case(i));
    }
    Target::classes(y.iter().map(|&id| id as u32).collect(), classes)
}

fn recipe(fields: &Fields) -> Result<Recipe> {
    Ok(Recipe {
        lambda: fields.number("lambda")?,
        epochs: fields.count("epochs")?,
        batch: fields.count("batch_size")?,
        rate: fields.number("learning_rate")?,
        decay: fields.number("decay")?,
        method: Method::new(&fields.text("optimizer")?, fields.number("momentum")?)?,
        shuffle: fields.flag("shuffle")?,
        fresh: fields.text("init")? == "fresh",
        tolerance: fields.number("tolerance")?,
    })
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
        return Err(wbb_core::error::Error::argument("object", text));
    }
    Ok(bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}

fn result(
    draws: Draws<DrawNetwork>,
    networks: Vec<DrawNetwork>,
    epochs: usize,
    keep: bool,
    units: Standard,
    answer: Answer,
) -> List {
    let of_draws = |f: fn(&DrawNetwork) -> f64| -> Vec<f64> { networks.iter().map(f).collect() };
    let count = networks.len();
    let mut curve = vec![f64::NAN; count * epochs];
    let size = networks.first().map_or(0, |n| n.answers.len());
    let mut answers = vec![0.0; count * size];
    for (k, network) in networks.iter().enumerate() {
        for (e, &value) in network.curve.iter().enumerate() {
            curve[e * count + k] = value;
        }
        for (at, &value) in network.answers.iter().enumerate() {
            answers[at * count + k] = value;
        }
    }
    let (y_center, y_scale) = match answer {
        Answer::Number { center, scale } => (center, scale),
        Answer::Classes(_) => (0.0, 1.0),
    };
    let kept = |n: &DrawNetwork| n.parameters.as_ref().map_or_else(|| ().into(), |p| write(p));
    list!(
        networks =
            if keep { List::from_values(networks.iter().map(kept)).into() } else { Robj::from(()) },
        predictions = if size > 0 { Robj::from(answers) } else { Robj::from(()) },
        status = draws.status.iter().map(|s| *s as i32).collect::<Vec<i32>>(),
        iterations = draws.iterations.iter().map(|i| *i as i32).collect::<Vec<i32>>(),
        learning_rate = of_draws(|n| n.rate),
        objective = flat(draws.objective),
        loss = of_draws(|n| n.loss),
        gradient = of_draws(|n| n.gradient),
        accuracy = of_draws(|n| n.accuracy),
        sigma = flat(draws.sigma),
        curve = curve,
        center = units.center,
        scale = units.scale,
        y_center = y_center,
        y_scale = y_scale
    )
}

extendr_module! {
    mod mlp;
    fn rust_mlp_job;
    fn rust_mlp_predict_job;
}
