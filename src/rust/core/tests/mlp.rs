//! Networks as their users see them: gradients against finite differences of a plain network in double
//! precision, convex cases against their solutions, invariances, and what goes wrong.

use sprs::TriMat;
use std::time::{Duration, Instant};
use wbb_core::data::source::Source;
use wbb_core::engine::bootstrap::{self, Draws};
use wbb_core::engine::job::{Control, Job, Stage};
use wbb_core::engine::problem::Status;
use wbb_core::mlp::{Activation, DrawNetwork, Inputs, Method, Mlp, Recipe, Shape, Target, predict};
use wbb_core::random::laws::{Law, PriorWeight};
use wbb_core::random::weights::WeightPlan;

const ACTIVATIONS: [Activation; 3] = [Activation::Relu, Activation::Tanh, Activation::Identity];
const SEED: u64 = 3;

/// Reproducible numbers in (-1, 1).
fn wave(i: usize) -> f64 {
    ((i as f64 + 1.0) * 12.9898).sin() * ((i as f64 + 7.0) * 0.731).cos()
}

struct Data {
    n: usize,
    p: usize,
    /// Column-major.
    x: Vec<f64>,
    y: Vec<f64>,
    /// 0: numbers.
    classes: usize,
    case: Vec<f64>,
}

impl Data {
    fn new(n: usize, p: usize, classes: usize) -> Data {
        let x: Vec<f64> = (0..n * p).map(wave).collect();
        let signal = |i: usize| x[i] + 0.5 * x[(p - 1) * n + i] + 0.3 * wave(i + 100_000);
        let y = (0..n)
            .map(|i| match classes {
                0 => 50.0 + 20.0 * signal(i),
                k => ((signal(i) + 1.8) / 3.6 * k as f64).clamp(0.0, k as f64 - 1.0).floor(),
            })
            .collect();
        Data { n, p, x, y, classes, case: vec![1.0; n] }
    }

    fn plan(&self, law: Law) -> WeightPlan {
        WeightPlan::new(SEED, law, PriorWeight::Random, self.n)
            .with_case_weights(self.case.clone())
            .unwrap()
    }

    fn target(&self) -> Target {
        match self.classes {
            0 => Target::numbers(&self.y, |i| self.case[i]),
            k => Target::classes(self.y.iter().map(|&c| c as u32).collect(), k),
        }
    }

    fn sparse(&self) -> Source {
        let mut triplets = TriMat::new((self.n, self.p));
        for (at, &v) in self.x.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            triplets.add_triplet(at % self.n, at / self.n, v);
        }
        Source::Sparse(triplets.to_csc())
    }

    fn inputs(&self) -> Inputs {
        Inputs::new(&Source::dense(&self.x, self.n, self.p), None)
    }

    fn shape(&self, hidden: &[usize], activation: Activation) -> Shape {
        let sizes = [&[self.p][..], hidden, &[self.classes.max(1)]].concat();
        Shape { sizes, activation }
    }

    fn mlp(&self, shape: Shape, law: Law, recipe: &Recipe) -> Mlp {
        let (x, test) = (self.inputs(), Some(self.inputs()));
        Mlp::new(shape, x, self.target(), test, self.plan(law), recipe.clone(), true)
    }
}

/// Whole batches, in order, by plain gradient descent.
fn recipe(epochs: usize, rate: f64) -> Recipe {
    Recipe {
        lambda: 0.3,
        epochs,
        batch: usize::MAX,
        rate,
        decay: 0.0,
        method: Method::Sgd,
        shuffle: false,
        fresh: false,
        tolerance: 0.0,
    }
}

fn draw(mlp: &Mlp, first: u64, count: usize) -> (Draws<DrawNetwork>, Vec<DrawNetwork>) {
    let mut draws = bootstrap::run(mlp, first, count, &Control::default()).unwrap();
    let networks = std::mem::take(&mut draws.asides);
    (draws, networks)
}

fn parameters(network: &DrawNetwork) -> Vec<f64> {
    network.parameters.as_ref().unwrap().iter().map(|&v| v as f64).collect()
}

/// The objective over Σ w in double precision, from its definition; numbers in units of the target.
struct Plain<'a> {
    data: &'a Data,
    shape: &'a Shape,
    weights: Vec<f64>,
    prior: f64,
    center: f64,
    scale: f64,
}

impl<'a> Plain<'a> {
    fn new(data: &'a Data, shape: &'a Shape, law: Law, k: u64) -> Plain<'a> {
        let mut weights = vec![0.0; data.n];
        let plan = data.plan(law);
        plan.draw(k).fill(0, &mut weights);
        let mut prior = [0.0];
        plan.fill_prior(k, &mut prior);
        let (center, scale) = match data.target() {
            Target::Numbers { center, scale, .. } => (center, scale),
            Target::Classes { .. } => (0.0, 1.0),
        };
        Plain { data, shape, weights, prior: prior[0], center, scale }
    }

    fn outputs(&self, parameters: &[f64], row: usize) -> Vec<f64> {
        let data = self.data;
        let mut units: Vec<f64> = (0..data.p).map(|j| data.x[j * data.n + row]).collect();
        let mut from = parameters;
        let layers = self.shape.sizes.len() - 1;
        for (l, sizes) in self.shape.sizes.windows(2).enumerate() {
            let (weights, rest) = from.split_at(sizes[0] * sizes[1]);
            let (bias, rest) = rest.split_at(sizes[1]);
            from = rest;
            let mut next = bias.to_vec();
            for (u, w) in units.iter().zip(weights.chunks(sizes[1])) {
                next.iter_mut().zip(w).for_each(|(o, w)| *o += u * w);
            }
            if l + 1 < layers {
                next.iter_mut().for_each(|o| {
                    *o = match self.shape.activation {
                        Activation::Relu => o.max(0.0),
                        Activation::Tanh => o.tanh(),
                        Activation::Identity => *o,
                    }
                });
            }
            units = next;
        }
        units
    }

    fn loss(&self, parameters: &[f64], row: usize) -> f64 {
        let out = self.outputs(parameters, row);
        let y = self.data.y[row];
        if self.data.classes == 0 {
            return 0.5 * (self.center + self.scale * out[0] - y).powi(2);
        }
        let largest = out.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        let sum: f64 = out.iter().map(|o| (o - largest).exp()).sum();
        largest + sum.ln() - out[y as usize]
    }

    fn objective(&self, parameters: &[f64], lambda: f64) -> f64 {
        let losses: f64 =
            self.weights.iter().enumerate().map(|(i, w)| w * self.loss(parameters, i)).sum();
        let mut from = parameters;
        let mut square = 0.0;
        let last = self.shape.sizes.len() - 2;
        for (l, sizes) in self.shape.sizes.windows(2).enumerate() {
            let (weights, rest) = from.split_at(sizes[0] * sizes[1]);
            let unit = if l == last { self.scale } else { 1.0 };
            square += weights.iter().map(|w| (unit * w).powi(2)).sum::<f64>();
            from = &rest[sizes[1]..];
        }
        losses + lambda * self.prior * square
    }

    fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// Of the objective over Σ w, in the units that are trained in: slopes to the left and right, which
    /// differ where a ReLU sits on its kink (zero bias, all units before it silent).
    fn gradient(&self, parameters: &[f64], lambda: f64) -> Vec<[f64; 2]> {
        let mut at = parameters.to_vec();
        let mut side = |j: usize, value: f64| {
            let before = std::mem::replace(&mut at[j], value);
            let objective = self.objective(&at, lambda);
            at[j] = before;
            objective
        };
        let h = 1e-6;
        let unit = h * self.total() * self.scale * self.scale;
        (0..parameters.len())
            .map(|j| {
                let [left, here, right] = [-h, 0.0, h].map(|h| side(j, parameters[j] + h));
                [(here - left) / unit, (right - here) / unit]
            })
            .collect()
    }
}

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
        let shuffled = Recipe { batch: 32, shuffle: true, ..recipe(4, 0.05) };
        let (draws, networks) = draw(&data.mlp(shape.clone(), Law::Exponential, &shuffled), 5, 1);
        let plain = Plain::new(&data, &shape, Law::Exponential, 5);
        let theta = parameters(&networks[0]);
        let objective = plain.objective(&theta, 0.3);
        assert!((draws.objective[[0, 0]] / objective - 1.0).abs() < 1e-5);
        let gradient = plain.gradient(&theta, 0.3).iter().map(|g| g[1] * g[1]).sum::<f64>().sqrt();
        let found = networks[0].gradient;
        assert!((found / gradient - 1.0).abs() < 1e-3, "{found} {gradient}");
        assert_eq!((draws.status[[0, 0]], draws.iterations[[0, 0]]), (Status::Finished, 4));
        let out = plain.outputs(&theta, 17);
        if classes == 0 {
            assert!((networks[0].answers[17] - (plain.center + plain.scale * out[0])).abs() < 1e-3);
            assert!((draws.sigma[[0, 0]] / (2.0 * networks[0].loss).sqrt() - 1.0).abs() < 1e-12);
        } else {
            let sum: f64 = out.iter().map(|o| o.exp()).sum();
            for (c, o) in out.iter().enumerate() {
                assert!((networks[0].answers[c * data.n + 17] - o.exp() / sum).abs() < 1e-5);
            }
            let right = (0..data.n).filter(|&i| {
                let out = plain.outputs(&theta, i);
                let y = data.y[i] as usize;
                out.iter().enumerate().all(|(c, o)| c == y || *o < out[y])
            });
            assert_eq!(networks[0].accuracy, right.count() as f64 / data.n as f64);
        }
        // The same network asked again answers the same.
        let kept = vec![networks[0].parameters.clone().unwrap()];
        let answer = (&data.target()).into();
        let again = predict(&shape, &kept, &data.inputs(), answer, &Control::default()).unwrap();
        assert_eq!(again, networks[0].answers);
    }
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
        let recipe = Recipe { lambda: 0.0, decay, ..recipe(epochs, 0.25) };
        parameters(&draw(&data.mlp(shape.clone(), Law::Exponential, &recipe), 1, 1).1[0])[1]
    };
    // b₁ = ¼ m, b₂ = b₁ + ¼ e^(−d) (m − b₁).
    let (one, two) = (bias(1, 0.7), bias(2, 0.7));
    let expected = one + 0.25 * (-0.7f64).exp() * (4.0 * one - one);
    assert!((two - expected).abs() < 1e-6 && one != 0.0);
}

#[test]
fn draws_depend_on_seed_and_number_alone() {
    let mut data = Data::new(150, 6, 3);
    // Mostly zeros, so that dense data are stored sparse too.
    data.x.iter_mut().enumerate().for_each(|(i, v)| *v = if i % 4 == 0 { *v } else { 0.0 });
    let shape = data.shape(&[9], Activation::Relu);
    let shuffled = Recipe { batch: 16, shuffle: true, fresh: true, ..recipe(3, 0.1) };
    let bits = |threads: usize, first: u64, count: usize, sparse: bool| {
        let source = if sparse { data.sparse() } else { Source::dense(&data.x, data.n, data.p) };
        let x = Inputs::new(&source, None);
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
fn a_shared_start_and_equal_weights_give_equal_draws() {
    let data = Data::new(60, 3, 2);
    let of = |fresh| {
        let recipe = Recipe { batch: 8, shuffle: true, fresh, ..recipe(2, 0.1) };
        let plan = WeightPlan::new(SEED, Law::Ones, PriorWeight::Fixed, data.n);
        let (shape, x) = (data.shape(&[4], Activation::Relu), data.inputs());
        let networks = draw(&Mlp::new(shape, x, data.target(), None, plan, recipe, true), 1, 2).1;
        networks.into_iter().map(|n| n.parameters.unwrap()).collect::<Vec<_>>()
    };
    let (shared, fresh) = (of(false), of(true));
    assert_eq!(shared[0], shared[1]);
    assert_ne!(fresh[0], fresh[1]);
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
    assert!(networks[empty].parameters.is_none() && networks[empty].answers[0].is_nan());
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
        Job::start(Some(2), move |control| bootstrap::run(&mlp, 1, 4, control).map(|_| ()))
            .unwrap();
    assert!(!job.wait(Duration::from_millis(300)));
    let begin = Instant::now();
    job.cancel();
    // Unoptimised and beside other tests; a release build takes a few milliseconds.
    assert!(begin.elapsed() < Duration::from_secs(10));
}
