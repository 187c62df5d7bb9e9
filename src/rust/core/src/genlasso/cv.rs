//! Lambda by cross-validation: rows held out in turn, predicted by the fit to the others.
//!
//! A row that is held out keeps the least weight there is, and the mean of the others as its response: the coefficient
//! of a signal that no other row sees is then what the penalty makes of its neighbours, and where that leaves it a
//! choice its own response must not make it. The likelihood is not reweighted.

use super::problem::{GenLasso, Sample, floor, mean};
use super::system::{System, largest};
use crate::engine::cv::{CrossValidated, Path};
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::sparse::multiply;

/// Stiff enough that D sees next to nothing of what is left of X'Wy, and soft enough for its digits.
const STIFF: f64 = 1e7;

impl CrossValidated for GenLasso {
    /// One at which all differences vanish: the largest entry of the shortest u with D'u = X'W(y − Xβ), at the β
    /// that has no differences. There may be other u, and a smaller lambda, but not by much.
    fn largest_lambda(&self, control: &Control) -> Result<f64, Error> {
        let case = self.case_weights();
        let mean_weight = case.iter().sum::<f64>() / case.len() as f64;
        let w = self.relative(&case, mean_weight);
        let rows = self.layout.d.by_rows.rows();
        let mut system = System::new(&self.layout, &w, control)?;
        system.factor(vec![STIFF; rows], control)?;
        let pull = system.pull_of_rows(&self.y);
        let (beta, _) = system.solve(&pull, f64::EPSILON * largest(&pull));
        let u = system.stiff_differences(&beta);
        let of_row = |(row, u): (usize, &f64)| u.abs() / self.units.penalty(row, 1.0, mean_weight);
        let largest = u.iter().enumerate().map(of_row).fold(0.0, f64::max);
        Ok(if largest > 0.0 && largest.is_finite() { largest } else { 1.0 })
    }

    fn smallest_ratio(&self) -> f64 {
        1e-4
    }

    fn folds(&self, count: u32) -> Vec<u32> {
        self.plan.folds(count)
    }

    fn path(
        &self,
        of_row: &[u32],
        fold: u32,
        lambda: &[f64],
        control: &Control,
    ) -> Result<Path, Error> {
        let mut train = self.case_weights();
        let total: f64 = train.iter().sum();
        let mut held = vec![0.0; train.len()];
        for ((train, held), _) in
            train.iter_mut().zip(&mut held).zip(of_row).filter(|(_, f)| fold > 0 && **f == fold)
        {
            *held = std::mem::take(train);
        }
        let weight: f64 = held.iter().sum();
        let mut path = Path { weight, ..Path::default() };
        // As if the others were all: the loss has fewer terms, and the penalty keeps its share.
        let share = (total - weight) / total;
        let mean_weight = (total - weight) / train.len() as f64;
        if mean_weight <= 0.0 {
            let none = lambda.len();
            return Ok(Path { errors: vec![0.0; none], weight: 0.0, nonzero: vec![0; none] });
        }
        let middle = mean(&self.y, &train);
        let known = |(y, held): (&f64, &f64)| if *held > 0.0 { middle } else { *y };
        let y: Vec<f64> = self.y.iter().zip(&held).map(known).collect();
        let w = self.relative(&train, mean_weight);
        let sample = Sample { y: &y, w: &w, mean_weight, floor: floor(&y, &w) };
        for lambda in lambda {
            let found = self.solve_at(*lambda, &[share], sample, control)?;
            let fit = multiply(&self.layout.x.by_rows, &found.beta);
            let square = |((y, f), h): ((&f64, f64), &f64)| h * (y - f) * (y - f);
            let error: f64 = self.y.iter().zip(fit).zip(&held).map(square).sum();
            path.errors.push(error * self.units.response * self.units.response);
            path.nonzero.push(found.freedom as u32);
        }
        Ok(path)
    }
}
