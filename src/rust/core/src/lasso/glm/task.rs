//! A weighted problem of a family in the making: its data, weights and penalty, and where it stands.

use crate::lasso::task::{self, RowWeights};
use crate::loss::Likelihood;
use crate::penalty::Penalty;

/// The data of a family's problem.
pub struct Data {
    /// The design; what it holds as a response is not looked at.
    pub base: task::Data,
    pub likelihood: Box<dyn Likelihood>,
    /// By row, then by predictor; empty: none.
    pub offset: Vec<f64>,
    pub intercept: bool,
    /// The user's number of each row, where rows had to be put in another order.
    pub order: Option<Vec<u32>>,
}

impl Data {
    pub fn rows(&self) -> usize {
        self.base.design.rows
    }

    pub fn cols(&self) -> usize {
        self.base.design.cols
    }

    /// The largest entry of each column, without its sign.
    pub fn largest(&self) -> &[f64] {
        self.base.design.largest()
    }

    /// Linear predictors of a row.
    pub fn predictors(&self) -> usize {
        self.likelihood.predictors()
    }

    /// Are there too many rows to keep anything of each?
    pub fn is_long(&self) -> bool {
        self.rows() > KEPT && !self.likelihood.coupled()
    }

    /// Coefficients of columns, predictor after predictor.
    pub fn size(&self) -> usize {
        self.predictors() * self.cols()
    }

    pub fn intercepts(&self) -> usize {
        if self.intercept { self.predictors() } else { 0 }
    }

    /// η of predictor `which` in a block of rows at a point.
    pub fn predict(
        &self,
        which: usize,
        rows: &std::ops::Range<usize>,
        at: &Place,
        out: &mut [f64],
    ) {
        self.base_of(which, rows, at, 0.0, out);
        self.base.design.add_product(rows, self.beta_of(which, at), out);
    }

    /// The same of all rows of a sparse design, by the columns whose coefficients are not zero: few, where most are zero.
    pub fn predict_by_columns(&self, which: usize, at: &Place, out: &mut [f64]) {
        let (design, beta) = (&self.base.design, self.beta_of(which, at));
        let Some(x) = design.sparse() else { return };
        let left_out = x.shift.iter().zip(beta).map(|(s, b)| s * b).sum();
        self.base_of(which, &(0..self.rows()), at, left_out, out);
        for (j, b) in beta.iter().enumerate().filter(|(_, b)| **b != 0.0) {
            let (places, entries) = design.sparse_column(j).unwrap_or_default();
            places.iter().zip(entries).for_each(|(&i, x)| out[i as usize] += b * x);
        }
    }

    fn beta_of<'a>(&self, which: usize, at: &'a Place) -> &'a [f64] {
        &at.beta[which * self.cols()..][..self.cols()]
    }

    /// What all rows have in common, and their offsets.
    fn base_of(
        &self,
        which: usize,
        rows: &std::ops::Range<usize>,
        at: &Place,
        left_out: f64,
        out: &mut [f64],
    ) {
        let base = at.intercept.get(which).copied().unwrap_or(0.0) - left_out;
        match self.offset.get(which * self.rows()..(which + 1) * self.rows()) {
            Some(offset) => {
                out.iter_mut().zip(&offset[rows.clone()]).for_each(|(e, o)| *e = base + o);
            }
            None => out.fill(base),
        }
    }
}

/// Coefficients: those of the columns, and the intercepts.
#[derive(Clone, Default, Debug)]
pub struct Place {
    pub beta: Vec<f64>,
    pub intercept: Vec<f64>,
}

impl Place {
    /// The place a part of the way from here to another; coefficients that are zero at both stay so.
    pub fn towards(&self, other: &Place, part: f64) -> Place {
        let mix = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + part * (b - a)).collect();
        Place {
            beta: mix(&self.beta, &other.beta),
            intercept: mix(&self.intercept, &other.intercept),
        }
    }

    /// The way here from another place.
    pub fn less(&self, other: &Place) -> Place {
        let way = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect();
        Place {
            beta: way(&self.beta, &other.beta),
            intercept: way(&self.intercept, &other.intercept),
        }
    }

    pub fn flat(&self) -> Vec<f64> {
        self.intercept.iter().chain(&self.beta).copied().collect()
    }

    /// From what `flat` made.
    pub fn set(&mut self, flat: &[f64]) {
        let (intercept, beta) = flat.split_at(self.intercept.len());
        self.intercept.copy_from_slice(intercept);
        self.beta.copy_from_slice(beta);
    }
}

/// Weights of rows, and what else is found of each, are kept up to so many: they cost more than the rest of a pass over few columns.
const KEPT: usize = 1 << 17;

/// The weights of a problem, in the order of the rows of its data.
pub struct Weights<'a> {
    source: RowWeights<'a>,
    order: Option<&'a [u32]>,
    rows: usize,
    kept: Vec<f64>,
}

impl<'a> Weights<'a> {
    pub fn new(source: RowWeights<'a>, data: &'a Data) -> Weights<'a> {
        let order = data.order.as_deref();
        Weights { source, order, rows: data.rows(), kept: Vec::new() }
    }

    pub fn fill(&mut self, first: usize, out: &mut [f64]) {
        if self.order.is_none() && self.rows > KEPT {
            self.source.fill(first, out);
            return;
        }
        if self.kept.is_empty() {
            let mut all = vec![0.0; self.rows];
            self.source.fill(0, &mut all);
            self.kept = match self.order {
                Some(order) => order.iter().map(|&i| all[i as usize]).collect(),
                None => all,
            };
        }
        out.copy_from_slice(&self.kept[first..first + out.len()]);
    }
}

/// What a pass finds at a place.
#[derive(Clone, Default)]
pub struct Found {
    /// X'W r of each predictor, and Σ w r.
    pub gradient: Vec<f64>,
    pub slopes: Vec<f64>,
    /// Σ w (l − least), and Σ w least.
    pub loss: f64,
    pub least: f64,
    /// Σ w, and about Σ w l''.
    pub weight: f64,
    pub curvature: f64,
}

pub struct Task<'a> {
    pub weights: Weights<'a>,
    pub penalty: Penalty,
    pub place: Place,
    pub found: Found,
}

impl<'a> Task<'a> {
    pub fn new(source: RowWeights<'a>, data: &'a Data) -> Task<'a> {
        Task {
            weights: Weights::new(source, data),
            penalty: Penalty::none(data.size()),
            place: Place { beta: vec![0.0; data.size()], intercept: vec![0.0; data.intercepts()] },
            found: Found::default(),
        }
    }

    /// X'W r − Dβ of coordinate j.
    pub fn slope(&self, j: usize) -> f64 {
        self.found.gradient[j] - self.penalty.ridge[j] * self.place.beta[j]
    }

    /// Of the intercepts, then of all coordinates.
    pub fn slopes(&self) -> Vec<f64> {
        let intercepts = self.found.slopes.iter().take(self.place.intercept.len()).copied();
        intercepts.chain((0..self.place.beta.len()).map(|j| self.slope(j))).collect()
    }

    /// How badly coordinate j is wanted in a model: its slope relative to its penalty, infinite if it is
    /// not zero or has no ℓ1 term.
    pub fn lack(&self, j: usize) -> f64 {
        if self.place.beta[j] != 0.0 || self.penalty.l1[j] == 0.0 {
            f64::INFINITY
        } else {
            self.slope(j).abs() / self.penalty.l1[j]
        }
    }

    /// What β costs beside the loss.
    pub fn penalties(&self) -> f64 {
        let beta = self.place.beta.iter().enumerate().filter(|(_, b)| **b != 0.0);
        beta.map(|(j, b)| self.penalty.l1[j] * b.abs() + 0.5 * self.penalty.ridge[j] * b * b).sum()
    }
}
