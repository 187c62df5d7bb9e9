//! A'VA for a sparse A and a diagonal V, added into a pattern that was found once.

use super::Pause;
use super::graph::STEPS;
use super::ldl::Symbolic;
use super::sparse::{SparseMatrix, line};
use crate::error::Error;

pub struct Gram {
    pub by_rows: SparseMatrix,
    by_columns: SparseMatrix,
}

impl Gram {
    /// Of a matrix by rows.
    pub fn new(a: SparseMatrix) -> Gram {
        Gram { by_columns: a.to_csc(), by_rows: a }
    }

    /// Add A'VA, V = diag(v), to the upper triangle whose places are the pattern's.
    pub fn add(
        &self,
        v: &[f64],
        pattern: &Symbolic,
        out: &mut [f64],
        pause: Pause,
    ) -> Result<(), Error> {
        let mut place = vec![0; pattern.len()];
        let mut steps = 0;
        for j in 0..pattern.len() {
            for slot in pattern.column(j) {
                place[pattern.row(slot)] = slot;
            }
            let (rows, values) = line(&self.by_columns, j);
            for (&i, a_ij) in rows.iter().zip(values) {
                let scaled = v[i] * a_ij;
                let (columns, values) = line(&self.by_rows, i);
                for (&k, a_ik) in columns.iter().zip(values).take_while(|(k, _)| **k <= j) {
                    out[place[k]] += scaled * a_ik;
                    steps += 1;
                }
            }
            if steps > STEPS {
                steps = 0;
                pause()?;
            }
        }
        Ok(())
    }
}
