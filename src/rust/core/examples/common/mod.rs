//! What the profiles have in common: what they are asked for, and how draws are timed.

// Each example compiles this for itself, and need not use all of it.
#![allow(dead_code)]

use wbb_core::engine::bootstrap;
use wbb_core::engine::cv::{CrossValidation, Folds, Lambda, Rule};
use wbb_core::engine::job::Control;
use wbb_core::engine::problem::WeightedProblem;

/// A number from the environment; 1 where there is none.
pub fn setting(name: &str) -> usize {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(1)
}

/// Run every workload that the command line names, on as many threads as THREADS says.
pub fn run_all(run: impl Fn(&str, &Control) -> Option<()> + Sync, known: &str) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(setting("THREADS")).build();
    for name in std::env::args().skip(1) {
        let done = pool.as_ref().ok().and_then(|p| p.install(|| run(&name, &Control::default())));
        if done.is_none() {
            eprintln!("{name} could not be run; {known}");
        }
    }
}

pub fn cross_validated() -> Lambda {
    let (folds, rule) = (Folds::Count(10), Rule::Min);
    Lambda::CrossValidated(CrossValidation { folds, lambdas: 100, ratio: None, rule, anew: false })
}

/// Time that this thread has had of a processor, in seconds: a busy machine does not change it.
pub fn busy() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split(' ').next().and_then(|t| t.parse::<f64>().ok()).unwrap_or(0.0) * 1e-9
}

/// Time the draws of a lasso that was made since `begin`, and say what came out; intercepts are no active coefficients.
pub fn time_draws(
    name: &str,
    method: &str,
    problem: &impl WeightedProblem,
    (begin, draws, intercepts): (f64, usize, usize),
    control: &Control,
) -> Option<()> {
    if std::env::var("EACH").is_ok() {
        each_draw(problem, draws, control)?;
    }
    let ready = busy();
    let found = bootstrap::run(problem, 1, draws, control).ok()?;
    let each = (busy() - ready) * 1e3 / draws as f64;
    let worst = found.gap.iter().fold(0.0f64, |m, g| m.max(*g));
    let active = found.theta.iter().filter(|b| **b != 0.0).count() / draws - intercepts;
    let rounds = found.iterations.mapv(f64::from).mean().unwrap_or(0.0);
    println!(
        "{name}: {method}, mode after {:.1} ms, {each:.4} ms a draw, {active} active, {rounds:.1} rounds, worst gap {worst:.1e}",
        (ready - begin) * 1e3
    );
    Some(())
}

/// What each draw costs alone.
fn each_draw(problem: &impl WeightedProblem, draws: usize, control: &Control) -> Option<()> {
    for k in 1..=draws as u64 {
        let ready = busy();
        let found = bootstrap::run(problem, k, 1, control).ok()?;
        let (gap, rounds, status) =
            (found.gap[[0, 0]], found.iterations[[0, 0]], &found.status[[0, 0]]);
        let active = found.theta.iter().filter(|b| **b != 0.0).count();
        let each = (busy() - ready) * 1e3;
        println!(
            "draw {k}: {each:.3} ms, {active} active, {rounds} rounds, gap {gap:.1e}, {status:?}"
        );
    }
    Some(())
}
