//! The generalised lasso as its users see it: special cases, certificates that hold, whatever the units.

mod common;

use common::{assert_close, grid, noise, normal};
use proptest::prelude::*;
use sprs::TriMat;
use wbb_core::engine::bootstrap;
use wbb_core::engine::cv::Lambda;
use wbb_core::engine::freedom::residual_sd;
use wbb_core::engine::job::Control;
use wbb_core::engine::limits::Limits;
use wbb_core::engine::problem::Status;
use wbb_core::error::Error;
use wbb_core::genlasso::{GenLasso, GenLassoOptions};
use wbb_core::linalg::sparse::{SparseMatrix, multiply, multiply_transposed};
use wbb_core::random::laws::{Law, PriorWeight};
use wbb_core::random::weights::WeightPlan;
use wbb_core::trendfilter::{Knots, Points, certify, difference, solve};

fn fit_by(
    law: Law,
    y: &[f64],
    x: Option<SparseMatrix>,
    d: SparseMatrix,
    lambda: &[f64],
) -> GenLasso {
    let plan = WeightPlan::new(3, law, PriorWeight::Random, y.len());
    let limits = Limits { tolerance: 1e-6, iterations: 200 };
    let options = GenLassoOptions { lambda: Lambda::Given(lambda.to_vec()), limits };
    GenLasso::new(y.to_vec(), x, d, plan, options, &Control::default()).unwrap()
}

fn fit(y: &[f64], x: Option<SparseMatrix>, d: SparseMatrix, lambda: &[f64]) -> GenLasso {
    fit_by(Law::Exponential, y, x, d, lambda)
}

fn dense(rows: usize, cols: usize, value: impl Fn(usize, usize) -> f64) -> SparseMatrix {
    let mut x = TriMat::new((rows, cols));
    for i in 0..rows {
        for j in 0..cols {
            if value(i, j) != 0.0 {
                x.add_triplet(i, j, value(i, j));
            }
        }
    }
    x.to_csr()
}

/// ½ Σ (y − Xβ)² + λ Σ |Dβ|, by the definition.
fn objective(y: &[f64], x: &SparseMatrix, d: &SparseMatrix, lambda: f64, beta: &[f64]) -> f64 {
    let loss: f64 = multiply(x, beta).iter().zip(y).map(|(f, y)| 0.5 * (y - f) * (y - f)).sum();
    loss + lambda * multiply(d, beta).iter().map(|v| v.abs()).sum::<f64>()
}

fn even(n: usize) -> Vec<f64> {
    (0..n).map(|i| i as f64).collect()
}

#[test]
fn trend_filters_are_special_cases() {
    let n = 80;
    let x = even(n);
    let y: Vec<f64> = x.iter().map(|t| (t / 9.0).sin() * 4.0 + noise(*t as usize)).collect();
    for order in 0..=2 {
        for lambda in [1e-6, 0.1, 3.0, 100.0, 1e6, 1e9] {
            let found = fit(&y, None, difference(&x, order), &[lambda]);
            let (w, c) = (vec![1.0; n], vec![lambda; n - order - 1]);
            let points = Points { x: &x, y: &y, w: &w };
            let exact =
                solve(order, points, &c, Knots::default(), 1000, &Control::default()).unwrap();
            let best = certify(&exact, &y, &w, &c, 0.0);
            let mode = &found.modes[0];
            assert_eq!(mode.status, Status::Converged, "{order} {lambda} {}", mode.gap);
            // The gap is true: no less than the excess over the exact minimum, but for rounding of
            // differences.
            let excess = mode.objective / best.objective - 1.0;
            assert!(excess <= mode.gap + 1e-10 && excess >= -1e-10, "{order} {lambda} {excess}");
            assert_close(&mode.theta, &exact.beta, 1e-3, "trend");
            // And so is the number of its knots, by which σ is measured.
            let df = (exact.knots.at.len() + order + 1) as f64;
            let sigma = residual_sd(best.squares, n, n as f64, n as f64, df);
            assert_close(&[mode.sigma], &[sigma], 1e-3, "sigma");
        }
    }
}

#[test]
fn draws_on_a_grid_are_certified() {
    let y: Vec<f64> = (0..144).map(|i| if i % 12 < 6 { 0.0 } else { 3.0 } + noise(i)).collect();
    let lasso = fit(&y, None, grid(12), &[0.5, 1e6]);
    let draws = bootstrap::run(&lasso, 1, 10, &Control::default()).unwrap();
    assert!(draws.gap.iter().all(|g| *g <= 1e-6), "{:?}", draws.gap);
    // A strong penalty leaves the mean.
    let mean = y.iter().sum::<f64>() / 144.0;
    assert_close(&lasso.modes[1].theta, &vec![mean; 144], 1e-6, "mean");
}

#[test]
fn the_identity_as_penalty_is_the_lasso() {
    // Orthogonal design: soft thresholding.
    let y = [3.0, -0.5, 1.5, 0.2];
    let x = dense(4, 4, |i, j| if i == j { 2.0 } else { 0.0 });
    let lasso = fit(&y, Some(x), SparseMatrix::eye(4), &[2.0]);
    let exact = y.map(|y: f64| (2.0 * y.abs() - 2.0).max(0.0) / 4.0 * y.signum());
    assert_close(&lasso.modes[0].theta, &exact, 1e-4, "soft thresholding");
}

#[test]
fn more_columns_than_rows_and_any_lambda_end_below_every_start() {
    let (n, p) = (12, 40);
    let x = dense(n, p, |i, j| normal(i * p + j));
    let y: Vec<f64> = (0..n).map(|i| normal(100_000 + i)).collect();
    for d in [SparseMatrix::eye(p), difference(&even(p), 0), difference(&even(p), 1)] {
        for exponent in -12..=12 {
            let lambda = 10f64.powi(exponent);
            let lasso = fit(&y, Some(x.clone()), d.clone(), &[lambda]);
            let mode = &lasso.modes[0];
            let start = objective(&y, &x, &d, lambda, &vec![0.0; p]);
            let end = objective(&y, &x, &d, lambda, &mode.theta);
            assert!(end <= start * (1.0 + 1e-6), "{exponent} {end} {start}");
            if exponent >= -9 {
                assert_eq!(mode.status, Status::Converged, "{exponent} {}", mode.gap);
            }
        }
        let none = fit(&y, Some(x.clone()), d.clone(), &[0.0]);
        assert!(none.modes[0].objective < 1e-20 && none.modes[0].status == Status::Converged);
    }
}

#[test]
fn without_differences_it_is_least_squares() {
    let (x, _) = any_problem(20, 4, 5, false, false);
    let y: Vec<f64> = (0..20).map(|i| normal(7 * i)).collect();
    for d in [SparseMatrix::zero((0, 4)), SparseMatrix::zero((3, 4))] {
        let mode = &fit(&y, Some(x.clone()), d, &[1.0]).modes[0];
        assert_eq!(mode.status, Status::Converged);
        let rest: Vec<f64> = y.iter().zip(multiply(&x, &mode.theta)).map(|(y, f)| y - f).collect();
        assert_close(&multiply_transposed(&x, &rest), &[0.0; 4], 1e-9, "normal equations");
        let squares: f64 = rest.iter().map(|r| r * r).sum();
        assert_close(&[mode.sigma], &[(squares / 16.0).sqrt()], 1e-9, "sigma");
    }
}

/// X of rank one less than its columns if `twice`, rows of D that repeat or vanish if `spoilt`.
fn any_problem(
    n: usize,
    p: usize,
    seed: usize,
    twice: bool,
    spoilt: bool,
) -> (SparseMatrix, SparseMatrix) {
    let column = |j: usize| if twice && j + 1 == p { 0 } else { j };
    let empty = |j: usize| twice && j == p / 2;
    let x =
        dense(n, p, |i, j| if empty(j) { 0.0 } else { normal(seed + 31 * i + 997 * column(j)) });
    let rows = p + p / 2;
    let d = dense(rows, p, |r, j| {
        let row = if spoilt && r >= p { r - p } else { r };
        let (a, b) = (row % p, (7 * row + 3 + row / p) % p);
        let vanishes = spoilt && r % 5 == 4;
        f64::from(u8::from(j == a && !vanishes))
            - f64::from(u8::from(j == b && b != a && !vanishes))
    });
    (x, d)
}

proptest! {
    #[test]
    fn every_answer_is_finite_certified_honestly_and_no_worse_than_nothing(
        n in 1usize..25, p in 2usize..25, seed in 0usize..10_000, twice in prop::bool::ANY,
        spoilt in prop::bool::ANY, exponent in -12i32..=12, unit in -200i32..=150,
    ) {
        let (x, d) = any_problem(n, p, seed, twice, spoilt);
        let scale = 10f64.powi(unit);
        let y: Vec<f64> = (0..n).map(|i| scale * normal(seed + 7 * i)).collect();
        let lambda = scale * 10f64.powi(exponent);
        for law in [Law::Exponential, Law::Multinomial] {
            let lasso = fit_by(law, &y, Some(x.clone()), d.clone(), &[lambda]);
            let draws = bootstrap::run(&lasso, 1, 3, &Control::default()).unwrap();
            prop_assert!(draws.theta.iter().all(|v| v.is_finite()));
            prop_assert!(draws.sigma.iter().all(|v| v.is_finite()));
            let converged = draws.status.iter().filter(|s| **s == Status::Converged).count();
            prop_assert!(exponent < -8 || converged == 3, "{:?} {:?}", law, draws.gap);
        }
        let lasso = fit_by(Law::Ones, &y, Some(x.clone()), d.clone(), &[lambda]);
        let mode = &lasso.modes[0];
        let one: Vec<f64> = y.iter().map(|y| y / scale).collect();
        let theta: Vec<f64> = mode.theta.iter().map(|b| b / scale).collect();
        let end = objective(&one, &x, &d, lambda / scale, &theta);
        let start = objective(&one, &x, &d, lambda / scale, &vec![0.0; p]);
        prop_assert!(end <= start * (1.0 + 1e-6) + 1e-300, "{} {}", end, start);
        if mode.status == Status::Converged {
            check_minimum(&one, &x, &d, lambda / scale, &theta, end);
        }
    }
}

/// No step along a coefficient, or a random direction, whatever its length, goes below what was
/// certified.
fn check_minimum(y: &[f64], x: &SparseMatrix, d: &SparseMatrix, lambda: f64, at: &[f64], end: f64) {
    let zero = objective(y, x, d, lambda, &vec![0.0; at.len()]);
    for k in 0..3 * at.len() {
        for size in [1e-6, 1e-3, 0.1, 1.0] {
            let step = |i: usize| {
                let along =
                    if k < at.len() { f64::from(u8::from(i == k)) } else { normal(97 * k + i) };
                size * along * if k % 2 == 0 { 1.0 } else { -1.0 }
            };
            let moved: Vec<f64> = at.iter().enumerate().map(|(i, b)| b + step(i)).collect();
            let other = objective(y, x, d, lambda, &moved);
            assert!(end <= other + 2e-6 * end + 1e-15 * zero, "{k} {size}: {end} {other}");
        }
    }
}

#[test]
fn what_no_double_can_hold_is_not_called_converged() {
    let y = [1e200, -3e200, 2e200];
    let lasso = fit(&y, None, difference(&even(3), 0), &[1e200]);
    let mode = &lasso.modes[0];
    assert!(mode.objective.is_infinite() && mode.status == Status::NotConverged);
    // The coefficients are those of the same problem in other units.
    let small = fit(&[1.0, -3.0, 2.0], None, difference(&even(3), 0), &[1.0]);
    let theta: Vec<f64> = mode.theta.iter().map(|b| b / 1e200).collect();
    assert_close(&theta, &small.modes[0].theta, 1e-12, "units");
}

#[test]
fn units_of_y_x_and_d_do_not_matter() {
    let (x, d) = any_problem(20, 8, 5, false, false);
    let y: Vec<f64> = (0..20).map(|i| normal(7 * i)).collect();
    let one = fit(&y, Some(x.clone()), d.clone(), &[0.7]);
    let (a, b, c) = (1e-6, 1e5, 1e3);
    let large: Vec<f64> = y.iter().map(|y| b * y).collect();
    let other = fit(&large, Some(x.map(|v| a * v)), d.map(|v| c * v), &[0.7 * a * b / c]);
    let theta: Vec<f64> = other.modes[0].theta.iter().map(|v| v * a / b).collect();
    assert_close(&theta, &one.modes[0].theta, 1e-5, "units");
    assert_close(&[other.modes[0].objective / b / b], &[one.modes[0].objective], 1e-8, "units");
    assert_close(&[other.modes[0].sigma / b], &[one.modes[0].sigma], 1e-5, "units");
}

#[test]
fn shapes_that_do_not_fit_are_refused_and_a_stopped_run_ends() {
    let plan = || WeightPlan::new(3, Law::Ones, PriorWeight::Fixed, 3);
    let options = || GenLassoOptions {
        lambda: Lambda::Given(vec![1.0]),
        limits: Limits { tolerance: 1e-6, iterations: 200 },
    };
    let y = vec![1.0, 2.0, 3.0];
    let control = Control::default();
    let wrong = GenLasso::new(y.clone(), None, grid(2), plan(), options(), &control);
    assert_eq!(wrong.err().map(|e| e.kind()), Some("argument"));
    control.stop();
    let stopped = GenLasso::new(y, None, difference(&even(3), 0), plan(), options(), &control);
    assert_eq!(stopped.err(), Some(Error::Cancelled));
}
