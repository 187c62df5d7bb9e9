//! Threads, progress and stop: a background job that its owner polls.

use super::memory;
use crate::error::Error;
use rayon::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
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
    Replicates,
}

impl Stage {
    const ALL: [Stage; 7] = [
        Stage::Mode,
        Stage::CrossValidation,
        Stage::Draws,
        Stage::Epochs,
        Stage::Predictions,
        Stage::Rows,
        Stage::Replicates,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Stage::Mode => "mode",
            Stage::CrossValidation => "cv",
            Stage::Draws => "draws",
            Stage::Epochs => "epochs",
            Stage::Predictions => "predictions",
            Stage::Rows => "rows",
            Stage::Replicates => "replicates",
        }
    }
}

/// What the owner and the workers share: progress one way, the stop signal the other.
#[derive(Debug, Default)]
pub struct Control {
    stop: Arc<AtomicBool>,
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
        if self.stop.load(Relaxed) {
            Err(Error::Cancelled)
        } else if memory::short() {
            Err(Error::Memory)
        } else {
            Ok(())
        }
    }

    /// For work that is a part of other work: it hears the same stop, and its progress is not shown.
    pub fn within(&self) -> Control {
        Control { stop: Arc::clone(&self.stop), ..Control::default() }
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
    on_all_threads(items.len(), &|at| {
        control.check()?;
        let item = &items[at];
        catch_unwind(AssertUnwindSafe(|| work(item))).unwrap_or_else(|panic| {
            Err(Error::Internal(format!("{}: {}", name(item), text(&*panic))))
        })
    })
}

/// Give each of `parts`, such as the pieces of a table that is filled, to `work` with its number.
pub fn for_parts<T: Send>(
    parts: impl IntoIterator<Item = T>,
    control: &Control,
    work: impl Fn(usize, T) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    let parts: Vec<_> = parts.into_iter().map(|part| Mutex::new(Some(part))).collect();
    on_all_threads(parts.len(), &|at| {
        control.check()?;
        let part = parts[at].lock().unwrap_or_else(PoisonError::into_inner).take();
        part.map_or(Ok(()), |part| work(at, part))
    })
}

/// The only parallel loop: items are begun in their order, and a single one needs no other thread. It knows
/// nothing of its work, so that what rayon makes of a loop, 5 kB, is compiled once and not for every one.
fn on_all_threads(
    count: usize,
    work: &(dyn Fn(usize) -> Result<(), Error> + Sync),
) -> Result<(), Error> {
    if count <= 1 {
        return (0..count).try_for_each(work);
    }
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    (0..rayon::current_num_threads()).into_par_iter().try_for_each(|_| {
        while !failed.load(Relaxed) {
            let at = next.fetch_add(1, Relaxed);
            if at >= count {
                break;
            }
            work(at).inspect_err(|_| failed.store(true, Relaxed))?;
        }
        Ok(())
    })
}

/// A panic as an error.
fn caught<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(Error::Internal(text(&*panic))))
}

fn text(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()))
        .unwrap_or_else(|| "panic".into())
}

/// Run `work` in a pool of `threads` (None: one a core) made for it: the global pool would hang in
/// a forked process. Where no threads can be had, as in webR, the pool is this thread.
fn in_pool(threads: Option<usize>, work: &mut (dyn FnMut() + Send)) -> Result<(), Error> {
    let mut builder = rayon::ThreadPoolBuilder::new().start_handler(|_| memory::may_be_given_up());
    if let Some(threads) = threads {
        builder = builder.num_threads(threads);
    }
    let this_thread = || rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    let pool = builder.build().or_else(|_| this_thread().build());
    match pool {
        Ok(pool) => pool.install(work),
        // It is in such a pool already, since the job before.
        Err(_) if rayon::current_thread_index().is_some() => work(),
        Err(e) => return Err(Error::argument("threads", format!("could not be started: {e}"))),
    }
    Ok(())
}

/// None: there is no thread to be had, as in webR, and the work was done here.
fn on_own_thread(body: Box<dyn FnOnce() + Send>) -> Option<JoinHandle<()>> {
    // The thread takes it out; what could not be started gives it back so.
    let ours = Arc::new(Mutex::new(Some(body)));
    let theirs = Arc::clone(&ours);
    let run = |body: &Mutex<Option<Box<dyn FnOnce() + Send>>>| {
        let body = body.lock().unwrap_or_else(PoisonError::into_inner).take();
        body.into_iter().for_each(|body| body());
    };
    let thread = std::thread::Builder::new().name("wbb-job".into()).spawn(move || {
        memory::may_be_given_up();
        run(&theirs);
    });
    if thread.is_err() {
        run(&ours);
    }
    thread.ok()
}

/// Between two looks at a job whose result is waited for.
const POLL: Duration = Duration::from_millis(50);

/// Work in the background. Dropping it stops it and waits for its threads.
pub struct Job<T> {
    control: Arc<Control>,
    result: Receiver<Result<T, Error>>,
    ready: Option<Result<T, Error>>,
    thread: Option<JoinHandle<()>>,
    /// Threads that had been given up when it began.
    given_up: usize,
}

impl<T: Send + 'static> Job<T> {
    /// Start `work` on a thread of its own, inside a pool of `threads` made for this job (None: one a
    /// core).
    pub fn start(
        threads: Option<usize>,
        work: impl FnOnce(&Control) -> Result<T, Error> + Send + 'static,
    ) -> Job<T> {
        memory::begin();
        let given_up = memory::given_up();
        let control = Arc::new(Control::default());
        let shared = Arc::clone(&control);
        let (sender, result) = channel();
        // Taken out by the pool, which may call it but once.
        let mut work = Some(work);
        let body = Box::new(move || {
            let mut outcome = Err(Error::Cancelled);
            let mut run = || {
                if let Some(work) = work.take() {
                    outcome = work(&shared);
                }
            };
            let outcome = caught(|| in_pool(threads, &mut run)).and(outcome);
            // The owner may be gone: then nobody wants the result.
            let _ = sender.send(outcome);
        });
        Job { control, result, ready: None, thread: on_own_thread(body), given_up }
    }

    /// Work that takes less time than to start a thread: it is done when this returns.
    pub fn at_once(work: impl FnOnce(&Control) -> Result<T, Error>) -> Job<T> {
        memory::begin();
        let control = Arc::new(Control::default());
        let ready = Some(caught(|| work(&control)));
        Job { control, result: channel().1, ready, thread: None, given_up: memory::given_up() }
    }

    /// Wait at most `timeout`; true when the result is there.
    pub fn wait(&mut self, timeout: Duration) -> bool {
        if self.ready.is_none() {
            self.ready = match self.result.recv_timeout(timeout) {
                Ok(result) => Some(result),
                Err(RecvTimeoutError::Timeout) if self.is_lost() => Some(Err(Error::Memory)),
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
        while !self.wait(POLL) {}
        self.join();
        self.ready.take().unwrap_or(Err(Error::Cancelled))
    }

    /// Stop and wait for the threads.
    pub fn cancel(&mut self) {
        self.control.stop();
        self.join();
    }
}

impl<T> Job<T> {
    /// A thread of it waits for memory that will not come: all that waits for that thread does, too.
    fn is_lost(&self) -> bool {
        memory::given_up() > self.given_up
    }

    fn join(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        let mut pause = Duration::from_micros(20);
        while !thread.is_finished() {
            if self.is_lost() {
                return;
            }
            std::thread::sleep(pause);
            pause = (2 * pause).min(Duration::from_millis(1));
        }
        // Panics were caught inside the thread.
        let _ = thread.join();
    }
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.control.stop();
        self.join();
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
        let mut job = Job::start(Some(2), |_| Ok(42));
        assert!(job.wait(LONG));
        assert_eq!(job.collect(), Ok(42));
        assert_eq!(job.collect(), Err(Error::Cancelled));
    }

    #[test]
    fn cancelling_and_dropping_stop_the_threads() {
        let begin = Instant::now();
        let mut job = Job::start(Some(1), endless);
        assert!(!job.wait(Duration::from_millis(5)));
        job.cancel();
        job.cancel();
        assert!(job.wait(LONG));
        drop(Job::start(Some(1), endless));
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
        });
        assert_eq!(job.collect(), Err(Error::Internal("draw 2: 100% broken".into())));
        let mut job: Job<()> = Job::start(Some(1), |_| panic!("outside"));
        assert_eq!(job.collect(), Err(Error::Internal("outside".into())));
    }

    #[test]
    fn short_work_is_done_at_once() {
        let here = std::thread::current().id();
        let mut job = Job::at_once(|_| Ok(std::thread::current().id()));
        assert!(job.wait(Duration::ZERO));
        assert_eq!(job.collect(), Ok(here));
        let mut job: Job<()> = Job::at_once(|_| panic!("inside"));
        assert_eq!(job.collect(), Err(Error::Internal("inside".into())));
    }

    #[test]
    fn parts_are_filled_in_their_places() {
        let control = Control::default();
        let mut out = vec![0; 10];
        let fill = |at: usize, part: &mut [usize]| {
            part.fill(at);
            Ok(())
        };
        for_parts(out.chunks_mut(3), &control, fill).unwrap();
        assert_eq!(out, [0, 0, 0, 1, 1, 1, 2, 2, 2, 3]);
        control.stop();
        assert_eq!(for_parts(out.chunks_mut(3), &control, fill), Err(Error::Cancelled));
    }

    #[test]
    fn progress_is_seen_from_outside() {
        let mut job = Job::start(Some(1), |control| {
            control.begin(Stage::Draws, 10);
            control.advance(4);
            endless(control)
        });
        while job.progress() != (Stage::Draws, 4, 10) {
            assert!(!job.wait(Duration::from_millis(1)));
        }
    }
}
