//! Weights made again for the user.

use crate::convert::{Fields, Result, error_list};
use extendr_api::prelude::*;
use wbb_core::random::laws::PriorWeight;

/// Row and prior weights of the given draws, one row a draw, column-major.
#[extendr]
fn rust_weights(options: List, draws: Vec<f64>) -> Robj {
    match weights(&Fields(&options), &draws) {
        Ok(values) => values.into(),
        Err(error) => error_list(&error).into(),
    }
}

fn weights(fields: &Fields, draws: &[f64]) -> Result<Vec<f64>> {
    let plan = fields.weight_plan()?;
    let prior = match plan.prior() {
        PriorWeight::Coefficient => fields.count("p")?,
        _ => 1,
    };
    let (rows, count) = (plan.rows(), draws.len());
    let mut out = vec![0.0; count * (rows + prior)];
    let mut line = vec![0.0; rows + prior];
    for (k, &draw) in draws.iter().enumerate() {
        let (row_weights, prior_weights) = line.split_at_mut(rows);
        plan.draw(draw as u64).fill(0, row_weights);
        plan.fill_prior(draw as u64, prior_weights);
        for (i, w) in line.iter().enumerate() {
            out[i * count + k] = *w;
        }
    }
    Ok(out)
}

extendr_module! {
    mod weights;
    fn rust_weights;
}
