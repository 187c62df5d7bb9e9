//! The generalised lasso: data, penalty matrix and settings in, draws out.

use crate::convert::{Fields, Matrix, Result, reply};
use crate::job;
use crate::results::Solved;
use crate::settings::{Range, limits, weight_plan};
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
    let options = GenLassoOptions { lambda: fields.numbers("lambda")?, limits: limits(fields)? };
    let range = Range::read(fields)?;
    job::start(fields, move |control| {
        let lasso = GenLasso::new(y, x, d, plan, options, control)?;
        let draws = Some(bootstrap::run(&lasso, range.first, range.count, control)?);
        let (lambda, modes) = (lasso.lambda, lasso.modes);
        Ok(Solved { draws, modes, lambda, curve: None, method: "interior point" }.outcome())
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
