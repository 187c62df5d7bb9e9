//! A family's lasso as a weighted problem: penalties in, draws out.

use super::attempt::{Attempt, Reference, Setting};
use super::cv::Folding;
use super::solve::solve;
use super::task::{Data, Place, Task};
use crate::engine::cv::Curve;
use crate::engine::job::Control;
use crate::engine::limits::Limits;
use crate::engine::problem::{Mode, Status, WeightedProblem};
use crate::error::Error;
use crate::lasso::batch::End;
use crate::lasso::problem::{Method, Options};
use crate::lasso::redrawn::{anew, carry_lambdas, draw_plan, factor};
use crate::lasso::starts::Starts;
use crate::lasso::task::RowWeights;
use crate::linalg::lanes::LANES;
use crate::loss::observed::Observed;
use crate::loss::response::Measure;
use crate::penalty::Factors;
use crate::random::laws::PriorWeight;
use crate::random::weights::WeightPlan;

/// Rows above which panels of all of them are kept narrow.
const LONG: usize = 20_000;
/// Gap at which a start is near enough.
const ROUGH: f64 = 1e-4;

pub struct Glm {
    pub(super) data: Data,
    pub(super) plan: WeightPlan,
    pub(super) options: Options,
    pub(super) measure: Measure,
    /// The response as the user has it, the class of a row for its fold, and whether it counts as an event.
    pub(super) y: Observed,
    pub(super) strata: Option<Observed>,
    pub(super) events: Option<Vec<f64>>,
    pub(super) factors: Factors,
    /// Loss of a fit without columns, for one unit of weight.
    pub(super) unit: f64,
    pub(super) reference: Option<Reference>,
    /// One for each lambda.
    pub(super) starts: Vec<Starts>,
    /// How draws are solved; any method gives the same answer to the tolerance.
    pub method: Method,
    pub lambda: Vec<f64>,
    pub modes: Vec<Mode>,
    pub curve: Option<Curve>,
}

/// Has a solve found that there is no mode? Far out on the way to no end there is no curvature left that would tell
/// those who start there that they have none, either.
pub(super) fn is_endless(ends: &[End]) -> bool {
    ends.iter().any(|end| end.status == Status::Separated)
}

impl Glm {
    pub(super) fn task<'a>(&'a self, weights: RowWeights<'a>) -> Task<'a> {
        Task::new(weights, &self.data)
    }

    /// Columns without a penalty that depend on others.
    pub fn dependent(&self) -> &[u32] {
        self.data.base.design.dropped()
    }

    /// For what others start from.
    pub(super) fn rough(&self, tolerance: f64) -> Setting<'_> {
        Setting { rough: true, ..self.setting(tolerance) }
    }

    /// Without the reference, which is for draws.
    pub(super) fn setting(&self, tolerance: f64) -> Setting<'_> {
        let limits = Limits { tolerance, ..self.options.limits };
        Setting {
            data: &self.data,
            reference: None,
            direct: false,
            limits,
            rough: false,
            alone: false,
            path: false,
            unit: self.unit,
        }
    }

    /// Penalties of the second step: its own lambda on the support of β, everything else excluded.
    pub(super) fn restrict(&self, task: &mut Task, lambda: f64, prior: &[f64]) {
        self.factors.fill(lambda, prior, &mut task.penalty);
        for j in (0..task.place.beta.len()).filter(|&j| task.place.beta[j] == 0.0) {
            task.penalty.exclude(j);
        }
    }

    /// Back to the user's scale: predictor after predictor its intercept and its columns.
    pub(super) fn mode(&self, place: &Place, end: End) -> Mode {
        let design = &self.data.base.design;
        let mut theta = Vec::with_capacity(self.dimension());
        for (k, beta) in place.beta.chunks_exact(design.cols.max(1)).enumerate() {
            let slopes = design.unscale(beta);
            if let Some(b0) = place.intercept.get(k) {
                let center = &design.standard.center;
                theta.push(b0 - slopes.iter().zip(center).map(|(b, c)| b * c).sum::<f64>());
            }
            theta.extend(slopes);
        }
        if design.cols == 0 {
            theta.extend(&place.intercept);
        }
        Mode {
            theta,
            status: end.status,
            iterations: end.iterations,
            objective: end.objective,
            gap: end.gap,
            sigma: f64::NAN,
            aside: (),
        }
    }

    fn prior_weights(&self, draw: u64) -> Vec<f64> {
        let count = match self.plan.prior() {
            PriorWeight::Coefficient => self.data.size(),
            _ => 1,
        };
        let mut out = vec![0.0; count.max(1)];
        self.plan.fill_prior(draw, &mut out);
        out
    }

    /// What multiplies lambda in each of these draws.
    fn lambda_factors(&self, draws: &[u64], control: &Control) -> Result<Vec<f64>, Error> {
        let Some(settings) = anew(&self.options.lambda, self.curve.as_ref()) else {
            return Ok(vec![1.0; draws.len()]);
        };
        let choose = |&draw: &u64| {
            let Some(plan) = draw_plan(&self.plan, draw) else { return Ok(1.0) };
            factor(&Folding { glm: self, plan: &plan }, &settings, self.lambda[0], control)
        };
        draws.iter().map(choose).collect()
    }

    /// The model that all draws share, where they do. One made on a way without an end says nothing of the next step there.
    fn shared(&self) -> Option<&Reference> {
        let has_modes = || self.modes.iter().all(|m| m.status != Status::Separated);
        self.reference.as_ref().filter(|_| self.method == Method::Reference && has_modes())
    }

    /// Where a draw with these prior weights and this factor of lambda starts.
    fn start(
        &self,
        l: usize,
        factor: f64,
        prior: &[f64],
        control: &Control,
    ) -> Result<&[f64], Error> {
        let starts = &self.starts[l];
        let &[prior] = prior else { return Ok(starts.mode()) };
        starts.near(prior * factor, |factor, from| {
            let mut task = self.task(RowWeights::Case(&self.plan));
            self.factors.fill(self.lambda[l] * factor, &[1.0], &mut task.penalty);
            task.place.set(from);
            let mut attempt = Attempt::from(task);
            let setting = Setting { reference: self.shared(), alone: true, ..self.rough(ROUGH) };
            let ends = solve(setting, std::slice::from_mut(&mut attempt), control)?;
            Ok(if is_endless(&ends) { from.to_vec() } else { attempt.task.place.flat() })
        })
    }
}

impl WeightedProblem for Glm {
    /// Its lambda.
    type Aside = f64;

    fn dimension(&self) -> usize {
        self.data.size() + self.data.intercepts()
    }

    fn modes(&self) -> usize {
        self.lambda.len()
    }

    fn batch(&self) -> usize {
        let lanes = LANES / self.data.predictors().next_power_of_two().min(LANES);
        if self.data.likelihood.coupled() && self.data.rows() > LONG {
            return LANES;
        }
        match self.method {
            Method::Gram | Method::Sums => 8 * LANES,
            // The panels of a batch are p numbers a draw: keep them near the caches.
            Method::Reference => ((1 << 18) / self.data.size().max(1))
                .clamp(LANES, 8 * LANES)
                .next_multiple_of(LANES),
            // Each draw of a batch holds a Gram matrix.
            Method::WorkingSet => 2 * LANES.max(lanes),
        }
    }

    fn solve(&self, draws: &[u64], control: &Control) -> Result<Vec<Mode<f64>>, Error> {
        let factors = self.lambda_factors(draws, control)?;
        let priors: Vec<Vec<f64>> = draws.iter().map(|&k| self.prior_weights(k)).collect();
        let attempt = |&k| Attempt::from(self.task(RowWeights::Draw(self.plan.draw(k))));
        let mut attempts: Vec<Attempt> = draws.iter().map(attempt).collect();
        let mut modes: Vec<Option<Mode>> = vec![None; draws.len() * self.lambda.len()];
        let tolerance = self.options.limits.tolerance;
        let direct = self.method == Method::Gram;
        let setting = Setting { reference: self.shared(), direct, ..self.setting(tolerance) };
        for (l, &lambda) in self.lambda.iter().enumerate() {
            for ((attempt, prior), &factor) in attempts.iter_mut().zip(&priors).zip(&factors) {
                control.check()?;
                self.factors.fill(lambda * factor, prior, &mut attempt.task.penalty);
                attempt.task.place.set(self.start(l, factor, prior, control)?);
            }
            let mut ends = solve(setting, &mut attempts, control)?;
            if let Some(refit) = self.options.refit {
                for (attempt, prior) in attempts.iter_mut().zip(&priors) {
                    self.restrict(&mut attempt.task, refit, prior);
                }
                ends = solve(setting, &mut attempts, control)?;
            }
            for (k, (attempt, end)) in attempts.iter().zip(ends).enumerate() {
                modes[k * self.lambda.len() + l] = Some(self.mode(&attempt.task.place, end));
            }
        }
        let modes = modes.into_iter().flatten().collect();
        Ok(carry_lambdas(modes, &self.lambda, &factors))
    }
}
