//! Replicates of a calibration: other responses on a shared design, and where the truth lies.

mod common;

use common::{five_folds, noise, normal, on_threads};
use wbb_core::calibrate::{self, Coverage, Original, Scheme, Simulation};
use wbb_core::data::source::Source;
use wbb_core::engine::bootstrap;
use wbb_core::engine::cv::Lambda;
use wbb_core::engine::job::Control;
use wbb_core::engine::limits::Limits;
use wbb_core::error::Error;
use wbb_core::lasso::{Glm, Lasso, Options};
use wbb_core::loss::response::{Family, Measure, Response};
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

const TRUTH: [f64; 5] = [3.0, 2.0, -1.0, 0.0, 0.0];

fn simulation(scheme: Scheme, replicates: usize) -> Simulation {
    let fitted = |i: usize| 3.0 + 2.0 * x()[i] - x()[ROWS + i];
    Simulation {
        scheme,
        truths: vec![TRUTH.to_vec()],
        sigma: 0.6,
        residuals: (0..ROWS).map(|i| y(1)[i] - fitted(i)).collect(),
        replicates,
        draws: 30,
        seed: 5,
    }
}

fn original(plan: WeightPlan, lambda: Lambda) -> Original {
    Original {
        x: Source::dense(&x(), ROWS, COLUMNS),
        response: Response { y: y(1).into(), family: Family::Gaussian, offset: None },
        sizes: Vec::new(),
        measure: Measure::Squares,
        plan,
        options: options(lambda, [1.0; COLUMNS]),
    }
}

fn coverage(simulation: &Simulation, plan: WeightPlan, lambda: Lambda) -> Result<Coverage, Error> {
    calibrate::lasso(original(plan, lambda), simulation, &Control::default())
}

/// Responses of each family but least squares, about a predictor of the first two columns.
fn families() -> Vec<(Response, Vec<f64>)> {
    let eta = |i: usize| 0.5 + x()[i] - 0.5 * x()[ROWS + i] + noise(3 * ROWS + i);
    let response = |family, of: &dyn Fn(usize) -> f64| Response {
        y: (0..ROWS).map(of).collect(),
        family,
        offset: None,
    };
    let status = (0..ROWS).map(|i| f64::from(u8::from(i % 3 > 0))).collect();
    let one = vec![0.5, 1.0, -0.5, 0.0, 0.0];
    vec![
        (response(Family::Binomial, &|i| f64::from(u8::from(eta(i) > 0.5))), one.clone()),
        (response(Family::Poisson, &|i| (0.5 * eta(i)).exp().round()), one.clone()),
        (
            response(Family::Multinomial { classes: 3 }, &|i| {
                1.0 + (eta(i) + 0.5).clamp(0.0, 2.0).floor()
            }),
            [vec![0.0; 5], one, vec![0.0; 5]].concat(),
        ),
        (response(Family::Cox { status }, &|i| (2.0 - eta(i)).exp()), vec![1.0, -0.5, 0.0, 0.0]),
    ]
}

#[test]
fn every_family_has_replicates_that_depend_on_their_number_alone() {
    for (response, truth) in families() {
        for scheme in [Scheme::Parametric, Scheme::Pairs] {
            let run = |threads, replicates| {
                let mut original = original(plan(1), five_folds(8));
                (original.response, original.measure) = (response.clone(), Measure::Deviance);
                original.options.intercept = !matches!(response.family, Family::Cox { .. });
                // A truth of their own for odd and even replicates.
                let other = truth.iter().map(|t| 0.5 * t).collect();
                let simulation = Simulation {
                    truths: vec![truth.clone(), other],
                    ..simulation(scheme, replicates)
                };
                on_threads(threads, || {
                    calibrate::lasso(original, &simulation, &Control::default()).unwrap()
                })
            };
            let (all, some) = (run(1, 6), run(3, 3));
            let family = &response.family;
            assert_eq!(all.lambda[..3], some.lambda, "{family:?} {scheme:?}");
            assert_eq!(all.mean.row(2), some.mean.row(2), "{family:?} {scheme:?}");
            assert_eq!(all.first.ncols(), truth.len());
            assert!(all.lambda.iter().any(|l| *l != all.lambda[0]), "{family:?} {scheme:?}");
        }
    }
}

#[test]
fn another_response_of_a_family_is_another_problem() {
    let control = Control::default();
    for (response, _) in families().into_iter().take(3) {
        let source = || Source::dense(&x(), ROWS, COLUMNS);
        let options = || options(Lambda::Given(vec![1.0]), [1.0; COLUMNS]);
        let first =
            Glm::new(source(), response.clone(), Measure::Deviance, plan(1), options(), &control);
        let mut turned = response;
        turned.y = turned.y.all().iter().rev().copied().collect();
        let other = first.unwrap().with_response(turned.clone(), 7, &control).unwrap();
        let alone = Glm::new(source(), turned, Measure::Deviance, plan(7), options(), &control);
        let draws = |glm: &Glm| bootstrap::run(glm, 1, 10, &control).unwrap().theta;
        assert_eq!(draws(&other), draws(&alone.unwrap()));
    }
}

#[test]
fn simulated_responses_have_the_means_of_their_truth() {
    // Without a penalty and with unit weights the draw of a replicate is its maximum likelihood estimate: over 300
    // replicates its mean is within 5 of its standard errors of the truth, and a bias of order 1/n.
    for (response, truth) in families().into_iter().take(2) {
        let mut original = original(
            WeightPlan::new(1, Law::Ones, PriorWeight::Fixed, ROWS),
            Lambda::Given(vec![0.0]),
        );
        (original.response, original.measure) = (response.clone(), Measure::Deviance);
        // Many trials, so that the bias is small.
        let trials = if response.family == Family::Binomial { 200.0 } else { 1.0 };
        original.sizes = vec![trials; ROWS];
        let offset = if trials == 1.0 { 3.0 } else { 0.0 };
        original.response.offset = Some(vec![offset; ROWS]);
        let simulation = Simulation {
            truths: vec![truth.clone()],
            draws: 1,
            ..simulation(Scheme::Parametric, 300)
        };
        let found = calibrate::lasso(original, &simulation, &Control::default()).unwrap();
        for (column, truth) in found.mean.columns().into_iter().zip(&truth) {
            let mean = column.mean().unwrap();
            let error = column.std(1.0) / 300f64.sqrt();
            assert!((mean - truth).abs() < 5.0 * error + 0.01, "{mean} {truth} {error}");
        }
    }
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
    let parametric = simulation(Scheme::Parametric, 3);
    let stopped =
        calibrate::lasso(original(plan(1), Lambda::Given(vec![1.0])), &parametric, &control);
    assert_eq!(stopped.err(), Some(Error::Cancelled));
    assert!(matches!(Scheme::new("wild"), Err(Error::Argument { argument: "scheme", .. })));
}
