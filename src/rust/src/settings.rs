//! The settings that estimators share, typed: the one place that reads them. Fields have the names
//! of the user's arguments, and what the user left open is absent; see R/settings.R.

use crate::convert::{Fields, Result};
use extendr_api::prelude::*;
use wbb_core::engine::cv::{CrossValidation, Folds, Lambda, Rule};
use wbb_core::engine::limits::Limits;
use wbb_core::error::Error;
use wbb_core::loss::observed::Observed;
use wbb_core::loss::response::{Family, Measure, Response};
use wbb_core::random::laws::{Law, PriorWeight};
use wbb_core::random::weights::WeightPlan;

pub fn lambda(fields: &Fields) -> Result<Lambda> {
    if !fields.is_text("lambda") {
        return fields.numbers("lambda").map(Lambda::Given);
    }
    match fields.text("lambda")?.as_str() {
        "cv" => Ok(Lambda::CrossValidated(cross_validation(fields, false)?)),
        "redrawn" => Ok(Lambda::CrossValidated(cross_validation(fields, true)?)),
        word => fields.unknown("lambda", word),
    }
}

fn cross_validation(fields: &Fields, anew: bool) -> Result<CrossValidation> {
    let folds = match fields.optional_counts("foldid")? {
        Some(of_row) => Folds::Given(of_row),
        None => Folds::Count(fields.count("nfolds")? as u32),
    };
    Ok(CrossValidation {
        folds,
        lambdas: fields.count("nlambda")?,
        ratio: fields.optional_number("lambda_min_ratio")?,
        rule: Rule::new(&fields.text("lambda_rule")?)?,
        anew,
    })
}

/// The numbers of rows, or a list: the few `values` that they have, and of each row which (`at`, from 0).
pub fn observed(y: &Robj) -> Result<Observed> {
    if let Some(rows) = y.as_real_slice() {
        return Ok(rows.to_vec().into());
    }
    let other = || Error::Internal("y is of another type".into());
    let list = y.as_list().ok_or_else(other)?;
    let at = list.iter().find(|(name, _)| *name == "at").ok_or_else(other)?.1;
    let at = at.as_raw_slice().ok_or_else(other)?.to_vec();
    Observed::few(Fields::new(&list).numbers("values")?, at)
}

/// What was observed, y among it. Who says nothing of a family has least squares in mind.
pub fn response(fields: &Fields, y: Observed) -> Result<Response> {
    let family = match fields.has("family") {
        true => fields.text("family")?,
        false => "gaussian".into(),
    };
    let family = Family::new(
        &family,
        fields.optional_count("classes")?,
        fields.optional_numbers("status")?,
    )?;
    Ok(Response { y, family, offset: fields.optional_numbers("offset")? })
}

/// What cross-validation goes by; the family's own where nothing is said.
pub fn measure(fields: &Fields, family: &Family) -> Result<Measure> {
    match fields.has("cv_measure") {
        true => Measure::new(&fields.text("cv_measure")?),
        false if *family == Family::Gaussian => Ok(Measure::Squares),
        false => Ok(Measure::Deviance),
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

/// None: as many as there are cores.
pub fn threads(fields: &Fields) -> Result<Option<usize>> {
    fields.optional_count("threads")
}

pub fn seed(fields: &Fields) -> Result<u64> {
    fields.number("seed").map(key)
}

/// A negative seed is as good as any other: its bits are the key.
pub fn key(seed: f64) -> u64 {
    seed as i64 as u64
}

pub fn weight_plan(fields: &Fields) -> Result<WeightPlan> {
    let law = fields.list("weights")?;
    let law = Law::new(&law.text("name")?, law.optional_number("parameter")?)?;
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

pub fn limits(fields: &Fields) -> Result<Limits> {
    Ok(Limits {
        tolerance: fields.number("tolerance")?,
        iterations: fields.count("max_iterations")? as u32,
    })
}
