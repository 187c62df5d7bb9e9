//! Large results of a job. R fetches each by itself, a part at a time, and looks for an interrupt in
//! between; in a list made here they would have a second owner, and R would copy them when it sets their
//! dimensions.

use crate::convert::reply;
use crate::job::Running;
use extendr_api::prelude::*;
use extendr_api::rtype_to_sxp;
use ndarray::{Array, Dimension};
use wbb_core::bridge::Kept;
use wbb_core::error::Error;

/// Columns of `run` numbers, each `stride` after the one before: what a stop leaves of a table are its
/// first rows.
pub struct Table {
    values: Values,
    run: usize,
    stride: usize,
}

enum Values {
    Real(Vec<f64>),
    Integer(Vec<i32>),
    /// Chains that were stopped, still line by line.
    Lines(Kept),
}

impl From<Kept> for Table {
    fn from(kept: Kept) -> Table {
        Table { run: kept.size(), stride: kept.size(), values: Values::Lines(kept) }
    }
}

impl From<Vec<f64>> for Table {
    fn from(values: Vec<f64>) -> Table {
        Table { run: values.len(), stride: values.len(), values: Values::Real(values) }
    }
}

impl From<Vec<i32>> for Table {
    fn from(values: Vec<i32>) -> Table {
        Table { run: values.len(), stride: values.len(), values: Values::Integer(values) }
    }
}

/// Column after column, or the first rows of such.
impl<D: Dimension> From<Array<f64, D>> for Table {
    fn from(table: Array<f64, D>) -> Table {
        let run = table.shape().first().copied().unwrap_or(0);
        let stride = table.strides().get(1).map_or(run, |stride| *stride as usize);
        Table { values: Values::Real(table.into_raw_vec_and_offset().0), run, stride }
    }
}

impl Table {
    fn len(&self) -> usize {
        let values = match &self.values {
            Values::Real(values) => values.len(),
            Values::Integer(values) => values.len(),
            Values::Lines(kept) => kept.size(),
        };
        // An empty table may have a stride of zero.
        if values == 0 { 0 } else { values / self.stride.max(1) * self.run }
    }

    fn copy(&self, room: &mut Robj, from: usize, to: usize) -> Option<()> {
        match &self.values {
            Values::Real(values) => self.copy_to(values, room.as_real_slice_mut()?, from, to),
            Values::Integer(values) => self.copy_to(values, room.as_integer_slice_mut()?, from, to),
            Values::Lines(kept) => {
                let room = room.as_real_slice_mut()?.get_mut(from..to)?;
                for (at, place) in (from..).zip(room) {
                    *place = kept.value(at)?;
                }
                Some(())
            }
        }
    }

    fn copy_to<T: Copy>(&self, values: &[T], room: &mut [T], from: usize, to: usize) -> Option<()> {
        let mut at = from;
        while at < to {
            let (column, row) = (at / self.run, at % self.run);
            let count = (self.run - row).min(to - at);
            let part = values.get(column * self.stride + row..)?.get(..count)?;
            room.get_mut(at..at + count)?.copy_from_slice(part);
            at += count;
        }
        Some(())
    }
}

/// Names of the tables of a job that was collected.
#[extendr]
fn rust_job_tables(job: ExternalPtr<Running>) -> Vec<String> {
    job.tables.iter().map(|(name, _)| name.to_string()).collect()
}

/// Room for one of them, to be filled by `rust_job_copy`; NULL if it is not there.
#[extendr]
fn rust_job_room(job: ExternalPtr<Running>, name: &str) -> Robj {
    let Some((_, table)) = job.tables.iter().find(|(key, _)| *key == name) else {
        return ().into();
    };
    let kind = match table.values {
        Values::Real(_) | Values::Lines(_) => Rtype::Doubles,
        Values::Integer(_) => Rtype::Integers,
    };
    Robj::alloc_vector(rtype_to_sxp(kind), table.len())
}

/// Copy the numbers of a table from `from` on to before `to`.
#[extendr]
fn rust_job_copy(
    job: ExternalPtr<Running>,
    name: &str,
    mut room: Robj,
    from: f64,
    to: f64,
) -> Robj {
    let table = job.tables.iter().find(|(key, _)| *key == name);
    let copied = table.and_then(|(_, table)| table.copy(&mut room, from as usize, to as usize));
    let other = || Error::Internal(format!("table {name} has no such part"));
    reply(copied.ok_or_else(other))
}

/// R has them all.
#[extendr]
fn rust_job_release(mut job: ExternalPtr<Running>) {
    job.tables = Vec::new();
}

extendr_module! {
    mod tables;
    fn rust_job_tables;
    fn rust_job_room;
    fn rust_job_copy;
    fn rust_job_release;
}
