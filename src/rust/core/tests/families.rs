//! The lasso of families beside least squares: exact conditions of the minimum, invariances, special cases.

mod common;

use common::{assert_close, five_folds, flat, noise, normal, uniform};
use ndarray::s;
use wbb_core::data::source::Source;
use wbb_core::engine::bootstrap::{self, Draws};
use wbb_core::engine::cv::Lambda;
use wbb_core::engine::job::Control;
use wbb_core::engine::limits::Limits;
use wbb_core::engine::problem::Status;
use wbb_core::lasso::{Glm, Method, Options};
use wbb_core::linalg::sparse::compressed_columns;
use wbb_core::loss::response::{Family, Measure, Response};
use wbb_core::random::laws::{Law, PriorWeight};
use wbb_core::random::weights::WeightPlan;

#[derive(Clone)]
struct Problem {
    n: usize,
    p: usize,
    x: Vec<f64>,
    response: Response,
}

/// States of so many rows, most of them events.
fn states(n: usize) -> Vec<f64> {
    (0..n).map(|i| f64::from(u8::from(uniform(77 + 3 * i) < 0.7))).collect()
}

/// All of them; the last needs to know the number of rows.
fn families(n: usize) -> [Family; 4] {
    let cox = Family::Cox { status: states(n) };
    [Family::Binomial, Family::Poisson, Family::Multinomial { classes: 3 }, cox]
}

fn problem(n: usize, p: usize, family: Family) -> Problem {
    let x: Vec<f64> = (0..n * p).map(|i| normal(i) + 0.3).collect();
    let eta = |i: usize| -0.4 + 0.8 * x[i] - 0.6 * x[n * (p / 2) + i];
    let y = (0..n)
        .map(|i| {
            let u = uniform(9_000_000 + i);
            match &family {
                Family::Binomial => f64::from(u8::from(u < 1.0 / (1.0 + (-eta(i)).exp()))),
                Family::Poisson => poisson(eta(i).exp(), u),
                Family::Multinomial { classes } => {
                    let chance: Vec<f64> =
                        (0..*classes).map(|k| (eta(i) * k as f64).exp()).collect();
                    let (mut left, mut class) = (u * chance.iter().sum::<f64>(), 0);
                    while class + 1 < *classes && left > chance[class] {
                        left -= chance[class];
                        class += 1;
                    }
                    class as f64 + 1.0
                }
                // Rounded: many are tied.
                Family::Cox { .. } => (-u.ln() * (-eta(i)).exp() * 20.0).ceil() / 20.0,
                Family::Gaussian => 0.0,
            }
        })
        .collect();
    Problem { n, p, x, response: Response { y, family, offset: None } }
}

/// By inversion.
fn poisson(mean: f64, u: f64) -> f64 {
    let (mut term, mut count) = ((-mean).exp(), 0.0);
    let mut below = term;
    while u > below && count < 1e3 {
        count += 1.0;
        term *= mean / count;
        below += term;
    }
    count
}

fn options(p: usize, lambda: &[f64]) -> Options {
    Options {
        lambda: Lambda::Given(lambda.to_vec()),
        alpha: 1.0,
        penalty_factor: vec![1.0; p],
        intercept: true,
        standardize: false,
        refit: None,
        limits: Limits { tolerance: 1e-8, iterations: 1000 },
    }
}

fn plan(n: usize) -> WeightPlan {
    WeightPlan::new(5, Law::Exponential, PriorWeight::Random, n)
}

fn fit(d: &Problem, plan: WeightPlan, mut options: Options) -> Glm {
    let x = Source::dense(&d.x, d.n, d.p);
    options.intercept &= !is_cox(&d.response.family);
    let control = Control::default();
    Glm::new(x, d.response.clone(), Measure::Deviance, plan, options, &control).unwrap()
}

fn draws(glm: &Glm, first: u64, count: usize) -> Draws {
    bootstrap::run(glm, first, count, &Control::default()).unwrap()
}

fn predictors(family: &Family) -> usize {
    if let Family::Multinomial { classes } = family { *classes } else { 1 }
}

fn is_cox(family: &Family) -> bool {
    matches!(family, Family::Cox { .. })
}

/// The loss, and −∂/∂η of it, predictor after predictor, by their definitions.
fn loss(d: &Problem, w: &[f64], eta: &[f64]) -> (f64, Vec<f64>) {
    let (n, y) = (d.n, &d.response.y);
    let mut residual = vec![0.0; eta.len()];
    let mut value = 0.0;
    for i in 0..n {
        match &d.response.family {
            Family::Binomial => {
                value += w[i] * (eta[i].max(0.0) + (-eta[i].abs()).exp().ln_1p() - y[i] * eta[i]);
                residual[i] = w[i] * (y[i] - 1.0 / (1.0 + (-eta[i]).exp()));
            }
            Family::Poisson => {
                value += w[i] * (eta[i].exp() - y[i] * eta[i]);
                residual[i] = w[i] * (y[i] - eta[i].exp());
            }
            Family::Multinomial { classes } => {
                let sum: f64 = (0..*classes).map(|k| eta[k * n + i].exp()).sum();
                let own = y[i] as usize - 1;
                value += w[i] * (sum.ln() - eta[own * n + i]);
                for k in 0..*classes {
                    let is = f64::from(u8::from(k == own));
                    residual[k * n + i] = w[i] * (is - eta[k * n + i].exp() / sum);
                }
            }
            Family::Cox { status } => {
                if status[i] == 0.0 || w[i] == 0.0 {
                    continue;
                }
                let at_risk = || (0..n).filter(|&j| y[j] >= y[i]);
                let sum: f64 = at_risk().map(|j| w[j] * eta[j].exp()).sum();
                value += w[i] * (sum.ln() - eta[i]);
                residual[i] += w[i];
                at_risk().for_each(|j| residual[j] -= w[i] * w[j] * eta[j].exp() / sum);
            }
            Family::Gaussian => {}
        }
    }
    (value, residual)
}

/// The objective at θ and its slopes, which lie as θ does.
fn objective(
    d: &Problem,
    weights: &[f64],
    theta: &[f64],
    penalty: f64,
    alpha: f64,
) -> (f64, Vec<f64>) {
    let classes = predictors(&d.response.family);
    let intercept = usize::from(!is_cox(&d.response.family));
    let stride = d.p + intercept;
    let mut eta = vec![0.0; classes * d.n];
    for (k, theta) in theta.chunks(stride).enumerate() {
        for i in 0..d.n {
            let offset = d.response.offset.as_ref().map_or(0.0, |o| o[k * d.n + i]);
            let columns = (0..d.p).map(|j| d.x[j * d.n + i] * theta[j + intercept]);
            eta[k * d.n + i] =
                offset + columns.sum::<f64>() + if intercept > 0 { theta[0] } else { 0.0 };
        }
    }
    let (mut value, residual) = loss(d, weights, &eta);
    let mut slopes = vec![0.0; theta.len()];
    for (k, slopes) in slopes.chunks_mut(stride).enumerate() {
        let residual = &residual[k * d.n..][..d.n];
        if intercept > 0 {
            slopes[0] = residual.iter().sum();
        }
        for j in 0..d.p {
            let b = theta[k * stride + intercept + j];
            let x = &d.x[j * d.n..][..d.n];
            slopes[intercept + j] = x.iter().zip(residual).map(|(x, r)| x * r).sum::<f64>()
                - penalty * (1.0 - alpha) * b;
            value += penalty * (alpha * b.abs() + 0.5 * (1.0 - alpha) * b * b);
        }
    }
    (value, slopes)
}

fn weights_of(plan: &WeightPlan, k: u64) -> (Vec<f64>, f64) {
    let (mut w, mut prior) = (vec![0.0; plan.rows()], [0.0]);
    plan.draw(k).fill(0, &mut w);
    plan.fill_prior(k, &mut prior);
    (w, prior[0])
}

#[test]
fn draws_satisfy_the_conditions_of_the_minimum() {
    for (n, p, lambda, alpha) in [
        (300, 8, 4.0, 1.0),
        (300, 8, 0.0, 1.0),
        (120, 90, 6.0, 1.0),
        (150, 100, 3.0, 0.5),
        (200, 5, 2.0, 0.0),
    ] {
        for family in families(n) {
            let d = problem(n, p, family.clone());
            let intercept = usize::from(!is_cox(&family));
            let glm = fit(&d, plan(n), Options { alpha, ..options(p, &[lambda]) });
            let found = draws(&glm, 1, 8);
            for k in 0..8 {
                let what = format!("{} {n} {p} {lambda} {alpha} draw {k}", name(&family));
                assert_eq!(found.status[[k, 0]], Status::Converged, "{what} {}", found.gap[[k, 0]]);
                let theta: Vec<f64> = found.theta.slice(s![k, .., 0]).to_vec();
                let (w, prior) = weights_of(&plan(n), k as u64 + 1);
                let penalty = lambda * prior;
                let (value, slopes) = objective(&d, &w, &theta, penalty, alpha);
                assert_close(&[found.objective[[k, 0]]], &[value], 1e-7, &what);
                // What a slope may miss where the objective is within 1e-8 of its minimum.
                let tolerance = 5e-4 * w.iter().sum::<f64>().sqrt();
                for (j, (slope, b)) in slopes.iter().zip(&theta).enumerate() {
                    let free = intercept > 0 && j % (p + 1) == 0;
                    let l1 = if free { 0.0 } else { penalty * alpha };
                    let miss = if *b == 0.0 {
                        (slope.abs() - l1).max(0.0)
                    } else {
                        (slope - l1 * b.signum()).abs()
                    };
                    assert!(miss < tolerance, "{what} {j}: {miss}");
                }
            }
        }
    }
}

fn name(family: &Family) -> &'static str {
    match family {
        Family::Binomial => "binomial",
        Family::Poisson => "poisson",
        Family::Multinomial { .. } => "multinomial",
        Family::Cox { .. } => "cox",
        Family::Gaussian => "gaussian",
    }
}

/// Certificates are honest: no draw is further from the minimum than its gap says.
#[test]
fn a_gap_is_at_least_what_a_tighter_solve_still_gains() {
    for (n, p, lambda) in [(200, 6, 2.0), (100, 80, 4.0)] {
        for family in families(n) {
            let d = problem(n, p, family.clone());
            let with = |tolerance: f64| {
                let limits = Limits { tolerance, iterations: 1000 };
                draws(&fit(&d, plan(n), Options { limits, ..options(p, &[lambda]) }), 1, 10)
            };
            let exact = with(1e-13);
            for tolerance in [1e-3, 1e-5, 1e-8] {
                let found = with(tolerance);
                for k in 0..10 {
                    let excess = found.objective[[k, 0]] - exact.objective[[k, 0]];
                    // The objective of a Poisson draw counts from below zero.
                    let size = exact.objective[[k, 0]].abs().max(10.0);
                    let what = format!("{} {n} {p} {tolerance} {k}", name(&family));
                    assert!(excess <= tolerance * size * 10.0 + 1e-9, "{what} {excess}");
                }
            }
        }
    }
}

#[test]
fn methods_agree() {
    for family in families(600) {
        let d = problem(600, 70, family.clone());
        let mut found = Vec::new();
        for method in [Method::WorkingSet, Method::Reference] {
            let mut glm = fit(&d, plan(600), options(70, &[5.0, 15.0]));
            if method == Method::Reference && glm.method != Method::Reference {
                continue;
            }
            glm.method = method;
            let these = draws(&glm, 1, 16);
            assert!(
                these.status.iter().all(|s| *s == Status::Converged),
                "{} {method:?}",
                name(&family)
            );
            found.push(these);
        }
        for other in &found[1..] {
            assert_close(flat(&other.objective), flat(&found[0].objective), 1e-8, "objective");
        }
    }
}

#[test]
fn bits_do_not_depend_on_threads_nor_chunks() {
    for (n, p) in [(150, 8), (400, 90)] {
        for family in families(n) {
            let glm = fit(&problem(n, p, family.clone()), plan(n), options(p, &[3.0]));
            let whole = draws(&glm, 1, 30);
            let threaded = common::on_threads(3, || draws(&glm, 1, 30));
            assert_eq!(whole.theta, threaded.theta);
            let (head, tail) = (draws(&glm, 1, 13), draws(&glm, 14, 17));
            assert_eq!(whole.theta.slice(s![..13, .., ..]), head.theta);
            assert_eq!(whole.theta.slice(s![13.., .., ..]), tail.theta);
        }
    }
}

fn ones(n: usize) -> WeightPlan {
    WeightPlan::new(1, Law::Ones, PriorWeight::Fixed, n)
}

fn tight(p: usize, lambda: f64) -> Options {
    Options { limits: Limits { tolerance: 1e-14, iterations: 1000 }, ..options(p, &[lambda]) }
}

#[test]
fn integer_weights_are_replicated_rows_and_zero_weights_removed_ones() {
    for family in families(60) {
        let d = problem(60, 4, family);
        let times: Vec<f64> = (0..60).map(|i| (i % 4) as f64).collect();
        let rows: Vec<usize> = (0..60).rev().flat_map(|i| vec![i; i % 4]).collect();
        let pick = |v: &[f64]| rows.iter().map(|&i| v[i]).collect::<Vec<f64>>();
        let mut expanded = d.clone();
        expanded.n = rows.len();
        expanded.x = d.x.chunks(60).flat_map(pick).collect();
        expanded.response.y = pick(&d.response.y);
        if let Family::Cox { status } = &mut expanded.response.family {
            *status = pick(status);
        }
        for lambda in [0.0, 2.0] {
            let weighted = ones(60).with_case_weights(times.clone()).unwrap();
            let a = fit(&d, weighted, tight(4, lambda));
            let b = fit(&expanded, ones(expanded.n), tight(4, lambda));
            assert_close(&a.modes[0].theta, &b.modes[0].theta, 1e-8, "mode");
        }
    }
}

#[test]
fn weights_times_a_constant_and_other_units_change_nothing() {
    for family in families(80) {
        let d = problem(80, 5, family);
        let scaled = ones(80).with_case_weights(vec![7.0; 80]).unwrap();
        let (a, b) = (fit(&d, ones(80), tight(5, 3.0)), fit(&d, scaled, tight(5, 21.0)));
        assert_close(&a.modes[0].theta, &b.modes[0].theta, 1e-8, "weights");
        let mut other = d.clone();
        for (j, column) in other.x.chunks_mut(80).enumerate() {
            let unit = [1e8, 1e-8, 1e3, 1.0, 1e-3][j];
            column.iter_mut().for_each(|v| *v *= unit);
        }
        let standardised = || Options { standardize: true, ..tight(5, 3.0) };
        let (a, b) = (fit(&d, ones(80), standardised()), fit(&other, ones(80), standardised()));
        let units = [1.0, 1e8, 1e-8, 1e3, 1.0, 1e-3];
        let first = usize::from(is_cox(&d.response.family));
        let back = b.modes[0].theta.iter().enumerate().map(|(j, v)| v * units[(j + first) % 6]);
        let back: Vec<f64> = back.collect();
        assert_close(&a.modes[0].theta, &back, 1e-8, "units");
    }
}

#[test]
fn an_offset_is_a_coefficient_of_one() {
    for family in families(120) {
        let d = problem(120, 4, family);
        if predictors(&d.response.family) > 1 {
            continue;
        }
        // At the minimum without penalty, a part of the predictor may as well be an offset.
        let free = fit(&d, ones(120), tight(4, 0.0)).modes[0].theta.clone();
        let mut shifted = d.clone();
        shifted.response.offset = Some((0..120).map(|i| 0.7 + 2.0 * d.x[i]).collect());
        let mut moved = fit(&shifted, ones(120), tight(4, 0.0)).modes[0].theta.clone();
        if is_cox(&d.response.family) {
            moved[0] += 2.0;
        } else {
            moved[0] += 0.7;
            moved[1] += 2.0;
        }
        assert_close(&moved, &free, 1e-7, "offset");
    }
}

#[test]
fn a_large_lambda_leaves_only_the_intercept() {
    for family in families(100) {
        let d = problem(100, 80, family.clone());
        let glm = fit(&d, ones(100), tight(80, 1e6));
        let theta = &glm.modes[0].theta;
        let mean = d.response.y.iter().sum::<f64>() / 100.0;
        match family {
            Family::Binomial => {
                assert_close(&theta[..1], &[(mean / (1.0 - mean)).ln()], 1e-9, "b0")
            }
            Family::Poisson => assert_close(&theta[..1], &[mean.ln()], 1e-9, "b0"),
            _ => {}
        }
        let intercept = |j: usize| !is_cox(&family) && j % 81 == 0;
        assert!(theta.iter().enumerate().all(|(j, b)| *b == 0.0 || intercept(j)));
        let curve =
            fit(&d, plan(100), Options { lambda: five_folds(20), ..options(80, &[]) }).curve;
        let curve = curve.unwrap();
        assert_eq!(curve.nonzero[0], 0);
        assert!(curve.nonzero[1] > 0 && curve.mean.iter().all(|m| m.is_finite()));
    }
}

#[test]
fn separated_data_have_no_mode_without_a_penalty() {
    let mut d = problem(50, 2, Family::Binomial);
    d.response.y = (0..50).map(|i| f64::from(u8::from(d.x[i] > 0.2))).collect();
    let glm = fit(&d, plan(50), options(2, &[0.0]));
    assert_eq!(glm.modes[0].status, Status::Separated);
    let found = draws(&glm, 1, 10);
    assert!(found.status.iter().all(|s| *s == Status::Separated), "{:?}", found.status);
    assert!(found.iterations.iter().all(|i| *i < 80), "{:?}", found.iterations);
    assert!(found.theta.iter().all(|b| b.is_finite()));
    // A penalty makes one.
    let glm = fit(&d, plan(50), options(2, &[0.01]));
    assert!(draws(&glm, 1, 10).status.iter().all(|s| *s == Status::Converged));
    // Quasi-separation: one level has successes only; zeros only are the same for counts.
    for (family, level) in [(Family::Binomial, 1.0), (Family::Poisson, 0.0)] {
        let mut d = problem(200, 2, family);
        for i in 0..200 {
            d.x[200 + i] = f64::from(u8::from(i < 8));
            if i < 8 {
                d.response.y[i] = level;
            }
        }
        let glm = fit(&d, plan(200), options(2, &[0.0]));
        let found = draws(&glm, 1, 10);
        assert!(found.status.iter().all(|s| *s == Status::Separated), "{:?}", found.status);
        assert!(found.iterations.iter().all(|i| *i < 80), "{:?}", found.iterations);
    }
}

#[test]
fn extreme_data_are_solved() {
    // Weights of 1e-6 and 1e2, one success in a thousand, counts of 0 and 1e6, columns of 1e6 and 1e-6.
    for family in [Family::Binomial, Family::Poisson] {
        for lambda in [0.0, 0.5] {
            let mut d = problem(1000, 3, family.clone());
            let case = (0..1000).map(|i| if i % 2 == 0 { 1e-6 } else { 1e2 }).collect();
            d.x[..1000].iter_mut().for_each(|v| *v *= 1e6);
            d.x[1000..2000].iter_mut().for_each(|v| *v *= 1e-6);
            let glm = fit(
                &d,
                plan(1000).with_case_weights(case).unwrap(),
                Options { standardize: true, ..options(3, &[lambda]) },
            );
            assert!(
                draws(&glm, 1, 20).status.iter().all(|s| *s == Status::Converged),
                "{family:?} {lambda}"
            );
            let mut rare = problem(2000, 3, family.clone());
            rare.response.y = (0..2000)
                .map(|i| match family {
                    Family::Binomial => f64::from(u8::from(i == 3 || i == 1700)),
                    _ => {
                        if i % 10 == 0 {
                            1e6
                        } else {
                            0.0
                        }
                    }
                })
                .collect();
            let glm = fit(&rare, plan(2000), options(3, &[lambda]));
            let found = draws(&glm, 1, 20);
            assert!(
                found.status.iter().all(|s| *s == Status::Converged),
                "{family:?} {lambda} {:?} {:?}",
                found.status,
                found.gap
            );
        }
    }
}

#[test]
fn sparse_is_dense_without_the_zeros() {
    for family in families(150) {
        let (n, p) = (150, 9);
        let mut d = problem(n, p, family);
        for (i, v) in d.x.iter_mut().enumerate() {
            if i < n * (p - 1) && noise(i + 99) > -0.6 {
                *v = 0.0;
            }
        }
        let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
        for column in d.x.chunks(n) {
            for (i, &v) in column.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                rows.push(i);
                values.push(v);
            }
            starts.push(rows.len());
        }
        let x = Source::Sparse(compressed_columns((n, p), starts, rows, values, "x").unwrap());
        let limits = Limits { tolerance: 1e-12, iterations: 1000 };
        let intercept = !is_cox(&d.response.family);
        let opts = || Options { limits, intercept, ..options(p, &[2.0]) };
        let sparse = Glm::new(
            x,
            d.response.clone(),
            Measure::Deviance,
            plan(n),
            opts(),
            &Control::default(),
        );
        let (a, b) = (draws(&sparse.unwrap(), 1, 9), draws(&fit(&d, plan(n), opts()), 1, 9));
        assert_close(flat(&a.theta), flat(&b.theta), 1e-5, "sparse");
        assert_close(flat(&a.objective), flat(&b.objective), 1e-10, "sparse objective");
    }
}

#[test]
fn empty_draws_and_one_class_are_no_trouble() {
    let d = problem(3, 2, Family::Binomial);
    let poisson = WeightPlan::new(3, Law::Poisson, PriorWeight::Random, 3);
    let found = draws(&fit(&d, poisson, options(2, &[0.1])), 1, 200);
    assert!(found.theta.iter().all(|v| v.is_finite()));
    assert!(found.status.iter().any(|s| *s == Status::Empty));
    // All successes: the intercept has no end.
    let mut all = problem(40, 2, Family::Binomial);
    all.response.y.fill(1.0);
    let glm = fit(&all, plan(40), options(2, &[0.1]));
    assert_eq!(glm.modes[0].status, Status::Separated);
}

#[test]
fn cross_validation_goes_by_its_measure_and_spreads_classes() {
    for (family, measures) in [
        (Family::Binomial, vec![Measure::Deviance, Measure::Class, Measure::Auc]),
        (Family::Poisson, vec![Measure::Deviance]),
        (Family::Multinomial { classes: 3 }, vec![Measure::Deviance, Measure::Class]),
        (Family::Cox { status: states(150) }, vec![Measure::Deviance]),
    ] {
        for measure in measures {
            let d = problem(150, 6, family.clone());
            let intercept = !is_cox(&family);
            let opts = Options { lambda: five_folds(25), intercept, ..options(6, &[]) };
            let x = Source::dense(&d.x, 150, 6);
            let control = Control::default();
            let glm = Glm::new(x, d.response.clone(), measure, plan(150), opts, &control).unwrap();
            let curve = glm.curve.unwrap();
            let what = format!("{} {measure:?}", name(&family));
            assert!(curve.mean.iter().all(|m| m.is_finite()) && curve.nonzero[0] == 0, "{what}");
            let (first, best) = (curve.mean[0], curve.mean[curve.index_min]);
            // Two columns matter: something is better than nothing.
            assert!(if measure == Measure::Auc { best > first } else { best < first }, "{what}");
            assert!(curve.lambda[curve.index_1se] >= curve.lambda[curve.index_min], "{what}");
            assert!(measure != Measure::Auc || (0.4..=1.0).contains(&first), "{what} {first}");
            if let Some(strata) = d.response.strata() {
                for class in 0..3 {
                    let count = |fold: u32| {
                        (0..150).filter(|&i| strata[i] == class && curve.fold[i] == fold).count()
                    };
                    let counts: Vec<usize> = (1..=5).map(count).collect();
                    let (low, high) = (counts.iter().min(), counts.iter().max());
                    assert!(high.unwrap() - low.unwrap() <= 2, "{what} {counts:?}");
                }
            }
        }
    }
}

/// Paths, a second step, columns without a penalty, a prior weight for each coefficient.
#[test]
fn everything_that_least_squares_have() {
    for family in families(200) {
        let what = name(&family);
        let d = problem(200, 7, family.clone());
        let path = draws(&fit(&d, plan(200), options(7, &[1.0, 8.0, 3.0])), 1, 6);
        let alone = draws(&fit(&d, plan(200), options(7, &[8.0])), 1, 6);
        assert!(path.status.iter().all(|s| *s == Status::Converged), "{what}");
        for k in 0..6 {
            assert_close(&[path.objective[[k, 1]]], &[alone.objective[[k, 0]]], 1e-8, what);
        }
        let two =
            draws(&fit(&d, plan(200), Options { refit: Some(0.0), ..options(7, &[8.0]) }), 1, 6);
        let support = |d: &Draws| d.theta.iter().map(|v| *v == 0.0).collect::<Vec<bool>>();
        assert_eq!(support(&alone), support(&two), "{what}");
        assert!(two.objective.iter().zip(&alone.objective).all(|(b, a)| b <= a), "{what}");
        let mut opts = options(7, &[1e5]);
        opts.penalty_factor[2] = 0.0;
        let free = draws(&fit(&d, plan(200), opts), 1, 4);
        let intercept = usize::from(!is_cox(&family));
        for k in 0..4 {
            let theta = free.theta.slice(s![k, .., 0]);
            let moved =
                |j: usize| j % (7 + intercept) == 2 + intercept || (intercept > 0 && j % 8 == 0);
            assert!(
                theta.iter().enumerate().all(|(j, b)| (*b != 0.0) == moved(j)),
                "{what} {theta}"
            );
        }
        let coef = WeightPlan::new(5, Law::Exponential, PriorWeight::Coefficient, 200);
        let own = draws(&fit(&d, coef, options(7, &[4.0])), 1, 6);
        assert!(own.status.iter().all(|s| *s == Status::Converged), "{what}");
    }
}

#[test]
fn dependent_columns_without_a_penalty_have_a_mode() {
    for family in families(120) {
        let mut d = problem(120, 4, family.clone());
        let copy: Vec<f64> = d.x[..120].to_vec();
        d.x[360..].copy_from_slice(&copy);
        let found = draws(&fit(&d, plan(120), options(4, &[0.0])), 1, 6);
        let what = name(&family);
        assert!(found.status.iter().all(|s| *s == Status::Converged), "{what} {:?}", found.status);
        let first = usize::from(!is_cox(&family));
        for k in 0..6 {
            let theta = found.theta.slice(s![k, .., 0]);
            assert!((theta[first] - theta[first + 3]).abs() < 1e-6, "{what} {theta}");
        }
    }
}
