//! Answers of networks at rows.

use super::data::Inputs;
use super::network::{Shape, Workspace};
use super::target::{Answer, Judge};
use super::train::block_rows;
use crate::engine::job::Control;
use crate::error::Error;
use crate::predictions::Answers;
use ndarray::ArrayViewMut2;
use std::ops::Range;

/// Networks with padding, and the rows they are asked about.
pub struct Networks<'a, N> {
    pub shape: &'a Shape,
    pub networks: &'a [N],
    pub x: &'a Inputs,
    pub answer: Answer,
}

impl<N: AsRef<[f32]> + Sync> Answers for Networks<'_, N> {
    fn shape(&self) -> [usize; 3] {
        [self.networks.len(), self.x.rows, self.answer.outputs()]
    }

    fn fill(
        &self,
        draw: usize,
        rows: Range<usize>,
        control: &Control,
        out: &mut ArrayViewMut2<f64>,
    ) -> Result<(), Error> {
        let block = block_rows(self.shape);
        let mut workspace = Workspace::new(self.shape, block);
        let mut judge = Judge::new(block);
        let which: Vec<u32> = rows.map(|row| row as u32).collect();
        let mut before = 0;
        for which in which.chunks(block) {
            let parameters = self.networks[draw].as_ref();
            let x = self.x.rows(which);
            let outputs = workspace.forward(parameters, &x, which.len(), control)?;
            judge.answers(self.answer, outputs, which.len(), |row, output, value| {
                out[[before + row, output]] = value;
            });
            before += which.len();
        }
        Ok(())
    }
}
