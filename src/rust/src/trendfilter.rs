//! The trend filter: data and options in, draws and knots out.

use crate::convert::{Fields, Result, error_list};
use crate::job::{self, Convert};
use crate::lasso::{folds, limits, result};
use extendr_api::prelude::*;
use wbb_core::bootstrap;
use wbb_core::trendfilter::{DrawKnots, Options, TrendFilter};

/// Start a trend filter job; see R/trendfilter-fit.R for the fields.
#[extendr]
fn rust_trendfilter_job(x: Vec<f64>, y: Vec<f64>, options: List) -> Robj {
    start(x, y, &Fields(&options)).unwrap_or_else(|e| error_list(&e).into())
}

fn start(x: Vec<f64>, y: Vec<f64>, fields: &Fields) -> Result<Robj> {
    let plan = fields.weight_plan()?;
    let options = Options {
        lambda: fields.numbers("lambda")?,
        folds: folds(fields)?,
        order: fields.count("order")?,
        limits: limits(fields)?,
    };
    let (first, count) = (fields.number("first_draw")? as u64, fields.count("draws")?);
    let work = move |control: &_| {
        let filter = TrendFilter::new(&x, y, plan, options, control)?;
        let draws = bootstrap::run(&filter, first, count, control)?;
        let (knots, mode_knots) = (filter.take_knots(), filter.mode_knots());
        let points = filter.points().to_vec();
        let (lambda, modes, curve) = (filter.lambda, filter.modes, filter.curve);
        Ok(Box::new(move || {
            list!(
                solved = result(draws, lambda, &modes, curve, "active set"),
                points = points,
                knots = knots_list(&knots),
                mode_knots = knots_list(&mode_knots)
            )
        }) as Convert)
    };
    Ok(job::start(fields.count("threads")?, work))
}

/// One row a knot: draw, number of the lambda, row of D (both from 1), jump.
fn knots_list(knots: &[DrawKnots]) -> List {
    let size = knots.iter().map(|k| k.knots.at.len()).sum();
    let (mut draw, mut mode) = (Vec::with_capacity(size), Vec::with_capacity(size));
    let (mut row, mut jump) = (Vec::with_capacity(size), Vec::with_capacity(size));
    for k in knots {
        for (&at, &by) in k.knots.at.iter().zip(&k.knots.jump) {
            draw.push(k.draw as f64);
            mode.push(k.mode as i32 + 1);
            row.push(at as i32 + 1);
            jump.push(by);
        }
    }
    list!(draw = draw, mode = mode, row = row, jump = jump)
}

extendr_module! {
    mod trendfilter;
    fn rust_trendfilter_job;
}
