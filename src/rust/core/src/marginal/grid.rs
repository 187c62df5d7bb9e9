//! A curve over λ, fine about its top.

use super::{Evidence, Options, evidence_by};
use crate::bridge::{Data, Sampler};
use crate::engine::job::{Control, Stage};
use crate::error::Error;

/// λs of the first, coarse grid, and the part of the largest that the least is.
const COARSE: usize = 15;
const SPAN: f64 = 1e-4;
/// Those added between the best one's neighbours. An even number leaves out the middle, which is
/// there already, as the ends are.
const FINE: usize = 14;

/// The evidence on a coarse grid over four decades below the λ that sets all coefficients to zero,
/// and on a fine one about its best point; λ falls.
pub fn choose(data: &Data, options: &Options, control: &Control) -> Result<Vec<Evidence>, Error> {
    let largest = data.cross().iter().fold(0.0f64, |most, c| most.max(c.abs()));
    if largest == 0.0 {
        let text = "must be given when no column is correlated with `y`, but is \"marglik\"";
        return Err(Error::argument("lambda", text.into()));
    }
    let sampler = Sampler::new(data, control)?;
    control.begin(Stage::Draws, options.iterations(COARSE + FINE));
    let at = |lambdas: &[f64]| evidence_by(&sampler, data, lambdas, options, control);
    let mut curve = at(&steps(largest, SPAN * largest, COARSE))?;
    let best = top(&curve);
    let ends = (curve[best.saturating_sub(1)].lambda, curve[(best + 1).min(COARSE - 1)].lambda);
    curve.extend(at(&steps(ends.0, ends.1, FINE + 2)[1..=FINE])?);
    curve.sort_by(|a, b| b.lambda.total_cmp(&a.lambda));
    Ok(curve)
}

/// The place of the largest evidence.
fn top(curve: &[Evidence]) -> usize {
    let best = curve.iter().enumerate().max_by(|a, b| a.1.log.total_cmp(&b.1.log));
    best.map_or(0, |(at, _)| at)
}

/// `count` numbers in geometric progression.
fn steps(from: f64, to: f64, count: usize) -> Vec<f64> {
    let rate = (to / from).ln() / (count - 1) as f64;
    (0..count).map(|k| from * (k as f64 * rate).exp()).collect()
}
