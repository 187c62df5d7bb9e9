//! Everything that comes before the draws: standardise, choose lambda, find the mode, choose a method.

use super::attempt::{Attempt, FEW, Reference, Setting, distance};
use super::curvature::curvature;
use super::cv::Folding;
use super::model::Model;
use super::pass::pass_alone;
use super::problem::{Glm, is_endless};
use super::reweighted::settle_start;
use super::solve::solve;
use super::task::{Data, Found};
use crate::data::design::Design;
use crate::data::source::Source;
use crate::engine::cv::{Lambda, cross_validate};
use crate::engine::job::{Control, Stage};
use crate::engine::problem::Mode;
use crate::error::Error;
use crate::lasso::problem::{Method, Options};
use crate::lasso::separate::separate_free;
use crate::lasso::starts::Starts;
use crate::lasso::task::{self, RowWeights};
use crate::linalg::order::decreasing;
use crate::loss::response::{Family, Measure, Ordered, Response};
use crate::penalty::Factors;
use crate::random::laws::PriorWeight;
use crate::random::weights::WeightPlan;
use std::sync::Arc;

/// Most coordinates that a reference has.
const REFERENCE_LIMIT: usize = 2000;
/// How far the curvature of draws may be from it.
const FAR: f64 = 0.9;
/// What slopes may be off by rounding.
const ROUNDING: f64 = 1e-12;
/// Gap of the solutions on the way down to a lambda.
const ROUGH: f64 = 1e-4;

/// Sweeps of a step of the reference; how many times as many those of several classes are, which are nearly each other's negatives; and
/// coordinates up to which its rows stay in the caches, with what they cost beyond.
const SWEEPS: f64 = 10.0;
const SLOW: f64 = 6.0;
const NEAR: f64 = 1024.0;
const BEYOND: f64 = 2.0;
/// Steps of a draw without Gram matrices; what all of them cost for each entry of the support, and one for each entry
/// of the design and for each row and class.
const STEPS: f64 = 6.0;
const OF_SUPPORT: f64 = 3600.0;
const OF_ENTRY: f64 = 40.0;
const OF_ROW: f64 = 150.0;

/// What a draw is made of, in multiplications for each row: a pass, a step of the reference with its pass,
/// a model of the draw's own, all of a draw without Gram matrices; and how far its curvature is from the reference.
struct Costs {
    pass: f64,
    step: f64,
    own: f64,
    reweighted: f64,
    off: f64,
}

impl Glm {
    pub fn new(
        x: Source,
        response: Response,
        measure: Measure,
        plan: WeightPlan,
        options: Options,
        control: &Control,
    ) -> Result<Glm, Error> {
        control.begin(Stage::Mode, 1);
        let ordered = response.likelihood()?;
        let (likelihood, order) = &ordered;
        let x = match order {
            Some(order) => x.reordered(order),
            None => x,
        };
        let case = |i: usize| plan.case(order.as_ref().map_or(i, |order| order[i] as usize));
        // Rows that are only compared with each other do not see where a column's zero is.
        let centred = options.intercept || likelihood.coupled();
        let design = Arc::new(Design::new(x, centred, case, || control.check())?);
        Glm::on(design, response, ordered, measure, (plan, options), control)
    }

    /// The same problem for another response on the same design, of a family whose rows stay in their order; the
    /// weights are those of another seed.
    pub fn with_response(
        &self,
        response: Response,
        seed: u64,
        control: &Control,
    ) -> Result<Glm, Error> {
        let (plan, design) = (self.plan.clone().with_seed(seed), self.data.base.design.clone());
        let ordered = response.likelihood()?;
        Glm::on(design, response, ordered, self.measure, (plan, self.options.clone()), control)
    }

    /// On a design whose rows are in the order of the likelihood.
    fn on(
        design: Arc<Design>,
        response: Response,
        (likelihood, order): Ordered,
        measure: Measure,
        (plan, options): (WeightPlan, Options),
        control: &Control,
    ) -> Result<Glm, Error> {
        let events = match &response.family {
            Family::Cox { status } => Some(status.clone()),
            _ => None,
        };
        // For folds alone.
        let strata = match options.lambda {
            Lambda::CrossValidated(_) => response.strata(),
            Lambda::Given(_) => None,
        };
        let Response { y, offset, .. } = response;
        let (n, classes) = (design.rows, likelihood.predictors());
        let place = |i: usize| order.as_ref().map_or(i, |order| order[i] as usize);
        let offset = offset.unwrap_or_default();
        let offset = (0..offset.len()).map(|i| offset[i / n * n + place(i % n)]).collect();
        let standard = &design.standard;
        let chosen = |j: usize| {
            let j = j % design.cols;
            if options.standardize { standard.sd[j] } else { 1.0 }
        };
        let factors = Factors::new(
            &options.penalty_factor.repeat(classes),
            chosen,
            &standard.scale.repeat(classes),
            1.0,
            options.alpha,
        );
        let intercept = options.intercept && !likelihood.coupled();
        let base = task::Data { design, y: Vec::new(), intercept };
        let mut glm = Glm {
            data: Data { base, likelihood, offset, intercept, order },
            plan,
            options,
            measure,
            y,
            strata,
            events,
            factors,
            unit: 1.0,
            reference: None,
            starts: Vec::new(),
            method: Method::WorkingSet,
            lambda: Vec::new(),
            modes: Vec::new(),
            curve: None,
        };
        let Glm { data, factors, options, plan, .. } = &mut glm;
        let Data { base, order, .. } = data;
        let place = |i: usize| order.as_ref().map_or(i, |order| order[i] as usize);
        separate_free(base, factors, options, &|i| plan.case(place(i)), control)?;
        glm.unit = glm.unit_loss(control)?;
        glm.prepare(control)?;
        Ok(glm)
    }

    /// Intercepts of a fit without columns.
    pub(super) fn null_intercepts(&self, plan: &WeightPlan) -> Vec<f64> {
        let data = &self.data;
        let place = |i: usize| data.order.as_ref().map_or(i, |order| order[i] as usize);
        let mut start = data.likelihood.start(&|i| plan.case(place(i)), &data.offset);
        start.truncate(data.intercepts());
        start
    }

    fn unit_loss(&self, control: &Control) -> Result<f64, Error> {
        let mut task = self.task(RowWeights::Case(&self.plan));
        task.place.intercept = self.null_intercepts(&self.plan);
        pass_alone(&self.data, &mut task, control)?;
        let unit = task.found.loss / task.found.weight;
        Ok(if unit > 0.0 && unit.is_finite() { unit } else { 1.0 })
    }

    fn prepare(&mut self, control: &Control) -> Result<(), Error> {
        self.lambda = match &self.options.lambda {
            Lambda::Given(lambda) => lambda.clone(),
            Lambda::CrossValidated(settings) => {
                let folding = Folding { glm: self, plan: &self.plan };
                let curve = cross_validate(&folding, settings, control)?;
                let chosen = curve.chosen(settings.rule);
                self.curve = Some(curve);
                vec![chosen]
            }
        };
        control.begin(Stage::Mode, 1);
        self.find_modes(control)
    }

    /// The smallest lambda at which every penalised coefficient is zero (on the user's scale).
    pub(super) fn lambda_max(&self, plan: &WeightPlan, control: &Control) -> Result<f64, Error> {
        let mut task = self.task(RowWeights::Case(plan));
        let penalised = |j: &usize| self.factors.unit(*j) > 0.0;
        (0..self.factors.size()).filter(penalised).for_each(|j| task.penalty.exclude(j));
        task.place.intercept = self.null_intercepts(plan);
        let mut attempt = Attempt::from(task);
        let setting = Setting { alone: true, ..self.setting(self.options.limits.tolerance) };
        solve(setting, std::slice::from_mut(&mut attempt), control)?;
        if settle_start(&self.data, &mut attempt.task, control)? {
            pass_alone(&self.data, &mut attempt.task, control)?;
        }
        // As glmnet does, ridge borrows its path from a mixing of 0.001.
        let alpha = self.factors.alpha().max(1e-3);
        let gradient = &attempt.task.found.gradient;
        let largest = (0..self.factors.size())
            .filter(penalised)
            .fold(0.0f64, |m, j| m.max(gradient[j].abs() / (alpha * self.factors.unit(j))));
        Ok(if largest > 0.0 { largest * (1.0 + ROUNDING) } else { 1.0 })
    }

    /// The unit-weight mode at each lambda, the larger ones first, each from the one before; then the
    /// method, by what the modes look like.
    fn find_modes(&mut self, control: &Control) -> Result<(), Error> {
        let lambda = self.lambda.clone();
        let order = decreasing(&lambda);
        let mut starts = vec![Vec::new(); lambda.len()];
        let mut modes: Vec<Option<Mode>> = vec![None; lambda.len()];
        let mut task = self.task(RowWeights::Case(&self.plan));
        task.place.intercept = self.null_intercepts(&self.plan);
        let nothing = task.place.flat();
        let mut attempt = Attempt::from(task);
        let setting = Setting { alone: true, ..self.setting(self.options.limits.tolerance) };
        let mut reached = f64::INFINITY;
        for &l in &order {
            reached = self.approach(&mut attempt, lambda[l], reached, control)?;
            self.factors.fill(lambda[l], &[1.0], &mut attempt.task.penalty);
            let one = std::slice::from_mut(&mut attempt);
            let mut ends = solve(setting, one, control)?;
            let endless = is_endless(&ends);
            starts[l] = if endless { nothing.clone() } else { attempt.task.place.flat() };
            if let Some(refit) = self.options.refit {
                self.restrict(&mut attempt.task, refit, &[1.0]);
                ends = solve(setting, std::slice::from_mut(&mut attempt), control)?;
            }
            modes[l] = ends.first().map(|end| self.mode(&attempt.task.place, *end));
            attempt.task.place.set(&starts[l]);
        }
        let smallest = order.last().copied().unwrap_or(0);
        self.factors.fill(lambda[smallest], &[1.0], &mut attempt.task.penalty);
        pass_alone(&self.data, &mut attempt.task, control)?;
        let support = attempt.task.place.beta.iter().filter(|b| **b != 0.0).count();
        let method = self.choose(support);
        let reference = match method {
            Method::Reference => Some(self.reference_at(&mut attempt, control)?),
            _ => None,
        };
        drop(attempt);
        (self.method, self.reference) = (method, reference);
        self.starts = starts.into_iter().map(Starts::new).collect();
        self.modes = modes.into_iter().flatten().collect();
        Ok(())
    }

    /// Walk down from a large lambda in factors of two: a model that starts at a small one would let in
    /// far too many columns.
    fn approach(
        &self,
        attempt: &mut Attempt,
        lambda: f64,
        from: f64,
        control: &Control,
    ) -> Result<f64, Error> {
        if self.data.size() <= FEW {
            return Ok(lambda);
        }
        let mut at = if from.is_infinite() { self.lambda_max(&self.plan, control)? } else { from };
        // Below this the support is as large as it gets.
        let lowest = lambda.max(1e-4 * at);
        while at > 2.0 * lowest {
            at *= 0.5;
            self.factors.fill(at, &[1.0], &mut attempt.task.penalty);
            let setting = Setting { alone: true, ..self.rough(ROUGH) };
            solve(setting, std::slice::from_mut(attempt), control)?;
        }
        Ok(lambda)
    }

    /// The model of unit weights at a mode, of all coordinates: a draw with a small prior weight lets in
    /// many that the mode leaves out, and one that the reference lacks costs a model of its own.
    fn reference_at(&self, attempt: &mut Attempt, control: &Control) -> Result<Reference, Error> {
        let task = &mut attempt.task;
        let kept = |j: &u32| task.penalty.l1[*j as usize].is_finite();
        let coordinates: Vec<u32> = (0..self.data.size() as u32).filter(kept).collect();
        let gram = curvature(&self.data, &mut task.weights, &task.place, &coordinates, control)?;
        let model = Model { coordinates, intercepts: self.data.intercepts(), gram };
        let reduced = model.reduced(task);
        let Found { curvature, weight, .. } = task.found;
        let support = task.place.beta.iter().filter(|b| **b != 0.0).count();
        let Costs { own, step, .. } = self.costs(support);
        let patience = (0.5 * own / step).clamp(3.0, 30.0) as u32;
        let units = self.plan.units() as f64;
        Ok(Reference { model, reduced, curvature, weight, units, patience })
    }

    /// Can the curvatures of many draws be one product of all columns?
    pub(super) fn is_small(&self) -> bool {
        let data = &self.data;
        let plain = data.predictors() == 1 && !data.likelihood.coupled();
        plain && data.size() <= FEW && !data.base.design.is_sparse()
    }

    /// Coordinates that a draw moves, by those of the mode.
    fn active(&self, support: usize) -> f64 {
        1.25 * support as f64 + self.data.intercepts() as f64 + 1.0
    }

    /// How far the curvature of a draw is from the reference, as a part of it.
    fn off(&self, active: f64) -> f64 {
        distance(active, self.plan.units() as f64)
    }

    /// What the parts of a draw cost, in multiplications for each row.
    fn costs(&self, support: usize) -> Costs {
        let design = &self.data.base.design;
        let n = self.data.rows().max(1) as f64;
        let classes = self.data.predictors() as f64;
        let coupled = self.data.likelihood.coupled();
        let (p, size) = (self.data.cols() as f64, self.data.size() as f64);
        let per_row = design.size() as f64 / n;
        // An exponential costs as much as 20 fused multiplications, a random weight as 75.
        let pass = classes * (2.0 * per_row + 20.0) + if n > 65_536.0 { 75.0 } else { 5.0 };
        let active = self.active(support);
        let columns = active.min(p);
        let gram = if design.is_sparse() {
            // Scattered, and only what a row has.
            4.0 * (per_row * columns / p.max(1.0)).powi(2)
        } else {
            columns * columns / 2.0
        };
        let gram = gram * classes * (classes + 1.0) / 2.0 * if coupled { 2.0 } else { 1.0 };
        let inner = (active.powi(3) / 6.0 + 20.0 * active * active) / n;
        // A small prior weight lets in many more columns: if their number goes with the root of λ, its
        // square has this mean over an exponential one.
        let most = size.min(n).max(active);
        let spread = match self.plan.prior() {
            PriorWeight::Random => 1.0 + 2.0 * (most / active).ln(),
            _ => 1.0,
        };
        let slow = if classes > 1.0 { SLOW } else { 1.0 };
        let slow = slow * if size > NEAR { BEYOND } else { 1.0 };
        let step = pass + slow * SWEEPS * active * size / n;
        let bounded = self.factors.alpha() > 0.0
            && (0..self.factors.size()).all(|j| self.factors.unit(j) > 0.0);
        let reweighted = if design.is_sparse() && bounded && !coupled {
            let of_rows = STEPS * classes * (OF_ENTRY * per_row + OF_ROW);
            OF_SUPPORT * per_row * active / p.max(1.0) + of_rows
        } else {
            f64::INFINITY
        };
        Costs { pass, step, own: spread * (gram + inner), reweighted, off: self.off(active) }
    }

    /// Cheapest method, passes from the theory of the reference model.
    fn choose(&self, support: usize) -> Method {
        let Costs { pass, step, own, reweighted, off } = self.costs(support);
        let few = self.is_small();
        let size = self.data.size() as f64;
        let working = (2.0 * own + 6.0 * pass).min(reweighted);
        let passes = 3.0 + (1e-7f64).ln() / (2.0 * off.min(0.99).ln());
        // Where it gains too little it still leads to where one model of the draw's own is enough.
        let reference = (passes * step).min(6.0 * step + own + 2.0 * pass);
        // The products of all draws at once: five of their multiplications cost as much as two of a pass.
        let direct = 2.5 * (0.2 * size * (size + 1.0) + pass);
        let other = if few { direct } else { working };
        if off < FAR && self.data.size() <= REFERENCE_LIMIT && reference < other {
            Method::Reference
        } else if few {
            Method::Gram
        } else {
            Method::WorkingSet
        }
    }
}
