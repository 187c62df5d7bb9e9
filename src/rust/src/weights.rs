//! Weights made again for the user.

use crate::convert::{Fields, Result, reply};
use crate::job::{self, Outcome};
use crate::settings::weight_plan;
use extendr_api::prelude::*;
use wbb_core::engine::job::Stage;
use wbb_core::random::laws::PriorWeight;

/// Start to make the row and prior weights of the given draws, one row a draw, column-major.
/// `penalties` is the number of terms that have a prior weight of their own if they do.
#[extendr]
fn rust_weights_job(settings: List, penalties: f64, draws: Vec<f64>) -> Robj {
    reply(start(&Fields::new(&settings), penalties as usize, draws))
}

fn start(fields: &Fields, penalties: usize, draws: Vec<f64>) -> Result<Robj> {
    let plan = weight_plan(fields)?;
    let prior = match plan.prior() {
        PriorWeight::Coefficient => penalties,
        PriorWeight::Random | PriorWeight::Fixed => 1,
    };
    job::start(fields, move |control| {
        control.begin(Stage::Draws, draws.len() as u64);
        let (rows, count) = (plan.rows(), draws.len());
        let mut out = vec![0.0; count * (rows + prior)];
        let mut line = vec![0.0; rows + prior];
        for (k, &draw) in draws.iter().enumerate() {
            control.check()?;
            let (row_weights, prior_weights) = line.split_at_mut(rows);
            plan.draw(draw as u64).fill(0, row_weights);
            plan.fill_prior(draw as u64, prior_weights);
            for (i, w) in line.iter().enumerate() {
                out[i * count + k] = *w;
            }
            control.advance(1);
        }
        Ok(Outcome { tables: vec![("weights", out)], rest: Box::new(|| list!()) })
    })
}

extendr_module! {
    mod weights;
    fn rust_weights_job;
}
