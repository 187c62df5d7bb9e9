//! Memory that the system refuses: an error of the job, and not the end of the process.

use std::time::Duration;
use wbb_core::engine::job::{Control, Job, for_each};
use wbb_core::engine::memory::{Careful, room};
use wbb_core::error::Error;

#[global_allocator]
static ALLOCATOR: Careful = Careful;

/// More than any machine has.
const TOO_MUCH: usize = 1 << 58;

#[test]
fn a_job_without_memory_is_an_error_and_the_next_one_works() {
    let greedy = |control: &Control| {
        for_each(
            &[1, 2, 3],
            control,
            |_| String::new(),
            |&k| {
                let taken: Vec<u8> = Vec::with_capacity(if k == 2 { TOO_MUCH } else { k });
                std::hint::black_box(&taken);
                Ok(())
            },
        )
    };
    // Whoever waits, polls or drops gets on.
    assert_eq!(Job::start(Some(2), greedy).collect(), Err(Error::Memory));
    let mut polled = Job::start(Some(2), greedy);
    while !polled.wait(Duration::from_millis(5)) {}
    polled.cancel();
    drop(polled);
    drop(Job::start(Some(1), greedy));
    assert_eq!(Job::start(Some(2), |control| control.check().map(|()| 1)).collect(), Ok(1));
}

#[test]
fn large_tables_are_asked_for_first() {
    assert_eq!(room(TOO_MUCH), Err(Error::Memory));
    assert_eq!(room(usize::MAX), Err(Error::Memory));
    assert_eq!(room(1000), Ok(()));
    assert_eq!(room(0), Ok(()));
}
