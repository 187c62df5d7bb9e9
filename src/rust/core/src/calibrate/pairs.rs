//! Rows, or whole clusters of them, drawn with replacement: the one scheme without a model.

use super::Original;
use super::errors::index;
use crate::data::source::Source;
use crate::engine::cv::{Folds, Lambda};
use crate::error::Error;
use crate::lasso::Options;
use crate::loss::response::Response;
use crate::random::weights::WeightPlan;
use rand::RngCore;
use rand_chacha::ChaCha8Rng;

/// The data to draw from.
pub struct Pairs<'a> {
    original: &'a Original,
    /// The rows that are drawn together.
    units: Vec<Vec<usize>>,
}

impl<'a> Pairs<'a> {
    pub fn new(original: &'a Original) -> Pairs<'a> {
        let plan = &original.plan;
        let mut units = vec![Vec::new(); plan.units()];
        for row in 0..plan.rows() {
            units[plan.clusters().map_or(row, |c| c[row] as usize)].push(row);
        }
        // Without weight they say nothing, and a replicate of them alone would be empty.
        units.retain(|rows| rows.iter().any(|&row| plan.case(row) > 0.0));
        Pairs { original, units }
    }

    /// What a lasso is made of, for as many units drawn from these.
    pub fn draw(
        &self,
        rng: &mut ChaCha8Rng,
    ) -> Result<(Source, Response, WeightPlan, Options), Error> {
        let Original { x, response, plan, options, .. } = self.original;
        let seed = rng.next_u64();
        let units: Vec<usize> = self.units.iter().map(|_| index(rng, self.units.len())).collect();
        let rows: Vec<usize> = units.iter().flat_map(|&u| self.units[u].iter().copied()).collect();
        // A unit that is drawn twice has two weights.
        let sizes = units.iter().map(|&u| self.units[u].len()).enumerate();
        let clusters: Vec<u32> =
            sizes.flat_map(|(drawn, size)| std::iter::repeat_n(drawn as u32, size)).collect();
        let plan = plan.clone().with_seed(seed);
        let mut options = options.clone();
        if let Lambda::CrossValidated(settings) = &mut options.lambda {
            settings.folds = folds(&settings.folds, &plan, &rows);
        }
        let plan = plan.on_rows(&rows, clusters)?;
        Ok((x.rows_at(&rows), response.rows_at(&rows), plan, options))
    }
}

/// Copies of a row are held out together, or lambda would be chosen on rows that were seen.
fn folds(folds: &Folds, plan: &WeightPlan, rows: &[usize]) -> Folds {
    let of_row = match folds {
        Folds::Given(of_row) => of_row.clone(),
        Folds::Count(count) => plan.folds(*count),
    };
    Folds::Given(rows.iter().map(|&row| of_row[row]).collect())
}
