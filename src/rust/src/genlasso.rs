//! The generalised lasso: data, penalty matrix and options in, draws out.

use crate::convert::{Fields, Result, error_list};
use crate::job::{self, Convert};
use crate::lasso::{limits, result};
use extendr_api::prelude::*;
use wbb_core::engine::bootstrap;
use wbb_core::error::Error;
use wbb_core::genlasso::{GenLasso, GenLassoOptions};
use wbb_core::linalg::sparse::SparseMatrix;

/// Start a generalised lasso job; see R/genlasso.R for the fields. An empty list is the identity.
#[extendr]
fn rust_genlasso_job(y: Vec<f64>, x: List, d: List, options: List) -> Robj {
    start(y, &x, &d, &Fields(&options)).unwrap_or_else(|e| error_list(&e).into())
}

fn start(y: Vec<f64>, x: &List, d: &List, fields: &Fields) -> Result<Robj> {
    let x = if x.is_empty() { None } else { Some(sparse(&Fields(x), "X")?) };
    let d = sparse(&Fields(d), "D")?;
    let plan = fields.weight_plan()?;
    let options = GenLassoOptions { lambda: fields.numbers("lambda")?, limits: limits(fields)? };
    let (first, count) = (fields.number("first_draw")? as u64, fields.count("draws")?);
    let work = move |control: &_| {
        let lasso = GenLasso::new(y, x, d, plan, options, control)?;
        let draws = bootstrap::run(&lasso, first, count, control)?;
        let (lambda, modes) = (lasso.lambda, lasso.modes);
        Ok(Box::new(move || result(draws, lambda, &modes, None, "interior point")) as Convert)
    };
    Ok(job::start(fields.count("threads")?, work))
}

fn sparse(slots: &Fields, argument: &'static str) -> Result<SparseMatrix> {
    let shape = (slots.count("nrow")?, slots.count("ncol")?);
    let missing = || Error::Internal(format!("{argument} is not sparse"));
    slots.sparse(shape, argument)?.ok_or_else(missing)
}

extendr_module! {
    mod genlasso;
    fn rust_genlasso_job;
}
