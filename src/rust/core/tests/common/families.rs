//! Problems of the families beside least squares: made-up data, and the objective by its definition.

use super::{normal, uniform};
use wbb_core::data::source::Source;
use wbb_core::engine::bootstrap::{self, Draws};
use wbb_core::engine::cv::Lambda;
use wbb_core::engine::job::Control;
use wbb_core::engine::limits::Limits;
use wbb_core::lasso::{Glm, Options};
use wbb_core::loss::response::{Family, Measure, Response};
use wbb_core::random::laws::{Law, PriorWeight};
use wbb_core::random::weights::WeightPlan;

#[derive(Clone)]
pub struct Problem {
    pub n: usize,
    pub p: usize,
    pub x: Vec<f64>,
    pub response: Response,
}

/// States of so many rows, most of them events.
pub fn states(n: usize) -> Vec<f64> {
    (0..n).map(|i| f64::from(u8::from(uniform(77 + 3 * i) < 0.7))).collect()
}

/// All of them; the last needs to know the number of rows.
pub fn families(n: usize) -> [Family; 4] {
    let cox = Family::Cox { status: states(n) };
    [Family::Binomial, Family::Poisson, Family::Multinomial { classes: 3 }, cox]
}

pub fn problem(n: usize, p: usize, family: Family) -> Problem {
    let x: Vec<f64> = (0..n * p).map(|i| normal(i) + 0.3).collect();
    let eta = |i: usize| -0.4 + 0.8 * x[i] - 0.6 * x[n * (p / 2) + i];
    let y = (0..n)
        .map(|i| {
            let u = uniform(9_000_000 + i);
            match &family {
                Family::Binomial => f64::from(u8::from(u < 1.0 / (1.0 + (-eta(i)).exp()))),
                Family::Poisson => poisson(eta(i).exp(), u),
                Family::Multinomial { classes } => {
                    let chance: Vec<f64> =
                        (0..*classes).map(|k| (eta(i) * k as f64).exp()).collect();
                    let (mut left, mut class) = (u * chance.iter().sum::<f64>(), 0);
                    while class + 1 < *classes && left > chance[class] {
                        left -= chance[class];
                        class += 1;
                    }
                    class as f64 + 1.0
                }
                // Rounded: many are tied.
                Family::Cox { .. } => (-u.ln() * (-eta(i)).exp() * 20.0).ceil() / 20.0,
                Family::Gaussian => 0.0,
            }
        })
        .collect();
    Problem { n, p, x, response: Response { y, family, offset: None } }
}

/// By inversion.
pub fn poisson(mean: f64, u: f64) -> f64 {
    let (mut term, mut count) = ((-mean).exp(), 0.0);
    let mut below = term;
    while u > below && count < 1e3 {
        count += 1.0;
        term *= mean / count;
        below += term;
    }
    count
}

pub fn options(p: usize, lambda: &[f64]) -> Options {
    Options {
        lambda: Lambda::Given(lambda.to_vec()),
        alpha: 1.0,
        penalty_factor: vec![1.0; p],
        intercept: true,
        standardize: false,
        refit: None,
        limits: Limits { tolerance: 1e-8, iterations: 1000 },
    }
}

pub fn plan(n: usize) -> WeightPlan {
    WeightPlan::new(5, Law::Exponential, PriorWeight::Random, n)
}

pub fn fit(d: &Problem, plan: WeightPlan, options: Options) -> Glm {
    fit_on(Source::dense(&d.x, d.n, d.p), d, plan, options)
}

/// Without the zeros of x.
pub fn fit_sparse(d: &Problem, plan: WeightPlan, options: Options) -> Glm {
    fit_on(Source::without_zeros(&d.x, d.n, d.p), d, plan, options)
}

fn fit_on(x: Source, d: &Problem, plan: WeightPlan, mut options: Options) -> Glm {
    options.intercept &= !is_cox(&d.response.family);
    let control = Control::default();
    Glm::new(x, d.response.clone(), Measure::Deviance, plan, options, &control).unwrap()
}

pub fn draws(glm: &Glm, first: u64, count: usize) -> Draws<f64> {
    bootstrap::run(glm, first, count, &Control::default()).unwrap()
}

pub fn predictors(family: &Family) -> usize {
    if let Family::Multinomial { classes } = family { *classes } else { 1 }
}

pub fn is_cox(family: &Family) -> bool {
    matches!(family, Family::Cox { .. })
}

/// The loss, and −∂/∂η of it, predictor after predictor, by their definitions.
pub fn loss(d: &Problem, w: &[f64], eta: &[f64]) -> (f64, Vec<f64>) {
    let (n, y) = (d.n, d.response.y.all());
    let mut residual = vec![0.0; eta.len()];
    let mut value = 0.0;
    for i in 0..n {
        match &d.response.family {
            Family::Binomial => {
                value += w[i] * (eta[i].max(0.0) + (-eta[i].abs()).exp().ln_1p() - y[i] * eta[i]);
                residual[i] = w[i] * (y[i] - 1.0 / (1.0 + (-eta[i]).exp()));
            }
            Family::Poisson => {
                value += w[i] * (eta[i].exp() - y[i] * eta[i]);
                residual[i] = w[i] * (y[i] - eta[i].exp());
            }
            Family::Multinomial { classes } => {
                let sum: f64 = (0..*classes).map(|k| eta[k * n + i].exp()).sum();
                let own = y[i] as usize - 1;
                value += w[i] * (sum.ln() - eta[own * n + i]);
                for k in 0..*classes {
                    let is = f64::from(u8::from(k == own));
                    residual[k * n + i] = w[i] * (is - eta[k * n + i].exp() / sum);
                }
            }
            Family::Cox { status } => {
                if status[i] == 0.0 || w[i] == 0.0 {
                    continue;
                }
                let at_risk = || (0..n).filter(|&j| y[j] >= y[i]);
                let sum: f64 = at_risk().map(|j| w[j] * eta[j].exp()).sum();
                value += w[i] * (sum.ln() - eta[i]);
                residual[i] += w[i];
                at_risk().for_each(|j| residual[j] -= w[i] * w[j] * eta[j].exp() / sum);
            }
            Family::Gaussian => {}
        }
    }
    (value, residual)
}

/// The objective at θ and its slopes, which lie as θ does.
pub fn objective(
    d: &Problem,
    weights: &[f64],
    theta: &[f64],
    penalty: f64,
    alpha: f64,
) -> (f64, Vec<f64>) {
    let classes = predictors(&d.response.family);
    let intercept = usize::from(!is_cox(&d.response.family));
    let stride = d.p + intercept;
    let mut eta = vec![0.0; classes * d.n];
    for (k, theta) in theta.chunks(stride).enumerate() {
        for i in 0..d.n {
            let offset = d.response.offset.as_ref().map_or(0.0, |o| o[k * d.n + i]);
            let columns = (0..d.p).map(|j| d.x[j * d.n + i] * theta[j + intercept]);
            eta[k * d.n + i] =
                offset + columns.sum::<f64>() + if intercept > 0 { theta[0] } else { 0.0 };
        }
    }
    let (mut value, residual) = loss(d, weights, &eta);
    let mut slopes = vec![0.0; theta.len()];
    for (k, slopes) in slopes.chunks_mut(stride).enumerate() {
        let residual = &residual[k * d.n..][..d.n];
        if intercept > 0 {
            slopes[0] = residual.iter().sum();
        }
        for j in 0..d.p {
            let b = theta[k * stride + intercept + j];
            let x = &d.x[j * d.n..][..d.n];
            slopes[intercept + j] = x.iter().zip(residual).map(|(x, r)| x * r).sum::<f64>()
                - penalty * (1.0 - alpha) * b;
            value += penalty * (alpha * b.abs() + 0.5 * (1.0 - alpha) * b * b);
        }
    }
    (value, slopes)
}

pub fn weights_of(plan: &WeightPlan, k: u64) -> (Vec<f64>, f64) {
    let (mut w, mut prior) = (vec![0.0; plan.rows()], [0.0]);
    plan.draw(k).fill(0, &mut w);
    plan.fill_prior(k, &mut prior);
    (w, prior[0])
}

pub fn name(family: &Family) -> &'static str {
    match family {
        Family::Binomial => "binomial",
        Family::Poisson => "poisson",
        Family::Multinomial { .. } => "multinomial",
        Family::Cox { .. } => "cox",
        Family::Gaussian => "gaussian",
    }
}

pub fn ones(n: usize) -> WeightPlan {
    WeightPlan::new(1, Law::Ones, PriorWeight::Fixed, n)
}

pub fn tight(p: usize, lambda: f64) -> Options {
    Options { limits: Limits { tolerance: 1e-14, iterations: 1000 }, ..options(p, &[lambda]) }
}

/// What no fit can go below, which gaps do not count.
pub fn least(d: &Problem, w: &[f64]) -> f64 {
    let y = &*d.response.y.all();
    let times = |f: &dyn Fn(f64) -> f64| w.iter().zip(y).map(|(w, y)| w * f(*y)).sum::<f64>();
    match &d.response.family {
        Family::Poisson => times(&|y| if y > 0.0 { y - y * y.ln() } else { 0.0 }),
        Family::Cox { status } => {
            let mut events: Vec<usize> = (0..d.n).filter(|&i| status[i] * w[i] > 0.0).collect();
            events.sort_by(|&a, &b| y[a].total_cmp(&y[b]));
            let tied = events.chunk_by(|&a, &b| y[a] == y[b]);
            tied.map(|t| t.iter().map(|&i| w[i]).sum::<f64>()).map(|d| d * d.ln()).sum()
        }
        _ => 0.0,
    }
}
