//! Products of f32 matrices: data times weights, and data transposed times errors.
//!
//! Matrices lie row after row, and rows of weights and units are padded with zeros to whole vectors.
//! As in [`super::lanes`], every number is summed in one fixed order with fused products, so that
//! its bits depend neither on the processor nor on the shape of the tiles. Zeros that a sparse matrix
//! leaves out would have added nothing: sparse and dense data give the same bits.

use crate::linalg::lanes::{dispatch, prefetch};
use pulp::{Arch, Simd, WithSimd};

/// Rows between a request for one from memory and its use.
const AHEAD: usize = 3;

/// Rows and columns of a matrix that are transposed together.
const TILE: usize = 32;

/// Numbers in one vector; rows are padded to a multiple of it.
pub const LANES: usize = 16;

/// Smallest row of vectors that holds `units`.
pub fn padded(units: usize) -> usize {
    units.next_multiple_of(LANES)
}

/// Some rows of a dense matrix.
#[derive(Clone, Copy)]
pub struct DenseRows<'a> {
    pub values: &'a [f32],
    /// From one row to the next.
    pub stride: usize,
    /// Numbers of a row that count.
    pub columns: usize,
    pub which: &'a [u32],
}

impl<'a> DenseRows<'a> {
    #[inline(always)]
    fn row(&self, i: usize) -> &'a [f32] {
        &self.values[self.which[i] as usize * self.stride..][..self.columns]
    }
}

/// A number that is not zero, and its column in a row or its row in a column. Side by side they are one
/// stream from memory, not two.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Entry {
    pub at: u32,
    pub value: f32,
}

/// Some rows of a sparse matrix.
#[derive(Clone, Copy)]
pub struct SparseRows<'a> {
    pub starts: &'a [usize],
    pub entries: &'a [Entry],
    pub which: &'a [u32],
}

impl<'a> SparseRows<'a> {
    #[inline(always)]
    fn row(&self, i: usize) -> &'a [Entry] {
        let row = self.which[i] as usize;
        &self.entries[self.starts[row]..self.starts[row + 1]]
    }

    /// Ask for a row's cache lines: rows come in random order, and nothing else knows which is next.
    #[inline(always)]
    fn ask_for(&self, i: usize) {
        const LINE: usize = 64 / size_of::<Entry>();
        if i < self.which.len() {
            self.row(i).iter().step_by(LINE).for_each(prefetch);
        }
        // To know where a row is takes a request, too.
        if let Some(&later) = self.which.get(i + AHEAD) {
            prefetch(&self.starts[later as usize]);
        }
    }
}

/// The columns of some sparse rows.
#[derive(Default)]
pub struct Transposed {
    starts: Vec<u32>,
    entries: Vec<Entry>,
}

impl Transposed {
    /// Gather the entries of the rows by column; the rows stay in order within one.
    pub fn gather(&mut self, x: &SparseRows, columns: usize) {
        self.starts.clear();
        self.starts.resize(columns + 2, 0);
        let mut size = 0;
        for i in 0..x.which.len() {
            size += x.row(i).len();
            x.row(i).iter().for_each(|e| self.starts[e.at as usize + 2] += 1);
        }
        if self.entries.len() < size {
            self.entries.resize(size, Entry::default());
        }
        for j in 2..columns + 2 {
            self.starts[j] += self.starts[j - 1];
        }
        // starts[j + 1] runs from the start of column j to its end, which is the start of the next.
        for i in 0..x.which.len() {
            for e in x.row(i) {
                let at = &mut self.starts[e.at as usize + 1];
                self.entries[*at as usize] = Entry { at: i as u32, value: e.value };
                *at += 1;
            }
        }
    }

    #[inline(always)]
    fn column(&self, j: usize) -> &[Entry] {
        &self.entries[self.starts[j] as usize..self.starts[j + 1] as usize]
    }
}

/// Cover 0 .. `$count` with pieces of the given sizes, the largest that fit first: `$I` at `$i`.
macro_rules! pieces {
    ($count:expr, [$($size:literal),+], |$i:ident, $I:ident| $piece:expr) => {{
        let mut $i = 0;
        $(while $count - $i >= $size {
            const $I: usize = $size;
            $piece;
            $i += $size;
        })+
    }};
}

pub(super) use pieces;

/// sum += x · row of vectors.
#[inline(always)]
pub(super) fn fused<S: Simd, const V: usize>(
    simd: S,
    sum: &mut [S::f32s; V],
    x: f32,
    row: &[S::f32s],
) {
    let x = simd.splat_f32s(x);
    for (sum, &b) in sum.iter_mut().zip(&row[..V]) {
        *sum = simd.mul_add_f32s(x, b, *sum);
    }
}

#[inline(always)]
pub(super) fn load<S: Simd, const V: usize>(row: &[S::f32s]) -> [S::f32s; V] {
    std::array::from_fn(|v| row[v])
}

/// A sum of products for a tile of `I` rows by `V` vectors stays in registers until it is done.
struct Forward<'a> {
    x: DenseRows<'a>,
    weights: &'a [f32],
    bias: &'a [f32],
    out: &'a mut [f32],
}

impl WithSimd for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (weights, bias) = (S::as_simd_f32s(self.weights).0, S::as_simd_f32s(self.bias).0);
        let out = S::as_mut_simd_f32s(self.out).0;
        let (x, width) = (&self.x, bias.len());
        pieces!(width, [2, 1], |v, V| pieces!(x.which.len(), [6, 2, 1], |i, I| {
            let rows: [&[f32]; I] = std::array::from_fn(|r| x.row(i + r));
            let mut sum = [load::<S, V>(&bias[v..]); I];
            for (k, row) in weights.chunks_exact(width).take(x.columns).enumerate() {
                for r in 0..I {
                    fused(simd, &mut sum[r], rows[r][k], &row[v..]);
                }
            }
            for (r, sum) in sum.iter().enumerate() {
                out[(i + r) * width + v..][..V].copy_from_slice(sum);
            }
        }));
    }
}

/// out = bias + x · weights.
pub fn forward(x: DenseRows, weights: &[f32], bias: &[f32], out: &mut [f32]) {
    Arch::new().dispatch(Forward { x, weights, bias, out });
}

struct Gradient<'a> {
    x: DenseRows<'a>,
    errors: &'a [f32],
    width: usize,
    out: &'a mut [f32],
}

impl WithSimd for Gradient<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let errors = S::as_simd_f32s(self.errors).0;
        let out = S::as_mut_simd_f32s(self.out).0;
        let (x, width) = (&self.x, self.width / S::F32_LANES);
        pieces!(width, [2, 1], |v, V| pieces!(x.columns, [6, 2, 1], |j, J| {
            let mut sum: [[S::f32s; V]; J] =
                std::array::from_fn(|c| load::<S, V>(&out[(j + c) * width + v..]));
            for (r, error) in errors.chunks_exact(width).take(x.which.len()).enumerate() {
                let row = &x.row(r)[j..][..J];
                for c in 0..J {
                    fused(simd, &mut sum[c], row[c], &error[v..]);
                }
            }
            for (c, sum) in sum.iter().enumerate() {
                out[(j + c) * width + v..][..V].copy_from_slice(sum);
            }
        }));
    }
}

/// out += x' · errors.
pub fn gradient(x: DenseRows, errors: &[f32], width: usize, out: &mut [f32]) {
    Arch::new().dispatch(Gradient { x, errors, width, out });
}

/// out += Σ value × row of the matrix.
#[inline(always)]
fn combine<S: Simd>(simd: S, entries: &[Entry], matrix: &[S::f32s], out: &mut [S::f32s]) {
    let width = out.len();
    pieces!(width, [8, 4, 1], |v, V| {
        let mut sum = load::<S, V>(&out[v..]);
        for e in entries {
            fused(simd, &mut sum, e.value, &matrix[e.at as usize * width + v..]);
        }
        out[v..][..V].copy_from_slice(&sum);
    });
}

struct SparseForward<'a> {
    x: SparseRows<'a>,
    weights: &'a [f32],
    bias: &'a [f32],
    out: &'a mut [f32],
}

impl WithSimd for SparseForward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (weights, bias) = (S::as_simd_f32s(self.weights).0, S::as_simd_f32s(self.bias).0);
        let out = S::as_mut_simd_f32s(self.out).0;
        for (i, out) in out.chunks_exact_mut(bias.len()).take(self.x.which.len()).enumerate() {
            self.x.ask_for(i + AHEAD);
            out.copy_from_slice(bias);
            combine(simd, self.x.row(i), weights, out);
        }
    }
}

/// out = bias + x · weights.
pub fn sparse_forward(x: SparseRows, weights: &[f32], bias: &[f32], out: &mut [f32]) {
    Arch::new().dispatch(SparseForward { x, weights, bias, out });
}

struct SparseGradient<'a> {
    x: &'a Transposed,
    errors: &'a [f32],
    width: usize,
    out: &'a mut [f32],
}

impl WithSimd for SparseGradient<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let errors = S::as_simd_f32s(self.errors).0;
        let out = S::as_mut_simd_f32s(self.out).0;
        for (j, out) in out.chunks_exact_mut(self.width / S::F32_LANES).enumerate() {
            combine(simd, self.x.column(j), errors, out);
        }
    }
}

/// out += x' · errors.
pub fn sparse_gradient(x: &Transposed, errors: &[f32], width: usize, out: &mut [f32]) {
    Arch::new().dispatch(SparseGradient { x, errors, width, out });
}

dispatch! {
    /// out += the sum of the rows of `errors`.
    pub fn add_rows(errors: &[f32], out: &mut [f32]) {
        for row in errors.chunks_exact(out.len()) {
            for (o, e) in out.iter_mut().zip(row) {
                *o += e;
            }
        }
    }
}

/// out = the first `columns` columns of `matrix` as rows of `stride`, padded with zeros.
pub fn transpose(matrix: &[f32], width: usize, columns: usize, out: &mut [f32], stride: usize) {
    out.fill(0.0);
    // In tiles: of a wide matrix every number of a column is in another page of memory.
    for (first, rows) in matrix.chunks(TILE * width).enumerate() {
        for tile in (0..columns).step_by(TILE) {
            for c in tile..(tile + TILE).min(columns) {
                let to = &mut out[c * stride + first * TILE..];
                for (to, row) in to.iter_mut().zip(rows.chunks_exact(width)) {
                    *to = row[c];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(n: usize, step: f32) -> Vec<f32> {
        (0..n).map(|i| (i as f32 * step).sin()).collect()
    }

    #[test]
    fn a_transposed_matrix_has_its_columns_as_rows() {
        for (rows, columns) in [(1, 1), (33, 5), (40, 100)] {
            let (width, stride) = (padded(columns), padded(rows));
            let matrix = wave(rows * width, 0.3);
            let mut out = vec![9.0; columns * stride];
            transpose(&matrix, width, columns, &mut out, stride);
            for (c, row) in out.chunks_exact(stride).enumerate() {
                assert!((0..rows).all(|r| row[r] == matrix[r * width + c]));
                assert!(row[rows..].iter().all(|v| *v == 0.0));
            }
        }
    }

    #[test]
    fn dense_and_sparse_products_equal_their_definition_to_the_bit() {
        let (rows, columns) = (21, 13);
        // Two of three entries are zero.
        let x: Vec<f32> = wave(rows * columns, 0.7)
            .into_iter()
            .enumerate()
            .map(|(i, v)| if i % 3 == 0 { v } else { 0.0 })
            .collect();
        let which: Vec<u32> = (0..19).map(|i| (i * 8 % rows) as u32).collect();
        let (mut starts, mut entries) = (vec![0], Vec::new());
        for row in x.chunks_exact(columns) {
            for (j, &v) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                entries.push(Entry { at: j as u32, value: v });
            }
            starts.push(entries.len());
        }
        let dense = DenseRows { values: &x, stride: columns, columns, which: &which };
        let sparse = SparseRows { starts: &starts, entries: &entries, which: &which };
        let mut transposed = Transposed::default();
        transposed.gather(&sparse, columns);
        let at = |i: usize, j: usize| x[which[i] as usize * columns + j];
        for width in [16, 48, 64, 144] {
            let (weights, bias) = (wave(columns * width, 0.3), wave(width, 0.9));
            let mut out = [vec![0.0; 19 * width], vec![0.0; 19 * width]];
            forward(dense, &weights, &bias, &mut out[0]);
            sparse_forward(sparse, &weights, &bias, &mut out[1]);
            let errors = wave(19 * width, 0.11);
            let mut grad = [wave(columns * width, 0.5), wave(columns * width, 0.5)];
            let begin = grad[0].clone();
            gradient(dense, &errors, width, &mut grad[0]);
            sparse_gradient(&transposed, &errors, width, &mut grad[1]);
            for c in 0..width {
                for i in 0..19 {
                    let sum = (0..columns)
                        .fold(bias[c], |s, j| at(i, j).mul_add(weights[j * width + c], s));
                    assert_eq!(out[0][i * width + c].to_bits(), sum.to_bits());
                    assert_eq!(out[1][i * width + c].to_bits(), sum.to_bits());
                }
                for j in 0..columns {
                    let sum = (0..19).fold(begin[j * width + c], |s, i| {
                        at(i, j).mul_add(errors[i * width + c], s)
                    });
                    assert_eq!(grad[0][j * width + c].to_bits(), sum.to_bits());
                    assert_eq!(grad[1][j * width + c].to_bits(), sum.to_bits());
                }
            }
        }
    }
}
