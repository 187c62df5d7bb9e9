//! The lasso: data and options in, draws out.

use crate::convert::{Fields, Result, error_list};
use crate::job::{self, Convert};
use extendr_api::prelude::*;
use ndarray::{Array, Dimension};
use wbb_core::data::source::Source;
use wbb_core::engine::bootstrap::{self, Draws};
use wbb_core::engine::cv::{CrossValidation, Curve, Folds, Lambda, Rule};
use wbb_core::engine::limits::Limits;
use wbb_core::engine::problem::Mode;
use wbb_core::lasso::{Lasso, Options};

/// Start a lasso job; see R/lasso-fit.R for the fields.
#[extendr]
fn rust_lasso_job(design: List, y: Vec<f64>, options: List) -> Robj {
    start(&Fields(&design), y, &Fields(&options)).unwrap_or_else(|e| error_list(&e).into())
}

fn start(design: &Fields, y: Vec<f64>, fields: &Fields) -> Result<Robj> {
    let x = source(design, fields.count("n")?, fields.count("p")?)?;
    let plan = fields.weight_plan()?;
    let options = options(fields)?;
    let (first, count) = (fields.number("first_draw")? as u64, fields.count("draws")?);
    let work = move |control: &_| {
        let lasso = Lasso::new(x, y, plan, options, control)?;
        let draws = bootstrap::run(&lasso, first, count, control)?;
        let method = lasso.method.name();
        let (lambda, modes, curve) = (lasso.lambda, lasso.modes, lasso.curve);
        Ok(Box::new(move || result(draws, lambda, &modes, curve, method)) as Convert)
    };
    Ok(job::start(fields.count("threads")?, work))
}

pub fn source(design: &Fields, n: usize, p: usize) -> Result<Source> {
    match design.sparse((n, p), "x")? {
        Some(x) => Ok(Source::Sparse(x)),
        None => design.with_numbers("x", |values| Source::dense(values, n, p)),
    }
}

pub fn lambda(fields: &Fields) -> Result<Lambda> {
    let given = fields.numbers("lambda")?;
    if !given.is_empty() {
        return Ok(Lambda::Given(given));
    }
    let ratio = fields.number("lambda_min_ratio")?;
    let foldid = fields.ids("foldid")?;
    let count = fields.count("nfolds")? as u32;
    Ok(Lambda::CrossValidated(CrossValidation {
        folds: if foldid.is_empty() { Folds::Count(count) } else { Folds::Given(foldid) },
        lambdas: fields.count("nlambda")?,
        ratio: (!ratio.is_nan()).then_some(ratio),
        rule: Rule::new(&fields.text("rule")?)?,
    }))
}

pub fn limits(fields: &Fields) -> Result<Limits> {
    Ok(Limits {
        tolerance: fields.number("tolerance")?,
        iterations: fields.count("max_iterations")? as u32,
    })
}

fn options(fields: &Fields) -> Result<Options> {
    Ok(Options {
        lambda: lambda(fields)?,
        alpha: fields.number("alpha")?,
        penalty_factor: fields.numbers("penalty_factor")?,
        intercept: fields.flag("intercept")?,
        standardize: fields.flag("standardize")?,
        refit: if fields.flag("refit")? { Some(fields.number("refit_lambda")?) } else { None },
        limits: limits(fields)?,
    })
}

/// The part of a result that all estimators share.
pub fn result<A, B>(
    draws: Draws<A>,
    lambda: Vec<f64>,
    modes: &[Mode<B>],
    curve: Option<Curve>,
    method: &str,
) -> List {
    let of_modes = |f: fn(&Mode<B>) -> f64| -> Vec<f64> { modes.iter().map(f).collect() };
    let status: Vec<i32> = flat(draws.status).into_iter().map(|s| s as i32).collect();
    let iterations: Vec<i32> = flat(draws.iterations).into_iter().map(|i| i as i32).collect();
    list!(
        draws = flat(draws.theta),
        mode = modes.iter().flat_map(|m| m.theta.iter().copied()).collect::<Vec<f64>>(),
        status = status,
        iterations = iterations,
        objective = flat(draws.objective),
        gap = flat(draws.gap),
        sigma = flat(draws.sigma),
        mode_status = modes.iter().map(|m| m.status as i32).collect::<Vec<i32>>(),
        mode_iterations = modes.iter().map(|m| m.iterations as i32).collect::<Vec<i32>>(),
        mode_objective = of_modes(|m| m.objective),
        mode_gap = of_modes(|m| m.gap),
        mode_sigma = of_modes(|m| m.sigma),
        lambda = lambda,
        cv = curve.map_or_else(|| Robj::from(()), |c| curve_list(c).into()),
        method = method
    )
}

/// A table as R holds it: column after column.
pub fn flat<T, D: Dimension>(table: Array<T, D>) -> Vec<T> {
    table.into_raw_vec_and_offset().0
}

fn curve_list(curve: Curve) -> List {
    let integers = |v: Vec<u32>| -> Vec<i32> { v.into_iter().map(|i| i as i32).collect() };
    list!(
        lambda = curve.lambda,
        mean = curve.mean,
        se = curve.se,
        nonzero = integers(curve.nonzero),
        foldid = integers(curve.fold),
        index_min = curve.index_min as i32 + 1,
        index_1se = curve.index_1se as i32 + 1
    )
}

extendr_module! {
    mod lasso;
    fn rust_lasso_job;
}
