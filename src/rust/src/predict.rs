//! Predictions of draws that R holds as numbers: coefficients of linear fits, or answers that were kept.

use crate::convert::{Fields, Result, reply};
use crate::job;
use crate::matrix::Matrix;
use crate::question::Question;
use extendr_api::prelude::*;
use ndarray::{Array3, ShapeBuilder};
use wbb_core::error::Error;
use wbb_core::predictions::{Linear, Table};

/// Ask the draws of a linear fit, one row a draw, about the rows of x. An intercept is their first column.
#[extendr]
fn rust_linear_job(
    x: ExternalPtr<Matrix>,
    draws: ExternalPtr<Matrix>,
    intercept: bool,
    question: List,
    settings: List,
) -> Robj {
    let (x, draws) = (Matrix::take(x), Matrix::take(draws));
    reply(start_linear(x, draws, intercept, &Fields::new(&question), &Fields::new(&settings)))
}

fn start_linear(
    x: Matrix,
    draws: Matrix,
    intercept: bool,
    question: &Fields,
    fields: &Fields,
) -> Result<Robj> {
    if draws.columns != x.columns + usize::from(intercept) {
        return Err(Error::Internal(format!("draws of {} columns", draws.columns)));
    }
    let question = Question::read(question)?;
    job::start(fields, move |control| {
        let (x, draws) = (x.source("newdata")?, draws.source("draws")?);
        question.put(&Linear::new(x, &draws, intercept, control)?, control)
    })
}

/// Ask about answers that were kept: draws by rows by classes.
#[extendr]
fn rust_kept_job(answers: &[f64], shape: &[f64], question: List, settings: List) -> Robj {
    reply(start_kept(answers, shape, &Fields::new(&question), &Fields::new(&settings)))
}

fn start_kept(answers: &[f64], shape: &[f64], question: &Fields, fields: &Fields) -> Result<Robj> {
    let question = Question::read(question)?;
    let size = |k: usize| shape.get(k).map_or(1, |size| *size as usize);
    let table = Array3::from_shape_vec((size(0), size(1), size(2)).f(), answers.to_vec())
        .map_err(|e| Error::Internal(format!("kept answers: {e}")))?;
    job::start(fields, move |control| question.put(&Table(table), control))
}

extendr_module! {
    mod predict;
    fn rust_linear_job;
    fn rust_kept_job;
}
