//! A matrix of R's on its way into a job: the one copy of the data, made a part at a time, so that R can
//! be interrupted in between.

use crate::convert::{Result, reply};
use extendr_api::prelude::*;
use extendr_api::rtype_to_sxp;
use wbb_core::data::blocks::Blocked;
use wbb_core::data::source::Source;
use wbb_core::data::store::Store;
use wbb_core::engine::memory::room;
use wbb_core::error::Error;
use wbb_core::linalg::sparse::{SparseMatrix, compressed_columns};

pub struct Matrix {
    pub rows: usize,
    pub columns: usize,
    slots: Slots,
}

enum Slots {
    Dense(Blocked),
    Sparse {
        starts: Vec<usize>,
        rows: Vec<usize>,
        values: Vec<f64>,
    },
    /// Rows that came in chunks.
    Stored(Store),
    /// A job has it.
    Taken,
}

/// Room for a matrix, to be filled by `rust_matrix_fill`. A sparse one has `starts`.
#[extendr]
fn rust_matrix_room(rows: f64, columns: f64, starts: Robj) -> Robj {
    let (rows, columns) = (rows as usize, columns as usize);
    let slots = match starts.is_null() {
        true => {
            room(rows.saturating_mul(columns)).map(|()| Slots::Dense(Blocked::room(rows, columns)))
        }
        false => whole(starts.as_integer_slice()).and_then(|starts| {
            let size = starts.last().copied().unwrap_or(0);
            room(2 * size)?;
            let (rows, values) = (Vec::with_capacity(size), Vec::with_capacity(size));
            Ok(Slots::Sparse { starts, rows, values })
        }),
    };
    reply(slots.map(|slots| ExternalPtr::new(Matrix { rows, columns, slots })))
}

/// Copy at most `most` more numbers of it; `rows` are those of the numbers of a sparse matrix. True
/// when all are there.
#[extendr]
fn rust_matrix_fill(
    mut matrix: ExternalPtr<Matrix>,
    values: &[f64],
    rows: Robj,
    most: f64,
) -> Robj {
    reply(matrix.fill(values, rows.as_integer_slice(), most as usize))
}

/// Numbers of R's that R is to fill: its own functions would first put something there, of millions in one go.
#[extendr]
fn rust_room(size: f64) -> Robj {
    Robj::alloc_vector(rtype_to_sxp(Rtype::Doubles), size as usize)
}

fn whole(values: Option<&[i32]>) -> Result<Vec<usize>> {
    let wrong = || Error::Internal("a matrix has no such index".into());
    values
        .ok_or_else(wrong)?
        .iter()
        .map(|&value| usize::try_from(value).map_err(|_| wrong()))
        .collect()
}

impl Matrix {
    fn fill(&mut self, from: &[f64], at: Option<&[i32]>, most: usize) -> Result<bool> {
        match &mut self.slots {
            Slots::Dense(x) if from.len() == self.rows * self.columns => Ok(x.take(from, most)),
            Slots::Sparse { rows, values, .. } => {
                let part = values.len()..(values.len() + most).min(from.len());
                rows.extend(whole(at.and_then(|at| at.get(part.clone())))?);
                values.extend_from_slice(&from[part]);
                Ok(values.len() == from.len())
            }
            _ => Err(Error::Internal(format!("x is not {} by {}", self.rows, self.columns))),
        }
    }

    pub fn of_rows(store: Store) -> Matrix {
        Matrix { rows: store.rows(), columns: store.cols(), slots: Slots::Stored(store) }
    }

    /// What R has filled, for a job to have.
    pub fn take(mut matrix: ExternalPtr<Matrix>) -> Matrix {
        let (rows, columns) = (matrix.rows, matrix.columns);
        Matrix { rows, columns, slots: std::mem::replace(&mut matrix.slots, Slots::Taken) }
    }

    /// `argument` is what users call it.
    pub fn source(self, argument: &'static str) -> Result<Source> {
        match self.slots {
            Slots::Dense(x) => Ok(Source::Dense(x)),
            Slots::Sparse { starts, rows, values } => {
                let shape = (self.rows, self.columns);
                compressed_columns(shape, starts, rows, values, argument).map(Source::Sparse)
            }
            Slots::Stored(store) => store.finish(),
            Slots::Taken => Err(Error::Internal(format!("{argument} is with another job"))),
        }
    }

    pub fn sparse(self, argument: &'static str) -> Result<SparseMatrix> {
        match self.source(argument)? {
            Source::Sparse(x) => Ok(x),
            Source::Dense(_) => Err(Error::Internal(format!("{argument} is not sparse"))),
        }
    }
}

extendr_module! {
    mod matrix;
    fn rust_matrix_room;
    fn rust_matrix_fill;
    fn rust_room;
}
