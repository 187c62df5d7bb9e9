//! Sums of rows that arrive in parts: the same bits whatever the parts, and the lasso of the rows in memory.

use wbb_core::data::source::Source;
use wbb_core::engine::bootstrap;
use wbb_core::engine::cv::Lambda;
use wbb_core::engine::feed::feed;
use wbb_core::engine::job::Control;
use wbb_core::engine::limits::Limits;
use wbb_core::lasso::{Lasso, Options};
use wbb_core::moments::{Request, Rows, Sums, collect};
use wbb_core::random::laws::{Law, PriorWeight};
use wbb_core::random::weights::WeightPlan;

const ROWS: usize = 1300;
const COLS: usize = 3;

fn value(i: usize, j: usize) -> f64 {
    ((i * (j + 3)) as f64 * 0.37).sin() + 1e5 * j as f64
}

fn plan() -> WeightPlan {
    WeightPlan::new(9, Law::Exponential, PriorWeight::Random, ROWS)
}

fn sums(first: usize, last: usize, part: usize, threads: usize) -> Sums {
    let (mut feeder, feed) = feed();
    for from in (first..last).step_by(part) {
        let rows = from..(from + part).min(last);
        let columns = (0..=COLS).flat_map(|j| rows.clone().map(move |i| value(i, j))).collect();
        feeder.give(Rows { columns, count: rows.len(), ..Rows::default() });
    }
    feeder.end();
    let request = Request {
        cols: COLS,
        first_row: first as u64,
        rows: None,
        first_draw: 1,
        draws: 21,
        folds: 4,
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(move || collect(&feed, &request, &plan(), &Control::default())).unwrap()
}

#[test]
fn bits_do_not_depend_on_parts_or_threads() {
    for (first, last) in [(0, ROWS), (700, 1299), (511, 513)] {
        let whole = sums(first, last, ROWS, 1);
        for (part, threads) in [(1, 1), (7, 3), (512, 2), (600, 2)] {
            let other = sums(first, last, part, threads);
            assert_eq!(other.draws, whole.draws, "{first} {part}");
            assert_eq!((&other.unit, &other.folds), (&whole.unit, &whole.folds));
            assert_eq!(other.totals, whole.totals);
        }
    }
}

#[test]
fn sums_give_the_draws_of_the_rows() {
    let options = || Options {
        lambda: Lambda::Given(vec![2.0, 30.0]),
        alpha: 0.9,
        penalty_factor: vec![1.0; COLS],
        intercept: true,
        standardize: true,
        refit: None,
        limits: Limits { tolerance: 1e-8, iterations: 100 },
    };
    let x: Vec<f64> = (0..COLS).flat_map(|j| (0..ROWS).map(move |i| value(i, j))).collect();
    let y: Vec<f64> = (0..ROWS).map(|i| value(i, COLS)).collect();
    let control = Control::default();
    let rows = Lasso::new(Source::dense(&x, ROWS, COLS), y, plan(), options(), &control).unwrap();
    let summed = Lasso::from_sums(sums(0, ROWS, 99, 1), 1, plan(), options(), &control).unwrap();
    let (a, b) = (
        bootstrap::run(&rows, 1, 21, &control).unwrap(),
        bootstrap::run(&summed, 1, 21, &control).unwrap(),
    );
    for (a, b) in a.theta.iter().zip(&b.theta) {
        assert!((a - b).abs() < 1e-8 * (1.0 + a.abs()), "{a} {b}");
    }
    for (a, b) in a.sigma.iter().zip(&b.sigma) {
        assert!((a / b - 1.0).abs() < 1e-8);
    }
}
