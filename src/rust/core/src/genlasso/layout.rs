//! What the equations of all draws share: the order of elimination, and the pattern that follows from it.

use super::flat::Flat;
use super::ties::Ties;
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::dissection::elimination_order;
use crate::linalg::gram::Gram;
use crate::linalg::graph::{Graph, inverse};
use crate::linalg::ldl::Symbolic;
use crate::linalg::sparse::{SparseMatrix, line};

/// X and D with their columns in the order of elimination, and the pattern of X'WX + D'TD.
pub struct Layout {
    pub x: Gram,
    pub d: Gram,
    pub symbolic: Symbolic,
    /// Place of each coefficient in that order.
    pub place: Vec<u32>,
    pub flat: Flat,
    pub ties: Ties,
}

impl Layout {
    /// Of matrices by rows, with the unit of each coefficient.
    pub fn new(
        x: &SparseMatrix,
        d: &SparseMatrix,
        unit: &[f64],
        control: &Control,
    ) -> Result<Layout, Error> {
        let pause = &|| control.check();
        let graph = Graph::of_products(&[x, d], pause)?;
        let order = elimination_order(&graph, pause)?;
        let place = inverse(&order);
        pause()?;
        let symbolic = Symbolic::new(&graph.reordered(&order), pause)?;
        pause()?;
        let x = Gram::new(sorted_columns(x, &place));
        pause()?;
        let d = Gram::new(sorted_columns(d, &place));
        pause()?;
        let flat = Flat::new(&x, &d, &symbolic, control)?;
        let ties = Ties::new(&d.by_rows, order.iter().map(|&j| unit[j as usize]).collect());
        Ok(Layout { x, d, symbolic, place, flat, ties })
    }
}

/// Column j moves to `place[j]`.
fn sorted_columns(a: &SparseMatrix, place: &[u32]) -> SparseMatrix {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..a.rows() {
        let (from, value) = line(a, i);
        let moved = from.iter().map(|&j| place[j] as usize).zip(value.iter().copied());
        let mut row: Vec<(usize, f64)> = moved.collect();
        row.sort_unstable_by_key(|entry| entry.0);
        columns.extend(row.iter().map(|entry| entry.0));
        values.extend(row.iter().map(|entry| entry.1));
        starts.push(columns.len());
    }
    SparseMatrix::new(a.shape(), starts, columns, values)
}
