//! The trend filter: data and settings in, draws and knots out.

use crate::convert::{Fields, Result, reply};
use crate::job;
use crate::results::Solved;
use crate::settings::{Lambda, Range, folds, limits, weight_plan};
use extendr_api::prelude::*;
use wbb_core::bootstrap;
use wbb_core::trendfilter::{DrawKnots, Options, TrendFilter};

/// Start a trend filter job; see R/trendfilter.R for the settings.
#[extendr]
fn rust_trendfilter_job(x: Vec<f64>, y: Vec<f64>, settings: List) -> Robj {
    reply(start(x, y, &Fields::new(&settings)))
}

fn start(x: Vec<f64>, y: Vec<f64>, fields: &Fields) -> Result<Robj> {
    let plan = weight_plan(fields)?;
    let options = Options {
        lambda: Lambda::read(fields)?.values(),
        folds: folds(fields)?,
        order: fields.count("order")?,
        limits: limits(fields)?,
    };
    let range = Range::read_optional(fields)?;
    job::start(fields, move |control| {
        let filter = TrendFilter::new(&x, y, plan, options, control)?;
        let run = |r: Range| bootstrap::run(&filter, r.first, r.count, control);
        let draws = range.map(run).transpose()?;
        let (knots, mode_knots) = (filter.take_knots(), filter.mode_knots());
        let points = filter.points().to_vec();
        let (lambda, modes, curve) = (filter.lambda, filter.modes, filter.curve);
        let solved = Solved { draws, modes, lambda, curve, method: "active set" };
        Ok(solved.outcome_with(move || {
            vec![
                ("points", points.into()),
                ("knots", knots_list(&knots).into()),
                ("mode_knots", knots_list(&mode_knots).into()),
            ]
        }))
    })
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
