//! Coordinate descent on the residual, in single precision: nearly the support of a wide problem,
//! before its Gram matrix is formed.
//!
//! Half of the columns in a draw's support are not in that of its start, and a Gram matrix of all
//! that come and go costs more than everything else. A step on the residual costs two loops over a
//! column, and in single precision the columns stay near the caches.

use super::task::{Data, Task};
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::lanes::dispatch;
use crate::penalty::soft_threshold_single;
use pulp::as_arrays;

/// Sweeps at most, sweeps without a change of sign that are enough, and the part of the largest
/// change below which another does not matter.
const MOST: u32 = 60;
const QUIET: u32 = 4;
const SMALL: f32 = 1e-6;
/// Numbers of a column taken together: four vectors.
const LANES: usize = 16;
const WIDE: usize = 4 * LANES;

/// Bring β near the minimum over these columns, which hold its support.
pub fn approach(
    data: &Data,
    task: &mut Task,
    which: &[u32],
    control: &Control,
) -> Result<(), Error> {
    let mut packed = Packed::new(data, task, which, control)?;
    let (mut quiet, mut first) = (0, 0.0f32);
    for round in 0..MOST {
        control.check()?;
        let (change, signs) = sweep(&mut packed, round % 4 != 0);
        quiet = if signs == 0 { quiet + 1 } else { 0 };
        first = first.max(change);
        if quiet >= QUIET || change <= SMALL * first {
            break;
        }
    }
    // Where single precision does not reach, β stays.
    if packed.beta.iter().all(|b| b.is_finite()) {
        for (&j, &b) in which.iter().zip(&packed.beta) {
            task.beta[j as usize] = f64::from(b);
        }
    }
    Ok(())
}

/// Columns around their weighted means, times the roots of the weights.
struct Packed {
    /// Rows, filled up with zeros.
    rows: usize,
    columns: Vec<f32>,
    curvature: Vec<f32>,
    l1: Vec<f32>,
    ridge: Vec<f32>,
    beta: Vec<f32>,
    residual: Vec<f32>,
}

impl Packed {
    fn new(
        data: &Data,
        task: &mut Task,
        which: &[u32],
        control: &Control,
    ) -> Result<Packed, Error> {
        let design = &data.design;
        let rows = design.rows.next_multiple_of(WIDE);
        let mut weights = vec![0.0; design.rows];
        task.weights.fill(0, &mut weights);
        // Weights of mean one: single precision has a short range.
        let unit = weights.iter().sum::<f64>() / design.rows as f64;
        let scaled = |v: &[f64]| which.iter().map(|&j| (v[j as usize] / unit) as f32).collect();
        let mut packed = Packed {
            rows,
            columns: vec![0.0; rows * which.len()],
            curvature: Vec::with_capacity(which.len()),
            l1: scaled(&task.penalty.l1),
            ridge: scaled(&task.penalty.ridge),
            beta: which.iter().map(|&j| task.beta[j as usize] as f32).collect(),
            residual: vec![0.0; rows],
        };
        let mut roots = vec![0.0; rows];
        roots.iter_mut().zip(&weights).for_each(|(o, w)| *o = (w / unit).sqrt() as f32);
        for range in design.blocks() {
            control.check()?;
            let Some(block) = design.dense_block(&range) else { break };
            let pack = |from: &[f64], to: &mut [f32]| {
                for ((o, &x), root) in
                    to[range.clone()].iter_mut().zip(from).zip(&roots[range.clone()])
                {
                    *o = root * x as f32;
                }
            };
            for (&j, column) in which.iter().zip(packed.columns.chunks_exact_mut(rows)) {
                pack(&block[j as usize * range.len()..], column);
            }
            pack(&data.y[range.start..], &mut packed.residual);
        }
        begin(&mut packed, if data.intercept { &roots } else { &[] }, design.rows as f32);
        Ok(packed)
    }
}

/// Σ aᵢ bᵢ in a fixed order.
#[inline(always)]
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sum = [[0.0f32; LANES]; 4];
    for (x, y) in as_arrays::<WIDE, _>(a).0.iter().zip(as_arrays::<WIDE, _>(b).0) {
        for v in 0..4 {
            for l in 0..LANES {
                sum[v][l] = x[v * LANES + l].mul_add(y[v * LANES + l], sum[v][l]);
            }
        }
    }
    // Else the compiler shapes the loop above after the narrow sums below.
    let sum = std::hint::black_box(sum);
    // Loops, since a closure for each number is a call where little is inlined.
    let mut halves = [[0.0f32; LANES / 2]; 4];
    for (half, lanes) in halves.iter_mut().zip(&sum) {
        for l in 0..LANES / 2 {
            half[l] = lanes[l] + lanes[l + LANES / 2];
        }
    }
    let mut narrow = [0.0f32; LANES / 2];
    for l in 0..LANES / 2 {
        narrow[l] = (halves[0][l] + halves[1][l]) + (halves[2][l] + halves[3][l]);
    }
    let [a, b, c, d, e, f, g, h] = narrow;
    ((a + e) + (b + f)) + ((c + g) + (d + h))
}

#[inline(always)]
fn axpy(s: f32, x: &[f32], y: &mut [f32]) {
    for (o, &v) in y.iter_mut().zip(x) {
        *o = s.mul_add(v, *o);
    }
}

dispatch! {
    /// Centre (where the roots of the weights, whose squares sum to `total`, are given), and find
    /// the curvatures and the residual.
    fn begin(packed: &mut Packed, roots: &[f32], total: f32) {
        let centre = |v: &mut [f32]| {
            if !roots.is_empty() {
                axpy(-dot(v, roots) / total, roots, v);
            }
        };
        centre(&mut packed.residual);
        for (j, column) in packed.columns.chunks_exact_mut(packed.rows).enumerate() {
            centre(column);
            packed.curvature.push(dot(column, column) + packed.ridge[j]);
            if packed.beta[j] != 0.0 {
                axpy(-packed.beta[j], column, &mut packed.residual);
            }
        }
    }
}

dispatch! {
    /// One sweep of coordinate descent; the largest hⱼ Δ², and the number of signs that changed.
    fn sweep(packed: &mut Packed, support_only: bool) -> (f32, u32) {
        let (mut largest, mut signs) = (0.0f32, 0);
        for (j, column) in packed.columns.chunks_exact(packed.rows).enumerate() {
            let (old, curvature) = (packed.beta[j], packed.curvature[j]);
            if (support_only && old == 0.0) || curvature <= 0.0 {
                continue;
            }
            let c = dot(column, &packed.residual) - packed.ridge[j] * old;
            let z = curvature.mul_add(old, c);
            let new = soft_threshold_single(z, packed.l1[j], curvature);
            let change = new - old;
            if change != 0.0 {
                axpy(-change, column, &mut packed.residual);
                packed.beta[j] = new;
                signs += u32::from(old * new <= 0.0);
                largest = largest.max(curvature * change * change);
            }
        }
        (largest, signs)
    }
}
