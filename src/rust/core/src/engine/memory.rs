//! Memory that the system refuses. Rust ends the process then, and with it everything the user has in R; this allocator
//! makes it the error of a job. It holds a reserve, gives it back at the first refusal and says so to all threads, which
//! stop at their next look for a stop and free what they have. A thread of a job that gets nothing even then
//! waits for ever, and its job is given up. Only R's own thread, without any of this, ends the process.

use crate::error::Error;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// Never written to, so that it takes addresses and no memory. Above 32 MB freeing it does not change when malloc of
/// glibc asks the system for pages.
const RESERVE: Layout = match Layout::from_size_align(33 << 20, 16) {
    Ok(layout) => layout,
    Err(_) => panic!("no layout"),
};
/// How often, and in which steps, a thread asks again while others stop.
const TRIES: usize = 200;
const STEP: Duration = Duration::from_millis(10);

static SHORT: AtomicBool = AtomicBool::new(false);
static RESERVED: AtomicPtr<u8> = AtomicPtr::new(null_mut());
static GIVEN_UP: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static OF_A_JOB: Cell<bool> = const { Cell::new(false) };
}

/// Since the last job began, the system has refused memory.
pub fn short() -> bool {
    SHORT.load(Relaxed)
}

/// How many threads have been given up so far.
pub fn given_up() -> usize {
    GIVEN_UP.load(Relaxed)
}

/// A job begins: what was before does not concern it.
pub fn begin() {
    SHORT.store(false, Relaxed);
    if RESERVED.load(Relaxed).is_null() {
        // SAFETY: the layout is not of size zero. It may be null: then there is no reserve.
        keep(unsafe { System.alloc(RESERVE) });
    }
}

/// This thread belongs to a job, which can do without it.
pub fn may_be_given_up() {
    OF_A_JOB.with(|flag| flag.set(true));
}

/// An error where so many numbers cannot be had at once: asked before large tables are made.
pub fn room(numbers: usize) -> Result<(), Error> {
    let layout = Layout::array::<f64>(numbers.max(1)).map_err(|_| Error::Memory)?;
    // SAFETY: the layout is not of size zero, and what is there is given back.
    unsafe {
        // Not to be optimised away.
        let place = std::hint::black_box(System.alloc(layout));
        if place.is_null() {
            return Err(Error::Memory);
        }
        System.dealloc(place, layout);
    }
    Ok(())
}

fn keep(reserve: *mut u8) {
    let before = RESERVED.swap(reserve, Relaxed);
    if !before.is_null() {
        // SAFETY: it came from System with this layout, and nobody else has taken it out.
        unsafe { System.dealloc(before, RESERVE) };
    }
}

/// Ask again until there is memory.
#[cold]
fn ask_again(ask: &dyn Fn() -> *mut u8) -> *mut u8 {
    SHORT.store(true, Relaxed);
    keep(null_mut());
    for _ in 0..TRIES {
        let place = ask();
        if !place.is_null() {
            return place;
        }
        std::thread::sleep(STEP);
    }
    if OF_A_JOB.with(Cell::get) {
        GIVEN_UP.fetch_add(1, Relaxed);
        loop {
            std::thread::sleep(Duration::from_secs(3600));
        }
    }
    null_mut()
}

/// The system's allocator, but for what it does when there is nothing.
pub struct Careful;

// SAFETY: all is passed on to System with the same layouts; nothing unwinds.
unsafe impl GlobalAlloc for Careful {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let place = unsafe { System.alloc(layout) };
        if place.is_null() { ask_again(&|| unsafe { System.alloc(layout) }) } else { place }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let place = unsafe { System.alloc_zeroed(layout) };
        if place.is_null() { ask_again(&|| unsafe { System.alloc_zeroed(layout) }) } else { place }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let place = unsafe { System.realloc(old, layout, size) };
        if place.is_null() {
            ask_again(&|| unsafe { System.realloc(old, layout, size) })
        } else {
            place
        }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        unsafe { System.dealloc(place, layout) }
    }
}
