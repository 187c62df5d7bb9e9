//! Networks: data and settings in, trained networks out.

use crate::convert::{Fields, Result, reply};
use crate::job::{self, Outcome};
use crate::matrix::Matrix;
use crate::mlp_predict::Shelf;
use crate::results::{codes, curve_list, flat, integers, or_null};
use crate::settings::{Range, lambda, weight_plan};
use extendr_api::prelude::*;
use ndarray::{Array2, Array3, ShapeBuilder, s};
use wbb_core::data::source::Source;
use wbb_core::data::standard::Standard;
use wbb_core::engine::bootstrap::{self, Draws};
use wbb_core::engine::cv::{Lambda, cross_validate};
use wbb_core::engine::job::Control;
use wbb_core::mlp::{
    Activation, Answer, DrawNetwork, Init, Inputs, Method, Mlp, Recipe, Shape, Target,
};

/// Start the training of networks; see R/mlp.R for the settings. `test` may be NULL.
#[extendr]
fn rust_mlp_job(
    x: ExternalPtr<Matrix>,
    y: Vec<f64>,
    test: Nullable<ExternalPtr<Matrix>>,
    settings: List,
) -> Robj {
    let test = Option::from(test).map(Matrix::take);
    reply(start(Matrix::take(x), y, test, &Fields::new(&settings)))
}

fn start(x: Matrix, y: Vec<f64>, test: Option<Matrix>, fields: &Fields) -> Result<Robj> {
    let plan = weight_plan(fields)?;
    let classes = fields.count("classes")?;
    let shape = shape(x.columns, classes, fields)?;
    let standardize = fields.flag("standardize")?;
    let (recipe, keep) = (recipe(fields, plan.seed())?, keep(fields)?);
    let lambda = lambda(fields)?;
    let range = Range::read_optional(fields)?;
    job::start(fields, move |control| {
        let x = x.source("x")?;
        let test = test.map(|test| test.source("test")).transpose()?;
        // A sparse matrix keeps its zeros.
        let centred = matches!(x, Source::Dense(_));
        let units = standardize
            .then(|| Standard::new(&x, centred, |i| plan.case(i), || control.check()))
            .transpose()?;
        let inputs = Inputs::new(&x, units.as_ref(), control)?;
        drop(x);
        let test = test.map(|test| Inputs::new(&test, units.as_ref(), control)).transpose()?;
        let target = match classes {
            0 => Target::numbers(&y, |i| plan.case(i)),
            _ => Target::classes(y.iter().map(|&id| id as u32).collect(), classes),
        };
        let epochs = recipe.epochs;
        let mut mlp = Mlp::new(shape, inputs, target, test, plan, recipe, keep);
        let curve = match &lambda {
            Lambda::Given(lambda) => {
                mlp.recipe.lambda = lambda.first().copied().unwrap_or_default();
                None
            }
            Lambda::CrossValidated(settings) => {
                let curve = cross_validate(&mlp, settings, control)?;
                mlp.recipe.lambda = curve.chosen(settings.rule);
                Some(curve)
            }
        };
        let lambda = mlp.recipe.lambda;
        let chosen =
            move || vec![("lambda", lambda.into()), ("cv", or_null(curve.map(curve_list)))];
        let Some(range) = range else {
            let rest = move || List::from_pairs(chosen());
            return Ok(Outcome { tables: Vec::new(), rest: Box::new(rest) });
        };
        let draws = bootstrap::run(&mlp, range.first, range.count, control)?;
        outcome(draws, epochs, keep, units.unwrap_or_default(), mlp.answer(), chosen, control)
    })
}

pub fn shape(columns: usize, classes: usize, fields: &Fields) -> Result<Shape> {
    let mut sizes = vec![columns];
    sizes.extend(fields.counts::<usize>("hidden")?);
    sizes.push(classes.max(1));
    Ok(Shape { sizes, activation: Activation::new(&fields.text("activation")?)? })
}

fn recipe(fields: &Fields, seed: u64) -> Result<Recipe> {
    // A negative seed is as good as any other: its bits are the key.
    let batch_seed = fields.optional_number("batch_seed")?.map_or(seed, |s| s as i64 as u64);
    Ok(Recipe {
        // Chosen in the job.
        lambda: 0.0,
        epochs: fields.count("epochs")?,
        before: 0,
        batch: fields.count("batch_size")?,
        rate: fields.number("learning_rate")?,
        decay: fields.optional_number("decay")?,
        method: Method::new(&fields.text("optimizer")?, fields.number("momentum")?)?,
        average: fields.number("average")?,
        shuffle: either(fields, "batches", "shuffled", "cyclic")?.then_some(batch_seed),
        init: Init::new(&fields.text("init")?)?,
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

/// The tables are made here, in the job; R's thread has only to copy them.
fn outcome(
    mut draws: Draws<DrawNetwork>,
    epochs: usize,
    keep: bool,
    units: Standard,
    answer: Answer,
    chosen: impl FnOnce() -> Vec<(&'static str, Robj)> + Send + 'static,
    control: &Control,
) -> Result<Outcome> {
    let mut networks = std::mem::take(&mut draws.asides);
    let count = networks.len();
    let of_draws = |f: fn(&DrawNetwork) -> f64| -> Vec<f64> { networks.iter().map(f).collect() };
    let (rate, loss) = (of_draws(|n| n.rate), of_draws(|n| n.loss));
    let gradient = (of_draws(|n| n.gradient), of_draws(|n| n.start_gradient));
    let accuracy = of_draws(|n| n.accuracy);
    let (rows, outputs) = networks.first().map_or((0, 0), |n| n.answers.dim());
    // NaN after an early stop.
    let mut curves = Array2::from_elem((count, epochs).f(), f64::NAN);
    let mut answers = Array3::zeros((count, rows, outputs).f());
    // What was finished before a stop is wanted all the same.
    let stopped = control.check().is_err();
    for (k, network) in networks.iter().enumerate() {
        if !stopped {
            control.check()?;
        }
        let mut curve = curves.slice_mut(s![k, ..]);
        curve.iter_mut().zip(&network.curve).for_each(|(place, value)| *place = *value);
        answers.slice_mut(s![k, .., ..]).assign(&network.answers);
    }
    let shelf = keep.then(|| Shelf::new(networks.drain(..).map(|n| n.parameters)));
    let tables = if rows > 0 { vec![("predictions", answers.into())] } else { Vec::new() };
    let rest = move || {
        let (y_center, y_scale) = match answer {
            Answer::Number { center, scale } => (center, scale),
            Answer::Classes(_) => (0.0, 1.0),
        };
        let fields = list!(
            draws = shelf.map_or_else(|| ().into(), |s| Robj::from(ExternalPtr::new(s))),
            curve = flat(curves),
            diagnostics = list!(
                status = codes(flat(draws.status)),
                iterations = integers(flat(draws.iterations)),
                learning_rate = rate,
                objective = flat(draws.objective),
                loss = loss,
                gradient = gradient.0,
                start_gradient = gradient.1,
                accuracy = accuracy,
                sigma = flat(draws.sigma)
            ),
            center = units.center,
            scale = units.scale,
            y_center = y_center,
            y_scale = y_scale
        );
        let fields: Vec<_> = fields.iter().chain(chosen()).collect();
        List::from_pairs(fields)
    };
    Ok(Outcome { tables, rest: Box::new(rest) })
}

extendr_module! {
    mod mlp;
    fn rust_mlp_job;
}
