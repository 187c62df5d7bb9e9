//! The columns that the folds of a group walk on, and the residual of each.
//!
//! A dense column is there once for all folds, in single precision: a walk is judged by a pass in double
//! precision anyway, and columns of half the size stay near the caches. So is a sparse one where it has so many entries
//! that looking them up costs more than the zeros between them. Rows held out have weight zero;
//! means of the fold are taken out in the step, so that nothing is copied for a fold.

use super::walk::{Coordinates, Slopes, Steps, sweep};
use crate::data::design::Design;
use crate::lasso::cross::has_vanished;
use crate::lasso::extrapolate::State;
use crate::lasso::rough::dot;
use crate::lasso::task::{Data, RowWeights, Task};
use crate::linalg::lanes::dispatch;
use crate::linalg::sparse::gathered_dot;

/// Numbers of a column are filled up to a multiple of this.
const WIDE: usize = 64;
const OUT: u32 = u32::MAX;

/// Filled columns in single precision, those that were asked for so far.
pub struct Singles {
    /// Are there any? Otherwise walks are on sparse columns.
    filled: bool,
    rows: usize,
    place: Vec<u32>,
    values: Vec<f32>,
}

impl Singles {
    pub fn new(design: &Design, filled: bool) -> Singles {
        let rows = design.rows.next_multiple_of(WIDE);
        Singles { filled, rows, place: vec![OUT; design.cols], values: Vec::new() }
    }

    fn admit(&mut self, design: &Design, j: usize) {
        if self.place[j] != OUT {
            return;
        }
        let first = self.values.len();
        self.place[j] = (first / self.rows) as u32;
        self.values.resize(first + self.rows, 0.0);
        let column = &mut self.values[first..];
        if let (Some(x), Some((rows, values))) = (design.sparse(), design.sparse_column(j)) {
            column[..design.rows].fill(-x.shift[j] as f32);
            for (&i, v) in rows.iter().zip(values) {
                column[i as usize] = (v - x.shift[j]) as f32;
            }
            return;
        }
        for rows in design.blocks() {
            let Some(block) = design.dense_block(&rows) else { break };
            let from = &block[j * rows.len()..][..rows.len()];
            column[rows].iter_mut().zip(from).for_each(|(o, x)| *o = *x as f32);
        }
    }

    #[inline(always)]
    fn get(&self, j: usize) -> &[f32] {
        &self.values[self.place[j] as usize * self.rows..][..self.rows]
    }
}

/// The weights of a fold, of mean one, and what its columns are in them.
pub struct FoldColumns {
    weights: Vec<f64>,
    single: Vec<f32>,
    unit: f64,
    mean_y: f64,
    /// Around the fold's means; not a number where nobody asked.
    square: Vec<f64>,
    mean: Vec<f64>,
}

impl FoldColumns {
    /// For a task that a pass has seen.
    pub fn new(data: &Data, task: &mut Task) -> FoldColumns {
        let rows = data.design.rows;
        let mut weights = vec![0.0; rows];
        task.weights.fill(0, &mut weights);
        let total: f64 = weights.iter().sum();
        let unit = if total > 0.0 { total / rows as f64 } else { 1.0 };
        weights.iter_mut().for_each(|w| *w /= unit);
        let mut single = vec![0.0; rows.next_multiple_of(WIDE)];
        single.iter_mut().zip(&weights).for_each(|(o, w)| *o = *w as f32);
        let centred = data.intercept && total > 0.0;
        let sum: f64 = weights.iter().zip(&data.y).map(|(w, y)| w * y).sum();
        let xw = task.totals.as_ref().map_or(&[][..], |t| &t.xw);
        let mean = match centred {
            true => xw.iter().map(|s| s / total).collect(),
            false => vec![0.0; data.design.cols],
        };
        let mean_y = if centred { sum / rows as f64 } else { 0.0 };
        let square = vec![f64::NAN; data.design.cols];
        FoldColumns { weights, single, unit, mean_y, square, mean }
    }

    pub fn squares(&self) -> &[f64] {
        &self.square
    }

    /// r'Wr, from W r less levels of W.
    #[inline(never)]
    fn product(&self, a: &State, b: &State) -> f64 {
        let both = self.weights.iter().zip(a.residual.iter().zip(&b.residual));
        let entry = |(w, (u, v)): (&f64, (&f64, &f64))| (u + a.level * w) * (v + b.level * w) / w;
        self.unit * both.filter(|(w, _)| **w > 0.0).map(entry).sum::<f64>()
    }

    /// Find the squares of these columns.
    pub fn admit(&mut self, data: &Data, columns: &mut Singles, which: &[u32]) {
        let design = &data.design;
        let total = design.rows as f64;
        for j in which.iter().map(|&j| j as usize) {
            if columns.filled {
                columns.admit(design, j);
            }
            if !self.square[j].is_nan() {
                continue;
            }
            let mean = self.mean[j];
            let (raw, square) = if let (Some(x), Some((rows, values))) =
                (design.sparse(), design.sparse_column(j))
            {
                let entry = |(&i, v): (&u32, &f64)| self.weights[i as usize] * v * v;
                let raw: f64 = rows.iter().zip(values).map(entry).sum();
                (raw, raw - (mean + x.shift[j]).powi(2) * total)
            } else {
                let entry = |(w, x): (&f64, &f32)| w * (f64::from(*x) - mean).powi(2);
                let square: f64 = self.weights.iter().zip(columns.get(j)).map(entry).sum();
                (square + mean * mean * total, square)
            };
            self.square[j] = if has_vanished(square, raw) { 0.0 } else { square * self.unit };
        }
    }

    /// The residual at the task's β.
    pub fn residual<'a>(
        &'a self,
        data: &'a Data,
        columns: &'a Singles,
        task: &Task,
    ) -> Box<dyn Steps + 'a> {
        let support = task.beta.iter().enumerate().filter(|(_, b)| **b != 0.0);
        let from = |w: f64, y: f64| w * (y - self.mean_y);
        if !columns.filled {
            let residual = self.weights.iter().zip(&data.y).map(|(w, y)| from(*w, *y)).collect();
            let mut sparse = Sparse { fold: self, design: &data.design, residual, level: 0.0 };
            subtract_sparse(&mut sparse, &task.beta);
            return Box::new(sparse);
        }
        let mut residual = vec![0.0f32; self.single.len()];
        for (r, (w, y)) in residual.iter_mut().zip(self.weights.iter().zip(&data.y)) {
            *r = from(*w, *y) as f32;
        }
        let mut dense = Dense { fold: self, columns, residual };
        support.for_each(|(j, b)| subtract_dense(&mut dense, j, *b));
        Box::new(dense)
    }
}

/// The rows that a fold holds out, those of weight.
pub struct Held {
    rows: Vec<usize>,
    pub weights: Vec<f64>,
    /// Their part of each dense column, if it was asked for.
    packed: Vec<f64>,
}

impl Held {
    pub fn new(rows: usize, mut weights: RowWeights) -> Held {
        let mut all = vec![0.0; rows];
        weights.fill(0, &mut all);
        let rows: Vec<usize> = (0..rows).filter(|&i| all[i] > 0.0).collect();
        Held { weights: rows.iter().map(|&i| all[i]).collect(), rows, packed: Vec::new() }
    }

    /// Bring the rows of dense columns together, which are far from each other.
    pub fn pack(mut self, design: &Design) -> Held {
        let (count, mut first) = (self.rows.len(), 0);
        if design.is_sparse() {
            return self;
        }
        self.packed = vec![0.0; count * design.cols];
        for rows in design.blocks() {
            let here = &self.rows[first..];
            let here = &here[..here.iter().take_while(|i| **i < rows.end).count()];
            let Some(block) = design.dense_block(&rows) else { break };
            let columns = block.chunks_exact(rows.len());
            for (column, out) in columns.zip(self.packed.chunks_exact_mut(count.max(1))) {
                let out = &mut out[first..][..here.len()];
                out.iter_mut().zip(here).for_each(|(o, &i)| *o = column[i - rows.start]);
            }
            first += here.len();
        }
        self
    }

    /// Σ w (y − b0 − x'β)² over these rows.
    pub fn squares(&self, data: &Data, b0: f64, beta: &[f64]) -> f64 {
        let mut left: Vec<f64> = self.rows.iter().map(|&i| data.y[i] - b0).collect();
        let design = &data.design;
        if let Some(x) = design.sparse() {
            let level: f64 = x.shift.iter().zip(beta).map(|(s, b)| s * b).sum();
            for (left, &i) in left.iter_mut().zip(&self.rows) {
                let (columns, values) = x.row(i);
                let fit = columns.iter().zip(values).map(|(&j, v)| v * beta[j as usize]);
                *left += level - fit.sum::<f64>();
            }
        }
        let packed = self.packed.chunks_exact(self.rows.len().max(1));
        for (column, b) in packed.zip(beta).filter(|(_, b)| **b != 0.0) {
            left.iter_mut().zip(column).for_each(|(left, x)| *left -= b * x);
        }
        let mut first = 0;
        for rows in design.blocks().filter(|_| self.packed.is_empty()) {
            let count = self.rows[first..].iter().take_while(|i| **i < rows.end).count();
            let here = first..first + count;
            first += count;
            let Some(block) = design.dense_block(&rows) else { break };
            let columns = block.chunks_exact(rows.len());
            for (column, b) in columns.zip(beta).filter(|(_, b)| **b != 0.0) {
                for (left, &i) in left[here.clone()].iter_mut().zip(&self.rows[here.clone()]) {
                    *left -= b * column[i - rows.start];
                }
            }
        }
        left.iter().zip(&self.weights).map(|(r, w)| w * r * r).sum()
    }
}

/// W r in the fold's weights.
struct Dense<'a> {
    fold: &'a FoldColumns,
    columns: &'a Singles,
    residual: Vec<f32>,
}

impl Slopes for Dense<'_> {
    #[inline(always)]
    fn slope(&self, j: usize) -> f64 {
        f64::from(dot(self.columns.get(j), &self.residual)) * self.fold.unit
    }

    #[inline(always)]
    fn subtract(&mut self, j: usize, by: f64) {
        let (by, level) = (by as f32, (by * self.fold.mean[j]) as f32);
        let column = self.columns.get(j);
        for (r, (&x, &w)) in self.residual.iter_mut().zip(column.iter().zip(&self.fold.single)) {
            *r = (-w).mul_add(by.mul_add(x, -level), *r);
        }
    }
}

dispatch! {
    fn subtract_dense(dense: &mut Dense, j: usize, by: f64) {
        dense.subtract(j, by);
    }
}

dispatch! {
    fn sweep_dense(dense: &mut Dense, on: &Coordinates, beta: &mut [f64]) -> f64 {
        sweep(dense, on, beta)
    }
}

dispatch! {
    fn slopes_dense(dense: &Dense, which: &[u32]) -> Vec<f64> {
        which.iter().map(|&j| dense.slope(j as usize)).collect()
    }
}

impl Steps for Dense<'_> {
    fn sweep(&mut self, on: &Coordinates, beta: &mut [f64]) -> f64 {
        sweep_dense(self, on, beta)
    }

    fn slopes(&self, which: &[u32]) -> Vec<f64> {
        slopes_dense(self, which)
    }

    fn note(&self, state: &mut State) {
        state.residual = self.residual.iter().map(|r| f64::from(*r)).collect();
    }

    fn go(&mut self, state: &State) {
        self.residual.iter_mut().zip(&state.residual).for_each(|(r, s)| *r = *s as f32);
    }

    fn product(&self, _: &[u32], a: &State, b: &State) -> f64 {
        self.fold.product(a, b)
    }
}

/// The same, less `level` times the weights: the means of sparse columns are never filled in.
struct Sparse<'a> {
    fold: &'a FoldColumns,
    design: &'a Design,
    residual: Vec<f64>,
    level: f64,
}

impl Sparse<'_> {
    /// What is taken from all entries of a column.
    #[inline(always)]
    fn shift(&self, j: usize) -> f64 {
        self.fold.mean[j] + self.design.sparse().map_or(0.0, |x| x.shift[j])
    }
}

impl Slopes for Sparse<'_> {
    #[inline(always)]
    fn slope(&self, j: usize) -> f64 {
        let (rows, values) = self.design.sparse_column(j).unwrap_or_default();
        let sum = gathered_dot(rows, values, &self.residual);
        // Σ wᵢ of a column is its mean times the rows: weights have mean one.
        let weight = self.shift(j) * self.residual.len() as f64;
        self.level.mul_add(weight, sum) * self.fold.unit
    }

    #[inline(always)]
    fn subtract(&mut self, j: usize, by: f64) {
        let (rows, values) = self.design.sparse_column(j).unwrap_or_default();
        for (&i, v) in rows.iter().zip(values) {
            let r = &mut self.residual[i as usize];
            *r = (-by * self.fold.weights[i as usize]).mul_add(*v, *r);
        }
        self.level += by * self.shift(j);
    }
}

dispatch! {
    /// r −= Xβ. Outside of such a loop a fused product is a call of its own, for each entry.
    fn subtract_sparse(sparse: &mut Sparse, beta: &[f64]) {
        for (j, b) in beta.iter().enumerate().filter(|(_, b)| **b != 0.0) {
            sparse.subtract(j, *b);
        }
    }
}

dispatch! {
    fn sweep_sparse(sparse: &mut Sparse, on: &Coordinates, beta: &mut [f64]) -> f64 {
        sweep(sparse, on, beta)
    }
}

dispatch! {
    fn slopes_sparse(sparse: &Sparse, which: &[u32]) -> Vec<f64> {
        which.iter().map(|&j| sparse.slope(j as usize)).collect()
    }
}

impl Steps for Sparse<'_> {
    fn sweep(&mut self, on: &Coordinates, beta: &mut [f64]) -> f64 {
        sweep_sparse(self, on, beta)
    }

    fn slopes(&self, which: &[u32]) -> Vec<f64> {
        slopes_sparse(self, which)
    }

    fn note(&self, state: &mut State) {
        (state.residual, state.level) = (self.residual.clone(), self.level);
    }

    fn go(&mut self, state: &State) {
        self.residual.clone_from(&state.residual);
        self.level = state.level;
    }

    fn product(&self, _: &[u32], a: &State, b: &State) -> f64 {
        self.fold.product(a, b)
    }
}
