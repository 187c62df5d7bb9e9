//! What the draws share: law, seed, the user's own weights, clusters.

use crate::error::Error;
use crate::linalg::elementary::exponentials;
use crate::random::laws::{Law, PriorWeight};
use crate::random::streams::random_stream;
use rand::RngCore;
use rand_chacha::ChaCha8Rng;

#[derive(Clone, Debug)]
pub struct WeightPlan {
    seed: u64,
    pub(super) law: Law,
    prior: PriorWeight,
    rows: usize,
    case: Option<Vec<f64>>,
    pub(super) clusters: Option<Clusters>,
}

/// Rows that share their weight.
#[derive(Clone, Debug)]
pub(super) struct Clusters {
    /// Of each row, counted from 0.
    pub of_row: Vec<u32>,
    /// Rows of each cluster.
    pub sizes: Vec<f64>,
}

impl WeightPlan {
    pub fn new(seed: u64, law: Law, prior: PriorWeight, rows: usize) -> WeightPlan {
        WeightPlan { seed, law, prior, rows, case: None, clusters: None }
    }

    /// The same of another seed.
    pub fn with_seed(mut self, seed: u64) -> WeightPlan {
        self.seed = seed;
        self
    }

    /// The user's own weights, multiplied in.
    pub fn with_case_weights(mut self, case: Vec<f64>) -> Result<WeightPlan, Error> {
        if case.len() != self.rows {
            let text = format!("has {} values for {} rows", case.len(), self.rows);
            return Err(Error::argument("case_weights", text));
        }
        if let Some(bad) = case.iter().find(|w| !(w.is_finite() && **w >= 0.0)) {
            return Err(Error::argument(
                "case_weights",
                format!("must not be negative, but one is {bad}"),
            ));
        }
        if case.iter().all(|&w| w == 0.0) {
            return Err(Error::argument("case_weights", "are all zero".into()));
        }
        self.case = Some(case);
        Ok(self)
    }

    /// Rows of one cluster share one weight.
    pub fn with_clusters(mut self, of_row: Vec<u32>) -> Result<WeightPlan, Error> {
        if of_row.len() != self.rows {
            let text = format!("has {} values for {} rows", of_row.len(), self.rows);
            return Err(Error::argument("cluster", text));
        }
        let count = of_row.iter().max().map_or(0, |&g| g as usize + 1);
        let mut sizes = vec![0.0; count.min(self.rows)];
        if count == sizes.len() {
            of_row.iter().for_each(|&g| sizes[g as usize] += 1.0);
        }
        if let Some(gap) = sizes.iter().position(|&size| size == 0.0) {
            let text = format!("must have consecutive ids, but {} is missing", gap + 1);
            return Err(Error::argument("cluster", text));
        }
        self.clusters = Some(Clusters { of_row, sizes });
        Ok(self)
    }

    /// The same for other data, whose rows are these rows of ours; of each its cluster.
    pub fn on_rows(self, rows: &[usize], clusters: Vec<u32>) -> Result<WeightPlan, Error> {
        let mut plan = WeightPlan::new(self.seed, self.law, self.prior, rows.len());
        if let Some(case) = self.case {
            plan = plan.with_case_weights(rows.iter().map(|&row| case[row]).collect())?;
        }
        if self.clusters.is_some() { plan.with_clusters(clusters) } else { Ok(plan) }
    }

    /// The same without what needs all rows: a law that is normalised becomes the one before, and its draws are
    /// to be divided by their sums.
    pub fn independent(mut self) -> WeightPlan {
        if let Law::Dirichlet(shape) = self.law {
            self.law = Law::Gamma(shape);
        }
        self
    }

    /// Do the weights of a draw sum to the number of rows?
    pub fn is_normalised(&self) -> bool {
        matches!(self.law, Law::Dirichlet(_) | Law::Multinomial)
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of independent weights in a draw: clusters, or rows.
    pub fn units(&self) -> usize {
        self.clusters.as_ref().map_or(self.rows, |c| c.sizes.len())
    }

    pub fn prior(&self) -> PriorWeight {
        self.prior
    }

    pub fn clusters(&self) -> Option<&[u32]> {
        self.clusters.as_ref().map(|c| c.of_row.as_slice())
    }

    /// The user's weight of a row (1 without).
    pub fn case(&self, row: usize) -> f64 {
        self.case.as_ref().map_or(1.0, |c| c[row])
    }

    pub(super) fn has_cases(&self) -> bool {
        self.case.is_some()
    }

    /// Multiply the user's weights of rows `first ..` in.
    pub(super) fn weigh_cases(&self, first: usize, out: &mut [f64]) {
        if let Some(case) = &self.case {
            out.iter_mut().zip(&case[first..]).for_each(|(o, c)| *o *= c);
        }
    }

    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Generator of one stream; streams 2k and 2k + 1 belong to draw k.
    pub(super) fn stream(&self, stream: u64) -> ChaCha8Rng {
        random_stream(self.seed, b"wbb weight stream, rev 1", stream)
    }

    /// The first `out.len()` prior weights of draw k (counted from 1).
    pub fn fill_prior(&self, k: u64, out: &mut [f64]) {
        match self.prior {
            PriorWeight::Fixed => out.fill(1.0),
            _ => {
                let mut bytes = vec![0; 8 * out.len()];
                self.stream(2 * k + 1).fill_bytes(&mut bytes);
                exponentials(&bytes, out);
            }
        }
    }
}
