//! How networks are trained: steps, averages, starts, what goes wrong, and how it is stopped.

mod common;

use common::networks::{Data, Plain, SEED, draw, parameters, recipe};
use std::time::{Duration, Instant};
use wbb_core::engine::bootstrap;
use wbb_core::engine::job::{Control, Job, Stage};
use wbb_core::engine::problem::Status;
use wbb_core::mlp::{Activation, Init, Method, Mlp, Recipe};
use wbb_core::random::laws::{Law, PriorWeight};
use wbb_core::random::weights::WeightPlan;

#[test]
fn optimizers_reach_the_same_minimum_of_a_convex_problem() {
    let data = Data::new(120, 3, 3);
    let shape = data.shape(&[], Activation::Relu);
    let objective = |method, rate| {
        let recipe = Recipe { method, ..recipe(20_000, rate) };
        draw(&data.mlp(shape.clone(), Law::Exponential, &recipe), 7, 1).0.objective[[0, 0]]
    };
    let sgd = objective(Method::Sgd, 1.0);
    for (method, rate) in [(Method::Momentum(0.9), 0.1), (Method::Adam, 0.003)] {
        let other = objective(method, rate);
        assert!((other / sgd - 1.0).abs() < 1e-5, "{method:?}: {other} {sgd}");
    }
}

#[test]
fn steps_shrink_as_the_paper_says() {
    // Two steps of a constant gradient: an all-bias problem far from its minimum.
    let mut data = Data::new(10, 1, 0);
    data.x.fill(0.0);
    let shape = data.shape(&[], Activation::Relu);
    let bias = |epochs, decay| {
        let recipe = Recipe { lambda: 0.0, decay: Some(decay), ..recipe(epochs, 0.25) };
        parameters(&draw(&data.mlp(shape.clone(), Law::Exponential, &recipe), 1, 1).1[0])[1]
    };
    // b₁ = ¼ m, b₂ = b₁ + ¼ e^(−d) (m − b₁).
    let (one, two) = (bias(1, 0.7), bias(2, 0.7));
    let expected = one + 0.25 * (-0.7f64).exp() * (4.0 * one - one);
    assert!((two - expected).abs() < 1e-6 && one != 0.0);
}

#[test]
fn steps_fall_to_zero_after_the_common_epochs() {
    // As above; an epoch is a step, and the first of five is common to all draws.
    let mut data = Data::new(10, 1, 0);
    data.x.fill(0.0);
    let shape = data.shape(&[], Activation::Relu);
    let bias = |init, epochs| {
        let recipe = Recipe { lambda: 0.0, decay: None, init, ..recipe(epochs, 0.25) };
        parameters(&draw(&data.mlp(shape.clone(), Law::Exponential, &recipe), 1, 1).1[0])[1]
    };
    // What is left of the way to the mean after steps of a quarter, and of less and less of it.
    let left = |falls: &[f64]| falls.iter().map(|f| 1.0 - 0.25 * f).product::<f64>();
    let mean = bias(Init::Shared, 1) / 0.25;
    let own = bias(Init::Shared, 4);
    assert!((1.0 - own / mean - left(&[1.0, 0.75, 0.5, 0.25])).abs() < 1e-6);
    // From the common network (of mean 0) on: four steps that fall from a third.
    let common = bias(Init::Trained, 5);
    let thirds = left(&[1.0, 0.75, 0.5, 0.25].map(|fall| fall / 3.0));
    assert!((1.0 - common / mean - thirds).abs() < 1e-4, "{common} {mean}");
}

#[test]
fn a_draw_is_the_mean_of_its_last_iterates() {
    let data = Data::new(40, 3, 3);
    let shape = data.shape(&[5], Activation::Tanh);
    // Without shuffling the iterates of a run are the ends of shorter ones: twelve steps of ten rows.
    let of = |epochs, average| {
        let recipe = Recipe { batch: 10, average, ..recipe(epochs, 0.5) };
        let (draws, networks) = draw(&data.mlp(shape.clone(), Law::Exponential, &recipe), 1, 1);
        (parameters(&networks[0]), networks[0].curve.clone(), draws.status[[0, 0]])
    };
    let ends: Vec<Vec<f64>> = (1..=3).map(|epochs| of(epochs, 0.0).0).collect();
    let (mean, curve, _) = of(3, 0.25);
    // The last quarter are the four steps of the last epoch, of which the end is one.
    assert_eq!(curve, of(3, 0.0).1);
    let between = |k: usize| (mean[k] - ends[1][k]) / (ends[2][k] - ends[1][k]);
    let inside = (0..mean.len()).filter(|&k| (0.0..=1.0).contains(&between(k))).count();
    assert!(inside > mean.len() / 2 && mean != ends[2], "{inside} of {}", mean.len());
    // A whole epoch a step leaves nothing to average.
    let whole = |average| {
        let recipe = Recipe { average, ..recipe(6, 0.5) };
        draw(&data.mlp(shape.clone(), Law::Exponential, &recipe), 1, 1).1[0].parameters.clone()
    };
    assert_eq!(whole(0.5), whole(0.0));
}

#[test]
fn averaging_takes_the_noise_of_the_order_from_the_draws() {
    let data = Data::new(400, 1, 0);
    let shape = data.shape(&[], Activation::Relu);
    // A quadratic has one minimum for each draw: what else differs between orders is noise.
    let objective = |average, seed| {
        let recipe =
            Recipe { batch: 8, average, shuffle: Some(seed), lambda: 1.0, ..recipe(60, 0.2) };
        draw(&data.mlp(shape.clone(), Law::Exponential, &recipe), 1, 1).0.objective[[0, 0]]
    };
    let exact = {
        let recipe = Recipe { lambda: 1.0, ..recipe(20_000, 1.0) };
        draw(&data.mlp(shape.clone(), Law::Exponential, &recipe), 1, 1).0.objective[[0, 0]]
    };
    let excess =
        |average| (1..=5).map(|seed| objective(average, seed) / exact - 1.0).sum::<f64>() / 5.0;
    let (plain, averaged) = (excess(0.0), excess(0.2));
    assert!(plain > 20.0 * averaged && averaged > -1e-6, "{plain} {averaged}");
}

#[test]
fn a_draw_that_has_not_come_far_is_unsettled() {
    let data = Data::new(200, 4, 3);
    let shape = data.shape(&[8], Activation::Tanh);
    let of = |epochs| {
        let recipe = Recipe { batch: 20, average: 0.2, shuffle: Some(SEED), ..recipe(epochs, 0.2) };
        let (draws, networks) = draw(&data.mlp(shape.clone(), Law::Exponential, &recipe), 1, 1);
        (draws.status[[0, 0]], networks[0].gradient / networks[0].start_gradient)
    };
    let (early, late) = (of(1), of(40));
    assert_eq!((early.0, late.0), (Status::Unsettled, Status::Finished));
    assert!(early.1 > 0.25 && late.1 < 0.25);
    // The yardstick is the gradient before the first step.
    let plain = Plain::new(&data, &shape, Law::Exponential, 1);
    let still = Recipe { rate: 1e-30, ..recipe(1, 1.0) };
    let networks = draw(&data.mlp(shape.clone(), Law::Exponential, &still), 1, 1).1;
    let begin = plain.gradient(&parameters(&networks[0]), 0.3);
    let norm = begin.iter().map(|g| g[1] * g[1]).sum::<f64>().sqrt();
    assert!((networks[0].start_gradient / norm - 1.0).abs() < 1e-3);
}

#[test]
fn a_shared_start_and_equal_weights_give_equal_draws() {
    let data = Data::new(60, 3, 2);
    let of = |init| {
        let recipe = Recipe { batch: 8, shuffle: Some(SEED), init, ..recipe(2, 0.1) };
        let plan = WeightPlan::new(SEED, Law::Ones, PriorWeight::Fixed, data.n);
        let (shape, x) = (data.shape(&[4], Activation::Relu), data.inputs());
        let networks = draw(&Mlp::new(shape, x, data.target(), None, plan, recipe, true), 1, 2).1;
        networks.into_iter().map(|n| n.parameters.unwrap()).collect::<Vec<_>>()
    };
    let (shared, fresh) = (of(Init::Shared), of(Init::Fresh));
    assert_eq!(shared[0], shared[1]);
    assert_ne!(fresh[0], fresh[1]);
}

#[test]
fn the_first_epochs_of_all_draws_are_those_of_the_data_as_they_are() {
    let data = Data::new(60, 3, 2);
    let shape = data.shape(&[4], Activation::Tanh);
    let of = |law, prior, init, epochs| {
        let recipe = Recipe { batch: 20, decay: Some(0.01), init, ..recipe(epochs, 0.1) };
        let plan = WeightPlan::new(SEED, law, prior, data.n);
        let mlp = Mlp::new(shape.clone(), data.inputs(), data.target(), None, plan, recipe, true);
        let (draws, networks) = draw(&mlp, 1, 2);
        assert!(draws.iterations.iter().all(|i| *i as usize == epochs));
        networks
    };
    // With equal weights the first epochs in common, and then the draws' own, are all epochs: the step falls on.
    let ones = |init| of(Law::Ones, PriorWeight::Fixed, init, 10);
    assert_eq!(ones(Init::Trained)[1].parameters, ones(Init::Shared)[1].parameters);
    assert_eq!(ones(Init::Trained)[1].curve, ones(Init::Shared)[1].curve);
    // Two of ten are in common, and one is always a draw's own.
    let drawn = of(Law::Exponential, PriorWeight::Random, Init::Trained, 10);
    assert_eq!(drawn[0].curve[..2], drawn[1].curve[..2]);
    assert_ne!(drawn[0].curve[2], drawn[1].curve[2]);
    let one = |init| of(Law::Exponential, PriorWeight::Random, init, 1);
    assert_eq!(one(Init::Trained)[0].parameters, one(Init::Shared)[0].parameters);
    assert_eq!([1, 2, 5, 6, 10].map(|e| Init::Trained.common(e)), [0, 1, 1, 2, 2]);
}

#[test]
fn a_diverged_draw_is_tried_again_and_then_reported_without_numbers() {
    let data = Data::new(50, 3, 0);
    let of = |rate| {
        let shape = data.shape(&[], Activation::Relu);
        draw(&data.mlp(shape, Law::Exponential, &recipe(400, rate)), 1, 1)
    };
    let (draws, networks) = of(1e6);
    assert_eq!(draws.status[[0, 0]], Status::Diverged);
    assert!(networks[0].answers.iter().all(|v| v.is_nan()) && draws.objective[[0, 0]].is_nan());
    assert!(networks[0].parameters.is_none() && networks[0].rate == 1e5);
    // Ten times the largest stable step fails; a tenth of it does not.
    let (draws, networks) = of(5.0);
    assert_eq!(draws.status[[0, 0]], Status::Finished);
    assert_eq!(networks[0].rate, 0.5);
    // Rectified units can blow up to finite numbers and stay there.
    let data = Data::new(50, 3, 3);
    let shape = data.shape(&[8], Activation::Relu);
    let (draws, _) = draw(&data.mlp(shape, Law::Exponential, &recipe(20, 1e6)), 1, 4);
    assert!(draws.status.iter().all(|s| *s == Status::Diverged));
}

#[test]
fn a_draw_without_weight_is_empty() {
    let mut data = Data::new(3, 2, 2);
    data.case = vec![0.0, 1.0, 0.0];
    // Among a few Poisson draws one gives the only row nothing.
    let (draws, networks) =
        draw(&data.mlp(data.shape(&[2], Activation::Relu), Law::Poisson, &recipe(1, 0.1)), 1, 20);
    let empty = draws.status.iter().position(|s| *s == Status::Empty).unwrap();
    assert!(
        networks[empty].parameters.is_none() && networks[empty].answers.iter().all(|v| v.is_nan())
    );
}

#[test]
fn progress_counts_epochs_and_a_stop_is_heard_within_an_epoch() {
    let data = Data::new(20, 2, 2);
    let mlp = data.mlp(data.shape(&[], Activation::Relu), Law::Exponential, &recipe(7, 0.1));
    let control = Control::default();
    bootstrap::run(&mlp, 1, 3, &control).unwrap();
    assert_eq!(control.progress(), (Stage::Epochs, 21, 21));

    // An epoch of this takes minutes without optimisation, seconds with it.
    let long = Data::new(100_000, 50, 2);
    let shape = long.shape(&[256, 256], Activation::Relu);
    let mlp = long.mlp(shape, Law::Exponential, &recipe(1000, 0.1));
    let mut job =
        Job::start(Some(2), move |control| bootstrap::run(&mlp, 1, 4, control).map(|_| ()));
    assert!(!job.wait(Duration::from_millis(300)));
    let begin = Instant::now();
    job.cancel();
    // Unoptimised and beside other tests; a release build takes a few milliseconds.
    assert!(begin.elapsed() < Duration::from_secs(10));
}
