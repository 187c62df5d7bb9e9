//! The lasso of families beside least squares: the conditions of the minimum, certificates, hard data.

mod common;

use common::families::{
    Problem, draws, families, fit, fit_sparse, is_cox, least, name, objective, options, plan,
    problem, states, weights_of,
};
use common::{assert_close, flat, normal, uniform};
use ndarray::s;
use wbb_core::engine::bootstrap::Draws;
use wbb_core::engine::limits::Limits;
use wbb_core::engine::problem::Status;
use wbb_core::lasso::{Method, Options};
use wbb_core::loss::response::Family;
use wbb_core::random::weights::WeightPlan;

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

/// A problem that is hard in the way of this number, and the weights of its rows.
fn hard(way: usize, family: &Family) -> (Problem, Vec<f64>) {
    let (n, p) =
        [(150, 6), (150, 6), (200, 5), (120, 12), (150, 6), (60, 90), (400, 80), (150, 70)][way];
    let family = match family {
        Family::Cox { .. } => Family::Cox { status: states(n) },
        other => other.clone(),
    };
    let mut d = problem(n, p, family);
    let mut weights = vec![1.0; n];
    match way {
        // Weights of 1e-6 to 1e2.
        0 => weights
            .iter_mut()
            .enumerate()
            .for_each(|(i, w)| *w = 10f64.powf(8.0 * uniform(i) - 6.0)),
        // Columns that are badly scaled, and not standardised.
        1 => {
            for (j, column) in d.x.chunks_mut(n).enumerate() {
                column.iter_mut().for_each(|v| *v *= 10f64.powi(2 * j as i32 - 5));
            }
        }
        // One success in a hundred, counts of up to 1e6, nearly all of them censored or of one class.
        2 => {
            let mut all = d.response.y.into_rows();
            for (i, y) in all.iter_mut().enumerate() {
                *y = match &mut d.response.family {
                    Family::Poisson => (13.8 * uniform(i + 7)).exp().round() * (i % 3) as f64 / 2.0,
                    Family::Cox { status } => {
                        status[i] = f64::from(u8::from(i % 20 == 3));
                        *y
                    }
                    Family::Multinomial { .. } if i % 50 > 1 => 1.0,
                    Family::Multinomial { .. } => (i % 50) as f64 + 2.0,
                    _ => f64::from(u8::from(i % 100 == 7)),
                };
            }
            d.response.y = all.into();
        }
        // Columns that are nearly the same, in pairs and along a chain; few and many of them.
        3 | 7 => {
            for i in n..d.x.len() {
                let own = if i / n % 2 == 1 { 1e-3 } else { 0.3 };
                d.x[i] = d.x[i - n] + own * normal(i + 77);
            }
        }
        // A few rows far away.
        4 => (0..n * p).step_by(37).for_each(|i| d.x[i] *= 30.0),
        // Many columns; many rows for them, of which a draw shares the model of all.
        _ => {}
    }
    (d, weights)
}

/// How many draws claim a gap, every one of which is no larger than what a tighter solve still gains.
fn true_claims(
    d: &Problem,
    plan: &WeightPlan,
    (lambda, alpha): (f64, f64),
    found: &Draws<f64>,
    exact: &Draws<f64>,
    what: &str,
) -> usize {
    let count = found.status.nrows();
    let claims = (0..count).filter(|&k| found.status[[k, 0]] == Status::Converged);
    claims
        .map(|k| {
            let (w, prior) = weights_of(plan, k as u64 + 1);
            let value = |draws: &Draws<f64>| {
                let theta = draws.theta.slice(s![k, .., 0]).to_vec();
                objective(d, &w, &theta, lambda * prior, alpha).0
            };
            let (here, best, bottom) = (value(found), value(exact), least(d, &w));
            let proved = found.gap[[k, 0]] * (here - bottom);
            let rounding = 1e-12 * (here.abs() + bottom.abs());
            assert!(here - best <= proved + rounding, "{what} {k}: {} {proved}", here - best);
        })
        .count()
}

/// Certificates are honest: no draw is further from the minimum than its gap says, whatever the
/// tolerance, by the definition of the objective.
#[test]
fn no_gap_is_smaller_than_what_a_tighter_solve_still_gains() {
    let mut certified = 0;
    for way in 0..8 {
        for family in families(10) {
            let (d, case) = hard(way, &family);
            let plan = || plan(d.n).with_case_weights(case.clone()).unwrap();
            let scale = if way == 1 { 10.0 } else { 1.0 };
            for lambda in [20.0, 2.0, 0.1] {
                let solve = |tolerance: f64| {
                    let limits = Limits { tolerance, iterations: 1000 };
                    let options = Options { limits, ..options(d.p, &[scale * lambda]) };
                    draws(&fit(&d, plan(), options), 1, 10)
                };
                let exact = solve(1e-13);
                for tolerance in [1e-2, 1e-5, 1e-8] {
                    let found = solve(tolerance);
                    let what = format!("{} way {way} {lambda} {tolerance}", name(&family));
                    let penalty = (scale * lambda, 1.0);
                    certified += true_claims(&d, &plan(), penalty, &found, &exact, &what);
                }
            }
        }
    }
    // Nearly all of 2,880 can be.
    assert!(certified > 2750, "{certified}");
}

/// The same of draws that are solved without Gram matrices: sparse columns, nearly as many of them active as there are
/// rows, and classes of which one is rare.
#[test]
fn no_gap_of_sparse_columns_is_smaller_either() {
    let (mut certified, mut all) = (0, 0);
    for (n, p, kept, alpha) in [(120, 300, 0.1, 1.0), (300, 150, 0.05, 1.0), (90, 200, 0.2, 0.5)] {
        let classes = Family::Multinomial { classes: 4 };
        for family in [Family::Binomial, Family::Poisson, classes] {
            for uneven in [false, true] {
                let mut d = problem(n, p, family.clone());
                let zero = |i: &usize| i / n != 3 && uniform(5_000_000 + i) > kept;
                (0..n * p).filter(zero).for_each(|i| d.x[i] = 0.0);
                if uneven && family != Family::Poisson {
                    let y = d.response.y.iter().enumerate();
                    d.response.y = y.map(|(i, y)| if i % 9 > 0 { 1.0 } else { y }).collect();
                }
                for lambda in [5.0, 0.3] {
                    let solve = |tolerance: f64| {
                        let limits = Limits { tolerance, iterations: 1000 };
                        let options = Options { limits, alpha, ..options(p, &[lambda]) };
                        draws(&fit_sparse(&d, plan(n), options), 1, 8)
                    };
                    let exact = solve(1e-13);
                    for tolerance in [1e-2, 1e-5, 1e-8] {
                        let what = format!("{} {n} {uneven} {lambda} {tolerance}", name(&family));
                        let (found, penalty) = (solve(tolerance), (lambda, alpha));
                        certified += true_claims(&d, &plan(n), penalty, &found, &exact, &what);
                        all += 8;
                    }
                }
            }
        }
    }
    assert!(certified >= all - all / 50, "{certified} of {all}");
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
