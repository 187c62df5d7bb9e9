//! The trend filter: data and settings in, draws and knots out.

use crate::convert::{Fields, Result, reply};
use crate::job;
use crate::results::Solved;
use crate::settings::{Range, lambda, limits, weight_plan};
use crate::tables::Table;
use extendr_api::prelude::*;
use wbb_core::engine::bootstrap;
use wbb_core::engine::problem::Mode;
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
        let lambdas = filter.lambda.len();
        let pack = |first: u64, knots: Vec<Knots>| KnotRows::new(&knots, lambdas, first);
        let run = |r: Range| bootstrap::run_packed(&filter, r.first, r.count, control, pack);
        let draws = range.map(run).transpose()?;
        let points = filter.points().to_vec();
        let (lambda, curve) = (filter.lambda, filter.curve);
        let split = |mode: Mode<Knots>| (mode.aside.clone(), mode.carrying(()));
        let (of_modes, modes): (Vec<Knots>, _) = filter.modes.into_iter().map(split).unzip();
        let KnotRows { draw, mode, row, jump } = KnotRows::new(&of_modes, lambdas, 0);
        let solved = Solved { draws, modes, lambda, curve, method: "active set" };
        let (mut outcome, knots) = solved.outcome(move || {
            let of_modes = list!(draw = draw, mode = mode, row = row, jump = jump);
            vec![("points", points.into()), ("mode_knots", of_modes.into())]
        });
        outcome.tables.extend(KnotRows::tables(knots));
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

    fn tables(all: Vec<KnotRows>) -> [(&'static str, Table); 4] {
        let (mut draw, mut jump) = (Vec::new(), Vec::new());
        let (mut mode, mut row) = (Vec::new(), Vec::new());
        for rows in all {
            draw.push(rows.draw);
            mode.push(rows.mode);
            row.push(rows.row);
            jump.push(rows.jump);
        }
        [
            ("knot_draw", Table::of_rows(draw, 1)),
            ("knot_mode", Table::of_integers(mode, 1)),
            ("knot_row", Table::of_integers(row, 1)),
            ("knot_jump", Table::of_rows(jump, 1)),
        ]
    }
}

extendr_module! {
    mod trendfilter;
    fn rust_trendfilter_job;
}
