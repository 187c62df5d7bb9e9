//! The lasso: data and settings in, draws out.

use crate::convert::{Fields, Matrix, Result, reply};
use crate::job;
use crate::results::Solved;
use crate::settings::{Range, lambda, limits, measure, response, weight_plan};
use extendr_api::prelude::*;
use wbb_core::engine::bootstrap;
use wbb_core::error::Error;
use wbb_core::lasso::{Lasso, Options};
use wbb_core::loss::response::Family;

/// Start a lasso job; see R/lasso.R for the settings.
#[extendr]
fn rust_lasso_job(x: List, y: Vec<f64>, settings: List) -> Robj {
    reply(start(&x, y, &Fields::new(&settings)))
}

fn start(x: &List, y: Vec<f64>, fields: &Fields) -> Result<Robj> {
    let x = Matrix::new(x, "x")?.source()?;
    let plan = weight_plan(fields)?;
    let response = response(fields, y)?;
    measure(fields, &response.family)?;
    if response.family != Family::Gaussian {
        return Err(Error::argument("family", "must be \"gaussian\" for now".into()));
    }
    let options = options(fields)?;
    let range = Range::read_optional(fields)?;
    job::start(fields, move |control| {
        let lasso = Lasso::new(x, response.shifted(), plan, options, control)?;
        let run = |r: Range| bootstrap::run(&lasso, r.first, r.count, control);
        let draws = range.map(run).transpose()?;
        let method = lasso.method.name();
        let (lambda, modes, curve) = (lasso.lambda, lasso.modes, lasso.curve);
        Ok(Solved { draws, modes, lambda, curve, method }.outcome())
    })
}

fn options(fields: &Fields) -> Result<Options> {
    Ok(Options {
        lambda: lambda(fields)?,
        alpha: fields.number("alpha")?,
        penalty_factor: fields.numbers("penalty_factor")?,
        intercept: fields.flag("intercept")?,
        standardize: fields.flag("standardize")?,
        refit: fields.optional_number("refit")?,
        limits: limits(fields)?,
    })
}

extendr_module! {
    mod lasso;
    fn rust_lasso_job;
}
