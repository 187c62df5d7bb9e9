//! The design matrix, standardised once: dense in blocks of rows, or sparse and never filled.

use super::basis::Basis;
use super::blocks::{Block, Blocked, ROWS, Values, block_rows, ranges};
use super::rows::{Sparse, SparseRows};
use super::source::Source;
use super::standard::Standard;
use crate::linalg::dense::{axpy, dot};
use std::ops::Range;
use std::sync::OnceLock;

/// The standardised matrix: column j is (xⱼ − centerⱼ) / scaleⱼ.
pub struct Design {
    pub rows: usize,
    pub cols: usize,
    pub standard: Standard,
    /// Of columns some of which are there as what they add to others.
    basis: Option<Basis>,
    /// Rows of a block.
    pub block: usize,
    storage: Storage,
    largest: OnceLock<Vec<f64>>,
}

enum Storage {
    Dense(Blocked),
    Sparse(Sparse),
    /// Rows that were summed up and are gone.
    Gone,
}

impl Design {
    /// `case` are the user's weights: they weigh the means and variances too. `go_on` is asked now and
    /// then.
    pub fn new<E>(
        source: Source,
        centred: bool,
        case: impl Fn(usize) -> f64 + Copy,
        go_on: impl Fn() -> Result<(), E>,
    ) -> Result<Design, E> {
        let standard = Standard::new(&source, centred, case, &go_on)?;
        let (rows, cols) = (source.rows(), source.cols());
        let (block, storage) = match source {
            Source::Dense(mut x) => {
                x.change(|j, v| standard.apply(j, v), go_on)?;
                (x.block, Storage::Dense(x))
            }
            Source::Sparse(x) => (ROWS, Storage::Sparse(Sparse::new(&x, &standard, go_on)?)),
        };
        Ok(Design { rows, cols, standard, basis: None, block, storage, largest: OnceLock::new() })
    }

    /// Of rows that are known by their sums alone.
    pub fn gone(rows: usize, standard: Standard) -> Design {
        let cols = standard.scale.len();
        let (block, storage) = (ROWS, Storage::Gone);
        Design { rows, cols, standard, basis: None, block, storage, largest: OnceLock::new() }
    }

    /// The same with every entry there, if it is sparse.
    pub fn filled(&self) -> Option<Design> {
        let x = self.sparse()?;
        let (rows, cols) = (self.rows, self.cols);
        let block = block_rows(rows, cols);
        let mut values = Vec::with_capacity(rows * cols);
        for range in ranges(rows, block) {
            let first = values.len();
            x.shift.iter().for_each(|s| values.resize(values.len() + range.len(), -s));
            for (r, i) in range.clone().enumerate() {
                let (columns, entries) = x.row(i);
                for (&j, v) in columns.iter().zip(entries) {
                    values[first + j as usize * range.len() + r] += v;
                }
            }
        }
        let storage = Storage::Dense(Blocked::of_blocks(Values::Memory(values), rows, cols, block));
        let (standard, basis) = (self.standard.clone(), None);
        Some(Design { rows, cols, standard, basis, block, storage, largest: OnceLock::new() })
    }

    /// Other numbers for some of the columns `which`, in the span of these: they have another basis. Their
    /// coefficients must not be penalised. `go_on` is asked now and then.
    pub fn replace<E>(
        &mut self,
        basis: Basis,
        which: &[u32],
        columns: &[(u32, Vec<f64>)],
        go_on: impl Fn() -> Result<(), E>,
    ) -> Result<(), E> {
        match &mut self.storage {
            Storage::Dense(x) => {
                columns.iter().for_each(|(j, values)| x.set_column(*j as usize, |i| values[i]));
            }
            Storage::Sparse(x) => x.replace(which, columns, go_on)?,
            Storage::Gone => {}
        }
        self.basis = Some(basis);
        self.largest = OnceLock::new();
        Ok(())
    }

    /// Those among them that have no place in the basis.
    pub fn dropped(&self) -> &[u32] {
        self.basis.as_ref().map_or(&[], Basis::dropped)
    }

    pub fn is_sparse(&self) -> bool {
        matches!(self.storage, Storage::Sparse { .. })
    }

    /// Multiplications in one product with the whole matrix.
    pub fn size(&self) -> usize {
        match &self.storage {
            Storage::Dense(_) => self.rows * self.cols,
            Storage::Sparse(x) => x.size(),
            Storage::Gone => 0,
        }
    }

    /// The rows of each block.
    pub fn blocks(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        ranges(self.rows, self.block)
    }

    /// A dense block, column after column.
    pub fn dense_block(&self, rows: &Range<usize>) -> Option<Block<'_>> {
        match &self.storage {
            Storage::Dense(x) => Some(x.get(rows)),
            Storage::Sparse(_) | Storage::Gone => None,
        }
    }

    /// A sparse matrix.
    #[inline]
    pub fn sparse(&self) -> Option<SparseRows<'_>> {
        match &self.storage {
            Storage::Sparse(x) => Some(x.rows()),
            Storage::Dense(_) | Storage::Gone => None,
        }
    }

    /// Rows and entries of a sparse column, less its shift.
    #[inline]
    pub fn sparse_column(&self, j: usize) -> Option<(&[u32], &[f64])> {
        match &self.storage {
            Storage::Sparse(x) => Some(x.column(j)),
            Storage::Dense(_) | Storage::Gone => None,
        }
    }

    /// Of the entries of each column, without their signs; found when first asked for.
    pub fn largest(&self) -> &[f64] {
        self.largest.get_or_init(|| {
            let mut most = vec![0.0f64; self.cols];
            for rows in self.blocks() {
                let Some(block) = self.dense_block(&rows) else { break };
                for (m, column) in most.iter_mut().zip(block.chunks_exact(rows.len())) {
                    *m = column.iter().fold(*m, |m, v| m.max(v.abs()));
                }
            }
            if let Storage::Sparse(x) = &self.storage {
                for (j, (m, shift)) in most.iter_mut().zip(x.rows().shift).enumerate() {
                    let entries = x.column(j).1;
                    *m = entries.iter().fold(shift.abs(), |m, v| m.max((v - shift).abs()));
                }
            }
            most
        })
    }

    /// Column j with every entry there.
    pub fn column(&self, j: usize) -> Vec<f64> {
        match &self.storage {
            Storage::Dense(x) => x.column(j).collect(),
            Storage::Sparse(x) => x.filled(j),
            Storage::Gone => Vec::new(),
        }
    }

    /// x_j'v for the columns `which`; `go_on` is asked before each block of rows.
    pub fn products<E>(
        &self,
        which: &[u32],
        v: &[f64],
        go_on: impl Fn() -> Result<(), E>,
    ) -> Result<Vec<f64>, E> {
        let mut out = vec![0.0; which.len()];
        if let Storage::Sparse(x) = &self.storage {
            go_on()?;
            let (sum, shift): (f64, _) = (v.iter().sum(), x.rows().shift);
            for (o, &j) in out.iter_mut().zip(which) {
                let (at, values) = x.column(j as usize);
                let entries: f64 = at.iter().zip(values).map(|(&i, x)| x * v[i as usize]).sum();
                *o = entries - shift[j as usize] * sum;
            }
        }
        for rows in self.blocks() {
            let Some(block) = self.dense_block(&rows) else { break };
            go_on()?;
            let column = |j: u32| &block[j as usize * rows.len()..][..rows.len()];
            out.iter_mut().zip(which).for_each(|(o, &j)| *o += dot(column(j), &v[rows.clone()]));
        }
        Ok(out)
    }

    /// out += Xβ for a block of rows.
    pub fn add_product(&self, rows: &Range<usize>, beta: &[f64], out: &mut [f64]) {
        match &self.storage {
            Storage::Dense(x) => {
                let block = x.get(rows);
                let columns = block.chunks_exact(rows.len().max(1));
                for (column, b) in columns.zip(beta).filter(|(_, b)| **b != 0.0) {
                    axpy(*b, column, out);
                }
            }
            Storage::Sparse(x) => {
                let x = x.rows();
                let left_out: f64 = x.shift.iter().zip(beta).map(|(s, b)| s * b).sum();
                for (o, i) in out.iter_mut().zip(rows.clone()) {
                    let (columns, values) = x.row(i);
                    let sum = columns.iter().zip(values).map(|(&j, v)| v * beta[j as usize]);
                    *o += sum.sum::<f64>() - left_out;
                }
            }
            Storage::Gone => {}
        }
    }

    /// Coefficients on the scale of the user's columns.
    pub fn unscale(&self, beta: &[f64]) -> Vec<f64> {
        let mut beta = beta.to_vec();
        if let Some(basis) = &self.basis {
            basis.unpack(&mut beta);
        }
        beta.iter().zip(&self.standard.scale).map(|(b, s)| b / s).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprs::CsMat;

    #[test]
    fn sparse_and_dense_have_the_same_scales() {
        let dense = vec![0.0, 3.0, 0.0, -1.0, 5.0, 6.0, 7.0, 9.0];
        let sparse = CsMat::new_csc(
            (4, 2),
            vec![0, 2, 6],
            vec![1, 3, 0, 1, 2, 3],
            vec![3.0, -1.0, 5.0, 6.0, 7.0, 9.0],
        );
        let case = |i: usize| [1.0, 2.0, 0.5, 1.0][i];
        let a = Design::new(Source::dense(&dense, 4, 2), true, case, || Ok::<(), ()>(())).unwrap();
        let b = Design::new(Source::Sparse(sparse), true, case, || Ok::<(), ()>(())).unwrap();
        for j in 0..2 {
            let (a, b) = (&a.standard, &b.standard);
            assert!((a.center[j] - b.center[j]).abs() < 1e-14);
            assert!((a.scale[j] - b.scale[j]).abs() < 1e-14);
        }
        let rows = b.sparse().unwrap();
        for i in 0..4 {
            let mut filled: Vec<f64> = rows.shift.iter().map(|s| -s).collect();
            let (columns, values) = rows.row(i);
            columns.iter().zip(values).for_each(|(&j, v)| filled[j as usize] += v);
            for (j, v) in filled.iter().enumerate() {
                assert!((v - a.dense_block(&(0..4)).unwrap()[j * 4 + i]).abs() < 1e-14);
            }
        }
        let filled = b.filled().unwrap();
        let (of_sparse, of_dense) = (filled.dense_block(&(0..4)), a.dense_block(&(0..4)));
        for (f, d) in of_sparse.unwrap().iter().zip(of_dense.unwrap().iter()) {
            assert!((f - d).abs() < 1e-14, "{f} {d}");
        }
        assert!(a.filled().is_none());
    }
}
