//! The generalised lasso as a weighted problem.

use super::interior::Problem;
use crate::engine::job::{Control, Stage};
use crate::engine::limits::Limits;
use crate::engine::problem::{Mode, Status, WeightedProblem};
use crate::error::Error;
use crate::random::laws::PriorWeight;
use crate::random::weights::WeightPlan;
use crate::trendfilter::{multiply, multiply_transposed};
use sprs::CsMat;

pub struct Options {
    pub lambda: Vec<f64>,
    pub limits: Limits,
}

/// As for the trend filter: no row is quite without weight.
const LEAST_WEIGHT: f64 = 1e-10;
const FLOOR: f64 = 1e-10;

pub struct GenLasso {
    /// X and D by rows, columns in the order of elimination.
    x: CsMat<f64>,
    d: CsMat<f64>,
    /// Place of each coefficient in that order.
    place: Vec<usize>,
    y: Vec<f64>,
    plan: WeightPlan,
    options: Options,
    pub lambda: Vec<f64>,
    pub modes: Vec<Mode>,
}

impl GenLasso {
    /// `x` = None: the identity.
    pub fn new(
        y: Vec<f64>,
        x: Option<CsMat<f64>>,
        d: CsMat<f64>,
        plan: WeightPlan,
        options: Options,
        control: &Control,
    ) -> Result<GenLasso, Error> {
        control.begin(Stage::Mode, options.lambda.len() as u64);
        let x = x.unwrap_or_else(|| CsMat::eye(y.len())).to_csr();
        let d = d.to_csr();
        if x.rows() != y.len() || x.cols() != d.cols() {
            let text = format!(
                "has {} columns for {} coefficients and X has {} rows for {} values of y",
                d.cols(),
                x.cols(),
                x.rows(),
                y.len()
            );
            return Err(Error::argument("D", text));
        }
        // An order that keeps the band of X'X + D'D narrow keeps its factor sparse.
        let ones = |m: &CsMat<f64>| m.map(|_| 1.0);
        let (ax, ad) = (ones(&x), ones(&d));
        let pattern = &(&ax.transpose_view() * &ax) + &(&ad.transpose_view() * &ad);
        let order = sprs::linalg::reverse_cuthill_mckee(pattern.view());
        let place = order.perm.inv_vec();
        let mut lasso = GenLasso {
            x: sorted_columns(&x, &place),
            d: sorted_columns(&d, &place),
            place,
            y,
            plan,
            lambda: options.lambda.clone(),
            options,
            modes: Vec::new(),
        };
        let case: Vec<f64> = (0..lasso.y.len()).map(|i| lasso.plan.case(i)).collect();
        lasso.modes = lasso.solve_weights(&case, &[1.0], control)?;
        Ok(lasso)
    }

    fn solve_weights(
        &self,
        weights: &[f64],
        prior: &[f64],
        control: &Control,
    ) -> Result<Vec<Mode>, Error> {
        let total: f64 = weights.iter().sum();
        let cols = self.x.cols();
        if total <= 0.0 {
            return Ok(vec![Mode::empty(vec![0.0; cols], ()); self.lambda.len()]);
        }
        let least = LEAST_WEIGHT * total / weights.len() as f64;
        let w: Vec<f64> = weights.iter().map(|w| w.max(least)).collect();
        let mut scaled = self.x.clone();
        for (mut row, w) in scaled.outer_iterator_mut().zip(&w) {
            row.iter_mut().for_each(|(_, v)| *v *= w.sqrt());
        }
        let hessian = (&scaled.transpose_view() * &scaled).to_csc();
        let weighted: Vec<f64> = self.y.iter().zip(&w).map(|(y, w)| y * w).collect();
        let linear = multiply_transposed(&self.x, &weighted);
        let constant = 0.5 * weighted.iter().zip(&self.y).map(|(wy, y)| wy * y).sum::<f64>();
        let mean = weighted.iter().sum::<f64>() / w.iter().sum::<f64>();
        let spread: f64 = self.y.iter().zip(&w).map(|(y, w)| 0.5 * w * (y - mean).powi(2)).sum();
        let mut modes = Vec::with_capacity(self.lambda.len());
        for &lambda in &self.lambda {
            let c: Vec<f64> = (0..self.d.rows())
                .map(|j| lambda * prior[j.min(prior.len() - 1)])
                // Without a penalty the interior would be empty.
                .map(|c| c.max(1e-12 * (spread / cols as f64).sqrt()).max(f64::MIN_POSITIVE))
                .collect();
            let problem = Problem {
                hessian: &hessian,
                linear: &linear,
                d: &self.d,
                c: &c,
                constant,
                floor: FLOOR * spread.max(f64::MIN_POSITIVE),
            };
            let limits = self.options.limits;
            let found = problem.solve(limits.tolerance, limits.iterations, control)?;
            let fit = multiply(&self.x, &found.beta);
            // From residuals: the expanded square loses digits where the fit is close.
            let squares: f64 =
                fit.iter().zip(&self.y).zip(&w).map(|((f, y), w)| w * (y - f) * (y - f)).sum();
            modes.push(Mode {
                theta: self.place.iter().map(|&p| found.beta[p]).collect(),
                status: if found.gap <= limits.tolerance {
                    Status::Converged
                } else {
                    Status::NotConverged
                },
                iterations: found.iterations,
                objective: found.objective + 0.5 * (squares - found.squares),
                gap: found.gap,
                sigma: (squares / total).sqrt(),
                aside: (),
            });
        }
        Ok(modes)
    }
}

/// Column j moves to `place[j]`.
fn sorted_columns(m: &CsMat<f64>, place: &[usize]) -> CsMat<f64> {
    let mut out = sprs::TriMat::new(m.shape());
    for (i, row) in m.outer_iterator().enumerate() {
        for (j, &value) in row.iter() {
            out.add_triplet(i, place[j], value);
        }
    }
    out.to_csr()
}

impl WeightedProblem for GenLasso {
    type Aside = ();

    fn dimension(&self) -> usize {
        self.x.cols()
    }

    fn modes(&self) -> usize {
        self.lambda.len()
    }

    fn solve(&self, draws: &[u64], control: &Control) -> Result<Vec<Mode>, Error> {
        let mut weights = vec![0.0; self.y.len()];
        let coefficient = self.plan.prior() == PriorWeight::Coefficient;
        let mut prior = vec![1.0; if coefficient { self.d.rows().max(1) } else { 1 }];
        let mut modes = Vec::with_capacity(draws.len() * self.lambda.len());
        for &draw in draws {
            self.plan.draw(draw).fill(0, &mut weights);
            self.plan.fill_prior(draw, &mut prior);
            modes.extend(self.solve_weights(&weights, &prior, control)?);
        }
        Ok(modes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::bootstrap;
    use crate::random::laws::Law;
    use crate::trendfilter::{Knots, Points, difference, solve};
    use sprs::TriMat;

    fn noise(i: usize) -> f64 {
        let z = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (z >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn fit(y: &[f64], x: Option<CsMat<f64>>, d: CsMat<f64>, lambda: &[f64]) -> GenLasso {
        let plan = WeightPlan::new(3, Law::Exponential, PriorWeight::Random, y.len());
        let limits = Limits { tolerance: 1e-6, iterations: 200 };
        let options = Options { lambda: lambda.to_vec(), limits };
        GenLasso::new(y.to_vec(), x, d, plan, options, &Control::default()).unwrap()
    }

    #[test]
    fn trend_filters_are_special_cases() {
        let n = 80;
        let x: Vec<f64> = (0..n).map(|i| i as f64).collect();
        let y: Vec<f64> = x.iter().map(|t| (t / 9.0).sin() * 4.0 + noise(*t as usize)).collect();
        for order in 0..=2 {
            let found = fit(&y, None, difference(&x, order), &[3.0]);
            let w = vec![1.0; n];
            let points = Points { x: &x, y: &y, w: &w };
            let c = vec![3.0; n - order - 1];
            let exact =
                solve(order, points, &c, Knots::default(), 1000, &Control::default()).unwrap();
            for (a, b) in found.modes[0].theta.iter().zip(&exact.beta) {
                assert!((a - b).abs() < 1e-3, "{order} {a} {b}");
            }
            assert!(found.modes[0].gap <= 1e-6);
        }
    }

    /// Differences along the edges of a grid.
    fn grid(side: usize) -> CsMat<f64> {
        let mut edges = Vec::new();
        for i in 0..side * side {
            if i % side + 1 < side {
                edges.push((i, i + 1));
            }
            if i + side < side * side {
                edges.push((i, i + side));
            }
        }
        let mut d = TriMat::new((edges.len(), side * side));
        for (row, (a, b)) in edges.into_iter().enumerate() {
            d.add_triplet(row, a, -1.0);
            d.add_triplet(row, b, 1.0);
        }
        d.to_csr()
    }

    #[test]
    fn draws_on_a_grid_are_certified() {
        let y: Vec<f64> = (0..144).map(|i| if i % 12 < 6 { 0.0 } else { 3.0 } + noise(i)).collect();
        let lasso = fit(&y, None, grid(12), &[0.5, 1e6]);
        let draws = bootstrap::run(&lasso, 1, 10, &Control::default()).unwrap();
        assert!(draws.gap.iter().all(|g| *g <= 1e-6), "{:?}", draws.gap);
        // A strong penalty leaves the mean.
        let mean = y.iter().sum::<f64>() / 144.0;
        assert!(lasso.modes[1].theta.iter().all(|b| (b - mean).abs() < 1e-3));
    }

    #[test]
    fn the_identity_as_penalty_is_the_lasso() {
        // Orthogonal design: soft thresholding.
        let y = [3.0, -0.5, 1.5, 0.2];
        let mut x = TriMat::new((4, 4));
        (0..4).for_each(|i| x.add_triplet(i, i, 2.0));
        let lasso = fit(&y, Some(x.to_csr()), CsMat::eye(4), &[2.0]);
        for (b, y) in lasso.modes[0].theta.iter().zip(y) {
            let exact = (2.0 * y.abs() - 2.0f64).max(0.0) / 4.0 * y.signum();
            assert!((b - exact).abs() < 1e-4, "{b} {exact}");
        }
    }
}
