//! Rows that are kept in a file: what of each is in memory while a family is fitted to them.

mod common;

use common::families::{draws, options, plan, problem};
use common::five_folds;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use wbb_core::data::store::Store;
use wbb_core::engine::cv::Lambda;
use wbb_core::engine::job::Control;
use wbb_core::lasso::{Glm, Options};
use wbb_core::loss::response::{Family, Measure};

struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is the system's; bytes are counted beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Relaxed) + layout.size();
        MOST.fetch_max(held, Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Most bytes that a fit takes beside its rows.
fn bytes(n: usize, family: &Family, lambda: Lambda) -> f64 {
    let p = 4;
    let mut d = problem(n, p, family.clone());
    let path = std::env::temp_dir().join(format!("wbb-rows-{}-{n}", std::process::id()));
    let mut store = Store::new(p, 0, path);
    store.add(&d.x, n).unwrap();
    d.x = Vec::new();
    let before = HELD.load(Relaxed);
    MOST.store(before, Relaxed);
    let options = Options { lambda, ..options(p, &[]) };
    let (x, control) = (store.finish().unwrap(), Control::default());
    let glm = Glm::new(x, d.response, Measure::Deviance, plan(n), options, &control).unwrap();
    draws(&glm, 1, 8);
    (MOST.load(Relaxed) - before) as f64
}

#[test]
fn little_of_a_row_is_in_memory() {
    let (few, given) = (140_000, Lambda::Given(vec![100.0]));
    let cases = [
        (Family::Binomial, given.clone(), 20.0),
        (Family::Binomial, five_folds(3), 30.0),
        (Family::Poisson, given.clone(), 20.0),
        (Family::Multinomial { classes: 3 }, given, 20.0),
    ];
    for (family, lambda, most) in cases {
        let of = |n: usize| common::on_threads(1, || bytes(n, &family, lambda.clone()));
        let of_row = (of(2 * few) - of(few)) / few as f64;
        assert!(of_row < most, "{family:?}: {of_row} bytes");
    }
}
