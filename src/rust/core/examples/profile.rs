//! The lasso workloads of the targets on made-up data, without R: something to run under a profiler.
//!
//! `cargo run --release --example profile -- L2 L4`; threads from the environment variable THREADS.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::time::Instant;
use wbb_core::data::source::Source;
use wbb_core::engine::bootstrap;
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
    lambda: f64,
    signals: usize,
    sparse: bool,
}

fn workload(name: &str) -> Option<Workload> {
    let (n, p, draws, lambda, signals, sparse) = match name {
        "L1" => (442, 10, 20_000, 20.0, 6, false),
        "L2" => (10_000, 100, 400, 100.0, 50, false),
        "L3" => (500, 5000, 64, 70.0, 100, false),
        "L4" => (100_000, 1000, 64, 430.0, 300, true),
        "L5" => (1_000_000, 50, 32, 1000.0, 40, false),
        _ => return None,
    };
    Some(Workload { n, p, draws, lambda, signals, sparse })
}

fn normals(rng: &mut ChaCha8Rng, count: usize) -> Vec<f64> {
    (0..count).map(|_| StandardNormal.sample(rng)).collect()
}

/// One in a hundred is not zero.
fn sparse_column(rng: &mut ChaCha8Rng, n: usize) -> Vec<(usize, f64)> {
    let mut rows: Vec<usize> = (0..n / 100).map(|_| rng.random_range(0..n)).collect();
    rows.sort_unstable();
    rows.dedup();
    rows.into_iter().map(|i| (i, StandardNormal.sample(rng))).collect()
}

fn data(w: &Workload) -> Option<(Source, Vec<f64>)> {
    let mut rng = ChaCha8Rng::from_seed([7; 32]);
    let mut y = normals(&mut rng, w.n);
    if w.sparse {
        let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
        for j in 0..w.p {
            for (i, v) in sparse_column(&mut rng, w.n) {
                rows.push(i);
                values.push(v);
                y[i] += if j < w.signals { 0.5 * v } else { 0.0 };
            }
            starts.push(rows.len());
        }
        return Some((
            Source::Sparse(compressed_columns((w.n, w.p), starts, rows, values, "x").ok()?),
            y,
        ));
    }
    let x = normals(&mut rng, w.n * w.p);
    for (j, column) in x.chunks(w.n).take(w.signals).enumerate() {
        let beta = if j % 2 == 0 { 0.3 } else { 0.1 };
        y.iter_mut().zip(column).for_each(|(y, x)| *y += beta * x);
    }
    Some((Source::dense(&x, w.n, w.p), y))
}

fn run(name: &str, control: &Control) -> Option<()> {
    let w = workload(name)?;
    let (x, y) = data(&w)?;
    let plan = WeightPlan::new(1, Law::Exponential, PriorWeight::Random, w.n);
    let options = Options {
        lambda: Lambda::Given(vec![w.lambda]),
        alpha: 1.0,
        penalty_factor: vec![1.0; w.p],
        intercept: true,
        standardize: true,
        refit: None,
        limits: Limits { tolerance: 1e-8, iterations: 1000 },
    };
    let begin = Instant::now();
    let lasso = Lasso::new(x, y, plan, options, control).ok()?;
    let ready = begin.elapsed();
    let draws = bootstrap::run(&lasso, 1, w.draws, control).ok()?;
    let each = (begin.elapsed() - ready).as_secs_f64() * 1e3 / w.draws as f64;
    let worst = draws.gap.iter().fold(0.0f64, |m, g| m.max(*g));
    println!(
        "{name}: {}, mode after {ready:.2?}, {each:.4} ms a draw, worst gap {worst:.1e}",
        lasso.method.name()
    );
    Some(())
}

fn main() {
    let threads = std::env::var("THREADS").ok().and_then(|t| t.parse().ok()).unwrap_or(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    for name in std::env::args().skip(1) {
        let done = pool.as_ref().ok().and_then(|p| p.install(|| run(&name, &Control::default())));
        if done.is_none() {
            eprintln!("{name} could not be run; the workloads are L1 to L5");
        }
    }
}
