//! The inputs: one copy of the data in f32, by rows, sparse where that is faster.

use crate::data::standard::moments;
use crate::linalg::single::{DenseRows, Entry, SparseRows};
use crate::linalg::sparse::SparseMatrix;
use rayon::prelude::*;

/// Below this share of nonzeros their products take less time than all products do.
const SPARSE: f64 = 0.4;

/// Rows read at a time, so that what is written stays in the cache.
const BLOCK: usize = 256;

/// x as the user has it.
pub enum Source<'a> {
    /// Column-major.
    Dense(&'a [f64]),
    /// Compressed by columns.
    Sparse(SparseMatrix),
}

/// What every column is shifted by and divided by; empty: nothing.
#[derive(Clone, Debug, Default)]
pub struct Units {
    pub center: Vec<f64>,
    pub scale: Vec<f64>,
}

impl Units {
    /// Mean 0 and standard deviation 1; a sparse matrix keeps its zeros and gets root mean square 1.
    /// `case` are the user's weights. A constant column says nothing beside a bias: scale ∞.
    pub fn standard(
        x: &Source,
        rows: usize,
        columns: usize,
        case: impl Fn(usize) -> f64 + Copy,
    ) -> Units {
        let total: f64 = (0..rows).map(case).sum();
        match x {
            Source::Dense(x) => (0..columns)
                .map(|j| {
                    let column = x[j * rows..][..rows].iter().copied().enumerate();
                    let m = moments(column, rows, total, case);
                    (m.mean, if m.constant { f64::INFINITY } else { m.sd })
                })
                .unzip()
                .into(),
            Source::Sparse(x) => x
                .outer_iterator()
                .map(|c| {
                    let m = moments(c.iter().map(|(i, &v)| (i, v)), rows, total, case);
                    (0.0, if m.rms > 0.0 { m.rms } else { 1.0 })
                })
                .unzip()
                .into(),
        }
    }

    #[inline(always)]
    fn apply(&self, j: usize, value: f64) -> f32 {
        if self.center.is_empty() {
            value as f32
        } else {
            ((value - self.center[j]) / self.scale[j]) as f32
        }
    }

    fn moves_zero(&self) -> bool {
        self.center.iter().any(|&c| c != 0.0)
    }
}

impl From<(Vec<f64>, Vec<f64>)> for Units {
    fn from((center, scale): (Vec<f64>, Vec<f64>)) -> Units {
        Units { center, scale }
    }
}

/// A matrix of f32 by rows.
pub struct Inputs {
    pub rows: usize,
    pub columns: usize,
    storage: Storage,
}

enum Storage {
    Dense(Vec<f32>),
    Sparse { starts: Vec<usize>, entries: Vec<Entry> },
}

/// Some rows of the inputs.
pub enum Rows<'a> {
    Dense(DenseRows<'a>),
    Sparse(SparseRows<'a>),
}

impl Inputs {
    /// On the threads of the pool we are in.
    pub fn new(x: &Source, rows: usize, columns: usize, units: &Units) -> Inputs {
        let storage = match x {
            Source::Dense(x) => {
                let counts = row_counts(x, rows);
                let nonzero: usize = counts.iter().map(|c| *c as usize).sum();
                if (nonzero as f64) < SPARSE * x.len() as f64 && !units.moves_zero() {
                    sparse_of_dense(x, &counts, columns, units)
                } else {
                    dense(x, rows, columns, units)
                }
            }
            Source::Sparse(x) => sparse(x, units),
        };
        Inputs { rows, columns, storage }
    }

    pub fn rows<'a>(&'a self, which: &'a [u32]) -> Rows<'a> {
        match &self.storage {
            Storage::Dense(values) => {
                let columns = self.columns;
                Rows::Dense(DenseRows { values, stride: columns, columns, which })
            }
            Storage::Sparse { starts, entries } => {
                Rows::Sparse(SparseRows { starts, entries, which })
            }
        }
    }
}

fn dense(x: &[f64], rows: usize, columns: usize, units: &Units) -> Storage {
    let mut values = vec![0.0; rows * columns];
    values.par_chunks_mut(BLOCK * columns).enumerate().for_each(|(b, block)| {
        for j in 0..columns {
            let column = &x[j * rows + b * BLOCK..][..block.len() / columns];
            for (row, &v) in block.chunks_exact_mut(columns).zip(column) {
                row[j] = units.apply(j, v);
            }
        }
    });
    Storage::Dense(values)
}

/// Nonzeros of each row.
fn row_counts(x: &[f64], rows: usize) -> Vec<u32> {
    let mut counts = vec![0; rows];
    counts.par_chunks_mut(BLOCK).enumerate().for_each(|(b, counts)| {
        for column in x.chunks_exact(rows) {
            for (count, &v) in counts.iter_mut().zip(&column[b * BLOCK..]) {
                *count += (v != 0.0) as u32;
            }
        }
    });
    counts
}

/// Where each row begins, and where the last one ends.
fn row_starts(counts: &[u32]) -> Vec<usize> {
    let mut starts = Vec::with_capacity(counts.len() + 1);
    let mut size = 0;
    starts.push(0);
    for &count in counts {
        size += count as usize;
        starts.push(size);
    }
    starts
}

fn sparse_of_dense(x: &[f64], counts: &[u32], columns: usize, units: &Units) -> Storage {
    let rows = counts.len();
    let starts = row_starts(counts);
    let mut entries = vec![Entry::default(); starts[rows]];
    // The entries of each block of rows, to be filled in parallel.
    let mut blocks = Vec::new();
    let mut rest = &mut entries[..];
    for (b, starts) in starts[..rows].chunks(BLOCK).enumerate() {
        let size: usize = counts[b * BLOCK..][..starts.len()].iter().map(|c| *c as usize).sum();
        let (block, others) = rest.split_at_mut(size);
        blocks.push((b * BLOCK, starts, block));
        rest = others;
    }
    blocks.into_par_iter().for_each(|(first, starts, block)| {
        let mut next: Vec<usize> = starts.iter().map(|s| s - starts[0]).collect();
        for j in 0..columns {
            let column = &x[j * rows + first..][..next.len()];
            for (at, &v) in next.iter_mut().zip(column) {
                if v != 0.0 {
                    block[*at] = Entry { at: j as u32, value: units.apply(j, v) };
                    *at += 1;
                }
            }
        }
    });
    Storage::Sparse { starts, entries }
}

fn sparse(x: &SparseMatrix, units: &Units) -> Storage {
    let mut counts = vec![0; x.rows()];
    x.outer_iterator().for_each(|c| c.iter().for_each(|(i, _)| counts[i] += 1));
    let starts = row_starts(&counts);
    let mut entries = vec![Entry::default(); starts[x.rows()]];
    let mut next = starts.clone();
    for (j, column) in x.outer_iterator().enumerate() {
        for (i, &v) in column.iter() {
            entries[next[i]] = Entry { at: j as u32, value: units.apply(j, v) };
            next[i] += 1;
        }
    }
    Storage::Sparse { starts, entries }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(x: &Inputs) -> Vec<f32> {
        let which: Vec<u32> = (0..x.rows as u32).collect();
        match x.rows(&which) {
            Rows::Dense(d) => d.values.to_vec(),
            Rows::Sparse(s) => {
                let mut out = vec![0.0; x.rows * x.columns];
                for i in 0..x.rows {
                    for e in &s.entries[s.starts[i]..s.starts[i + 1]] {
                        out[i * x.columns + e.at as usize] = e.value;
                    }
                }
                out
            }
        }
    }

    #[test]
    fn sparse_and_dense_sources_give_the_same_rows() {
        let (rows, columns) = (600, 5);
        for every in [1, 4] {
            let x: Vec<f64> = (0..rows * columns)
                .map(|i| if i % every == 0 { 1.0 + (i as f64).sin() } else { 0.0 })
                .collect();
            let mut triplets = sprs::TriMat::new((rows, columns));
            for (at, &v) in x.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                triplets.add_triplet(at % rows, at / rows, v);
            }
            let units = Units::default();
            let dense = Inputs::new(&Source::Dense(&x), rows, columns, &units);
            let sparse = Inputs::new(&Source::Sparse(triplets.to_csc()), rows, columns, &units);
            assert_eq!(matches!(dense.storage, Storage::Sparse { .. }), every == 4);
            assert_eq!(filled(&dense), filled(&sparse));
            assert_eq!(filled(&dense)[7 * columns + 3], x[3 * rows + 7] as f32);
        }
    }

    #[test]
    fn standard_columns() {
        let x = [1.0, 2.0, 6.0, 5.0, 5.0, 5.0];
        let source = Source::Dense(&x);
        let units = Units::standard(&source, 3, 2, |_| 1.0);
        let rows = filled(&Inputs::new(&source, 3, 2, &units));
        assert!((rows[0] + 2.0 / (14f32 / 3.0).sqrt()).abs() < 1e-6);
        assert_eq!([rows[1], rows[3], rows[5]], [0.0; 3]);
    }
}
