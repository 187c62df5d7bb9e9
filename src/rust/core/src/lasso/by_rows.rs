//! A ridge of more columns than rows, solved by its rows.
//!
//! With α = W r the minimum has β = D⁻¹X'α, so that (X D⁻¹X' + W⁻¹) α = y − b₀ and, with an intercept, 1'α = 0: n² p / 2
//! multiplications where H + D takes n p² / 2 and p³ / 6. Times the smallest dⱼ this system is as well conditioned as
//! the rows are, however small the penalty; the condition of H + D grows with the ratio of the two, and its minimum is
//! lost at 1e-11. For such β and α the gap is ½ Σ w (r − α/w)²: squares, of which rounding takes nothing.

use super::certificate::Certificate;
use super::pass::pass;
use super::task::{Data, Task};
use crate::data::blocks::ROWS;
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::cholesky::Cholesky;
use crate::linalg::dense::{Columns, accumulate_upper, axpy, dot};
use crate::linalg::lanes::panel_width;
use crate::penalty::Penalty;
use ndarray::{Array2, ArrayView1};

/// Most rows: their products with each other are held, and factored.
const MOST: usize = 3000;
/// Multiplications between two looks at the stop signal.
const RUN: usize = 1 << 27;

/// The columns of a ridge that is solved by its rows; None if that is not the way for it.
pub fn goes_by_rows(data: &Data, penalty: &Penalty) -> Option<Vec<usize>> {
    let Data { design, .. } = data;
    let columns: Vec<usize> = (0..design.cols).filter(|&j| penalty.l1[j].is_finite()).collect();
    let bare = |&j: &usize| penalty.l1[j] == 0.0 && penalty.ridge[j] > 0.0;
    (design.rows < MOST.min(columns.len()) && columns.iter().all(bare)).then_some(columns)
}

/// Put β at the minimum of a problem whose every coefficient has a ridge and no kink, if that is proved to the
/// tolerance; as it was, and None, otherwise. `found` belongs to β.
pub fn solve_by_rows(
    data: &Data,
    task: &mut Task,
    tolerance: f64,
    control: &Control,
) -> Result<Option<Certificate>, Error> {
    let design = &data.design;
    let penalty = &task.penalty;
    let Some(columns) = goes_by_rows(data, penalty) else { return Ok(None) };
    let least = columns.iter().fold(f64::INFINITY, |m, &j| m.min(penalty.ridge[j]));
    let mut weights = vec![0.0; design.rows];
    task.weights.fill(0, &mut weights);
    let rows: Vec<usize> = (0..design.rows).filter(|&i| weights[i] > 0.0).collect();
    if rows.is_empty() {
        return Ok(None);
    }
    let own = |v: &[f64]| -> Vec<f64> { rows.iter().map(|&i| v[i]).collect() };
    let (w, y) = (own(&weights), own(task.response.as_deref().unwrap_or(&data.y)));
    let shares: Vec<f64> = columns.iter().map(|&j| least / penalty.ridge[j]).collect();
    let mut system = products(rows.len(), &columns, &shares, &|j| own(&design.column(j)), control)?;
    if data.intercept {
        // Centred columns do not see what is the same in all rows, nor does α.
        let size = system.diag().sum() / (rows.len() * rows.len()) as f64;
        system.iter_mut().for_each(|s| *s += size);
    }
    system.diag_mut().iter_mut().zip(&w).for_each(|(s, w)| *s += least / w);
    let mut factor = Cholesky::default();
    let fill = |row: usize, out: &mut [f64]| {
        out.iter_mut().zip(system.row(row).iter().skip(row)).for_each(|(o, s)| *o = *s);
        least / w[row]
    };
    factor.factor_while(rows.len(), fill, || control.check())?;
    // Solved once more for what the first solution leaves.
    let solve = |v: &[f64]| -> Vec<f64> {
        let mut out = v.to_vec();
        factor.solve(&mut out);
        let mut left: Vec<f64> = v.to_vec();
        axpy(-1.0, &system.dot(&ArrayView1::from(&out)).to_vec(), &mut left);
        factor.solve(&mut left);
        axpy(1.0, &left, &mut out);
        out
    };
    let mut alpha = solve(&y);
    if data.intercept {
        let ones = solve(&vec![1.0; rows.len()]);
        axpy(-alpha.iter().sum::<f64>() / ones.iter().sum::<f64>(), &ones, &mut alpha);
    }
    let before = (task.beta.clone(), task.found.clone());
    task.beta.fill(0.0);
    for (&j, share) in columns.iter().zip(&shares) {
        control.check()?;
        task.beta[j] = share * dot(&own(&design.column(j)), &alpha);
    }
    pass(data, &mut [task], control)?;
    let mut residual = own(task.response.as_deref().unwrap_or(&data.y));
    residual.iter_mut().for_each(|r| *r -= task.found.b0);
    let mut fitted = vec![0.0; design.rows];
    for block in design.blocks() {
        control.check()?;
        design.add_product(&block, &task.beta, &mut fitted[block.clone()]);
    }
    axpy(-1.0, &own(&fitted), &mut residual);
    let missed =
        residual.iter().zip(&alpha).zip(&w).map(|((r, a), w)| w * (r - least * a / w).powi(2));
    let proved = task.point().with_gap(0.5 * missed.sum::<f64>());
    if proved.gap <= tolerance {
        return Ok(Some(proved));
    }
    (task.beta, task.found) = before;
    Ok(None)
}

/// Σ sⱼ xⱼxⱼ' over columns of so many rows, some columns at a time.
fn products(
    rows: usize,
    columns: &[usize],
    shares: &[f64],
    column: &dyn Fn(usize) -> Vec<f64>,
    control: &Control,
) -> Result<Array2<f64>, Error> {
    let width = panel_width(rows);
    let which: Vec<u32> = (0..rows as u32).collect();
    let mut out = vec![0.0; rows * width];
    let most = (RUN / (rows * rows)).clamp(1, ROWS);
    for (columns, shares) in columns.chunks(most).zip(shares.chunks(most)) {
        control.check()?;
        let count = columns.len();
        let (mut block, mut panel) = (vec![0.0; rows * count], vec![0.0; count * width]);
        for (k, (&j, share)) in columns.iter().zip(shares).enumerate() {
            for (i, v) in column(j).iter().enumerate() {
                (block[i * count + k], panel[k * width + i]) = (*v, share * v);
            }
        }
        let chosen = Columns { block: &block, rows: count, which: &which };
        accumulate_upper(chosen, &panel, width, &mut out);
    }
    let filled = |(i, k): (usize, usize)| out[i.min(k) * width + i.max(k)];
    Ok(Array2::from_shape_fn((rows, rows), filled))
}
