//! How well a fit predicts rows that it has not seen, beside the likelihood: classes and their order.

use super::task::{Data, Place};
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::order::increasing;
use crate::loss::observed::Observed;

/// η of all rows, predictor after predictor.
fn predictors(data: &Data, at: &Place, control: &Control) -> Result<Vec<f64>, Error> {
    let n = data.rows();
    let mut eta = vec![0.0; n * data.predictors()];
    for (k, line) in eta.chunks_exact_mut(n.max(1)).enumerate() {
        for rows in data.base.design.blocks() {
            control.check()?;
            data.predict(k, &rows, at, &mut line[rows.clone()]);
        }
    }
    Ok(eta)
}

/// The weight of the rows that are put into a wrong class. With one predictor y is a proportion, else a
/// class.
pub fn misclassified(
    data: &Data,
    y: &Observed,
    weights: &[f64],
    at: &Place,
    control: &Control,
) -> Result<f64, Error> {
    let eta = predictors(data, at, control)?;
    let n = data.rows();
    let wrong = |i: usize| {
        if data.predictors() == 1 {
            return if eta[i] > 0.0 { 1.0 - y.at(i) } else { y.at(i) };
        }
        let best = (1..data.predictors())
            .fold(0, |best, k| if eta[k * n + i] > eta[best * n + i] { k } else { best });
        f64::from(u8::from(best as f64 + 1.0 != y.at(i)))
    };
    Ok((0..n).map(|i| weights[i] * wrong(i)).sum())
}

/// The area under the receiver's operating curve: the chance that a success has a larger predictor than a
/// failure, ties counting half. None without one of both.
pub fn area(
    data: &Data,
    y: &Observed,
    weights: &[f64],
    at: &Place,
    control: &Control,
) -> Result<Option<f64>, Error> {
    let eta = predictors(data, at, control)?;
    let mut order: Vec<usize> = (0..eta.len()).filter(|&i| weights[i] > 0.0).collect();
    increasing(&mut order, &eta);
    // Failures below the rows at hand; those tied with them count half.
    let (mut below, mut wins, mut successes) = (0.0, 0.0, 0.0);
    for tied in order.chunk_by(|&a, &b| eta[a] == eta[b]) {
        let good: f64 = tied.iter().map(|&i| weights[i] * y.at(i)).sum();
        let bad: f64 = tied.iter().map(|&i| weights[i] * (1.0 - y.at(i))).sum();
        wins += good * (below + 0.5 * bad);
        below += bad;
        successes += good;
    }
    Ok((below > 0.0 && successes > 0.0).then(|| wins / (below * successes)))
}
