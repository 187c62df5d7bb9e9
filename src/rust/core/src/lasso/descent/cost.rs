//! What a descent costs, in multiplications of a dense product.

use super::Descent;
use super::columns::Packed;

/// What a number of a column costs in a step, beside a multiplication of a dense product: the loops
/// wait for memory, those of sparse columns for each of their numbers. A column costs something, too.
const DENSE: f64 = 3.0;
pub(super) const SPARSE: f64 = 24.0;
const COLUMN: f64 = 200.0;

/// What steps of Newton by conjugate gradients cost, in sweeps.
const LEAPS: f64 = 500.0;

/// What the exact step costs beside the products of columns, in cubes of their number: one factor of their
/// Gram matrix is a sixth.
const FACTORS: f64 = 0.5;

impl Descent {
    /// What a sweep costs, in multiplications of a dense product.
    pub(super) fn cost(&self, which: &[usize]) -> f64 {
        let each = if matches!(self.packed, Packed::Dense(_)) { DENSE } else { SPARSE };
        2.0 * (each * self.packed.size(which) as f64 + COLUMN * which.len() as f64)
    }

    /// What it costs to solve the equations of a support, with signs that change on the way.
    pub(super) fn equations(&self, support: &[usize]) -> f64 {
        let leaps = match &self.packed {
            Packed::Dense(_) => f64::INFINITY,
            Packed::Sparse(_) => LEAPS * self.cost(support),
        };
        self.exact(support).min(leaps)
    }

    /// What the Gram matrix of a support and some factors of it cost.
    fn exact(&self, support: &[usize]) -> f64 {
        let m = support.len() as f64;
        match &self.packed {
            Packed::Dense(columns) => exact_cost(0.5 * m * columns.rows as f64, m),
            Packed::Sparse(_) => exact_cost(self.packed.size(support) as f64, m),
        }
    }
}

/// What the Gram matrix of m columns and some factors of it cost.
pub fn exact_cost(entries: f64, m: f64) -> f64 {
    m * entries + FACTORS * m * m * m
}

/// What a descent to the tolerance of a draw costs, by theory: extrapolated sweeps converge with the root
/// of the condition number, ((1 + √q)/(1 − √q))² for m columns of n random rows, q = m/n.
pub fn descent_cost(entries: f64, m: f64, n: f64, sparse: bool) -> f64 {
    let root = (m / n).min(0.98).sqrt();
    let sweep = 2.0 * (entries * if sparse { SPARSE } else { DENSE } + COLUMN * m);
    sweep * 9.0 * (1.0 + root) / (1.0 - root)
}
