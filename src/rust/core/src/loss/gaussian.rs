//! Least squares: l = ½ (y − η)², whose residual is y − η.

use super::{Loss, Sums};
use pulp::{Arch, Simd, WithSimd};
use std::ops::Range;

/// The sums of a pass, in their order.
pub const W: usize = 0;
pub const WYY: usize = 1;
pub const WR: usize = 2;
pub const WRR: usize = 3;

/// One response for all draws, or a panel with one for each.
#[derive(Clone, Copy)]
pub enum LeastSquares<'a> {
    Shared(&'a [f64]),
    Own { panel: &'a [f64], width: usize },
}

impl Loss for LeastSquares<'_> {
    const SUMS: usize = 4;

    fn begin(&self, rows: &Range<usize>, shift: &[f64], panel: &mut [f64]) {
        let width = shift.len();
        match self {
            LeastSquares::Shared(y) => {
                for (line, y) in panel.chunks_exact_mut(width).zip(&y[rows.clone()]) {
                    line.iter_mut().zip(shift).for_each(|(r, s)| *r = y + s);
                }
            }
            LeastSquares::Own { panel: y, .. } => {
                let y = &y[rows.start * width..rows.end * width];
                for (line, y) in panel.chunks_exact_mut(width).zip(y.chunks_exact(width)) {
                    line.iter_mut().zip(y).zip(shift).for_each(|((r, y), s)| *r = y + s);
                }
            }
        }
    }

    fn add(&self, rows: &Range<usize>, weights: &[f64], panel: &mut [f64], sums: &mut Sums) {
        let response = match *self {
            LeastSquares::Shared(y) => LeastSquares::Shared(&y[rows.clone()]),
            LeastSquares::Own { panel, width } => {
                LeastSquares::Own { panel: &panel[rows.start * width..rows.end * width], width }
            }
        };
        Arch::new().dispatch(Add { sums, weights, panel, response });
    }
}

/// Written as vectors: the sums must stay in registers.
struct Add<'a> {
    sums: &'a mut Sums,
    weights: &'a [f64],
    panel: &'a mut [f64],
    /// Of these rows.
    response: LeastSquares<'a>,
}

impl WithSimd for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let width = self.sums.width / S::F64_LANES;
        let weights = S::as_simd_f64s(self.weights).0;
        let panel = S::as_mut_simd_f64s(self.panel).0;
        match self.response {
            LeastSquares::Shared(y) => add(simd, self.sums, weights, panel, width, One(y)),
            LeastSquares::Own { panel: y, .. } => {
                let each = Each { y: S::as_simd_f64s(y).0, width };
                add(simd, self.sums, weights, panel, width, each);
            }
        }
    }
}

/// The responses of a row, lanes k and on.
trait Responses<S: Simd> {
    fn at(&self, simd: S, row: usize, k: usize) -> S::f64s;
}

struct One<'a>(&'a [f64]);

struct Each<'a, V> {
    y: &'a [V],
    width: usize,
}

impl<S: Simd> Responses<S> for One<'_> {
    #[inline(always)]
    fn at(&self, simd: S, row: usize, _: usize) -> S::f64s {
        simd.splat_f64s(self.0[row])
    }
}

impl<S: Simd> Responses<S> for Each<'_, S::f64s> {
    #[inline(always)]
    fn at(&self, _: S, row: usize, k: usize) -> S::f64s {
        self.y[row * self.width + k]
    }
}

#[inline(always)]
fn add<S: Simd>(
    simd: S,
    sums: &mut Sums,
    weights: &[S::f64s],
    panel: &mut [S::f64s],
    width: usize,
    response: impl Responses<S>,
) {
    // No arrays made by closures here: they would not be compiled for these instructions.
    let mut lines = sums.lines.chunks_exact_mut(sums.width);
    let mut next = || S::as_mut_simd_f64s(lines.next().unwrap_or_default()).0;
    let (w, wyy, wr, wrr) = (next(), next(), next(), next());
    let rows = panel.len() / width.max(1);
    for k in 0..width {
        let mut sum = [w[k], wyy[k], wr[k], wrr[k]];
        for row in 0..rows {
            let (weight, left) = (weights[row * width + k], panel[row * width + k]);
            let (y, product) = (response.at(simd, row, k), simd.mul_f64s(weight, left));
            sum[W] = simd.add_f64s(sum[W], weight);
            sum[WYY] = simd.mul_add_f64s(simd.mul_f64s(weight, y), y, sum[WYY]);
            sum[WR] = simd.add_f64s(sum[WR], product);
            sum[WRR] = simd.mul_add_f64s(product, left, sum[WRR]);
            panel[row * width + k] = product;
        }
        [w[k], wyy[k], wr[k], wrr[k]] = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_definition_whoever_has_the_response() {
        let (rows, width) = (5, 8);
        let y: Vec<f64> = (0..rows).map(|i| (i as f64).sin()).collect();
        let own: Vec<f64> = (0..rows * width).map(|i| y[i / width]).collect();
        let weights: Vec<f64> = (0..rows * width).map(|i| 1.0 + (i % 3) as f64).collect();
        for loss in [LeastSquares::Shared(&y), LeastSquares::Own { panel: &own, width }] {
            let mut panel = vec![0.0; rows * width];
            loss.begin(&(0..rows), &[0.25; 8], &mut panel);
            let mut sums = Sums::new(LeastSquares::SUMS, width);
            loss.add(&(0..rows), &weights, &mut panel, &mut sums);
            for k in 0..width {
                let w = |i: usize| weights[i * width + k];
                let sum = |f: &dyn Fn(usize) -> f64| (0..rows).map(f).sum::<f64>();
                let r = |i: usize| y[i] + 0.25;
                for (which, value) in [
                    (W, sum(&w)),
                    (WYY, sum(&|i| w(i) * y[i] * y[i])),
                    (WR, sum(&|i| w(i) * r(i))),
                    (WRR, sum(&|i| w(i) * r(i) * r(i))),
                ] {
                    assert!((sums.get(which, k) - value).abs() < 1e-14, "{which}");
                }
                assert_eq!(panel[k], w(0) * r(0));
            }
        }
    }
}
