//! The lasso as its users see it: methods against each other, invariances, special cases.

mod common;

use common::{assert_close, five_folds, flat, noise};
use ndarray::s;
use wbb_core::data::source::Source;
use wbb_core::engine::bootstrap::{self, Draws};
use wbb_core::engine::cv::Lambda;
use wbb_core::engine::job::Control;
use wbb_core::engine::limits::Limits;
use wbb_core::engine::problem::Status;
use wbb_core::error::Error;
use wbb_core::lasso::{Lasso, Method, Options};
use wbb_core::random::laws::{Law, PriorWeight};
use wbb_core::random::weights::WeightPlan;

const METHODS: [Method; 3] = [Method::Gram, Method::Reference, Method::WorkingSet];

struct Problem {
    n: usize,
    x: Vec<f64>,
    y: Vec<f64>,
}

fn problem(n: usize, p: usize) -> Problem {
    let x: Vec<f64> = (0..n * p).map(|i| noise(i) + 0.5).collect();
    let y = (0..n)
        .map(|i| 3.0 + 2.0 * x[i] - x[n * (p / 2) + i] + 1.5 * noise(7_000_000 + i))
        .collect();
    Problem { n, x, y }
}

fn options(p: usize, lambda: &[f64]) -> Options {
    Options {
        lambda: Lambda::Given(lambda.to_vec()),
        alpha: 1.0,
        penalty_factor: vec![1.0; p],
        intercept: true,
        standardize: true,
        refit: None,
        limits: Limits { tolerance: 1e-10, iterations: 1000 },
    }
}

fn plan(n: usize) -> WeightPlan {
    WeightPlan::new(5, Law::Exponential, PriorWeight::Random, n)
}

fn lasso(d: &Problem, plan: WeightPlan, options: Options) -> Result<Lasso, Error> {
    Lasso::new(
        Source::dense(&d.x, d.n, d.x.len() / d.n),
        d.y.clone(),
        plan,
        options,
        &Control::default(),
    )
}

fn draws(lasso: &Lasso, first: u64, count: usize) -> Draws<f64> {
    bootstrap::run(lasso, first, count, &Control::default()).unwrap()
}

#[test]
fn the_three_methods_agree_and_certify() {
    for (n, p, lambda) in [(300, 12, 20.0), (60, 40, 5.0), (400, 5, 0.0), (80, 6, 1e5)] {
        for alpha in [1.0, 0.4] {
            let mut found: Vec<Draws<f64>> = Vec::new();
            for method in METHODS {
                let mut opts = options(p, &[lambda, 2.0 * lambda]);
                opts.alpha = alpha;
                opts.penalty_factor[p - 1] = 0.0;
                let mut l = lasso(&problem(n, p), plan(n), opts).unwrap();
                l.method = method;
                let d = draws(&l, 1, 20);
                assert!(d.gap.iter().all(|g| *g <= 1e-10), "{n} {p} {lambda} {method:?}");
                assert!(d.status.iter().all(|s| *s == Status::Converged));
                found.push(d);
            }
            for d in &found[1..] {
                // With fewer effective rows than columns the objective is nearly flat in places.
                if n > 2 * p {
                    assert_close(flat(&d.theta), flat(&found[0].theta), 2e-4, "coefficients");
                }
                assert_close(flat(&d.objective), flat(&found[0].objective), 1e-8, "objective");
            }
        }
    }
}

#[test]
fn bits_do_not_depend_on_threads_nor_chunks() {
    let plain = problem(150, 20);
    let mut collinear = problem(150, 20);
    for i in 0..150 * 10 {
        collinear.x[150 * 10 + i] = collinear.x[i] + 1e-4 * noise(900 + i);
    }
    for (method, d) in METHODS.into_iter().flat_map(|m| [(m, &plain), (m, &collinear)]) {
        let mut l = lasso(d, plan(150), options(20, &[3.0])).unwrap();
        l.method = method;
        let whole = draws(&l, 1, 50);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let threaded = pool.install(|| draws(&l, 1, 50));
        assert_eq!(whole.theta, threaded.theta);
        let (head, tail) = (draws(&l, 1, 13), draws(&l, 14, 37));
        assert_eq!(whole.theta.slice(s![..13, .., ..]), head.theta, "{method:?}");
        assert_eq!(whole.theta.slice(s![13.., .., ..]), tail.theta, "{method:?}");
    }
}

#[test]
fn integer_weights_are_replicated_rows_and_zero_weights_removed_ones() {
    let d = problem(40, 4);
    let times: Vec<f64> = (0..40).map(|i| (i % 4) as f64).collect();
    let rows: Vec<usize> = (0..40).flat_map(|i| vec![i; i % 4]).collect();
    let pick = |v: &[f64]| rows.iter().map(|&i| v[i]).collect::<Vec<f64>>();
    let expanded =
        Problem { n: rows.len(), x: d.x.chunks(40).flat_map(pick).collect(), y: pick(&d.y) };
    let ones = |n| WeightPlan::new(1, Law::Ones, PriorWeight::Fixed, n);
    let a = lasso(&d, ones(40).with_case_weights(times).unwrap(), options(4, &[6.0])).unwrap();
    let b = lasso(&expanded, ones(expanded.n), options(4, &[6.0])).unwrap();
    assert_close(&a.modes[0].theta, &b.modes[0].theta, 1e-9, "mode");
    assert_close(flat(&draws(&a, 1, 1).theta), &a.modes[0].theta, 1e-9, "draw of ones");
}

#[test]
fn sparse_is_dense_without_the_zeros() {
    let (n, p) = (120, 9);
    let mut d = problem(n, p);
    for (i, v) in d.x.iter_mut().enumerate() {
        // The last column stays full: it is centred outright.
        if i < n * (p - 1) && noise(i + 99) > -0.6 {
            *v = 0.0;
        }
    }
    for (intercept, standardize) in [(true, true), (true, false), (false, true)] {
        let opts = || Options { intercept, standardize, ..options(p, &[4.0]) };
        let dense = lasso(&d, plan(n), opts()).unwrap();
        let x = Source::without_zeros(&d.x, n, p);
        let mut sparse = Lasso::new(x, d.y.clone(), plan(n), opts(), &Control::default()).unwrap();
        for method in [Method::Reference, Method::WorkingSet] {
            sparse.method = method;
            let (a, b) = (draws(&sparse, 1, 9), draws(&dense, 1, 9));
            assert_close(flat(&a.theta), flat(&b.theta), 1e-4, "sparse");
            assert_close(flat(&a.objective), flat(&b.objective), 1e-9, "sparse objective");
        }
    }
}

#[test]
fn draws_near_saturation_do_not_depend_on_the_form_of_the_columns() {
    // Few rows are filled near saturation, many are not, and a path passes from one form to the other.
    for (n, p, lambda) in [(60, 300, [20.0, 0.05]), (450, 460, [60.0, 0.5])] {
        let mut d = problem(n, p);
        for (i, v) in d.x.iter_mut().enumerate() {
            if noise(i + 99) > -0.4 {
                *v = 0.0;
            }
        }
        let dense = lasso(&d, plan(n), options(p, &lambda)).unwrap();
        let x = Source::without_zeros(&d.x, n, p);
        let opts = options(p, &lambda);
        let sparse = Lasso::new(x, d.y.clone(), plan(n), opts, &Control::default()).unwrap();
        let (a, b) = (draws(&sparse, 1, 6), draws(&dense, 1, 6));
        assert!(a.gap.iter().chain(&b.gap).all(|g| *g <= 1e-10), "{n} {:?} {:?}", a.gap, b.gap);
        assert_close(flat(&a.objective), flat(&b.objective), 1e-9, "objective");
        assert_eq!(a.theta.slice(s![4.., .., ..]), draws(&sparse, 5, 2).theta);
    }
}

#[test]
fn a_large_lambda_leaves_only_the_intercept() {
    let d = problem(50, 6);
    let l = lasso(&d, plan(50), options(6, &[1e6])).unwrap();
    let mean = d.y.iter().sum::<f64>() / 50.0;
    assert_close(&l.modes[0].theta, &[mean, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], 1e-12, "mode");
    // Wide: the working set starts empty.
    let wide = problem(20, 2100);
    let l = lasso(&wide, plan(20), options(2100, &[1e6])).unwrap();
    assert!(l.modes[0].theta[1..].iter().all(|b| *b == 0.0));
}

#[test]
fn wide_problems_are_solved_beyond_the_gram_limit() {
    let d = problem(60, 2100);
    let opts = Options { lambda: five_folds(8), ..options(2100, &[]) };
    let l = lasso(&d, plan(60), opts).unwrap();
    let curve = l.curve.as_ref().unwrap();
    assert!(curve.lambda.len() == 8 && curve.nonzero[0] == 0 && curve.index_min > 0);
    assert!(l.modes[0].gap <= 1e-10);
    assert!(draws(&l, 1, 10).gap.iter().all(|g| *g <= 1e-10));
}

#[test]
fn wide_draws_are_exact_whatever_their_support() {
    // Rows in more than one block; supports from nothing to as many as there are rows.
    for (n, p, lambda, alpha) in [(510, 530, 40.0, 1.0), (90, 400, 0.5, 1.0), (90, 400, 2.0, 0.3)] {
        let mut d = problem(n, p);
        for i in 0..n * 30 {
            d.x[n * 200 + i] = d.x[i] + 1e-5 * noise(5000 + i);
        }
        let opts = |intercept| Options { alpha, intercept, ..options(p, &[lambda, 0.1 * lambda]) };
        for intercept in [true, false] {
            let mut l = lasso(&d, plan(n), opts(intercept)).unwrap();
            l.method = Method::WorkingSet;
            let whole = draws(&l, 1, 4);
            assert!(whole.gap.iter().all(|g| *g <= 1e-10), "{n} {alpha} {:?}", whole.gap);
            let (head, tail) = (draws(&l, 1, 3), draws(&l, 4, 1));
            assert_eq!(whole.objective.slice(s![..3, ..]), head.objective);
            assert_eq!(whole.objective.slice(s![3.., ..]), tail.objective);
            l.method = Method::Gram;
            assert_close(flat(&whole.objective), flat(&draws(&l, 1, 4).objective), 1e-8, "wide");
        }
    }
}

#[test]
fn the_second_step_is_least_squares_on_the_selected_set() {
    let d = problem(200, 8);
    let refit = |refit| Options { refit, ..options(8, &[30.0]) };
    for method in METHODS {
        let mut one = lasso(&d, plan(200), refit(None)).unwrap();
        let mut two = lasso(&d, plan(200), refit(Some(0.0))).unwrap();
        one.method = method;
        two.method = method;
        let (a, b) = (draws(&one, 1, 8), draws(&two, 1, 8));
        let support = |d: &Draws<f64>| d.theta.iter().map(|v| *v == 0.0).collect::<Vec<bool>>();
        assert_eq!(support(&a), support(&b));
        // Its objective is the residual sum of squares alone, and smaller than the lasso's.
        assert!(a.sigma.iter().zip(&b.sigma).all(|(a, b)| b <= a));
        assert!(b.gap.iter().all(|g| *g <= 1e-10));
    }
}

#[test]
fn empty_draws_and_constant_responses_are_no_trouble() {
    let mut d = problem(3, 2);
    let poisson = WeightPlan::new(3, Law::Poisson, PriorWeight::Random, 3);
    for method in METHODS {
        let mut l = lasso(&d, poisson.clone(), options(2, &[0.1])).unwrap();
        l.method = method;
        let found = draws(&l, 1, 200);
        assert!(found.theta.iter().all(|v| v.is_finite()), "{method:?}");
        // P(all three weights zero) = e^-3: none in 200 draws has probability 4e-5.
        let empty = found.status.iter().filter(|s| **s == Status::Empty).count();
        assert!(empty > 0 && empty < 60, "{empty}");
    }
    d.y = vec![7.0; 3];
    let l = lasso(&d, plan(3), options(2, &[0.1])).unwrap();
    let found = draws(&l, 1, 5);
    assert_close(&flat(&found.theta)[..5], &[7.0; 5], 1e-12, "intercept");
    assert!(flat(&found.theta)[5..].iter().all(|v| *v == 0.0));
}

#[test]
fn cross_validation_is_reproducible_and_keeps_clusters_together() {
    let d = problem(90, 5);
    let cluster: Vec<u32> = (0..90).map(|i| i / 3).collect();
    let fit = || {
        let opts = Options { lambda: five_folds(30), ..options(5, &[]) };
        lasso(&d, plan(90).with_clusters(cluster.clone()).unwrap(), opts).unwrap()
    };
    let (a, b) = (fit(), fit());
    let (a, b) = (a.curve.unwrap(), b.curve.unwrap());
    assert_eq!((&a.fold, &a.mean, &a.se), (&b.fold, &b.mean, &b.se));
    assert!(a.fold.chunks(3).all(|c| c[0] == c[1] && c[1] == c[2]));
    assert!(a.lambda[a.index_1se] >= a.lambda[a.index_min]);
}

#[test]
fn a_stopped_fit_is_cancelled() {
    let d = problem(50, 3);
    let control = Control::default();
    control.stop();
    let l = Lasso::new(Source::dense(&d.x, 50, 3), d.y, plan(50), options(3, &[1.0]), &control);
    assert_eq!(l.err(), Some(Error::Cancelled));
}
