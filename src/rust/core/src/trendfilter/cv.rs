//! Lambda by cross-validation: points held out in turn, predicted by the spline through the others.
//!
//! Folds are interleaved (point i in fold i mod K), so that every held-out point has neighbours; the
//! first and the last point are never held out. The likelihood is not reweighted (MATH 2.6).

use super::active::Knots;
use super::grid::{Grid, interpolate};
use super::problem::{TrendFilter, solve};
use crate::error::Error;
use crate::lasso::{Curve, Path, summarise};
use crate::parallel::{Control, Stage, for_each};
use std::sync::{Mutex, PoisonError};

/// The smallest lambda without a knot.
fn lambda_max(filter: &TrendFilter, control: &Control) -> Result<f64, Error> {
    let order = filter.options.order;
    let sample = filter.grid.sample(&filter.y, &filter.case_weights());
    let endless = vec![f64::MAX; filter.grid.len() - order - 1];
    let found = solve(order, filter.grid.with(&sample), &endless, Knots::default(), 1, control)?;
    let largest = found.dual.iter().fold(0.0f64, |m, u| m.max(u.abs()));
    Ok(if largest > 0.0 { largest * filter.grid.unit(order) } else { 1.0 })
}

pub fn curve(filter: &TrendFilter, control: &Control) -> Result<Curve, Error> {
    let (folds, order) = (&filter.options.folds, filter.options.order);
    control.begin(Stage::CrossValidation, u64::from(folds.count) + 1);
    let of_row = if folds.of_row.is_empty() { interleaved(filter) } else { folds.of_row.clone() };
    // λ of a segment of length L grows like L^(k + ½): this reaches from no knot to one in every hundredth.
    let ratio = folds.ratio.unwrap_or_else(|| 10f64.powi(-2 * (order as i32 + 1)));
    let top = lambda_max(filter, control)?;
    let steps = folds.lambdas.max(2) - 1;
    let lambda: Vec<f64> = (0..=steps).map(|i| top * ratio.powf(i as f64 / steps as f64)).collect();
    let all: Vec<u32> = (0..=folds.count).collect();
    // Fold 0 is no fold: the path of the fit to all points.
    let paths: Mutex<Vec<Option<Path>>> = Mutex::new(all.iter().map(|_| None).collect());
    for_each(
        &all,
        control,
        |fold| format!("in cross-validation fold {fold}"),
        |&fold| {
            let path = path(filter, &of_row, fold, &lambda, control)?;
            paths.lock().unwrap_or_else(PoisonError::into_inner)[fold as usize] = Some(path);
            control.advance(1);
            Ok(())
        },
    )?;
    let mut paths: Vec<Path> =
        paths.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten().collect();
    let whole = paths.remove(0);
    if paths.iter().filter(|p| p.weight > 0.0).count() < 2 {
        let text =
            format!("must leave out points in at least two folds that order {order} can fit");
        return Err(Error::argument("nfolds", text));
    }
    Ok(summarise(1.0, lambda, of_row, whole.nonzero, &paths))
}

/// Fold of each row, 0 for the ends; whole clusters together where there are any.
fn interleaved(filter: &TrendFilter) -> Vec<u32> {
    let (count, last) = (filter.options.folds.count, filter.grid.len() - 1);
    let mut fold = vec![0; filter.y.len()];
    for point in 0..=last {
        for &row in filter.grid.rows_at(point) {
            let unit = filter.plan.clusters().map_or(point, |c| c[row] as usize);
            let end = point == 0 || point == last;
            fold[row] = if end { 0 } else { unit as u32 % count + 1 };
        }
    }
    fold
}

/// Held-out errors of one fold along the lambdas, each from the knots of the one before.
fn path(
    filter: &TrendFilter,
    of_row: &[u32],
    fold: u32,
    lambda: &[f64],
    control: &Control,
) -> Result<Path, Error> {
    let order = filter.options.order;
    let x = &filter.grid.points;
    let case = filter.case_weights();
    let mut at = vec![0.0; of_row.len()];
    for (point, x) in x.iter().enumerate() {
        filter.grid.rows_at(point).iter().for_each(|&row| at[row] = *x);
    }
    let held = |row: usize| fold > 0 && of_row[row] == fold;
    let train: Vec<usize> = (0..at.len()).filter(|&r| !held(r) && case[r] > 0.0).collect();
    let test: Vec<usize> = (0..at.len()).filter(|&r| held(r) && case[r] > 0.0).collect();
    let pick = |values: &[f64]| -> Vec<f64> { train.iter().map(|&r| values[r]).collect() };
    let weight: f64 = test.iter().map(|&r| case[r]).sum();
    let empty =
        Path { squares: vec![0.0; lambda.len()], weight: 0.0, nonzero: vec![0; lambda.len()] };
    // A fold that leaves too few points to fit says nothing.
    let Ok(grid) = Grid::new(&pick(&at), order) else {
        return Ok(empty);
    };
    if fold > 0 && weight == 0.0 {
        return Ok(empty);
    }
    let sample = grid.sample(&pick(&filter.y), &pick(&case));
    let share = sample.total / case.iter().sum::<f64>();
    let mut knots = Knots::default();
    let mut out = Path { squares: Vec::new(), weight, nonzero: Vec::new() };
    let limit = filter.options.limits.iterations;
    for lambda in lambda {
        let c = vec![lambda * share / grid.unit(order); grid.len() - order - 1];
        let found = solve(order, grid.with(&sample), &c, knots, limit, control)?;
        let error = |&r: &usize| {
            let fit = interpolate(&grid.points, &found.beta, order, at[r]);
            case[r] * (filter.y[r] - fit).powi(2)
        };
        out.squares.push(test.iter().map(error).sum());
        out.nonzero.push(found.knots.at.len() as u32);
        knots = found.knots;
    }
    Ok(out)
}
