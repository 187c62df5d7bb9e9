//! Between R's values and the core's.

use extendr_api::prelude::*;
use wbb_core::error::Error;
use wbb_core::linalg::sparse::{SparseMatrix, compressed_columns};
use wbb_core::random::laws::{Law, PriorWeight};
use wbb_core::random::weights::WeightPlan;

pub type Result<T> = std::result::Result<T, Error>;

/// What R raises as a condition of class `wbb_error_<kind>`.
pub fn error_list(error: &Error) -> List {
    let argument = match error {
        Error::Argument { argument, .. } => Robj::from(*argument),
        _ => Robj::from(()),
    };
    list!(wbb_error = error.kind(), message = error.to_string(), argument = argument)
}

/// A list that R has checked. A field that is missing or of another type is a bug of ours, and is
/// reported as one.
pub struct Fields<'a>(pub &'a List);

impl Fields<'_> {
    fn get<T>(&self, name: &str, read: impl Fn(&Robj) -> Option<T>) -> Result<T> {
        let found = self.0.iter().find(|(key, _)| *key == name).and_then(|(_, value)| read(&value));
        found.ok_or_else(|| Error::Internal(format!("option {name} is missing or of another type")))
    }

    pub fn number(&self, name: &str) -> Result<f64> {
        self.get(name, |v| v.as_real().or_else(|| v.as_integer().map(f64::from)))
    }

    /// None where the field is NULL.
    pub fn optional_number(&self, name: &str) -> Result<Option<f64>> {
        if self.get(name, |v| Some(v.is_null()))? {
            return Ok(None);
        }
        self.number(name).map(Some)
    }

    pub fn count(&self, name: &str) -> Result<usize> {
        Ok(self.number(name)? as usize)
    }

    pub fn flag(&self, name: &str) -> Result<bool> {
        self.get(name, |v| v.as_bool())
    }

    pub fn text(&self, name: &str) -> Result<String> {
        self.get(name, |v| v.as_str().map(str::to_owned))
    }

    pub fn numbers(&self, name: &str) -> Result<Vec<f64>> {
        self.get(name, |v| v.as_real_vector())
    }

    /// Look at numbers without copying them.
    pub fn with_numbers<T>(&self, name: &str, look: impl Fn(&[f64]) -> T) -> Result<T> {
        self.get(name, |v| v.as_real_slice().map(&look))
    }

    pub fn integers(&self, name: &str) -> Result<Vec<i32>> {
        self.get(name, |v| v.as_integer_vector())
    }

    /// A sparse matrix by its slots; None if it is dense and has no row indices.
    pub fn sparse(
        &self,
        shape: (usize, usize),
        argument: &'static str,
    ) -> Result<Option<SparseMatrix>> {
        let Ok(rows) = self.integers("i") else {
            return Ok(None);
        };
        let index = |v: Vec<i32>| v.into_iter().map(|i| i as usize).collect();
        let starts = index(self.integers("p")?);
        compressed_columns(shape, starts, index(rows), self.numbers("x")?, argument).map(Some)
    }

    /// Positive integers as the core counts.
    pub fn ids(&self, name: &str) -> Result<Vec<u32>> {
        Ok(self.integers(name)?.into_iter().map(|v| v.max(0) as u32).collect())
    }

    pub fn weight_plan(&self) -> Result<WeightPlan> {
        let law = Law::new(&self.text("law")?, self.number("law_parameter")?)?;
        let prior = PriorWeight::new(&self.text("prior_weight")?)?;
        // A negative seed is as good as any other: its bits are the key.
        let seed = self.number("seed")? as i64 as u64;
        let mut plan = WeightPlan::new(seed, law, prior, self.count("n")?);
        let case = self.numbers("case_weights")?;
        if !case.is_empty() {
            plan = plan.with_case_weights(case)?;
        }
        let cluster = self.ids("cluster")?;
        if !cluster.is_empty() {
            plan =
                plan.with_clusters(cluster.into_iter().map(|g| g.saturating_sub(1)).collect())?;
        }
        Ok(plan)
    }
}
