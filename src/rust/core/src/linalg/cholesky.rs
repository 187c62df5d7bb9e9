//! Cholesky factors that survive dependent columns.

use crate::linalg::dense::{dot, fused, load};
use crate::linalg::lanes::{LANES, dispatch};
use std::convert::Infallible;
use std::ops::Range;

/// Pivots below this part of their diagonal count as dependent on the columns before, unless the
/// caller knows better.
const DEPENDENT: f64 = 1e-12;
/// Rounding of a pivot, as a part of its diagonal.
const ROUNDING: f64 = 1e-14;
/// Rows factored together, so that the rest of the matrix is read once for all of them.
const PANEL: usize = 8;
/// Rows of a matrix too large for the first cache that are taken off the rest together. Every element still
/// loses the products of one row after the other: its bits do not depend on these sizes.
const BLOCK: usize = 4 * PANEL;
const LARGE: usize = 32;
/// Columns that a tile works on, and so the room that rows leave behind their last.
const TILE: usize = 2 * LANES;

/// M = R'R with R upper triangular, row after row.
///
/// A column that depends on earlier ones solves to zero, as if it were not there; `dependence` says
/// on what.
#[derive(Clone, Debug)]
pub struct Cholesky {
    size: usize,
    /// Rows of the factor lie this far apart.
    stride: usize,
    factor: Vec<f64>,
    inverse_pivot: Vec<f64>,
    dependent: Vec<bool>,
    least: Vec<f64>,
    threshold: f64,
}

impl Default for Cholesky {
    fn default() -> Cholesky {
        Cholesky::with_threshold(DEPENDENT)
    }
}

impl Cholesky {
    /// Columns whose pivot is below this part of their diagonal count as dependent.
    pub fn with_threshold(threshold: f64) -> Cholesky {
        Cholesky {
            size: 0,
            stride: 0,
            factor: Vec::new(),
            inverse_pivot: Vec::new(),
            dependent: Vec::new(),
            least: Vec::new(),
            threshold,
        }
    }

    /// Factor the symmetric matrix whose upper triangle `fill(row, slice)` writes: `slice[i]` is the
    /// element in column `row + i`. `fill` returns a lower bound of the row's pivot, if one is known
    /// (what a ridge adds to the diagonal): rounding may not go below it.
    pub fn factor(&mut self, size: usize, fill: impl FnMut(usize, &mut [f64]) -> f64) {
        let Ok(()) = self.factor_while(size, fill, || Ok::<(), Infallible>(()));
    }

    /// The same for a matrix that may take a while: `go_on` is asked now and then.
    pub fn factor_while<E>(
        &mut self,
        size: usize,
        mut fill: impl FnMut(usize, &mut [f64]) -> f64,
        go_on: impl Fn() -> Result<(), E>,
    ) -> Result<(), E> {
        self.size = size;
        self.stride = size + size / 4 + TILE;
        self.factor.resize(size * self.stride, 0.0);
        self.least.clear();
        for row in 0..size {
            let line = &mut self.factor[row * self.stride + row..][..size - row];
            self.least.push(fill(row, line));
        }
        // Until its row is reached, a pivot's place holds the original diagonal.
        self.inverse_pivot.clear();
        self.inverse_pivot.extend((0..size).map(|k| self.factor[k * self.stride + k]));
        self.dependent.clear();
        self.dependent.resize(size, false);
        let block = if size < LARGE { PANEL } else { BLOCK };
        for first in (0..size).step_by(block) {
            go_on()?;
            eliminate_block(first, (first + block).min(size), self);
        }
        Ok(())
    }

    /// Row k of R, from the diagonal on.
    pub fn row(&self, k: usize) -> &[f64] {
        &self.factor[k * self.stride + k..][..self.size - k]
    }

    /// Columns that do not depend on those before.
    pub fn rank(&self) -> usize {
        self.dependent.iter().filter(|dependent| !**dependent).count()
    }

    /// x ← R'⁻¹ x, half of `solve`.
    pub fn solve_half(&self, x: &mut [f64]) {
        forward_substitute(self.size, self.stride, &self.factor, &self.inverse_pivot, x);
    }

    /// x ← R⁻¹ x, the other half.
    pub fn solve_other_half(&self, x: &mut [f64]) {
        back_substitute(self.stride, &self.factor, &self.inverse_pivot, x);
    }

    /// Take out column k of a factor without dependent columns, by rotations.
    pub fn remove(&mut self, k: usize) {
        let (n, stride) = (self.size, self.stride);
        for row in self.factor.chunks_mut(stride).take(n) {
            row.copy_within(k + 1..n, k);
        }
        restore_upper(n, stride, k, &mut self.factor, &mut self.inverse_pivot);
        self.size -= 1;
        self.inverse_pivot.truncate(n - 1);
        self.dependent.truncate(n - 1);
        self.factor.truncate((n - 1) * stride);
    }

    /// Add a last column: its elements, the diagonal last, and the lower bound of its pivot.
    pub fn append(&mut self, mut column: Vec<f64>, least: f64) {
        let n = self.size;
        if n == self.stride {
            let wider = n + n / 4 + TILE;
            let mut factor = vec![0.0; n * wider];
            for (to, from) in factor.chunks_mut(wider).zip(self.factor.chunks(n.max(1))) {
                to[..n].copy_from_slice(from);
            }
            (self.factor, self.stride) = (factor, wider);
        }
        let diagonal = column.pop().unwrap_or(0.0);
        forward_substitute(n, self.stride, &self.factor, &self.inverse_pivot, &mut column);
        for (i, z) in column.iter().enumerate() {
            self.factor[i * self.stride + n] = *z;
        }
        let pivot = (diagonal - dot(&column, &column)).max(least);
        let dependent = is_noise(pivot, diagonal, least, self.threshold);
        self.factor.resize((n + 1) * self.stride, 0.0);
        self.factor[n * self.stride + n] = if dependent { 0.0 } else { pivot.sqrt() };
        self.inverse_pivot.push(if dependent { 0.0 } else { 1.0 / pivot.sqrt() });
        self.dependent.push(dependent);
        self.size = n + 1;
    }

    /// x ← M⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        self.solve_half(x);
        self.solve_other_half(x);
    }

    /// Whether column k depends on those before.
    pub fn is_dependent(&self, k: usize) -> bool {
        self.dependent[k]
    }

    /// Whether any column depends on others.
    pub fn has_dependence(&self) -> bool {
        self.dependent.contains(&true)
    }

    /// A vector v with vₖ = 1 and M v ≈ 0, for a dependent column k.
    pub fn dependence(&self, k: usize, v: &mut [f64]) {
        v.fill(0.0);
        for (i, v) in v[..k].iter_mut().enumerate() {
            *v = -self.factor[i * self.stride + k];
        }
        back_substitute(self.stride, &self.factor, &self.inverse_pivot, &mut v[..k]);
        v[k] = 1.0;
    }
}

/// Whether a pivot says that its column depends on others; a bound that is itself above rounding
/// says that it does not.
fn is_noise(pivot: f64, diagonal: f64, least: f64, threshold: f64) -> bool {
    pivot <= threshold * diagonal.max(0.0) && least <= ROUNDING * diagonal.max(0.0)
}

dispatch! {
    /// Factor some rows, panel by panel, and take them off the rows below.
    fn eliminate_block(first: usize, last: usize, m: &mut Cholesky) {
        for panel in (first..last).step_by(PANEL) {
            let end = (panel + PANEL).min(last);
            (panel..end).for_each(|k| eliminate_row(panel, k, m));
            if end < last {
                take_off(panel..end, end..last, m);
            }
        }
        take_off(first..last, last..m.size, m);
    }
}

/// Finish row k of a panel, from which the rows before the panel are already taken off.
#[inline(always)]
fn eliminate_row(panel: usize, k: usize, m: &mut Cholesky) {
    let (n, stride) = (m.size, m.stride);
    let (above, row) = m.factor.split_at_mut(k * stride);
    let row = &mut row[..n];
    for i in panel..k {
        let s = above[i * stride + k];
        for (o, &v) in row[k..].iter_mut().zip(&above[i * stride + k..][..n - k]) {
            *o = (-s).mul_add(v, *o);
        }
    }
    row[k] = row[k].max(m.least[k]);
    m.dependent[k] = is_noise(row[k], m.inverse_pivot[k], m.least[k], m.threshold);
    if m.dependent[k] {
        m.inverse_pivot[k] = 0.0;
        row[k..].fill(0.0);
    } else {
        let inverse = 1.0 / row[k].sqrt();
        m.inverse_pivot[k] = inverse;
        row[k..].iter_mut().for_each(|v| *v *= inverse);
    }
}

/// Take finished rows off rows below.
#[inline(always)]
fn take_off(done: Range<usize>, rows: Range<usize>, m: &mut Cholesky) {
    let (n, stride) = (m.size, m.stride);
    let (above, below) = m.factor.split_at_mut(rows.start * stride);
    let lines = &above[done.start * stride..done.end * stride];
    let mut i = rows.start;
    while n >= LARGE && i + 4 <= rows.end {
        let four = &mut below[(i - rows.start) * stride..][..4 * stride];
        for at in (i..n).step_by(TILE) {
            subtract_tile(lines, stride, i, at, four);
        }
        i += 4;
    }
    for i in i..rows.end {
        let row = &mut below[(i - rows.start) * stride + i..][..n - i];
        if lines.len() == PANEL * stride {
            subtract_eight(row, std::array::from_fn(|b| &lines[b * stride + i..][..n - i]));
        } else {
            for line in lines.chunks_exact(stride) {
                let s = -line[i];
                for (o, &v) in row.iter_mut().zip(&line[i..]) {
                    *o = s.mul_add(v, *o);
                }
            }
        }
    }
}

/// Four rows from row i on, sixteen columns from `at` on: less Σ lineᵦ[row] · lineᵦ. What it writes below the
/// diagonal and beyond the last column is read by nobody.
#[inline(always)]
fn subtract_tile(lines: &[f64], stride: usize, i: usize, at: usize, four: &mut [f64]) {
    let mut sum: [[[f64; LANES]; 2]; 4] = std::array::from_fn(|r| load(four, r * stride + at));
    for line in lines.chunks_exact(stride) {
        let b = load(line, at);
        let s = &line[i..i + 4];
        for r in 0..4 {
            fused(&mut sum[r], -s[r], &b);
        }
    }
    for (r, s) in sum.iter().enumerate() {
        four[r * stride + at..][..TILE].copy_from_slice(s.as_flattened());
    }
}

/// row −= Σ lineᵦ[0] · lineᵦ, reading the row once.
#[inline(always)]
fn subtract_eight(row: &mut [f64], lines: [&[f64]; PANEL]) {
    let n = row.len();
    let lines = lines.map(|l| &l[..n]);
    let s = lines.map(|l| -l[0]);
    for k in 0..n {
        let mut sum = row[k];
        for b in 0..PANEL {
            sum = s[b].mul_add(lines[b][k], sum);
        }
        row[k] = sum;
    }
}

dispatch! {
    fn forward_substitute(n: usize, stride: usize, r: &[f64], inverse_pivot: &[f64], x: &mut [f64]) {
        for k in 0..n {
            let z = x[k] * inverse_pivot[k];
            x[k] = z;
            let (_, after) = x.split_at_mut(k + 1);
            for (o, &v) in after.iter_mut().zip(&r[k * stride + k + 1..][..n - k - 1]) {
                *o = (-z).mul_add(v, *o);
            }
        }
    }
}

/// x ← R⁻¹ x on the leading x.len() rows and columns.
fn back_substitute(stride: usize, r: &[f64], inverse_pivot: &[f64], x: &mut [f64]) {
    for k in (0..x.len()).rev() {
        let (before, after) = x.split_at_mut(k + 1);
        let known = dot(&r[k * stride + k + 1..][..after.len()], after);
        before[k] = (before[k] - known) * inverse_pivot[k];
    }
}

dispatch! {
    /// Rows k.. have one element too many below the diagonal, after column k has gone: rotate it away.
    fn restore_upper(n: usize, stride: usize, k: usize, r: &mut [f64], inverse_pivot: &mut [f64]) {
        for i in k..n - 1 {
            let (upper, lower) = r.split_at_mut((i + 1) * stride);
            let upper = &mut upper[i * stride + i..][..n - 1 - i];
            let lower = &mut lower[i..][..n - 1 - i];
            let length = upper[0].hypot(lower[0]);
            let (c, s) = (upper[0] / length, lower[0] / length);
            for (u, l) in upper.iter_mut().zip(lower.iter_mut()) {
                let (a, b) = (*u, *l);
                *u = c.mul_add(a, s * b);
                *l = c.mul_add(b, -s * a);
            }
            inverse_pivot[i] = 1.0 / length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gram(n: usize, rows: usize) -> Vec<f64> {
        let x = |i: usize, j: usize| ((i * 31 + j * 17) as f64).sin() + f64::from(i == j);
        let cell = |a, b| (0..rows).map(|i| x(i, a) * x(i, b)).sum();
        (0..n * n).map(|c| cell(c / n, c % n)).collect()
    }

    fn factor(n: usize, m: &[f64]) -> Cholesky {
        let mut chol = Cholesky::default();
        chol.factor(n, |row, out| {
            out.copy_from_slice(&m[row * n + row..][..n - row]);
            0.0
        });
        chol
    }

    #[test]
    fn solves_what_it_factored() {
        for n in [1, 2, 7, 8, 9, 30, 95, 96, 131, 200] {
            let m = gram(n, n + 10);
            let truth: Vec<f64> = (0..n).map(|i| 1.0 + i as f64).collect();
            let mut x: Vec<f64> =
                (0..n).map(|i| (0..n).map(|j| m[i * n + j] * truth[j]).sum()).collect();
            factor(n, &m).solve(&mut x);
            for (a, b) in x.iter().zip(&truth) {
                assert!((a - b).abs() < 1e-9 * b, "{n}: {a} {b}");
            }
        }
    }

    #[test]
    fn columns_come_and_go() {
        let (n, m) = (12, gram(12, 40));
        let mut kept: Vec<usize> = (0..n).collect();
        let mut chol = factor(n, &m);
        for gone in [11, 0, 5] {
            chol.remove(gone);
            kept.remove(gone);
        }
        for back in [11, 0] {
            kept.push(back);
            chol.append(kept.iter().map(|&j| m[j * n + back]).collect(), 0.0);
        }
        let truth: Vec<f64> = (0..kept.len()).map(|i| 1.0 + i as f64).collect();
        let mut x: Vec<f64> = kept
            .iter()
            .map(|&i| kept.iter().zip(&truth).map(|(&j, t)| m[i * n + j] * t).sum())
            .collect();
        chol.solve(&mut x);
        assert!(x.iter().zip(&truth).all(|(a, b)| (a - b).abs() < 1e-9 * b), "{x:?}");
        chol.append(kept.iter().chain([&kept[2]]).map(|&j| m[j * n + kept[2]]).collect(), 0.0);
        assert!(chol.is_dependent(kept.len()) && chol.has_dependence());
    }

    #[test]
    fn a_repeated_column_solves_to_zero_and_spoils_nothing() {
        let base = gram(3, 20);
        // Columns 0, 1, 2 and a copy of column 1.
        let of = [0, 1, 2, 1];
        let m: Vec<f64> = (0..16).map(|c| base[of[c / 4] * 3 + of[c % 4]]).collect();
        let mut x: Vec<f64> = (0..4).map(|i| m[i * 4] + 2.0 * m[i * 4 + 1]).collect();
        factor(4, &m).solve(&mut x);
        assert!((x[0] - 1.0).abs() < 1e-9 && (x[1] - 2.0).abs() < 1e-9);
        assert!(x[2].abs() < 1e-9 && x[3] == 0.0);
        let chol = factor(4, &m);
        assert!(chol.is_dependent(3) && !chol.is_dependent(1));
        chol.dependence(3, &mut x);
        assert!(x[0].abs() < 1e-9 && (x[1] + 1.0).abs() < 1e-9 && x[2].abs() < 1e-9 && x[3] == 1.0);
    }
}
