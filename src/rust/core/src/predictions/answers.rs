//! Answers of draws at rows, wherever they come from: linear fits, networks, a table in which they were kept.
//!
//! All draws at all rows may be far larger than the data and the draws together. They are made in blocks
//! of rows, the draws in parallel, and each block is reduced before the next is made.

use super::reduce::{Block, Reduction};
use crate::engine::job::{Control, Stage, for_parts};
use crate::error::Error;
use ndarray::{Array3, ArrayView3, ArrayViewMut2, s};
use std::ops::Range;

/// Numbers in a block: a draw is read once for each, so that it should have many rows.
const NUMBERS: usize = 1 << 22;

/// What knows the answers of draws.
pub trait Answers: Sync {
    /// Draws, rows and outputs.
    fn shape(&self) -> [usize; 3];

    /// Answers of one draw, by row and output.
    fn fill(
        &self,
        draw: usize,
        rows: Range<usize>,
        control: &Control,
        out: &mut ArrayViewMut2<f64>,
    ) -> Result<(), Error>;
}

/// Answers that were kept, by draw, row and output.
pub struct Table(pub Array3<f64>);

impl Answers for Table {
    fn shape(&self) -> [usize; 3] {
        let (draws, rows, outputs) = self.0.dim();
        [draws, rows, outputs]
    }

    fn fill(
        &self,
        draw: usize,
        rows: Range<usize>,
        control: &Control,
        out: &mut ArrayViewMut2<f64>,
    ) -> Result<(), Error> {
        out.assign(&self.0.slice(s![draw, rows, ..]));
        control.check()
    }
}

/// Give all answers to a reduction, on the threads of the pool we are in.
pub fn ask(
    answers: &dyn Answers,
    reduction: &mut dyn Reduction,
    control: &Control,
) -> Result<(), Error> {
    let [draws, rows, outputs] = answers.shape();
    let most = (NUMBERS / (draws * outputs).max(1)).clamp(1, rows.max(1));
    control.begin(Stage::Predictions, (draws * rows.div_ceil(most)) as u64);
    let mut values = vec![0.0; draws * outputs * most];
    for first in (0..rows).step_by(most) {
        let here = first..(first + most).min(rows);
        let size = outputs * here.len();
        let of_draws = values[..draws * size].chunks_mut(size);
        for_parts(of_draws, control, |draw, values| {
            let by_output = ArrayViewMut2::from_shape((outputs, here.len()), values);
            let mut by_row = by_output.map_err(of_shape)?.reversed_axes();
            answers.fill(draw, here.clone(), control, &mut by_row)?;
            control.advance(1);
            Ok(())
        })?;
        let shape = (draws, outputs, here.len());
        let values = ArrayView3::from_shape(shape, &values[..draws * size]).map_err(of_shape)?;
        reduction.take(&Block { values, rows: here }, control)?;
    }
    control.check()
}

fn of_shape(error: ndarray::ShapeError) -> Error {
    Error::Internal(format!("a block of answers: {error}"))
}
