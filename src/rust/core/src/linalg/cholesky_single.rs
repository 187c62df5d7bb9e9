//! Cholesky factors in single precision, twice as fast as in double: for directions that need not be exact.

use crate::linalg::lanes::dispatch;
use crate::linalg::single::{LANES, fused, load, padded, pieces};
use pulp::{Arch, Simd, WithSimd};

/// Pivots below this part of their diagonal are rounding.
const NOISE: f32 = 1e-6;
/// Rows that are taken off the rest together.
const BLOCK: usize = 32;

/// M = R'R with R upper triangular, row after row.
#[derive(Default)]
pub struct SingleCholesky {
    size: usize,
    /// Rows of the factor lie this far apart.
    stride: usize,
    factor: Vec<f32>,
    inverse_pivot: Vec<f32>,
}

impl SingleCholesky {
    /// Factor the symmetric matrix whose upper triangle `fill(row, slice)` writes: `slice[i]` is the element in
    /// column `row + i`. False, and no factor, if it is not definite beyond rounding. `go_on` is asked before each
    /// block of rows.
    pub fn factor_while<E>(
        &mut self,
        size: usize,
        mut fill: impl FnMut(usize, &mut [f32]),
        go_on: impl Fn() -> Result<(), E>,
    ) -> Result<bool, E> {
        self.size = size;
        // An empty one has no rows, and yet they have a length.
        self.stride = padded(size.max(1));
        self.factor.resize(size * self.stride, 0.0);
        for (row, line) in self.factor.chunks_exact_mut(self.stride).enumerate() {
            fill(row, &mut line[row..size]);
        }
        self.inverse_pivot.clear();
        self.inverse_pivot.extend((0..size).map(|k| self.factor[k * self.stride + k]));
        for first in (0..size).step_by(BLOCK) {
            go_on()?;
            let last = (first + BLOCK).min(size);
            if !eliminate(first, last, self) {
                return Ok(false);
            }
            self.take_off(first, last);
        }
        Ok(true)
    }

    fn take_off(&mut self, first: usize, last: usize) {
        let (done, below) = self.factor.split_at_mut(last * self.stride);
        let (done, stride) = (&done[first * self.stride..], self.stride);
        Arch::new().dispatch(TakeOff { done, below, stride, from: last });
    }

    /// x ← M⁻¹ x.
    pub fn solve(&self, x: &mut [f32]) {
        substitute(self, x);
    }
}

dispatch! {
    /// Finish some rows, from which those before the first are taken off; false if a pivot is noise.
    fn eliminate(first: usize, last: usize, m: &mut SingleCholesky) -> bool {
        let (n, stride) = (m.size, m.stride);
        for k in first..last {
            let (above, row) = m.factor.split_at_mut(k * stride);
            let row = &mut row[k..n];
            for line in above[first * stride..].chunks_exact(stride) {
                let s = -line[k];
                row.iter_mut().zip(&line[k..n]).for_each(|(o, &v)| *o = s.mul_add(v, *o));
            }
            let definite = row[0] > NOISE * m.inverse_pivot[k];
            if !definite {
                return false;
            }
            let inverse = 1.0 / row[0].sqrt();
            m.inverse_pivot[k] = inverse;
            row.iter_mut().for_each(|v| *v *= inverse);
        }
        true
    }
}

/// Take finished rows off those below, which begin with row `from`: less Σ line[row] · line. What it writes below
/// the diagonal is read by nobody.
struct TakeOff<'a> {
    done: &'a [f32],
    below: &'a mut [f32],
    stride: usize,
    from: usize,
}

impl WithSimd for TakeOff<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let TakeOff { done, below, stride, from } = self;
        let (width, rows) = (stride / S::F32_LANES, below.len() / stride);
        let (across, below) = (S::as_simd_f32s(done).0, S::as_mut_simd_f32s(below).0);
        pieces!(rows, [6, 2, 1], |i, I| {
            // From the vector that holds the diagonal on.
            let (row, first) = (from + i, (from + i) / S::F32_LANES);
            pieces!(width - first, [2, 1], |v, V| {
                let at = first + v;
                let mut sum: [[S::f32s; V]; I] =
                    std::array::from_fn(|r| load::<S, V>(&below[(i + r) * width + at..]));
                for (line, vectors) in done.chunks_exact(stride).zip(across.chunks_exact(width)) {
                    let along = &line[row..][..I];
                    for r in 0..I {
                        fused(simd, &mut sum[r], -along[r], &vectors[at..]);
                    }
                }
                for (r, sum) in sum.iter().enumerate() {
                    below[(i + r) * width + at..][..V].copy_from_slice(sum);
                }
            });
        });
    }
}

dispatch! {
    fn substitute(m: &SingleCholesky, x: &mut [f32]) {
        let n = m.size;
        let row = |k: usize| &m.factor[k * m.stride + k + 1..][..n - k - 1];
        for k in 0..n {
            let z = x[k] * m.inverse_pivot[k];
            x[k] = z;
            x[k + 1..].iter_mut().zip(row(k)).for_each(|(o, &v)| *o = (-z).mul_add(v, *o));
        }
        for k in (0..n).rev() {
            let (before, after) = x.split_at_mut(k + 1);
            before[k] = (before[k] - dot(row(k), after)) * m.inverse_pivot[k];
        }
    }
}

/// Σ aᵢ bᵢ of vectors as long as they come, in a fixed order.
#[inline(always)]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sum = [0.0f32; LANES];
    let (left, right) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f32 = left.remainder().iter().zip(right.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in left.zip(right) {
        for l in 0..LANES {
            sum[l] = x[l].mul_add(y[l], sum[l]);
        }
    }
    rest + sum.iter().sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factored(
        factor: &mut SingleCholesky,
        size: usize,
        fill: impl FnMut(usize, &mut [f32]),
    ) -> bool {
        factor.factor_while(size, fill, || Ok::<(), ()>(())).unwrap()
    }

    #[test]
    fn solves_what_it_has_factored_at_any_size() {
        for n in [0, 1, 2, 3, 5, 31, 32, 33, 70, 131] {
            let element = |a: usize, b: usize| {
                let noise = ((a * b + a + b) as f32).sin();
                if a == b { n as f32 + noise } else { noise }
            };
            let mut factor = SingleCholesky::default();
            assert!(factored(&mut factor, n, |row, out| {
                out.iter_mut().enumerate().for_each(|(i, o)| *o = element(row, row + i));
            }));
            let truth: Vec<f32> = (0..n).map(|k| (k as f32).cos()).collect();
            let mut x: Vec<f32> =
                (0..n).map(|a| (0..n).map(|b| element(a, b) * truth[b]).sum()).collect();
            factor.solve(&mut x);
            for (x, t) in x.iter().zip(&truth) {
                assert!((x - t).abs() < 1e-4, "{n}: {x} {t}");
            }
        }
    }

    #[test]
    fn a_matrix_that_is_not_definite_has_no_factor() {
        let mut factor = SingleCholesky::default();
        assert!(!factored(&mut factor, 40, |_, out| out.fill(1.0)));
        assert!(
            !factored(&mut factor, 2, |row, out| out[0] = if row == 0 { 1.0 } else { f32::NAN })
        );
    }

    #[test]
    fn a_stop_is_heard_between_blocks() {
        let mut factor = SingleCholesky::default();
        let fill = |_: usize, out: &mut [f32]| {
            out.fill(0.0);
            out[0] = 1.0;
        };
        let asked = std::cell::Cell::new(0);
        let go_on = || {
            asked.set(asked.get() + 1);
            if asked.get() > 2 { Err(()) } else { Ok(()) }
        };
        assert_eq!(factor.factor_while(2 * BLOCK, fill, go_on), Ok(true));
        asked.set(0);
        assert_eq!(factor.factor_while(2 * BLOCK + 1, fill, go_on), Err(()));
    }
}
