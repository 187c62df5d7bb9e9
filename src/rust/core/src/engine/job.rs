//! Threads, progress and stop: a background job that its owner polls.

use crate::error::Error;
use rayon::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// What a job is doing now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Mode,
    CrossValidation,
    Draws,
    Epochs,
    Predictions,
    Rows,
}

impl Stage {
    const ALL: [Stage; 6] = [
        Stage::Mode,
        Stage::CrossValidation,
        Stage::Draws,
        Stage::Epochs,
        Stage::Predictions,
        Stage::Rows,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Stage::Mode => "mode",
            Stage::CrossValidation => "cv",
            Stage::Draws => "draws",
            Stage::Epochs => "epochs",
            Stage::Predictions => "predictions",
            Stage::Rows => "rows",
        }
    }
}

/// What the owner and the workers share: progress one way, the stop signal the other.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    stage: AtomicU8,
    done: AtomicU64,
    total: AtomicU64,
}

impl Control {
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// To be asked often: between blocks of rows, steps and draws.
    pub fn check(&self) -> Result<(), Error> {
        if self.stop.load(Relaxed) { Err(Error::Cancelled) } else { Ok(()) }
    }

    pub fn begin(&self, stage: Stage, total: u64) {
        self.stage.store(stage as u8, Relaxed);
        self.done.store(0, Relaxed);
        self.total.store(total, Relaxed);
    }

    pub fn advance(&self, by: u64) {
        self.done.fetch_add(by, Relaxed);
    }

    /// Stage, units done, units in all.
    pub fn progress(&self) -> (Stage, u64, u64) {
        let stage = self.stage.load(Relaxed);
        let known = Stage::ALL.into_iter().find(|s| *s as u8 == stage).unwrap_or(Stage::Mode);
        (known, self.done.load(Relaxed), self.total.load(Relaxed))
    }
}

/// Run `work` on every item, on the threads of the pool we are in; the first error stops the rest. Items
/// are begun in their order, so that at a stop those that are done are the first, but for a few.
pub fn for_each<T: Sync>(
    items: &[T],
    control: &Control,
    name: impl Fn(&T) -> String + Sync,
    work: impl Fn(&T) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    let one = |item: &T| {
        control.check()?;
        catch_unwind(AssertUnwindSafe(|| work(item))).unwrap_or_else(|panic| {
            Err(Error::Internal(format!("{}: {}", name(item), text(&*panic))))
        })
    };
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    (0..rayon::current_num_threads()).into_par_iter().try_for_each(|_| {
        while !failed.load(Relaxed) {
            let Some(item) = items.get(next.fetch_add(1, Relaxed)) else { break };
            one(item).inspect_err(|_| failed.store(true, Relaxed))?;
        }
        Ok(())
    })
}

fn text(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()))
        .unwrap_or_else(|| "panic".into())
}

/// Run `work` in a pool of `threads` (None: one a core) made for it: the global pool would hang in
/// a forked process.
fn in_pool<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    let mut builder = rayon::ThreadPoolBuilder::new();
    if let Some(threads) = threads {
        builder = builder.num_threads(threads);
    }
    let failed = |e| Error::argument("threads", format!("could not be started: {e}"));
    builder.build().map(|pool| pool.install(work)).map_err(failed)
}

/// Work in the background. Dropping it stops it and waits for its threads.
pub struct Job<T> {
    control: Arc<Control>,
    result: Receiver<Result<T, Error>>,
    ready: Option<Result<T, Error>>,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static> Job<T> {
    /// Start `work` on a thread of its own, inside a pool of `threads` made for this job (None: one a
    /// core).
    pub fn start(
        threads: Option<usize>,
        work: impl FnOnce(&Control) -> Result<T, Error> + Send + 'static,
    ) -> Result<Job<T>, Error> {
        let control = Arc::new(Control::default());
        let shared = Arc::clone(&control);
        let (sender, result) = channel();
        let body = move || {
            let outcome = catch_unwind(AssertUnwindSafe(|| in_pool(threads, || work(&shared))?))
                .unwrap_or_else(|panic| Err(Error::Internal(text(&*panic))));
            // The owner may be gone: then nobody wants the result.
            let _ = sender.send(outcome);
        };
        let thread = std::thread::Builder::new()
            .name("wbb-job".into())
            .spawn(body)
            .map_err(|e| Error::Internal(format!("no thread could be started: {e}")))?;
        Ok(Job { control, result, ready: None, thread: Some(thread) })
    }

    /// Wait at most `timeout`; true when the result is there.
    pub fn wait(&mut self, timeout: Duration) -> bool {
        if self.ready.is_none() {
            self.ready = match self.result.recv_timeout(timeout) {
                Ok(result) => Some(result),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => Some(Err(Error::Cancelled)),
            };
        }
        self.ready.is_some()
    }

    pub fn progress(&self) -> (Stage, u64, u64) {
        self.control.progress()
    }

    /// The result; waits for it. A second call finds it gone.
    pub fn collect(&mut self) -> Result<T, Error> {
        let result = match self.ready.take() {
            Some(result) => result,
            None => self.result.recv().unwrap_or(Err(Error::Cancelled)),
        };
        self.join();
        result
    }

    /// Stop and wait for the threads.
    pub fn cancel(&mut self) {
        self.control.stop();
        self.join();
    }

    fn join(&mut self) {
        if let Some(thread) = self.thread.take() {
            // Panics were caught inside the thread.
            let _ = thread.join();
        }
    }
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.control.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    const LONG: Duration = Duration::from_secs(60);

    fn endless(control: &Control) -> Result<(), Error> {
        loop {
            control.check()?;
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_result_arrives_once() {
        let mut job = Job::start(Some(2), |_| Ok(42)).unwrap();
        assert!(job.wait(LONG));
        assert_eq!(job.collect(), Ok(42));
        assert_eq!(job.collect(), Err(Error::Cancelled));
    }

    #[test]
    fn cancelling_and_dropping_stop_the_threads() {
        let begin = Instant::now();
        let mut job = Job::start(Some(1), endless).unwrap();
        assert!(!job.wait(Duration::from_millis(5)));
        job.cancel();
        job.cancel();
        assert!(job.wait(LONG));
        drop(Job::start(Some(1), endless).unwrap());
        assert!(begin.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_panic_is_an_error_that_names_the_item() {
        let mut job: Job<()> = Job::start(Some(2), |control| {
            for_each(
                &[1, 2, 3],
                control,
                |k| format!("draw {k}"),
                |&k| {
                    assert!(k != 2, "100% broken");
                    Ok(())
                },
            )
        })
        .unwrap();
        assert_eq!(job.collect(), Err(Error::Internal("draw 2: 100% broken".into())));
        let mut job: Job<()> = Job::start(Some(1), |_| panic!("outside")).unwrap();
        assert_eq!(job.collect(), Err(Error::Internal("outside".into())));
    }

    #[test]
    fn progress_is_seen_from_outside() {
        let mut job = Job::start(Some(1), |control| {
            control.begin(Stage::Draws, 10);
            control.advance(4);
            endless(control)
        })
        .unwrap();
        while job.progress() != (Stage::Draws, 4, 10) {
            assert!(!job.wait(Duration::from_millis(1)));
        }
    }
}
