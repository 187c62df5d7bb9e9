//! The trend filter: data and options in, draws and knots out.

use crate::convert::{Fields, Result, error_list};
use crate::job::{self, Convert};
use crate::lasso::{lambda, limits, result};
use extendr_api::prelude::*;
use wbb_core::engine::bootstrap;
use wbb_core::trendfilter::{Knots, TrendFilter, TrendOptions};

/// Start a trend filter job; see R/trendfilter-fit.R for the fields.
#[extendr]
fn rust_trendfilter_job(x: Vec<f64>, y: Vec<f64>, options: List) -> Robj {
    start(x, y, &Fields(&options)).unwrap_or_else(|e| error_list(&e).into())
}

fn start(x: Vec<f64>, y: Vec<f64>, fields: &Fields) -> Result<Robj> {
    let plan = fields.weight_plan()?;
    let options = TrendOptions {
        lambda: lambda(fields)?,
        order: fields.count("order")?,
        limits: limits(fields)?,
    };
    let (first, count) = (fields.number("first_draw")? as u64, fields.count("draws")?);
    let work = move |control: &_| {
        let filter = TrendFilter::new(&x, y, plan, options, control)?;
        let mut draws = bootstrap::run(&filter, first, count, control)?;
        let knots = std::mem::take(&mut draws.asides);
        let points = filter.points().to_vec();
        let (lambda, modes, curve) = (filter.lambda, filter.modes, filter.curve);
        Ok(Box::new(move || {
            list!(
                solved = result(draws, lambda, &modes, curve, "active set"),
                points = points,
                knots = knots_list(knots.iter(), modes.len(), first),
                mode_knots = knots_list(modes.iter().map(|m| &m.aside), modes.len(), 0)
            )
        }) as Convert)
    };
    Ok(job::start(fields.count("threads")?, work))
}

/// One row a knot: draw, number of the lambda, row of D (both from 1), jump; knots come by draw, then by lambda.
fn knots_list<'a>(all: impl Iterator<Item = &'a Knots>, lambdas: usize, first: u64) -> List {
    let (mut draw, mut mode, mut row, mut jump) = (vec![], vec![], vec![], vec![]);
    for (k, knots) in all.enumerate() {
        for (&at, &by) in knots.at.iter().zip(&knots.jump) {
            draw.push((first + (k / lambdas) as u64) as f64);
            mode.push((k % lambdas) as i32 + 1);
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
