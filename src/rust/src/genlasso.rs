//! The generalised lasso: data, penalty matrix and settings in, draws out.

use crate::convert::{Fields, Result, reply};
use crate::job;
use crate::matrix::Matrix;
use crate::results::Solved;
use crate::settings::{Range, lambda, limits, weight_plan};
use extendr_api::prelude::*;
use wbb_core::engine::bootstrap;
use wbb_core::genlasso::{GenLasso, GenLassoOptions};

/// Start a generalised lasso job; see R/genlasso.R for the settings. `x` may be NULL: the identity.
#[extendr]
fn rust_genlasso_job(
    y: Vec<f64>,
    x: Nullable<ExternalPtr<Matrix>>,
    d: ExternalPtr<Matrix>,
    settings: List,
) -> Robj {
    let x = Option::from(x).map(Matrix::take);
    reply(start(y, x, Matrix::take(d), &Fields::new(&settings)))
}

fn start(y: Vec<f64>, x: Option<Matrix>, d: Matrix, fields: &Fields) -> Result<Robj> {
    let plan = weight_plan(fields)?;
    let options = GenLassoOptions { lambda: lambda(fields)?, limits: limits(fields)? };
    let range = Range::read_optional(fields)?;
    job::start(fields, move |control| {
        let (x, d) = (x.map(|x| x.sparse("X")).transpose()?, d.sparse("D")?);
        let lasso = GenLasso::new(y, x, d, plan, options, control)?;
        let run = |r: Range| bootstrap::run_packed(&lasso, r.first, r.count, control, |_, _| ());
        let draws = range.map(run).transpose()?;
        let (lambda, modes, curve) = (lasso.lambda, lasso.modes, lasso.curve);
        let solved = Solved { draws, modes, lambda, curve, method: "interior point" };
        Ok(solved.outcome(Vec::new).0)
    })
}

extendr_module! {
    mod genlasso;
    fn rust_genlasso_job;
}
