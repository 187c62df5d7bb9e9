//! Weighted sums of rows that R reads in parts, and the lasso from such sums.

use crate::convert::{Fields, Result, reply};
use crate::job::{self, Outcome, Running};
use crate::lasso::{options, solved};
use crate::settings::{Range, weight_plan};
use extendr_api::prelude::*;
use wbb_core::lasso::Lasso;
use wbb_core::moments::{Cases, Frame, Request, Rows, Sums, collect};

/// Start to sum up rows that are to come by `rust_moments_give`; see R/moments.R for the settings.
#[extendr]
fn rust_moments_job(settings: List) -> Robj {
    reply(start(&Fields::new(&settings)))
}

fn start(fields: &Fields) -> Result<Robj> {
    let range = Range::read(fields)?;
    let request = Request {
        cols: fields.count("p")?,
        first_row: fields.number("first_row")? as u64 - 1,
        rows: fields.optional_number("rows")?.map(|rows| rows as u64),
        first_draw: range.first,
        draws: range.count,
        folds: fields.count("nfolds")? as u32,
    };
    let plan = weight_plan(fields)?.independent();
    job::start_fed(fields, move |feed, control| {
        collect(&feed, &request, &plan, control).map(sums_outcome)
    })
}

/// Has the job room for more rows?
#[extendr]
fn rust_moments_room(job: ExternalPtr<Running>) -> bool {
    job.feeder.as_ref().is_some_and(|feeder| feeder.has_room())
}

/// Give rows to the job: x (with y as its last column; a matrix or a list of columns), case_weights, cluster (from 1) and foldid.
#[extendr]
fn rust_moments_give(job: ExternalPtr<Running>, rows: List) -> Robj {
    reply(rows_of(&Fields::new(&rows)).map(|rows| {
        if let Some(feeder) = &job.feeder {
            feeder.give(rows);
        }
        Robj::from(true)
    }))
}

fn rows_of(fields: &Fields) -> Result<Rows> {
    let unit = fields.optional_numbers("cluster")?;
    Ok(Rows {
        columns: fields.columns("x")?,
        count: fields.count("count")?,
        case: fields.optional_numbers("case_weights")?,
        unit: unit.map(|ids| ids.iter().map(|id| *id as u64 - 1).collect()),
        fold: fields.optional_counts("foldid")?,
    })
}

/// There are no more rows.
#[extendr]
fn rust_moments_end(mut job: ExternalPtr<Running>) {
    job.feeder.iter_mut().for_each(|feeder| feeder.end());
}

fn sums_outcome(mut sums: Sums) -> Outcome {
    let tables = vec![("sums", std::mem::take(&mut sums.draws).into())];
    let rest = move || {
        list!(
            rows = sums.rows as f64,
            shift = sums.frame.shift,
            scale = sums.frame.scale,
            low = sums.low,
            high = sums.high,
            unit = sums.unit,
            folds = sums.folds,
            totals = sums.totals,
            cases = vec![sums.cases.rows as f64, sums.cases.total, sums.cases.squares],
            head_case = sums.head_case,
            head_unit = sums.head_unit
        )
    };
    Outcome { tables, rest: Box::new(rest) }
}

/// Start a lasso on sums; see R/moments.R for both lists.
#[extendr]
fn rust_lasso_sums_job(sums: List, settings: List) -> Robj {
    reply(start_lasso(&Fields::new(&sums), &Fields::new(&settings)))
}

fn start_lasso(sums: &Fields, fields: &Fields) -> Result<Robj> {
    let cases = sums.numbers("cases")?;
    let case = |at: usize| cases.get(at).copied().unwrap_or(0.0);
    let summed = Sums {
        cols: fields.count("p")?,
        rows: sums.number("rows")? as u64,
        frame: Frame { shift: sums.numbers("shift")?, scale: sums.numbers("scale")? },
        low: sums.numbers("low")?,
        high: sums.numbers("high")?,
        unit: sums.numbers("unit")?,
        folds: sums.numbers("folds")?,
        draws: sums.numbers("sums")?,
        totals: sums.numbers("totals")?,
        cases: Cases { rows: case(0) as u64, total: case(1), squares: case(2) },
        head_case: sums.numbers("head_case")?,
        head_unit: sums.numbers("head_unit")?,
    };
    let (plan, options) = (weight_plan(fields)?, options(fields)?);
    let (range, known) = (Range::read_optional(fields)?, Range::read(sums)?);
    job::start(fields, move |control| {
        let lasso = Lasso::from_sums(summed, known.first, plan, options, control)?;
        solved(lasso, range, control)
    })
}

extendr_module! {
    mod moments;
    fn rust_moments_job;
    fn rust_moments_room;
    fn rust_moments_give;
    fn rust_moments_end;
    fn rust_lasso_sums_job;
}
