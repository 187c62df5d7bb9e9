//! A dense matrix whose rows arrive in parts: kept in memory up to a limit, and in a file above it.

use super::blocks::{Blocked, Values, block_rows};
use super::scratch::Scratch;
use super::source::Source;
use crate::error::Error;
use std::path::PathBuf;

pub struct Store {
    cols: usize,
    rows: usize,
    /// Rows of a block.
    block: usize,
    /// Column after column, of rows that wait for their block to be full.
    waiting: Vec<Vec<f64>>,
    /// Whole blocks, and where they go when they are more numbers than `most`.
    blocks: Vec<f64>,
    most: usize,
    path: PathBuf,
    scratch: Option<Scratch>,
}

impl Store {
    /// `path` is that of a file which is made when it is needed.
    pub fn new(cols: usize, most: usize, path: PathBuf) -> Store {
        let waiting = vec![Vec::new(); cols];
        // As if there were more rows than columns, which nobody knows yet.
        let block = block_rows(usize::MAX, cols);
        Store { cols, rows: 0, block, waiting, blocks: Vec::new(), most, path, scratch: None }
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Was the memory too small?
    pub fn is_in_file(&self) -> bool {
        self.scratch.is_some()
    }

    /// More rows, column after column.
    pub fn add(&mut self, part: &[f64], count: usize) -> Result<(), Error> {
        let mut from = 0;
        while from < count {
            let waits = self.rows % self.block;
            let to = count.min(from + self.block - waits);
            for (column, values) in self.waiting.iter_mut().zip(part.chunks_exact(count)) {
                column.extend_from_slice(&values[from..to]);
            }
            self.rows += to - from;
            from = to;
            if self.rows % self.block == 0 {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// The block that waits becomes one of the matrix.
    fn flush(&mut self) -> Result<(), Error> {
        for column in &mut self.waiting {
            self.blocks.append(column);
        }
        if self.scratch.is_none() && self.blocks.len() <= self.most {
            return Ok(());
        }
        let path = &self.path;
        let failed = |error: std::io::Error| {
            let text = format!("could not be kept in the file {}: {error}", path.display());
            Error::argument("source", text)
        };
        let scratch = match &mut self.scratch {
            Some(scratch) => scratch,
            place => place.insert(Scratch::create(path).map_err(failed)?),
        };
        // Blocks in the file end where those that wait begin.
        let end = self.rows * self.cols;
        scratch.write(end - self.blocks.len(), &self.blocks).map_err(failed)?;
        self.blocks = Vec::new();
        Ok(())
    }

    /// The matrix of all rows.
    pub fn finish(mut self) -> Result<Source, Error> {
        if self.rows % self.block != 0 {
            self.flush()?;
        }
        let Store { cols, rows, block, .. } = self;
        let values = match self.scratch.take() {
            Some(scratch) => Values::File(scratch),
            None => Values::Memory(std::mem::take(&mut self.blocks)),
        };
        let held = matches!(values, Values::Memory(_));
        let blocked = Blocked::of_blocks(values, rows, cols, block);
        if held && block != block_rows(rows, cols) {
            // Few rows: in the blocks that they would have had if all had come at once.
            let all: Vec<f64> = (0..cols).flat_map(|j| blocked.column(j)).collect();
            return Ok(Source::dense(&all, rows, cols));
        }
        Ok(Source::Dense(blocked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::design::Design;

    #[test]
    fn parts_become_the_design_of_the_whole_in_memory_and_in_a_file() {
        for (rows, cols) in [(1, 1), (1300, 3), (20, 40), (2000, 120)] {
            let x: Vec<f64> = (0..rows * cols).map(|i| (i as f64 * 0.37).sin() + 3.0).collect();
            let case = |i: usize| 1.0 + (i % 3) as f64;
            let design = |source: Source| Design::new(source, true, case, || Ok::<(), ()>(()));
            let whole = design(Source::dense(&x, rows, cols)).unwrap();
            for (part, most) in [(7, usize::MAX), (rows, 0), (999, 0), (1, 2000)] {
                let name = format!("wbb-store-{}-{rows}-{part}-{most}", std::process::id());
                let mut store = Store::new(cols, most, std::env::temp_dir().join(name));
                for first in (0..rows).step_by(part) {
                    let here = first..(first + part).min(rows);
                    let columns = x.chunks_exact(rows);
                    let values: Vec<f64> = columns.flat_map(|c| c[here.clone()].to_vec()).collect();
                    store.add(&values, here.len()).unwrap();
                }
                assert_eq!(store.rows(), rows);
                let made = design(store.finish().unwrap()).unwrap();
                assert_eq!(made.standard.center, whole.standard.center);
                assert_eq!(made.standard.scale, whole.standard.scale);
                if made.block == whole.block {
                    for rows in whole.blocks() {
                        let (a, b) = (made.dense_block(&rows), whole.dense_block(&rows));
                        assert_eq!(*a.unwrap(), *b.unwrap());
                    }
                }
            }
        }
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let mut store = Store::new(1, 0, PathBuf::from("/nowhere/at/all"));
        let error = store.add(&vec![1.0; 5000], 5000).unwrap_err();
        assert!(matches!(error, Error::Argument { argument: "source", .. }));
    }
}
