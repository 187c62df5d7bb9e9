//! The generalised lasso as a weighted problem.

use super::certificate::Problem;
use super::interior::Solution;
use super::layout::Layout;
use super::units::Units;
use crate::engine::cv::{Curve, Lambda, cross_validate};
use crate::engine::freedom::Spread;
use crate::engine::job::{Control, Stage};
use crate::engine::limits::Limits;
use crate::engine::problem::{Mode, Status, WeightedProblem};
use crate::error::Error;
use crate::linalg::sparse::SparseMatrix;
use crate::random::laws::PriorWeight;
use crate::random::weights::WeightPlan;

pub struct GenLassoOptions {
    pub lambda: Lambda,
    pub limits: Limits,
}

/// As for the trend filter: no row is quite without weight.
const LEAST_WEIGHT: f64 = 1e-10;
/// The least objective that gaps are measured against: this part of that of the mean, and of that
/// of zero, where rounding is all that is left.
const FLOOR: f64 = 1e-10;
const ROUNDING: f64 = 1e-20;
/// Penalties, in units of the gradient, below which there is none, and above which nothing that is
/// not zero is worth it.
const LEAST_PENALTY: f64 = 1e-200;
const LARGEST_PENALTY: f64 = 1e100;

pub struct GenLasso {
    pub(super) layout: Layout,
    pub(super) units: Units,
    /// In these units.
    pub(super) y: Vec<f64>,
    pub(super) plan: WeightPlan,
    limits: Limits,
    pub lambda: Vec<f64>,
    pub modes: Vec<Mode>,
    /// If lambda was cross-validated.
    pub curve: Option<Curve>,
}

impl GenLasso {
    /// `x` = None: the identity.
    pub fn new(
        mut y: Vec<f64>,
        x: Option<SparseMatrix>,
        d: SparseMatrix,
        plan: WeightPlan,
        options: GenLassoOptions,
        control: &Control,
    ) -> Result<GenLasso, Error> {
        let mut x = x.unwrap_or_else(|| SparseMatrix::eye(y.len())).to_csr();
        control.check()?;
        let mut d = d.to_csr();
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
        let units = Units::of(&mut y, &mut x, &mut d, &|| control.check())?;
        let mut lasso = GenLasso {
            layout: Layout::new(&x, &d, &units.columns, control)?,
            units,
            y,
            plan,
            limits: options.limits,
            lambda: Vec::new(),
            modes: Vec::new(),
            curve: None,
        };
        lasso.lambda = match &options.lambda {
            Lambda::Given(lambda) => lambda.clone(),
            Lambda::CrossValidated(settings) => {
                let curve = cross_validate(&lasso, settings, control)?;
                let chosen = curve.chosen(settings.rule);
                lasso.curve = Some(curve);
                vec![chosen]
            }
        };
        control.begin(Stage::Mode, lasso.lambda.len() as u64);
        lasso.modes = lasso.solve_weights(&lasso.case_weights(), &[1.0], control)?;
        Ok(lasso)
    }

    pub(super) fn case_weights(&self) -> Vec<f64> {
        (0..self.y.len()).map(|i| self.plan.case(i)).collect()
    }

    /// Weights of mean one, none of them quite zero.
    pub(super) fn relative(&self, weights: &[f64], mean: f64) -> Vec<f64> {
        weights.iter().map(|w| (w / mean).max(LEAST_WEIGHT)).collect()
    }

    fn solve_weights(
        &self,
        weights: &[f64],
        prior: &[f64],
        control: &Control,
    ) -> Result<Vec<Mode>, Error> {
        let spread = Spread::of(weights);
        if spread.total <= 0.0 {
            let empty = Mode::empty(vec![0.0; self.dimension()], ());
            return Ok(vec![empty; self.lambda.len()]);
        }
        let mean_weight = spread.total / weights.len() as f64;
        let w = self.relative(weights, mean_weight);
        let floor = floor(&self.y, &w);
        let mut modes = Vec::with_capacity(self.lambda.len());
        for &lambda in &self.lambda {
            let problem = Sample { y: &self.y, w: &w, mean_weight, floor };
            let found = self.solve_at(lambda, prior, problem, control)?;
            modes.push(self.mode(&found, mean_weight, &spread));
        }
        Ok(modes)
    }

    /// At one lambda.
    pub(super) fn solve_at(
        &self,
        lambda: f64,
        prior: &[f64],
        Sample { y, w, mean_weight, floor }: Sample,
        control: &Control,
    ) -> Result<Solution, Error> {
        let penalty = |j: usize| {
            let c = lambda * prior[j.min(prior.len() - 1)];
            self.units.penalty(j, c, mean_weight).clamp(LEAST_PENALTY, LARGEST_PENALTY)
        };
        let c: Vec<f64> = (0..self.layout.d.by_rows.rows()).map(penalty).collect();
        let problem = Problem { layout: &self.layout, w, y, c: &c, floor };
        problem.solve(self.limits, control)
    }

    /// In the user's units.
    fn mode(&self, found: &Solution, mean_weight: f64, spread: &Spread) -> Mode {
        let place = self.layout.place.iter().enumerate();
        let theta: Vec<f64> =
            place.map(|(j, &p)| self.units.coefficient(j, found.beta[p as usize])).collect();
        let objective = self.units.objective(found.objective, mean_weight);
        let squares = found.squares * mean_weight;
        let sigma = self.units.response * spread.residual_sd(squares, found.freedom as f64);
        let finite = objective.is_finite() && theta.iter().all(|b| b.is_finite());
        let within = found.gap <= self.limits.tolerance;
        Mode {
            theta,
            status: if within && finite { Status::Converged } else { Status::NotConverged },
            iterations: found.iterations,
            objective,
            gap: found.gap,
            sigma,
            aside: (),
        }
    }
}

/// What is fitted: weights that were divided by their mean, and the least objective that gaps are measured
/// against.
#[derive(Clone, Copy)]
pub(super) struct Sample<'a> {
    pub y: &'a [f64],
    pub w: &'a [f64],
    pub mean_weight: f64,
    pub floor: f64,
}

/// The mean of y under these weights.
pub(super) fn mean(y: &[f64], w: &[f64]) -> f64 {
    y.iter().zip(w).map(|(y, w)| y * w).sum::<f64>() / w.iter().sum::<f64>()
}

/// The least objective that gaps are measured against.
pub(super) fn floor(y: &[f64], w: &[f64]) -> f64 {
    let around =
        |centre: f64| -> f64 { y.iter().zip(w).map(|(y, w)| 0.5 * w * (y - centre).powi(2)).sum() };
    (FLOOR * around(mean(y, w))).max(ROUNDING * around(0.0)).max(f64::MIN_POSITIVE)
}

impl WeightedProblem for GenLasso {
    type Aside = ();

    fn dimension(&self) -> usize {
        self.layout.place.len()
    }

    fn modes(&self) -> usize {
        self.lambda.len()
    }

    fn solve(&self, draws: &[u64], control: &Control) -> Result<Vec<Mode>, Error> {
        let mut weights = vec![0.0; self.y.len()];
        let coefficient = self.plan.prior() == PriorWeight::Coefficient;
        let mut prior =
            vec![1.0; if coefficient { self.layout.d.by_rows.rows().max(1) } else { 1 }];
        let mut modes = Vec::with_capacity(draws.len() * self.lambda.len());
        for &draw in draws {
            self.plan.draw(draw).fill(0, &mut weights);
            self.plan.fill_prior(draw, &mut prior);
            modes.extend(self.solve_weights(&weights, &prior, control)?);
        }
        Ok(modes)
    }
}
