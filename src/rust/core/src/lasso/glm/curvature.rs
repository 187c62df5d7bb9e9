//! The curvature of a draw's loss at a place, on some coordinates: X'W l'' X beside the intercepts.

use super::task::{Data, Place, Task, Weights};
use crate::data::design::Design;
use crate::engine::job::Control;
use crate::error::Error;
use crate::lasso::cross::cross;
use crate::lasso::gram::{Moments, batch_moments};
use crate::linalg::dense::{Columns, accumulate_upper, dot};
use crate::linalg::lanes::panel_width;
use crate::loss::Risks;
use ndarray::Array2;
use std::ops::Range;

/// Weights times curvature of all rows: a line for each pair of predictors k ≤ l.
pub fn of_rows(
    data: &Data,
    weights: &mut Weights,
    at: &Place,
    control: &Control,
) -> Result<Vec<Vec<f64>>, Error> {
    let (n, classes) = (data.rows(), data.predictors());
    let mut out = vec![vec![0.0; n]; classes * (classes + 1) / 2];
    if data.likelihood.coupled() {
        let (w, eta) = whole(data, weights, at, control)?;
        data.likelihood.curvature(&(0..n), &w, &eta, &mut out[0]);
        return Ok(out);
    }
    let mut here = OfBlock::new(data);
    for rows in data.base.design.blocks() {
        control.check()?;
        let values = here.find(data, weights, at, &rows);
        for (line, values) in out.iter_mut().zip(values.chunks_exact(rows.len())) {
            line[rows.clone()].copy_from_slice(values);
        }
    }
    Ok(out)
}

/// The same of a block of rows, which do not depend on each other.
struct OfBlock {
    w: Vec<f64>,
    eta: Vec<f64>,
    values: Vec<f64>,
}

impl OfBlock {
    fn new(data: &Data) -> OfBlock {
        let (block, classes) = (data.base.design.block, data.predictors());
        let pairs = classes * (classes + 1) / 2;
        let room = |lines: usize| vec![0.0; lines * block];
        OfBlock { w: room(1), eta: room(classes), values: room(pairs) }
    }

    /// A line as long as the block for each pair.
    fn find(
        &mut self,
        data: &Data,
        weights: &mut Weights,
        at: &Place,
        rows: &Range<usize>,
    ) -> &[f64] {
        let (count, classes) = (rows.len(), data.predictors());
        let OfBlock { w, eta, values } = self;
        weights.fill(rows.start, &mut w[..count]);
        for (k, eta) in eta.chunks_exact_mut(count).take(classes).enumerate() {
            data.predict(k, rows, at, eta);
        }
        let values = &mut values[..classes * (classes + 1) / 2 * count];
        data.likelihood.curvature(rows, &w[..count], &eta[..classes * count], values);
        values
    }
}

/// Weights and η of all rows, of one predictor.
fn whole(
    data: &Data,
    weights: &mut Weights,
    at: &Place,
    control: &Control,
) -> Result<(Vec<f64>, Vec<f64>), Error> {
    let (mut w, mut eta) = (vec![0.0; data.rows()], vec![0.0; data.rows()]);
    for rows in data.base.design.blocks() {
        control.check()?;
        weights.fill(rows.start, &mut w[rows.clone()]);
        data.predict(0, &rows, at, &mut eta[rows.clone()]);
    }
    Ok((w, eta))
}

/// Σ d m m' of these columns, with m the means of the rows at risk: from the last row back, block by
/// block.
fn of_risks(
    data: &Data,
    columns: &[u32],
    risks: &Risks,
    control: &Control,
) -> Result<Array2<f64>, Error> {
    let design = &data.base.design;
    let (m, width) = (columns.len(), panel_width(columns.len()));
    let mut out = vec![0.0; m * width];
    let mut sums = vec![0.0; m];
    let in_order: Vec<u32> = (0..m as u32).collect();
    let blocks: Vec<Range<usize>> = design.blocks().collect();
    let mut sets = risks.sets.as_slice();
    for rows in blocks.into_iter().rev() {
        control.check()?;
        let here = sets.partition_point(|set| set.0 < rows.start);
        let (rest, inside) = sets.split_at(here);
        sets = rest;
        // Means of each column, times of events side by side.
        let count = inside.len();
        let mut means = vec![0.0; m * count];
        let mut at_events = |at: usize, column: usize, sum: f64| {
            means[column * count + at] = sum / inside[at].1;
        };
        if let Some(block) = design.dense_block(&rows) {
            for (c, &j) in columns.iter().enumerate() {
                let column = &block[j as usize * rows.len()..][..rows.len()];
                let mut next = count;
                for i in rows.clone().rev() {
                    sums[c] += risks.share[i] * column[i - rows.start];
                    if next > 0 && inside[next - 1].0 == i {
                        next -= 1;
                        at_events(next, c, sums[c]);
                    }
                }
            }
        } else if let Some(x) = design.sparse() {
            let mut place = vec![u32::MAX; design.cols];
            columns.iter().enumerate().for_each(|(c, &j)| place[j as usize] = c as u32);
            let mut next = count;
            for i in rows.clone().rev() {
                let (of_row, values) = x.row(i);
                for (&j, v) in of_row.iter().zip(values) {
                    if place[j as usize] != u32::MAX {
                        sums[place[j as usize] as usize] += risks.share[i] * v;
                    }
                }
                if next > 0 && inside[next - 1].0 == i {
                    next -= 1;
                    for (c, &j) in columns.iter().enumerate() {
                        at_events(next, c, sums[c] - x.shift[j as usize] * inside[next].1);
                    }
                }
            }
        }
        let mut panel = vec![0.0; count * width];
        for (c, mean) in means.chunks_exact(count.max(1)).enumerate() {
            for (t, mean) in mean.iter().enumerate() {
                panel[t * width + c] = inside[t].2 * mean;
            }
        }
        let every = Columns { block: &means, rows: count, which: &in_order };
        accumulate_upper(every, &panel, width, &mut out);
    }
    Ok(Array2::from_shape_vec((m, width), out).unwrap_or_default())
}

/// X'v of these columns, and Σ v.
pub fn column_sums(
    data: &Data,
    columns: &[u32],
    v: &[f64],
    control: &Control,
) -> Result<(Vec<f64>, f64), Error> {
    let mut sums = ColumnSums::new(data, columns);
    for rows in data.base.design.blocks() {
        control.check()?;
        sums.add(&rows, &v[rows.clone()]);
    }
    Ok(sums.finish())
}

/// The same of rows that come block by block.
pub struct ColumnSums<'a> {
    design: &'a Design,
    columns: &'a [u32],
    /// Of these columns, or of all of a sparse design.
    sums: Vec<f64>,
    total: f64,
}

impl<'a> ColumnSums<'a> {
    pub fn new(data: &'a Data, columns: &'a [u32]) -> ColumnSums<'a> {
        let design = &*data.base.design;
        let size = if design.is_sparse() { design.cols } else { columns.len() };
        ColumnSums { design, columns, sums: vec![0.0; size], total: 0.0 }
    }

    /// The rows of a block.
    pub fn add(&mut self, rows: &Range<usize>, v: &[f64]) {
        v.iter().for_each(|v| self.total += v);
        if let Some(x) = self.design.sparse() {
            for (i, v) in rows.clone().zip(v) {
                let (columns, values) = x.row(i);
                columns.iter().zip(values).for_each(|(&j, x)| self.sums[j as usize] += v * x);
            }
        } else if let Some(block) = self.design.dense_block(rows) {
            for (s, &j) in self.sums.iter_mut().zip(self.columns) {
                *s += dot(&block[j as usize * rows.len()..][..rows.len()], v);
            }
        }
    }

    pub fn finish(self) -> (Vec<f64>, f64) {
        let ColumnSums { columns, sums, total, .. } = self;
        match self.design.sparse() {
            Some(x) => {
                let left = |&j: &u32| sums[j as usize] - x.shift[j as usize] * total;
                (columns.iter().map(left).collect(), total)
            }
            None => (sums, total),
        }
    }
}

/// The curvature of the intercepts, then of these coordinates (predictor after predictor, ascending).
pub fn curvature(
    data: &Data,
    weights: &mut Weights,
    at: &Place,
    coordinates: &[u32],
    control: &Control,
) -> Result<Array2<f64>, Error> {
    let (p, classes, intercepts) = (data.cols() as u32, data.predictors(), data.intercepts());
    // Where each coordinate of a class stands, and its column.
    let of_class = |k: usize| -> Vec<(usize, u32)> {
        let mine = coordinates.iter().enumerate().filter(|(_, c)| (**c / p) as usize == k);
        mine.map(|(i, c)| (intercepts + i, c % p)).collect()
    };
    let members: Vec<Vec<(usize, u32)>> = (0..classes).map(of_class).collect();
    let size = intercepts + coordinates.len();
    let mut out = Array2::zeros((size, size));
    // Of many rows nothing is kept: they are found again for every pair.
    let lines = if data.is_long() { None } else { Some(of_rows(data, weights, at, control)?) };
    let mut here = OfBlock::new(data);
    let pairs = (0..classes).flat_map(|k| (k..classes).map(move |l| (k, l)));
    for (pair, (k, l)) in pairs.enumerate() {
        // Classes may have few columns in common.
        let mut columns: Vec<u32> = members[k].iter().chain(&members[l]).map(|m| m.1).collect();
        columns.sort_unstable();
        columns.dedup();
        let place = |&(i, c): &(usize, u32)| (i, columns.binary_search(&c).unwrap_or(0));
        let places = |k: usize| -> Vec<(usize, usize)> { members[k].iter().map(place).collect() };
        let (of_k, of_l) = (places(k), places(l));
        let mut beside = ColumnSums::new(data, &columns);
        let mut gram = cross(&data.base, &columns, 0, control, &mut |first, w| {
            let rows = first..first + w.len();
            w.copy_from_slice(match &lines {
                Some(lines) => &lines[pair][rows.clone()],
                None => &here.find(data, weights, at, &rows)[pair * rows.len()..][..rows.len()],
            });
            if intercepts > 0 {
                beside.add(&rows, w);
            }
        })?;
        if data.likelihood.coupled() {
            let (w, eta) = whole(data, weights, at, control)?;
            if let Some(risks) = data.likelihood.risks(&w, &eta) {
                gram -= &of_risks(data, &columns, &risks, control)?;
            }
        }
        for &(i, a) in &of_k {
            for &(j, b) in &of_l {
                out[[i, j]] = gram[[a.min(b), a.max(b)]];
                out[[j, i]] = out[[i, j]];
            }
        }
        if intercepts > 0 {
            let (sums, total) = beside.finish();
            for (from, to, of_to) in [(k, l, &of_l), (l, k, &of_k)] {
                for &(j, b) in of_to {
                    out[[from, j]] = sums[b];
                    out[[j, from]] = sums[b];
                }
                out[[from, to]] = total;
            }
        }
    }
    Ok(out)
}

/// The same of several draws and all columns in one product: few columns, one predictor, dense.
pub fn curvatures(
    data: &Data,
    tasks: &mut [&mut Task],
    control: &Control,
) -> Result<Vec<Array2<f64>>, Error> {
    let mut eta = vec![0.0; data.base.design.block];
    let mut w = vec![0.0; data.base.design.block];
    let count = tasks.len();
    let fill = |k: usize, first: usize, out: &mut [f64]| {
        let (rows, size) = (first..first + out.len(), out.len());
        let task = &mut *tasks[k];
        task.weights.fill(first, &mut w[..size]);
        data.predict(0, &rows, &task.place, &mut eta[..size]);
        data.likelihood.curvature(&rows, &w[..size], &eta[..size], out);
    };
    let moments = batch_moments(&data.base, count, fill, control)?;
    let intercepts = data.intercepts();
    let beside = |m: Moments| {
        if intercepts == 0 {
            return m.gram;
        }
        Array2::from_shape_fn((m.cols + 1, m.cols + 1), |(a, b)| match (a, b) {
            (0, 0) => m.w,
            (0, j) | (j, 0) => m.xw[j - 1],
            (a, b) => m.gram[[a - 1, b - 1]],
        })
    };
    Ok(moments.into_iter().map(beside).collect())
}
