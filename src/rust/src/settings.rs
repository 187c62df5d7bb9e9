//! The settings that estimators share, typed: the one place that reads them. Fields have the names
//! of the user's arguments, and what the user left open is absent; see R/settings.R.

use crate::convert::{Fields, Result};
use wbb_core::error::Error;
use wbb_core::lasso::{Folds, Limits, Rule};
use wbb_core::weights::{Law, PriorWeight, WeightPlan};

/// The penalty's strength: known, or to be found.
pub enum Lambda {
    Given(Vec<f64>),
    CrossValidated,
}

impl Lambda {
    pub fn read(fields: &Fields) -> Result<Lambda> {
        if !fields.is_text("lambda") {
            return fields.numbers("lambda").map(Lambda::Given);
        }
        match fields.text("lambda")?.as_str() {
            "cv" => Ok(Lambda::CrossValidated),
            word => fields.unknown("lambda", word),
        }
    }

    /// As the core takes it: none are to be found.
    pub fn values(self) -> Vec<f64> {
        match self {
            Lambda::Given(values) => values,
            Lambda::CrossValidated => Vec::new(),
        }
    }
}

/// Consecutive draws, counted from 1.
#[derive(Clone, Copy)]
pub struct Range {
    pub first: u64,
    pub count: usize,
}

impl Range {
    pub fn read(fields: &Fields) -> Result<Range> {
        let missing = || Error::Internal("setting draws is missing".into());
        Range::read_optional(fields)?.ok_or_else(missing)
    }

    /// None: only what comes before the draws is wanted.
    pub fn read_optional(fields: &Fields) -> Result<Option<Range>> {
        let Some(count) = fields.optional_count("draws")? else {
            return Ok(None);
        };
        Ok(Some(Range { first: fields.number("first_draw")? as u64, count }))
    }
}

/// 0: as many as there are cores.
pub fn threads(fields: &Fields) -> Result<usize> {
    Ok(fields.optional_count("threads")?.unwrap_or(0))
}

/// A negative seed is as good as any other: its bits are the key.
pub fn seed(fields: &Fields) -> Result<u64> {
    Ok(fields.number("seed")? as i64 as u64)
}

pub fn weight_plan(fields: &Fields) -> Result<WeightPlan> {
    let law = fields.list("weights")?;
    // The core asks for a parameter only where the law has one.
    let law = Law::new(&law.text("name")?, law.optional_number("parameter")?.unwrap_or(f64::NAN))?;
    let prior = PriorWeight::new(&fields.text("prior_weight")?)?;
    let mut plan = WeightPlan::new(seed(fields)?, law, prior, fields.count("n")?);
    if let Some(case) = fields.optional_numbers("case_weights")? {
        plan = plan.with_case_weights(case)?;
    }
    if let Some(cluster) = fields.optional_counts::<u32>("cluster")? {
        plan = plan.with_clusters(cluster.into_iter().map(|g| g.saturating_sub(1)).collect())?;
    }
    Ok(plan)
}

pub fn folds(fields: &Fields) -> Result<Folds> {
    Ok(Folds {
        count: fields.count("nfolds")? as u32,
        of_row: fields.optional_counts("foldid")?.unwrap_or_default(),
        lambdas: fields.count("nlambda")?,
        ratio: fields.optional_number("lambda_min_ratio")?,
        rule: Rule::new(&fields.text("lambda_rule")?)?,
    })
}

pub fn limits(fields: &Fields) -> Result<Limits> {
    Ok(Limits {
        tolerance: fields.number("tolerance")?,
        iterations: fields.count("max_iterations")? as u32,
    })
}
