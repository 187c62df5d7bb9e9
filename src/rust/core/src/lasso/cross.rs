//! Weighted products of columns with each other.

use super::task::{Data, Totals};
use crate::data::design::Design;
use crate::data::rows::{SparseRows, sparse_accumulate};
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::dense::{Columns, accumulate, accumulate_upper, axpy};
use crate::linalg::lanes::{LANES, panel_width};
use ndarray::Array2;

/// Σ w x_a x_b for a in `columns`, b in `columns[new..]`: rows of `panel_width(columns.len() − new)`.
///
/// With new = 0 only the part on and above the diagonal is sure to be filled.
pub fn cross(
    data: &Data,
    columns: &[u32],
    new: usize,
    control: &Control,
    fill: &mut dyn FnMut(usize, &mut [f64]),
) -> Result<Array2<f64>, Error> {
    let width = panel_width(columns.len() - new);
    let mut out = vec![0.0; columns.len() * width];
    let design = &data.design;
    let shape = (columns.len(), width);
    if let Some(x) = design.sparse() {
        sparse_cross(x, design, columns, new, width, control, fill, &mut out)?;
        return Ok(Array2::from_shape_vec(shape, out).unwrap_or_default());
    }
    let mut weights = vec![0.0; design.block];
    let (mut panel, mut packed) = (Vec::new(), Vec::new());
    let mut kept: Vec<usize> = Vec::new();
    let in_order: Vec<u32> = (0..columns.len() as u32).collect();
    for rows in design.blocks() {
        control.check()?;
        let Some(block) = design.dense_block(&rows) else { break };
        let count = rows.len();
        let weights = &mut weights[..count];
        fill(rows.start, weights);
        kept.clear();
        kept.extend((0..count).filter(|&r| weights[r] != 0.0));
        let column = |j: u32| &block[j as usize * count..][..count];
        // Where few rows have weight (the other folds), only those are looked at.
        let few = 2 * kept.len() < count;
        let used = if few { kept.len() } else { count };
        panel.clear();
        panel.resize(used * width, 0.0);
        // Eight columns side by side, so that whole cache lines are written.
        for (eight, group) in columns[new..].chunks(LANES).enumerate() {
            let at = eight * LANES;
            for (r, line) in panel.chunks_exact_mut(width).enumerate() {
                let i = if few { kept[r] } else { r };
                for (cell, &j) in line[at..at + group.len()].iter_mut().zip(group) {
                    *cell = weights[i] * block[j as usize * count + i];
                }
            }
        }
        let chosen = if few {
            packed.clear();
            for &j in columns {
                packed.extend(kept.iter().map(|&i| column(j)[i]));
            }
            Columns { block: &packed, rows: used, which: &in_order }
        } else {
            Columns { block: &block, rows: used, which: columns }
        };
        if new == 0 {
            accumulate_upper(chosen, &panel, width, &mut out);
        } else {
            accumulate(chosen, &panel, width, &mut out);
        }
    }
    Ok(Array2::from_shape_vec(shape, out).unwrap_or_default())
}

/// Around the weighted means, as an intercept leaves them: less (x_a'w)(x_b'w) / Σw.
pub fn centre(block: &mut Array2<f64>, totals: &Totals, columns: &[u32], new: usize) {
    if totals.w <= 0.0 {
        return;
    }
    let xw: Vec<f64> = columns.iter().map(|&j| totals.xw[j as usize]).collect();
    let diagonal = |block: &Array2<f64>| -> Vec<f64> {
        (new..columns.len()).map(|a| block[[a, a - new]]).collect()
    };
    let raw = diagonal(block);
    for (mut line, from) in block.outer_iter_mut().zip(&xw) {
        if let Some(line) = line.as_slice_mut() {
            axpy(-from / totals.w, &xw[new..], &mut line[..xw.len() - new]);
        }
    }
    for (a, (&left, &raw)) in diagonal(block).iter().zip(&raw).enumerate() {
        if has_vanished(left, raw) {
            block.column_mut(a).fill(0.0);
            block.row_mut(new + a).fill(0.0);
        }
    }
}

/// Is what centring leaves of a column's square only rounding? All rows of a draw may have weight where
/// the column is the same: a level of a factor that no row of weight has. Such a column is zero.
pub fn has_vanished(centred: f64, raw: f64) -> bool {
    centred <= 1e-13 * raw
}

#[expect(clippy::too_many_arguments, reason = "one caller, one loop")]
fn sparse_cross(
    x: SparseRows,
    design: &Design,
    columns: &[u32],
    new: usize,
    width: usize,
    control: &Control,
    fill: &mut dyn FnMut(usize, &mut [f64]),
    out: &mut [f64],
) -> Result<(), Error> {
    const OUT: u32 = u32::MAX;
    let mut place = vec![OUT; design.cols];
    columns.iter().enumerate().for_each(|(k, &j)| place[j as usize] = k as u32);
    let mut weights = vec![0.0; design.block];
    let mut sums = vec![0.0; columns.len()];
    let mut total = 0.0;
    let mut found: Vec<(u32, f64)> = Vec::new();
    for rows in design.blocks() {
        control.check()?;
        let weights = &mut weights[..rows.len()];
        fill(rows.start, weights);
        for (i, &w) in rows.zip(weights.iter()).filter(|(_, w)| **w != 0.0) {
            total += w;
            let (row_columns, values) = x.row(i);
            found.clear();
            found.extend(
                row_columns
                    .iter()
                    .zip(values)
                    .map(|(&j, &v)| (place[j as usize], v))
                    .filter(|f| f.0 != OUT),
            );
            for (k, &(a, u)) in found.iter().enumerate() {
                sums[a as usize] += w * u;
                if new == 0 {
                    // Each pair once, in the place above the diagonal.
                    for &(b, v) in &found[k..] {
                        let (row, column, x) =
                            if a <= b { (a, b, w * u * v) } else { (b, a, w * v * u) };
                        out[row as usize * width + column as usize] += x;
                    }
                    continue;
                }
                let line = &mut out[a as usize * width..][..width];
                for &(b, v) in found.iter().filter(|f| f.0 as usize >= new) {
                    line[b as usize - new] += w * u * v;
                }
            }
        }
    }
    for (a, &j) in columns.iter().enumerate() {
        let shift_a = x.shift[j as usize];
        for (b, &k) in columns[new..].iter().enumerate() {
            let shift_b = x.shift[k as usize];
            out[a * width + b] +=
                shift_a * shift_b * total - shift_a * sums[new + b] - shift_b * sums[a];
        }
    }
    Ok(())
}

/// X'w and X'Wy in the first two lanes of `out` (without the shifts of a sparse design).
pub fn column_sums(
    data: &Data,
    fill: &mut dyn FnMut(usize, &mut [f64]),
    out: &mut [f64],
    control: &Control,
) -> Result<(), Error> {
    let all: Vec<u32> = (0..data.design.cols as u32).collect();
    let mut weights = vec![0.0; data.design.block];
    let mut panel = vec![0.0; data.design.block * LANES];
    for rows in data.design.blocks() {
        control.check()?;
        let weights = &mut weights[..rows.len()];
        fill(rows.start, weights);
        for ((lanes, w), y) in
            panel.chunks_exact_mut(LANES).zip(&*weights).zip(&data.y[rows.start..])
        {
            lanes[0] = *w;
            lanes[1] = w * y;
        }
        if let Some(block) = data.design.dense_block(&rows) {
            let every = Columns { block: &block, rows: rows.len(), which: &all };
            accumulate(every, &panel, LANES, out);
        } else if let Some(x) = data.design.sparse() {
            sparse_accumulate(x, rows.clone(), &panel[..rows.len() * LANES], LANES, out);
        }
    }
    Ok(())
}
