//! Draws and cross-validation of any family on made-up data, without R: something to run under a profiler.
//!
//! `cargo run --release --example profile_families -- binomial,5000,1000,0.005,0.3,20 multinomial5,1000,200,1,0,1`; threads from the
//! environment variable THREADS. Beside the family, with the number of its classes, rows, columns, density (1: a
//! dense matrix), lambda over its largest (0: cross-validated) and draws.

mod common;

use common::{busy, cross_validated, run_all, time_draws};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Binomial, Distribution, Poisson, StandardNormal};
use wbb_core::data::source::Source;
use wbb_core::engine::cv::Lambda;
use wbb_core::engine::job::Control;
use wbb_core::engine::limits::Limits;
use wbb_core::lasso::{Glm, Options};
use wbb_core::linalg::sparse::compressed_columns;
use wbb_core::loss::response::{Family, Measure, Response};
use wbb_core::random::laws::{Law, PriorWeight};
use wbb_core::random::weights::WeightPlan;

struct Workload {
    family: String,
    classes: usize,
    n: usize,
    p: usize,
    density: f64,
    /// Lambda over its largest.
    share: f64,
    draws: usize,
}

fn workload(name: &str) -> Option<Workload> {
    let (family, rest) = name.split_once(',')?;
    let numbers: Vec<f64> = rest.split(',').filter_map(|v| v.parse().ok()).collect();
    let &[n, p, density, share, draws] = numbers.as_slice() else { return None };
    let word = family.trim_end_matches(|c: char| c.is_ascii_digit());
    let classes = family[word.len()..].parse().unwrap_or(if word == "multinomial" { 3 } else { 1 });
    let (n, p, draws) = (n as usize, p as usize, draws as usize);
    Some(Workload { family: word.to_string(), classes, n, p, density, share, draws })
}

/// Column after column of about mean square one.
fn columns(w: &Workload, rng: &mut ChaCha8Rng) -> Vec<Vec<(usize, f64)>> {
    let law = Binomial::new(w.n as u64, w.density).ok();
    let column = |_| {
        let mut rows: Vec<usize> = if w.density < 1.0 {
            let count = law.as_ref().map_or(0, |law| law.sample(rng));
            (0..count).map(|_| rng.random_range(0..w.n)).collect()
        } else {
            (0..w.n).collect()
        };
        rows.sort_unstable();
        rows.dedup();
        let scale = w.density.sqrt();
        let number = |i| (i, Distribution::<f64>::sample(&StandardNormal, rng) / scale);
        rows.into_iter().map(number).collect()
    };
    (0..w.p).map(column).collect()
}

fn respond(w: &Workload, eta: &[Vec<f64>], rng: &mut ChaCha8Rng) -> Option<(Vec<f64>, Family)> {
    let status = (0..w.n).map(|_| f64::from(u8::from(rng.random_bool(0.7)))).collect();
    let family = Family::new(&w.family, Some(w.classes), Some(status)).ok()?;
    let row = |i: usize| {
        let mean = eta[0][i].min(20.0).exp();
        let u = rng.random::<f64>();
        match &family {
            Family::Binomial => f64::from(u8::from(u < mean / (1.0 + mean))),
            Family::Poisson => Poisson::new(mean).map_or(0.0, |law| law.sample(rng)),
            Family::Multinomial { classes } => {
                let chances: Vec<f64> = eta.iter().map(|eta| eta[i].exp()).collect();
                let (mut left, mut class) = (u * chances.iter().sum::<f64>(), 0);
                while class + 1 < *classes && left > chances[class] {
                    left -= chances[class];
                    class += 1;
                }
                class as f64 + 1.0
            }
            _ => -u.ln() / mean + 1e-6,
        }
    };
    Some(((0..w.n).map(row).collect(), family))
}

/// The largest lambda that says anything: the largest slope where nothing is in. That of Cox's likelihood has each event's
/// rows at risk in it.
fn largest(columns: &[Vec<(usize, f64)>], y: &[f64], family: &Family) -> f64 {
    let n = y.len();
    let residuals: Vec<Vec<f64>> = match family {
        Family::Multinomial { classes } => (1..=*classes)
            .map(|k| y.iter().map(|y| f64::from(u8::from(*y == k as f64))).collect())
            .collect(),
        Family::Cox { status } => {
            let mut order: Vec<usize> = (0..n).collect();
            order.sort_by(|&a, &b| y[a].total_cmp(&y[b]));
            let (mut residual, mut hazard) = (vec![0.0; n], 0.0);
            for (at, &i) in order.iter().enumerate() {
                hazard += status[i] / (n - at) as f64;
                residual[i] = status[i] - hazard;
            }
            vec![residual]
        }
        _ => vec![y.to_vec()],
    };
    residuals.iter().fold(0.0, |most: f64, r| {
        let mean = r.iter().sum::<f64>() / n as f64;
        columns.iter().fold(most, |most, column| {
            most.max(column.iter().map(|(i, v)| v * (r[*i] - mean)).sum::<f64>().abs())
        })
    })
}

fn source(w: &Workload, columns: &[Vec<(usize, f64)>]) -> Option<Source> {
    if w.density == 1.0 {
        let x: Vec<f64> = columns.iter().flatten().map(|(_, v)| *v).collect();
        return Some(Source::dense(&x, w.n, w.p));
    }
    let mut starts = vec![0];
    columns.iter().for_each(|c| starts.push(starts[starts.len() - 1] + c.len()));
    let (rows, values) = columns.iter().flatten().copied().unzip();
    Some(Source::Sparse(compressed_columns((w.n, w.p), starts, rows, values, "x").ok()?))
}

fn run(name: &str, control: &Control) -> Option<()> {
    let w = workload(name)?;
    let mut rng = ChaCha8Rng::from_seed([7; 32]);
    let x = columns(&w, &mut rng);
    let signals = w.p.min(30);
    let size = 2.0 / (signals as f64).sqrt();
    let mut eta = vec![vec![0.0; w.n]; w.classes];
    for eta in &mut eta {
        for k in 1..=signals {
            let effect = size * k as f64 / signals as f64;
            for (i, v) in &x[rng.random_range(0..w.p)] {
                eta[*i] += effect * v;
            }
        }
    }
    let (y, family) = respond(&w, &eta, &mut rng)?;
    let lambda = if w.share > 0.0 {
        Lambda::Given(vec![w.share * largest(&x, &y, &family)])
    } else {
        cross_validated()
    };
    let options = Options {
        lambda,
        alpha: 1.0,
        penalty_factor: vec![1.0; w.p],
        intercept: !matches!(family, Family::Cox { .. }),
        standardize: false,
        refit: None,
        limits: Limits { tolerance: 1e-8, iterations: 1000 },
    };
    let plan = WeightPlan::new(1, Law::Exponential, PriorWeight::Random, w.n);
    let response = Response { y: y.into(), family, offset: None };
    let x = source(&w, &x)?;
    let begin = busy();
    let glm = Glm::new(x, response, Measure::Deviance, plan, options, control).ok()?;
    let method = glm.method.name();
    time_draws(name, method, &glm, (begin, w.draws, 0), control)
}

fn main() {
    run_all(run, "a family and five numbers are asked for");
}
