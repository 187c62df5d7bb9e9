//! The design matrix, standardised once: dense in blocks of rows, or sparse and never filled.

use crate::error::Error;
use crate::kernels::LANES;
use crate::kernels::dispatch;
use sprs::CsMat;
use std::ops::Range;

/// Numbers in a dense block: it should stay in the second-level cache while a batch works on it.
const BLOCK: usize = 1 << 14;
/// Most rows handled together.
const ROWS: usize = 504;

/// x as the user has it, column-major or compressed by columns.
pub enum Source {
    Dense(Vec<f64>),
    Sparse(CsMat<f64>),
}

impl Source {
    /// Compressed columns, checked: row indices sorted and within the shape.
    pub fn sparse(
        shape: (usize, usize),
        starts: Vec<usize>,
        rows: Vec<usize>,
        values: Vec<f64>,
    ) -> Result<Source, Error> {
        CsMat::try_new_csc(shape, starts, rows, values)
            .map(Source::Sparse)
            .map_err(|(.., e)| Error::argument("x", format!("is not a valid sparse matrix: {e}")))
    }
}

/// The standardised matrix: column j is (xⱼ − centerⱼ) / scaleⱼ.
pub struct Design {
    pub rows: usize,
    pub cols: usize,
    pub center: Vec<f64>,
    /// What the columns are divided by: standard deviations, or root mean squares if not centred.
    pub scale: Vec<f64>,
    /// Standard deviations (1 for a constant column).
    pub sd: Vec<f64>,
    /// Rows of a block.
    pub block: usize,
    storage: Storage,
}

enum Storage {
    /// Block after block of rows; inside a block, column after column.
    Dense(Vec<f64>),
    /// Row after row, scaled; `shift` is what is left to subtract from every entry of a column.
    Sparse { start: Vec<usize>, column: Vec<u32>, value: Vec<f64>, shift: Vec<f64> },
}

struct Moments {
    mean: f64,
    sd: f64,
    rms: f64,
    constant: bool,
}

impl Design {
    /// `case` are the user's weights: they weigh the means and variances too.
    pub fn new(
        source: Source,
        rows: usize,
        cols: usize,
        centred: bool,
        case: impl Fn(usize) -> f64 + Copy,
    ) -> Design {
        let total: f64 = (0..rows).map(case).sum();
        let moments: Vec<Moments> = match &source {
            Source::Dense(x) => x
                .chunks_exact(rows.max(1))
                .map(|c| moments(c.iter().copied().enumerate(), rows, total, case))
                .collect(),
            Source::Sparse(x) => x
                .outer_iterator()
                .map(|c| moments(c.iter().map(|(i, &v)| (i, v)), rows, total, case))
                .collect(),
        };
        let mut center = vec![0.0; cols];
        let mut scale = vec![1.0; cols];
        let mut sd = vec![1.0; cols];
        for (j, m) in moments.iter().enumerate() {
            if !m.constant {
                sd[j] = m.sd;
            }
            if centred {
                center[j] = m.mean;
                // Beside an intercept a constant column says nothing: scale ∞ makes it zero.
                scale[j] = if m.constant { f64::INFINITY } else { m.sd };
            } else if m.rms > 0.0 {
                scale[j] = m.rms;
            }
        }
        let block = match &source {
            Source::Dense(_) => block_rows(rows, cols),
            Source::Sparse(_) => ROWS,
        };
        let storage = match source {
            Source::Dense(x) => Storage::Dense(blocked(&x, rows, block, &center, &scale)),
            Source::Sparse(x) => compressed(&x, &center, &scale),
        };
        Design { rows, cols, center, scale, sd, block, storage }
    }

    pub fn is_sparse(&self) -> bool {
        matches!(self.storage, Storage::Sparse { .. })
    }

    /// Multiplications in one product with the whole matrix.
    pub fn size(&self) -> usize {
        match &self.storage {
            Storage::Dense(x) => x.len(),
            Storage::Sparse { value, .. } => value.len(),
        }
    }

    /// The rows of each block.
    pub fn blocks(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let (rows, block) = (self.rows, self.block);
        (0..rows).step_by(block).map(move |first| first..(first + block).min(rows))
    }

    /// A dense block, column after column.
    pub fn dense_block(&self, rows: &Range<usize>) -> Option<&[f64]> {
        match &self.storage {
            Storage::Dense(x) => Some(&x[rows.start * self.cols..][..rows.len() * self.cols]),
            Storage::Sparse { .. } => None,
        }
    }

    /// A sparse matrix.
    pub fn sparse(&self) -> Option<SparseRows<'_>> {
        match &self.storage {
            Storage::Sparse { start, column, value, shift } => {
                Some(SparseRows { start, column, value, shift })
            }
            Storage::Dense(_) => None,
        }
    }

    /// Coefficients on the scale of the user's columns.
    pub fn unscale(&self, beta: &[f64]) -> Vec<f64> {
        beta.iter().zip(&self.scale).map(|(b, s)| b / s).collect()
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

dispatch! {
    /// One pass over sparse rows for a panel of draws: `residual` becomes y − Xβ, and X'W(y − Xβ) (without
    /// the shifts) is added to `gradient`.
    pub fn sparse_pass(
        x: SparseRows,
        rows: Range<usize>,
        coefficients: &[f64],
        weights: &[f64],
        width: usize,
        residual: &mut [f64],
        gradient: &mut [f64],
    ) {
        for at in (0..width).step_by(LANES) {
            for (r, i) in rows.clone().enumerate() {
                let (columns, values) = x.row(i);
                let mut left = [0.0; LANES];
                left.copy_from_slice(&residual[r * width + at..][..LANES]);
                for (&j, &v) in columns.iter().zip(values) {
                    let b = &coefficients[j as usize * width + at..][..LANES];
                    for l in 0..LANES {
                        left[l] = (-v).mul_add(b[l], left[l]);
                    }
                }
                residual[r * width + at..][..LANES].copy_from_slice(&left);
                let w = &weights[r * width + at..][..LANES];
                for l in 0..LANES {
                    left[l] *= w[l];
                }
                for (&j, &v) in columns.iter().zip(values) {
                    let g = &mut gradient[j as usize * width + at..][..LANES];
                    for l in 0..LANES {
                        g[l] = v.mul_add(left[l], g[l]);
                    }
                }
            }
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
            crate::kernels::axpy(v, w, &mut out[j as usize * width..][..width]);
        }
    }
}

/// Rows of a dense block: an odd number of cache lines a column, since columns a power of two apart
/// would share one cache set. A wide matrix is read a few columns at a time and wants long ones.
fn block_rows(rows: usize, cols: usize) -> usize {
    let fit = if cols > rows { ROWS } else { (BLOCK / cols.max(1)).clamp(24, ROWS) };
    ((fit / LANES) | 1) * LANES
}

/// Mean and standard deviation of a column given by its nonzeros, safe from overflow.
fn moments(
    entries: impl Iterator<Item = (usize, f64)> + Clone,
    rows: usize,
    total: f64,
    case: impl Fn(usize) -> f64,
) -> Moments {
    let (mut largest, mut low, mut high, mut stored) =
        (0.0f64, f64::INFINITY, f64::NEG_INFINITY, 0);
    for (_, v) in entries.clone() {
        largest = largest.max(v.abs());
        low = low.min(v);
        high = high.max(v);
        stored += 1;
    }
    if stored < rows {
        low = low.min(0.0);
        high = high.max(0.0);
    }
    if largest == 0.0 || low == high || rows == 0 {
        let mean = if stored < rows { 0.0 } else { high };
        return Moments { mean, sd: 0.0, rms: largest, constant: true };
    }
    let mut seen = 0.0;
    let mut sum = 0.0;
    for (i, v) in entries.clone() {
        seen += case(i);
        sum += case(i) * (v / largest);
    }
    let mean = sum / total;
    let mut square = (total - seen).max(0.0) * mean * mean;
    for (i, v) in entries {
        square += case(i) * (v / largest - mean).powi(2);
    }
    let sd = (square / total).sqrt();
    // Differences in the last digits only (or only in rows of weight zero) are no variation.
    let constant = sd <= 4.0 * f64::EPSILON;
    let rms = mean.hypot(sd) * largest;
    Moments { mean: mean * largest, sd: sd * largest, rms, constant }
}

fn blocked(x: &[f64], rows: usize, block: usize, center: &[f64], scale: &[f64]) -> Vec<f64> {
    let mut out = Vec::with_capacity(x.len());
    for first in (0..rows).step_by(block) {
        let last = (first + block).min(rows);
        for (column, (&c, &s)) in x.chunks_exact(rows).zip(center.iter().zip(scale)) {
            out.extend(column[first..last].iter().map(|v| standard(*v, c, s)));
        }
    }
    out
}

fn standard(v: f64, center: f64, scale: f64) -> f64 {
    if scale.is_finite() { (v - center) / scale } else { 0.0 }
}

fn compressed(x: &CsMat<f64>, center: &[f64], scale: &[f64]) -> Storage {
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
    Storage::Sparse { start, column, value, shift }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: &[f64], centred: bool) -> (f64, f64, Vec<f64>) {
        let n = values.len();
        let d = Design::new(Source::Dense(values.to_vec()), n, 1, centred, |_| 1.0);
        (d.center[0], d.scale[0], d.dense_block(&(0..n)).unwrap().to_vec())
    }

    #[test]
    fn columns_have_mean_zero_and_variance_one_at_any_scale() {
        for size in [1.0, 1e-300, 1e300] {
            let (center, scale, x) = column(&[size, 2.0 * size, 6.0 * size], true);
            assert!((center / size - 3.0).abs() < 1e-14);
            assert!((scale / size - (14.0f64 / 3.0).sqrt()).abs() < 1e-14);
            assert!(x.iter().sum::<f64>().abs() < 1e-14);
        }
    }

    #[test]
    fn constant_columns_vanish_beside_an_intercept_and_stay_without() {
        assert_eq!(column(&[7.1; 3], true).2, vec![0.0; 3]);
        assert_eq!(column(&[7.1; 3], false).2, vec![1.0; 3]);
    }

    #[test]
    fn sparse_and_dense_have_the_same_scales() {
        let dense = vec![0.0, 3.0, 0.0, -1.0, 5.0, 6.0, 7.0, 9.0];
        let sparse = CsMat::new_csc(
            (4, 2),
            vec![0, 2, 6],
            vec![1, 3, 0, 1, 2, 3],
            vec![3.0, -1.0, 5.0, 6.0, 7.0, 9.0],
        );
        let case = |i: usize| [1.0, 2.0, 0.5, 1.0][i];
        let a = Design::new(Source::Dense(dense), 4, 2, true, case);
        let b = Design::new(Source::Sparse(sparse), 4, 2, true, case);
        for j in 0..2 {
            assert!(
                (a.center[j] - b.center[j]).abs() < 1e-14
                    && (a.scale[j] - b.scale[j]).abs() < 1e-14
            );
        }
        let rows = b.sparse().unwrap();
        for i in 0..4 {
            let mut filled: Vec<f64> = rows.shift.iter().map(|s| -s).collect();
            let (columns, values) = rows.row(i);
            columns.iter().zip(values).for_each(|(&j, v)| filled[j as usize] += v);
            for (j, v) in filled.iter().enumerate() {
                assert!((v - a.dense_block(&(0..4)).unwrap()[j * 4 + i]).abs() < 1e-14);
            }
        }
    }
}
