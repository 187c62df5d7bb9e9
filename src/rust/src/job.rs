//! A running job, as R holds it.

use crate::convert::{Fields, Result, error_list};
use crate::settings::threads;
use extendr_api::prelude::*;
use std::time::Duration;
use wbb_core::engine::job::{Control, Job};

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
}

/// Start `work` on the threads of the settings: an external pointer.
pub fn start(
    settings: &Fields,
    work: impl FnOnce(&Control) -> Result<Outcome> + Send + 'static,
) -> Result<Robj> {
    let job = Job::start(threads(settings)?, work)?;
    Ok(ExternalPtr::new(Running { job, tables: Vec::new() }).into())
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

/// One of them, which then is R's alone; NULL if it is not there.
#[extendr]
fn rust_job_table(mut job: ExternalPtr<Running>, name: &str) -> Robj {
    let at = job.tables.iter().position(|(key, _)| *key == name);
    at.map_or_else(|| ().into(), |at| job.tables.swap_remove(at).1.into())
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
    fn rust_job_table;
    fn rust_job_cancel;
}
