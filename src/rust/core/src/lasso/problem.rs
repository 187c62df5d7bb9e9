//! The lasso as a weighted problem: penalties in, draws out.

use super::batch::{self, End, Limits};
use super::certificate::Point;
use super::cv::{self, Folds};
use super::models::Reference;
use super::moments::{Centred, Data, batch_moments};
use super::newton::Newton;
use super::pass::{RowWeights, Task};
use super::quadratic::Origin;
use super::starts::Starts;
use crate::error::Error;
use crate::kernels::LANES;
use crate::parallel::Control;
use crate::problem::{Mode, Status, WeightedProblem};
use crate::weights::{DrawWeights, PriorWeight, WeightPlan};

/// What the user asks for; lambda on the scale of the user's objective.
pub struct Options {
    /// One or more; none: by cross-validation.
    pub lambda: Vec<f64>,
    pub folds: Folds,
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
}

impl Method {
    pub fn name(self) -> &'static str {
        match self {
            Method::Gram => "gram",
            Method::Reference => "reference",
            Method::WorkingSet => "working set",
        }
    }
}

pub struct Lasso {
    pub(super) data: Data,
    pub(super) plan: WeightPlan,
    pub(super) options: Options,
    pub(super) mean_y: f64,
    pub(super) scale_y: f64,
    pub(super) reference: Option<Reference>,
    /// One for each lambda.
    pub(super) starts: Vec<Starts>,
    /// How draws are solved; any method gives the same answer to the tolerance.
    pub method: Method,
    pub lambda: Vec<f64>,
    pub modes: Vec<Mode>,
    pub curve: Option<cv::Curve>,
}

/// A solved problem on the standardised scale.
struct Solution<'a> {
    beta: &'a [f64],
    b0: f64,
    /// Σ w r² and Σ w.
    rr: f64,
    w: f64,
    end: End,
}

impl Lasso {
    /// The mode from a Gram solution, or from passes where that is not certified (or not there).
    pub(super) fn finish(
        &self,
        task: &mut Task,
        solved: Option<(End, f64, f64, f64)>,
        newton: &mut Newton,
        control: &Control,
    ) -> Result<Mode, Error> {
        let certified = solved.filter(|(end, ..)| end.status != Status::NotConverged);
        if let Some((end, b0, rr, w)) = certified {
            return Ok(self.mode(Solution { beta: &task.beta, b0, rr, w, end }));
        }
        let one = std::slice::from_mut(task);
        let ends = batch::solve(&self.data, one, None, self.options.limits, newton, control)?;
        Ok(self.mode_of(&one[0], ends[0]))
    }

    pub fn data(&self) -> &Data {
        &self.data
    }

    pub fn plan(&self) -> &WeightPlan {
        &self.plan
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Squared scale of the response: objectives times this are in the user's units.
    pub fn unit(&self) -> f64 {
        self.scale_y * self.scale_y
    }

    pub fn task<'a>(&self, weights: RowWeights<'a>) -> Task<'a> {
        let p = self.data.design.cols;
        Task {
            weights,
            l1: vec![0.0; p],
            ridge: vec![0.0; p],
            beta: vec![0.0; p],
            totals: None,
            found: Default::default(),
            set: None,
        }
    }

    /// Penalty of |βⱼ| for λ = 1 and α = 1, β standardised; infinite for a constant column.
    ///
    /// Columns are always scaled inside; the penalty follows the scale that the user chose.
    pub fn unit_penalty(&self, j: usize) -> f64 {
        let scale = self.data.design.scale[j];
        if !scale.is_finite() {
            return f64::INFINITY;
        }
        let chosen = if self.options.standardize { self.data.design.sd[j] } else { 1.0 };
        self.options.penalty_factor[j] * (chosen / scale) / self.scale_y
    }

    /// Penalties for a lambda; `prior` is one weight, or one for each coefficient.
    pub fn set_penalty(&self, task: &mut Task, lambda: f64, prior: &[f64]) {
        let alpha = self.options.alpha;
        for j in 0..task.beta.len() {
            let unit = self.unit_penalty(j);
            if unit.is_infinite() {
                (task.l1[j], task.ridge[j]) = (f64::INFINITY, 0.0);
                continue;
            }
            let strength = lambda * prior[j.min(prior.len() - 1)];
            task.l1[j] = strength * alpha * unit;
            // ½ λ f (b sd)² for b = β s_y / scale, over s_y².
            let chosen = if self.options.standardize { self.data.design.sd[j] } else { 1.0 };
            let square = unit * self.scale_y * (chosen / self.data.design.scale[j]);
            task.ridge[j] = (strength * (1.0 - alpha) * square).min(1e300);
        }
    }

    /// Penalties of the second step: its own lambda on the support of β, everything else excluded.
    pub(super) fn restrict(&self, task: &mut Task, lambda: f64, prior: &[f64]) {
        self.set_penalty(task, lambda, prior);
        for (l1, b) in task.l1.iter_mut().zip(&task.beta) {
            if *b == 0.0 {
                *l1 = f64::INFINITY;
            }
        }
    }

    /// Solve from a Gram matrix: how it ended, b0, Σ w r² and Σ w.
    pub fn solve_gram(
        &self,
        c: &Centred,
        task: &mut Task,
        newton: &mut Newton,
        control: &Control,
    ) -> (End, f64, f64, f64) {
        let p = task.beta.len();
        if c.w <= 0.0 {
            task.beta.fill(0.0);
            let end = End { status: Status::Empty, iterations: 0, objective: 0.0, gap: 0.0 };
            return (end, 0.0, 0.0, 0.0);
        }
        let model = c.model(&task.l1, &task.ridge);
        let zero = vec![0.0; p];
        let origin = Origin { beta: &zero, correlation: &c.xy };
        let iterations = newton.minimise(&model, &origin, &mut task.beta, control);
        let mut gradient = c.xy.clone();
        for (j, &b) in task.beta.iter().enumerate().filter(|(_, b)| **b != 0.0) {
            crate::kernels::axpy(-b, &c.gram[j * p..][..p], &mut gradient);
        }
        let explained: f64 = c.xy.iter().zip(&task.beta).map(|(x, b)| x * b).sum();
        let left: f64 = gradient.iter().zip(&task.beta).map(|(g, b)| g * b).sum();
        // r'Wr = y'Wy − β'X'Wy − β'X'Wr, r'Wy = y'Wy − β'X'Wy.
        let (ry, rr) = (c.yy - explained, (c.yy - explained - left).max(0.0));
        let point = Point {
            beta: &task.beta,
            gradient: &gradient,
            l1: &task.l1,
            ridge: &task.ridge,
            rr,
            ry,
            yy: c.raw_yy,
        };
        let certificate = point.certify(|a, b| c.gram[a * p + b]);
        // Differences of y'Wy lose what a residual would keep: not to be believed near a perfect fit.
        let believed = certificate.objective > 1e-6 * c.yy || c.yy == 0.0;
        let within = certificate.gap <= self.options.limits.tolerance;
        let status = if within && believed { Status::Converged } else { Status::NotConverged };
        let end =
            End { status, iterations, objective: certificate.objective, gap: certificate.gap };
        (end, c.intercept(&task.beta), rr, c.w)
    }

    pub(super) fn mode_of(&self, task: &Task, end: End) -> Mode {
        let w = task.totals.as_ref().map_or(0.0, |t| t.w);
        self.mode(Solution { beta: &task.beta, b0: task.found.b0, rr: task.found.rr, w, end })
    }

    /// Back to the user's scale.
    fn mode(&self, s: Solution) -> Mode {
        let beta: Vec<f64> = s.beta.iter().map(|b| b * self.scale_y).collect();
        let slopes = self.data.design.unscale(&beta);
        let mut theta = Vec::with_capacity(self.dimension());
        if self.options.intercept {
            let shift: f64 = slopes.iter().zip(&self.data.design.center).map(|(b, c)| b * c).sum();
            theta.push(self.mean_y + self.scale_y * s.b0 - shift);
        }
        theta.extend(slopes);
        Mode {
            theta,
            status: s.end.status,
            iterations: s.end.iterations,
            objective: s.end.objective * self.unit(),
            gap: s.end.gap,
            sigma: self.scale_y * if s.w > 0.0 { (s.rr / s.w).sqrt() } else { 0.0 },
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

    /// Where a draw with these prior weights starts.
    fn start(
        &self,
        l: usize,
        prior: &[f64],
        newton: &mut Newton,
        control: &Control,
    ) -> Result<&[f64], Error> {
        let starts = &self.starts[l];
        let &[prior] = prior else { return Ok(starts.mode()) };
        starts.near(prior, |factor, from| {
            let mut task = self.task(RowWeights::Case(&self.plan));
            self.set_penalty(&mut task, self.lambda[l] * factor, &[1.0]);
            task.beta.copy_from_slice(from);
            if let Some(reference) = &self.reference {
                self.solve_gram(&reference.moments, &mut task, newton, control);
            } else {
                let one = std::slice::from_mut(&mut task);
                let rough = Limits { tolerance: 1e-4, ..self.options.limits };
                batch::solve(&self.data, one, None, rough, newton, control)?;
            }
            Ok(task.beta)
        })
    }

    fn solve_by_gram(&self, draws: &[u64], control: &Control) -> Result<Vec<Mode>, Error> {
        let mut weights: Vec<DrawWeights> = draws.iter().map(|&k| self.plan.draw(k)).collect();
        let fill = |k: usize, first: usize, out: &mut [f64]| weights[k].fill(first, out);
        let moments = batch_moments(&self.data, draws.len(), fill, control)?;
        let mut newton = Newton::default();
        let mut modes = Vec::with_capacity(draws.len() * self.lambda.len());
        for ((&draw, weights), moments) in draws.iter().zip(weights).zip(moments) {
            let centred = moments.centre(self.options.intercept);
            let prior = self.prior_weights(draw);
            let mut task = self.task(RowWeights::Draw(weights));
            for (l, &lambda) in self.lambda.iter().enumerate() {
                control.check()?;
                self.set_penalty(&mut task, lambda, &prior);
                task.beta.copy_from_slice(self.start(l, &prior, &mut newton, control)?);
                let solved = self.solve_gram(&centred, &mut task, &mut newton, control);
                let mut mode = self.finish(&mut task, Some(solved), &mut newton, control)?;
                if let Some(refit) = self.options.refit {
                    self.restrict(&mut task, refit, &prior);
                    let solved = self.solve_gram(&centred, &mut task, &mut newton, control);
                    mode = self.finish(&mut task, Some(solved), &mut newton, control)?;
                }
                modes.push(mode);
            }
        }
        Ok(modes)
    }

    fn solve_by_passes(&self, draws: &[u64], control: &Control) -> Result<Vec<Mode>, Error> {
        let mut newton = Newton::default();
        let priors: Vec<Vec<f64>> = draws.iter().map(|&k| self.prior_weights(k)).collect();
        let mut tasks: Vec<Task> =
            draws.iter().map(|&k| self.task(RowWeights::Draw(self.plan.draw(k)))).collect();
        let mut modes: Vec<Option<Mode>> = vec![None; draws.len() * self.lambda.len()];
        let reference = self.reference.as_ref().filter(|_| self.method == Method::Reference);
        let limits = self.options.limits;
        for (l, &lambda) in self.lambda.iter().enumerate() {
            for (task, prior) in tasks.iter_mut().zip(&priors) {
                self.set_penalty(task, lambda, prior);
                task.beta.copy_from_slice(self.start(l, prior, &mut newton, control)?);
            }
            let mut ends =
                batch::solve(&self.data, &mut tasks, reference, limits, &mut newton, control)?;
            if let Some(refit) = self.options.refit {
                for (task, prior) in tasks.iter_mut().zip(&priors) {
                    self.restrict(task, refit, prior);
                }
                ends =
                    batch::solve(&self.data, &mut tasks, reference, limits, &mut newton, control)?;
            }
            for (k, (task, end)) in tasks.iter().zip(ends).enumerate() {
                modes[k * self.lambda.len() + l] = Some(self.mode_of(task, end));
            }
        }
        Ok(modes.into_iter().flatten().collect())
    }
}

impl WeightedProblem for Lasso {
    fn dimension(&self) -> usize {
        self.data.design.cols + usize::from(self.options.intercept)
    }

    fn modes(&self) -> usize {
        self.lambda.len()
    }

    fn batch(&self) -> usize {
        match self.method {
            Method::Gram => 8 * LANES,
            // The panels of a batch are p numbers a draw: keep them near the caches.
            Method::Reference => ((1 << 18) / self.data.design.cols.max(1))
                .clamp(LANES, 8 * LANES)
                .next_multiple_of(LANES),
            // Each draw of a batch holds a Gram matrix.
            Method::WorkingSet => 2 * LANES,
        }
    }

    fn solve(&self, draws: &[u64], control: &Control) -> Result<Vec<Mode>, Error> {
        match self.method {
            Method::Gram => self.solve_by_gram(draws, control),
            _ => self.solve_by_passes(draws, control),
        }
    }
}
