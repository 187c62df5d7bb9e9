//! Weighted sums of a stretch of rows for a group of draws, side by side in the lanes of a panel.

use super::rows::{BLOCK, Stretch};
use super::sums::Layout;
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::dense::{Columns, accumulate};
use crate::linalg::lanes::{LANES, dispatch, panel_width};
use crate::linalg::panel::Beside;
use crate::random::weights::DrawWeights;
use std::ops::Range;

/// Products that stay in the second-level cache beside their weights.
const CACHED: usize = 1 << 15;

/// Whose weights the lanes have.
pub enum Weights<'a> {
    Draws(Vec<DrawWeights<'a>>),
    /// The user's own: of all rows, and of each of so many folds.
    Folds(u32),
}

pub struct Group<'a> {
    weights: Weights<'a>,
    layout: Layout,
    width: usize,
    /// Products by lanes.
    sums: Vec<f64>,
    /// Σ of the random weights of each lane.
    pub totals: Vec<f64>,
    panel: Vec<f64>,
    beside: Beside,
    product: Vec<f64>,
}

impl<'a> Group<'a> {
    pub fn new(weights: Weights<'a>, layout: Layout) -> Group<'a> {
        let lanes = match &weights {
            Weights::Draws(draws) => draws.len(),
            Weights::Folds(folds) => 1 + *folds as usize,
        };
        let width = panel_width(lanes);
        Group {
            weights,
            layout,
            width,
            sums: vec![0.0; layout.products() * width],
            totals: vec![0.0; lanes],
            panel: vec![0.0; BLOCK * width],
            beside: Beside::new(BLOCK),
            product: Vec::new(),
        }
    }

    pub fn lanes(&self) -> usize {
        self.totals.len()
    }

    /// Write the products of lane k.
    pub fn copy_lane(&self, k: usize, out: &mut [f64]) {
        out.iter_mut().zip(self.sums.iter().skip(k).step_by(self.width)).for_each(|(o, s)| *o = *s);
    }

    pub fn add(&mut self, rows: &Stretch, control: &Control) -> Result<(), Error> {
        // Rows whose products are made at a time: of a power of two, so that they never cross a block.
        let few = (CACHED / self.layout.products()).clamp(8, BLOCK);
        let few = 1 << few.ilog2();
        let all: Vec<u32> = (0..self.layout.products() as u32).collect();
        for block in rows.blocks() {
            control.check()?;
            self.fill_panel(rows, &block);
            for from in (0..block.len()).step_by(few) {
                let count = few.min(block.len() - from);
                self.multiply(rows, block.start + from, count);
                let columns = Columns { block: &self.product, rows: count, which: &all };
                let panel = &self.panel[from * self.width..][..count * self.width];
                accumulate(columns, panel, self.width, &mut self.sums);
            }
        }
        Ok(())
    }

    /// The weights of a block, a row a line.
    fn fill_panel(&mut self, rows: &Stretch, block: &Range<usize>) {
        let (width, case) = (self.width, &rows.case[block.clone()]);
        match &mut self.weights {
            Weights::Draws(draws) => {
                let (first, count) = (rows.first as usize + block.start, draws.len());
                let totals = &mut self.totals;
                let fill = |k: usize, line: &mut [f64]| {
                    let draw: &mut DrawWeights = &mut draws[k];
                    match &rows.unit {
                        Some(unit) => draw.fill_units_at(&unit[block.clone()], line),
                        None => draw.fill(first, line),
                    }
                    totals[k] += sum(line);
                    line.iter_mut().zip(case).for_each(|(w, c)| *w *= c);
                };
                self.beside.fill(count, block.len(), width, &mut self.panel, fill);
            }
            Weights::Folds(_) => {
                self.panel[..block.len() * width].fill(0.0);
                let fold = rows.fold.as_ref().map(|f| &f[block.clone()]);
                for (r, &c) in case.iter().enumerate() {
                    self.panel[r * width] = c;
                    if let Some(f) = fold.map(|f| f[r] as usize).filter(|&f| f > 0) {
                        self.panel[r * width + f] = c;
                    }
                }
            }
        }
    }

    /// All products of the columns of some rows.
    fn multiply(&mut self, rows: &Stretch, from: usize, count: usize) {
        const ONES: [f64; BLOCK] = [1.0; BLOCK];
        let mut columns = vec![&ONES[..count]];
        columns.extend(rows.columns.iter().map(|column| &column[from..from + count]));
        self.product.resize(self.layout.products() * count, 0.0);
        products(&columns, &mut self.product);
    }
}

dispatch! {
    /// Of all pairs of columns, row after row of the upper triangle.
    fn products(columns: &[&[f64]], out: &mut [f64]) {
        let mut places = out.chunks_exact_mut(columns[0].len());
        for (a, left) in columns.iter().enumerate() {
            for (right, place) in columns[a..].iter().zip(&mut places) {
                for ((o, u), v) in place.iter_mut().zip(*left).zip(*right) {
                    *o = u * v;
                }
            }
        }
    }
}

/// Eight sums side by side, then theirs: one alone would wait for itself.
fn sum(values: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for eight in values.chunks(LANES) {
        sums.iter_mut().zip(eight).for_each(|(s, v)| *s += v);
    }
    sums.iter().sum()
}
