//! The inputs: one copy of the data in f32, by rows, sparse where that is faster.

use crate::data::blocks::Blocked;
use crate::data::source::Source;
use crate::data::standard::Standard;
use crate::engine::job::{Control, for_parts};
use crate::error::Error;
use crate::linalg::single::{DenseRows, Entry, SparseRows};
use crate::linalg::sparse::SparseMatrix;

/// Below this share of nonzeros their products take less time than all products do.
const SPARSE: f64 = 0.4;

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
    /// Standardised where that is asked for, on the threads of the pool we are in.
    pub fn new(x: &Source, units: Option<&Standard>, control: &Control) -> Result<Inputs, Error> {
        let storage = match x {
            Source::Dense(x) => {
                let counts = row_counts(x, control)?;
                let nonzero: usize = counts.iter().map(|c| *c as usize).sum();
                let few = (nonzero as f64) < SPARSE * (x.rows * x.cols) as f64;
                let moved = units.is_some_and(|u| u.center.iter().any(|&c| c != 0.0));
                if few && !moved {
                    sparse_of_dense(x, &counts, units, control)?
                } else {
                    dense(x, units, control)?
                }
            }
            Source::Sparse(x) => sparse(x, units, control)?,
        };
        Ok(Inputs { rows: x.rows(), columns: x.cols(), storage })
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

#[inline(always)]
fn scaled(units: Option<&Standard>, j: usize, value: f64) -> f32 {
    units.map_or(value, |u| u.apply(j, value)) as f32
}

fn dense(x: &Blocked, units: Option<&Standard>, control: &Control) -> Result<Storage, Error> {
    let columns = x.cols;
    let mut values = vec![0.0; x.rows * columns];
    let blocks = values.chunks_mut(x.block * columns).zip(x.ranges());
    for_parts(blocks, control, |_, (out, rows)| {
        for (j, column) in x.get(&rows).chunks_exact(rows.len()).enumerate() {
            for (row, &v) in out.chunks_exact_mut(columns).zip(column) {
                row[j] = scaled(units, j, v);
            }
        }
        Ok(())
    })?;
    Ok(Storage::Dense(values))
}

/// Nonzeros of each row.
fn row_counts(x: &Blocked, control: &Control) -> Result<Vec<u32>, Error> {
    let mut counts = vec![0; x.rows];
    let blocks = counts.chunks_mut(x.block).zip(x.ranges());
    for_parts(blocks, control, |_, (counts, rows)| {
        for column in x.get(&rows).chunks_exact(rows.len()) {
            for (count, &v) in counts.iter_mut().zip(column) {
                *count += (v != 0.0) as u32;
            }
        }
        Ok(())
    })?;
    Ok(counts)
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

fn sparse_of_dense(
    x: &Blocked,
    counts: &[u32],
    units: Option<&Standard>,
    control: &Control,
) -> Result<Storage, Error> {
    let starts = row_starts(counts);
    let mut entries = vec![Entry::default(); starts[x.rows]];
    // The entries of each block of rows, to be filled in parallel.
    let mut blocks = Vec::new();
    let mut rest = &mut entries[..];
    for rows in x.ranges() {
        let (block, others) = rest.split_at_mut(starts[rows.end] - starts[rows.start]);
        blocks.push((rows, block));
        rest = others;
    }
    for_parts(blocks, control, |_, (rows, block)| {
        let first = starts[rows.start];
        let mut next: Vec<usize> = starts[rows.clone()].iter().map(|s| s - first).collect();
        for (j, column) in x.get(&rows).chunks_exact(rows.len()).enumerate() {
            for (at, &v) in next.iter_mut().zip(column) {
                if v != 0.0 {
                    block[*at] = Entry { at: j as u32, value: scaled(units, j, v) };
                    *at += 1;
                }
            }
        }
        Ok(())
    })?;
    Ok(Storage::Sparse { starts, entries })
}

fn sparse(x: &SparseMatrix, units: Option<&Standard>, control: &Control) -> Result<Storage, Error> {
    let mut counts = vec![0; x.rows()];
    for column in x.outer_iterator() {
        control.check()?;
        column.iter().for_each(|(i, _)| counts[i] += 1);
    }
    let starts = row_starts(&counts);
    let mut entries = vec![Entry::default(); starts[x.rows()]];
    let mut next = starts.clone();
    for (j, column) in x.outer_iterator().enumerate() {
        control.check()?;
        for (i, &v) in column.iter() {
            entries[next[i]] = Entry { at: j as u32, value: scaled(units, j, v) };
            next[i] += 1;
        }
    }
    Ok(Storage::Sparse { starts, entries })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(x: &Source, units: Option<&Standard>) -> Inputs {
        Inputs::new(x, units, &Control::default()).unwrap()
    }

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
            let dense = inputs(&Source::dense(&x, rows, columns), None);
            let sparse = inputs(&Source::Sparse(triplets.to_csc()), None);
            assert_eq!(matches!(dense.storage, Storage::Sparse { .. }), every == 4);
            assert_eq!(filled(&dense), filled(&sparse));
            assert_eq!(filled(&dense)[7 * columns + 3], x[3 * rows + 7] as f32);
        }
    }

    #[test]
    fn a_stop_is_heard_whatever_the_storage() {
        let control = Control::default();
        control.stop();
        for share in [0.0, 1.0] {
            let x = [1.0, share, share, share];
            let sparse = sprs::CsMat::csc_from_dense(ndarray::arr2(&[[1.0]]).view(), 0.0);
            for source in [Source::dense(&x, 2, 2), Source::Sparse(sparse)] {
                assert_eq!(Inputs::new(&source, None, &control).err(), Some(Error::Cancelled));
            }
        }
    }

    #[test]
    fn standard_columns() {
        let x = [1.0, 2.0, 6.0, 5.0, 5.0, 5.0];
        let source = Source::dense(&x, 3, 2);
        let units = Standard::new(&source, true, |_| 1.0, || Ok::<(), ()>(())).unwrap();
        let rows = filled(&inputs(&source, Some(&units)));
        assert!((rows[0] + 2.0 / (14f32 / 3.0).sqrt()).abs() < 1e-6);
        assert_eq!([rows[1], rows[3], rows[5]], [0.0; 3]);
    }
}
