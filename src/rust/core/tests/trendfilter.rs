//! Trend filtering as its users see it: optimality by the definition, invariances, special cases.

mod common;

use common::{assert_close, five_folds, noise, normal, uniform};
use ndarray::s;
use proptest::prelude::*;
use wbb_core::engine::bootstrap::{self, Draws};
use wbb_core::engine::cv::Lambda;
use wbb_core::engine::job::Control;
use wbb_core::engine::limits::Limits;
use wbb_core::engine::problem::Status;
use wbb_core::error::Error;
use wbb_core::linalg::sparse::{multiply, multiply_transposed};
use wbb_core::random::laws::{Law, PriorWeight};
use wbb_core::random::weights::WeightPlan;
use wbb_core::trendfilter::{
    FoundTrend, Knots, Points, TrendFilter, TrendOptions, certify, difference, solve,
};

/// The paper's signal, stretched to n points.
fn paper(n: usize) -> Vec<f64> {
    let signal = |t: f64| (4.0 * std::f64::consts::PI * t).sin() * (3.0 * t).exp();
    (1..=n).map(|i| signal(i as f64 / n as f64) + 2.0 * normal(i)).collect()
}

fn exponentials(n: usize, seed: usize) -> Vec<f64> {
    (0..n).map(|i| -uniform(1_000_003 * (seed + 1) + i).ln()).collect()
}

fn even(n: usize) -> Vec<f64> {
    (1..=n).map(|i| i as f64).collect()
}

fn minimise(order: usize, points: Points, c: &[f64]) -> FoundTrend {
    solve(order, points, c, Knots::default(), 100_000, &Control::default()).unwrap()
}

/// The conditions of optimality by the definition, with the matrix D.
fn check_optimal(order: usize, points: Points, c: &[f64], found: &FoundTrend, tolerance: f64) {
    let d = difference(points.x, order);
    let scale = c.iter().fold(0.0f64, |m, v| m.max(*v));
    // D'u = w (y − β), to rounding of the terms of the sums; close points make D large.
    let size = {
        let mut absolute = d.clone();
        absolute.data_mut().iter_mut().for_each(|v| *v = v.abs());
        let sums = multiply_transposed(&absolute, &vec![scale; d.rows()]);
        sums.into_iter().fold(0.0, f64::max)
    };
    for (i, v) in multiply_transposed(&d, &found.dual).iter().enumerate() {
        let residual = points.w[i] * (points.y[i] - found.beta[i]);
        let bound = tolerance * (size + residual.abs()) + 1e-13 * points.w[i] * points.y[i].abs();
        assert!((v - residual).abs() <= bound, "D'u at {i}: {v} {residual}");
    }
    let largest = found.beta.iter().fold(1.0f64, |m, b| m.max(b.abs()));
    for (j, v) in multiply(&d, &found.beta).iter().enumerate() {
        let row: f64 = d.outer_view(j).map_or(0.0, |r| r.iter().map(|(_, a)| a.abs()).sum());
        let at = found.knots.at.binary_search(&j);
        let jump = at.map_or(0.0, |i| found.knots.jump[i]);
        assert!((v - jump).abs() <= tolerance * row * largest, "(Dβ) at {j}: {v} {jump}");
        assert!(found.dual[j].abs() <= c[j] * (1.0 + 1e-9), "|u| at {j}");
        if at.is_ok() {
            assert!(jump != 0.0);
            assert_eq!(found.dual[j], c[j] * jump.signum(), "u at knot {j}");
        }
    }
    let certificate = certify(found, points.y, points.w, c, 0.0);
    assert!(certificate.gap <= 1e-8, "gap {}", certificate.gap);
}

proptest! {
    #[test]
    fn every_solution_satisfies_the_kkt_conditions(
        order in 0usize..=3, extra in 1usize..150, seed in 0usize..10_000, level in -6.0f64..5.0,
        uneven in prop::bool::ANY, noise in 0.0f64..3.0, prior in prop::bool::ANY,
    ) {
        let n = order + 1 + extra;
        let x: Vec<f64> = (0..n)
            .scan(0.0, |at, i| {
                *at += if uneven { 0.05 - uniform(seed + 7 * i).ln() } else { 1.0 };
                Some(*at)
            })
            .collect();
        let y: Vec<f64> =
            (0..n).map(|i| (x[i] / 9.0).sin() * 5.0 + noise * normal(seed * 31 + i)).collect();
        let w = exponentials(n, seed);
        let c: Vec<f64> = (0..n - order - 1)
            .map(|j| 10f64.powf(level) * if prior { -uniform(seed + 13 * j).ln() } else { 1.0 })
            .collect();
        let points = Points { x: &x, y: &y, w: &w };
        check_optimal(order, points, &c, &minimise(order, points, &c), 1e-8);
    }
}

#[test]
fn long_series_and_tiny_weights_are_certified() {
    for (n, order, lambda) in
        [(20_000, 0, 30.0), (20_000, 1, 2e3), (20_000, 2, 2e5), (20_000, 3, 1e7)]
    {
        let (x, y) = (even(n), paper(n));
        let mut w = exponentials(n, order);
        w[n / 2] = 1e-6;
        w[n / 3] = 1e-9;
        let points = Points { x: &x, y: &y, w: &w };
        let c = vec![lambda; n - order - 1];
        let found = minimise(order, points, &c);
        assert!(found.knots.at.len() > 5);
        let certificate = certify(&found, &y, &w, &c, 0.0);
        assert!(certificate.gap < 1e-10, "{order} {}", certificate.gap);
    }
}

#[test]
fn a_start_changes_the_steps_and_not_the_solution() {
    let n = 400;
    let (x, y, w) = (even(n), paper(n), exponentials(n, 1));
    let points = Points { x: &x, y: &y, w: &w };
    for (order, lambda) in [(1, 20.0), (2, 100.0), (3, 1000.0)] {
        let c = vec![lambda; n - order - 1];
        let from =
            |start: Knots| solve(order, points, &c, start, 1000, &Control::default()).unwrap();
        let cold = from(Knots::default());
        // Its own knots need one step, those of a lambda nearby fewer than none, knots everywhere and of
        // any sign more than one.
        let own = from(cold.knots.clone());
        let near = from(minimise(order, points, &vec![0.9 * lambda; n - order - 1]).knots);
        let at: Vec<usize> = (0..n - order - 1).step_by(7).collect();
        let jump = at.iter().map(|&t| noise(t)).collect();
        let wild = from(Knots { at, jump });
        assert_eq!(own.iterations, 1, "{order}");
        assert!(
            near.iterations < cold.iterations,
            "{order} {} {}",
            near.iterations,
            cold.iterations
        );
        assert!(wild.iterations > 1, "{order}");
        for other in [own, near, wild] {
            assert_eq!(cold.knots.at, other.knots.at, "{order}");
            assert_close(&other.beta, &cold.beta, 1e-8, "trend");
        }
    }
}

/// Uneven x, order, lambda, minimum, minimiser: by Clarabel 0.11.1 through CVXPY 1.9.3, tolerances 1e-13.
const GOLDEN: [(bool, usize, f64, f64, [f64; 24]); 8] = [
    (
        false,
        0,
        2.5,
        31.1908166852,
        [
            2.3911651, 2.3911651, 2.3911651, 2.3911651, 2.3911651, 2.3911651, 2.3911651, 2.3911651,
            1.0347530, 1.0347530, 0.0159700, 0.0159700, -2.0949545, -2.0949545, -3.0007981,
            -3.0007981, -3.0007981, -3.0007981, -3.0007981, -3.0007981, -2.9056802, -2.9056802,
            -1.5317572, -1.5317572,
        ],
    ),
    (
        false,
        1,
        4.0,
        22.3495469534,
        [
            2.1982467, 2.3774898, 2.5567329, 2.7359760, 2.9152191, 3.0944622, 2.6530685, 2.2116748,
            1.4544894, 0.6973039, -0.0598816, -0.8170671, -1.5742525, -2.3314380, -3.0886235,
            -3.8458090, -3.6834297, -3.5210505, -3.3586712, -3.1962920, -2.6768071, -2.1573222,
            -1.6378374, -1.1183525,
        ],
    ),
    (
        false,
        2,
        6.0,
        15.6095746618,
        [
            1.6713670, 2.2805865, 2.7179516, 2.9834624, 3.0771188, 2.9989208, 2.7488685, 2.3269618,
            1.7332007, 1.0377446, 0.2405934, -0.6582528, -1.6587942, -2.5655084, -3.2631196,
            -3.7516278, -4.0310328, -4.1013347, -3.9625335, -3.6146293, -3.0576219, -2.2915115,
            -1.3162980, -0.1319814,
        ],
    ),
    (
        false,
        3,
        10.0,
        14.0408849768,
        [
            1.2569933, 2.2678938, 2.9287027, 3.2761695, 3.3470436, 3.1780742, 2.8060108, 2.2676028,
            1.5995994, 0.8387502, 0.0218045, -0.8144883, -1.6333789, -2.3981179, -3.0719559,
            -3.6181436, -3.9999315, -4.1889600, -4.1568698, -3.8753012, -3.3158948, -2.4502909,
            -1.2501300, 0.3129473,
        ],
    ),
    (
        true,
        0,
        2.5,
        31.1908166852,
        [
            2.3911651, 2.3911651, 2.3911651, 2.3911651, 2.3911651, 2.3911651, 2.3911651, 2.3911651,
            1.0347530, 1.0347530, 0.0159700, 0.0159700, -2.0949545, -2.0949545, -3.0007981,
            -3.0007981, -3.0007981, -3.0007981, -3.0007981, -3.0007981, -2.9056802, -2.9056802,
            -1.5317572, -1.5317572,
        ],
    ),
    (
        true,
        1,
        4.0,
        22.1986705379,
        [
            2.1239121, 2.2054771, 2.5669221, 2.9227694, 3.0043344, 3.3681783, 2.5606796, 2.3735837,
            1.3641779, 0.3988189, 0.1734461, -0.8433008, -1.8005846, -2.0266915, -3.0507796,
            -3.9999881, -3.9114724, -3.5092846, -3.1417582, -3.0529560, -2.5215407, -2.0434924,
            -1.9262353, -1.3914375,
        ],
    ),
    (
        true,
        2,
        6.0,
        15.4207271300,
        [
            1.6578929, 1.9182569, 2.8114980, 3.2756071, 3.3239381, 3.2758537, 2.8171440, 2.6529424,
            1.6501533, 0.6020213, 0.3447815, -0.8747577, -2.1112965, -2.3661478, -3.2934734,
            -3.8209673, -3.8997376, -4.0278876, -3.8156565, -3.7172007, -3.0352351, -2.0953638,
            -1.8176170, -0.3149844,
        ],
    ),
    (
        true,
        3,
        10.0,
        13.5142189162,
        [
            1.4297881, 1.8018944, 2.9871563, 3.4949471, 3.5303952, 3.3718021, 2.8023001, 2.6230928,
            1.6540091, 0.5514248, 0.2803609, -0.9544053, -2.0566709, -2.2974269, -3.2410116,
            -3.8233724, -3.9180902, -4.1186728, -3.9528712, -3.8599773, -3.1614618, -2.1284069,
            -1.8136493, -0.0573283,
        ],
    ),
];

#[test]
fn solutions_agree_with_a_general_conic_solver() {
    let round = |v: f64| (v * 1e3).round() / 1e3;
    let i = even(24);
    let fraction = |v: f64, modulus: f64| v.rem_euclid(modulus);
    let y: Vec<f64> = (i.iter())
        .map(|i| round(4.0 * (i / 3.7).sin() + (fraction(7.0 * i * i + 3.0 * i, 11.0) - 5.0) / 3.0))
        .collect();
    let w: Vec<f64> =
        i.iter().map(|i| round(0.05 + fraction(5.0 * i * i + i, 13.0) / 6.0)).collect();
    let uneven: Vec<f64> = i.iter().map(|i| round(i + 0.4 * (2.1 * i).sin())).collect();
    for (at, order, lambda, minimum, minimiser) in &GOLDEN {
        let points = Points { x: if *at { &uneven } else { &i }, y: &y, w: &w };
        let c = vec![*lambda; 24 - order - 1];
        let found = minimise(*order, points, &c);
        assert_close(&found.beta, minimiser, 2e-6, "trend");
        assert_close(&[certify(&found, &y, &w, &c, 0.0).objective], &[*minimum], 1e-9, "trend");
    }
}

// The problem on the engine ------------------------------------------------------------

fn options(order: usize, lambda: &[f64]) -> TrendOptions {
    TrendOptions {
        lambda: Lambda::Given(lambda.to_vec()),
        order,
        limits: Limits { tolerance: 1e-8, iterations: 10_000 },
    }
}

fn plan(n: usize, law: Law) -> WeightPlan {
    WeightPlan::new(7, law, PriorWeight::Random, n)
}

fn filter(
    x: &[f64],
    y: &[f64],
    plan: WeightPlan,
    options: TrendOptions,
) -> Result<TrendFilter, Error> {
    TrendFilter::new(x, y.to_vec(), plan, options, &Control::default())
}

fn draws(filter: &TrendFilter, first: u64, count: usize) -> Draws<Knots> {
    bootstrap::run(filter, first, count, &Control::default()).unwrap()
}

#[test]
fn draws_are_certified_for_every_law_and_order() {
    let n = 120;
    for law in [Law::Exponential, Law::Dirichlet(0.5), Law::Poisson, Law::Multinomial, Law::Mammen]
    {
        for order in 0..=3 {
            let f =
                filter(&even(n), &paper(n), plan(n, law), options(order, &[5.0, 50.0])).unwrap();
            let d = draws(&f, 1, 10);
            assert!(
                d.status.iter().all(|s| *s == Status::Converged),
                "{law:?} {order} {:?}",
                d.gap
            );
            assert_eq!(d.asides.len(), 20);
        }
    }
}

#[test]
fn a_draw_depends_on_its_number_alone() {
    let n = 200;
    let f = filter(&even(n), &paper(n), plan(n, Law::Exponential), options(2, &[30.0])).unwrap();
    let whole = draws(&f, 1, 6);
    let part = draws(&f, 4, 3);
    assert_eq!(whole.theta.slice(s![3.., .., ..]), part.theta);
    assert_eq!(whole.asides[3..], part.asides);
}

#[test]
fn the_order_of_rows_and_the_unit_of_x_do_not_matter() {
    let n = 90;
    let (x, y) = (even(n), paper(n));
    for order in 0..=3usize {
        let unit = 0.01f64;
        let one = filter(&x, &y, plan(n, Law::Ones), options(order, &[8.0])).unwrap();
        let small: Vec<f64> = x.iter().rev().map(|x| x * unit + 3.0).collect();
        let back: Vec<f64> = y.iter().rev().copied().collect();
        let lambda = 8.0 * unit.powi(order as i32);
        let other = filter(&small, &back, plan(n, Law::Ones), options(order, &[lambda])).unwrap();
        assert_close(&other.modes[0].theta, &one.modes[0].theta, 1e-8, "trend");
        assert_close(&[other.modes[0].objective], &[one.modes[0].objective], 1e-9, "trend");
        let (a, b) = (&one.modes[0].aside, &other.modes[0].aside);
        assert_eq!(a.at, b.at);
        let scaled: Vec<f64> = b.jump.iter().map(|j| j * unit.powi(order as i32)).collect();
        assert_close(&scaled, &a.jump, 1e-6, "trend");
    }
}

#[test]
fn ties_are_one_point_with_the_sum_of_their_weights() {
    let (x, y) = ([1.0, 2.0, 2.0, 3.0, 4.0, 5.0], [1.0, 3.0, 6.0, 2.0, 4.0, 4.0]);
    let tied = filter(&x, &y, plan(6, Law::Ones), options(1, &[0.7])).unwrap();
    assert_eq!(tied.points(), [1.0, 2.0, 3.0, 4.0, 5.0]);
    let once = [1.0, 4.5, 2.0, 4.0, 4.0];
    let weighted = plan(5, Law::Ones).with_case_weights(vec![1.0, 2.0, 1.0, 1.0, 1.0]).unwrap();
    let one = filter(&even(5), &once, weighted, options(1, &[0.7])).unwrap();
    assert_close(&tied.modes[0].theta, &one.modes[0].theta, 1e-12, "trend");
    assert_close(&[tied.modes[0].objective], &[one.modes[0].objective + 0.5 * 4.5], 1e-12, "trend");
}

#[test]
fn without_penalty_the_data_and_with_much_a_polynomial() {
    let n = 40;
    let (x, y) = (even(n), paper(n));
    for order in 0..=3 {
        let f = filter(&x, &y, plan(n, Law::Ones), options(order, &[0.0, 1e12])).unwrap();
        assert_close(&f.modes[0].theta, &y, 1e-12, "trend");
        let knots = |mode: usize| f.modes[mode].aside.at.len();
        assert_eq!((knots(0), knots(1)), (n - order - 1, 0));
        let d = multiply(&difference(&x, order), &f.modes[1].theta);
        assert!(d.iter().all(|v| v.abs() < 1e-10));
        assert!(f.modes.iter().all(|m| m.status == Status::Converged));
    }
}

#[test]
fn the_smallest_problem_and_one_point_less() {
    for order in 0..=3 {
        let n = order + 2;
        let f =
            filter(&even(n), &paper(n), plan(n, Law::Exponential), options(order, &[0.1])).unwrap();
        let d = draws(&f, 1, 5);
        assert!(d.gap.iter().all(|g| *g <= 1e-8), "{order} {:?}", d.gap);
        let few =
            filter(&even(n - 1), &paper(n - 1), plan(n - 1, Law::Ones), options(order, &[1.0]));
        assert!(few.is_err());
    }
}

#[test]
fn cross_validation_finds_a_lambda_that_fits() {
    let n = 300;
    for order in 0..=3 {
        let folded = TrendOptions { lambda: five_folds(20), ..options(order, &[]) };
        let f = filter(&even(n), &paper(n), plan(n, Law::Ones), folded).unwrap();
        let curve = f.curve.as_ref().unwrap();
        assert_eq!((curve.fold[0], curve.fold[n - 1]), (0, 0));
        assert_eq!(curve.nonzero[0], 0);
        assert!(curve.index_min > 0 && curve.index_1se <= curve.index_min);
        // The noise has variance 4.
        let best = curve.mean[curve.index_min];
        assert!(best > 2.5 && best < 7.0, "{order} {best}");
        assert!((f.modes[0].sigma - 2.0).abs() < 0.6, "{order} {}", f.modes[0].sigma);
    }
}

#[test]
fn a_draw_without_weight_is_empty() {
    let n = 5;
    let f = filter(&even(n), &[1.0, 2.0, 3.0, 4.0, 0.0], plan(n, Law::Poisson), options(0, &[1.0]))
        .unwrap();
    let d = draws(&f, 1, 3000);
    let empty = d.status.iter().filter(|s| **s == Status::Empty).count();
    // P = exp(−5) = 0.0067.
    assert!(empty > 0 && empty < 60, "{empty}");
    assert!(d.theta.iter().all(|t| t.is_finite()));
}

#[test]
fn a_stopped_run_ends() {
    let control = Control::default();
    control.stop();
    let stopped =
        TrendFilter::new(&even(9), paper(9), plan(9, Law::Ones), options(1, &[1.0]), &control);
    assert_eq!(stopped.err(), Some(Error::Cancelled));
}
