//! Products of double-precision vectors and panels.

use super::lanes::{LANES, dispatch};
use pulp::{Arch, Simd, WithSimd, as_arrays};
use std::ops::Range;

/// Smallest and largest of some numbers; both NaN if one is not finite.
pub fn extent(values: &[f64]) -> [f64; 2] {
    Arch::new().dispatch(Extent(values))
}

struct Extent<'a>(&'a [f64]);

impl WithSimd for Extent<'_> {
    type Output = [f64; 2];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [f64; 2] {
        let (vectors, rest) = S::as_simd_f64s(self.0);
        let mut low = simd.splat_f64s(f64::INFINITY);
        let mut high = simd.splat_f64s(f64::NEG_INFINITY);
        // 0 times a number is 0, unless it is not finite.
        let mut zero = simd.splat_f64s(0.0);
        for &v in vectors {
            low = simd.min_f64s(low, v);
            high = simd.max_f64s(high, v);
            zero = simd.mul_add_f64s(simd.splat_f64s(0.0), v, zero);
        }
        let mut low = simd.reduce_min_f64s(low);
        let mut high = simd.reduce_max_f64s(high);
        let mut zero = simd.reduce_sum_f64s(zero);
        for &v in rest {
            low = low.min(v);
            high = high.max(v);
            zero += 0.0 * v;
        }
        [low + zero, high + zero]
    }
}

dispatch! {
    /// y += s x.
    pub fn axpy(s: f64, x: &[f64], y: &mut [f64]) {
        for (o, &v) in y.iter_mut().zip(x) {
            *o = s.mul_add(v, *o);
        }
    }
}

dispatch! {
    /// Σ aᵢ bᵢ in eight interleaved sums.
    pub fn dot(a: &[f64], b: &[f64]) -> f64 {
        let mut sum = [0.0; LANES];
        let (a_whole, a_rest) = as_arrays::<LANES, _>(a);
        let (b_whole, b_rest) = as_arrays::<LANES, _>(b);
        for (x, y) in a_whole.iter().zip(b_whole) {
            for l in 0..LANES {
                sum[l] = x[l].mul_add(y[l], sum[l]);
            }
        }
        for (s, (x, y)) in sum.iter_mut().zip(a_rest.iter().zip(b_rest)) {
            *s = x.mul_add(*y, *s);
        }
        ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]))
    }
}

#[inline(always)]
pub(super) fn load<const V: usize>(panel: &[f64], at: usize) -> [[f64; LANES]; V] {
    let mut out = [[0.0; LANES]; V];
    for (v, lanes) in out.iter_mut().enumerate() {
        lanes.copy_from_slice(&panel[at + v * LANES..][..LANES]);
    }
    out
}

#[inline(always)]
pub(super) fn fused<const V: usize>(sum: &mut [[f64; LANES]; V], x: f64, b: &[[f64; LANES]; V]) {
    for v in 0..V {
        for l in 0..LANES {
            sum[v][l] = x.mul_add(b[v][l], sum[v][l]);
        }
    }
}

/// Some columns of a column-major block with `rows` rows.
#[derive(Clone, Copy)]
pub struct Columns<'a> {
    pub block: &'a [f64],
    pub rows: usize,
    pub which: &'a [u32],
}

impl<'a> Columns<'a> {
    #[inline(always)]
    fn get(&self, k: usize) -> &'a [f64] {
        &self.block[self.which[k] as usize * self.rows..][..self.rows]
    }
}

/// out += columns' · panel for some lanes; the sums of a tile of columns by vectors stay in registers until its rows are done.
struct Accumulate<'a> {
    columns: Columns<'a>,
    panel: &'a [f64],
    width: usize,
    lanes: Range<usize>,
    out: &'a mut [f64],
}

impl Accumulate<'_> {
    #[inline(always)]
    fn tile<S: Simd, const I: usize, const V: usize>(&mut self, simd: S, j: usize, v: usize) {
        let width = self.width / S::F64_LANES;
        let columns: [&[f64]; I] = std::array::from_fn(|i| self.columns.get(j + i));
        let lines = S::as_simd_f64s(self.panel).0.chunks_exact(width);
        let mut sum = [[simd.splat_f64s(0.0); V]; I];
        for (r, line) in lines.take(self.columns.rows).enumerate() {
            // Not copied by `from_fn`, whose closure may stay a call.
            let b = &line[v..v + V];
            for i in 0..I {
                let x = simd.splat_f64s(columns[i][r]);
                for k in 0..V {
                    sum[i][k] = simd.mul_add_f64s(x, b[k], sum[i][k]);
                }
            }
        }
        let out = S::as_mut_simd_f64s(self.out).0;
        for (i, sum) in sum.iter().enumerate() {
            let place = &mut out[(j + i) * width + v..][..V];
            place.iter_mut().zip(sum).for_each(|(o, s)| *o = simd.add_f64s(*o, *s));
        }
    }

    /// Vectors `v .. v + V` of all columns, `I` at a time.
    #[inline(always)]
    fn strip<S: Simd, const I: usize, const V: usize>(&mut self, simd: S, v: usize) {
        let count = self.columns.which.len();
        let mut j = 0;
        while j + I <= count {
            self.tile::<S, I, V>(simd, j, v);
            j += I;
        }
        while j + 3 <= count {
            self.tile::<S, 3, V>(simd, j, v);
            j += 3;
        }
        while j < count {
            self.tile::<S, 1, V>(simd, j, v);
            j += 1;
        }
    }
}

impl WithSimd for Accumulate<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let end = self.lanes.end / S::F64_LANES;
        let mut v = self.lanes.start / S::F64_LANES;
        // As many sums as there are registers for: 32 for vectors of eight, 16 for shorter ones.
        let wide = S::F64_LANES == LANES;
        while wide && v + 4 <= end {
            self.strip::<S, 6, 4>(simd, v);
            v += 4;
        }
        // Three vectors want fewer columns, whose places are then in registers, too; four are two twos.
        while !wide && v + 3 <= end && v + 4 != end {
            self.strip::<S, 4, 3>(simd, v);
            v += 3;
        }
        while v + 2 <= end {
            if wide {
                self.strip::<S, 12, 2>(simd, v)
            } else {
                self.strip::<S, 6, 2>(simd, v)
            }
            v += 2;
        }
        if v < end {
            self.strip::<S, 12, 1>(simd, v);
        }
    }
}

/// out += columns' · panel: each column times each lane of the panel.
///
/// `panel` is rows × width, `out` columns × width, both row after row.
pub fn accumulate(columns: Columns, panel: &[f64], width: usize, out: &mut [f64]) {
    if columns.rows > 0 {
        Arch::new().dispatch(Accumulate { columns, panel, width, lanes: 0..width, out });
    }
}

/// The part of columns' · panel on and above the diagonal, when lane k belongs to column k.
///
/// Fills whole strips of sixteen lanes, so a little below the diagonal too.
pub fn accumulate_upper(columns: Columns, panel: &[f64], width: usize, out: &mut [f64]) {
    if columns.rows == 0 {
        return;
    }
    for at in (0..width).step_by(2 * LANES) {
        let lanes = at..width.min(at + 2 * LANES);
        let above = &columns.which[..columns.which.len().min(lanes.end)];
        let columns = Columns { which: above, ..columns };
        Arch::new().dispatch(Accumulate { columns, panel, width, lanes, out: &mut *out });
    }
}

/// columns · coefficients, to be subtracted from a panel.
///
/// `coefficients` is columns × width, the panel rows × width.
pub struct Product<'a> {
    pub columns: Columns<'a>,
    pub coefficients: &'a [f64],
    pub width: usize,
}

impl Product<'_> {
    #[inline(always)]
    fn tile<const I: usize, const V: usize>(&self, row: usize, at: usize, panel: &mut [f64]) {
        let width = self.width;
        let mut sum: [[[f64; LANES]; V]; I] =
            std::array::from_fn(|i| load::<V>(panel, (row + i) * width + at));
        for (c, &j) in self.columns.which.iter().enumerate() {
            let b = load::<V>(self.coefficients, c * width + at);
            let x = &self.columns.block[j as usize * self.columns.rows + row..][..I];
            for i in 0..I {
                fused(&mut sum[i], -x[i], &b);
            }
        }
        for (i, s) in sum.iter().enumerate() {
            panel[(row + i) * width + at..][..V * LANES].copy_from_slice(s.as_flattened());
        }
    }

    #[inline(always)]
    fn strip<const V: usize>(&self, at: usize, panel: &mut [f64]) {
        let mut row = 0;
        while row + 4 <= self.columns.rows {
            self.tile::<4, V>(row, at, panel);
            row += 4;
        }
        while row < self.columns.rows {
            self.tile::<1, V>(row, at, panel);
            row += 1;
        }
    }
}

dispatch! {
    /// panel −= product.
    pub fn subtract(product: &Product, panel: &mut [f64]) {
        let mut at = 0;
        while at + 2 * LANES <= product.width {
            product.strip::<2>(at, panel);
            at += 2 * LANES;
        }
        if at < product.width {
            product.strip::<1>(at, panel);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(n: usize, step: f64) -> Vec<f64> {
        (0..n).map(|i| (i as f64 * step).sin()).collect()
    }

    #[test]
    fn products_equal_their_definition_and_do_not_depend_on_the_width() {
        let (rows, cols) = (37, 11);
        let columns = wave(rows * cols, 0.7);
        for width in [8, 16, 24] {
            let panel: Vec<f64> =
                (0..rows * width).map(|i| ((i / width * 24 + i % width) as f64).cos()).collect();
            let mut out = vec![0.0; cols * width];
            let all: Vec<u32> = (0..cols as u32).collect();
            let every = Columns { block: &columns, rows, which: &all };
            accumulate(every, &panel, width, &mut out);
            for j in 0..cols {
                for k in 0..width {
                    let sum = (0..rows).fold(0.0f64, |s, r| {
                        columns[j * rows + r].mul_add(panel[r * width + k], s)
                    });
                    assert_eq!(out[j * width + k].to_bits(), sum.to_bits());
                }
            }
            let which = [1u32, 4, 10];
            let coefficients: Vec<f64> =
                (0..3 * width).map(|i| ((i / width * 24 + i % width) as f64).sin()).collect();
            let mut left = panel.clone();
            let some = Columns { block: &columns, rows, which: &which };
            let product = Product { columns: some, coefficients: &coefficients, width };
            subtract(&product, &mut left);
            for r in 0..rows {
                for k in 0..width {
                    let value =
                        which.iter().enumerate().fold(panel[r * width + k], |s, (c, &j)| {
                            (-columns[j as usize * rows + r])
                                .mul_add(coefficients[c * width + k], s)
                        });
                    assert_eq!(left[r * width + k].to_bits(), value.to_bits());
                }
            }
        }
    }

    #[test]
    fn extents_are_nan_unless_all_is_finite() {
        let mut values = wave(21, 0.3);
        values[3] = -7.0;
        values[20] = 9.0;
        assert_eq!(extent(&values), [-7.0, 9.0]);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for at in [0, 12, 20] {
                let mut values = values.clone();
                values[at] = bad;
                assert!(extent(&values).iter().all(|v| v.is_nan()));
            }
        }
        assert_eq!(extent(&[]), [f64::INFINITY, f64::NEG_INFINITY]);
    }

    #[test]
    fn dot_and_axpy() {
        let (a, mut b) = (wave(21, 0.3), wave(21, 0.9));
        let plain: f64 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
        assert!((dot(&a, &b) - plain).abs() < 1e-14);
        axpy(2.0, &a, &mut b);
        assert!((b[20] - (2.0 * a[20] + (20.0f64 * 0.9).sin())).abs() < 1e-15);
    }
}
