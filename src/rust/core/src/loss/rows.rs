//! Rows that do not know of each other, with one predictor each: the loop that their families share.

use crate::linalg::lanes::LANES;

/// A row at η: its loss above the least that it can have, −∂l/∂η and ∂²l/∂η².
pub struct AtRow {
    pub loss: f64,
    pub residual: f64,
    pub curvature: f64,
}

/// The lines of a panel's sums; see [`super::sum`].
pub struct Lines<'a> {
    pub loss: &'a mut [f64],
    pub least: &'a mut [f64],
    pub weight: &'a mut [f64],
    pub residual: &'a mut [f64],
    pub curvature: &'a mut [f64],
}

/// Turn −η, rows of a panel, into W r, and add to the sums. `row` is what is known of a row and its least
/// loss, `at` what becomes of it at η.
#[inline(always)]
pub fn each_row<R: Copy>(
    row: impl Fn(usize) -> (R, f64),
    at: impl Fn(R, f64) -> AtRow,
    weights: &[f64],
    panel: &mut [f64],
    sums: Lines,
) {
    if let [_] = sums.loss {
        return each_alone(row, at, weights, panel, sums);
    }
    let Lines { loss, least, weight, residual, curvature } = sums;
    let width = loss.len();
    let (least, weight) = (&mut least[..width], &mut weight[..width]);
    let (residual, curvature) = (&mut residual[..width], &mut curvature[..width]);
    for (i, line) in panel.chunks_exact_mut(width).enumerate() {
        let (known, bottom) = row(i);
        let weights = &weights[i * width..][..width];
        for k in 0..width {
            let (here, w) = (at(known, -line[k]), weights[k]);
            let left = w * here.residual;
            loss[k] += w * here.loss;
            least[k] += w * bottom;
            weight[k] += w;
            residual[k] += left;
            curvature[k] += w * here.curvature;
            line[k] = left;
        }
    }
}

/// The same of one draw: rows side by side, where draws cannot be.
#[inline(always)]
fn each_alone<R: Copy>(
    row: impl Fn(usize) -> (R, f64),
    at: impl Fn(R, f64) -> AtRow,
    weights: &[f64],
    panel: &mut [f64],
    sums: Lines,
) {
    let (mut loss, mut least, mut weight) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
    let (mut residual, mut curvature) = ([0.0; LANES], [0.0; LANES]);
    for (e, (part, w)) in panel.chunks_mut(LANES).zip(weights.chunks(LANES)).enumerate() {
        let count = part.len();
        // What is missing in the last rows has no weight; any of them stands for it.
        let known: [(R, f64); LANES] = std::array::from_fn(|k| row(e * LANES + k.min(count - 1)));
        let (mut line, mut of_row) = ([0.0; LANES], [0.0; LANES]);
        line[..count].copy_from_slice(part);
        of_row[..count].copy_from_slice(w);
        for k in 0..LANES {
            let (here, w) = (at(known[k].0, -line[k]), of_row[k]);
            let left = w * here.residual;
            loss[k] += w * here.loss;
            least[k] += w * known[k].1;
            weight[k] += w;
            residual[k] += left;
            curvature[k] += w * here.curvature;
            line[k] = left;
        }
        part.copy_from_slice(&line[..count]);
    }
    let lines = [sums.loss, sums.least, sums.weight, sums.residual, sums.curvature];
    for (line, lanes) in lines.into_iter().zip([loss, least, weight, residual, curvature]) {
        line[0] += lanes.iter().sum::<f64>();
    }
}
