//! One pass over the data for a batch of problems of a family: losses and gradients.

use super::curvature::ColumnSums;
use super::task::{Data, Found, Task};
use crate::data::blocks::ranges;
use crate::engine::job::Control;
use crate::error::Error;
use crate::lasso::pass::{Wanted, sweep};
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
    if data.predictors() > 1 {
        return pass(data, &mut [task], control);
    }
    let (n, block) = (data.rows(), data.base.design.block);
    // Many rows go by in spans of whole blocks.
    let span = if data.is_long() { SPAN / block * block } else { n };
    let (mut weights, mut panel) = (vec![0.0; span], vec![0.0; span]);
    let mut sums = Sums::new(sum::COUNT, 1);
    let all: Vec<u32> = (0..data.cols() as u32).collect();
    let mut gradient = ColumnSums::new(data, &all);
    for whole in ranges(n, span.max(1)) {
        let (weights, panel) = (&mut weights[..whole.len()], &mut panel[..whole.len()]);
        let within = |rows: &Range<usize>| rows.start - whole.start..rows.end - whole.start;
        let blocks =
            || ranges(whole.len(), block).map(|r| r.start + whole.start..r.end + whole.start);
        for rows in blocks() {
            control.check()?;
            task.weights.fill(rows.start, &mut weights[within(&rows)]);
            data.predict(0, &rows, &task.place, &mut panel[within(&rows)]);
        }
        panel.iter_mut().for_each(|eta| *eta = -*eta);
        data.likelihood.residuals(&whole, weights, panel, &mut sums);
        blocks().for_each(|rows| gradient.add(&rows, &panel[within(&rows)]));
    }
    let get = |which: usize| sums.get(which, 0);
    task.found = Found {
        gradient: gradient.finish().0,
        slopes: vec![get(sum::RESIDUAL)],
        loss: get(sum::LOSS),
        least: get(sum::LEAST),
        weight: get(sum::WEIGHT),
        curvature: get(sum::CURVATURE),
    };
    Ok(())
}
