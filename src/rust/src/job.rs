//! A running job, as R holds it.

use crate::convert::{Fields, Result, error_list};
use crate::settings::threads;
use extendr_api::prelude::*;
use extendr_api::rtype_to_sxp;
use std::time::Duration;
use wbb_core::engine::feed::{Feed, Feeder, feed};
use wbb_core::engine::job::{Control, Job};
use wbb_core::moments::Rows;

/// What a job leaves for R's thread.
pub struct Outcome {
    /// The large ones, each to be fetched by itself. In a list made here they would have a second
    /// owner, and R would copy them when it sets their dimensions.
    pub tables: Vec<(&'static str, Vec<f64>)>,
    /// Makes the list of all else.
    pub rest: Box<dyn FnOnce() -> List + Send>,
}

pub struct Running {
    job: Job<Outcome>,
    tables: Vec<(&'static str, Vec<f64>)>,
    /// Where rows go that arrive while the job works.
    pub feeder: Option<Feeder<Rows>>,
}

/// Start `work` on the threads of the settings: an external pointer.
pub fn start(
    settings: &Fields,
    work: impl FnOnce(&Control) -> Result<Outcome> + Send + 'static,
) -> Result<Robj> {
    Ok(running(Job::start(threads(settings)?, work), None))
}

/// The same for work on rows that R reads meanwhile.
pub fn start_fed(
    settings: &Fields,
    work: impl FnOnce(Feed<Rows>, &Control) -> Result<Outcome> + Send + 'static,
) -> Result<Robj> {
    let (feeder, feed) = feed();
    let job = Job::start(threads(settings)?, move |control| work(feed, control));
    Ok(running(job, Some(feeder)))
}

/// Work that is shorter than to start a thread for it; the same in all else.
pub fn at_once(work: impl FnOnce(&Control) -> Result<Outcome>) -> Robj {
    running(Job::at_once(work), None)
}

fn running(job: Job<Outcome>, feeder: Option<Feeder<Rows>>) -> Robj {
    ExternalPtr::new(Running { job, tables: Vec::new(), feeder }).into()
}

/// Wait at most `timeout_ms` for the job; its state and progress.
#[extendr]
fn rust_job_poll(mut job: ExternalPtr<Running>, timeout_ms: f64) -> List {
    let done = job.job.wait(Duration::from_millis(timeout_ms.max(0.0) as u64));
    let (stage, units, total) = job.job.progress();
    list!(
        state = if done { "done" } else { "running" },
        stage = stage.name(),
        done = units as f64,
        total = total as f64
    )
}

/// The result of the job but for its tables, or an error list.
#[extendr]
fn rust_job_collect(mut job: ExternalPtr<Running>) -> List {
    match job.job.collect() {
        Ok(outcome) => {
            job.tables = outcome.tables;
            (outcome.rest)()
        }
        Err(error) => error_list(&error),
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
    let found = job.tables.iter().find(|(key, _)| *key == name);
    found.map_or_else(
        || ().into(),
        |(_, table)| Robj::alloc_vector(rtype_to_sxp(Rtype::Doubles), table.len()),
    )
}

/// Numbers copied at a time: R looks for an interrupt in between.
const PART: usize = 1 << 22;

/// Copy the next part of a table, from its number `from` on, and return where it ends. What is
/// copied to the end is R's alone, and let go here.
#[extendr]
fn rust_job_copy(mut job: ExternalPtr<Running>, name: &str, mut room: Robj, from: f64) -> f64 {
    let from = from as usize;
    let Some(at) = job.tables.iter().position(|(key, _)| *key == name) else {
        return f64::INFINITY;
    };
    let table = &job.tables[at].1;
    let to = (from + PART).min(table.len());
    if let (Some(room), Some(part)) = (room.as_real_slice_mut(), table.get(from..to)) {
        room[from..to].copy_from_slice(part);
    }
    if to == table.len() {
        job.tables.swap_remove(at);
    }
    to as f64
}

/// Stop the job and wait for its threads.
#[extendr]
fn rust_job_cancel(mut job: ExternalPtr<Running>) {
    job.job.cancel();
}

extendr_module! {
    mod job;
    fn rust_job_poll;
    fn rust_job_collect;
    fn rust_job_tables;
    fn rust_job_room;
    fn rust_job_copy;
    fn rust_job_cancel;
}
