//! Products of f32 matrices: data times weights, and data transposed times errors.
//!
//! Matrices lie row after row, and rows of weights and units are padded with zeros to whole vectors.
//! As in [`crate::kernels`], every number is summed in one fixed order with fused products, so that
//! its bits depend neither on the processor nor on the shape of the tiles. Zeros that a sparse matrix
//! leaves out would have added nothing: sparse and dense data give the same bits.

use crate::kernels::{dispatch, has_wide_registers};

/// Numbers in one vector; rows are padded to a multiple of it.
pub const LANES: usize = 16;

type Vector = [f32; LANES];

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

#[inline(always)]
fn load<const V: usize>(from: &[f32], at: usize) -> [Vector; V] {
    let mut out = [[0.0; LANES]; V];
    let from = &from[at..][..V * LANES];
    for (v, lanes) in out.iter_mut().enumerate() {
        lanes.copy_from_slice(&from[v * LANES..][..LANES]);
    }
    out
}

#[inline(always)]
fn store<const V: usize>(sum: &[Vector; V], to: &mut [f32], at: usize) {
    to[at..][..V * LANES].copy_from_slice(sum.as_flattened());
}

#[inline(always)]
fn fused<const V: usize>(sum: &mut [Vector; V], x: f32, b: &[Vector; V]) {
    for v in 0..V {
        for l in 0..LANES {
            sum[v][l] = x.mul_add(b[v][l], sum[v][l]);
        }
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

#[inline(always)]
fn forward_tile<const I: usize, const V: usize>(
    x: &DenseRows,
    first: usize,
    weights: &[f32],
    bias: &[f32],
    at: usize,
    out: &mut [f32],
) {
    let width = bias.len();
    let rows: [&[f32]; I] = std::array::from_fn(|i| x.row(first + i));
    let mut sum = [load::<V>(bias, at); I];
    for (k, row) in weights.chunks_exact(width).take(x.columns).enumerate() {
        let b = load::<V>(row, at);
        for i in 0..I {
            fused(&mut sum[i], rows[i][k], &b);
        }
    }
    for (i, sum) in sum.iter().enumerate() {
        store(sum, out, (first + i) * width + at);
    }
}

dispatch! {
    /// out = bias + x · weights.
    pub fn forward(x: DenseRows, weights: &[f32], bias: &[f32], out: &mut [f32]) {
        let (count, width) = (x.which.len(), bias.len());
        if has_wide_registers() {
            pieces!(width / LANES, [2, 1], |v, V| pieces!(count, [8, 4, 2, 1], |i, I| {
                forward_tile::<I, V>(&x, i, weights, bias, v * LANES, out)
            }));
        } else {
            pieces!(width / LANES, [1], |v, V| pieces!(count, [4, 1], |i, I| {
                forward_tile::<I, V>(&x, i, weights, bias, v * LANES, out)
            }));
        }
    }
}

/// out += Σ value × row of the matrix, in `G` groups of `V` vectors from `at`. (Arrays of more than a
/// few vectors are not kept in registers; several small ones are.)
#[inline(always)]
fn combine<const G: usize, const V: usize>(
    entries: &[Entry],
    matrix: &[f32],
    width: usize,
    at: usize,
    out: &mut [f32],
) {
    let mut sum: [[Vector; V]; G] = std::array::from_fn(|g| load(out, at + g * V * LANES));
    for e in entries {
        let row = &matrix[e.at as usize * width + at..][..G * V * LANES];
        for (g, sum) in sum.iter_mut().enumerate() {
            fused(sum, e.value, &load(row, g * V * LANES));
        }
    }
    for (g, sum) in sum.iter().enumerate() {
        store(sum, out, at + g * V * LANES);
    }
}

/// The same for a whole row.
#[inline(always)]
fn combine_row(entries: &[Entry], matrix: &[f32], out: &mut [f32]) {
    let width = out.len();
    let mut at = 0;
    if has_wide_registers() {
        while width - at >= 8 * LANES {
            combine::<2, 4>(entries, matrix, width, at, out);
            at += 8 * LANES;
        }
    }
    while width - at >= 4 * LANES {
        combine::<1, 4>(entries, matrix, width, at, out);
        at += 4 * LANES;
    }
    while at < width {
        combine::<1, 1>(entries, matrix, width, at, out);
        at += LANES;
    }
}

dispatch! {
    /// out = bias + x · weights.
    pub fn sparse_forward(x: SparseRows, weights: &[f32], bias: &[f32], out: &mut [f32]) {
        for (i, out) in out.chunks_exact_mut(bias.len()).take(x.which.len()).enumerate() {
            out.copy_from_slice(bias);
            combine_row(x.row(i), weights, out);
        }
    }
}

#[inline(always)]
fn gradient_tile<const I: usize, const V: usize>(
    x: &DenseRows,
    first: usize,
    errors: &[f32],
    width: usize,
    at: usize,
    out: &mut [f32],
) {
    let mut sum: [[Vector; V]; I] = std::array::from_fn(|i| load(out, (first + i) * width + at));
    for (r, error) in errors.chunks_exact(width).take(x.which.len()).enumerate() {
        let b = load::<V>(error, at);
        let row = &x.row(r)[first..][..I];
        for i in 0..I {
            fused(&mut sum[i], row[i], &b);
        }
    }
    for (i, sum) in sum.iter().enumerate() {
        store(sum, out, (first + i) * width + at);
    }
}

dispatch! {
    /// out += x' · errors.
    pub fn gradient(x: DenseRows, errors: &[f32], width: usize, out: &mut [f32]) {
        if has_wide_registers() {
            pieces!(width / LANES, [2, 1], |v, V| pieces!(x.columns, [6, 3, 1], |i, I| {
                gradient_tile::<I, V>(&x, i, errors, width, v * LANES, out)
            }));
        } else {
            pieces!(width / LANES, [1], |v, V| pieces!(x.columns, [4, 1], |i, I| {
                gradient_tile::<I, V>(&x, i, errors, width, v * LANES, out)
            }));
        }
    }
}

dispatch! {
    /// out += x' · errors.
    pub fn sparse_gradient(x: &Transposed, errors: &[f32], width: usize, out: &mut [f32]) {
        for (j, out) in out.chunks_exact_mut(width).enumerate() {
            combine_row(x.column(j), errors, out);
        }
    }
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
    for (r, row) in matrix.chunks_exact(width).enumerate() {
        for (c, &v) in row[..columns].iter().enumerate() {
            out[c * stride + r] = v;
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
