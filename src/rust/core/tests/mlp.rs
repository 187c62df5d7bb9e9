//! Networks as their users see them: gradients against finite differences of a plain network in double
//! precision, convex cases against their solutions, and invariances.

mod common;

use common::networks::{Data, Plain, SEED, draw, parameters, recipe};
use wbb_core::data::source::Source;
use wbb_core::engine::job::Control;
use wbb_core::engine::problem::Status;
use wbb_core::mlp::{Activation, Init, Inputs, Method, Mlp, Networks, Recipe};
use wbb_core::predictions::{All, Answers, ask};
use wbb_core::random::laws::Law;

const ACTIVATIONS: [Activation; 3] = [Activation::Relu, Activation::Tanh, Activation::Identity];

#[test]
fn gradients_equal_finite_differences_for_every_activation_depth_and_loss() {
    for activation in ACTIVATIONS {
        for hidden in [&[][..], &[5], &[7, 3], &[4, 17, 6]] {
            for classes in [0, 2, 4] {
                let data = Data::new(23, 3, classes);
                let shape = data.shape(hidden, activation);
                let plain = Plain::new(&data, &shape, Law::Exponential, 2);
                let at = |epochs| {
                    let mlp = data.mlp(shape.clone(), Law::Exponential, &recipe(epochs, 0.3));
                    parameters(&draw(&mlp, 2, 1).1[0])
                };
                let (before, after) = (at(3), at(4));
                let expected = plain.gradient(&before, 0.3);
                let size = expected.iter().fold(0.0f64, |m, g| m.max(g[0].abs()));
                let tolerance = 3e-6 * (1.0 + size);
                for (j, &[left, right]) in expected.iter().enumerate() {
                    let step = (before[j] - after[j]) / 0.3;
                    let (low, high) = (left.min(right) - tolerance, left.max(right) + tolerance);
                    assert!(
                        (low..=high).contains(&step),
                        "{activation:?} {hidden:?} {classes} {j}: {step} {left} {right}"
                    );
                }
            }
        }
    }
}

#[test]
fn objective_gradient_and_predictions_of_the_end_are_those_of_the_network() {
    for classes in [0, 3] {
        let data = Data::new(300, 4, classes);
        let shape = data.shape(&[8, 5], Activation::Tanh);
        let shuffled = Recipe { batch: 32, average: 0.3, shuffle: Some(SEED), ..recipe(15, 0.2) };
        let (draws, networks) = draw(&data.mlp(shape.clone(), Law::Exponential, &shuffled), 5, 1);
        let plain = Plain::new(&data, &shape, Law::Exponential, 5);
        let theta = parameters(&networks[0]);
        let objective = plain.objective(&theta, 0.3);
        assert!((draws.objective[[0, 0]] / objective - 1.0).abs() < 1e-5);
        let gradient = plain.gradient(&theta, 0.3).iter().map(|g| g[1] * g[1]).sum::<f64>().sqrt();
        let found = networks[0].gradient;
        assert!((found / gradient - 1.0).abs() < 1e-3, "{found} {gradient}");
        assert_eq!((draws.status[[0, 0]], draws.iterations[[0, 0]]), (Status::Finished, 15));
        let out = plain.outputs(&theta, 17);
        if classes == 0 {
            assert!(
                (networks[0].answers[[17, 0]] - (plain.center + plain.scale * out[0])).abs() < 1e-3
            );
            assert!((draws.sigma[[0, 0]] / (2.0 * networks[0].loss).sqrt() - 1.0).abs() < 1e-12);
        } else {
            let sum: f64 = out.iter().map(|o| o.exp()).sum();
            for (c, o) in out.iter().enumerate() {
                assert!((networks[0].answers[[17, c]] - o.exp() / sum).abs() < 1e-5);
            }
            let right = (0..data.n).filter(|&i| {
                let out = plain.outputs(&theta, i);
                let y = data.y[i] as usize;
                out.iter().enumerate().all(|(c, o)| c == y || *o < out[y])
            });
            assert_eq!(networks[0].accuracy, right.count() as f64 / data.n as f64);
        }
        // The same network asked again answers the same.
        let kept = [shape.expand(networks[0].parameters.as_ref().unwrap())];
        let (x, answer) = (data.inputs(), (&data.target()).into());
        let asked = Networks { shape: &shape, networks: &kept, x: &x, answer };
        let mut again = All::new(asked.shape());
        ask(&asked, &mut again, &Control::default()).unwrap();
        assert_eq!(again.0.index_axis(ndarray::Axis(0), 0), networks[0].answers);
    }
}

#[test]
fn the_units_of_y_are_those_of_the_answers_alone() {
    let of = |unit: f64| {
        let mut data = Data::new(90, 3, 0);
        data.y.iter_mut().for_each(|y| *y *= unit);
        let adam = Recipe { method: Method::Adam, batch: 10, decay: None, ..recipe(8, 0.01) };
        let mlp = data.mlp(data.shape(&[6, 4], Activation::Relu), Law::Exponential, &adam);
        let (draws, networks) = draw(&mlp, 1, 1);
        (parameters(&networks[0]), draws.objective[[0, 0]] / (unit * unit))
    };
    // A power of two, so that nothing is rounded.
    assert_eq!(of(1.0), of(1024.0));
}

#[test]
fn without_hidden_layer_regression_is_weighted_ridge() {
    let data = Data::new(80, 1, 0);
    let shape = data.shape(&[], Activation::Relu);
    let momentum = Recipe {
        lambda: 4.0,
        method: Method::Momentum(0.9),
        tolerance: 1e-12,
        ..recipe(20_000, 0.1)
    };
    let (draws, networks) = draw(&data.mlp(shape.clone(), Law::Exponential, &momentum), 1, 3);
    for (k, network) in networks.iter().enumerate() {
        let plain = Plain::new(&data, &shape, Law::Exponential, k as u64 + 1);
        let (total, w) = (plain.total(), &plain.weights);
        let mean = |v: &[f64]| v.iter().zip(w).map(|(v, w)| v * w).sum::<f64>() / total;
        let (mx, my) = (mean(&data.x), mean(&data.y));
        let (mut xx, mut xy) = (2.0 * 4.0 * plain.prior, 0.0);
        for (w, (x, y)) in w.iter().zip(data.x.iter().zip(&data.y)) {
            xx += w * (x - mx).powi(2);
            xy += w * (x - mx) * (y - my);
        }
        let theta = parameters(network);
        assert!((plain.scale * theta[0] / (xy / xx) - 1.0).abs() < 1e-5);
        let intercept = plain.center + plain.scale * theta[1];
        assert!((intercept - (my - mx * xy / xx)).abs() < 1e-3);
        assert!(network.gradient < 1e-6);
        assert_eq!(draws.status[[k, 0]], Status::Converged);
        assert!(draws.iterations[[k, 0]] < 20_000);
    }
}

#[test]
fn draws_depend_on_seed_and_number_alone() {
    let mut data = Data::new(150, 6, 3);
    // Mostly zeros, so that dense data are stored sparse too.
    data.x.iter_mut().enumerate().for_each(|(i, v)| *v = if i % 4 == 0 { *v } else { 0.0 });
    let shape = data.shape(&[9], Activation::Relu);
    let shuffled = Recipe {
        batch: 16,
        average: 0.2,
        shuffle: Some(SEED),
        init: Init::Fresh,
        ..recipe(3, 0.1)
    };
    let bits = |threads: usize, first: u64, count: usize, sparse: bool| {
        let source = if sparse { data.sparse() } else { Source::dense(&data.x, data.n, data.p) };
        let x = Inputs::new(&source, None, &Control::default()).unwrap();
        let plan = data.plan(Law::Exponential);
        let mlp = Mlp::new(shape.clone(), x, data.target(), None, plan, shuffled.clone(), true);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let networks = pool.install(|| draw(&mlp, first, count).1);
        networks.into_iter().map(|n| n.parameters.unwrap()).collect::<Vec<_>>()
    };
    let whole = bits(1, 1, 6, false);
    assert_eq!(whole, bits(3, 1, 6, false));
    assert_eq!(whole, bits(2, 1, 6, true));
    assert_eq!(whole[2..5], bits(2, 3, 3, true));
    assert_ne!(whole[0], whole[1]);
}

#[test]
fn integer_weights_are_repeated_rows() {
    for classes in [0, 3] {
        let mut once = Data::new(40, 3, classes);
        once.case = (0..40).map(|i| (i % 3) as f64).collect();
        let rows: Vec<usize> = (0..40).flat_map(|i| std::iter::repeat_n(i, i % 3)).collect();
        let mut often = Data::new(rows.len(), 3, classes);
        for j in 0..3 {
            for (r, &i) in rows.iter().enumerate() {
                often.x[j * rows.len() + r] = once.x[j * 40 + i];
            }
        }
        often.y = rows.iter().map(|&i| once.y[i]).collect();
        let recipe = Recipe { method: Method::Adam, ..recipe(50, 0.01) };
        let of = |data: &Data| {
            let shape = data.shape(&[6], Activation::Tanh);
            let (draws, networks) = draw(&data.mlp(shape, Law::Ones, &recipe), 1, 1);
            (draws.objective[[0, 0]], parameters(&networks[0]))
        };
        let (a, b) = (of(&once), of(&often));
        assert!((a.0 / b.0 - 1.0).abs() < 1e-5, "{} {}", a.0, b.0);
        for (a, b) in a.1.iter().zip(&b.1) {
            assert!((a - b).abs() < 1e-4, "{a} {b}");
        }
    }
}
