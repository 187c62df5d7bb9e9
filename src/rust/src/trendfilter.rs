//! The trend filter: data and settings in, draws and knots out.

use crate::convert::{Fields, Result, reply};
use crate::job;
use crate::results::Solved;
use crate::settings::{Range, lambda, limits, weight_plan};
use extendr_api::prelude::*;
use wbb_core::engine::bootstrap;
use wbb_core::trendfilter::{Knots, TrendFilter, TrendOptions};

/// Start a trend filter job; see R/trendfilter.R for the settings.
#[extendr]
fn rust_trendfilter_job(x: Vec<f64>, y: Vec<f64>, settings: List) -> Robj {
    reply(start(x, y, &Fields::new(&settings)))
}

fn start(x: Vec<f64>, y: Vec<f64>, fields: &Fields) -> Result<Robj> {
    let plan = weight_plan(fields)?;
    let options = options(fields)?;
    let range = Range::read_optional(fields)?;
    job::start(fields, move |control| {
        let filter = TrendFilter::new(&x, y, plan, options, control)?;
        let run = |r: Range| bootstrap::run(&filter, r.first, r.count, control);
        let draws = range.map(run).transpose()?;
        let points = filter.points().to_vec();
        let (lambda, modes, curve) = (filter.lambda, filter.modes, filter.curve);
        let count = lambda.len();
        let (of_draws, first) =
            (draws.as_ref().map(|d| d.asides.clone()), range.map_or(1, |r| r.first));
        let of_modes: Vec<Knots> = modes.iter().map(|m| m.aside.clone()).collect();
        let solved = Solved { draws, modes, lambda, curve, method: "active set" };
        Ok(solved.outcome_with(move || {
            vec![
                ("points", points.into()),
                ("knots", knots_list(&of_draws.unwrap_or_default(), count, first).into()),
                ("mode_knots", knots_list(&of_modes, count, 0).into()),
            ]
        }))
    })
}

pub fn options(fields: &Fields) -> Result<TrendOptions> {
    Ok(TrendOptions {
        lambda: lambda(fields)?,
        order: fields.count("order")?,
        limits: limits(fields)?,
    })
}

/// One row a knot: draw, number of the lambda, row of D (both from 1), jump. `all` comes by draw, then by
/// lambda.
fn knots_list(all: &[Knots], lambdas: usize, first: u64) -> List {
    let size = all.iter().map(|k| k.at.len()).sum();
    let (mut draw, mut mode) = (Vec::with_capacity(size), Vec::with_capacity(size));
    let (mut row, mut jump) = (Vec::with_capacity(size), Vec::with_capacity(size));
    for (k, knots) in all.iter().enumerate() {
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
