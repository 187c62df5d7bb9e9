//! Weighted sums of a stretch of rows for a group of draws, side by side in the lanes of strips.

use super::rows::{BLOCK, Stretch};
use super::sums::Layout;
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::dense::{Columns, accumulate};
use crate::linalg::lanes::{LANES, dispatch, panel_width};
use crate::linalg::panel::Beside;
use crate::random::weights::{DrawWeights, WeightPlan};
use std::ops::Range;

/// Rows whose weights and products are made at a time, and summed before they are added to the rest. Blocks have whole runs.
const RUN: usize = 128;
const _: () = assert!(BLOCK % RUN == 0 && RUN % LANES == 0);

/// Lanes of a strip: the weights of a run, 32 kB, stay in the first-level cache while all products go over them.
const STRIP: usize = 4 * LANES;

/// Products that are made at a time: they stay in the second-level cache beside the weights.
const SLICE: usize = 96;

/// Whose weights the lanes have.
pub enum Weights<'a> {
    /// So many draws, from this one on.
    Draws { plan: &'a WeightPlan, first: u64, each: Vec<DrawWeights<'a>> },
    /// The user's own: of all rows, and of each of so many folds.
    Folds(u32),
}

impl<'a> Weights<'a> {
    pub fn draws(plan: &'a WeightPlan, first: u64, count: usize) -> Weights<'a> {
        let each = (first..first + count as u64).map(|k| plan.draw(k)).collect();
        Weights::Draws { plan, first, each }
    }

    fn lanes(&self) -> usize {
        match self {
            Weights::Draws { each, .. } => each.len(),
            Weights::Folds(folds) => 1 + *folds as usize,
        }
    }
}

pub struct Group<'a> {
    weights: Weights<'a>,
    /// The columns of each product.
    pairs: Vec<[u32; 2]>,
    strips: Vec<Strip>,
    /// Σ of the random weights of each lane.
    pub totals: Vec<f64>,
    beside: Beside,
    product: Vec<f64>,
}

/// Some lanes, from `first` on.
struct Strip {
    first: usize,
    width: usize,
    /// Products by lanes.
    sums: Vec<f64>,
    /// The rows of a run by lanes.
    panel: Vec<f64>,
    /// Σ of the weights of a block: eight sums side by side, as one alone would wait for itself.
    partial: Vec<f64>,
}

impl<'a> Group<'a> {
    pub fn new(weights: Weights<'a>, layout: Layout) -> Group<'a> {
        let (lanes, size) = (weights.lanes(), layout.size() as u32);
        let strip = |first: usize| {
            let width = STRIP.min(panel_width(lanes) - first);
            let zeros = |lines: usize| vec![0.0; lines * width];
            let (sums, panel, partial) = (zeros(layout.products()), zeros(RUN), zeros(LANES));
            Strip { first, width, sums, panel, partial }
        };
        Group {
            weights,
            pairs: (0..size).flat_map(|a| (a..size).map(move |b| [a, b])).collect(),
            strips: (0..lanes).step_by(STRIP).map(strip).collect(),
            totals: vec![0.0; lanes],
            beside: Beside::new(RUN),
            product: Vec::new(),
        }
    }

    pub fn lanes(&self) -> usize {
        self.totals.len()
    }

    /// Write the products of lane k.
    pub fn copy_lane(&self, k: usize, out: &mut [f64]) {
        let Strip { width, sums, .. } = &self.strips[k / STRIP];
        let own = sums.iter().skip(k % STRIP).step_by(*width);
        out.iter_mut().zip(own).for_each(|(o, s)| *o = *s);
    }

    pub fn add(&mut self, rows: &Stretch, control: &Control) -> Result<(), Error> {
        for block in rows.blocks() {
            for from in block.clone().step_by(RUN) {
                let run = from..block.end.min(from + RUN);
                for strip in &mut self.strips {
                    strip.fill(&mut self.weights, &mut self.beside, rows, &run);
                }
                self.add_run(rows, &run, control)?;
            }
            for strip in &mut self.strips {
                let totals = &mut self.totals[strip.first..];
                for (lane, total) in totals.iter_mut().take(strip.width).enumerate() {
                    *total += strip.partial.iter().skip(lane).step_by(strip.width).sum::<f64>();
                }
                strip.partial.fill(0.0);
            }
        }
        Ok(())
    }

    /// Products of the columns, a slice at a time, times the weights.
    fn add_run(
        &mut self,
        rows: &Stretch,
        run: &Range<usize>,
        control: &Control,
    ) -> Result<(), Error> {
        const ALL: [u32; SLICE] = {
            let mut all = [0; SLICE];
            let mut k = 0;
            while k < SLICE {
                all[k] = k as u32;
                k += 1;
            }
            all
        };
        const ONES: [f64; RUN] = [1.0; RUN];
        let count = run.len();
        let mut columns = vec![&ONES[..count]];
        columns.extend(rows.columns.iter().map(|column| &column[run.clone()]));
        self.product.resize(SLICE * count, 0.0);
        for (k, pairs) in self.pairs.chunks(SLICE).enumerate() {
            control.check()?;
            products(&columns, pairs, &mut self.product);
            let made = Columns { block: &self.product, rows: count, which: &ALL[..pairs.len()] };
            for Strip { width, sums, panel, .. } in &mut self.strips {
                accumulate(made, &panel[..count * *width], *width, &mut sums[k * SLICE * *width..]);
            }
        }
        Ok(())
    }
}

impl Strip {
    /// The weights of a run, a row a line.
    fn fill(
        &mut self,
        weights: &mut Weights,
        beside: &mut Beside,
        rows: &Stretch,
        run: &Range<usize>,
    ) {
        let (width, case) = (self.width, &rows.case[run.clone()]);
        let panel = &mut self.panel[..run.len() * width];
        match weights {
            Weights::Draws { plan, first, each } => {
                let row = rows.first as usize + run.start;
                let each = &mut each[self.first..];
                let count = each.len().min(width);
                match &rows.unit {
                    Some(unit) => beside.fill(count, run.len(), width, panel, |k, line| {
                        each[k].fill_units_at(&unit[run.clone()], line);
                    }),
                    None if plan.fill_beside(*first + self.first as u64, row, width, panel) => {}
                    None => beside
                        .fill(count, run.len(), width, panel, |k, line| each[k].fill(row, line)),
                }
                tally(panel, width, &mut self.partial);
                for (line, c) in panel.chunks_exact_mut(width).zip(case) {
                    if *c != 1.0 {
                        line.iter_mut().for_each(|w| *w *= c);
                    }
                }
            }
            Weights::Folds(_) => {
                panel.fill(0.0);
                let fold = rows.fold.as_ref().map(|f| &f[run.clone()]);
                for (r, (line, &c)) in panel.chunks_exact_mut(width).zip(case).enumerate() {
                    // Lane 0 has all rows, lane f those of fold f.
                    let own = fold.map(|f| f[r] as usize).filter(|&f| f > 0);
                    for lane in [Some(0), own].into_iter().flatten() {
                        if let Some(place) = lane.checked_sub(self.first).filter(|l| *l < width) {
                            line[place] = c;
                        }
                    }
                }
            }
        }
    }
}

dispatch! {
    /// Add the lines of a panel to eight lines of sums in turn.
    fn tally(panel: &[f64], width: usize, partial: &mut [f64]) {
        for eight in panel.chunks(LANES * width) {
            partial.iter_mut().zip(eight).for_each(|(sum, w)| *sum += w);
        }
    }

    /// Of pairs of columns, one after the other.
    fn products(columns: &[&[f64]], pairs: &[[u32; 2]], out: &mut [f64]) {
        for ([a, b], place) in pairs.iter().zip(out.chunks_exact_mut(columns[0].len())) {
            let (left, right) = (columns[*a as usize], columns[*b as usize]);
            for ((o, u), v) in place.iter_mut().zip(left).zip(right) {
                *o = u * v;
            }
        }
    }
}
