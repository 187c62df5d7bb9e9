//! When the bridge has no posterior, and what is taken in its place.

mod common;

use common::noise as number;
use wbb_core::bridge::{Chains, Data, Noise, Options, Scaling, Shrinkage, run};
use wbb_core::data::source::Source;
use wbb_core::engine::job::Control;
use wbb_core::error::Error;

const FREE: Noise = Noise::InverseGamma { shape: 0.0, rate: 0.0 };

fn options(noise: Noise) -> Options {
    Options {
        alpha: 0.5,
        shrinkage: Shrinkage::Gamma { shape: 2.0, rate: 2.0 },
        noise,
        draws: 20,
        burn: 5,
        thin: 1,
        chains: 1,
        seed: 1,
    }
}

fn data(x: &[f64], y: &[f64], intercept: bool) -> Data {
    let source = Source::dense(x, y.len(), x.len() / y.len());
    let scaling = Scaling { intercept, standardize: false };
    Data::new(&source, y.to_vec(), scaling, &Control::default()).unwrap()
}

/// `columns` columns that `rank` of them span, of very different sizes, and a y that they do not.
fn made(n: usize, columns: usize, rank: usize) -> (Vec<f64>, Vec<f64>) {
    let mut x: Vec<f64> = (0..n * rank).map(number).collect();
    for j in rank..columns {
        let column: Vec<f64> = (0..n)
            .map(|i| (0..rank).map(|k| number(1000 + 31 * j + k) * x[k * n + i]).sum())
            .collect();
        x.extend(column);
    }
    for (j, column) in x.chunks_exact_mut(n).enumerate() {
        column.iter_mut().for_each(|v| *v *= 10f64.powi(j as i32 % 7 - 3));
    }
    (x, (0..n).map(|i| number(9000 + i)).collect())
}

fn fit(x: &[f64], y: &[f64], intercept: bool, noise: Noise) -> Result<Chains, Error> {
    run(&data(x, y, intercept), &options(noise), &Control::default())
}

fn argument(result: Result<Chains, Error>) -> &'static str {
    match result {
        Err(Error::Argument { argument, .. }) => argument,
        other => panic!("{other:?}"),
    }
}

#[test]
fn rank_decides_and_not_the_number_of_columns() {
    for (n, columns, rank) in [(10, 20, 5), (10, 20, 8), (10, 8, 8), (10, 10, 4), (40, 30, 12)] {
        let (x, y) = made(n, columns, rank);
        for noise in [FREE, Noise::Unknown] {
            let chains = fit(&x, &y, true, noise).unwrap();
            assert_eq!(chains.noise, FREE, "{n} rows, {columns} columns of rank {rank}");
        }
    }
}

#[test]
fn full_rank_takes_a_proper_prior_or_is_refused() {
    // With an intercept, one column less suffices.
    for (n, columns, rank, intercept) in [
        (10, 9, 9, true),
        (10, 12, 9, true),
        (10, 10, 10, false),
        (10, 25, 10, false),
        (1, 1, 1, true),
    ] {
        let (x, mut y) = made(n, columns, rank);
        if n == 1 {
            // Nothing is left of a single row beside an intercept.
            assert_eq!(argument(fit(&x, &y, intercept, Noise::Unknown)), "y");
            continue;
        }
        y[0] += 1.0;
        assert_eq!(argument(fit(&x, &y, intercept, FREE)), "sigma2_prior");
        let taken = fit(&x, &y, intercept, Noise::Unknown).unwrap().noise;
        let rate = 0.1 * data(&x, &y, intercept).response_variance();
        assert_eq!(taken, Noise::InverseGamma { shape: 1.0, rate });
    }
}

#[test]
fn constant_and_repeated_columns_add_no_rank() {
    let (x, y) = made(8, 3, 3);
    let mut many = x.clone();
    many.extend([7.1; 8]);
    for _ in 0..4 {
        many.extend_from_slice(&x[..8]);
    }
    assert_eq!(fit(&many, &y, true, FREE).unwrap().noise, FREE);
}

#[test]
fn a_response_that_is_fitted_perfectly_is_refused() {
    for columns in [3, 20] {
        let (x, _) = made(10, columns, 3);
        let y: Vec<f64> = (0..10).map(|i| 2.0 * x[i] - 3.0 * x[10 + i]).collect();
        for noise in [FREE, Noise::Unknown] {
            assert_eq!(argument(fit(&x, &y, false, noise)), "sigma2_prior", "{columns}");
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let flat = data(&[1.0, 2.0, 4.0], &[5.0; 3], true);
    assert_eq!(argument(run(&flat, &options(FREE), &Control::default())), "y");
    let (x, y) = made(9, 2, 2);
    let bad = Options { shrinkage: Shrinkage::Fixed(-1.0), ..options(FREE) };
    assert_eq!(argument(run(&data(&x, &y, true), &bad, &Control::default())), "nu");
}
