//! A sparse matrix by rows, standardised without being filled.

use super::standard::{Standard, standard};
use crate::linalg::dense::axpy;
use crate::linalg::lanes::{LANES, dispatch};
use sprs::CsMat;
use std::ops::Range;

/// Row after row, scaled; `shift` is what is left to subtract from every entry of a column.
pub struct Sparse {
    start: Vec<usize>,
    column: Vec<u32>,
    value: Vec<f64>,
    shift: Vec<f64>,
}

impl Sparse {
    /// Standardised columns of x.
    pub fn new(x: &CsMat<f64>, by: &Standard) -> Sparse {
        let (center, scale) = (&by.center, &by.scale);
        let full = |j: usize| x.outer_view(j).is_some_and(|c| c.nnz() == x.rows());
        // A full column is centred outright: its shift could be large, and cancellation with it.
        let outright: Vec<bool> = (0..x.cols()).map(full).collect();
        let shift: Vec<f64> = (0..x.cols())
            .map(|j| if outright[j] { 0.0 } else { standard(center[j], 0.0, scale[j]) })
            .collect();
        let by_row = x.to_csr();
        let mut start = Vec::with_capacity(x.rows() + 1);
        let (mut column, mut value) = (Vec::with_capacity(x.nnz()), Vec::with_capacity(x.nnz()));
        start.push(0);
        for row in by_row.outer_iterator() {
            for (j, &v) in row.iter() {
                let v = standard(v, if outright[j] { center[j] } else { 0.0 }, scale[j]);
                if v != 0.0 {
                    column.push(j as u32);
                    value.push(v);
                }
            }
            start.push(column.len());
        }
        Sparse { start, column, value, shift }
    }

    /// Stored numbers.
    pub fn size(&self) -> usize {
        self.value.len()
    }

    pub fn rows(&self) -> SparseRows<'_> {
        SparseRows {
            start: &self.start,
            column: &self.column,
            value: &self.value,
            shift: &self.shift,
        }
    }
}

/// Borrowed rows of a sparse matrix.
#[derive(Clone, Copy)]
pub struct SparseRows<'a> {
    start: &'a [usize],
    column: &'a [u32],
    value: &'a [f64],
    /// To subtract from every entry of each column.
    pub shift: &'a [f64],
}

impl<'a> SparseRows<'a> {
    pub fn row(&self, i: usize) -> (&'a [u32], &'a [f64]) {
        let at = self.start[i]..self.start[i + 1];
        (&self.column[at.clone()], &self.value[at])
    }
}

/// A panel of draws in a pass over sparse rows; `residual` holds y, then y − Xβ.
pub struct SparsePanel<'a> {
    pub coefficients: &'a [f64],
    pub weights: &'a [f64],
    pub width: usize,
    pub residual: &'a mut [f64],
    /// X'W(y − Xβ), without the shifts, is added here.
    pub gradient: &'a mut [f64],
}

impl SparsePanel<'_> {
    /// Lanes `at .. at + W` of every row.
    #[inline(always)]
    fn strip<const W: usize>(&mut self, x: SparseRows, rows: Range<usize>, at: usize) {
        let width = self.width;
        for (r, i) in rows.enumerate() {
            let (columns, values) = x.row(i);
            let here = r * width + at;
            let mut left = [0.0; W];
            left.copy_from_slice(&self.residual[here..][..W]);
            for (&j, &v) in columns.iter().zip(values) {
                let b = &self.coefficients[j as usize * width + at..][..W];
                for l in 0..W {
                    left[l] = (-v).mul_add(b[l], left[l]);
                }
            }
            self.residual[here..][..W].copy_from_slice(&left);
            let w = &self.weights[here..][..W];
            for l in 0..W {
                left[l] *= w[l];
            }
            for (&j, &v) in columns.iter().zip(values) {
                let g = &mut self.gradient[j as usize * width + at..][..W];
                for l in 0..W {
                    g[l] = v.mul_add(left[l], g[l]);
                }
            }
        }
    }
}

dispatch! {
    /// One pass over sparse rows for a panel of draws.
    pub fn sparse_pass(x: SparseRows, rows: Range<usize>, panel: &mut SparsePanel) {
        let mut at = 0;
        while at + 2 * LANES <= panel.width {
            panel.strip::<{ 2 * LANES }>(x, rows.clone(), at);
            at += 2 * LANES;
        }
        if at < panel.width {
            panel.strip::<LANES>(x, rows, at);
        }
    }
}

/// out += X'W (without the shifts) for a panel of draws.
pub fn sparse_sums(
    x: SparseRows,
    rows: Range<usize>,
    weights: &[f64],
    width: usize,
    out: &mut [f64],
) {
    for (r, i) in rows.enumerate() {
        let (columns, values) = x.row(i);
        let w = &weights[r * width..][..width];
        for (&j, &v) in columns.iter().zip(values) {
            axpy(v, w, &mut out[j as usize * width..][..width]);
        }
    }
}
