//! The lasso: data and settings in, draws out.

use crate::convert::{Fields, Result, reply};
use crate::job::{self, Outcome};
use crate::matrix::Matrix;
use crate::results::Solved;
use crate::settings::{Range, lambda, limits, measure, observed, response, weight_plan};
use crate::tables::Table;
use extendr_api::prelude::*;
use wbb_core::engine::bootstrap::{self, Blocks};
use wbb_core::engine::cv::Curve;
use wbb_core::engine::job::Control;
use wbb_core::engine::problem::{Mode, WeightedProblem};
use wbb_core::lasso::{Glm, Lasso, Method, Options};
use wbb_core::loss::observed::Observed;
use wbb_core::loss::response::Family;

/// Start a lasso job; see R/lasso.R for the settings.
#[extendr]
fn rust_lasso_job(x: ExternalPtr<Matrix>, y: Robj, settings: List) -> Robj {
    reply(observed(&y).and_then(|y| start(Matrix::take(x), y, &Fields::new(&settings))))
}

fn start(x: Matrix, y: Observed, fields: &Fields) -> Result<Robj> {
    let plan = weight_plan(fields)?;
    let response = response(fields, y)?;
    let measure = measure(fields, &response.family)?;
    let options = options(fields)?;
    let range = Range::read_optional(fields)?;
    job::start(fields, move |control| {
        let x = x.source("x")?;
        if response.family == Family::Gaussian {
            let lasso = Lasso::new(x, response.shifted(), plan, options, control)?;
            return solved(lasso, range, control);
        }
        let glm = Glm::new(x, response, measure, plan, options, control)?;
        let (draws, dependent) = (draws(&glm, range, control)?, places(glm.dependent()));
        Ok(outcome(draws, dependent, glm.modes, glm.lambda, glm.curve, glm.method))
    })
}

/// The draws of a range, and what came before them.
pub fn solved(lasso: Lasso, range: Option<Range>, control: &Control) -> Result<Outcome> {
    let (draws, dependent) = (draws(&lasso, range, control)?, places(lasso.dependent()));
    Ok(outcome(draws, dependent, lasso.modes, lasso.lambda, lasso.curve, lasso.method))
}

/// As R counts them.
fn places(columns: &[u32]) -> Vec<i32> {
    columns.iter().map(|&j| j as i32 + 1).collect()
}

/// With the lambda of each draw, and of each of a path.
fn outcome(
    draws: Option<Blocks<Vec<f64>>>,
    dependent: Vec<i32>,
    modes: Vec<Mode>,
    lambda: Vec<f64>,
    curve: Option<Curve>,
    method: Method,
) -> Outcome {
    let solved = Solved { draws, modes, lambda, curve, method: method.name() };
    let (mut outcome, lambdas) = solved.outcome(move || vec![("dependent", dependent.into())]);
    outcome.tables.push(("lambdas", Table::of_rows(lambdas, 1)));
    outcome
}

fn draws<P: WeightedProblem>(
    problem: &P,
    range: Option<Range>,
    control: &Control,
) -> Result<Option<Blocks<Vec<P::Aside>>>> {
    let run = |r: Range| bootstrap::run_packed(problem, r.first, r.count, control, |_, all| all);
    range.map(run).transpose()
}

pub fn options(fields: &Fields) -> Result<Options> {
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
