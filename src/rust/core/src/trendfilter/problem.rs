//! Trend filtering as a weighted problem: grid once, mode, then draws from the mode's knots.

use super::active::{self, FoundTrend, Knots};
use super::certificate::certify;
use super::fused;
use super::grid::{Grid, Sample};
use super::operator::difference;
use super::segment::Points;
use crate::engine::cv::{Curve, Lambda, cross_validate};
use crate::engine::job::{Control, Stage};
use crate::engine::limits::Limits;
use crate::engine::problem::{Mode, Status, WeightedProblem};
use crate::error::Error;
use crate::linalg::order::decreasing;
use crate::linalg::sparse::multiply;
use crate::random::laws::PriorWeight;
use crate::random::weights::WeightPlan;
use std::sync::Arc;

/// The highest order whose loops are compiled.
pub const HIGHEST_ORDER: usize = 3;

/// Numbers in the modes of a batch.
const BLOCK: usize = 1 << 12;

/// What the user asks for; lambda on the scale of the user's objective.
#[derive(Clone)]
pub struct TrendOptions {
    pub lambda: Lambda,
    pub order: usize,
    pub limits: Limits,
}

pub struct TrendFilter {
    /// Shared by the problems of other responses.
    pub(super) grid: Arc<Grid>,
    pub(super) y: Vec<f64>,
    mean: f64,
    pub(super) plan: WeightPlan,
    pub(super) options: TrendOptions,
    starts: Vec<Knots>,
    pub lambda: Vec<f64>,
    /// With their knots: places are rows of D, jumps on the user's scale.
    pub modes: Vec<Mode<Knots>>,
    pub curve: Option<Curve>,
}

impl TrendFilter {
    /// Everything that comes before the draws.
    pub fn new(
        x: &[f64],
        y: Vec<f64>,
        plan: WeightPlan,
        options: TrendOptions,
        control: &Control,
    ) -> Result<TrendFilter, Error> {
        control.begin(Stage::Mode, 1);
        if options.order > HIGHEST_ORDER {
            let text = format!("must be at most {HIGHEST_ORDER}, but is {}", options.order);
            return Err(Error::argument("order", text));
        }
        let grid = Grid::new(x, options.order, control)?;
        TrendFilter::on(Arc::new(grid), y, plan, options, control)
    }

    /// The same problem for another response, on the same grid; the weights are those of another seed.
    pub fn with_response(
        &self,
        y: Vec<f64>,
        seed: u64,
        control: &Control,
    ) -> Result<TrendFilter, Error> {
        let plan = self.plan.clone().with_seed(seed);
        TrendFilter::on(self.grid.clone(), y, plan, self.options.clone(), control)
    }

    fn on(
        grid: Arc<Grid>,
        y: Vec<f64>,
        plan: WeightPlan,
        options: TrendOptions,
        control: &Control,
    ) -> Result<TrendFilter, Error> {
        // Polynomials are not penalised: around its mean y has digits to spare.
        let mean = y.iter().sum::<f64>() / y.len() as f64;
        let y = y.into_iter().map(|v| v - mean).collect();
        let mut filter = TrendFilter {
            grid,
            y,
            mean,
            plan,
            options,
            starts: Vec::new(),
            lambda: Vec::new(),
            modes: Vec::new(),
            curve: None,
        };
        filter.prepare(control)?;
        Ok(filter)
    }

    fn prepare(&mut self, control: &Control) -> Result<(), Error> {
        self.lambda = match &self.options.lambda {
            Lambda::Given(lambda) => lambda.clone(),
            Lambda::CrossValidated(settings) => {
                let curve = cross_validate(self, settings, control)?;
                let chosen = curve.chosen(settings.rule);
                self.curve = Some(curve);
                vec![chosen]
            }
        };
        control.begin(Stage::Mode, self.lambda.len() as u64);
        let sample = self.grid.sample(&self.y, &self.case_weights());
        let order = decreasing(&self.lambda);
        let mut modes: Vec<Option<Mode<Knots>>> = vec![None; self.lambda.len()];
        self.starts = vec![Knots::default(); self.lambda.len()];
        let mut start = Knots::default();
        for l in order {
            let (mode, knots) = self.mode(&sample, self.lambda[l], &[1.0], start, control)?;
            modes[l] = Some(mode);
            self.starts[l] = knots.clone();
            start = knots;
            control.advance(1);
        }
        self.modes = modes.into_iter().flatten().collect();
        Ok(())
    }

    pub(super) fn case_weights(&self) -> Vec<f64> {
        (0..self.y.len()).map(|i| self.plan.case(i)).collect()
    }

    /// The distinct points, increasing.
    pub fn points(&self) -> &[f64] {
        &self.grid.points
    }

    /// With jumps on the user's scale.
    fn user_knots(&self, knots: &Knots) -> Knots {
        let unit = self.grid.jump_unit(self.options.order);
        Knots { at: knots.at.clone(), jump: knots.jump.iter().map(|j| j / unit).collect() }
    }

    /// The penalty of each row of D on the scaled grid.
    fn penalties(&self, lambda: f64, prior: &[f64]) -> Vec<f64> {
        let unit = lambda / self.grid.jump_unit(self.options.order);
        let rows = self.grid.len() - self.options.order - 1;
        (0..rows).map(|j| unit * prior[j.min(prior.len() - 1)]).collect()
    }

    /// The mode, and its knots on the scaled grid.
    fn mode(
        &self,
        sample: &Sample,
        lambda: f64,
        prior: &[f64],
        start: Knots,
        control: &Control,
    ) -> Result<(Mode<Knots>, Knots), Error> {
        if sample.spread.total <= 0.0 {
            let flat = Mode::empty(vec![self.mean; self.grid.len()], Knots::default());
            return Ok((flat, Knots::default()));
        }
        let c = self.penalties(lambda, prior);
        let TrendOptions { order, limits, .. } = self.options;
        let points = self.grid.with(sample);
        let found = solve(order, points, &c, start, limits.iterations, control)?;
        control.check()?;
        let certificate = certify(&found, points.y, points.w, &c, sample.within);
        control.check()?;
        let within = certificate.gap <= limits.tolerance;
        let mode = Mode {
            theta: found.beta.iter().map(|b| b + self.mean).collect(),
            status: if within { Status::Converged } else { Status::NotConverged },
            iterations: found.iterations,
            objective: certificate.objective,
            gap: certificate.gap,
            sigma: sample.spread.residual_sd(
                certificate.squares + 2.0 * sample.within,
                (found.knots.at.len() + order + 1) as f64,
            ),
            aside: self.user_knots(&found.knots),
        };
        Ok((mode, found.knots))
    }
}

/// The minimiser for an order, from a start (order 0 needs none).
pub fn solve(
    order: usize,
    points: Points,
    c: &[f64],
    start: Knots,
    limit: u32,
    control: &Control,
) -> Result<FoundTrend, Error> {
    if c.iter().all(|c| *c <= 0.0) {
        return Ok(interpolating(order, points));
    }
    match order {
        0 => active::solve::<1>(points, c, fused_knots(points, c, control)?, limit, control),
        1 => active::solve::<2>(points, c, start, limit, control),
        2 => active::solve::<3>(points, c, start, limit, control),
        _ => active::solve::<4>(points, c, start, limit, control),
    }
}

/// Order 0: the dynamic programme finds the knots, the active set confirms them in one step.
fn fused_knots(points: Points, c: &[f64], control: &Control) -> Result<Knots, Error> {
    let beta = fused::solve(points.y, points.w, c, control)?;
    let jumps = beta.windows(2).enumerate().map(|(j, b)| (j, b[1] - b[0]));
    let (at, jump) = jumps.filter(|(_, jump)| *jump != 0.0).unzip();
    Ok(Knots { at, jump })
}

/// Without a penalty the fit is the data.
fn interpolating(order: usize, points: Points) -> FoundTrend {
    let jumps = multiply(&difference(points.x, order), points.y);
    let rows = jumps.len();
    let (at, jump) = jumps.into_iter().enumerate().filter(|(_, jump)| *jump != 0.0).unzip();
    FoundTrend {
        beta: points.y.to_vec(),
        knots: Knots { at, jump },
        residual: vec![0.0; points.y.len()],
        dual: vec![0.0; rows],
        slip: 0.0,
        iterations: 0,
    }
}

impl WeightedProblem for TrendFilter {
    type Aside = Knots;

    fn dimension(&self) -> usize {
        self.grid.len()
    }

    fn modes(&self) -> usize {
        self.lambda.len()
    }

    /// Short ones together: their blocks are no smaller than what has to be said of them.
    fn batch(&self) -> usize {
        (BLOCK / (self.grid.len() * self.lambda.len()).max(1)).max(1)
    }

    fn solve(&self, draws: &[u64], control: &Control) -> Result<Vec<Mode<Knots>>, Error> {
        let mut weights = vec![0.0; self.y.len()];
        let rows = self.grid.len() - self.options.order - 1;
        let priors = if self.plan.prior() == PriorWeight::Coefficient { rows } else { 1 };
        let mut prior = vec![1.0; priors];
        let mut modes = Vec::with_capacity(draws.len() * self.lambda.len());
        for &draw in draws {
            self.plan.draw(draw).fill(0, &mut weights);
            self.plan.fill_prior(draw, &mut prior);
            control.check()?;
            let sample = self.grid.sample(&self.y, &weights);
            for (l, &lambda) in self.lambda.iter().enumerate() {
                let start = self.starts[l].clone();
                modes.push(self.mode(&sample, lambda, &prior, start, control)?.0);
            }
        }
        Ok(modes)
    }
}
