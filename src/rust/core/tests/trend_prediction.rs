//! Do prediction intervals of trends cover? By simulation, with lambda chosen anew for every data set.

mod common;

use common::{five_folds, normal};
use wbb_core::engine::bootstrap;
use wbb_core::engine::job::Control;
use wbb_core::engine::limits::Limits;
use wbb_core::random::laws::{Law, PriorWeight};
use wbb_core::random::weights::WeightPlan;
use wbb_core::trendfilter::{TrendFilter, TrendOptions};

/// The share of new responses at the points inside the 95 % intervals of β + σ z.
fn coverage(order: usize, n: usize, sets: usize) -> f64 {
    const DRAWS: usize = 200;
    let x: Vec<f64> = (1..=n).map(|i| i as f64).collect();
    let signal = |i: usize| {
        let t = (i + 1) as f64 / n as f64;
        (4.0 * std::f64::consts::PI * t).sin() * (3.0 * t).exp()
    };
    let mut inside = 0;
    for set in 0..sets {
        let at = |i: usize| signal(i) + 2.0 * normal(1_000_000 * (set + 1) + i);
        let y: Vec<f64> = (0..n).map(at).collect();
        let options = TrendOptions {
            lambda: five_folds(20),
            order,
            limits: Limits { tolerance: 1e-8, iterations: 10_000 },
        };
        let plan = WeightPlan::new(set as u64, Law::Exponential, PriorWeight::Random, n);
        let filter = TrendFilter::new(&x, y, plan, options, &Control::default()).unwrap();
        let draws = bootstrap::run(&filter, 1, DRAWS, &Control::default()).unwrap();
        for i in 0..n {
            let noise = |k: usize| normal(1_000_000_007 + (set * n + i) * (DRAWS + 1) + k);
            let new = |k: usize| draws.theta[[k, i, 0]] + draws.sigma[[k, 0]] * noise(k);
            let mut new: Vec<f64> = (0..DRAWS).map(new).collect();
            new.sort_by(f64::total_cmp);
            let response = signal(i) + 2.0 * noise(DRAWS);
            // Five of 200 below, five above: the exact level of these order statistics is 191 / 201.
            inside += usize::from(response > new[4] && response < new[195]);
        }
    }
    inside as f64 / (n * sets) as f64
}

#[test]
fn prediction_intervals_cover_what_they_say() {
    for order in [1, 3] {
        let share = coverage(order, 100, 100);
        // With a σ that counts no degrees of freedom 0.877 and 0.918. Coverage of a data set has a
        // standard deviation near 0.03, so that of 100 has one of 0.003: a false alarm is at four
        // of them.
        assert!((share - 0.95).abs() < 0.012, "{order} {share}");
    }
}
