//! Everything that comes before the draws: standardise, choose lambda, find the mode, choose a method.

use super::batch;
use super::cv::{Folding, lambda_max};
use super::models::Reference;
use super::moments::{Data, Moments};
use super::newton::Newton;
use super::pass::{RowWeights, Task};
use super::problem::{Lasso, Method, Options};
use super::starts::Starts;
use crate::data::design::Design;
use crate::data::source::Source;
use crate::data::standard::Standard;
use crate::engine::cv::{Lambda, cross_validate};
use crate::engine::job::{Control, Stage};
use crate::engine::limits::Limits;
use crate::engine::problem::Mode;
use crate::error::Error;
use crate::random::weights::WeightPlan;

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
        let response = Standard::of_column(&y, options.intercept, case);
        let design = Design::new(x, options.intercept, case);
        let y = y.iter().map(|v| response.apply(0, *v)).collect();
        let scale_y = if response.scale[0].is_finite() { response.scale[0] } else { 1.0 };
        let mean_y = response.center[0];
        let data = Data { design, y, intercept: options.intercept };
        let mut lasso = Lasso {
            data,
            plan,
            options,
            mean_y,
            scale_y,
            reference: None,
            starts: Vec::new(),
            method: Method::WorkingSet,
            lambda: Vec::new(),
            modes: Vec::new(),
            curve: None,
        };
        lasso.prepare(control)?;
        Ok(lasso)
    }

    fn prepare(&mut self, control: &Control) -> Result<(), Error> {
        let p = self.data.design.cols;
        let total = if p <= GRAM_LIMIT {
            let mut weights = RowWeights::Case(&self.plan);
            Some(Moments::new(&self.data, |first, w| weights.fill(first, w), control)?)
        } else {
            None
        };
        self.lambda = match &self.options.lambda {
            Lambda::Given(lambda) => lambda.clone(),
            Lambda::CrossValidated(settings) => {
                let folding = Folding { lasso: self, total: total.as_ref() };
                let curve = cross_validate(&folding, settings, control)?;
                let chosen = curve.chosen(settings.rule);
                self.curve = Some(curve);
                vec![chosen]
            }
        };
        control.begin(Stage::Mode, 1);
        self.reference = total.map(|m| Reference { moments: m.centre(self.options.intercept) });
        let lambda = self.lambda.clone();
        let (starts, modes) = self.unit_modes(&lambda, control)?;
        self.starts = starts.into_iter().map(Starts::new).collect();
        self.modes = modes;
        self.method = self.choose();
        Ok(())
    }

    /// The unit-weight mode at each lambda, the larger ones first, each from the one before.
    fn unit_modes(
        &self,
        lambda: &[f64],
        control: &Control,
    ) -> Result<(Vec<Vec<f64>>, Vec<Mode>), Error> {
        let centred = self.reference.as_ref().map(|r| &r.moments);
        let mut order: Vec<usize> = (0..lambda.len()).collect();
        order.sort_by(|&a, &b| lambda[b].total_cmp(&lambda[a]));
        let mut starts = vec![Vec::new(); lambda.len()];
        let mut modes: Vec<Option<Mode>> = vec![None; lambda.len()];
        let mut newton = Newton::default();
        let mut task = self.task(RowWeights::Case(&self.plan));
        let mut reached = f64::INFINITY;
        for &l in &order {
            if centred.is_none() {
                reached = self.approach(&mut task, lambda[l], reached, &mut newton, control)?;
            }
            self.set_penalty(&mut task, lambda[l], &[1.0]);
            let solved =
                centred.map(|c| self.solve_gram(c, &mut task, &mut newton, control)).transpose()?;
            modes[l] = Some(self.finish(&mut task, solved, &mut newton, control)?);
            starts[l] = task.beta.clone();
            if let Some(refit) = self.options.refit {
                self.restrict(&mut task, refit, &[1.0]);
                let solved = centred
                    .map(|c| self.solve_gram(c, &mut task, &mut newton, control))
                    .transpose()?;
                modes[l] = Some(self.finish(&mut task, solved, &mut newton, control)?);
                task.beta.copy_from_slice(&starts[l]);
            }
        }
        Ok((starts, modes.into_iter().flatten().collect()))
    }

    /// Walk down from a large lambda in factors of two: a working set that starts at a small one
    /// would let in far too many columns.
    fn approach(
        &self,
        task: &mut Task,
        lambda: f64,
        from: f64,
        newton: &mut Newton,
        control: &Control,
    ) -> Result<f64, Error> {
        let mut at = from;
        if at.is_infinite() {
            at = lambda_max(self, None, control)?;
        }
        // Below this the support is as large as it gets.
        let lowest = lambda.max(1e-4 * at);
        let rough = Limits { tolerance: 1e-4, ..self.options.limits };
        while at > 2.0 * lowest {
            at *= 0.5;
            self.set_penalty(task, at, &[1.0]);
            batch::solve(&self.data, std::slice::from_mut(task), None, rough, newton, control)?;
        }
        Ok(lambda)
    }

    /// Cheapest method by multiplications for each row, passes from the theory of the reference model.
    fn choose(&self) -> Method {
        let (n, p) = (self.plan.units() as f64, self.data.design.cols as f64);
        let per_row = self.data.design.size() as f64 / self.data.design.rows.max(1) as f64;
        let nonzero = |s: &Starts| s.mode().iter().filter(|v| **v != 0.0).count();
        let support = self.starts.iter().map(nonzero).max();
        let support = support.unwrap_or(0) as f64 + 1.0;
        // A random weight costs as much as 75 fused multiplications.
        let weight = 75.0;
        let off = 2.0 * (support / n).sqrt();
        let rate = off / (1.0 + (1.0 - off * off).max(0.0).sqrt());
        let passes = if off < 0.7 && self.reference.is_some() {
            2.0 + (1e-8f64).ln() / rate.ln()
        } else {
            f64::INFINITY
        };
        let reference = passes * (weight + 2.0 * per_row);
        let working = (1.25 * support).powi(2) / 2.0 + 4.0 * (weight + 2.0 * per_row);
        let direct = if self.data.design.is_sparse() || p > 64.0 {
            f64::INFINITY
        } else {
            weight + (p + 2.0) * (p + 3.0) / 2.0
        };
        if direct <= reference && direct <= working {
            Method::Gram
        } else if reference <= working {
            Method::Reference
        } else {
            Method::WorkingSet
        }
    }
}
