//! Answers of trained networks at new rows.

use super::data::Inputs;
use super::network::{Shape, Workspace};
use super::target::{Answer, Judge};
use super::train::block_rows;
use crate::engine::job::{Control, Stage, for_each};
use crate::error::Error;
use std::sync::{Mutex, PoisonError};

/// The answers of one network (padded), given to `put` by row and output.
pub fn predict_rows(
    shape: &Shape,
    parameters: &[f32],
    x: &Inputs,
    answer: Answer,
    control: &Control,
    mut put: impl FnMut(usize, usize, f64),
) -> Result<(), Error> {
    let block = block_rows(shape);
    let mut workspace = Workspace::new(shape, block);
    let mut judge = Judge::new(block);
    let rows: Vec<u32> = (0..x.rows as u32).collect();
    for which in rows.chunks(block) {
        control.check()?;
        let outputs = workspace.forward(parameters, &x.rows(which), which.len());
        let first = which[0] as usize;
        judge.answers(answer, outputs, which.len(), |row, output, value| {
            put(first + row, output, value);
        });
    }
    Ok(())
}

/// The answers of networks without padding: [network, row, output], network fastest.
pub fn predict(
    shape: &Shape,
    networks: &[Vec<f32>],
    x: &Inputs,
    answer: Answer,
    control: &Control,
) -> Result<Vec<f64>, Error> {
    control.begin(Stage::Draws, networks.len() as u64);
    let count = networks.len();
    let table = Mutex::new(vec![0.0; count * x.rows * answer.outputs()]);
    let numbers: Vec<usize> = (0..count).collect();
    for_each(
        &numbers,
        control,
        |k| format!("in network {}", k + 1),
        |&k| {
            let mut answers = vec![0.0; x.rows * answer.outputs()];
            let put = |row: usize, output: usize, value| answers[output * x.rows + row] = value;
            predict_rows(shape, &shape.expand(&networks[k]), x, answer, control, put)?;
            let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
            for (at, value) in answers.into_iter().enumerate() {
                table[at * count + k] = value;
            }
            drop(table);
            control.advance(1);
            Ok(())
        },
    )?;
    control.check()?;
    Ok(table.into_inner().unwrap_or_else(PoisonError::into_inner))
}
