//! Lambda by cross-validation: points held out in turn, predicted by the spline through the others.
//!
//! Folds are interleaved (point i in fold i mod K), so that every held-out point has neighbours; the
//! first and the last point are never held out. The likelihood is not reweighted (MATH 2.6).

use super::active::Knots;
use super::grid::{Grid, interpolate};
use super::problem::{TrendFilter, solve};
use crate::engine::cv::{CrossValidated, Path};
use crate::engine::job::Control;
use crate::error::Error;

impl CrossValidated for TrendFilter {
    /// The smallest lambda without a knot.
    fn largest_lambda(&self, control: &Control) -> Result<f64, Error> {
        let order = self.options.order;
        let sample = self.grid.sample(&self.y, &self.case_weights());
        let endless = vec![f64::MAX; self.grid.len() - order - 1];
        let found = solve(order, self.grid.with(&sample), &endless, Knots::default(), 1, control)?;
        let largest = found.dual.iter().fold(0.0f64, |m, u| m.max(u.abs()));
        Ok(if largest > 0.0 { largest * self.grid.jump_unit(order) } else { 1.0 })
    }

    /// λ of a segment of length L grows like L^(k + ½): this reaches from no knot to one in every
    /// hundredth.
    fn smallest_ratio(&self) -> f64 {
        std::iter::repeat_n(0.01, self.options.order + 1).product()
    }

    /// Interleaved, whole clusters together where there are any.
    fn folds(&self, count: u32) -> Vec<u32> {
        let last = self.grid.len() - 1;
        let mut fold = vec![0; self.y.len()];
        for point in 0..=last {
            for &row in self.grid.rows_at(point) {
                let unit = self.plan.clusters().map_or(point, |c| c[row] as usize);
                let end = point == 0 || point == last;
                fold[row] = if end { 0 } else { unit as u32 % count + 1 };
            }
        }
        fold
    }

    /// Held-out errors along the lambdas, each from the knots of the one before.
    fn path(
        &self,
        of_row: &[u32],
        fold: u32,
        lambda: &[f64],
        control: &Control,
    ) -> Result<Path, Error> {
        let order = self.options.order;
        let x = &self.grid.points;
        let case = self.case_weights();
        let mut at = vec![0.0; of_row.len()];
        for (point, x) in x.iter().enumerate() {
            self.grid.rows_at(point).iter().for_each(|&row| at[row] = *x);
        }
        let held = |row: usize| fold > 0 && of_row[row] == fold;
        let train: Vec<usize> = (0..at.len()).filter(|&r| !held(r) && case[r] > 0.0).collect();
        let test: Vec<usize> = (0..at.len()).filter(|&r| held(r) && case[r] > 0.0).collect();
        let pick = |values: &[f64]| -> Vec<f64> { train.iter().map(|&r| values[r]).collect() };
        let weight: f64 = test.iter().map(|&r| case[r]).sum();
        let empty =
            Path { errors: vec![0.0; lambda.len()], weight: 0.0, nonzero: vec![0; lambda.len()] };
        // A fold that leaves too few points to fit says nothing.
        let Ok(grid) = Grid::new(&pick(&at), order, control) else {
            control.check()?;
            return Ok(empty);
        };
        if fold > 0 && weight == 0.0 {
            return Ok(empty);
        }
        let sample = grid.sample(&pick(&self.y), &pick(&case));
        let share = sample.spread.total / case.iter().sum::<f64>();
        let mut knots = Knots::default();
        let mut out = Path { errors: Vec::new(), weight, nonzero: Vec::new() };
        let limit = self.options.limits.iterations;
        for lambda in lambda {
            let c = vec![lambda * share / grid.jump_unit(order); grid.len() - order - 1];
            let found = solve(order, grid.with(&sample), &c, knots, limit, control)?;
            let error = |&r: &usize| {
                let fit = interpolate(&grid.points, &found.beta, order, at[r]);
                case[r] * (self.y[r] - fit).powi(2)
            };
            out.errors.push(test.iter().map(error).sum());
            out.nonzero.push(found.knots.at.len() as u32);
            knots = found.knots;
        }
        Ok(out)
    }
}
