//! Everything that comes before the draws: standardise, choose lambda, find the mode, choose a method.

use super::batch::Attempt;
use super::costs::DIRECT;
use super::cross::cross;
use super::cv::{Folding, lambda_max};
use super::effective::effective_share;
use super::gram::Moments;
use super::newton::Newton;
use super::problem::{Bench, Lasso, Method, NEARBY, Options};
use super::reference::Reference;
use super::separate::separate_free;
use super::starts::Starts;
use super::summed::Summed;
use super::task::{Data, RowWeights, Task};
use crate::data::design::Design;
use crate::data::source::Source;
use crate::data::standard::Standard;
use crate::engine::cv::{Lambda, cross_validate};
use crate::engine::freedom::Spread;
use crate::engine::job::{Control, Stage};
use crate::engine::problem::Mode;
use crate::error::Error;
use crate::linalg::order::decreasing;
use crate::moments::Sums;
use crate::penalty::Factors;
use crate::random::weights::WeightPlan;
use ndarray::{Axis, s};
use std::sync::{Arc, OnceLock};

/// Most columns for which the whole Gram matrix is formed.
const GRAM_LIMIT: usize = 2000;

impl Lasso {
    pub fn new(
        x: Source,
        y: Vec<f64>,
        plan: WeightPlan,
        options: Options,
        control: &Control,
    ) -> Result<Lasso, Error> {
        control.begin(Stage::Mode, 1);
        let case = |i: usize| plan.case(i);
        let design = Design::new(x, options.intercept, case, || control.check())?;
        let mut lasso = Lasso::on(Arc::new(design), y, plan, options).separated(control)?;
        lasso.prepare(control)?;
        Ok(lasso)
    }

    /// The same problem for another response, on the same design; the weights are those of another seed.
    pub fn with_response(&self, y: Vec<f64>, seed: u64, control: &Control) -> Result<Lasso, Error> {
        let plan = self.plan.clone().with_seed(seed);
        let (design, options) = (self.data.design.clone(), self.options.clone());
        let mut lasso = Lasso::on(design, y, plan, options).separated(control)?;
        lasso.prepare(control)?;
        Ok(lasso)
    }

    /// A lasso whose lambda is not chosen yet.
    fn on(design: Arc<Design>, y: Vec<f64>, plan: WeightPlan, options: Options) -> Lasso {
        let case = |i: usize| plan.case(i);
        let response = Standard::of_column(&y, options.intercept, case);
        let y = y.iter().map(|v| response.apply(0, *v)).collect();
        let spreads =
            [Spread::of_draws(&plan), Spread::of(&(0..plan.rows()).map(case).collect::<Vec<_>>())];
        let data = Data { design, y, intercept: options.intercept };
        Lasso::unsolved(data, &response, spreads, plan, options)
    }

    /// The same from sums: all that least squares needs of the rows. Draws count from `first_draw`.
    pub fn from_sums(
        sums: Sums,
        first_draw: u64,
        plan: WeightPlan,
        options: Options,
        control: &Control,
    ) -> Result<Lasso, Error> {
        control.begin(Stage::Mode, 1);
        let (x, response) = Summed::standards(&sums, options.intercept);
        let spreads = Summed::spreads(&sums, &plan);
        let design = Design::gone(sums.rows as usize, x);
        let summed = Summed::new(sums, first_draw, &design.standard, &response, &plan);
        let data = Data { design: Arc::new(design), y: Vec::new(), intercept: options.intercept };
        let plan = plan.independent();
        let mut lasso = Lasso::unsolved(data, &response, spreads, plan, options);
        lasso.summed = Some(summed);
        lasso.prepare(control)?;
        Ok(lasso)
    }

    fn unsolved(
        data: Data,
        response: &Standard,
        [spread_of_draws, spread_of_mode]: [Spread; 2],
        plan: WeightPlan,
        options: Options,
    ) -> Lasso {
        let scale_y = if response.scale[0].is_finite() { response.scale[0] } else { 1.0 };
        let standard = &data.design.standard;
        let chosen = |j: usize| if options.standardize { standard.sd[j] } else { 1.0 };
        let factors =
            Factors::new(&options.penalty_factor, chosen, &standard.scale, scale_y, options.alpha);
        Lasso {
            spread_of_draws,
            spread_of_mode,
            data,
            filled: OnceLock::new(),
            summed: None,
            plan,
            options,
            factors,
            mean_y: response.center[0],
            scale_y,
            reference: None,
            starts: Vec::new(),
            effective: Vec::new(),
            method: Method::WorkingSet,
            lambda: Vec::new(),
            modes: Vec::new(),
            curve: None,
        }
    }

    /// Where unpenalised columns nearly depend on each other, in a basis of their span.
    fn separated(mut self, control: &Control) -> Result<Lasso, Error> {
        let Lasso { data, factors, options, plan, .. } = &mut self;
        separate_free(data, factors, options, &|i| plan.case(i), control)?;
        Ok(self)
    }

    /// The moments of all rows with these case weights, where they are worth their cost.
    pub(super) fn total_moments(
        &self,
        plan: &WeightPlan,
        control: &Control,
    ) -> Result<Option<Moments>, Error> {
        let p = self.data.design.cols;
        // The Gram matrix of more columns than rows costs more than a way on the residual.
        if p > GRAM_LIMIT || (p > DIRECT && p > self.data.design.rows) {
            return Ok(None);
        }
        let mut weights = RowWeights::Case(plan);
        Moments::new(&self.data, &mut |first, w| weights.fill(first, w), control).map(Some)
    }

    fn prepare(&mut self, control: &Control) -> Result<(), Error> {
        let total = match &self.summed {
            Some(summed) => Some(summed.total()),
            None => self.total_moments(&self.plan, control)?,
        };
        self.lambda = match &self.options.lambda {
            Lambda::Given(lambda) => lambda.clone(),
            Lambda::CrossValidated(settings) => {
                let folding = Folding { lasso: self, total: total.as_ref(), plan: &self.plan };
                let curve = cross_validate(&folding, settings, control)?;
                let chosen = curve.chosen(settings.rule);
                self.curve = Some(curve);
                vec![chosen]
            }
        };
        control.begin(Stage::Mode, 1);
        let largest = self.lambda.iter().fold(0.0f64, |m, l| m.max(*l));
        let penalty = self.penalty(largest);
        self.reference = total.map(|m| Reference::new(m.centre(self.options.intercept), &penalty));
        self.find_modes(control)?;
        self.method = self.choose();
        Ok(())
    }

    /// The unit-weight mode at each lambda, the larger ones first, each from the one before.
    fn find_modes(&mut self, control: &Control) -> Result<(), Error> {
        let lambda = self.lambda.clone();
        let order = decreasing(&lambda);
        let mut starts = vec![Vec::new(); lambda.len()];
        let mut modes: Vec<Option<Mode>> = vec![None; lambda.len()];
        let mut effective = vec![1.0; lambda.len()];
        let mut newton = Newton::default();
        let gram = self.reference.as_ref().map(|r| &r.moments);
        let attempt = Attempt::from(self.task(RowWeights::Case(&self.plan)));
        let mut bench = Bench { attempt, gram };
        let mut reached = f64::INFINITY;
        for &l in &order {
            if gram.is_none() {
                let attempt = &mut bench.attempt;
                reached = self.approach(attempt, lambda[l], reached, &mut newton, control)?;
            }
            self.factors.fill(lambda[l], &[1.0], &mut bench.attempt.task.penalty);
            let mut solved = self.solve_one(&mut bench, &mut newton, control)?;
            starts[l] = bench.attempt.task.beta.clone();
            if let Some(refit) = self.options.refit {
                self.restrict(&mut bench.attempt.task, refit, &[1.0]);
                solved = self.solve_one(&mut bench, &mut newton, control)?;
            }
            effective[l] = self.effective(&bench.attempt.task, control)?;
            let beta = &bench.attempt.task.beta;
            modes[l] = Some(self.mode(beta, solved, effective[l], &self.spread_of_mode));
            bench.attempt.task.beta.copy_from_slice(&starts[l]);
        }
        self.effective = effective;
        self.starts = starts.into_iter().map(Starts::new).collect();
        self.modes = modes.into_iter().flatten().collect();
        Ok(())
    }

    /// Degrees of freedom of a coefficient that is not zero at this mode: one without a ridge. A support
    /// too large for its Gram matrix counts by the diagonal, which is an upper bound.
    fn effective(&self, task: &Task, control: &Control) -> Result<f64, Error> {
        let support: Vec<u32> =
            (0..task.beta.len() as u32).filter(|&j| task.beta[j as usize] != 0.0).collect();
        let penalty = task.penalty.of(&support);
        if support.is_empty() || penalty.ridge.iter().all(|d| *d == 0.0) {
            return Ok(1.0);
        }
        if let (Some(_), Some(reference)) = (&self.summed, &self.reference) {
            let at: Vec<usize> = support.iter().map(|&j| j as usize).collect();
            let gram = reference.moments.gram.select(Axis(0), &at).select(Axis(1), &at);
            return Ok(effective_share(gram.view(), &penalty.ridge));
        }
        let mut weights = RowWeights::Case(&self.plan);
        if support.len() > GRAM_LIMIT {
            let total: f64 = (0..self.data.design.rows).map(|i| self.plan.case(i)).sum();
            let share = |d: &f64| total / (total + d);
            let mean = penalty.ridge.iter().map(share).sum::<f64>() / support.len() as f64;
            return Ok(mean.min(self.data.design.rows as f64 / support.len() as f64));
        }
        let gram = cross(&self.data, &support, 0, control, &mut |first, w| weights.fill(first, w))?;
        Ok(effective_share(gram.slice(s![.., ..support.len()]), &penalty.ridge))
    }

    /// Walk down from a large lambda in factors of two: a working set that starts at a small one
    /// would let in far too many columns.
    fn approach(
        &self,
        attempt: &mut Attempt,
        lambda: f64,
        from: f64,
        newton: &mut Newton,
        control: &Control,
    ) -> Result<f64, Error> {
        let mut at = from;
        if at.is_infinite() {
            at = lambda_max(self, &self.plan, None, control)?;
        }
        // Below this the support is as large as it gets.
        let lowest = lambda.max(1e-4 * at);
        while at > 2.0 * lowest {
            at *= 0.5;
            self.factors.fill(at, &[1.0], &mut attempt.task.penalty);
            self.solve_alone(attempt, NEARBY, newton, control)?;
        }
        Ok(lambda)
    }
}
