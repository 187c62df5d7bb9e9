//! The generalised lasso: data, penalty matrix and settings in, draws out.

use crate::convert::{Fields, Matrix, Result, reply};
use crate::job;
use crate::results::Solved;
use crate::settings::{Range, lambda, limits, weight_plan};
use extendr_api::prelude::*;
use wbb_core::engine::bootstrap;
use wbb_core::error::Error;
use wbb_core::genlasso::{GenLasso, GenLassoOptions};
use wbb_core::linalg::sparse::SparseMatrix;

/// Start a generalised lasso job; see R/genlasso.R for the settings. `x` may be NULL: the identity.
#[extendr]
fn rust_genlasso_job(y: Vec<f64>, x: Nullable<List>, d: List, settings: List) -> Robj {
    reply(start(y, &x, &d, &Fields::new(&settings)))
}

fn start(y: Vec<f64>, x: &Nullable<List>, d: &List, fields: &Fields) -> Result<Robj> {
    let x = match x {
        Nullable::NotNull(x) => Some(sparse(x, "X")?),
        Nullable::Null => None,
    };
    let d = sparse(d, "D")?;
    let plan = weight_plan(fields)?;
    let options = GenLassoOptions { lambda: lambda(fields)?, limits: limits(fields)? };
    let range = Range::read_optional(fields)?;
    job::start(fields, move |control| {
        let lasso = GenLasso::new(y, x, d, plan, options, control)?;
        let run = |r: Range| bootstrap::run(&lasso, r.first, r.count, control);
        let draws = range.map(run).transpose()?;
        let (lambda, modes, curve) = (lasso.lambda, lasso.modes, lasso.curve);
        Ok(Solved { draws, modes, lambda, curve, method: "interior point" }.outcome())
    })
}

fn sparse(slots: &List, argument: &'static str) -> Result<SparseMatrix> {
    let dense = || Error::Internal(format!("{argument} is not sparse"));
    Matrix::new(slots, argument)?.sparse()?.ok_or_else(dense)
}

extendr_module! {
    mod genlasso;
    fn rust_genlasso_job;
}
