//! A sparse matrix by rows and by columns, standardised without being filled.

use super::standard::{Standard, standard};
use crate::linalg::lanes::{LANES, dispatch};
use sprs::CsMat;
use std::ops::Range;

/// Row after row and column after column, scaled; `shift` is what is left to subtract from every entry of
/// a column.
pub struct Sparse {
    by_row: Lines,
    by_column: Lines,
    shift: Vec<f64>,
}

/// Entries between two looks at the stop signal.
const RUN: usize = 1 << 16;

/// The entries of each row (or column) with the numbers of their columns (or rows).
#[derive(Default)]
struct Lines {
    start: Vec<usize>,
    at: Vec<u32>,
    value: Vec<f64>,
}

impl Lines {
    fn with_capacity(lines: usize, entries: usize) -> Lines {
        let mut start = Vec::with_capacity(lines + 1);
        start.push(0);
        Lines { start, at: Vec::with_capacity(entries), value: Vec::with_capacity(entries) }
    }

    /// By columns what is here by rows, or the other way round.
    fn transposed<E>(&self, lines: usize, go_on: impl Fn() -> Result<(), E>) -> Result<Lines, E> {
        let mut start = vec![0; lines + 1];
        for part in self.at.chunks(RUN) {
            go_on()?;
            part.iter().for_each(|&at| start[at as usize + 1] += 1);
        }
        (0..lines).for_each(|line| start[line + 1] += start[line]);
        let (mut next, size) = (start.clone(), self.at.len());
        let mut out = Lines { start, at: vec![0; size], value: vec![0.0; size] };
        for line in 0..self.start.len() - 1 {
            go_on()?;
            let (at, values) = self.get(line);
            for (&at, &value) in at.iter().zip(values) {
                let place = &mut next[at as usize];
                (out.at[*place], out.value[*place]) = (line as u32, value);
                *place += 1;
            }
        }
        Ok(out)
    }

    fn push(&mut self, entries: impl Iterator<Item = (usize, f64)>) {
        for (at, value) in entries.filter(|e| e.1 != 0.0) {
            self.at.push(at as u32);
            self.value.push(value);
        }
        self.start.push(self.at.len());
    }

    #[inline]
    fn get(&self, line: usize) -> (&[u32], &[f64]) {
        let range = self.start[line]..self.start[line + 1];
        (&self.at[range.clone()], &self.value[range])
    }
}

impl Sparse {
    /// Standardised columns of x; `go_on` is asked before each.
    pub fn new<E>(
        x: &CsMat<f64>,
        by: &Standard,
        go_on: impl Fn() -> Result<(), E>,
    ) -> Result<Sparse, E> {
        let (center, scale) = (&by.center, &by.scale);
        let full = |j: usize| x.outer_view(j).is_some_and(|c| c.nnz() == x.rows());
        // A full column is centred outright: its shift could be large, and cancellation with it.
        let outright: Vec<bool> = (0..x.cols()).map(full).collect();
        let shift: Vec<f64> = (0..x.cols())
            .map(|j| if outright[j] { 0.0 } else { standard(center[j], 0.0, scale[j]) })
            .collect();
        let scaled =
            |j: usize, v: f64| standard(v, if outright[j] { center[j] } else { 0.0 }, scale[j]);
        let mut by_column = Lines::with_capacity(x.cols(), x.nnz());
        for (j, column) in x.outer_iterator().enumerate() {
            go_on()?;
            by_column.push(column.iter().map(|(i, &v)| (i, scaled(j, v))));
        }
        let by_row = by_column.transposed(x.rows(), go_on)?;
        Ok(Sparse { by_row, by_column, shift })
    }

    /// Other numbers for some of the columns `which`, sums of these: where none of them has an entry, each has the
    /// same number in all rows. `go_on` is asked before each column.
    pub fn replace<E>(
        &mut self,
        which: &[u32],
        columns: &[(u32, Vec<f64>)],
        go_on: impl Fn() -> Result<(), E>,
    ) -> Result<(), E> {
        let (rows, cols) = (self.by_row.start.len() - 1, self.shift.len());
        let mut has_entry = vec![false; rows];
        for &j in which {
            self.column(j as usize).0.iter().for_each(|&i| has_entry[i as usize] = true);
        }
        let mut replaced: Vec<Option<&[f64]>> = vec![None; cols];
        columns.iter().for_each(|(j, values)| replaced[*j as usize] = Some(values));
        let elsewhere = has_entry.iter().position(|has| !has);
        let mut by_column = Lines::with_capacity(cols, self.size());
        for (j, new) in replaced.iter().enumerate() {
            go_on()?;
            let Some(values) = new else {
                let (at, values) = self.by_column.get(j);
                by_column.push(at.iter().zip(values).map(|(&i, &v)| (i as usize, v)));
                continue;
            };
            let common = elsewhere.map_or(0.0, |i| values[i]);
            let entries = values.iter().zip(&has_entry).enumerate().filter(|(_, (_, has))| **has);
            by_column.push(entries.map(|(i, (v, _))| (i, v - common)));
            self.shift[j] = -common;
        }
        self.by_row = by_column.transposed(rows, go_on)?;
        self.by_column = by_column;
        Ok(())
    }

    /// Column j with every entry there.
    pub fn filled(&self, j: usize) -> Vec<f64> {
        let mut out = vec![-self.shift[j]; self.by_row.start.len() - 1];
        let (at, values) = self.column(j);
        at.iter().zip(values).for_each(|(&i, v)| out[i as usize] += v);
        out
    }

    /// Stored numbers.
    pub fn size(&self) -> usize {
        self.by_row.value.len()
    }

    /// Rows and entries of column j (without its shift).
    #[inline]
    pub fn column(&self, j: usize) -> (&[u32], &[f64]) {
        self.by_column.get(j)
    }

    #[inline]
    pub fn rows(&self) -> SparseRows<'_> {
        SparseRows {
            start: &self.by_row.start,
            column: &self.by_row.at,
            value: &self.by_row.value,
            shift: &self.shift,
        }
    }
}

/// Borrowed rows of a sparse matrix.
#[derive(Clone, Copy)]
pub struct SparseRows<'a> {
    start: &'a [usize],
    column: &'a [u32],
    value: &'a [f64],
    /// To subtract from every entry of each column.
    pub shift: &'a [f64],
}

impl<'a> SparseRows<'a> {
    pub fn row(&self, i: usize) -> (&'a [u32], &'a [f64]) {
        let at = self.start[i]..self.start[i + 1];
        (&self.column[at.clone()], &self.value[at])
    }
}

/// panel −= Xβ (without the shifts), lanes `at .. at + W` of every row.
#[inline(always)]
fn subtract_strip<const W: usize>(
    x: SparseRows,
    rows: Range<usize>,
    coefficients: &[f64],
    width: usize,
    at: usize,
    panel: &mut [f64],
) {
    for (line, i) in panel.chunks_exact_mut(width).zip(rows) {
        let (columns, values) = x.row(i);
        let mut left = [0.0; W];
        left.copy_from_slice(&line[at..][..W]);
        for (&j, &v) in columns.iter().zip(values) {
            let b = &coefficients[j as usize * width + at..][..W];
            for l in 0..W {
                left[l] = (-v).mul_add(b[l], left[l]);
            }
        }
        line[at..][..W].copy_from_slice(&left);
    }
}

/// out += X' panel (without the shifts), lanes `at .. at + W` of every row.
#[inline(always)]
fn accumulate_strip<const W: usize>(
    x: SparseRows,
    rows: Range<usize>,
    panel: &[f64],
    width: usize,
    at: usize,
    out: &mut [f64],
) {
    for (line, i) in panel.chunks_exact(width).zip(rows) {
        let (columns, values) = x.row(i);
        let mut here = [0.0; W];
        here.copy_from_slice(&line[at..][..W]);
        for (&j, &v) in columns.iter().zip(values) {
            let o = &mut out[j as usize * width + at..][..W];
            for l in 0..W {
                o[l] = v.mul_add(here[l], o[l]);
            }
        }
    }
}

dispatch! {
    /// panel −= Xβ for a panel of draws; `coefficients` is columns × width. Shifts are left out.
    pub fn sparse_subtract(
        x: SparseRows,
        rows: Range<usize>,
        coefficients: &[f64],
        width: usize,
        panel: &mut [f64],
    ) {
        let mut at = 0;
        while at + 2 * LANES <= width {
            subtract_strip::<{ 2 * LANES }>(x, rows.clone(), coefficients, width, at, panel);
            at += 2 * LANES;
        }
        if at < width {
            subtract_strip::<LANES>(x, rows, coefficients, width, at, panel);
        }
    }
}

dispatch! {
    /// out += X' panel for a panel of draws; `out` is columns × width. Shifts are left out.
    pub fn sparse_accumulate(
        x: SparseRows,
        rows: Range<usize>,
        panel: &[f64],
        width: usize,
        out: &mut [f64],
    ) {
        let mut at = 0;
        while at + 2 * LANES <= width {
            accumulate_strip::<{ 2 * LANES }>(x, rows.clone(), panel, width, at, out);
            at += 2 * LANES;
        }
        if at < width {
            accumulate_strip::<LANES>(x, rows, panel, width, at, out);
        }
    }
}
