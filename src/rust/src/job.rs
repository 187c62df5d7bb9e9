//! A running job, as R holds it.

use crate::convert::{Fields, Result, error_list};
use crate::settings::threads;
use extendr_api::prelude::*;
use std::time::Duration;
use wbb_core::parallel::{Control, Job};

/// Makes the R value of a result, on R's thread.
pub type Convert = Box<dyn FnOnce() -> List + Send>;

pub struct Running(Job<Convert>);

/// Start `work` on the threads of the settings: an external pointer.
pub fn start(
    settings: &Fields,
    work: impl FnOnce(&Control) -> Result<Convert> + Send + 'static,
) -> Result<Robj> {
    let job = Job::start(threads(settings)?, work)?;
    Ok(ExternalPtr::new(Running(job)).into())
}

/// Wait at most `timeout_ms` for the job; its state and progress.
#[extendr]
fn rust_job_poll(mut job: ExternalPtr<Running>, timeout_ms: f64) -> List {
    let done = job.0.wait(Duration::from_millis(timeout_ms.max(0.0) as u64));
    let (stage, units, total) = job.0.progress();
    list!(
        state = if done { "done" } else { "running" },
        stage = stage.name(),
        done = units as f64,
        total = total as f64
    )
}

/// The result of the job, or an error list.
#[extendr]
fn rust_job_collect(mut job: ExternalPtr<Running>) -> List {
    match job.0.collect() {
        Ok(convert) => convert(),
        Err(error) => error_list(&error),
    }
}

/// Stop the job and wait for its threads.
#[extendr]
fn rust_job_cancel(mut job: ExternalPtr<Running>) {
    job.0.cancel();
}

extendr_module! {
    mod job;
    fn rust_job_poll;
    fn rust_job_collect;
    fn rust_job_cancel;
}
