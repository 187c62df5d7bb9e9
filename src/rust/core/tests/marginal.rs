//! The marginal likelihood against quadrature, and its curve over lambda.

mod common;

use common::{noise, normal, on_threads};
use wbb_core::bridge::{Data, Scaling};
use wbb_core::data::source::Source;
use wbb_core::engine::job::Control;
use wbb_core::error::Error;
use wbb_core::marginal::{Options, choose, evidence};

fn data(n: usize, p: usize, slope: f64, intercept: bool) -> Data {
    let x: Vec<f64> = (0..n * p).map(noise).collect();
    let y: Vec<f64> = (0..n).map(|i| slope * x[i] + normal(5000 + i)).collect();
    let scaling = Scaling { intercept, standardize: true };
    Data::new(&Source::dense(&x, n, p), y, scaling, &Control::default()).unwrap()
}

fn options(sigma: Option<f64>) -> Options {
    Options { sigma, draws: 4000, burn: 200, seed: 1 }
}

/// log ∫∫ of likelihood and prior over β and, if it is unknown, log σ², by the midpoint rule.
fn quadrature(data: &Data, lambda: f64, sigma: Option<f64>) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (x, y) = (data.column(0), &data.y);
    let (xx, xy, yy) = (dot(x, x), dot(x, y), dot(y, y));
    let (n, freedom) = (data.rows() as f64, data.freedom() as f64);
    let logs: Vec<f64> = match sigma {
        Some(sigma) => vec![2.0 * sigma.ln()],
        None => (0..600).map(|k| -6.0 + 0.02 * (f64::from(k) + 0.5)).collect(),
    };
    let (mut sum, step) = (0.0, 5e-4);
    let base = -0.5 * freedom * yy.ln();
    for log_variance in &logs {
        let variance = log_variance.exp();
        for k in -12_000..12_000 {
            let beta = (f64::from(k) + 0.5) * step;
            let square = yy - 2.0 * beta * xy + beta * beta * xx;
            let log = -0.5 * freedom * (std::f64::consts::TAU * variance).ln()
                - 0.5 * square / variance
                + (0.5 * lambda / variance).ln()
                - lambda / variance * beta.abs();
            sum += (log - base).exp();
        }
    }
    let cell = step * if sigma.is_some() { 1.0 } else { 0.02 };
    base + (sum * cell).ln() - if data.intercept { 0.5 * n.ln() } else { 0.0 }
}

#[test]
fn one_coefficient_is_that_of_quadrature() {
    // 8 comparisons at 5 standard errors: a false alarm in some 10⁵ seeds.
    for intercept in [true, false] {
        let data = data(20, 1, 1.0, intercept);
        for sigma in [None, Some(1.3)] {
            let found =
                evidence(&data, &[1.0, 20.0], &options(sigma), &Control::default()).unwrap();
            for e in found {
                let exact = quadrature(&data, e.lambda, sigma);
                assert!((e.log - exact).abs() < 5.0 * e.error, "{sigma:?} {e:?} {exact}");
                assert!(e.error < 0.02, "{e:?}");
            }
        }
    }
}

#[test]
fn threads_and_neighbours_change_nothing() {
    let data = data(30, 3, 1.0, true);
    let run = |threads, lambdas: &[f64]| {
        let work = || evidence(&data, lambdas, &options(None), &Control::default());
        on_threads(threads, work).unwrap()
    };
    let both = run(2, &[2.0, 20.0]);
    assert_eq!(both, run(1, &[2.0, 20.0]));
    assert_eq!(both[1..], run(1, &[20.0]));
}

#[test]
fn more_columns_than_rows_and_many_columns_work() {
    for (n, p) in [(12, 20), (60, 25)] {
        let found =
            evidence(&data(n, p, 2.0, true), &[3.0, 30.0], &options(None), &Control::default());
        assert!(found.unwrap().iter().all(|e| e.log.is_finite() && e.error < 1.0));
    }
}

#[test]
fn the_curve_falls_in_lambda_and_has_its_top_where_the_data_say() {
    let top = |slope: f64| {
        let quick = Options { draws: 500, ..options(None) };
        let curve = choose(&data(40, 2, slope, true), &quick, &Control::default()).unwrap();
        assert_eq!(curve.len(), 29);
        assert!(curve.windows(2).all(|pair| pair[0].lambda > pair[1].lambda * 1.001));
        let best = curve.iter().enumerate().max_by(|a, b| a.1.log.total_cmp(&b.1.log)).unwrap().0;
        (best, curve.len() - 1)
    };
    // Some signal has its top inside, and none at all at the largest lambda.
    let (inside, last) = top(1.0);
    assert!(inside > 0 && inside < last, "{inside}");
    assert_eq!(top(0.0).0, 0);
}

#[test]
fn a_stop_is_heard_and_no_correlation_is_refused() {
    let control = Control::default();
    let x = Source::dense(&[1.0, -1.0, 0.0], 3, 1);
    let scaling = Scaling { intercept: true, standardize: true };
    let flat = Data::new(&x, vec![1.0, 1.0, 0.0], scaling, &control).unwrap();
    let refused = choose(&flat, &options(None), &control);
    assert!(matches!(refused, Err(Error::Argument { argument: "lambda", .. })));
    let data = data(20, 2, 1.0, true);
    control.stop();
    assert_eq!(choose(&data, &options(None), &control), Err(Error::Cancelled));
}
