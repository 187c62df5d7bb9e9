//! Lambda chosen anew in every draw.

mod common;

use common::{five_folds, noise, normal, on_threads};
use wbb_core::data::source::Source;
use wbb_core::engine::bootstrap;
use wbb_core::engine::cv::{CrossValidation, Folds, Lambda};
use wbb_core::engine::job::Control;
use wbb_core::engine::limits::Limits;
use wbb_core::lasso::{Glm, Lasso, Options};
use wbb_core::loss::response::{Family, Measure, Response};
use wbb_core::random::laws::{Law, PriorWeight};
use wbb_core::random::weights::WeightPlan;

const ROWS: usize = 60;

fn x(cols: usize) -> Vec<f64> {
    (0..ROWS * cols).map(normal).collect()
}

fn y() -> Vec<f64> {
    (0..ROWS).map(|i| 2.0 * x(2)[i] - x(2)[ROWS + i] + 3.0 * noise(7 * ROWS + i)).collect()
}

fn plan() -> WeightPlan {
    WeightPlan::new(3, Law::Exponential, PriorWeight::Random, ROWS)
}

fn options(lambda: Lambda, cols: usize) -> Options {
    Options {
        lambda,
        alpha: 1.0,
        penalty_factor: vec![1.0; cols],
        intercept: true,
        standardize: true,
        refit: None,
        limits: Limits { tolerance: 1e-10, iterations: 1000 },
    }
}

fn anew(folds: Option<Vec<u32>>) -> Lambda {
    let Lambda::CrossValidated(settings) = five_folds(15) else { unreachable!() };
    let folds = folds.map_or(settings.folds.clone(), Folds::Given);
    Lambda::CrossValidated(CrossValidation { anew: true, folds, ..settings })
}

fn lasso(lambda: Lambda, cols: usize, plan: WeightPlan) -> Lasso {
    let x = Source::dense(&x(cols), ROWS, cols);
    Lasso::new(x, y(), plan, options(lambda, cols), &Control::default()).unwrap()
}

/// The weights of a draw as case weights.
fn weighted(draw: u64) -> WeightPlan {
    let mut weights = vec![0.0; ROWS];
    plan().draw(draw).fill(0, &mut weights);
    plan().with_case_weights(weights).unwrap()
}

#[test]
fn a_draw_has_the_lambda_of_the_data_with_its_weights() {
    // By Gram matrices, and by passes over many columns.
    for cols in [4, 90] {
        let whole = lasso(anew(None), cols, plan());
        let folds = whole.curve.as_ref().unwrap().fold.clone();
        let draws = bootstrap::run(&whole, 1, 6, &Control::default()).unwrap();
        for (k, found) in draws.asides.iter().enumerate() {
            // Columns are standardised with the weights there, which moves penalties a little: not here.
            let mut options = options(anew(Some(folds.clone())), cols);
            options.standardize = false;
            let x = Source::dense(&x(cols), ROWS, cols);
            let alone =
                Lasso::new(x, y(), weighted(k as u64 + 1), options.clone(), &Control::default());
            let x = Source::dense(&self::x(cols), ROWS, cols);
            let same = Lasso::new(x, y(), plan(), options, &Control::default()).unwrap();
            let drawn =
                bootstrap::run(&same, k as u64 + 1, 1, &Control::default()).unwrap().asides[0];
            let expected = alone.unwrap().lambda[0];
            assert!((drawn / expected - 1.0).abs() < 1e-6, "{cols} {k}: {drawn} {expected}");
            assert!(*found > 0.0);
        }
        assert!(draws.asides.iter().any(|l| *l != draws.asides[0]));
    }
}

#[test]
fn a_draw_is_that_of_a_fit_at_its_lambda() {
    let whole = lasso(anew(None), 4, plan());
    let all = on_threads(1, || bootstrap::run(&whole, 1, 5, &Control::default()).unwrap());
    let some = on_threads(3, || bootstrap::run(&whole, 4, 2, &Control::default()).unwrap());
    assert_eq!(all.asides[3..], some.asides);
    for k in 0..5u64 {
        let fixed = lasso(Lambda::Given(vec![all.asides[k as usize]]), 4, plan());
        let draw = bootstrap::run(&fixed, k + 1, 1, &Control::default()).unwrap();
        for j in 0..5 {
            let (a, b) = (all.theta[[k as usize, j, 0]], draw.theta[[0, j, 0]]);
            assert!((a - b).abs() < 1e-4 * (1.0 + b.abs()), "{k} {j}: {a} {b}");
        }
    }
}

#[test]
fn a_family_has_them_too() {
    let response = Response {
        y: y().iter().map(|y| f64::from(u8::from(*y > 0.0))).collect(),
        family: Family::Binomial,
        offset: None,
    };
    let glm = |lambda: Lambda| {
        let x = Source::dense(&x(4), ROWS, 4);
        let measure = Measure::Deviance;
        Glm::new(x, response.clone(), measure, plan(), options(lambda, 4), &Control::default())
            .unwrap()
    };
    let all = bootstrap::run(&glm(anew(None)), 1, 4, &Control::default()).unwrap();
    assert!(all.asides.iter().any(|l| *l != all.asides[0]));
    let fixed = glm(Lambda::Given(vec![all.asides[1]]));
    let draw = bootstrap::run(&fixed, 2, 1, &Control::default()).unwrap();
    for j in 0..5 {
        let (a, b) = (all.theta[[1, j, 0]], draw.theta[[0, j, 0]]);
        assert!((a - b).abs() < 1e-3 * (1.0 + b.abs()), "{j}: {a} {b}");
    }
}
