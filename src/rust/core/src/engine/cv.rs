//! Lambda by cross-validation: one driver for every estimator that has a path.
//!
//! Rows held out have weight zero, and the likelihood is not reweighted. An estimator says what its
//! lambdas are and how a fold's path is found ([`CrossValidated`]); the driver makes the folds run in
//! parallel and reads the curve.

use super::job::{Control, Stage, for_each};
use crate::error::Error;
use std::sync::{Mutex, PoisonError};

/// Which point of the curve to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The smallest error.
    Min,
    /// The largest lambda within one standard error of it.
    OneStandardError,
}

impl Rule {
    pub fn new(name: &str) -> Result<Rule, Error> {
        match name {
            "min" => Ok(Rule::Min),
            "1se" => Ok(Rule::OneStandardError),
            _ => Err(Error::argument("lambda_rule", format!("there is no rule \"{name}\""))),
        }
    }
}

/// Where the lambdas of a fit come from.
#[derive(Clone, Debug)]
pub enum Lambda {
    /// One or more.
    Given(Vec<f64>),
    CrossValidated(CrossValidation),
}

/// How the data are split, over which lambdas, and which one is taken.
#[derive(Clone, Debug)]
pub struct CrossValidation {
    pub folds: Folds,
    /// Lambdas of the grid.
    pub lambdas: usize,
    /// Smallest lambda over the largest; None: what the estimator finds sensible.
    pub ratio: Option<f64>,
    pub rule: Rule,
    /// Is lambda chosen anew in every draw, with its weights?
    pub anew: bool,
}

#[derive(Clone, Debug)]
pub enum Folds {
    /// As many, made by the estimator.
    Count(u32),
    /// The fold of each row, from 1; 0 is never held out.
    Given(Vec<u32>),
}

impl Folds {
    pub fn count(&self) -> u32 {
        match self {
            Folds::Count(count) => *count,
            Folds::Given(of_row) => of_row.iter().copied().max().unwrap_or(0),
        }
    }
}

/// Held-out errors of one fold along the lambdas, and the nonzero coefficients of its fits.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// Sums of weighted errors over the rows held out.
    pub errors: Vec<f64>,
    /// Weight of these rows; zero: the fold says nothing.
    pub weight: f64,
    pub nonzero: Vec<u32>,
}

/// Where the path of the fit to all rows ends early, since nothing comes after.
#[derive(Default)]
pub struct Ending {
    lambdas: usize,
    explained: f64,
}

/// What is left where a fit is perfect, and what one explains more than the last where it no longer changes, both as
/// glmnet has them; and the lambdas that every path has.
const PERFECT: f64 = 1e-3;
const UNCHANGED: f64 = 1e-5;
const FEWEST: usize = 5;

impl Ending {
    /// Is this lambda the last? Its fit leaves so much of the deviance of a fit without columns. `full`: all columns are
    /// in it. glmnet ends an unchanged fit without them, too, and so before columns of a small scale.
    pub fn is_here(&mut self, left: f64, full: bool) -> bool {
        let explained = 1.0 - left;
        let more = explained - self.explained;
        (self.lambdas, self.explained) = (self.lambdas + 1, explained);
        let unchanged = full && self.lambdas >= FEWEST && more < UNCHANGED * explained;
        left < PERFECT || unchanged
    }
}

/// From the solutions at the last two lambdas to where they point to at the next.
#[derive(Default)]
pub struct Ahead {
    before: Option<(f64, Vec<f64>)>,
}

impl Ahead {
    /// From here, the solution at the last lambda. The first `free` coefficients have no penalty, and so no kink.
    #[inline(never)]
    pub fn go(&mut self, last: f64, next: f64, place: &mut [f64], free: usize) {
        let Some((first, before)) = &mut self.before else {
            self.before = Some((last, place.to_vec()));
            return;
        };
        let far = if *first > last { (last - next) / (*first - last) } else { 0.0 };
        for (j, (b, before)) in place.iter_mut().zip(before).enumerate() {
            let here = *b;
            let to = here + far * (here - *before);
            // A kink is on the way: not beyond it.
            *b = if j < free || to * here > 0.0 { to } else { 0.0 };
            *before = here;
        }
        *first = last;
    }
}

/// Error against lambda.
#[derive(Clone, Debug)]
pub struct Curve {
    pub lambda: Vec<f64>,
    pub mean: Vec<f64>,
    pub se: Vec<f64>,
    /// Nonzero coefficients of the fit to all rows.
    pub nonzero: Vec<u32>,
    pub fold: Vec<u32>,
    pub index_min: usize,
    pub index_1se: usize,
}

impl Curve {
    pub fn chosen(&self, rule: Rule) -> f64 {
        self.lambda[match rule {
            Rule::Min => self.index_min,
            Rule::OneStandardError => self.index_1se,
        }]
    }
}

/// What an estimator knows of its cross-validation.
pub trait CrossValidated: Sync {
    /// The largest lambda of the grid.
    fn largest_lambda(&self, control: &Control) -> Result<f64, Error>;

    /// Smallest lambda over the largest, where the user gave none.
    fn smallest_ratio(&self) -> f64;

    /// The fold of each row (from 1; 0 is never held out), where the user gave none.
    fn folds(&self, count: u32) -> Vec<u32>;

    /// Other splits, whose errors are averaged with those of [`folds`](Self::folds): where rows are few, the lambda of one
    /// split is chance for a good part.
    fn more_folds(&self, _count: u32) -> Vec<Vec<u32>> {
        Vec::new()
    }

    /// Is what is called an error a merit, so that the largest is best?
    fn larger_is_better(&self) -> bool {
        false
    }

    /// Folds that are best worked on together.
    fn together(&self, _folds: u32) -> usize {
        1
    }

    /// The path of a fold. Fold 0 is no fold: the path of the fit to all rows, which may end early, and the others
    /// with it. An estimator has this one or the next.
    fn path(
        &self,
        of_row: &[u32],
        fold: u32,
        lambda: &[f64],
        control: &Control,
    ) -> Result<Path, Error> {
        Ok(self.paths(of_row, &[fold], lambda, control)?.pop().unwrap_or_default())
    }

    /// The path of each fold of the group.
    fn paths(
        &self,
        of_row: &[u32],
        group: &[u32],
        lambda: &[f64],
        control: &Control,
    ) -> Result<Vec<Path>, Error> {
        group.iter().map(|&fold| self.path(of_row, fold, lambda, control)).collect()
    }
}

/// The curve, folds in parallel.
pub fn cross_validate(
    problem: &dyn CrossValidated,
    settings: &CrossValidation,
    control: &Control,
) -> Result<Curve, Error> {
    let count = settings.folds.count();
    let mut splits = match &settings.folds {
        Folds::Count(count) => vec![problem.folds(*count)],
        Folds::Given(of_row) => vec![of_row.clone()],
    };
    if let Folds::Count(count) = settings.folds {
        splits.extend(problem.more_folds(count));
    }
    control.begin(Stage::CrossValidation, u64::from(count) * splits.len() as u64 + 1);
    let ratio = settings.ratio.unwrap_or_else(|| problem.smallest_ratio());
    let mut lambda = grid(problem.largest_lambda(control)?, ratio, settings.lambdas);
    let whole = problem.path(&splits[0], 0, &lambda, control)?;
    lambda.truncate(whole.nonzero.len());
    control.advance(1);
    let all: Vec<u32> = (1..=count).collect();
    let groups: Vec<(usize, &[u32])> = (0..splits.len())
        .flat_map(|split| {
            all.chunks(problem.together(count).max(1)).map(move |group| (split, group))
        })
        .collect();
    let paths = Mutex::new(vec![Path::default(); count as usize * splits.len()]);
    for_each(
        &groups,
        control,
        |(_, group)| format!("in cross-validation fold {}", group[0]),
        |&(split, group)| {
            let found = problem.paths(&splits[split], group, &lambda, control)?;
            let mut paths = paths.lock().unwrap_or_else(PoisonError::into_inner);
            for (&fold, path) in group.iter().zip(found) {
                paths[split * count as usize + fold as usize - 1] = path;
            }
            control.advance(group.len() as u64);
            Ok(())
        },
    )?;
    let paths = paths.into_inner().unwrap_or_else(PoisonError::into_inner);
    summarise(lambda, splits, whole.nonzero, &paths, problem.larger_is_better())
}

/// From the largest lambda down by equal factors; by a power that is the same on every machine.
fn grid(largest: f64, ratio: f64, count: usize) -> Vec<f64> {
    let steps = count.max(2) - 1;
    (0..=steps).map(|i| largest * libm::pow(ratio, i as f64 / steps as f64)).collect()
}

/// As glmnet: the mean over folds by their weight, its standard error from the folds' spread. Several splits have the same
/// rows: they make the mean steadier, and know no more than one.
fn summarise(
    lambda: Vec<f64>,
    mut splits: Vec<Vec<u32>>,
    nonzero: Vec<u32>,
    paths: &[Path],
    larger: bool,
) -> Result<Curve, Error> {
    let folds: Vec<&Path> = paths.iter().filter(|f| f.weight > 0.0).collect();
    let of_split = folds.len() as f64 / splits.len() as f64;
    if of_split < 2.0 {
        let text = "must hold out rows in at least two folds that leave enough others to fit";
        return Err(Error::argument("nfolds", text.into()));
    }
    let total: f64 = folds.iter().map(|f| f.weight).sum();
    let (mut mean, mut se) = (Vec::new(), Vec::new());
    for l in 0..lambda.len() {
        let error = |f: &Path| f.errors[l] / f.weight;
        let centre = folds.iter().map(|f| f.weight * error(f)).sum::<f64>() / total;
        let spread =
            folds.iter().map(|f| f.weight * (error(f) - centre).powi(2)).sum::<f64>() / total;
        mean.push(centre);
        se.push((spread / (of_split - 1.0)).sqrt());
    }
    // The first of equal minima: the largest lambda.
    let bad = |l: usize| if larger { -mean[l] } else { mean[l] };
    let index_min = (0..mean.len()).fold(0, |best, l| if bad(l) < bad(best) { l } else { best });
    let bar = bad(index_min) + se[index_min];
    let index_1se = (0..=index_min).find(|&l| bad(l) <= bar).unwrap_or(index_min);
    let fold = splits.swap_remove(0);
    Ok(Curve { nonzero, lambda, mean, se, fold, index_min, index_1se })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Errors that fall to a minimum at λ = 1 and differ between folds.
    #[derive(Default)]
    struct Valley {
        rows: usize,
        more: usize,
    }

    impl CrossValidated for Valley {
        fn largest_lambda(&self, _: &Control) -> Result<f64, Error> {
            Ok(100.0)
        }
        fn smallest_ratio(&self) -> f64 {
            1e-4
        }
        fn folds(&self, count: u32) -> Vec<u32> {
            (0..self.rows as u32).map(|i| i % count + 1).collect()
        }
        fn more_folds(&self, count: u32) -> Vec<Vec<u32>> {
            (0..self.more)
                .map(|k| (0..self.rows).map(|i| ((i + k) / 3) as u32 % count + 1).collect())
                .collect()
        }
        fn paths(
            &self,
            of_row: &[u32],
            group: &[u32],
            lambda: &[f64],
            _: &Control,
        ) -> Result<Vec<Path>, Error> {
            let path = |&fold: &u32| {
                let weight = of_row.iter().filter(|f| **f == fold).count() as f64;
                let error = |l: &f64| weight * (2.0 + 0.1 * f64::from(fold) + l.log10().powi(2));
                // The fit to all rows ends one lambda early.
                let kept = lambda.len() - usize::from(fold == 0);
                Path {
                    errors: lambda[..kept].iter().map(error).collect(),
                    weight,
                    nonzero: vec![1; kept],
                }
            };
            Ok(group.iter().map(path).collect())
        }
    }

    fn settings(folds: Folds) -> CrossValidation {
        CrossValidation { folds, lambdas: 41, ratio: None, rule: Rule::Min, anew: false }
    }

    #[test]
    fn the_curve_has_its_minimum_and_the_rules_differ() {
        let curve = cross_validate(
            &Valley { rows: 20, ..Valley::default() },
            &settings(Folds::Count(4)),
            &Control::default(),
        )
        .unwrap();
        assert_eq!(curve.lambda.len(), 40);
        assert!((curve.chosen(Rule::Min) - 1.0).abs() < 1e-12);
        assert!((curve.mean[curve.index_min] - 2.25).abs() < 1e-12);
        // Four folds at ±0.15 and ±0.05 around the mean.
        assert!((curve.se[0] - (0.0125f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!(curve.chosen(Rule::OneStandardError) > 1.0);
    }

    #[test]
    fn several_splits_are_averaged_and_do_not_pretend_to_more_rows() {
        let curve = |more, folds| {
            cross_validate(&Valley { rows: 24, more }, &settings(folds), &Control::default())
                .unwrap()
        };
        let (one, many) = (curve(0, Folds::Count(4)), curve(3, Folds::Count(4)));
        assert_eq!(one.fold, many.fold);
        // Each split has the same errors here, by its fold's number alone.
        for l in 0..one.lambda.len() {
            assert!((one.mean[l] - many.mean[l]).abs() < 1e-12);
            assert!((one.se[l] - many.se[l]).abs() < 1e-12);
        }
        // Whoever gives folds has these alone: here without the spread of the others.
        let uneven: Vec<u32> = (0..24).map(|i| if i < 18 { 1 } else { 2 }).collect();
        let given = Folds::Given(uneven);
        let (few, same) = (curve(0, given.clone()), curve(3, given));
        assert_eq!(few.mean, same.mean);
    }

    #[test]
    fn folds_without_weight_are_left_out_and_one_is_not_enough() {
        let two = Folds::Given([1, 1, 3, 3, 0].to_vec());
        let curve = cross_validate(
            &Valley { rows: 5, ..Valley::default() },
            &settings(two),
            &Control::default(),
        )
        .unwrap();
        assert!((curve.mean[curve.index_min] - 2.2).abs() < 1e-12);
        let one = Folds::Given([2, 2, 0].to_vec());
        let error = cross_validate(
            &Valley { rows: 3, ..Valley::default() },
            &settings(one),
            &Control::default(),
        );
        assert_eq!(error.unwrap_err().kind(), "argument");
    }
}
