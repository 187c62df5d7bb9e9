//! The lasso as a weighted problem: penalties in, draws out.

use super::batch::{self, Attempt, End, Road};
use super::certificate::Point;
use super::free::{FreeBlock, minimise};
use super::gram::{Centred, batch_moments};
use super::newton::Newton;
use super::quadratic::Origin;
use super::redrawn::carry_lambdas;
use super::reference::Reference;
use super::starts::Starts;
use super::summed::Summed;
use super::task::{Data, RowWeights, Task};
use crate::engine::cv::{Curve, Lambda};
use crate::engine::freedom::Spread;
use crate::engine::job::Control;
use crate::engine::limits::Limits;
use crate::engine::problem::{Mode, Status, WeightedProblem};
use crate::error::Error;
use crate::linalg::lanes::LANES;
use crate::penalty::{Factors, Penalty};
use crate::random::laws::PriorWeight;
use crate::random::weights::{DrawWeights, WeightPlan};
use std::sync::OnceLock;

/// What the user asks for; lambda on the scale of the user's objective.
#[derive(Clone)]
pub struct Options {
    pub lambda: Lambda,
    /// Elastic-net mixing: 1 is the lasso, 0 ridge.
    pub alpha: f64,
    pub penalty_factor: Vec<f64>,
    pub intercept: bool,
    pub standardize: bool,
    /// Second step on the selected coefficients, with a lambda of its own.
    pub refit: Option<f64>,
    pub limits: Limits,
}

/// How draws are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The Gram matrices of a batch of draws in one product (few columns).
    Gram,
    /// Passes over the data with the unit-weight Gram matrix as model (many rows).
    Reference,
    /// Each draw's Gram matrix on a working set (many columns).
    WorkingSet,
    /// Gram matrices from sums that were made before, of rows that are gone.
    Sums,
}

impl Method {
    pub fn name(self) -> &'static str {
        match self {
            Method::Gram => "gram",
            Method::Reference => "reference",
            Method::WorkingSet => "working set",
            Method::Sums => "sums",
        }
    }
}

/// How near a solution is found that others only start from: the weights of a draw move its minimum much farther.
pub(super) const NEARBY: Limits = Limits { tolerance: 1e-2, iterations: 2 };

/// Most of an objective that the rounding of a Gram matrix may be, for the matrix to be believed.
const ROUNDING: f64 = 1e-8;

pub struct Lasso {
    pub(super) data: Data,
    /// The same with sparse columns filled, made when a solution near saturation first asks for it.
    pub(super) filled: OnceLock<Data>,
    /// In place of rows.
    pub(super) summed: Option<Summed>,
    pub(super) plan: WeightPlan,
    pub(super) options: Options,
    pub(super) factors: Factors,
    pub(super) mean_y: f64,
    pub(super) scale_y: f64,
    pub(super) reference: Option<Reference>,
    /// One for each lambda.
    pub(super) starts: Vec<Starts>,
    /// How unequal weights are in draws and in the mode: what residuals say of the errors depends on it.
    pub(super) spread_of_draws: Spread,
    pub(super) spread_of_mode: Spread,
    /// Degrees of freedom of a coefficient that is not zero, one for each lambda.
    pub(super) effective: Vec<f64>,
    /// How draws are solved; any method gives the same answer to the tolerance.
    pub method: Method,
    pub lambda: Vec<f64>,
    pub modes: Vec<Mode>,
    pub curve: Option<Curve>,
}

/// A solved problem beside its β, on the standardised scale.
#[derive(Clone, Copy)]
pub(super) struct Solved {
    end: End,
    b0: f64,
    /// Σ w r² and Σ w.
    rr: f64,
    w: f64,
}

impl Solved {
    fn of(task: &Task, end: End) -> Solved {
        let w = task.totals.as_ref().map_or(0.0, |t| t.w);
        Solved { end, b0: task.found.b0, rr: task.found.rr, w }
    }
}

/// A problem that may be solved from its Gram matrix, where there is one.
pub(super) struct Bench<'a, 'b> {
    pub attempt: Attempt<'a>,
    pub gram: Option<&'b Centred>,
}

impl Lasso {
    /// Columns without a penalty that depend on others.
    pub fn dependent(&self) -> &[u32] {
        self.data.design.dropped()
    }

    /// Squared scale of the response: objectives times this are in the user's units.
    pub(super) fn unit(&self) -> f64 {
        self.scale_y * self.scale_y
    }

    pub(super) fn task<'a>(&self, weights: RowWeights<'a>) -> Task<'a> {
        Task::new(weights, self.data.design.cols)
    }

    /// Penalties of the second step: its own lambda on the support of β, everything else excluded.
    pub(super) fn restrict(&self, task: &mut Task, lambda: f64, prior: &[f64]) {
        self.factors.fill(lambda, prior, &mut task.penalty);
        for j in (0..task.beta.len()).filter(|&j| task.beta[j] == 0.0) {
            task.penalty.exclude(j);
        }
    }

    /// Solve from β: by the Gram matrix, or by passes where that is not certified (or not there).
    pub(super) fn solve_one(
        &self,
        bench: &mut Bench,
        newton: &mut Newton,
        control: &Control,
    ) -> Result<Solved, Error> {
        if let Some(gram) = bench.gram {
            let solved = self.solve_gram(gram, &mut bench.attempt.task, newton, control)?;
            if solved.end.status != Status::NotConverged || self.summed.is_some() {
                return Ok(solved);
            }
        }
        let end = self.solve_alone(&mut bench.attempt, self.options.limits, newton, control)?;
        Ok(Solved::of(&bench.attempt.task, end))
    }

    /// Solve one problem by passes, in the form of the data that suits where it starts.
    pub(super) fn solve_alone(
        &self,
        attempt: &mut Attempt,
        limits: Limits,
        newton: &mut Newton,
        control: &Control,
    ) -> Result<End, Error> {
        let road = Road { data: self.form(&attempt.task.beta), reference: None };
        let ends = batch::solve(std::slice::from_mut(attempt), &[road], limits, newton, control)?;
        Ok(ends.first().copied().unwrap_or(End::EMPTY))
    }

    /// The data, filled where that is the cheaper form for what starts here.
    pub(super) fn form(&self, start: &[f64]) -> &Data {
        if self.wants_filled(start) {
            self.filled.get_or_init(|| self.data.filled())
        } else {
            &self.data
        }
    }

    /// Solve from a Gram matrix.
    pub(super) fn solve_gram(
        &self,
        c: &Centred,
        task: &mut Task,
        newton: &mut Newton,
        control: &Control,
    ) -> Result<Solved, Error> {
        if c.w <= 0.0 {
            task.beta.fill(0.0);
            return Ok(Solved { end: End::EMPTY, b0: 0.0, rr: 0.0, w: 0.0 });
        }
        let start = task.beta.clone();
        let model = c.model(&task.penalty);
        let zero = vec![0.0; start.len()];
        let origin = Origin { beta: &zero, correlation: &c.xy };
        let iterations = minimise(&model, &origin, &mut task.beta, newton, false, control)?;
        let gradient = c.gradient(&task.beta);
        let explained: f64 = c.xy.iter().zip(&task.beta).map(|(x, b)| x * b).sum();
        let left: f64 = gradient.iter().zip(&task.beta).map(|(g, b)| g * b).sum();
        // r'Wr = y'Wy − β'X'Wy − β'X'Wr.
        let rr = (c.yy - explained - left).max(0.0);
        let point = Point {
            beta: &task.beta,
            gradient: &gradient,
            penalty: &task.penalty,
            rr,
            yy: c.raw_yy,
            w: c.w,
        };
        let (which, slopes) = point.unpenalised();
        let charge = if which.is_empty() {
            0.0
        } else {
            let ridge = &task.penalty.ridge;
            FreeBlock::new(which, ridge, |a, b| c.gram[[a, b]]).charge(&slopes, c.raw_yy, c.w)
        };
        let mut certificate = point.certify(charge, &|j| c.gram[[j, j]]);
        let tolerance = self.options.limits.tolerance;
        if certificate.gap > tolerance {
            let largest = c.gram.diag().iter().fold(0.0f64, |m, h| m.max(*h));
            let closer = point.certify_by_step(&|a, b| Some(c.gram[[a, b]]), largest);
            certificate.gap = certificate.gap.min(closer.gap);
        }
        // Differences of y'Wy lose what a residual would keep: not to be believed near a perfect fit, nor where large
        // coefficients of columns that nearly depend on each other cancel.
        let objective = certificate.objective;
        let kept = c.rounding(&task.beta) <= ROUNDING * objective;
        let believed = (objective > 1e-6 * c.yy && kept) || c.yy == 0.0;
        let converged = certificate.gap <= tolerance && believed;
        let status = if converged { Status::Converged } else { Status::NotConverged };
        let end =
            End { status, iterations, objective: certificate.objective, gap: certificate.gap };
        if !certificate.objective.is_finite() {
            task.beta.copy_from_slice(&start);
        }
        Ok(Solved { end, b0: c.intercept(&task.beta), rr, w: c.w })
    }

    /// Back to the user's scale; `effective` are the degrees of freedom of a coefficient that is not
    /// zero.
    pub(super) fn mode(&self, beta: &[f64], s: Solved, effective: f64, spread: &Spread) -> Mode {
        let scaled: Vec<f64> = beta.iter().map(|b| b * self.scale_y).collect();
        let slopes = self.data.design.unscale(&scaled);
        let mut theta = Vec::with_capacity(self.dimension());
        if self.options.intercept {
            let center = &self.data.design.standard.center;
            let shift: f64 = slopes.iter().zip(center).map(|(b, c)| b * c).sum();
            theta.push(self.mean_y + self.scale_y * s.b0 - shift);
        }
        theta.extend(slopes);
        let support = beta.iter().filter(|b| **b != 0.0).count() as f64;
        let df = effective * support + f64::from(u8::from(self.options.intercept));
        Mode {
            theta,
            status: s.end.status,
            iterations: s.end.iterations,
            objective: s.end.objective * self.unit(),
            gap: s.end.gap,
            sigma: self.scale_y * spread.with_total(s.w).residual_sd(s.rr, df),
            aside: (),
        }
    }

    fn prior_weights(&self, draw: u64) -> Vec<f64> {
        let count = match self.plan.prior() {
            PriorWeight::Coefficient => self.data.design.cols,
            _ => 1,
        };
        let mut out = vec![0.0; count.max(1)];
        self.plan.fill_prior(draw, &mut out);
        out
    }

    /// Where a draw with these prior weights and this factor of lambda starts.
    fn start(
        &self,
        l: usize,
        factor: f64,
        prior: &[f64],
        newton: &mut Newton,
        control: &Control,
    ) -> Result<&[f64], Error> {
        let starts = &self.starts[l];
        let &[prior] = prior else { return Ok(starts.mode()) };
        starts.near(prior * factor, |factor, from| {
            let mut task = self.task(RowWeights::Case(&self.plan));
            self.factors.fill(self.lambda[l] * factor, &[1.0], &mut task.penalty);
            task.beta.copy_from_slice(from);
            if let Some(reference) = self.reference.as_ref().filter(|_| self.starts_by_gram(from)) {
                self.solve_gram(&reference.moments, &mut task, newton, control)?;
                return Ok(task.beta);
            }
            let mut attempt = Attempt::from(task);
            self.solve_alone(&mut attempt, NEARBY, newton, control)?;
            Ok(attempt.task.beta)
        })
    }

    /// `factors` multiply lambda, one a draw.
    fn solve_by_gram(
        &self,
        draws: &[u64],
        factors: &[f64],
        control: &Control,
    ) -> Result<Vec<Mode>, Error> {
        let mut weights: Vec<DrawWeights> = draws.iter().map(|&k| self.plan.draw(k)).collect();
        let fill = |k: usize, first: usize, out: &mut [f64]| weights[k].fill(first, out);
        let moments = match &self.summed {
            Some(summed) => draws.iter().map(|&k| summed.draw(k)).collect(),
            None => batch_moments(&self.data, draws.len(), fill, control)?,
        };
        let mut newton = Newton::default();
        let mut modes = Vec::with_capacity(draws.len() * self.lambda.len());
        let draws = draws.iter().zip(factors);
        for (((&draw, &factor), weights), moments) in draws.zip(weights).zip(moments) {
            let centred = moments.centre(self.options.intercept);
            let prior = self.prior_weights(draw);
            let attempt = Attempt::from(self.task(RowWeights::Draw(weights)));
            let mut bench = Bench { attempt, gram: Some(&centred) };
            for (l, &lambda) in self.lambda.iter().enumerate() {
                control.check()?;
                let start = self.start(l, factor, &prior, &mut newton, control)?;
                let task = &mut bench.attempt.task;
                task.beta.copy_from_slice(start);
                self.factors.fill(lambda * factor, &prior, &mut task.penalty);
                let mut solved = self.solve_one(&mut bench, &mut newton, control)?;
                if let Some(refit) = self.options.refit {
                    self.restrict(&mut bench.attempt.task, refit, &prior);
                    solved = self.solve_one(&mut bench, &mut newton, control)?;
                }
                modes.push(self.mode(
                    &bench.attempt.task.beta,
                    solved,
                    self.effective[l],
                    &self.spread_of_draws,
                ));
            }
        }
        Ok(modes)
    }

    /// `factors` multiply lambda, one a draw.
    fn solve_by_passes(
        &self,
        draws: &[u64],
        factors: &[f64],
        control: &Control,
    ) -> Result<Vec<Mode>, Error> {
        let mut newton = Newton::default();
        let priors: Vec<Vec<f64>> = draws.iter().map(|&k| self.prior_weights(k)).collect();
        let attempt = |&k| Attempt::from(self.task(RowWeights::Draw(self.plan.draw(k))));
        let mut attempts: Vec<Attempt> = draws.iter().map(attempt).collect();
        let mut modes: Vec<Option<Mode>> = vec![None; draws.len() * self.lambda.len()];
        let limits = self.options.limits;
        for (l, &lambda) in self.lambda.iter().enumerate() {
            for ((attempt, prior), &factor) in attempts.iter_mut().zip(&priors).zip(factors) {
                let task = &mut attempt.task;
                self.factors.fill(lambda * factor, prior, &mut task.penalty);
                let start = self.start(l, factor, prior, &mut newton, control)?;
                task.beta.copy_from_slice(start);
            }
            let roads: Vec<Road> = attempts.iter().map(|a| self.road(&a.task.beta)).collect();
            let mut ends = batch::solve(&mut attempts, &roads, limits, &mut newton, control)?;
            if let Some(refit) = self.options.refit {
                for (attempt, prior) in attempts.iter_mut().zip(&priors) {
                    self.restrict(&mut attempt.task, refit, prior);
                }
                ends = batch::solve(&mut attempts, &roads, limits, &mut newton, control)?;
            }
            for (k, (attempt, end)) in attempts.iter().zip(ends).enumerate() {
                let solved = Solved::of(&attempt.task, end);
                let effective = self.effective[l];
                let mode = self.mode(&attempt.task.beta, solved, effective, &self.spread_of_draws);
                modes[k * self.lambda.len() + l] = Some(mode);
            }
        }
        Ok(modes.into_iter().flatten().collect())
    }

    /// The penalty at a lambda and unit prior weight.
    pub(super) fn penalty(&self, lambda: f64) -> Penalty {
        let mut penalty = Penalty::none(self.data.design.cols);
        self.factors.fill(lambda, &[1.0], &mut penalty);
        penalty
    }
}

impl WeightedProblem for Lasso {
    /// Its lambda.
    type Aside = f64;

    fn dimension(&self) -> usize {
        self.data.design.cols + usize::from(self.options.intercept)
    }

    fn modes(&self) -> usize {
        self.lambda.len()
    }

    fn batch(&self) -> usize {
        match self.method {
            Method::Gram | Method::Sums => 8 * LANES,
            // The panels of a batch are p numbers a draw: keep them near the caches.
            Method::Reference => ((1 << 18) / self.data.design.cols.max(1))
                .clamp(LANES, 8 * LANES)
                .next_multiple_of(LANES),
            // Each draw of a batch holds a Gram matrix.
            Method::WorkingSet => 2 * LANES,
        }
    }

    fn solve(&self, draws: &[u64], control: &Control) -> Result<Vec<Mode<f64>>, Error> {
        let factors = self.lambda_factors(draws, control)?;
        let modes = match self.method {
            Method::Gram | Method::Sums => self.solve_by_gram(draws, &factors, control)?,
            _ => self.solve_by_passes(draws, &factors, control)?,
        };
        Ok(carry_lambdas(modes, &self.lambda, &factors))
    }
}
