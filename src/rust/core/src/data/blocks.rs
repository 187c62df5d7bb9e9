//! A dense matrix in blocks of rows, each block column after column.

use crate::linalg::lanes::LANES;
use std::ops::Range;

/// Numbers in a block: it should stay in the second-level cache while a batch works on it.
const BLOCK: usize = 1 << 14;
/// Most rows in a block.
pub const ROWS: usize = 504;

pub struct Blocked {
    pub rows: usize,
    pub cols: usize,
    /// Rows of a block; the last may have fewer.
    pub block: usize,
    values: Vec<f64>,
}

impl Blocked {
    /// From a column-major matrix.
    pub fn new(x: &[f64], rows: usize, cols: usize) -> Blocked {
        let block = block_rows(rows, cols);
        let mut values = Vec::with_capacity(x.len());
        for rows_here in ranges(rows, block) {
            for column in x.chunks_exact(rows.max(1)) {
                values.extend_from_slice(&column[rows_here.clone()]);
            }
        }
        Blocked { rows, cols, block, values }
    }

    /// The rows of each block.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> + Clone + use<> {
        ranges(self.rows, self.block)
    }

    /// The block of these rows.
    pub fn get(&self, rows: &Range<usize>) -> &[f64] {
        &self.values[rows.start * self.cols..][..rows.len() * self.cols]
    }

    /// The numbers of column j, row by row.
    pub fn column(&self, j: usize) -> impl Iterator<Item = f64> + Clone + '_ {
        ranges(self.rows, self.block)
            .flat_map(move |rows| self.get(&rows)[j * rows.len()..][..rows.len()].iter().copied())
    }

    /// Put other numbers into column j, row by row.
    pub fn set_column(&mut self, j: usize, value: impl Fn(usize) -> f64) {
        for rows in ranges(self.rows, self.block) {
            let count = rows.len();
            let place = &mut self.values[rows.start * self.cols + j * count..][..count];
            place.iter_mut().zip(rows).for_each(|(v, i)| *v = value(i));
        }
    }

    /// Change every number, knowing its column; `go_on` is asked before each block.
    pub fn change<E>(
        &mut self,
        f: impl Fn(usize, f64) -> f64,
        go_on: impl Fn() -> Result<(), E>,
    ) -> Result<(), E> {
        for rows in ranges(self.rows, self.block) {
            go_on()?;
            let block = &mut self.values[rows.start * self.cols..][..rows.len() * self.cols];
            for (j, column) in block.chunks_exact_mut(rows.len()).enumerate() {
                column.iter_mut().for_each(|v| *v = f(j, *v));
            }
        }
        Ok(())
    }
}

/// The rows of each block.
pub fn ranges(rows: usize, block: usize) -> impl Iterator<Item = Range<usize>> + Clone + use<> {
    (0..rows).step_by(block).map(move |first| first..(first + block).min(rows))
}

/// Rows of a dense block: an odd number of cache lines a column, since columns a power of two apart
/// would share one cache set. A wide matrix is read a few columns at a time and wants long ones.
fn block_rows(rows: usize, cols: usize) -> usize {
    let fit = if cols > rows { ROWS } else { (BLOCK / cols.max(1)).clamp(24, ROWS) };
    ((fit / LANES) | 1) * LANES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_hold_the_columns() {
        for (rows, cols) in [(1, 1), (3, 2), (1200, 3), (40, 700)] {
            let x: Vec<f64> = (0..rows * cols).map(|i| i as f64).collect();
            let mut blocked = Blocked::new(&x, rows, cols);
            for j in 0..cols {
                assert!(blocked.column(j).eq(x[j * rows..][..rows].iter().copied()));
            }
            blocked.change(|j, v| v - (j * rows) as f64, || Ok::<(), ()>(())).unwrap();
            assert_eq!(blocked.column(cols - 1).last(), Some((rows - 1) as f64));
        }
    }
}
