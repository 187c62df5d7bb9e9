//! What a draw costs on each road, in multiplications of a dense product, by theory: the roads are chosen by it.

use super::batch::Road;
use super::descent::descent_cost;
use super::problem::{Lasso, Method};
use super::separate::free_columns;
use super::starts::Starts;

/// Most columns for which the Gram matrices of a batch of draws are formed in one product.
pub const DIRECT: usize = 64;
/// Columns whose Gram matrix stays in the second-level cache, and what a multiplication costs where it
/// does not.
const CACHED: f64 = 300.0;
const FAR: f64 = 3.0;
/// Sweeps of a reference model at each pass, and from one start to the next.
const MODEL_SWEEPS: f64 = 4.0;
const START_SWEEPS: f64 = 30.0;
/// What a descent to a start costs, as a part of one to the tolerance of a draw.
const NEAR: f64 = 0.5;
/// Bytes that filled columns may take, and how many times those of sparse ones if these are more.
const ROOM: usize = 64 << 20;
const MORE: usize = 4;
/// Near saturation an exact road takes so many times what it takes elsewhere: signs change.
const SIGNS: f64 = 4.0;
/// A random weight.
const WEIGHT: f64 = 75.0;

impl Lasso {
    /// The cheapest method for draws whose support is as large as that of the modes.
    pub(super) fn choose(&self) -> Method {
        if self.summed.is_some() {
            return Method::Sums;
        }
        let support = self.starts.iter().map(|s: &Starts| size(s.mode())).fold(0.0, f64::max);
        let (direct, reference, working) =
            (self.direct_cost(), self.reference_cost(support), self.working_cost(support));
        if direct <= reference && direct <= working {
            Method::Gram
        } else if reference <= working {
            Method::Reference
        } else {
            Method::WorkingSet
        }
    }

    /// The road of a draw that starts here, with the reference where its passes cost less than a working set: a
    /// small prior weight makes a large support of a small one.
    pub(super) fn road(&self, start: &[f64]) -> Road<'_> {
        let support = size(start);
        let cheaper = || self.reference_cost(support) < self.working_cost(support);
        let by_passes = self.method == Method::Reference || cheaper();
        let reference = self.reference.as_ref().filter(|_| by_passes);
        let data = if reference.is_some() { &self.data } else { self.form(start) };
        Road { data, reference }
    }

    /// Are sparse columns better filled for what starts here? Near saturation descents take long, and the
    /// Gram matrix of filled columns does not.
    pub(super) fn wants_filled(&self, start: &[f64]) -> bool {
        let support = size(start);
        self.filled_cost(support) < self.descent_cost(support)
    }

    /// Is a start near this one found sooner from the unit-weight Gram matrix than on sparse columns?
    pub(super) fn starts_by_gram(&self, from: &[f64]) -> bool {
        let (design, support) = (&self.data.design, size(from));
        let (rows, entries) = (design.rows as f64, self.entries(support));
        let on_columns =
            NEAR * descent_cost(entries, support, rows, true) + 4.0 * design.size() as f64;
        let on_gram = START_SWEEPS * self.sweep_cost(support) + 0.5 * support.powi(3);
        !design.is_sparse() || on_gram < on_columns
    }

    fn direct_cost(&self) -> f64 {
        let (rows, p) = (self.data.design.rows as f64, self.data.design.cols as f64);
        if self.data.design.is_sparse() || p > DIRECT as f64 {
            f64::INFINITY
        } else {
            WEIGHT * rows + rows * (p + 2.0) * (p + 3.0) / 2.0
        }
    }

    /// As many passes as the theory of the reference model says.
    fn reference_cost(&self, support: f64) -> f64 {
        let off = 2.0 * (support / self.plan.units() as f64).sqrt();
        if off >= 0.7 || self.reference.is_none() {
            return f64::INFINITY;
        }
        let rate = off / (1.0 + (1.0 - off * off).sqrt());
        let passes = 2.0 + (1e-8f64).ln() / rate.ln();
        // The certificate needs the draw's own curvature of what has no ℓ1 term.
        let bare = if self.options.refit == Some(0.0) || self.factors.alpha() == 0.0 {
            support
        } else {
            free_columns(&self.factors, &self.options, self.data.design.cols).len() as f64
        };
        let rows = self.data.design.rows as f64;
        let sweeps = MODEL_SWEEPS * self.sweep_cost(support);
        passes * (self.pass_cost() + sweeps) + rows * bare * bare / 2.0
    }

    fn working_cost(&self, support: f64) -> f64 {
        if self.data.design.is_sparse() {
            self.descent_cost(support).min(self.filled_cost(support))
        } else {
            4.0 * self.pass_cost() + self.exact_cost(support)
        }
    }

    /// On sparse columns as they are.
    fn descent_cost(&self, support: f64) -> f64 {
        let units = self.plan.units() as f64;
        4.0 * self.pass_cost() + descent_cost(self.entries(support), support, units, true)
    }

    /// On sparse columns that are filled, where there is room for them.
    fn filled_cost(&self, support: f64) -> f64 {
        let design = &self.data.design;
        let (given, filled) = (24 * design.size(), 8 * design.rows * design.cols);
        if !design.is_sparse() || filled > ROOM.max(MORE * given) {
            return f64::INFINITY;
        }
        8.0 * (design.rows * design.cols) as f64 + SIGNS * self.exact_cost(support)
    }

    /// The Gram matrix of a working set for this support, and its factors.
    fn exact_cost(&self, support: f64) -> f64 {
        let rows = self.data.design.rows as f64;
        rows * (1.25 * support).powi(2) / 2.0 + support.powi(3) / 2.0
    }

    fn pass_cost(&self) -> f64 {
        WEIGHT * self.data.design.rows as f64 + 2.0 * self.data.design.size() as f64
    }

    /// A sweep of the support on the Gram matrix of all columns; a large one comes from main memory each time.
    fn sweep_cost(&self, support: f64) -> f64 {
        let p = self.data.design.cols as f64;
        support * p * if p > CACHED { FAR } else { 1.0 }
    }

    /// Numbers in a support of this size.
    fn entries(&self, support: f64) -> f64 {
        self.data.design.size() as f64 * support / self.data.design.cols as f64
    }
}

/// The size of a support, and one: for the intercept, and so that none is zero.
fn size(beta: &[f64]) -> f64 {
    1.0 + beta.iter().filter(|b| **b != 0.0).count() as f64
}
