//! Networks: data and options in, trained networks out.

use crate::convert::{Fields, Result, error_list};
use crate::job::{self, Convert};
use crate::lasso::{flat, source};
use crate::mlp_predict::Shelf;
use extendr_api::prelude::*;
use ndarray::{Array2, Array3, ShapeBuilder, s};
use wbb_core::data::source::Source;
use wbb_core::data::standard::Standard;
use wbb_core::engine::bootstrap::{self, Draws};
use wbb_core::engine::job::Control;
use wbb_core::mlp::{
    Activation, Answer, DrawNetwork, Init, Inputs, Method, Mlp, Recipe, Shape, Target,
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
    let (recipe, keep) = (recipe(fields, plan.seed())?, fields.flag("keep_networks")?);
    let epochs = recipe.epochs;
    let (first, count) = (fields.number("first_draw")? as u64, fields.count("draws")?);
    let work = move |control: &Control| {
        // A sparse matrix keeps its zeros.
        let centred = matches!(x, Source::Dense(_));
        let units = standardize
            .then(|| Standard::try_new(&x, centred, |i| plan.case(i), || control.check()))
            .transpose()?;
        let inputs = Inputs::new(&x, units.as_ref(), control)?;
        drop(x);
        let test = test.map(|test| Inputs::new(&test, units.as_ref(), control)).transpose()?;
        let mlp = Mlp::new(shape, inputs, target, test, plan, recipe, keep);
        let draws = bootstrap::run(&mlp, first, count, control)?;
        let (units, answer) = (units.unwrap_or_default(), mlp.answer());
        result(draws, epochs, keep, units, answer, control)
    };
    Ok(job::start(fields.count("threads")?, work))
}

pub fn shape(fields: &Fields) -> Result<Shape> {
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

fn recipe(fields: &Fields, seed: u64) -> Result<Recipe> {
    // A negative seed is as good as any other: its bits are the key.
    let batch_seed = fields.optional_number("batch_seed")?.map_or(seed, |s| s as i64 as u64);
    Ok(Recipe {
        lambda: fields.number("lambda")?,
        epochs: fields.count("epochs")?,
        before: 0,
        batch: fields.count("batch_size")?,
        rate: fields.number("learning_rate")?,
        decay: fields.number("decay")?,
        method: Method::new(&fields.text("optimizer")?, fields.number("momentum")?)?,
        average: fields.number("average")?,
        shuffle: fields.flag("shuffle")?.then_some(batch_seed),
        init: Init::new(&fields.text("init")?)?,
        tolerance: fields.number("tolerance")?,
    })
}

/// The tables are made here, in the job; R's thread has only to copy them.
fn result(
    mut draws: Draws<DrawNetwork>,
    epochs: usize,
    keep: bool,
    units: Standard,
    answer: Answer,
    control: &Control,
) -> Result<Convert> {
    let mut networks = std::mem::take(&mut draws.asides);
    let count = networks.len();
    let of_draws = |f: fn(&DrawNetwork) -> f64| -> Vec<f64> { networks.iter().map(f).collect() };
    let (rate, loss) = (of_draws(|n| n.rate), of_draws(|n| n.loss));
    let gradient = (of_draws(|n| n.gradient), of_draws(|n| n.start_gradient));
    let accuracy = of_draws(|n| n.accuracy);
    let (rows, outputs) = networks.first().map_or((0, 0), |n| n.answers.dim());
    let mut curves = Array2::from_elem((count, epochs).f(), f64::NAN);
    let mut answers = Array3::zeros((count, rows, outputs).f());
    for (k, network) in networks.iter().enumerate() {
        control.check()?;
        let mut curve = curves.slice_mut(s![k, ..]);
        curve.iter_mut().zip(&network.curve).for_each(|(place, value)| *place = *value);
        answers.slice_mut(s![k, .., ..]).assign(&network.answers);
    }
    let shelf = keep.then(|| Shelf::new(networks.drain(..).map(|n| n.parameters)));
    let (y_center, y_scale) = match answer {
        Answer::Number { center, scale } => (center, scale),
        Answer::Classes(_) => (0.0, 1.0),
    };
    Ok(Box::new(move || {
        list!(
            networks = shelf.map_or_else(|| ().into(), |s| Robj::from(ExternalPtr::new(s))),
            predictions = if rows > 0 { Robj::from(flat(answers)) } else { Robj::from(()) },
            status = draws.status.iter().map(|s| *s as i32).collect::<Vec<i32>>(),
            iterations = draws.iterations.iter().map(|i| *i as i32).collect::<Vec<i32>>(),
            learning_rate = rate,
            objective = flat(draws.objective),
            loss = loss,
            gradient = gradient.0,
            start_gradient = gradient.1,
            accuracy = accuracy,
            sigma = flat(draws.sigma),
            curve = flat(curves),
            center = units.center,
            scale = units.scale,
            y_center = y_center,
            y_scale = y_scale
        )
    }))
}

extendr_module! {
    mod mlp;
    fn rust_mlp_job;
}
