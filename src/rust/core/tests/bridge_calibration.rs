//! Simulation-based calibration of the bridge sampler.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma, StandardNormal};
use statrs::distribution::{ChiSquared, ContinuousCDF};
use wbb_core::bridge::{Data, Noise, Options, Scaling, Shrinkage, run};
use wbb_core::data::source::Source;
use wbb_core::engine::job::Control;

/// Correlated columns.
fn columns(n: usize, p: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut normal = || -> f64 { StandardNormal.sample(rng) };
    let shared: Vec<f64> = (0..n).map(|_| normal()).collect();
    (0..n * p).map(|c| normal() + 0.7 * shared[c % n]).collect()
}

/// Geweke's (2004) joint test in its simulation-based calibration form: θ from the prior, y given θ,
/// then one long enough chain given y; the rank of θ among thinned draws is uniform.
fn calibration(n: usize, p: usize, alpha: f64, seed: u64) {
    const RANKS: usize = 15;
    let repeats = 1600;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let x = columns(n, p, &mut rng);
    let (nu_prior, noise_prior) = (Gamma::new(4.0, 0.5).unwrap(), Gamma::new(6.0, 0.2).unwrap());
    let quantities = 4;
    let mut counts = vec![[0usize; RANKS + 1]; quantities];
    for repeat in 0..repeats {
        let nu: f64 = nu_prior.sample(&mut rng);
        let variance: f64 = 1.0 / noise_prior.sample(&mut rng);
        // |β|^α ν ~ Gamma(1/α): the generalised normal distribution.
        let size = Gamma::new(1.0 / alpha, 1.0).unwrap();
        let beta: Vec<f64> = (0..p)
            .map(|_| {
                let z: f64 = StandardNormal.sample(&mut rng);
                (size.sample(&mut rng) / nu).powf(1.0 / alpha).copysign(z)
            })
            .collect();
        let y: Vec<f64> = (0..n)
            .map(|i| {
                let z: f64 = StandardNormal.sample(&mut rng);
                (0..p).map(|j| x[j * n + i] * beta[j]).sum::<f64>() + z * variance.sqrt()
            })
            .collect();
        let scaling = Scaling { intercept: false, standardize: false };
        let source = Source::dense(&x, n, p);
        let data = Data::new(&source, y, scaling, &Control::default()).unwrap();
        let setting = Options {
            shrinkage: Shrinkage::Gamma { shape: 4.0, rate: 2.0 },
            noise: Noise::InverseGamma { shape: 6.0, rate: 5.0 },
            draws: RANKS,
            burn: 300,
            thin: 40,
            chains: 1,
            seed: 10_000 * seed + repeat,
            alpha,
        };
        let found = run(&data, &setting, &Control::default()).unwrap();
        let norm = |b: &[f64]| b.iter().map(|b| b.abs().powf(alpha)).sum::<f64>();
        let row = |k: usize| found.theta.row(k).to_vec();
        let truth = [beta[0], norm(&beta), variance, nu];
        for k in 0..quantities {
            let draw = |i: usize| match k {
                0 => found.theta[[i, 0]],
                1 => norm(&row(i)),
                2 => found.sigma[i].powi(2),
                _ => found.nu[i],
            };
            counts[k][(0..RANKS).filter(|&i| draw(i) < truth[k]).count()] += 1;
        }
    }
    // A false alarm of 10⁻⁶; with 4 quantities and 6 settings 2.4e-5.
    let limit = ChiSquared::new(RANKS as f64).unwrap().inverse_cdf(1.0 - 1e-6);
    let expected = repeats as f64 / (RANKS + 1) as f64;
    for (k, counts) in counts.iter().enumerate() {
        let chi = counts.iter().map(|&c| (c as f64 - expected).powi(2) / expected).sum::<f64>();
        assert!(chi < limit, "n {n}, p {p}, alpha {alpha}, quantity {k}: {chi} {counts:?}");
    }
}

#[test]
fn ranks_are_uniform_with_few_columns() {
    calibration(8, 3, 0.5, 1);
    calibration(10, 1, 0.3, 2);
    calibration(8, 5, 1.0, 3);
}

#[test]
fn ranks_are_uniform_for_other_exponents() {
    calibration(6, 3, 0.7, 4);
    calibration(8, 2, 1.6, 5);
}

#[test]
fn ranks_are_uniform_with_more_columns_than_rows() {
    calibration(4, 7, 0.5, 6);
}
