//! One pass over the data for a batch of problems of a family: losses and gradients.

use super::curvature::ColumnSums;
use super::task::{Data, Found, Task};
use crate::data::blocks::ranges;
use crate::engine::job::Control;
use crate::error::Error;
use crate::lasso::pass::{Room, Wanted, sweep};
use crate::linalg::lanes::panel_width;
use crate::loss::{Loss, Sums, sum};
use std::ops::Range;

/// Rows of a problem alone that are looked at together.
const SPAN: usize = 1 << 16;

/// A likelihood as a pass sees it: Xβ is subtracted from −o − b₀, which leaves −η.
struct Panel<'a> {
    data: &'a Data,
    /// Of each lane: predictor after predictor, the draws side by side.
    intercept: Vec<f64>,
}

impl Loss for Panel<'_> {
    const SUMS: usize = sum::COUNT;

    fn coupled(&self) -> bool {
        self.data.likelihood.coupled()
    }

    fn begin(&self, rows: &Range<usize>, shift: &[f64], panel: &mut [f64]) {
        let (n, width) = (self.data.rows(), shift.len());
        let draws = width / self.data.predictors();
        for (i, line) in rows.clone().zip(panel.chunks_exact_mut(width)) {
            for ((cell, s), b) in line.iter_mut().zip(shift).zip(&self.intercept) {
                *cell = s - b;
            }
            if !self.data.offset.is_empty() {
                for (k, lanes) in line.chunks_exact_mut(draws).enumerate() {
                    let offset = self.data.offset[k * n + i];
                    lanes.iter_mut().for_each(|cell| *cell -= offset);
                }
            }
        }
    }

    fn add(&self, rows: &Range<usize>, weights: &[f64], panel: &mut [f64], sums: &mut Sums) {
        self.data.likelihood.residuals(rows, weights, panel, sums);
    }
}

/// Fill `found` of every task at its place.
pub fn pass(data: &Data, tasks: &mut [&mut Task], control: &Control) -> Result<(), Error> {
    let (p, classes, count) = (data.cols(), data.predictors(), tasks.len());
    let draws = panel_width(count);
    let nothing = vec![0.0; p];
    let lanes = classes * draws;
    let mut intercept = vec![0.0; lanes];
    let (places, mut weights): (Vec<_>, Vec<_>) =
        tasks.iter_mut().map(|t| (&t.place, &mut t.weights)).unzip();
    let mut betas: Vec<&[f64]> = vec![&nothing; lanes];
    for class in 0..classes {
        for (k, place) in places.iter().enumerate() {
            betas[class * draws + k] = &place.beta[class * p..][..p];
            intercept[class * draws + k] = place.intercept.get(class).copied().unwrap_or(0.0);
        }
    }
    // One predictor needs no lanes but those of the draws.
    betas.truncate(if classes == 1 { count } else { lanes });
    // The weights of a draw stand beside its first predictor.
    let fill = |k: usize, first: usize, out: &mut [f64]| match weights.get_mut(k) {
        Some(weights) => weights.fill(first, out),
        None => out.fill(0.0),
    };
    let passed = sweep(
        &data.base.design,
        &Panel { data, intercept },
        &betas,
        fill,
        Wanted::GRADIENT,
        &mut Room::default(),
        control,
    )?;
    for (k, task) in tasks.iter_mut().enumerate() {
        let get = |which: usize| passed.sums.get(which, k);
        let mut found = Found {
            gradient: Vec::with_capacity(classes * p),
            slopes: Vec::with_capacity(classes),
            loss: get(sum::LOSS),
            least: get(sum::LEAST),
            weight: get(sum::WEIGHT),
            curvature: get(sum::CURVATURE),
        };
        for class in 0..classes {
            let lane = class * draws + k;
            let residual = passed.sums.get(sum::RESIDUAL, lane);
            found.slopes.push(residual);
            found.gradient.extend(passed.column(
                &data.base.design,
                &passed.gradient,
                lane,
                residual,
            ));
        }
        task.found = found;
    }
    Ok(())
}

/// The same of a problem that is never one of a batch, whose lanes would be idle; its sums are rounded
/// otherwise.
pub fn pass_alone(data: &Data, task: &mut Task, control: &Control) -> Result<(), Error> {
    let (n, block, classes) = (data.rows(), data.base.design.block, data.predictors());
    // Many rows go by in spans of whole blocks.
    let span = if data.is_long() { SPAN / block * block } else { n };
    let room = || vec![0.0; span * classes];
    let (mut weights, mut panel, mut line) = (room(), room(), vec![0.0; block]);
    let mut sums = Sums::new(sum::COUNT, classes);
    let all: Vec<u32> = (0..data.cols() as u32).collect();
    let mut gradient: Vec<ColumnSums> = (0..classes).map(|_| ColumnSums::new(data, &all)).collect();
    for whole in ranges(n, span.max(1)) {
        let size = whole.len() * classes;
        let (weights, panel) = (&mut weights[..size], &mut panel[..size]);
        let within = |rows: &Range<usize>| {
            (rows.start - whole.start) * classes..(rows.end - whole.start) * classes
        };
        let blocks =
            || ranges(whole.len(), block).map(|r| r.start + whole.start..r.end + whole.start);
        for rows in blocks() {
            control.check()?;
            let line = &mut line[..rows.len()];
            task.weights.fill(rows.start, line);
            // Those of a row stand beside its first predictor.
            let of_rows = weights[within(&rows)].iter_mut().step_by(classes);
            of_rows.zip(&*line).for_each(|(o, w)| *o = *w);
            for k in 0..classes {
                data.predict(k, &rows, &task.place, line);
                let of_class = panel[within(&rows)].iter_mut().skip(k).step_by(classes);
                of_class.zip(&*line).for_each(|(o, eta)| *o = -eta);
            }
        }
        data.likelihood.residuals(&whole, weights, panel, &mut sums);
        for rows in blocks() {
            let line = &mut line[..rows.len()];
            for (k, gradient) in gradient.iter_mut().enumerate() {
                let of_class = panel[within(&rows)].iter().skip(k).step_by(classes);
                line.iter_mut().zip(of_class).for_each(|(o, r)| *o = *r);
                gradient.add(&rows, line);
            }
        }
    }
    let get = |which: usize| sums.get(which, 0);
    task.found = Found {
        gradient: gradient.into_iter().flat_map(|sums| sums.finish().0).collect(),
        slopes: (0..classes).map(|k| sums.get(sum::RESIDUAL, k)).collect(),
        loss: get(sum::LOSS),
        least: get(sum::LEAST),
        weight: get(sum::WEIGHT),
        curvature: get(sum::CURVATURE),
    };
    Ok(())
}
