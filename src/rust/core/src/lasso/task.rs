//! A weighted problem in the making: its data, weights and penalty, and where it stands.

use super::certificate::Point;
use crate::data::design::Design;
use crate::penalty::Penalty;
use crate::random::weights::{DrawWeights, WeightPlan};
use std::sync::Arc;

/// The data of a least-squares problem.
pub struct Data {
    /// Shared by the problems of other responses.
    pub design: Arc<Design>,
    /// The response, standardised as the columns are; empty where a family has its own, or only sums are there.
    pub y: Vec<f64>,
    pub intercept: bool,
}

impl Data {
    /// The same with every entry of a sparse design there; as it is, if it is not sparse.
    pub fn filled(&self) -> Data {
        let design = self.design.filled().map_or_else(|| self.design.clone(), Arc::new);
        Data { design, y: self.y.clone(), intercept: self.intercept }
    }
}

/// Where the weights of a problem come from.
pub enum RowWeights<'a> {
    /// The user's case weights alone: the mode.
    Case(&'a WeightPlan),
    /// A draw.
    Draw(DrawWeights<'a>),
    /// Cross-validation: the case weights outside the fold (or only inside, `held`).
    Fold { plan: &'a WeightPlan, fold: &'a [u32], number: u32, held: bool },
    /// Weights times the curvature of a family's loss.
    Curvature(Vec<f64>),
}

impl RowWeights<'_> {
    pub fn fill(&mut self, first: usize, out: &mut [f64]) {
        match self {
            RowWeights::Case(plan) => {
                out.iter_mut().enumerate().for_each(|(r, o)| *o = plan.case(first + r));
            }
            RowWeights::Draw(draw) => draw.fill(first, out),
            RowWeights::Curvature(values) => {
                out.copy_from_slice(&values[first..first + out.len()]);
            }
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
    pub b0: f64,
}

pub struct Task<'a> {
    pub weights: RowWeights<'a>,
    /// A response of its own (the working response of a reweighted fit); None: that of the data.
    pub response: Option<Vec<f64>>,
    pub penalty: Penalty,
    pub beta: Vec<f64>,
    pub totals: Option<Totals>,
    pub found: Found,
}

impl<'a> Task<'a> {
    pub fn new(weights: RowWeights<'a>, size: usize) -> Task<'a> {
        Task {
            weights,
            response: None,
            penalty: Penalty::none(size),
            beta: vec![0.0; size],
            totals: None,
            found: Found::default(),
        }
    }

    /// How badly coordinate j is wanted in a model: its gradient relative to its penalty, infinite
    /// if it is not zero or has no ℓ1 term.
    pub fn lack(&self, j: usize) -> f64 {
        if self.beta[j] != 0.0 || self.penalty.l1[j] == 0.0 {
            f64::INFINITY
        } else {
            self.found.gradient[j].abs() / self.penalty.l1[j]
        }
    }

    /// Where it stands, after a pass.
    pub fn point(&self) -> Point<'_> {
        Point {
            beta: &self.beta,
            gradient: &self.found.gradient,
            penalty: &self.penalty,
            rr: self.found.rr,
            yy: self.totals.as_ref().map_or(0.0, |t| t.yy),
            w: self.totals.as_ref().map_or(0.0, |t| t.w),
        }
    }

    /// Has any row a weight? Known after the first pass.
    pub fn is_empty(&self) -> bool {
        self.totals.as_ref().is_none_or(|t| t.w <= 0.0)
    }

    /// Correlations c = X'W r − Dβ of these coordinates.
    pub fn correlations(&self, which: impl Iterator<Item = usize>) -> Vec<f64> {
        which.map(|j| self.found.gradient[j] - self.penalty.ridge[j] * self.beta[j]).collect()
    }
}
