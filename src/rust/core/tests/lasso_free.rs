//! Coefficients without a penalty: dependent, nearly dependent, without weight, as many as rows.

mod common;

use common::{flat, noise, uniform};
use wbb_core::data::source::Source;
use wbb_core::engine::bootstrap::{self, Draws};
use wbb_core::engine::cv::Lambda;
use wbb_core::engine::job::Control;
use wbb_core::engine::limits::Limits;
use wbb_core::engine::problem::Status;
use wbb_core::lasso::{Lasso, Method, Options};
use wbb_core::random::laws::{Law, PriorWeight};
use wbb_core::random::weights::WeightPlan;

const METHODS: [Method; 3] = [Method::Gram, Method::Reference, Method::WorkingSet];

struct Problem {
    rows: usize,
    /// Column after column.
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
    factor: Vec<f64>,
    alpha: f64,
    law: Law,
    intercept: bool,
}

impl Problem {
    fn new(rows: usize, x: Vec<Vec<f64>>, factor: Vec<f64>) -> Problem {
        let y = (0..rows).map(|i| x[0][i] + noise(40_000_000 + i)).collect();
        Problem { rows, x, y, factor, alpha: 1.0, law: Law::Exponential, intercept: true }
    }

    fn plan(&self) -> WeightPlan {
        WeightPlan::new(4, self.law, PriorWeight::Random, self.rows)
    }

    fn fit(&self, lambda: f64, sparse: bool) -> Lasso {
        self.fit_to(1e-8, lambda, sparse)
    }

    fn fit_to(&self, tolerance: f64, lambda: f64, sparse: bool) -> Lasso {
        let columns = self.x.len();
        let source = if sparse {
            Source::without_zeros(&self.x.concat(), self.rows, columns)
        } else {
            Source::dense(&self.x.concat(), self.rows, columns)
        };
        let options = Options {
            lambda: Lambda::Given(vec![lambda]),
            alpha: self.alpha,
            penalty_factor: self.factor.clone(),
            intercept: self.intercept,
            standardize: true,
            refit: None,
            limits: Limits { tolerance, iterations: 1000 },
        };
        Lasso::new(source, self.y.clone(), self.plan(), options, &Control::default()).unwrap()
    }

    /// ½ Σ w r² + λ w₀ Σ f sd |b| of a draw by its definition.
    fn objective(&self, draw: u64, theta: &[f64], lambda: f64) -> f64 {
        let (mut w, mut prior) = (vec![0.0; self.rows], [0.0]);
        let plan = self.plan();
        plan.draw(draw).fill(0, &mut w);
        plan.fill_prior(draw, &mut prior);
        let (b0, b) = if self.intercept { (theta[0], &theta[1..]) } else { (0.0, theta) };
        let fitted = |i: usize| b0 + self.x.iter().zip(b).map(|(x, b)| x[i] * b).sum::<f64>();
        let loss: f64 = (0..self.rows).map(|i| 0.5 * w[i] * (self.y[i] - fitted(i)).powi(2)).sum();
        let sd = |x: &[f64]| {
            let mean = x.iter().sum::<f64>() / x.len() as f64;
            (x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / x.len() as f64).sqrt()
        };
        let kinks = self.x.iter().zip(b).zip(&self.factor).map(|((x, b), f)| f * sd(x) * b.abs());
        loss + lambda * prior[0] * kinks.sum::<f64>()
    }
}

fn draws(lasso: &Lasso, count: usize) -> Draws<f64> {
    bootstrap::run(lasso, 1, count, &Control::default()).unwrap()
}

fn column(rows: usize, seed: usize) -> Vec<f64> {
    (0..rows).map(|i| noise(seed * 1_000_003 + i)).collect()
}

/// All draws converged, are of the size of the data, and have the objective that is claimed.
fn check(problem: &Problem, lambda: f64, largest: f64, what: &str) {
    for sparse in [false, true] {
        let mut lasso = problem.fit(lambda, sparse);
        for method in METHODS.into_iter().filter(|m| !(sparse && *m == Method::Gram)) {
            lasso.method = method;
            let found = draws(&lasso, 25);
            for (k, theta) in found.theta.outer_iter().enumerate() {
                let theta: Vec<f64> = theta.iter().copied().collect();
                let context = format!("{what} {method:?} sparse {sparse} draw {}", k + 1);
                assert_eq!(found.status[[k, 0]], Status::Converged, "{context}");
                let size = theta.iter().fold(0.0f64, |m, b| m.max(b.abs()));
                assert!(size < largest, "{context}: {size}");
                let (claimed, plain) =
                    (found.objective[[k, 0]], problem.objective(k as u64 + 1, &theta, lambda));
                assert!(
                    (claimed - plain).abs() <= 1e-7 * (plain + 1e-9),
                    "{context}: {claimed} {plain}"
                );
            }
        }
    }
}

#[test]
fn equal_columns_share_their_coefficient() {
    let rows = 120;
    let mut x: Vec<Vec<f64>> = (0..12).map(|j| column(rows, j)).collect();
    x[9] = x[0].clone();
    let mut factor = vec![1.0; 12];
    (factor[0], factor[9]) = (0.0, 0.0);
    let problem = Problem::new(rows, x, factor);
    check(&problem, 2.0, 10.0, "equal");
    for method in METHODS {
        let mut lasso = problem.fit(2.0, false);
        lasso.method = method;
        for theta in draws(&lasso, 10).theta.outer_iter() {
            assert!((theta[[1, 0]] - theta[[10, 0]]).abs() < 1e-9, "{method:?} {theta}");
        }
    }
}

#[test]
fn sums_of_columns_and_lambda_zero_have_solutions_of_small_norm() {
    let rows = 90;
    let mut x: Vec<Vec<f64>> = (0..6).map(|j| column(rows, j)).collect();
    x[5] = (0..rows).map(|i| x[0][i] + x[1][i] - 2.0 * x[2][i]).collect();
    check(&Problem::new(rows, x.clone(), vec![0.0; 6]), 1.0, 10.0, "sum");
    check(&Problem::new(rows, x, vec![1.0; 6]), 0.0, 10.0, "lambda 0");
}

#[test]
fn a_level_that_has_lost_its_weight_does_no_harm() {
    let (rows, levels) = (45, 15);
    let mut x: Vec<Vec<f64>> = (1..levels)
        .map(|g| (0..rows).map(|i| f64::from(u8::from(i % levels == g))).collect())
        .collect();
    x.push(column(rows, 77));
    let mut factor = vec![0.0; levels - 1];
    factor.push(1.0);
    for law in [Law::Multinomial, Law::Poisson] {
        let problem = Problem { law, ..Problem::new(rows, x.clone(), factor.clone()) };
        check(&problem, 1.0, 100.0, "level");
    }
}

#[test]
fn as_many_free_columns_as_rows_fit_perfectly() {
    let rows = 20;
    let x: Vec<Vec<f64>> = (0..40).map(|j| column(rows, j)).collect();
    let factor = (0..40).map(|j| f64::from(u8::from(j >= 20))).collect();
    let problem = Problem::new(rows, x, factor);
    for method in METHODS {
        let mut lasso = problem.fit(1.0, false);
        lasso.method = method;
        let found = draws(&lasso, 40);
        for (status, objective) in found.status.iter().zip(&found.objective) {
            assert!(*status != Status::Converged || *objective < 1e-9, "{method:?} {objective}");
        }
        assert!(
            found.status.iter().filter(|s| **s == Status::Converged).count() > 30,
            "{method:?}"
        );
    }
}

#[test]
fn nearly_equal_columns_are_told_apart() {
    let rows = 150;
    let (u, v) = (column(rows, 1), column(rows, 2));
    for gap in [1e-4, 1e-6, 1e-7, 1e-8] {
        let near = u.iter().zip(&v).map(|(u, v)| u + gap * v).collect();
        let mut problem = Problem::new(rows, vec![u.clone(), near], vec![1.0; 2]);
        problem.y = (0..rows).map(|i| u[i] + v[i] + noise(9_000_000 + i)).collect();
        let apart = Problem {
            x: vec![u.clone(), v.clone()],
            ..Problem::new(rows, vec![u.clone(), v.clone()], vec![1.0; 2])
        };
        let apart = Problem { y: problem.y.clone(), ..apart };
        let best = draws(&apart.fit(0.0, false), 20);
        for sparse in [false, true] {
            let found = draws(&problem.fit(0.0, sparse), 20);
            for k in 0..20 {
                let excess = found.objective[[k, 0]] / best.objective[[k, 0]] - 1.0;
                assert_eq!(found.status[[k, 0]], Status::Converged, "{gap:e} sparse {sparse}");
                assert!(excess.abs() < 1e-6, "{gap:e} sparse {sparse}: {excess}");
            }
        }
    }
    // Far from zero, without an intercept.
    let far = |seed: usize| (0..rows).map(|i| 1e7 + noise(seed * 7919 + i)).collect::<Vec<f64>>();
    let problem =
        Problem { intercept: false, ..Problem::new(rows, vec![far(1), far(2)], vec![1.0; 2]) };
    let found = draws(&problem.fit(0.0, false), 20);
    for (k, theta) in found.theta.outer_iter().enumerate() {
        assert_eq!(found.status[[k, 0]], Status::Converged);
        let plain =
            problem.objective(k as u64 + 1, &theta.iter().copied().collect::<Vec<_>>(), 0.0);
        assert!((found.objective[[k, 0]] / plain - 1.0).abs() < 1e-5, "{plain}");
    }
}

/// Large coefficients that cancel: the rounding of a Gram matrix is that of their squares.
#[test]
fn claimed_objectives_are_those_of_the_draws_where_columns_cancel() {
    let rows = 60;
    for (far, near, intercept) in
        [(0.0, 1e-5, true), (10.0, 1e-5, true), (1e2, 1e-3, false), (1e2, 1e-5, false)]
    {
        let column = |seed: usize| (0..rows).map(|i| noise(seed * 7919 + i)).collect::<Vec<f64>>();
        let (u, v) = (column(1), column(2));
        let from = |x: &[f64]| x.iter().map(|x| far + x).collect::<Vec<f64>>();
        let beside = u.iter().zip(&v).map(|(u, v)| far + u + near * v).collect();
        let x = vec![from(&u), beside, from(&column(3)), from(&column(4))];
        let mut problem = Problem { intercept, ..Problem::new(rows, x, vec![1.0; 4]) };
        problem.y = (0..rows).map(|i| u[i] + v[i] + 0.1 * noise(9_000_000 + i)).collect();
        for lambda in [1e-6, 1e-2].map(|part| part * near) {
            let found = draws(&problem.fit(lambda, false), 20);
            for (k, theta) in found.theta.outer_iter().enumerate() {
                let theta: Vec<f64> = theta.iter().copied().collect();
                let plain = problem.objective(k as u64 + 1, &theta, lambda);
                let off = (found.objective[[k, 0]] / plain - 1.0).abs();
                let context = format!("{far} {near:e} {lambda:e} draw {}: {off:e}", k + 1);
                // Where no road has the digits, that is said.
                let converged = found.status[[k, 0]] == Status::Converged;
                assert!(converged || far > 1e6 * near, "{context}");
                assert!(!converged || off < 1e-8, "{context}");
            }
        }
    }
}

/// A third column that differs by 2e-12 of itself is none of its own, but has that much beside the others.
#[test]
fn a_column_without_a_place_takes_no_share_that_would_be_seen() {
    let rows = 100;
    let (u, v, w) = (column(rows, 1), column(rows, 2), column(rows, 3));
    let beside = |by: f64| (0..rows).map(|i| u[i] + 1e-8 * v[i] + by * w[i]).collect::<Vec<f64>>();
    let x = vec![u.clone(), beside(0.0), beside(2e-12)];
    let mut problem = Problem::new(rows, x, vec![0.0; 3]);
    problem.y = (0..rows).map(|i| u[i] + v[i] + 3.0 * w[i]).collect();
    let found = draws(&problem.fit(1.0, false), 20);
    for (k, theta) in found.theta.outer_iter().enumerate() {
        let theta: Vec<f64> = theta.iter().copied().collect();
        let plain = problem.objective(k as u64 + 1, &theta, 1.0);
        assert_eq!(found.status[[k, 0]], Status::Converged);
        let off = (found.objective[[k, 0]] / plain - 1.0).abs();
        assert!(off < 1e-6, "draw {}: {off:e}", k + 1);
    }
}

/// Sums, and copies with another zero, depend on each other to the rounding of their numbers, which is large far from zero.
#[test]
fn what_rounding_leaves_of_a_column_is_no_column() {
    let rows = 90;
    let whole =
        |seed: usize| column(rows, seed).iter().map(|v| (3.0 * v).round()).collect::<Vec<_>>();
    for far in [58.547, 154467.3, 1e7, 1e9] {
        for (u, v) in [(column(rows, 1), column(rows, 2)), (whole(1), whole(2))] {
            let moved = |x: &[f64], by: f64| x.iter().map(|x| x + by).collect::<Vec<_>>();
            let (a, b) = (moved(&u, far), moved(&v, 2.0 * far));
            let sum = a.iter().zip(&b).map(|(a, b)| a + b).collect();
            for x in [vec![a.clone(), moved(&u, 92154.0)], vec![a, b, sum]] {
                let columns = x.len();
                let mut problem = Problem::new(rows, x, vec![0.0; columns]);
                problem.y = column(rows, 3);
                for lambda in [0.0, 1.0] {
                    let found = draws(&problem.fit(lambda, false), 10);
                    for (status, theta) in found.status.iter().zip(found.theta.outer_iter()) {
                        assert_eq!(*status, Status::Converged);
                        let largest = theta.iter().skip(1).fold(0.0f64, |m, b| m.max(b.abs()));
                        assert!(largest < 2.0, "{far} {columns} {lambda}: {largest:e}");
                    }
                }
            }
        }
    }
}

/// What a free column has left to gain moves the slopes of the others, at first order.
#[test]
fn the_gap_of_a_draw_is_never_below_its_excess() {
    for (shape, (rows, columns, free, zeros)) in
        [(300, 3, 1, 0.4), (300, 6, 3, 0.0), (500, 12, 2, 0.7), (80, 5, 2, 0.2), (60, 90, 2, 0.5)]
            .into_iter()
            .enumerate()
    {
        let entry = |i: usize| {
            let v = noise(i + 7_000_001 * (shape + 1));
            if uniform(i + 5_000_011 * (shape + 1)) < zeros { 0.0 } else { v }
        };
        let x: Vec<Vec<f64>> =
            (0..columns).map(|j| (0..rows).map(|i| entry(j * rows + i)).collect()).collect();
        let factor = (0..columns).map(|j| f64::from(u8::from(j >= free))).collect();
        let law = [Law::Exponential, Law::Dirichlet(1.0)][shape % 2];
        let problem = Problem { law, ..Problem::new(rows, x, factor) };
        for lambda in [0.02, 0.15].map(|part| part * rows as f64) {
            let mut best = problem.fit_to(1e-13, lambda, false);
            best.method = Method::WorkingSet;
            let best = draws(&best, 60);
            for (tolerance, sparse) in [(1e-3, false), (1e-3, true), (1e-6, false), (1e-8, true)] {
                let mut lasso = problem.fit_to(tolerance, lambda, sparse);
                for method in METHODS.into_iter().filter(|m| !(sparse && *m == Method::Gram)) {
                    lasso.method = method;
                    let found = draws(&lasso, 60);
                    for k in 0..60 {
                        let (here, least) = (found.objective[[k, 0]], best.objective[[k, 0]]);
                        let (claimed, excess) = (found.gap[[k, 0]], (here - least) / here);
                        assert!(
                            excess <= claimed + 1e-12,
                            "{shape} {lambda} {tolerance} {sparse} {method:?} draw {}: {claimed:e} {excess:e}",
                            k + 1
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn a_tiny_lambda_is_certified_as_far_as_rounding_allows() {
    let rows = 200;
    let x: Vec<Vec<f64>> = (0..30).map(|j| column(rows, j)).collect();
    for lambda in [1e-6, 1e-10, 1e-13] {
        check(&Problem::new(rows, x.clone(), vec![1.0; 30]), lambda, 10.0, "tiny");
    }
}

#[test]
fn a_ridge_that_fails_is_no_worse_than_its_start() {
    let (rows, columns) = (30, 60);
    let x: Vec<Vec<f64>> = (0..columns).map(|j| column(rows, j)).collect();
    let y: Vec<f64> = (0..rows).map(uniform).collect();
    for lambda in [1e-4, 1e-8, 1e-10, 1e-12, 1e-14, 1e-16] {
        for refit in [None, Some(lambda)] {
            let options = Options {
                lambda: Lambda::Given(vec![lambda]),
                alpha: 0.0,
                penalty_factor: vec![1.0; columns],
                intercept: true,
                standardize: true,
                refit,
                limits: Limits { tolerance: 1e-8, iterations: 1000 },
            };
            let plan = WeightPlan::new(1, Law::Exponential, PriorWeight::Random, rows);
            let source = Source::dense(&x.concat(), rows, columns);
            let mut lasso =
                Lasso::new(source, y.clone(), plan, options, &Control::default()).unwrap();
            for method in METHODS {
                lasso.method = method;
                let found = draws(&lasso, 10);
                // β = 0 leaves ½ Σ w (y − ȳ)², about 0.04 a row.
                assert!(flat(&found.objective).iter().all(|o| *o < 1.0), "{lambda:e} {method:?}");
                assert!(
                    flat(&found.theta).iter().all(|b| b.abs() < 100.0),
                    "{lambda:e} {method:?}"
                );
            }
        }
    }
}

/// A ridge of more columns than rows has its minimum near the interpolation of the smallest norm, whatever λ.
#[test]
fn a_small_ridge_of_many_columns_is_solved_by_its_rows() {
    let (rows, columns) = (20, 80);
    let x: Vec<Vec<f64>> = (0..columns).map(|j| column(rows, j)).collect();
    for lambda in [1e-4, 1e-7, 1e-9, 1e-11, 1e-13, 1e-15] {
        for sparse in [false, true] {
            let factor: Vec<f64> = (0..columns).map(|j| 1.0 + (j % 3) as f64).collect();
            let problem = Problem { alpha: 0.0, ..Problem::new(rows, x.clone(), factor) };
            let found = draws(&problem.fit(lambda, sparse), 30);
            let other = draws(&problem.fit(1e-9, sparse), 30);
            for k in 0..30 {
                assert_eq!(found.status[[k, 0]], Status::Converged, "{lambda:e} draw {}", k + 1);
                // Where y is interpolated the objective is the penalty's, in proportion to λ; gaps are relative to
                // 1e-10 of that of zero at least.
                let (here, due) =
                    (found.objective[[k, 0]], other.objective[[k, 0]] * lambda / 1e-9);
                let rounding = 1e-17 * rows as f64;
                assert!(
                    lambda > 1e-8 || (here - due).abs() < 1e-4 * due + rounding,
                    "{lambda:e} {k}: {here:e} {due:e}"
                );
            }
        }
    }
}
