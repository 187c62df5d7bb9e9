//! The lasso workloads of the targets, and any other, on made-up data, without R: something to run under
//! a profiler.
//!
//! `cargo run --release --example profile -- L2 L4 1000,3000,0.02,0.05,1,20`; threads from the
//! environment variable THREADS. The numbers are rows, columns, density (1: a dense matrix; 2: one whose
//! neighbours correlate by 0.9), lambda over its largest (0: cross-validated), alpha and draws.

mod common;

use common::{busy, cross_validated, run_all, time_draws};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Binomial, Distribution, StandardNormal};
use wbb_core::data::source::Source;
use wbb_core::engine::cv::Lambda;
use wbb_core::engine::job::Control;
use wbb_core::engine::limits::Limits;
use wbb_core::lasso::{Lasso, Options};
use wbb_core::linalg::sparse::compressed_columns;
use wbb_core::random::laws::{Law, PriorWeight};
use wbb_core::random::weights::WeightPlan;

struct Workload {
    n: usize,
    p: usize,
    draws: usize,
    lambda: Strength,
    alpha: f64,
    signals: usize,
    density: f64,
}

#[derive(Clone, Copy)]
enum Strength {
    Given(f64),
    /// Of the largest.
    Share(f64),
}

fn workload(name: &str) -> Option<Workload> {
    let (n, p, draws, lambda, signals, density) = match name {
        "L1" => (442, 10, 20_000, 20.0, 6, 1.0),
        "L2" => (10_000, 100, 400, 100.0, 50, 1.0),
        "L3" => (500, 5000, 64, 70.0, 100, 1.0),
        "L4" => (100_000, 1000, 64, 430.0, 300, 0.01),
        "L5" => (1_000_000, 50, 32, 1000.0, 40, 1.0),
        _ => return spelled_out(name),
    };
    Some(Workload { n, p, draws, lambda: Strength::Given(lambda), alpha: 1.0, signals, density })
}

fn spelled_out(name: &str) -> Option<Workload> {
    let numbers: Vec<f64> = name.split(',').filter_map(|v| v.parse().ok()).collect();
    let &[n, p, density, share, alpha, draws] = numbers.as_slice() else { return None };
    let (n, p, draws) = (n as usize, p as usize, draws as usize);
    let signals = p.min(30);
    Some(Workload { n, p, draws, lambda: Strength::Share(share), alpha, signals, density })
}

fn normals(rng: &mut ChaCha8Rng, count: usize) -> Vec<f64> {
    (0..count).map(|_| StandardNormal.sample(rng)).collect()
}

/// Entries are anywhere, so that columns differ in their number: some have one, or none.
fn sparse_column(rng: &mut ChaCha8Rng, n: usize, density: f64) -> Vec<(usize, f64)> {
    let count = Binomial::new(n as u64, density).map_or(0, |law| law.sample(rng));
    let mut rows: Vec<usize> = (0..count).map(|_| rng.random_range(0..n)).collect();
    rows.sort_unstable();
    rows.dedup();
    rows.into_iter().map(|i| (i, StandardNormal.sample(rng))).collect()
}

fn data(w: &Workload) -> Option<(Source, Vec<f64>)> {
    let mut rng = ChaCha8Rng::from_seed([7; 32]);
    let noise = normals(&mut rng, w.n);
    // Workloads of the targets have weak signals; others, as those of the map, signals as strong as the noise.
    let strong = matches!(w.lambda, Strength::Share(_));
    let effects = normals(&mut rng, w.signals);
    let effect = |j: usize| match effects.get(j) {
        None => 0.0,
        Some(b) if strong => *b,
        Some(_) if w.density < 1.0 => 0.5,
        Some(_) => [0.3, 0.1][j % 2],
    };
    let mut fit = vec![0.0; w.n];
    let x = if w.density < 1.0 {
        let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
        for j in 0..w.p {
            for (i, v) in sparse_column(&mut rng, w.n, w.density) {
                rows.push(i);
                values.push(v);
                fit[i] += effect(j) * v;
            }
            starts.push(rows.len());
        }
        Source::Sparse(compressed_columns((w.n, w.p), starts, rows, values, "x").ok()?)
    } else {
        let mut x = normals(&mut rng, w.n * w.p);
        if w.density > 1.0 {
            for i in w.n..x.len() {
                x[i] = 0.9 * x[i - w.n] + (1.0f64 - 0.81).sqrt() * x[i];
            }
        }
        for (j, column) in x.chunks(w.n).take(w.signals).enumerate() {
            fit.iter_mut().zip(column).for_each(|(f, x)| *f += effect(j) * x);
        }
        Source::dense(&x, w.n, w.p)
    };
    let size = (fit.iter().map(|f| f * f).sum::<f64>() / w.n as f64).sqrt();
    let sd = if strong { size.max(1e-3) } else { 1.0 };
    Some((x, fit.iter().zip(&noise).map(|(f, e)| f + sd * e).collect()))
}

/// The largest lambda that says anything, by the definition.
fn largest(x: &Source, y: &[f64]) -> f64 {
    let n = y.len() as f64;
    let mean = y.iter().sum::<f64>() / n;
    let mut column = vec![0.0; y.len()];
    (0..x.cols()).fold(0.0f64, |most, j| {
        x.copy_column(j, &mut column);
        let centre = column.iter().sum::<f64>() / n;
        let sd = (column.iter().map(|v| (v - centre).powi(2)).sum::<f64>() / n).sqrt();
        let slope: f64 = column.iter().zip(y).map(|(v, y)| (v - centre) * (y - mean)).sum();
        if sd > 0.0 { most.max(slope.abs() / sd) } else { most }
    })
}

fn run(name: &str, control: &Control) -> Option<()> {
    let w = workload(name)?;
    let (x, y) = data(&w)?;
    let lambda = match w.lambda {
        Strength::Given(lambda) => Lambda::Given(vec![lambda]),
        Strength::Share(0.0) => cross_validated(),
        Strength::Share(share) => Lambda::Given(vec![share * largest(&x, &y) / w.alpha]),
    };
    let plan = WeightPlan::new(1, Law::Exponential, PriorWeight::Random, w.n);
    let options = Options {
        lambda,
        alpha: w.alpha,
        penalty_factor: vec![1.0; w.p],
        intercept: true,
        standardize: true,
        refit: None,
        limits: Limits { tolerance: 1e-8, iterations: 1000 },
    };
    let begin = busy();
    let lasso = Lasso::new(x, y, plan, options, control).ok()?;
    let method = lasso.method.name();
    time_draws(name, method, &lasso, (begin, w.draws, 1), control)
}

fn main() {
    run_all(run, "the workloads are L1 to L5, or six numbers");
}
