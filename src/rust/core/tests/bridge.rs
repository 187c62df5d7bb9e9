//! The bridge sampler against what is known exactly.

mod common;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp1, Gamma, StandardNormal};
use wbb_core::bridge::{Chains, Data, Noise, Options, Scaling, Shrinkage, keep, run};
use wbb_core::data::source::Source;
use wbb_core::engine::job::Control;
use wbb_core::error::Error;

fn data(n: usize, p: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    let shared: Vec<f64> = (0..n).map(|_| normal()).collect();
    let x: Vec<f64> = (0..n * p).map(|c| normal() + 0.7 * shared[c % n]).collect();
    let y = (0..n).map(|i| 1.0 + x[i] + normal()).collect();
    (x, y)
}

fn shaped(x: &[f64], y: &[f64], intercept: bool) -> Data {
    let source = Source::dense(x, y.len(), x.len() / y.len());
    let scaling = Scaling { intercept, standardize: false };
    Data::new(&source, y.to_vec(), scaling, &Control::default()).unwrap()
}

fn made(n: usize, p: usize, intercept: bool, seed: u64) -> Data {
    let (x, y) = data(n, p, seed);
    shaped(&x, &y, intercept)
}

fn options(alpha: f64) -> Options {
    Options {
        alpha,
        shrinkage: Shrinkage::Gamma { shape: 2.0, rate: 2.0 },
        noise: Noise::InverseGamma { shape: 0.0, rate: 0.0 },
        draws: 1000,
        burn: 200,
        thin: 1,
        chains: 2,
        seed: 1,
    }
}

fn on_threads(threads: usize, data: &Data, options: &Options) -> Result<Chains, Error> {
    common::on_threads(threads, || run(data, options, &Control::default()))
}

/// Mean, and its standard error from 50 batches.
fn batch_mean(values: &[f64]) -> (f64, f64) {
    let batches: Vec<f64> =
        values.chunks(values.len() / 50).map(|b| b.iter().sum::<f64>() / b.len() as f64).collect();
    let k = batches.len() as f64;
    let mean = batches.iter().sum::<f64>() / k;
    let var = batches.iter().map(|b| (b - mean).powi(2)).sum::<f64>() / (k - 1.0);
    (mean, (var / k).sqrt())
}

#[test]
fn a_chain_depends_on_seed_and_number_alone() {
    let data = made(30, 4, true, 1);
    let both = on_threads(2, &data, &options(0.5)).unwrap();
    assert_eq!(both, on_threads(1, &data, &options(0.5)).unwrap());
    let first = on_threads(1, &data, &Options { chains: 1, ..options(0.5) }).unwrap();
    assert_eq!(both.sigma[..1000], first.sigma);
    let other = on_threads(1, &data, &Options { seed: 2, ..options(0.5) }).unwrap();
    assert_ne!(both.nu, other.nu);
}

#[test]
fn thinning_keeps_every_kth() {
    let data = made(20, 3, false, 2);
    let all = on_threads(1, &data, &Options { chains: 1, ..options(1.0) }).unwrap();
    let few = Options { chains: 1, thin: 5, draws: 200, ..options(1.0) };
    let thinned = on_threads(1, &data, &few).unwrap();
    let expected: Vec<f64> = all.sigma.iter().skip(4).step_by(5).copied().collect();
    assert_eq!(thinned.sigma, expected);
}

/// Posterior mean of β for p = 1 without intercept, by quadrature over (log σ², log ν or fixed, β).
fn quadrature(x: &[f64], y: &[f64], alpha: f64, nu: f64) -> (f64, f64) {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (n, xx, xy, yy) = (y.len() as f64, dot(x, x), dot(x, y), dot(y, y));
    // σ² integrates to RSS^(−n/2); then a fine grid, dense near the kink at 0.
    let (mut below, mut above, mut square) = (0.0, 0.0, 0.0);
    let h = 1e-3;
    for k in -12_000..12_000 {
        let u = (f64::from(k) + 0.5) * h;
        let (beta, jacobian) = (u.sinh() * 1e-3, u.cosh() * 1e-3);
        if beta.abs() > 50.0 {
            continue;
        }
        let rss = yy - 2.0 * beta * xy + beta * beta * xx;
        let weight = (-0.5 * n * rss.ln() - nu * beta.abs().powf(alpha)).exp() * jacobian;
        below += weight;
        above += weight * beta;
        square += weight * beta * beta;
    }
    (above / below, square / below)
}

#[test]
fn one_coefficient_is_that_of_quadrature() {
    // 12 comparisons at 5 standard errors of batch means (t with 49 degrees of freedom): a false
    // alarm in about 10⁵ seeds.
    for (case, alpha) in [0.3, 0.5, 0.9, 1.0, 1.5, 2.0].into_iter().enumerate() {
        let mut rng = ChaCha8Rng::seed_from_u64(40 + case as u64);
        let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
        let x: Vec<f64> = (0..12).map(|_| normal()).collect();
        let y: Vec<f64> = x.iter().map(|v| 0.4 * v + normal()).collect();
        let nu = 1.5;
        let (mean, square) = quadrature(&x, &y, alpha, nu);
        let data = shaped(&x, &y, false);
        let setting = Options {
            shrinkage: Shrinkage::Fixed(nu),
            draws: 100_000,
            chains: 1,
            seed: case as u64,
            ..options(alpha)
        };
        let theta = on_threads(1, &data, &setting).unwrap().theta.into_raw_vec_and_offset().0;
        let squares: Vec<f64> = theta.iter().map(|b| b * b).collect();
        for (values, truth) in [(&theta, mean), (&squares, square)] {
            let (found, se) = batch_mean(values);
            assert!((found - truth).abs() < 5.0 * se, "{alpha}: {found} ± {se}, exact {truth}");
        }
    }
}

/// The Bayesian lasso with ν fixed by another road: coordinates one at a time from their two-piece
/// truncated normal conditionals (Hans 2009), no scales at all.
fn hans(x: &[f64], y: &[f64], p: usize, nu: f64, draws: usize) -> Vec<f64> {
    let n = y.len();
    let mut rng = ChaCha8Rng::seed_from_u64(77);
    let (mut beta, mut residual, mut variance) = (vec![0.0; p], y.to_vec(), 1.0);
    let gamma = Gamma::new(0.5 * n as f64, 1.0).unwrap();
    let mut kept = Vec::new();
    // log Φ(−a) + a²/2 up to a constant, and a draw of N(0, 1) above a.
    let log_mills = |a: f64| (0.5 * a * a) + (0.5 * libm::erfc(a / 2f64.sqrt())).ln();
    for iteration in 0..draws + 500 {
        for j in 0..p {
            let column = &x[j * n..][..n];
            let square: f64 = column.iter().map(|v| v * v).sum();
            let cross: f64 = column.iter().zip(&residual).map(|(v, r)| v * (r + v * beta[j])).sum();
            let sd = (variance / square).sqrt();
            // Positive side N(m₊, sd²) above 0, negative side N(m₋, sd²) below.
            let (plus, minus) =
                ((cross - nu * variance) / square, (cross + nu * variance) / square);
            let (a, b) = (-plus / sd, minus / sd);
            let (right, left) = (log_mills(a), log_mills(b));
            let u: f64 = rand_distr::StandardUniform.sample(&mut rng);
            let positive = u * (1.0 + (left - right).exp()) < 1.0;
            let bound = if positive { a } else { b };
            let z = loop {
                if bound < 0.5 {
                    let z: f64 = StandardNormal.sample(&mut rng);
                    if z > bound {
                        break z;
                    }
                } else {
                    // Robert (1995), with rate = bound.
                    let e: f64 = Exp1.sample(&mut rng);
                    let step = e / bound;
                    let u: f64 = rand_distr::StandardUniform.sample(&mut rng);
                    if u <= (-0.5 * step * step).exp() {
                        break bound + step;
                    }
                }
            };
            let new = if positive { plus + sd * z } else { minus - sd * z };
            for (r, v) in residual.iter_mut().zip(column) {
                *r -= v * (new - beta[j]);
            }
            beta[j] = new;
        }
        let rss: f64 = residual.iter().map(|r| r * r).sum();
        variance = 0.5 * rss / gamma.sample(&mut rng);
        if iteration >= 500 {
            kept.extend_from_slice(&beta);
            kept.push(variance.sqrt());
        }
    }
    kept
}

#[test]
fn alpha_one_is_the_bayesian_lasso() {
    let (n, p, nu, draws) = (15, 3, 2.0, 60_000);
    let (x, y) = data(n, p, 8);
    let other = hans(&x, &y, p, nu, draws);
    let data = shaped(&x, &y, false);
    let setting = Options { shrinkage: Shrinkage::Fixed(nu), draws, chains: 1, ..options(1.0) };
    let ours = on_threads(1, &data, &setting).unwrap();
    for j in 0..=p {
        let theirs: Vec<f64> = other.iter().skip(j).step_by(p + 1).copied().collect();
        let mine = if j < p { ours.theta.column(j).to_vec() } else { ours.sigma.clone() };
        for power in [1, 2] {
            let raise = |v: &[f64]| v.iter().map(|b| b.powi(power)).collect::<Vec<f64>>();
            let (a, b) = (batch_mean(&raise(&mine)), batch_mean(&raise(&theirs)));
            let se = a.1.hypot(b.1);
            // 8 comparisons at 5 standard errors: a false alarm in about 10⁵ seeds.
            assert!((a.0 - b.0).abs() < 5.0 * se, "{j}^{power}: {a:?} {b:?}");
        }
    }
}

/// The posterior of β with ν and σ² integrated out, by another road again: Neal's (2003) slice
/// sampler with stepping out, coordinate after coordinate, no latent variables.
fn slices(x: &[f64], y: &[f64], p: usize, alpha: f64, draws: usize) -> Vec<f64> {
    let n = y.len();
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut uniform = || -> f64 { rand_distr::StandardUniform.sample(&mut rng) };
    let log_density = |beta: &[f64]| {
        let rss: f64 = (0..n)
            .map(|i| (y[i] - (0..p).map(|j| x[j * n + i] * beta[j]).sum::<f64>()).powi(2))
            .sum();
        let powers: f64 = beta.iter().map(|b| b.abs().powf(alpha)).sum();
        -0.5 * n as f64 * rss.ln() - (2.0 + p as f64 / alpha) * (2.0 + powers).ln()
    };
    let mut beta = vec![0.1; p];
    let mut kept = Vec::new();
    let width = 0.5;
    for iteration in 0..draws + 500 {
        for j in 0..p {
            let (from, level) = (beta[j], log_density(&beta) + uniform().ln());
            let mut above = |value: f64| {
                beta[j] = value;
                log_density(&beta) > level
            };
            let mut low = from - width * uniform();
            let mut high = low + width;
            while above(low) {
                low -= width;
            }
            while above(high) {
                high += width;
            }
            loop {
                let try_at = low + (high - low) * uniform();
                if above(try_at) {
                    break;
                }
                if try_at < from { low = try_at } else { high = try_at }
            }
        }
        if iteration >= 500 {
            kept.extend_from_slice(&beta);
        }
    }
    kept
}

#[test]
fn a_slice_sampler_without_scales_agrees() {
    let (n, p, draws) = (20, 4, 60_000);
    let (x, y) = data(n, p, 11);
    for alpha in [0.5, 0.8] {
        let other = slices(&x, &y, p, alpha, draws);
        let data = shaped(&x, &y, false);
        let setting = Options { draws, chains: 1, ..options(alpha) };
        let ours = on_threads(1, &data, &setting).unwrap();
        for j in 0..p {
            let theirs: Vec<f64> = other.iter().skip(j).step_by(p).copied().collect();
            let mine = ours.theta.column(j).to_vec();
            // Mean, square, and mass near the kink: 24 comparisons at 5 standard errors, a false
            // alarm in some 10⁴ seeds.
            for f in [|b: f64| b, |b: f64| b * b, |b: f64| f64::from(u8::from(b.abs() < 0.05))] {
                let of = |v: &[f64]| batch_mean(&v.iter().map(|b| f(*b)).collect::<Vec<f64>>());
                let (a, b) = (of(&mine), of(&theirs));
                assert!((a.0 - b.0).abs() < 5.0 * a.1.hypot(b.1), "{alpha}, {j}: {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn alpha_two_is_ridge_regression() {
    // Known variance and ν: β is Gaussian, with mean (X'X + 2νσ²)⁻¹X'y; one column suffices.
    let (x, y) = data(10, 1, 3);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (nu, variance) = (0.7, 2.0);
    let precision = dot(&x, &x) / variance + 2.0 * nu;
    let mean = dot(&x, &y) / variance / precision;
    let data = shaped(&x, &y, false);
    let setting = Options {
        shrinkage: Shrinkage::Fixed(nu),
        noise: Noise::Fixed(variance),
        draws: 40_000,
        chains: 1,
        ..options(2.0)
    };
    let theta = on_threads(1, &data, &setting).unwrap().theta;
    let found = theta.iter().sum::<f64>() / 40_000.0;
    // Independent draws: 5 standard errors are a false alarm of 6e-7.
    assert!((found - mean).abs() < 5.0 / (precision * 40_000.0).sqrt(), "{found} {mean}");
}

#[test]
fn the_two_gaussian_steps_agree() {
    // The same model with p = n + 1 (row form) and with its last column all zero and dropped (column
    // form). 8 comparisons at 5 standard errors.
    let (n, draws) = (5, 60_000);
    let (x, y) = data(n, n + 1, 5);
    let noise = Noise::InverseGamma { shape: 3.0, rate: 3.0 };
    let setting =
        Options { noise, shrinkage: Shrinkage::Fixed(2.0), draws, chains: 1, ..options(0.5) };
    let fit = |columns: usize, zero: bool| {
        let mut x = x[..n * columns].to_vec();
        if zero {
            x[n * (columns - 1)..].fill(0.0);
        }
        on_threads(1, &shaped(&x, &y, false), &setting).unwrap()
    };
    let (rows, columns) = (fit(n + 1, true), fit(n, false));
    for j in 0..n {
        let tanh = |c: &Chains| c.theta.column(j).iter().map(|b| b.tanh()).collect::<Vec<_>>();
        let (a, b) = (batch_mean(&tanh(&rows)), batch_mean(&tanh(&columns)));
        assert!((a.0 - b.0).abs() < 5.0 * a.1.hypot(b.1), "{j}: {a:?} {b:?}");
    }
}

#[test]
fn a_stopped_run_gives_no_chains() {
    let control = Control::default();
    control.stop();
    let data = made(9, 2, true, 1);
    assert_eq!(run(&data, &options(0.5), &control), Err(Error::Cancelled));
    assert_eq!(keep(&data, &options(0.5), &control).err(), Some(Error::Cancelled));
}

/// On one thread the first chain is done when the second is stopped, on two both are on their way.
#[test]
fn a_stop_keeps_what_a_shorter_run_gives() {
    let data = made(40, 5, true, 2);
    for (threads, iterations) in [(1, 20_000), (2, 6_000)] {
        let control = Control::default();
        let long = Options { draws: 15_000, thin: 2, chains: 3, ..options(0.5) };
        let kept = std::thread::scope(|scope| {
            scope.spawn(|| {
                while control.progress().1 < iterations {
                    std::thread::yield_now();
                }
                control.stop();
            });
            common::on_threads(threads, || keep(&data, &long, &control)).unwrap()
        });
        assert!(!kept.whole && kept.draws > 0 && kept.chains() <= threads);
        let short = Options { draws: kept.draws, chains: kept.chains(), ..long };
        let expected = on_threads(threads, &data, &short).unwrap();
        assert_eq!(kept.table(&Control::default()).unwrap(), expected);
        // What R reads: six coefficients, σ and ν.
        let rows = expected.sigma.len();
        assert_eq!(kept.size(), 8 * rows);
        for (j, column) in expected.theta.columns().into_iter().enumerate() {
            assert!(column.iter().enumerate().all(|(i, v)| kept.value(j * rows + i) == Some(*v)));
        }
        assert_eq!(kept.value(7 * rows + rows - 1), expected.nu.last().copied());
    }
}
