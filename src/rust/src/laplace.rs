//! The exact means of the normal-means problem, element by element.

use extendr_api::prelude::*;
use wbb_core::laplace::{posterior_mean, wbb_mean_fixed, wbb_mean_random};

/// E(theta | y); R has given the three vectors one length.
#[extendr]
fn rust_laplace_posterior_mean(y: Vec<f64>, lambda: Vec<f64>, sigma: Vec<f64>) -> Vec<f64> {
    let rows = y.iter().zip(&lambda).zip(&sigma);
    rows.map(|((y, lambda), sigma)| posterior_mean(*y, *lambda, *sigma)).collect()
}

/// Mean of the weighted Bayesian bootstrap; `lambda` is in the units of y.
#[extendr]
fn rust_laplace_wbb_mean(y: Vec<f64>, lambda: Vec<f64>, fixed: bool) -> Vec<f64> {
    let mean = if fixed { wbb_mean_fixed } else { wbb_mean_random };
    y.iter().zip(&lambda).map(|(y, lambda)| mean(*y, *lambda)).collect()
}

extendr_module! {
    mod laplace;
    fn rust_laplace_posterior_mean;
    fn rust_laplace_wbb_mean;
}
