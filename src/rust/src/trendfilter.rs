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
        let mut draws = range.map(run).transpose()?;
        let points = filter.points().to_vec();
        let (lambda, modes, curve) = (filter.lambda, filter.modes, filter.curve);
        let count = lambda.len();
        let of_draws = draws.as_mut().map(|d| std::mem::take(&mut d.asides)).unwrap_or_default();
        let knots = KnotRows::new(&of_draws, count, range.map_or(1, |r| r.first));
        let of_modes: Vec<Knots> = modes.iter().map(|m| m.aside.clone()).collect();
        let KnotRows { draw, mode, row, jump } = KnotRows::new(&of_modes, count, 0);
        let solved = Solved { draws, modes, lambda, curve, method: "active set" };
        let mut outcome = solved.outcome_with(move || {
            let of_modes = list!(draw = draw, mode = mode, row = row, jump = jump);
            vec![("points", points.into()), ("mode_knots", of_modes.into())]
        });
        outcome.tables.extend([
            ("knot_draw", knots.draw.into()),
            ("knot_mode", knots.mode.into()),
            ("knot_row", knots.row.into()),
            ("knot_jump", knots.jump.into()),
        ]);
        Ok(outcome)
    })
}

pub fn options(fields: &Fields) -> Result<TrendOptions> {
    Ok(TrendOptions {
        lambda: lambda(fields)?,
        order: fields.count("order")?,
        limits: limits(fields)?,
    })
}

/// One row a knot: draw, number of the lambda, row of D (both from 1), jump.
#[derive(Default)]
struct KnotRows {
    draw: Vec<f64>,
    mode: Vec<i32>,
    row: Vec<i32>,
    jump: Vec<f64>,
}

impl KnotRows {
    /// `all` comes by draw, then by lambda.
    fn new(all: &[Knots], lambdas: usize, first: u64) -> KnotRows {
        let mut rows = KnotRows::default();
        for (k, knots) in all.iter().enumerate() {
            let count = rows.row.len() + knots.at.len();
            rows.draw.resize(count, (first + (k / lambdas) as u64) as f64);
            rows.mode.resize(count, (k % lambdas) as i32 + 1);
            rows.row.extend(knots.at.iter().map(|&at| at as i32 + 1));
            rows.jump.extend_from_slice(&knots.jump);
        }
        rows
    }
}

extendr_module! {
    mod trendfilter;
    fn rust_trendfilter_job;
}
