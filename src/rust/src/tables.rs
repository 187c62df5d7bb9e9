//! Large results of a job. R fetches each by itself, a part at a time, and looks for an interrupt in
//! between; in a list made here they would have a second owner, and R would copy them when it sets their
//! dimensions.

use crate::convert::reply;
use crate::job::Running;
use extendr_api::prelude::*;
use extendr_api::rtype_to_sxp;
use ndarray::{Array, Dimension};
use wbb_core::bridge::Kept;
use wbb_core::engine::parts::Parts;
use wbb_core::error::Error;

/// A column after the other, as R has it, of rows that lie in parts.
pub struct Table(Values);

enum Values {
    Real(Parts<f64>),
    Integer(Parts<i32>),
    /// Chains that were stopped, still line by line.
    Lines(Kept),
}

impl From<Kept> for Table {
    fn from(kept: Kept) -> Table {
        Table(Values::Lines(kept))
    }
}

impl From<Vec<f64>> for Table {
    fn from(values: Vec<f64>) -> Table {
        Table::of_rows(vec![values], 1)
    }
}

impl From<Vec<i32>> for Table {
    fn from(values: Vec<i32>) -> Table {
        Table::of_integers(vec![values], 1)
    }
}

/// Column after column.
impl<D: Dimension> From<Array<f64, D>> for Table {
    fn from(table: Array<f64, D>) -> Table {
        table.into_raw_vec_and_offset().0.into()
    }
}

impl Table {
    pub fn of_rows(parts: Vec<Vec<f64>>, width: usize) -> Table {
        Table(Values::Real(Parts::new(parts, width)))
    }

    pub fn of_integers(parts: Vec<Vec<i32>>, width: usize) -> Table {
        Table(Values::Integer(Parts::new(parts, width)))
    }

    fn len(&self) -> usize {
        match &self.0 {
            Values::Real(parts) => parts.len(),
            Values::Integer(parts) => parts.len(),
            Values::Lines(kept) => kept.size(),
        }
    }

    fn copy(&self, room: &mut Robj, from: usize, to: usize) -> Option<()> {
        match &self.0 {
            Values::Real(parts) => parts.copy(room.as_real_slice_mut()?, from, to),
            Values::Integer(parts) => parts.copy(room.as_integer_slice_mut()?, from, to),
            Values::Lines(kept) => {
                let room = room.as_real_slice_mut()?.get_mut(from..to)?;
                for (at, place) in (from..).zip(room) {
                    *place = kept.value(at)?;
                }
                Some(())
            }
        }
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
    let kind = match table.0 {
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
