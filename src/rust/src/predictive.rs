//! Quantiles of what draws say of a new response: equal mixtures of normal distributions.

use crate::convert::{Fields, reply};
use crate::job::{self, Outcome};
use extendr_api::prelude::*;
use wbb_core::engine::job::for_parts;
use wbb_core::random::mixture::{Level, Mixture};

/// Start to find, for each row, the quantiles at `probs` of the mixture of N(centre, sigma²) of its draws: `centre` has
/// a column for each row and `sigma` a number for each draw. The result has a column for each of `probs`.
#[extendr]
fn rust_mixture_job(centre: Vec<f64>, sigma: Vec<f64>, probs: Vec<f64>, settings: List) -> Robj {
    reply(job::start(&Fields::new(&settings), move |control| {
        let rows = centre.len() / sigma.len().max(1);
        let levels: Vec<Level> = probs.iter().map(|p| Level::new(*p)).collect();
        let mut by_row = vec![0.0; rows * levels.len()];
        let cells = by_row.chunks_mut(levels.len().max(1)).zip(centre.chunks(sigma.len().max(1)));
        for_parts(cells, control, |_, (out, centre)| {
            let mixture = Mixture { centre, sigma: &sigma };
            out.iter_mut().zip(&levels).for_each(|(out, level)| *out = mixture.quantile(*level));
            Ok(())
        })?;
        let of_level = |k: usize| by_row.iter().skip(k).step_by(levels.len()).copied();
        let quantiles = (0..levels.len()).flat_map(of_level).collect();
        Ok(Outcome { tables: vec![("quantiles", quantiles)], rest: Box::new(|| list!()) })
    }))
}

extendr_module! {
    mod predictive;
    fn rust_mixture_job;
}
