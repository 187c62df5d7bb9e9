//! One pass over the data for a batch of weighted problems: residuals and gradients.

use super::certificate::{Certificate, Point};
use super::models::WorkingSet;
use super::moments::Data;
use super::sparse::{SparsePanel, sparse_pass, sparse_sums};
use crate::error::Error;
use crate::kernels::dispatch;
use crate::kernels::{Columns, LANES, Product, accumulate, panel_width, subtract};
use crate::parallel::Control;
use crate::weights::{DrawWeights, WeightPlan};

/// Where the weights of a problem come from.
pub enum RowWeights<'a> {
    /// The user's case weights alone: the mode.
    Case(&'a WeightPlan),
    /// A draw.
    Draw(DrawWeights<'a>),
    /// Cross-validation: the case weights outside the fold (or only inside, `held`).
    Fold { plan: &'a WeightPlan, fold: &'a [u32], number: u32, held: bool },
}

impl RowWeights<'_> {
    pub fn fill(&mut self, first: usize, out: &mut [f64]) {
        match self {
            RowWeights::Case(plan) => {
                out.iter_mut().enumerate().for_each(|(r, o)| *o = plan.case(first + r));
            }
            RowWeights::Draw(draw) => draw.fill(first, out),
            RowWeights::Fold { plan, fold, number, held } => {
                for (r, o) in out.iter_mut().enumerate() {
                    let inside = fold[first + r] == *number;
                    *o = if inside == *held { plan.case(first + r) } else { 0.0 };
                }
            }
        }
    }
}

/// Weighted totals that do not depend on β.
#[derive(Clone, Default)]
pub struct Totals {
    pub w: f64,
    pub yy: f64,
    /// X'w; empty without an intercept.
    pub xw: Vec<f64>,
}

/// What a pass finds at a point; residuals are r = y − b0 − Xβ.
#[derive(Clone, Default)]
pub struct Found {
    pub gradient: Vec<f64>,
    pub rr: f64,
    pub ry: f64,
    pub b0: f64,
}

/// A weighted problem in the making.
pub struct Task<'a> {
    pub weights: RowWeights<'a>,
    pub l1: Vec<f64>,
    pub ridge: Vec<f64>,
    pub beta: Vec<f64>,
    pub totals: Option<Totals>,
    pub found: Found,
    /// Gram matrix of the columns that mattered so far: it depends on the weights alone, and serves
    /// all lambdas.
    pub set: Option<Box<WorkingSet>>,
}

impl Task<'_> {
    /// How badly coordinate j is wanted in a model: its gradient relative to its penalty, infinite
    /// if it is not zero or free.
    pub fn lack(&self, j: usize) -> f64 {
        if self.beta[j] != 0.0 || self.l1[j] == 0.0 {
            f64::INFINITY
        } else {
            self.found.gradient[j].abs() / self.l1[j]
        }
    }

    pub fn certify(&self, curvature: impl Fn(usize, usize) -> f64) -> Certificate {
        Point {
            beta: &self.beta,
            gradient: &self.found.gradient,
            l1: &self.l1,
            ridge: &self.ridge,
            rr: self.found.rr,
            ry: self.found.ry,
            yy: self.totals.as_ref().map_or(0.0, |t| t.yy),
        }
        .certify(curvature)
    }
}

/// Per-draw sums of a pass, lanes side by side.
struct Sums {
    w: Vec<f64>,
    wy: Vec<f64>,
    wyy: Vec<f64>,
    wr: Vec<f64>,
    wrr: Vec<f64>,
    wry: Vec<f64>,
}

dispatch! {
    /// Add a block to the sums; `residual` becomes W r.
    fn add(sums: &mut Sums, weights: &[f64], residual: &mut [f64], y: &[f64], width: usize) {
        let at = |v: &mut Vec<f64>, k: usize| -> [f64; LANES] { std::array::from_fn(|l| v[k + l]) };
        for k in (0..width).step_by(LANES) {
            let mut w = at(&mut sums.w, k);
            let mut wy = at(&mut sums.wy, k);
            let mut wyy = at(&mut sums.wyy, k);
            let mut wr = at(&mut sums.wr, k);
            let mut wrr = at(&mut sums.wrr, k);
            let mut wry = at(&mut sums.wry, k);
            for (row, &y) in y.iter().enumerate() {
                let weight = &weights[row * width + k..][..LANES];
                let left = &mut residual[row * width + k..][..LANES];
                for l in 0..LANES {
                    let product = weight[l] * left[l];
                    w[l] += weight[l];
                    wy[l] = weight[l].mul_add(y, wy[l]);
                    wyy[l] = (weight[l] * y).mul_add(y, wyy[l]);
                    wr[l] += product;
                    wrr[l] = product.mul_add(left[l], wrr[l]);
                    wry[l] = product.mul_add(y, wry[l]);
                    left[l] = product;
                }
            }
            sums.w[k..k + LANES].copy_from_slice(&w);
            sums.wy[k..k + LANES].copy_from_slice(&wy);
            sums.wyy[k..k + LANES].copy_from_slice(&wyy);
            sums.wr[k..k + LANES].copy_from_slice(&wr);
            sums.wrr[k..k + LANES].copy_from_slice(&wrr);
            sums.wry[k..k + LANES].copy_from_slice(&wry);
        }
    }
}

/// Numbers that stay in the second-level cache.
const CACHED: usize = 1 << 17;

/// Read a block once in order of address: the products below jump between its columns, which no
/// prefetcher follows from main memory. What is too large to stay would be read in vain.
fn bring_in(block: &[f64]) {
    if block.len() <= CACHED {
        std::hint::black_box(block.iter().step_by(LANES).sum::<f64>());
    }
}

/// Fill `found` (and, the first time, `totals`) of every task at its β.
pub fn pass(data: &Data, tasks: &mut [&mut Task], control: &Control) -> Result<(), Error> {
    let design = &data.design;
    let (p, width) = (design.cols, panel_width(tasks.len()));
    let first_time = data.intercept && tasks.iter().any(|t| t.totals.is_none());
    let all: Vec<u32> = (0..p as u32).collect();
    let which: Vec<u32> = (0..p as u32)
        .filter(|&j| design.is_sparse() || tasks.iter().any(|t| t.beta[j as usize] != 0.0))
        .collect();
    let mut coefficients = vec![0.0; which.len() * width];
    let mut offset = vec![0.0; width];
    for (k, task) in tasks.iter().enumerate() {
        for (c, &j) in which.iter().enumerate() {
            coefficients[c * width + k] = task.beta[j as usize];
        }
        if let Some(x) = design.sparse() {
            offset[k] = x.shift.iter().zip(&task.beta).map(|(s, b)| s * b).sum();
        }
    }
    let zeros = || vec![0.0; width];
    let mut sums =
        Sums { w: zeros(), wy: zeros(), wyy: zeros(), wr: zeros(), wrr: zeros(), wry: zeros() };
    let mut gradient = vec![0.0; p * width];
    let mut xw = vec![0.0; if first_time { p * width } else { 0 }];
    let mut weights = vec![0.0; design.block * width];
    let mut residual = vec![0.0; design.block * width];
    let mut line = vec![0.0; design.block];
    for rows in design.blocks() {
        control.check()?;
        let count = rows.len();
        for (k, task) in tasks.iter_mut().enumerate() {
            task.weights.fill(rows.start, &mut line[..count]);
            for (r, w) in line[..count].iter().enumerate() {
                weights[r * width + k] = *w;
            }
        }
        let y = &data.y[rows.clone()];
        let weights = &weights[..count * width];
        let residual = &mut residual[..count * width];
        for (r, y) in residual.chunks_exact_mut(width).zip(y) {
            r.iter_mut().zip(&offset).for_each(|(r, o)| *r = y + o);
        }
        if let Some(block) = design.dense_block(&rows) {
            bring_in(block);
            let support = Columns { block, rows: count, which: &which };
            let product = Product { columns: support, coefficients: &coefficients, width };
            subtract(&product, residual);
            add(&mut sums, weights, residual, y, width);
            let every = Columns { block, rows: count, which: &all };
            accumulate(every, residual, width, &mut gradient);
            if first_time {
                accumulate(every, weights, width, &mut xw);
            }
        } else if let Some(x) = design.sparse() {
            let mut panel = SparsePanel {
                coefficients: &coefficients,
                weights,
                width,
                residual: &mut *residual,
                gradient: &mut gradient,
            };
            sparse_pass(x, rows.clone(), &mut panel);
            add(&mut sums, weights, residual, y, width);
            if first_time {
                sparse_sums(x, rows, weights, width, &mut xw);
            }
        }
    }
    let shift = design.sparse().map(|x| x.shift);
    for (k, task) in tasks.iter_mut().enumerate() {
        let w = sums.w[k];
        let centred = data.intercept && w > 0.0;
        let unshift =
            |value: f64, j: usize, total: f64| value - shift.map_or(0.0, |s| s[j]) * total;
        let totals = task.totals.get_or_insert_with(|| Totals {
            w,
            yy: sums.wyy[k],
            xw: if data.intercept {
                (0..p).map(|j| unshift(xw[j * width + k], j, w)).collect()
            } else {
                Vec::new()
            },
        });
        let b0 = if centred { sums.wr[k] / w } else { 0.0 };
        let found = &mut task.found;
        found.gradient.clear();
        found.gradient.extend((0..p).map(|j| unshift(gradient[j * width + k], j, sums.wr[k])));
        if centred {
            found.gradient.iter_mut().zip(&totals.xw).for_each(|(g, s)| *g -= b0 * s);
        }
        found.b0 = b0;
        found.rr = (sums.wrr[k] - b0 * b0 * w).max(0.0);
        found.ry = sums.wry[k] - b0 * sums.wy[k];
    }
    Ok(())
}
