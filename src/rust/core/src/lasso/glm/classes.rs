//! The minimum of a model of several classes on sparse columns without its Gram matrix, by coordinate descent.
//!
//! With shares μ the curvature of a row is w (diag μ − μμ'). Where η of class k has moved by qₖ, its weighted residual is
//! gₖ − w μₖ (qₖ − t), t = Σ μₗ qₗ: a step on one class changes two numbers of a row, whatever the number of classes. The Gram
//! matrix has a column for each column and class, and costs far more.

use super::task::{Data, Place, Task};
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::lanes::dispatch;
use crate::penalty::{Penalty, step};
use pulp::as_arrays;

/// Sweeps of the support for one of all coordinates, and the most of both.
const INNER: u32 = 10;
const SWEEPS: u32 = 1000;
/// Sweeps that are enough where no more than such a precision is wanted: rows that are fitted all but perfectly make columns
/// alike, whose signs settle in hundreds of sweeps, and a model made far from the end is worth less than the next one.
const ENOUGH: u32 = 40;
const COARSE: f64 = 1e-3;

/// A class in a row: its residual but for t, w μ, and μ.
#[derive(Clone, Copy, Default)]
struct Cell {
    left: f64,
    weight: f64,
    share: f64,
}

/// All rows where the descent stands.
struct Rows {
    classes: usize,
    cells: Vec<Cell>,
    /// Σ μ q of each row.
    mean: Vec<f64>,
}

/// A coordinate: its number, class, and the sum of its column's squares, weighed by the curvature.
struct Coordinate {
    at: usize,
    class: usize,
    square: f64,
}

/// What a sweep needs beside the rows.
struct Problem<'a> {
    data: &'a Data,
    penalty: &'a Penalty,
    /// Curvatures of the intercepts.
    bases: Vec<f64>,
}

impl Rows {
    fn class(&self, class: usize) -> impl Iterator<Item = (&Cell, f64)> {
        let cells = self.cells.iter().skip(class).step_by(self.classes);
        cells.zip(&self.mean).map(|(cell, mean)| (cell, *mean))
    }
}

/// Where the minimum over these coordinates is, the changes of slopes in a sweep within this part of their λ; None if more
/// is spent on it than `most` steps on an entry. Weighted residuals are given row by row, shares class by class.
pub fn minimise(
    data: &Data,
    task: &Task,
    (weights, residual, shares): (&[f64], &[f64], &[f64]),
    coordinates: &[u32],
    (precision, most): (f64, f64),
    control: &Control,
) -> Result<Option<Place>, Error> {
    let (n, p, classes) = (data.rows(), data.cols(), data.predictors());
    let cell = |at: usize| {
        let (i, k) = (at / classes, at % classes);
        let share = shares[k * n + i];
        Cell { left: residual[at], weight: weights[i] * share, share }
    };
    let mut rows =
        Rows { classes, cells: (0..n * classes).map(cell).collect(), mean: vec![0.0; n] };
    let curvature = |cell: &Cell| cell.weight * (1.0 - cell.share);
    let bases = (0..data.intercepts())
        .map(|k| rows.class(k).map(|(cell, _)| curvature(cell)).sum())
        .collect();
    let coordinate = |&at: &u32| {
        let (at, class) = (at as usize, at as usize / p);
        let (places, entries) = data.base.design.sparse_column(at % p).unwrap_or_default();
        let of_row = |&i: &u32| curvature(&rows.cells[i as usize * classes + class]);
        let square = places.iter().zip(entries).map(|(i, x)| x * x * of_row(i)).sum();
        Coordinate { at, class, square }
    };
    let mut all: Vec<Coordinate> = coordinates.iter().map(coordinate).collect();
    // The classes of a column meet the same rows.
    all.sort_by_key(|c| (c.at % p, c.class));
    let problem = Problem { data, penalty: &task.penalty, bases };
    let length = |c: &Coordinate| data.base.design.sparse_column(c.at % p).map_or(0, |c| c.0.len());
    let lengths: Vec<usize> = all.iter().map(length).collect();
    let mut raw = task.place.clone();
    let (mut support, mut spent) = (Vec::new(), 0.0);
    let mut sweep = 0;
    while sweep < SWEEPS && spent <= most {
        control.check()?;
        let whole = sweep % INNER == 0;
        if whole || sweep % INNER == 1 {
            support = (0..all.len()).filter(|&c| whole || raw.beta[all[c].at] != 0.0).collect();
        }
        spent += support.iter().map(|&c| lengths[c]).sum::<usize>() as f64 + (n * classes) as f64;
        let change = sweep_over(&problem, &all, &support, &mut rows, &mut raw);
        sweep += 1;
        let far = precision >= COARSE && sweep > ENOUGH;
        if change <= precision || (whole && far) {
            if whole {
                return Ok(Some(centred(data, &task.place, raw)));
            }
            // The support has settled: see what the others say.
            sweep = sweep.next_multiple_of(INNER);
        }
    }
    Ok(None)
}

/// The intercepts of columns around their means, from those of columns as they are. What all classes have in common changes
/// nothing, and stays what it was.
fn centred(data: &Data, from: &Place, mut to: Place) -> Place {
    if let Some(x) = data.base.design.sparse() {
        let p = data.cols();
        for (k, b0) in to.intercept.iter_mut().enumerate() {
            let moved = (k * p..(k + 1) * p).map(|j| (to.beta[j] - from.beta[j]) * x.shift[j % p]);
            *b0 += moved.sum::<f64>();
        }
    }
    let moved = to.intercept.iter().zip(&from.intercept).map(|(b, a)| b - a).sum::<f64>();
    let common = moved / to.intercept.len().max(1) as f64;
    to.intercept.iter_mut().for_each(|b0| *b0 -= common);
    to
}

dispatch! {
    /// The largest change of a slope, as a part of its λ.
    fn sweep_over(
        problem: &Problem,
        all: &[Coordinate],
        which: &[usize],
        rows: &mut Rows,
        at: &mut Place,
    ) -> f64 {
        let Penalty { l1, ridge } = problem.penalty;
        let (p, classes) = (problem.data.cols(), rows.classes);
        let mut largest = 0.0f64;
        for &c in which {
            let Coordinate { at: j, class, square } = all[c];
            let (places, entries) = problem.data.base.design.sparse_column(j % p).unwrap_or_default();
            let residual = |i: u32| {
                let cell = &rows.cells[i as usize * classes + class];
                cell.weight.mul_add(rows.mean[i as usize], cell.left)
            };
            // Sums side by side do not wait for each other.
            let ((fours, rest), (values, last)) =
                (as_arrays::<4, _>(places), as_arrays::<4, _>(entries));
            let mut sums = [0.0; 4];
            for (at, x) in fours.iter().zip(values) {
                for l in 0..4 {
                    sums[l] = x[l].mul_add(residual(at[l]), sums[l]);
                }
            }
            for (&i, x) in rest.iter().zip(last) {
                sums[0] = x.mul_add(residual(i), sums[0]);
            }
            let slope = (sums[0] + sums[1]) + (sums[2] + sums[3]);
            let old = at.beta[j];
            let curvature = square + ridge[j];
            let new = if curvature > 0.0 { step(old, slope, square, l1[j], ridge[j]) } else { 0.0 };
            let change = new - old;
            if change != 0.0 {
                for (&i, x) in places.iter().zip(entries) {
                    let cell = &mut rows.cells[i as usize * classes + class];
                    cell.left = (-cell.weight).mul_add(change * x, cell.left);
                    rows.mean[i as usize] = cell.share.mul_add(change * x, rows.mean[i as usize]);
                }
                at.beta[j] = new;
                largest = largest.max(curvature * change.abs() / l1[j]);
            }
        }
        for (class, &curvature) in problem.bases.iter().enumerate() {
            let slope: f64 = rows.class(class).map(|(c, mean)| c.weight.mul_add(mean, c.left)).sum();
            if curvature > 0.0 {
                let change = slope / curvature;
                at.intercept[class] += change;
                for (cells, mean) in rows.cells.chunks_exact_mut(classes).zip(&mut rows.mean) {
                    let cell = &mut cells[class];
                    cell.left = (-cell.weight).mul_add(change, cell.left);
                    *mean = cell.share.mul_add(change, *mean);
                }
            }
        }
        largest
    }
}
