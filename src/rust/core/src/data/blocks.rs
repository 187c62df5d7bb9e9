//! A dense matrix in blocks of rows, each block column after column: in memory, or in a file.

use super::scratch::{Lent, Scratch};
use crate::linalg::lanes::LANES;
use std::ops::{Deref, Range};

/// Numbers in a block: it should stay in the second-level cache while a batch works on it.
const BLOCK: usize = 1 << 14;
/// Most rows in a block.
pub const ROWS: usize = 504;

pub struct Blocked {
    pub rows: usize,
    pub cols: usize,
    /// Rows of a block; the last may have fewer.
    pub block: usize,
    values: Values,
}

pub enum Values {
    Memory(Vec<f64>),
    File(Scratch),
}

/// The numbers of a block.
pub enum Block<'a> {
    Held(&'a [f64]),
    Read(Lent<'a>),
}

impl Deref for Block<'_> {
    type Target = [f64];

    #[inline(always)]
    fn deref(&self) -> &[f64] {
        match self {
            Block::Held(values) => values,
            Block::Read(values) => values,
        }
    }
}

impl Blocked {
    /// From a column-major matrix.
    pub fn new(x: &[f64], rows: usize, cols: usize) -> Blocked {
        let mut blocked = Blocked::room(rows, cols);
        blocked.take(x, x.len());
        blocked
    }

    /// Room for a matrix, to be filled by `take`.
    pub fn room(rows: usize, cols: usize) -> Blocked {
        let values = Values::Memory(Vec::with_capacity(rows * cols));
        Blocked { rows, cols, block: block_rows(rows, cols), values }
    }

    /// Copy at most so many more numbers of the column-major `x`; true when all are there.
    pub fn take(&mut self, x: &[f64], most: usize) -> bool {
        // A file has its numbers.
        let Values::Memory(values) = &mut self.values else { return true };
        let end = (values.len() + most).min(x.len());
        while values.len() < end {
            let at = values.len();
            let first = at / (self.block * self.cols) * self.block;
            let count = self.block.min(self.rows - first);
            let within = at - first * self.cols;
            let (column, row) = (within / count, within % count);
            let run = (count - row).min(end - at);
            values.extend_from_slice(&x[column * self.rows + first + row..][..run]);
        }
        end == x.len()
    }

    /// Of blocks that are made already.
    pub fn of_blocks(values: Values, rows: usize, cols: usize, block: usize) -> Blocked {
        Blocked { rows, cols, block, values }
    }

    /// The rows of each block.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> + Clone + use<> {
        ranges(self.rows, self.block)
    }

    /// The rows of each block that has some of `rows`.
    pub fn blocks_of(&self, rows: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
        let (from, to, block, all) = (rows.start, rows.end, self.block, self.rows);
        let firsts = (from / block * block..to).step_by(block);
        firsts.map(move |first| first..(first + block).min(all))
    }

    /// The block of these rows.
    pub fn get(&self, rows: &Range<usize>) -> Block<'_> {
        let at = rows.start * self.cols..rows.end * self.cols;
        match &self.values {
            Values::Memory(values) => Block::Held(&values[at]),
            Values::File(scratch) => Block::Read(scratch.read(at)),
        }
    }

    /// The numbers of column j, row by row.
    pub fn column(&self, j: usize) -> impl Iterator<Item = f64> + '_ {
        ranges(self.rows, self.block)
            .flat_map(move |rows| self.get(&rows)[j * rows.len()..][..rows.len()].to_vec())
    }

    /// Put other numbers into column j, row by row.
    pub fn set_column(&mut self, j: usize, value: impl Fn(usize) -> f64) {
        let set = |rows: Range<usize>, block: &mut [f64]| {
            let place = &mut block[j * rows.len()..][..rows.len()];
            place.iter_mut().zip(rows).for_each(|(v, i)| *v = value(i));
            Ok::<(), ()>(())
        };
        // Nobody stops it.
        let _ = self.rewrite(set);
    }

    /// Change every number, knowing its column; `go_on` is asked before each column of a block.
    pub fn change<E>(
        &mut self,
        f: impl Fn(usize, f64) -> f64,
        go_on: impl Fn() -> Result<(), E>,
    ) -> Result<(), E> {
        let change = |rows: Range<usize>, block: &mut [f64]| {
            for (j, column) in block.chunks_exact_mut(rows.len()).enumerate() {
                go_on()?;
                column.iter_mut().for_each(|v| *v = f(j, *v));
            }
            Ok(())
        };
        self.rewrite(change)
    }

    fn rewrite<E>(
        &mut self,
        work: impl Fn(Range<usize>, &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        for rows in ranges(self.rows, self.block) {
            let at = rows.start * self.cols..rows.end * self.cols;
            match &mut self.values {
                Values::Memory(values) => work(rows, &mut values[at])?,
                Values::File(scratch) => {
                    let mut block = scratch.read(at.clone()).to_vec();
                    work(rows, &mut block)?;
                    scratch.put(at.start, &block);
                }
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
pub fn block_rows(rows: usize, cols: usize) -> usize {
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
            for part in [x.len(), 1 + x.len() / 3, 7] {
                let mut blocked = Blocked::room(rows, cols);
                while !blocked.take(&x, part) {}
                for j in 0..cols {
                    assert!(blocked.column(j).eq(x[j * rows..][..rows].iter().copied()));
                }
            }
            let mut blocked = Blocked::new(&x, rows, cols);
            blocked.change(|j, v| v - (j * rows) as f64, || Ok::<(), ()>(())).unwrap();
            assert_eq!(blocked.column(cols - 1).last(), Some((rows - 1) as f64));
        }
    }

    #[test]
    fn a_stop_is_heard_within_a_wide_block() {
        let mut blocked = Blocked::new(&vec![1.0; 40 * 700], 40, 700);
        assert_eq!(blocked.ranges().count(), 1);
        let asked = std::cell::Cell::new(0);
        let go_on = || {
            asked.set(asked.get() + 1);
            if asked.get() > 100 { Err(()) } else { Ok(()) }
        };
        assert_eq!(blocked.change(|_, v| v + 1.0, go_on), Err(()));
        assert!(blocked.column(99).all(|v| v == 2.0) && blocked.column(100).all(|v| v == 1.0));
    }
}
