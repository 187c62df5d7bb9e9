//! Coefficients without a penalty, taken out as an intercept is.
//!
//! Given the others, those of F minimise at β_F = H_FF⁺ (b_F − H_FP β_P). What is left is a lasso in P
//! with the Schur complement H_PP − H_PF H_FF⁺ H_FP. Where columns of F depend on each other, or have
//! lost all their weight in a draw, their coefficients are those of the smallest norm: combinations that
//! the fit does not see are taken out at the end, so that nothing can grow along them.

use super::newton::Newton;
use super::quadratic::{Origin, Quadratic};
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::cholesky::Cholesky;
use crate::linalg::dense::{axpy, dot};
use crate::penalty::Penalty;
use ndarray::{Array2, ArrayView2};

/// A ridge below this part of a column's curvature is taken for none, whose minimum of the smallest norm
/// is the limit of its own: where columns depend on each other, the rounding of a factor would be worse.
const NEGLIGIBLE: f64 = 1e-11;
/// Pivots below this part of their diagonal are dependences: what the rounding of a Gram matrix leaves.
const DEPENDENT: f64 = 1e-14;
/// Slopes along a dependence below this part of what the data could make it are rounding.
const SLOPE: f64 = 1e-12;

/// H + D of coordinates without a kink, factored: the free ones, or all that are not at zero.
pub struct FreeBlock {
    /// The coordinates, in the numbering of the model.
    pub which: Vec<usize>,
    factor: Cholesky,
    gram: Array2<f64>,
    /// A vector for each dependent column: combinations that the fit does not see.
    unseen: Vec<Vec<f64>>,
}

/// Has coordinate j neither a kink nor a ridge worth the name, beside its curvature?
pub fn is_free(penalty: &Penalty, j: usize, curvature: f64) -> bool {
    penalty.l1[j] == 0.0 && penalty.ridge[j] <= NEGLIGIBLE * curvature
}

impl FreeBlock {
    /// `curvature(a, b)` is H between the coordinates a and b, `ridge` D.
    pub fn new(
        which: Vec<usize>,
        ridge: &[f64],
        curvature: impl Fn(usize, usize) -> f64,
    ) -> FreeBlock {
        let k = which.len();
        let mut gram = Array2::from_shape_fn((k, k), |(a, b)| curvature(which[a], which[b]));
        gram.diag_mut().iter_mut().zip(&which).for_each(|(h, &j)| *h += ridge[j]);
        let mut factor = Cholesky::with_threshold(DEPENDENT * k as f64);
        factor.factor(k, |row, out| {
            out.iter_mut().zip(gram.row(row).iter().skip(row)).for_each(|(o, h)| *o = *h);
            ridge[which[row]]
        });
        let unseen = (0..k)
            .filter(|&i| factor.is_dependent(i))
            .map(|i| {
                let mut v = vec![0.0; k];
                factor.dependence(i, &mut v);
                v
            })
            .collect();
        FreeBlock { which, factor, gram, unseen }
    }

    /// x ← H_FF⁻ x.
    pub fn solve(&self, x: &mut [f64]) {
        self.factor.solve(x);
    }

    /// What a slope g in these coordinates leaves to gain, ½ g'(H + D)⁺g; infinite if it is not
    /// orthogonal to what the fit does not see by more than rounding. `size` is y'Wy, `weight` Σw: the
    /// square of a standardised column, also of one that has vanished in the draw.
    pub fn charge(&self, gradient: &[f64], size: f64, weight: f64) -> f64 {
        for v in &self.unseen {
            let reach: f64 =
                v.iter().zip(self.gram.diag()).map(|(v, h)| v.abs() * h.max(weight).sqrt()).sum();
            if dot(v, gradient).abs() > SLOPE * reach * size.sqrt() {
                return f64::INFINITY;
            }
        }
        let mut step = gradient.to_vec();
        self.solve(&mut step);
        // The step solves its equations unless a pivot was lost to rounding: charge what is left too.
        let missed: f64 = self
            .gram
            .outer_iter()
            .zip(gradient)
            .zip(&step)
            .map(|((row, g), d)| {
                let left = g - row.iter().zip(&step).map(|(h, d)| h * d).sum::<f64>();
                (left * d).abs()
            })
            .sum();
        0.5 * dot(&step, gradient).abs() + missed
    }

    /// The coefficients of the smallest norm with the same fit: β − N (N'N)⁻¹ N'β, N what the fit does
    /// not see.
    pub fn shorten(&self, beta: &mut [f64]) {
        if self.unseen.is_empty() {
            return;
        }
        let count = self.unseen.len();
        let mut along: Vec<f64> = self.unseen.iter().map(|v| dot(v, beta)).collect();
        let mut products = Cholesky::default();
        products.factor(count, |row, out| {
            for (o, v) in out.iter_mut().zip(&self.unseen[row..]) {
                *o = dot(&self.unseen[row], v);
            }
            0.0
        });
        products.solve(&mut along);
        for (v, a) in self.unseen.iter().zip(along) {
            axpy(-a, v, beta);
        }
    }
}

/// A model without its free coordinates.
pub struct Reduced {
    free: FreeBlock,
    /// The coordinates that stay, in the numbering of the model; excluded ones do not.
    rest: Vec<usize>,
    /// H_FP, and H_FF⁻ H_FP.
    coupling: Array2<f64>,
    solved: Array2<f64>,
    gram: Array2<f64>,
}

impl Reduced {
    /// None if nothing is free.
    pub fn new(q: &Quadratic) -> Option<Reduced> {
        let l1 = &q.penalty.l1;
        let free = |&j: &usize| l1[j] == 0.0 && is_free(q.penalty, j, q.row(j)[j]);
        let which: Vec<usize> = (0..q.size()).filter(free).collect();
        if which.is_empty() {
            return None;
        }
        let rest: Vec<usize> = (0..q.size()).filter(|j| l1[*j].is_finite() && !free(j)).collect();
        let nothing = vec![0.0; q.size()];
        let free = FreeBlock::new(which, &nothing, |a, b| q.row(a)[b]);
        let (k, m) = (free.which.len(), rest.len());
        let coupling = Array2::from_shape_fn((k, m), |(a, b)| q.row(free.which[a])[rest[b]]);
        let mut solved = Array2::zeros((k, m));
        let mut column = vec![0.0; k];
        for b in 0..m {
            column.iter_mut().zip(coupling.column(b)).for_each(|(o, h)| *o = *h);
            free.solve(&mut column);
            solved.column_mut(b).iter_mut().zip(&column).for_each(|(o, s)| *o = *s);
        }
        let mut gram = Array2::from_shape_fn((m, m), |(a, b)| q.row(rest[a])[rest[b]]);
        for f in 0..k {
            let line = solved.row(f);
            for (mut row, &h) in gram.outer_iter_mut().zip(coupling.row(f)) {
                if let (Some(row), Some(line)) = (row.as_slice_mut(), line.as_slice()) {
                    axpy(-h, line, row);
                }
            }
        }
        Some(Reduced { free, rest, coupling, solved, gram })
    }

    pub fn gram(&self) -> ArrayView2<'_, f64> {
        self.gram.view()
    }

    /// Is this what `new` would make of another penalty and the same H?
    pub fn fits(&self, q: &Quadratic) -> bool {
        let (mut free, mut rest) = (self.free.which.iter(), self.rest.iter());
        let same = (0..q.size()).all(|j| {
            if is_free(q.penalty, j, q.row(j)[j]) {
                free.next() == Some(&j)
            } else {
                q.penalty.l1[j].is_infinite() || rest.next() == Some(&j)
            }
        });
        same && free.next().is_none() && rest.next().is_none()
    }

    /// The penalty of what stays.
    pub fn penalty(&self, of: &Penalty) -> Penalty {
        let take = |v: &[f64]| self.rest.iter().map(|&j| v[j]).collect();
        Penalty { l1: take(&of.l1), ridge: take(&of.ridge) }
    }

    /// Coordinates that stay, of a vector over the model.
    pub fn restrict(&self, v: &[f64]) -> Vec<f64> {
        self.rest.iter().map(|&j| v[j]).collect()
    }

    /// Correlations of what stays once the free coordinates are at their minimum.
    pub fn correlations(&self, of: &[f64]) -> Vec<f64> {
        let mut out = self.restrict(of);
        for (line, &j) in self.solved.outer_iter().zip(&self.free.which) {
            axpy(-of[j], line.to_slice().unwrap_or_default(), &mut out);
        }
        out
    }

    /// Put the coordinates that stay at `rest`, and the free ones at their minimum given those:
    /// `correlation` belongs to the β that is given.
    pub fn expand(&self, rest: &[f64], correlation: &[f64], beta: &mut [f64]) {
        let moved: Vec<f64> = self.rest.iter().zip(rest).map(|(&j, b)| b - beta[j]).collect();
        let mut step: Vec<f64> = self
            .coupling
            .outer_iter()
            .zip(&self.free.which)
            .map(|(line, &j)| correlation[j] - dot(line.to_slice().unwrap_or_default(), &moved))
            .collect();
        self.free.solve(&mut step);
        self.rest.iter().zip(rest).for_each(|(&j, b)| beta[j] = *b);
        let mut free: Vec<f64> =
            self.free.which.iter().zip(step).map(|(&j, d)| beta[j] + d).collect();
        self.free.shorten(&mut free);
        self.free.which.iter().zip(free).for_each(|(&j, b)| beta[j] = b);
    }
}

/// Minimise a model from `beta`, its free coordinates first; `again` where H + D of the last problem's
/// columns still hold. The number of steps.
pub fn minimise(
    q: &Quadratic,
    origin: &Origin,
    beta: &mut [f64],
    newton: &mut Newton,
    again: bool,
    control: &Control,
) -> Result<u32, Error> {
    let Some(reduced) = Reduced::new(q) else {
        return if again {
            newton.minimise_again(q, origin, beta, control)
        } else {
            newton.minimise(q, origin, beta, control)
        };
    };
    let mut correlation = Vec::new();
    origin.correlate(q, beta, &mut correlation);
    let penalty = reduced.penalty(q.penalty);
    let mut rest = reduced.restrict(beta);
    let inner = Quadratic { gram: reduced.gram(), penalty: &penalty };
    let from = Origin { beta: &rest.clone(), correlation: &reduced.correlations(&correlation) };
    let steps = newton.minimise(&inner, &from, &mut rest, control)?;
    reduced.expand(&rest, &correlation, beta);
    Ok(steps + 1)
}
