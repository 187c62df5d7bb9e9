//! A running job, as R holds it.

use crate::convert::{Fields, Result, error_list};
use crate::settings::threads;
use crate::tables::Table;
use extendr_api::prelude::*;
use std::time::Duration;
use wbb_core::engine::feed::{Feed, Feeder, feed};
use wbb_core::engine::job::{Control, Job};
use wbb_core::moments::Rows;

/// What a job leaves for R's thread.
pub struct Outcome {
    /// The large ones, each to be fetched by itself.
    pub tables: Vec<(&'static str, Table)>,
    /// Makes the list of all else.
    pub rest: Box<dyn FnOnce() -> List + Send>,
}

pub struct Running {
    job: Job<Outcome>,
    pub tables: Vec<(&'static str, Table)>,
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

/// Stop the job and wait for its threads.
#[extendr]
fn rust_job_cancel(mut job: ExternalPtr<Running>) {
    job.job.cancel();
}

extendr_module! {
    mod job;
    fn rust_job_poll;
    fn rust_job_collect;
    fn rust_job_cancel;
}
