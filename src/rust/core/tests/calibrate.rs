//! Replicates of a calibration: other responses on a shared design, and where the truth lies.

mod common;

use common::{five_folds, noise, normal, on_threads};
use wbb_core::calibrate::{self, Coverage, Scheme, Simulation};
use wbb_core::data::source::Source;
use wbb_core::engine::bootstrap;
use wbb_core::engine::cv::Lambda;
use wbb_core::engine::job::Control;
use wbb_core::engine::limits::Limits;
use wbb_core::error::Error;
use wbb_core::lasso::{Lasso, Options};
use wbb_core::random::laws::{Law, PriorWeight};
use wbb_core::random::weights::WeightPlan;
use wbb_core::trendfilter::{TrendFilter, TrendOptions};

const ROWS: usize = 40;
const COLUMNS: usize = 4;
const LIMITS: Limits = Limits { tolerance: 1e-8, iterations: 1000 };

fn x() -> Vec<f64> {
    (0..ROWS * COLUMNS).map(normal).collect()
}

fn y(salt: usize) -> Vec<f64> {
    let x = x();
    (0..ROWS).map(|i| 3.0 + 2.0 * x[i] - x[ROWS + i] + noise(salt * ROWS + i)).collect()
}

fn plan(seed: u64) -> WeightPlan {
    WeightPlan::new(seed, Law::Exponential, PriorWeight::Random, ROWS)
        .with_case_weights((0..ROWS).map(|i| 1.0 + (i % 3) as f64).collect())
        .unwrap()
}

fn options(lambda: Lambda, factors: [f64; COLUMNS]) -> Options {
    Options {
        lambda,
        alpha: 1.0,
        penalty_factor: factors.to_vec(),
        intercept: true,
        standardize: true,
        refit: None,
        limits: LIMITS,
    }
}

#[test]
fn another_response_on_the_same_design_is_another_problem() {
    let control = Control::default();
    // Two free columns that are the same span a line: the design has a basis in their place.
    let mut twins = x();
    twins.copy_within(0..ROWS, ROWS);
    let ones = [1.0; COLUMNS];
    for (x, factors) in [(x(), ones), (x(), [0.0, 1.0, 2.0, 1.0]), (twins, [0.0, 0.0, 1.0, 1.0])] {
        for lambda in [Lambda::Given(vec![2.0]), five_folds(20)] {
            let source = || Source::dense(&x, ROWS, COLUMNS);
            let first =
                Lasso::new(source(), y(1), plan(1), options(lambda.clone(), factors), &control);
            let other = first.unwrap().with_response(y(2), 7, &control).unwrap();
            let alone = Lasso::new(source(), y(2), plan(7), options(lambda, factors), &control);
            let alone = alone.unwrap();
            assert_eq!(other.lambda, alone.lambda);
            let draws = |lasso: &Lasso| bootstrap::run(lasso, 1, 20, &control).unwrap();
            assert_eq!(draws(&other).theta, draws(&alone).theta);
        }
    }
}

#[test]
fn another_response_on_the_same_grid_is_another_trend() {
    let control = Control::default();
    let points: Vec<f64> = (0..ROWS).map(|i| (i / 2) as f64).collect();
    let options = || TrendOptions { lambda: Lambda::Given(vec![1.0]), order: 1, limits: LIMITS };
    let first = TrendFilter::new(&points, y(1), plan(1), options(), &control).unwrap();
    let other = first.with_response(y(2), 7, &control).unwrap();
    let alone = TrendFilter::new(&points, y(2), plan(7), options(), &control).unwrap();
    let draws = |filter: &TrendFilter| bootstrap::run(filter, 1, 20, &control).unwrap();
    assert_eq!(draws(&other).theta, draws(&alone).theta);
}

fn simulation(scheme: Scheme, replicates: usize) -> Simulation {
    Simulation {
        scheme,
        truth: vec![3.0, 2.0, -1.0, 0.0, 0.0],
        fitted: (0..ROWS).map(|i| 3.0 + 2.0 * x()[i] - x()[ROWS + i]).collect(),
        sigma: 0.6,
        replicates,
        draws: 30,
        seed: 5,
    }
}

fn coverage(simulation: &Simulation, plan: WeightPlan, lambda: Lambda) -> Result<Coverage, Error> {
    let source = Source::dense(&x(), ROWS, COLUMNS);
    let options = options(lambda, [1.0; COLUMNS]);
    calibrate::lasso(source, y(1), plan, options, simulation, &Control::default())
}

#[test]
fn a_replicate_depends_on_its_number_alone() {
    for scheme in [Scheme::Parametric, Scheme::Residual, Scheme::Pairs] {
        let run = |threads, replicates| {
            let simulation = simulation(scheme, replicates);
            on_threads(threads, || coverage(&simulation, plan(1), five_folds(10)).unwrap())
        };
        let (all, some) = (run(1, 9), run(3, 4));
        assert_eq!(all.lambda[..4], some.lambda);
        for r in 0..4 {
            assert_eq!(all.first.row(r), some.first.row(r), "{scheme:?}");
            assert_eq!(all.last.row(r), some.last.row(r), "{scheme:?}");
        }
        assert!(all.first.iter().zip(&all.last).all(|(a, b)| 0.0 <= *a && a <= b && *b <= 1.0));
        // Replicates differ.
        assert!(all.first.column(1).iter().any(|p| *p != all.first[[0, 1]]));
    }
}

#[test]
fn clusters_are_drawn_whole_and_those_without_weight_never() {
    // One cluster has weight: every replicate is that cluster, whose one weight cancels without a penalty.
    let clusters: Vec<u32> = (0..ROWS as u32).map(|i| i % 2).collect();
    let case = (0..ROWS).map(|i| f64::from(i as u32 % 2)).collect();
    let plan = WeightPlan::new(1, Law::Exponential, PriorWeight::Fixed, ROWS)
        .with_case_weights(case)
        .and_then(|p| p.with_clusters(clusters))
        .unwrap();
    let pairs = simulation(Scheme::Pairs, 8);
    let found = coverage(&pairs, plan, Lambda::Given(vec![0.0])).unwrap();
    for column in found.first.columns() {
        assert!(column.iter().all(|p| *p == 0.0 || *p == 1.0));
    }
    assert_eq!(found.failed, vec![0; 8]);
}

#[test]
fn a_stop_is_heard_and_words_are_known() {
    let control = Control::default();
    control.stop();
    let source = Source::dense(&x(), ROWS, COLUMNS);
    let options = options(Lambda::Given(vec![1.0]), [1.0; COLUMNS]);
    let parametric = simulation(Scheme::Parametric, 3);
    let stopped = calibrate::lasso(source, y(1), plan(1), options, &parametric, &control);
    assert_eq!(stopped.err(), Some(Error::Cancelled));
    assert!(matches!(Scheme::new("wild"), Err(Error::Argument { argument: "scheme", .. })));
}
