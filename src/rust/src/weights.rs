//! Weights made again for the user.

use crate::convert::{Fields, Result, reply};
use crate::job::{self, Outcome};
use crate::settings::{key, weight_plan};
use extendr_api::prelude::*;
use wbb_core::engine::table::{prior_weights, weights};
use wbb_core::random::weights::WeightPlan;

/// Start to make the row and prior weights of the given draws, one row a draw, column-major. A draw
/// belongs to the one of `seeds` whose number (from 1) is in `of`. `penalties` is the number of terms
/// that have a prior weight of their own if they do.
#[extendr]
fn rust_weights_job(
    settings: List,
    penalties: f64,
    seeds: Vec<f64>,
    of: Vec<i32>,
    draws: Vec<f64>,
) -> Robj {
    reply(start(&Fields::new(&settings), penalties as usize, &seeds, of, draws))
}

fn start(
    fields: &Fields,
    penalties: usize,
    seeds: &[f64],
    of: Vec<i32>,
    draws: Vec<f64>,
) -> Result<Robj> {
    let plan = weight_plan(fields)?;
    let plans: Vec<WeightPlan> =
        seeds.iter().map(|&seed| plan.clone().with_seed(key(seed))).collect();
    let prior = prior_weights(&plan, penalties);
    job::start(fields, move |control| {
        let pairs = of.iter().zip(&draws);
        let draws: Vec<(&WeightPlan, u64)> =
            pairs.map(|(&k, &draw)| (&plans[k as usize - 1], draw as u64)).collect();
        let table = weights(&draws, plan.rows(), prior, control)?;
        Ok(Outcome { tables: vec![("weights", table.into())], rest: Box::new(|| list!()) })
    })
}

extendr_module! {
    mod weights;
    fn rust_weights_job;
}
