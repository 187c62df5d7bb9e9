//! Weighted Gram matrices, which are linear in the weights (MATH 4).

use super::cross::{column_sums, cross, has_vanished};
use super::quadratic::Quadratic;
use super::task::Data;
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::dense::{Columns, accumulate, axpy, dot};
use crate::linalg::lanes::{LANES, panel_width};
use crate::linalg::panel::Beside;
use crate::penalty::Penalty;
use ndarray::Array2;

/// Sums over rows with weights w.
#[derive(Clone, Debug)]
pub struct Moments {
    pub cols: usize,
    /// X'WX, all of it.
    pub gram: Array2<f64>,
    /// X'w and X'Wy.
    pub xw: Vec<f64>,
    pub xy: Vec<f64>,
    /// Σw, Σwy and Σwy².
    pub w: f64,
    pub wy: f64,
    pub wyy: f64,
}

impl Moments {
    /// From the sums of products of (1, x, y), `at(a, b)` with a ≤ b.
    pub fn of_sums(p: usize, at: impl Fn(usize, usize) -> f64) -> Moments {
        Moments {
            cols: p,
            gram: symmetric(p, |a, b| at(a + 1, b + 1)),
            xw: (1..=p).map(|a| at(0, a)).collect(),
            xy: (1..=p).map(|a| at(a, p + 1)).collect(),
            w: at(0, 0),
            wy: at(0, p + 1),
            wyy: at(p + 1, p + 1),
        }
    }

    /// The moments of all columns under the weights that `fill(first_row, out)` writes.
    pub fn new(
        data: &Data,
        fill: &mut dyn FnMut(usize, &mut [f64]),
        control: &Control,
    ) -> Result<Moments, Error> {
        let p = data.design.cols;
        let all: Vec<u32> = (0..p as u32).collect();
        let mut sums = vec![0.0; p * LANES];
        let mut scalars = [0.0; 3];
        let cross = cross(data, &all, 0, control, &mut |first, w| {
            fill(first, w);
            for (w, y) in w.iter().zip(&data.y[first..]) {
                scalars[0] += w;
                scalars[1] += w * y;
                scalars[2] += w * y * y;
            }
        })?;
        column_sums(data, fill, &mut sums, control)?;
        let [w, wy, wyy] = scalars;
        let mut moments = Moments {
            cols: p,
            gram: symmetric(p, |a, b| cross[[a, b]]),
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
        Ok(moments)
    }

    /// These moments without those rows.
    pub fn without(&self, rows: &Moments) -> Moments {
        let minus = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect();
        Moments {
            cols: self.cols,
            gram: &self.gram - &rows.gram,
            xw: minus(&self.xw, &rows.xw),
            xy: minus(&self.xy, &rows.xy),
            w: self.w - rows.w,
            wy: self.wy - rows.wy,
            wyy: self.wyy - rows.wyy,
        }
    }

    /// Σ w (y − b0 − x'β)².
    pub fn squares(&self, b0: f64, beta: &[f64]) -> f64 {
        let at_zero = self.wyy - 2.0 * b0 * self.wy + b0 * b0 * self.w;
        squares(at_zero, &self.gram, |j| self.xy[j] - b0 * self.xw[j], beta).max(0.0)
    }

    /// Take the intercept out: least squares in deviations from the weighted means.
    pub fn centre(mut self, intercept: bool) -> Centred {
        let w = self.w;
        let mean_y = if intercept && w > 0.0 { self.wy / w } else { 0.0 };
        let mean_x: Vec<f64> =
            self.xw.iter().map(|s| if intercept && w > 0.0 { s / w } else { 0.0 }).collect();
        let raw: Vec<f64> = self.gram.diag().to_vec();
        for (a, &m) in mean_x.iter().enumerate() {
            self.gram.row_mut(a).iter_mut().zip(&self.xw).for_each(|(h, s)| *h -= m * s);
            self.xy[a] -= m * self.wy;
        }
        for (a, &before) in raw.iter().enumerate() {
            if !has_vanished(self.gram[[a, a]], before) {
                continue;
            }
            self.gram.row_mut(a).fill(0.0);
            self.gram.column_mut(a).fill(0.0);
            self.xy[a] = 0.0;
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
    pub gram: Array2<f64>,
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
    pub fn model<'a>(&'a self, penalty: &'a Penalty) -> Quadratic<'a> {
        Quadratic { gram: self.gram.view(), penalty }
    }

    /// The gradient X'W(y − Xβ).
    pub fn gradient(&self, beta: &[f64]) -> Vec<f64> {
        let mut gradient = self.xy.clone();
        for (row, &b) in self.gram.outer_iter().zip(beta).filter(|(_, b)| **b != 0.0) {
            axpy(-b, row.to_slice().unwrap_or_default(), &mut gradient);
        }
        gradient
    }

    /// What rounding may do to r'Wr at β, which is made of y'Wy, X'Wy and X'WX: a part of the squared size of all terms
    /// that cancel in r = y − Xβ.
    pub fn rounding(&self, beta: &[f64]) -> f64 {
        let squares = self.gram.diag();
        let sizes = squares.iter().zip(beta).map(|(h, b)| h.max(0.0).sqrt() * b.abs());
        let reach = self.raw_yy.sqrt() + sizes.sum::<f64>();
        f64::EPSILON * reach * reach
    }

    pub fn intercept(&self, beta: &[f64]) -> f64 {
        self.mean_y - self.mean_x.iter().zip(beta).map(|(m, b)| m * b).sum::<f64>()
    }
}

/// Squares at β, from those at zero: plus β'Hβ − 2 β'c.
fn squares(at_zero: f64, gram: &Array2<f64>, slope: impl Fn(usize) -> f64, beta: &[f64]) -> f64 {
    let rows = gram.outer_iter().zip(beta).enumerate().filter(|(_, (_, b))| **b != 0.0);
    rows.fold(at_zero, |sum, (j, (row, &b))| {
        sum + b * (dot(row.to_slice().unwrap_or_default(), beta) - 2.0 * slope(j))
    })
}

/// The matrix with these numbers on and above its diagonal.
fn symmetric(size: usize, upper: impl Fn(usize, usize) -> f64) -> Array2<f64> {
    let mut out = Array2::zeros((size, size));
    for a in 0..size {
        for b in a..size {
            let value = upper(a, b);
            out[[a, b]] = value;
            out[[b, a]] = value;
        }
    }
    out
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
    let mut beside = Beside::new(data.design.block);
    let (ones, zeros) = (vec![1.0; data.design.block], vec![0.0; data.design.block]);
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
            _ => data.y.get(rows.clone()).unwrap_or(&zeros[..count]),
        };
        product.clear();
        for a in 0..size {
            for b in a..size {
                product.extend(column(a).iter().zip(column(b)).map(|(u, v)| u * v));
            }
        }
        beside.fill(draws, count, width, &mut panel, |k, out| fill(k, rows.start, out));
        let every = Columns { block: &product, rows: count, which: &all };
        accumulate(every, &panel, width, &mut out);
    }
    let place = |a: usize, b: usize| a * size - a * (a + 1) / 2 + b;
    let moments = |k: usize| Moments::of_sums(p, |a, b| out[place(a, b) * width + k]);
    Ok((0..draws).map(moments).collect())
}
