//! Data that arrive while a job works: a short queue from its owner, who reads the next part meanwhile.

use super::job::Control;
use crate::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Parts that may wait: one is worked on, one waits, one is being read.
const ROOM: usize = 2;
/// The longest wait before a stop is looked for.
const PAUSE: Duration = Duration::from_millis(20);

/// The owner's end.
pub struct Feeder<T> {
    sender: Option<Sender<T>>,
    waiting: Arc<AtomicUsize>,
}

/// The job's end.
pub struct Feed<T> {
    receiver: Receiver<T>,
    waiting: Arc<AtomicUsize>,
}

pub fn feed<T>() -> (Feeder<T>, Feed<T>) {
    let (sender, receiver) = channel();
    let waiting = Arc::new(AtomicUsize::new(0));
    (Feeder { sender: Some(sender), waiting: Arc::clone(&waiting) }, Feed { receiver, waiting })
}

impl<T> Feeder<T> {
    /// Never waits: ask before a part is made.
    pub fn has_room(&self) -> bool {
        self.waiting.load(SeqCst) < ROOM
    }

    pub fn give(&self, part: T) {
        self.waiting.fetch_add(1, SeqCst);
        // A job that has ended wants no more: its result says why.
        let _ = self.sender.as_ref().map(|sender| sender.send(part));
    }

    pub fn end(&mut self) {
        self.sender = None;
    }
}

impl<T> Feed<T> {
    /// The next part, or None after the last.
    pub fn next(&self, control: &Control) -> Result<Option<T>, Error> {
        loop {
            control.check()?;
            match self.receiver.recv_timeout(PAUSE) {
                Ok(part) => {
                    self.waiting.fetch_sub(1, SeqCst);
                    return Ok(Some(part));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_arrive_in_order_and_end() {
        let (mut feeder, feed) = feed();
        let control = Control::default();
        feeder.give(1);
        assert!(feeder.has_room());
        feeder.give(2);
        assert!(!feeder.has_room());
        assert_eq!(feed.next(&control), Ok(Some(1)));
        assert!(feeder.has_room());
        feeder.end();
        assert_eq!(feed.next(&control), Ok(Some(2)));
        assert_eq!(feed.next(&control), Ok(None));
        control.stop();
        assert_eq!(feed.next(&control), Err(Error::Cancelled));
    }
}
