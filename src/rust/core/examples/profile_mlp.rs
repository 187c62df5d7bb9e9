//! Networks of the size of the MNIST target on made-up pictures, without R: something to run under a
//! profiler. `cargo run --release --example profile_mlp -- sparse dense`; threads, draws and epochs
//! from the environment variables THREADS, DRAWS and EPOCHS.

mod common;

use common::{run_all, setting};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::time::Instant;
use wbb_core::data::source::Source;
use wbb_core::engine::bootstrap;
use wbb_core::engine::job::Control;
use wbb_core::mlp::{Activation, Init, Inputs, Method, Mlp, Recipe, Shape, Target};
use wbb_core::random::laws::{Law, PriorWeight};
use wbb_core::random::weights::WeightPlan;

const ROWS: usize = 60_000;
const SIDE: usize = 28;

/// Pictures with ink in the middle, a fifth of their pixels; column-major.
fn pictures(rng: &mut ChaCha8Rng, ink: f64) -> Vec<f64> {
    let mut x = Vec::with_capacity(ROWS * SIDE * SIDE);
    for pixel in 0..SIDE * SIDE {
        let off = |k: usize| (k as f64 - 13.5).powi(2);
        let chance = ink * (-(off(pixel / SIDE) + off(pixel % SIDE)) / 100.0).exp();
        x.extend(
            (0..ROWS).map(|_| if rng.random::<f64>() < chance { rng.random::<f64>() } else { 0.0 }),
        );
    }
    x
}

fn run(name: &str, control: &Control) -> Option<()> {
    let ink = match name {
        "sparse" => 0.5,
        "dense" => 2.0,
        _ => return None,
    };
    let mut rng = ChaCha8Rng::from_seed([7; 32]);
    let x = pictures(&mut rng, ink);
    let share = x.iter().filter(|v| **v != 0.0).count() as f64 / x.len() as f64;
    let y = (0..ROWS).map(|_| rng.random_range(0..10)).collect();
    let (draws, epochs) = (setting("DRAWS"), setting("EPOCHS"));
    let recipe = Recipe {
        lambda: 1e-4,
        epochs,
        before: 0,
        batch: 128,
        rate: 0.1,
        decay: Some(0.0),
        method: Method::Sgd,
        average: 0.2,
        shuffle: Some(1),
        init: Init::Shared,
        tolerance: 1e-4,
    };
    let shape = Shape { sizes: vec![SIDE * SIDE, 128, 64, 10], activation: Activation::Relu };
    let plan = WeightPlan::new(1, Law::Exponential, PriorWeight::Random, ROWS);
    let begin = Instant::now();
    let inputs = Inputs::new(&Source::dense(&x, ROWS, SIDE * SIDE), None, control).ok()?;
    drop(x);
    let ready = begin.elapsed();
    let mlp = Mlp::new(shape, inputs, Target::classes(y, 10), None, plan, recipe, true);
    let result = bootstrap::run(&mlp, 1, draws, control).ok()?;
    let each = (begin.elapsed() - ready).as_secs_f64() / (draws * epochs) as f64;
    println!(
        "{name}: {share:.2} nonzero, data after {ready:.2?}, {each:.4} s a network and epoch, \
         gradient {:.1e}",
        result.asides[0].gradient
    );
    Some(())
}

fn main() {
    run_all(run, "there are sparse and dense");
}
