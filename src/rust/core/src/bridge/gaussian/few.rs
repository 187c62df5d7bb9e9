//! β with few columns: scaling, factor and solution in one function.
//!
//! `linalg::cholesky` takes three, and guards against pivots that cannot be here: with ten columns an
//! iteration of the sampler would take a fifth longer, with 24 as long, and with more it is faster.

use super::Moments;
use crate::linalg::lanes::{LANES, dispatch};
use pulp::as_arrays_mut;
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

/// Columns up to which this is the faster way.
pub const MOST: usize = 16;

pub struct Few<'a> {
    pub moments: &'a Moments,
    size: usize,
    /// Rows of the matrices below lie this far apart: whole vectors.
    stride: usize,
    /// X'X, and X'y in the last column.
    gram: Vec<f64>,
    factor: Vec<f64>,
    scale: Vec<f64>,
    normal: Vec<f64>,
    solution: Vec<f64>,
    pub gap: Vec<f64>,
}

impl<'a> Few<'a> {
    pub fn new(moments: &'a Moments) -> Few<'a> {
        let p = moments.cross.len();
        let stride = (p + 1).next_multiple_of(LANES);
        let mut gram = vec![0.0; p * stride];
        for (j, row) in gram.chunks_exact_mut(stride).enumerate() {
            row.iter_mut().zip(moments.gram.row(j)).for_each(|(o, v)| *o = *v);
            row[p] = moments.cross[j];
        }
        Few {
            moments,
            size: p,
            stride,
            gram,
            factor: vec![0.0; p * stride],
            scale: vec![0.0; p],
            normal: vec![0.0; p],
            solution: vec![0.0; stride],
            gap: vec![0.0; p],
        }
    }

    #[inline]
    pub fn draw<R: Rng>(
        &mut self,
        variance: f64,
        precision: &[f64],
        beta: &mut [f64],
        rng: &mut R,
    ) {
        for z in &mut self.normal {
            *z = StandardNormal.sample(rng);
        }
        draw_columns(self, 1.0 / variance, precision, beta);
    }
}

/// Scale row `row` of an upper factor and take it off the rows below; all vectors are whole.
#[inline(always)]
fn eliminate_row(row: usize, size: usize, stride: usize, least: f64, m: &mut [f64]) {
    let from = row / LANES;
    let (above, below) = m.split_at_mut((row + 1) * stride);
    let (line, _) = as_arrays_mut::<LANES, _>(&mut above[row * stride..]);
    // Rounding can leave nothing of a column that others span; the prior is left all the same.
    let inverse = 1.0 / line[from][row % LANES].max(least).sqrt();
    for lanes in &mut line[from..] {
        lanes.iter_mut().for_each(|v| *v *= inverse);
    }
    for (i, other) in below.chunks_exact_mut(stride).take(size - row - 1).enumerate() {
        let column = row + 1 + i;
        let s = -line[column / LANES][column % LANES];
        let (other, _) = as_arrays_mut::<LANES, _>(other);
        let first = column / LANES;
        for (o, l) in other[first..].iter_mut().zip(&line[first..]) {
            for k in 0..LANES {
                o[k] = s.mul_add(l[k], o[k]);
            }
        }
    }
}

dispatch! {
    fn draw_columns(g: &mut Few, inverse_variance: f64, precision: &[f64], beta: &mut [f64]) {
        let (p, stride, gram) = (g.size, g.stride, &g.gram);
        for (j, scale) in g.scale.iter_mut().enumerate() {
            *scale = 1.0 / inverse_variance.mul_add(gram[j * stride + j], precision[j]).sqrt();
        }
        for (k, (to, from)) in
            g.factor.chunks_exact_mut(stride).zip(gram.chunks_exact(stride)).enumerate()
        {
            let s = g.scale[k] * inverse_variance;
            for (j, o) in to[..p].iter_mut().enumerate() {
                *o = s * from[j] * g.scale[j];
            }
            to[k] = 1.0;
            to[p] = s * from[p];
        }
        for (row, (lambda, scale)) in precision.iter().zip(&g.scale).enumerate() {
            let least = lambda * scale * scale;
            eliminate_row(row, p, stride, least.max(f64::MIN_POSITIVE), &mut g.factor);
        }
        // The right side went along as a last column; R u = R⁻ᵀb + z gives mean and noise at once.
        for k in (0..p).rev() {
            let row = &g.factor[k * stride..][..stride];
            let mut sum = row[p] + g.normal[k];
            for (r, u) in row[k + 1..p].iter().zip(&g.solution[k + 1..p]) {
                sum = (-r).mul_add(*u, sum);
            }
            g.solution[k] = sum / row[k];
            beta[k] = g.solution[k] * g.scale[k];
        }
    }
}
