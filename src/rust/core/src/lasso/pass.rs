//! One pass over the data for a batch of weighted problems: residuals and gradients.

use super::certificate::{Certificate, Point};
use super::models::WorkingSet;
use super::moments::Data;
use crate::data::rows::{SparsePanel, sparse_pass, sparse_sums};
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::dense::{Columns, Product, accumulate, subtract};
use crate::linalg::lanes::{LANES, panel_width};
use crate::random::weights::{DrawWeights, WeightPlan};
use pulp::{Arch, Simd, WithSimd};

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

/// Add a block to the sums; `residual` becomes W r.
struct Add<'a> {
    sums: &'a mut Sums,
    weights: &'a [f64],
    residual: &'a mut [f64],
    y: &'a [f64],
    width: usize,
}

impl WithSimd for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let weights = S::as_simd_f64s(self.weights).0;
        let residual = S::as_mut_simd_f64s(self.residual).0;
        let Sums { w, wy, wyy, wr, wrr, wry } = self.sums;
        let [w, wy, wyy, wr, wrr, wry] =
            [w, wy, wyy, wr, wrr, wry].map(|sum| S::as_mut_simd_f64s(sum).0);
        let width = self.width / S::F64_LANES;
        for k in 0..width {
            let mut sum = [w[k], wy[k], wyy[k], wr[k], wrr[k], wry[k]];
            for (row, &y) in self.y.iter().enumerate() {
                let (weight, left) = (weights[row * width + k], residual[row * width + k]);
                let (y, product) = (simd.splat_f64s(y), simd.mul_f64s(weight, left));
                sum[0] = simd.add_f64s(sum[0], weight);
                sum[1] = simd.mul_add_f64s(weight, y, sum[1]);
                sum[2] = simd.mul_add_f64s(simd.mul_f64s(weight, y), y, sum[2]);
                sum[3] = simd.add_f64s(sum[3], product);
                sum[4] = simd.mul_add_f64s(product, left, sum[4]);
                sum[5] = simd.mul_add_f64s(product, y, sum[5]);
                residual[row * width + k] = product;
            }
            [w[k], wy[k], wyy[k], wr[k], wrr[k], wry[k]] = sum;
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
            Arch::new().dispatch(Add { sums: &mut sums, weights, residual, y, width });
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
            Arch::new().dispatch(Add { sums: &mut sums, weights, residual, y, width });
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
