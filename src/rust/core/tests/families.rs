//! The lasso of families beside least squares: invariances, special cases, cross-validation.

mod common;

use common::families::{
    Problem, draws, families, fit, fit_sparse, is_cox, name, ones, options, plan, predictors,
    problem, states, tight,
};
use common::{assert_close, five_folds, flat, noise, uniform};
use ndarray::s;
use wbb_core::data::source::Source;
use wbb_core::engine::bootstrap::Draws;
use wbb_core::engine::job::Control;
use wbb_core::engine::limits::Limits;
use wbb_core::engine::problem::Status;
use wbb_core::lasso::{Glm, Options};
use wbb_core::loss::response::{Family, Measure};
use wbb_core::random::laws::{Law, PriorWeight};
use wbb_core::random::weights::WeightPlan;

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
        expanded.response.y = pick(&d.response.y.all()).into();
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
        (0..200).for_each(|i| d.x[200 + i] = f64::from(u8::from(i < 8)));
        d.response.y =
            d.response.y.iter().enumerate().map(|(i, y)| if i < 8 { level } else { y }).collect();
        let glm = fit(&d, plan(200), options(2, &[0.0]));
        let found = draws(&glm, 1, 10);
        assert!(found.status.iter().all(|s| *s == Status::Separated), "{:?}", found.status);
        assert!(found.iterations.iter().all(|i| *i < 80), "{:?}", found.iterations);
    }
}

/// Nothing shrinks them: a gap of 1e-8 alone would leave them off by 1e-4.
#[test]
fn coefficients_without_a_penalty_are_those_of_any_method() {
    for family in families(100) {
        let d = problem(100, 3, family);
        let near = draws(&fit(&d, plan(100), options(3, &[0.0])), 1, 200);
        let exact = draws(&fit(&d, plan(100), tight(3, 0.0)), 1, 200);
        for (k, (a, b)) in near.theta.outer_iter().zip(exact.theta.outer_iter()).enumerate() {
            if near.status[[k, 0]] == Status::Converged && exact.status[[k, 0]] == Status::Converged
            {
                let off = a
                    .iter()
                    .zip(&b)
                    .fold(0.0f64, |m, (a, b)| m.max((a - b).abs() / (1.0 + b.abs())));
                assert!(off < 5e-8, "{} draw {}: {off:e}", name(&d.response.family), k + 1);
            }
        }
    }
}

/// A column that only the first rows of many have, with an outcome of one kind: what it gains is far below the gap of all.
#[test]
fn a_rare_level_of_one_kind_has_no_mode() {
    let n = 2000;
    let indicator = |d: &mut Problem, rare: usize| {
        (0..n).for_each(|i| d.x[n + i] = f64::from(u8::from(i < rare)));
    };
    for family in families(n) {
        let is_cox = is_cox(&family);
        // Rows at risk: those of the level have no event, or the very first one.
        for (rare, event) in
            [(1, 0.0), (3, 0.0), (1, 1.0)].into_iter().take(2 + usize::from(is_cox))
        {
            let mut d = problem(n, 2, family.clone());
            indicator(&mut d, rare);
            let one_kind = match &family {
                Family::Poisson => 0.0,
                Family::Cox { .. } if event > 0.0 => 0.01,
                _ => 1.0,
            };
            let y = d.response.y.iter().enumerate();
            d.response.y = y.map(|(i, y)| if i < rare { one_kind } else { y }).collect();
            if let Family::Cox { status } = &mut d.response.family {
                status[..rare].fill(event);
            }
            for lambda in [0.0, 5.0] {
                let penalty_factor = vec![1.0, 0.0];
                let options =
                    Options { penalty_factor, standardize: true, ..options(2, &[lambda]) };
                let glm = fit(&d, plan(n), options);
                let context = format!("{} {rare} {event} {lambda}", name(&family));
                assert_eq!(glm.modes[0].status, Status::Separated, "{context}");
                let status = draws(&glm, 1, 6).status;
                assert!(status.iter().all(|s| *s == Status::Separated), "{context} {status:?}");
            }
        }
    }
    // One row of the other kind, of however little weight, and there is an end.
    let mut d = problem(n, 2, Family::Binomial);
    indicator(&mut d, 2);
    let y = d.response.y.iter().enumerate();
    d.response.y = y.map(|(i, y)| if i < 2 { i as f64 } else { y }).collect();
    for weight in [1e-4, 1e-8, 1e-12] {
        let mut case = vec![1.0; n];
        case[0] = weight;
        let options = Options { standardize: true, ..options(2, &[0.0]) };
        let mode = &fit(&d, ones(n).with_case_weights(case).unwrap(), options).modes[0];
        assert_eq!(mode.status, Status::Converged, "{weight:e}");
        let row = |i: usize| mode.theta[0] + mode.theta[1] * d.x[i] + mode.theta[2];
        let (mean, of_one) = (|eta: f64| 1.0 / (1.0 + (-eta).exp()), row(1));
        let slope = mean(-of_one) - weight * mean(row(0));
        assert!(slope.abs() < 1e-4 * weight, "{weight:e} {of_one} {slope:e}");
    }
}

#[test]
fn sparse_is_dense_without_the_zeros() {
    // Few columns, and more than rows: other roads lead to the same minimum.
    let shapes = [(9, -0.6, 2.0, 1.0), (240, -0.9, 1.0, 1.0), (240, -0.9, 1.0, 0.6)];
    for (p, most, lambda, alpha) in shapes {
        for family in families(150) {
            let n = 150;
            let mut d = problem(n, p, family);
            for (i, v) in d.x.iter_mut().enumerate() {
                if i < n * (p - 1) && noise(i + 99) > most {
                    *v = 0.0;
                }
            }
            if alpha < 1.0 && predictors(&d.response.family) == 1 {
                d.response.offset = Some((0..n).map(|i| 0.3 * noise(i + 5)).collect());
            }
            let limits = Limits { tolerance: 1e-13, iterations: 1000 };
            let intercept = !is_cox(&d.response.family);
            let opts = || Options { limits, intercept, alpha, ..options(p, &[lambda]) };
            let sparse = Glm::new(
                Source::without_zeros(&d.x, n, p),
                d.response.clone(),
                Measure::Deviance,
                plan(n),
                opts(),
                &Control::default(),
            );
            let (a, b) = (draws(&sparse.unwrap(), 1, 9), draws(&fit(&d, plan(n), opts()), 1, 9));
            assert!(a.status.iter().all(|s| *s == Status::Converged), "{:?}", a.gap);
            assert_close(flat(&a.theta), flat(&b.theta), 1e-5, "sparse");
            assert_close(flat(&a.objective), flat(&b.objective), 1e-10, "sparse objective");
        }
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
    all.response.y = all.response.y.map(|_| 1.0);
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
                        (0..150)
                            .filter(|&i| strata.at(i) == f64::from(class) && curve.fold[i] == fold)
                            .count()
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
        let support = |d: &Draws<f64>| d.theta.iter().map(|v| *v == 0.0).collect::<Vec<bool>>();
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

#[test]
fn a_free_column_that_a_draw_does_not_see_is_zero() {
    for family in families(120) {
        for (intercept, sparse) in [(true, false), (true, true), (false, false)] {
            let mut d = problem(120, 3, family.clone());
            // A level of a few rows, which draws of counts lose.
            d.x[..120]
                .iter_mut()
                .enumerate()
                .for_each(|(i, v)| *v = f64::from(u8::from(i % 30 == 7)));
            let x = if sparse {
                Source::without_zeros(&d.x, 120, 3)
            } else {
                Source::dense(&d.x, 120, 3)
            };
            let mut options = options(3, &[2.0]);
            options.penalty_factor[0] = 0.0;
            options.intercept = intercept && !is_cox(&family);
            let plan = WeightPlan::new(5, Law::Multinomial, PriorWeight::Random, 120);
            let measure = Measure::Deviance;
            let (response, control) = (d.response.clone(), Control::default());
            let glm = Glm::new(x, response, measure, plan.clone(), options, &control).unwrap();
            let found = draws(&glm, 1, 300);
            let mut lost = 0;
            for (k, theta) in found.theta.outer_iter().enumerate() {
                let mut weights = vec![0.0; 120];
                plan.draw(k as u64 + 1).fill(0, &mut weights);
                if (0..4).all(|i| weights[30 * i + 7] == 0.0) {
                    lost += 1;
                    assert_eq!(found.status[[k, 0]], Status::Converged, "{} {k}", name(&family));
                    let size = theta.len() / predictors(&family);
                    let first = usize::from(glm_has_intercept(intercept, &family));
                    let zeros = theta.column(0).iter().skip(first).step_by(size).all(|b| *b == 0.0);
                    assert!(zeros, "{} {intercept} {sparse} {k}: {theta}", name(&family));
                }
            }
            assert!(lost > 2, "{lost} draws have lost the level");
        }
    }
}

fn glm_has_intercept(intercept: bool, family: &Family) -> bool {
    intercept && !is_cox(family)
}

#[test]
fn what_is_penalised_is_never_said_to_separate() {
    // Columns of few entries, whose rows are fitted all but perfectly: models lead far astray.
    let (n, p) = (200, 40);
    for set in 0..12 {
        let mut d = problem(n, p, Family::Multinomial { classes: 5 });
        for (i, v) in d.x.iter_mut().enumerate() {
            if uniform(31 * i + 7_000_001 * (set + 1)) > 0.025 {
                *v = 0.0;
            }
        }
        let found = draws(&fit_sparse(&d, plan(n), options(p, &[0.02])), 1, 20);
        for (status, gap) in found.status.iter().zip(&found.gap) {
            assert_ne!(*status, Status::Separated, "{set}");
            assert!(*status == Status::Converged || *gap > 1e-8, "{set} {gap}");
        }
    }
}

#[test]
fn classes_are_the_same_where_most_rows_have_no_entries() {
    let mut d = problem(300, 70, Family::Multinomial { classes: 3 });
    // Two entries a column.
    for (j, column) in d.x.chunks_mut(300).enumerate() {
        let kept = |i: usize| i == 2 * j || i == 299 - 2 * j;
        column.iter_mut().enumerate().filter(|(i, _)| !kept(*i)).for_each(|(_, x)| *x = 0.0);
    }
    let options = || Options {
        limits: Limits { tolerance: 1e-12, iterations: 1000 },
        ..options(70, &[0.05])
    };
    let (dense, sparse) = (fit(&d, plan(300), options()), fit_sparse(&d, plan(300), options()));
    let (dense, sparse) = (draws(&dense, 1, 4), draws(&sparse, 1, 4));
    for (of_dense, of_sparse) in dense.theta.rows().into_iter().zip(sparse.theta.rows()) {
        assert_close(&of_sparse.to_vec(), &of_dense.to_vec(), 1e-4, "sparse");
    }
    assert!(sparse.theta.iter().filter(|b| **b != 0.0).count() > 40);
    assert!(sparse.gap.iter().all(|gap| *gap <= 1e-12));
}

#[test]
fn rounding_of_many_rows_is_no_gap() {
    // Most rows of the large classes have no entries, and the intercepts more weight than any column has.
    let (n, p) = (60_000, 25);
    let mut d = problem(n, p, Family::Multinomial { classes: 3 });
    for (i, v) in d.x.iter_mut().enumerate() {
        *v = if uniform(17 * i + 3) < 0.004 { 10.0 * *v } else { 0.0 };
    }
    let found = draws(&fit_sparse(&d, plan(n), options(p, &[20.0])), 1, 4);
    assert!(found.status.iter().all(|s| *s == Status::Converged), "{:?}", found.gap);
    assert!(found.iterations.iter().all(|rounds| *rounds <= 8), "{:?}", found.iterations);
}

#[test]
fn a_ridge_of_more_columns_than_rows_is_proved_in_a_few_steps() {
    let (n, p) = (30, 90);
    for family in [Family::Binomial, Family::Poisson] {
        let d = problem(n, p, family);
        let found = |alpha, iterations| {
            let limits = Limits { tolerance: 1e-10, iterations };
            draws(&fit(&d, plan(n), Options { alpha, limits, ..options(p, &[0.3]) }), 1, 6)
        };
        // The least kink takes another road to the same place.
        let (by_rows, other) = (found(0.0, 20), found(1e-11, 1000));
        assert!(by_rows.status.iter().all(|s| *s == Status::Converged), "{:?}", by_rows.gap);
        assert_close(flat(&by_rows.theta), flat(&other.theta), 1e-4, "ridge");
        assert_close(flat(&by_rows.objective), flat(&other.objective), 1e-8, "objective");
    }
}
