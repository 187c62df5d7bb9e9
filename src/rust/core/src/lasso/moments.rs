//! Weighted Gram matrices, which are linear in the weights (MATH 4).

use super::quadratic::Quadratic;
use crate::data::design::Design;
use crate::data::rows::{SparseRows, sparse_sums};
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::dense::{Columns, accumulate, accumulate_upper};
use crate::linalg::lanes::{LANES, panel_width};

/// The data of a least-squares problem.
pub struct Data {
    pub design: Design,
    /// The response, centred and scaled as its `Design` is.
    pub y: Vec<f64>,
    pub intercept: bool,
}

/// Sums over rows with weights w.
#[derive(Clone, Debug)]
pub struct Moments {
    pub cols: usize,
    /// X'WX, all of it.
    pub gram: Vec<f64>,
    /// X'w and X'Wy.
    pub xw: Vec<f64>,
    pub xy: Vec<f64>,
    /// Σw, Σwy and Σwy².
    pub w: f64,
    pub wy: f64,
    pub wyy: f64,
}

impl Moments {
    /// The moments of all columns under the weights that `fill(first_row, out)` writes.
    pub fn new(
        data: &Data,
        mut fill: impl FnMut(usize, &mut [f64]),
        control: &Control,
    ) -> Result<Moments, Error> {
        let p = data.design.cols;
        let all: Vec<u32> = (0..p as u32).collect();
        let mut sums = vec![0.0; p * LANES];
        let mut scalars = [0.0; 3];
        let cross = cross(data, &all, 0, control, |first, w| {
            fill(first, w);
            for (w, y) in w.iter().zip(&data.y[first..]) {
                scalars[0] += w;
                scalars[1] += w * y;
                scalars[2] += w * y * y;
            }
        })?;
        column_sums(data, &mut fill, &mut sums);
        let [w, wy, wyy] = scalars;
        let mut moments = Moments {
            cols: p,
            gram: vec![0.0; p * p],
            xw: sums.iter().step_by(LANES).copied().collect(),
            xy: sums.iter().skip(1).step_by(LANES).copied().collect(),
            w,
            wy,
            wyy,
        };
        if let Some(x) = data.design.sparse() {
            for j in 0..p {
                moments.xw[j] -= x.shift[j] * w;
                moments.xy[j] -= x.shift[j] * wy;
            }
        }
        let width = panel_width(p);
        for a in 0..p {
            for b in a..p {
                let value = cross[a * width + b];
                moments.gram[a * p + b] = value;
                moments.gram[b * p + a] = value;
            }
        }
        Ok(moments)
    }

    /// These moments without those rows.
    pub fn without(&self, rows: &Moments) -> Moments {
        let minus = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect();
        Moments {
            cols: self.cols,
            gram: minus(&self.gram, &rows.gram),
            xw: minus(&self.xw, &rows.xw),
            xy: minus(&self.xy, &rows.xy),
            w: self.w - rows.w,
            wy: self.wy - rows.wy,
            wyy: self.wyy - rows.wyy,
        }
    }

    /// Σ w (y − b0 − x'β)².
    pub fn squares(&self, b0: f64, beta: &[f64]) -> f64 {
        let mut sum = self.wyy - 2.0 * b0 * self.wy + b0 * b0 * self.w;
        for (a, &u) in beta.iter().enumerate().filter(|(_, u)| **u != 0.0) {
            let row = &self.gram[a * self.cols..][..self.cols];
            let along: f64 = row.iter().zip(beta).map(|(h, v)| h * v).sum();
            sum += u * (along - 2.0 * self.xy[a] + 2.0 * b0 * self.xw[a]);
        }
        sum.max(0.0)
    }

    /// Take the intercept out: least squares in deviations from the weighted means.
    pub fn centre(mut self, intercept: bool) -> Centred {
        let (p, w) = (self.cols, self.w);
        let mean_y = if intercept && w > 0.0 { self.wy / w } else { 0.0 };
        let mean_x: Vec<f64> =
            self.xw.iter().map(|s| if intercept && w > 0.0 { s / w } else { 0.0 }).collect();
        for (a, &m) in mean_x.iter().enumerate() {
            let row = &mut self.gram[a * p..][..p];
            row.iter_mut().zip(&self.xw).for_each(|(h, s)| *h -= m * s);
            self.xy[a] -= m * self.wy;
        }
        Centred {
            yy: (self.wyy - mean_y * self.wy).max(0.0),
            raw_yy: self.wyy,
            gram: self.gram,
            xy: self.xy,
            w,
            mean_y,
            mean_x,
        }
    }
}

/// Moments around the weighted means.
pub struct Centred {
    pub gram: Vec<f64>,
    pub xy: Vec<f64>,
    pub yy: f64,
    /// y'Wy before centring.
    pub raw_yy: f64,
    pub w: f64,
    mean_y: f64,
    mean_x: Vec<f64>,
}

impl Centred {
    /// The small problem with this Gram matrix.
    pub fn model<'a>(&'a self, l1: &'a [f64], ridge: &'a [f64]) -> Quadratic<'a> {
        Quadratic { gram: &self.gram, stride: l1.len(), l1, ridge }
    }

    pub fn intercept(&self, beta: &[f64]) -> f64 {
        self.mean_y - self.mean_x.iter().zip(beta).map(|(m, b)| m * b).sum::<f64>()
    }
}

/// Σ w x_a x_b for a in `columns`, b in `columns[new..]`: rows of `panel_width(columns.len() − new)`.
///
/// With new = 0 only the part on and above the diagonal is sure to be filled.
pub fn cross(
    data: &Data,
    columns: &[u32],
    new: usize,
    control: &Control,
    mut fill: impl FnMut(usize, &mut [f64]),
) -> Result<Vec<f64>, Error> {
    let width = panel_width(columns.len() - new);
    let mut out = vec![0.0; columns.len() * width];
    let design = &data.design;
    if let Some(x) = design.sparse() {
        sparse_cross(x, design, columns, new, width, control, fill, &mut out)?;
        return Ok(out);
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
            Columns { block, rows: used, which: columns }
        };
        if new == 0 {
            accumulate_upper(chosen, &panel, width, &mut out);
        } else {
            accumulate(chosen, &panel, width, &mut out);
        }
    }
    Ok(out)
}

#[expect(clippy::too_many_arguments, reason = "one caller, one loop")]
fn sparse_cross(
    x: SparseRows,
    design: &Design,
    columns: &[u32],
    new: usize,
    width: usize,
    control: &Control,
    mut fill: impl FnMut(usize, &mut [f64]),
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
            for &(a, u) in &found {
                sums[a as usize] += w * u;
                let line = &mut out[a as usize * width..][..width];
                for &(b, v) in &found {
                    if b as usize >= new && (new > 0 || b >= a) {
                        line[b as usize - new] += w * u * v;
                    }
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
fn column_sums(data: &Data, fill: &mut impl FnMut(usize, &mut [f64]), out: &mut [f64]) {
    let all: Vec<u32> = (0..data.design.cols as u32).collect();
    let mut weights = vec![0.0; data.design.block];
    let mut panel = vec![0.0; data.design.block * LANES];
    for rows in data.design.blocks() {
        let weights = &mut weights[..rows.len()];
        fill(rows.start, weights);
        for ((lanes, w), y) in
            panel.chunks_exact_mut(LANES).zip(&*weights).zip(&data.y[rows.start..])
        {
            lanes[0] = *w;
            lanes[1] = w * y;
        }
        if let Some(block) = data.design.dense_block(&rows) {
            let every = Columns { block, rows: rows.len(), which: &all };
            accumulate(every, &panel, LANES, out);
        } else if let Some(x) = data.design.sparse() {
            sparse_sums(x, rows, &panel, LANES, out);
        }
    }
}

/// The moments of a batch of draws in one product: products of columns times weights (few columns).
pub fn batch_moments(
    data: &Data,
    draws: usize,
    mut fill: impl FnMut(usize, usize, &mut [f64]),
    control: &Control,
) -> Result<Vec<Moments>, Error> {
    let p = data.design.cols;
    let width = panel_width(draws);
    // The columns are 1, x₁ … xₚ, y; their products with each other, row a over b ≥ a.
    let size = p + 2;
    let products = size * (size + 1) / 2;
    let mut out = vec![0.0; products * width];
    let mut product = Vec::new();
    let mut panel = vec![0.0; data.design.block * width];
    let mut line = vec![0.0; data.design.block];
    let ones = vec![1.0; data.design.block];
    let all: Vec<u32> = (0..products as u32).collect();
    for rows in data.design.blocks() {
        control.check()?;
        let Some(block) = data.design.dense_block(&rows) else {
            break;
        };
        let count = rows.len();
        let column = |a: usize| match a {
            0 => &ones[..count],
            a if a <= p => &block[(a - 1) * count..][..count],
            _ => &data.y[rows.start..][..count],
        };
        product.clear();
        for a in 0..size {
            for b in a..size {
                product.extend(column(a).iter().zip(column(b)).map(|(u, v)| u * v));
            }
        }
        for k in 0..draws {
            fill(k, rows.start, &mut line[..count]);
            for (r, w) in line[..count].iter().enumerate() {
                panel[r * width + k] = *w;
            }
        }
        let every = Columns { block: &product, rows: count, which: &all };
        accumulate(every, &panel, width, &mut out);
    }
    let place = |a: usize, b: usize| a * size - a * (a + 1) / 2 + b;
    let moments = |k: usize| {
        let at = |a: usize, b: usize| out[place(a, b) * width + k];
        let mut gram = vec![0.0; p * p];
        for a in 0..p {
            for b in a..p {
                let value = at(a + 1, b + 1);
                gram[a * p + b] = value;
                gram[b * p + a] = value;
            }
        }
        Moments {
            cols: p,
            gram,
            xw: (1..=p).map(|a| at(0, a)).collect(),
            xy: (1..=p).map(|a| at(a, p + 1)).collect(),
            w: at(0, 0),
            wy: at(0, p + 1),
            wyy: at(p + 1, p + 1),
        }
    };
    Ok((0..draws).map(moments).collect())
}
