//! Lambda by cross-validation: folds are rows of weight zero, the likelihood is not reweighted.

use super::batch::{self, Limits};
use super::moments::{Centred, Moments};
use super::newton::Newton;
use super::pass::{RowWeights, Task, pass};
use super::problem::Lasso;
use super::quadratic::Origin;
use super::sweeps::converge;
use crate::error::Error;
use crate::kernels::{LANES, dot};
use crate::parallel::{Control, Stage, for_each};
use std::sync::{Mutex, PoisonError};

/// Sweeps end when none moves the fit by more than this part of y'Wy.
const PRECISION: f64 = 1e-11;
/// Gap of the solutions that are found by passes over the data.
const ROUGH: f64 = 1e-6;
/// The path ends where less than this part of y'Wy is left, as glmnet's does.
const SATURATED: f64 = 1e-3;

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

/// How the data are split, and over which lambdas.
pub struct Folds {
    pub count: u32,
    /// 1-based fold of each row; empty: made from the seed, whole clusters together.
    pub of_row: Vec<u32>,
    pub lambdas: usize,
    /// Smallest lambda over the largest; None: 1e-4, or 1e-2 with fewer rows than columns.
    pub ratio: Option<f64>,
    pub rule: Rule,
}

/// Mean squared error against lambda.
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

/// Held-out squared errors (and weight) of one fold along the path, and its nonzeros.
pub(crate) struct Path {
    pub squares: Vec<f64>,
    pub weight: f64,
    pub nonzero: Vec<u32>,
}

/// The smallest lambda at which every penalised coefficient is zero (on the user's scale).
pub fn lambda_max(lasso: &Lasso, total: Option<&Moments>, control: &Control) -> Result<f64, Error> {
    let mut newton = Newton::default();
    let mut task = lasso.task(RowWeights::Case(lasso.plan()));
    let units: Vec<f64> = (0..task.beta.len()).map(|j| lasso.unit_penalty(j)).collect();
    for (l1, &unit) in task.l1.iter_mut().zip(&units) {
        *l1 = if unit > 0.0 { f64::INFINITY } else { 0.0 };
    }
    let gradient = match total {
        Some(total) => {
            let centred = total.clone().centre(lasso.options().intercept);
            lasso.solve_gram(&centred, &mut task, &mut newton, control);
            let p = task.beta.len();
            let mut gradient = centred.xy.clone();
            for (j, &b) in task.beta.iter().enumerate().filter(|(_, b)| **b != 0.0) {
                crate::kernels::axpy(-b, &centred.gram[j * p..][..p], &mut gradient);
            }
            gradient
        }
        None => {
            let one = std::slice::from_mut(&mut task);
            batch::solve(lasso.data(), one, None, lasso.options().limits, &mut newton, control)?;
            task.found.gradient
        }
    };
    // As glmnet does, ridge borrows its path from a mixing of 0.001.
    let alpha = lasso.options().alpha.max(1e-3);
    let largest = gradient
        .iter()
        .zip(&units)
        .filter(|(_, unit)| **unit > 0.0)
        .fold(0.0f64, |m, (g, unit)| m.max(g.abs() / (alpha * unit)));
    Ok(if largest > 0.0 { largest } else { 1.0 })
}

/// The curve, folds in parallel.
pub fn curve(lasso: &Lasso, total: Option<&Moments>, control: &Control) -> Result<Curve, Error> {
    let folds = &lasso.options().folds;
    let of_row = if folds.of_row.is_empty() { make_folds(lasso) } else { folds.of_row.clone() };
    let (n, p) = (lasso.data().design.rows, lasso.data().design.cols);
    let ratio = folds.ratio.unwrap_or(if n < p { 1e-2 } else { 1e-4 });
    let top = lambda_max(lasso, total, control)?;
    let steps = folds.lambdas.max(2) - 1;
    let mut lambda: Vec<f64> =
        (0..=steps).map(|i| top * ratio.powf(i as f64 / steps as f64)).collect();
    control.begin(Stage::CrossValidation, u64::from(folds.count) + 1);
    let run = |group: &[u32], lambda: &[f64]| match total {
        Some(total) => Ok(vec![path_by_gram(lasso, total, &of_row, group[0], lambda, control)?]),
        None => paths_by_passes(lasso, &of_row, group, lambda, control),
    };
    // Fold 0 is no fold: the path of the fit to all rows, which may end early.
    let whole = run(&[0], &lambda)?.remove(0);
    lambda.truncate(whole.nonzero.len());
    control.advance(1);
    let paths: Mutex<Vec<Option<Path>>> = Mutex::new((0..folds.count).map(|_| None).collect());
    let lock = || paths.lock().unwrap_or_else(PoisonError::into_inner);
    let all: Vec<u32> = (1..=folds.count).collect();
    // Gram matrices go one by one; passes are shared by as many folds as there are threads for.
    let share = folds.count.div_ceil(rayon::current_num_threads() as u32) as usize;
    let together = if total.is_some() { 1 } else { share.clamp(1, 2 * LANES) };
    let groups: Vec<&[u32]> = all.chunks(together).collect();
    for_each(
        &groups,
        control,
        |group| format!("in cross-validation fold {}", group[0]),
        |group| {
            for (&fold, path) in group.iter().zip(run(group, &lambda)?) {
                lock()[fold as usize - 1] = Some(path);
            }
            control.advance(group.len() as u64);
            Ok(())
        },
    )?;
    let paths: Vec<Path> =
        paths.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten().collect();
    Ok(summarise(lasso.unit(), lambda, of_row, whole.nonzero, &paths))
}

fn make_folds(lasso: &Lasso) -> Vec<u32> {
    let keys = lasso.plan().fold_keys();
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|&a, &b| keys[a].total_cmp(&keys[b]));
    let mut of_unit = vec![0; keys.len()];
    for (rank, unit) in order.into_iter().enumerate() {
        of_unit[unit] = rank as u32 % lasso.options().folds.count + 1;
    }
    match lasso.plan().clusters() {
        Some(clusters) => clusters.iter().map(|&g| of_unit[g as usize]).collect(),
        None => of_unit,
    }
}

fn nonzero(beta: &[f64]) -> u32 {
    beta.iter().filter(|b| **b != 0.0).count() as u32
}

fn path_by_gram(
    lasso: &Lasso,
    total: &Moments,
    of_row: &[u32],
    fold: u32,
    lambda: &[f64],
    control: &Control,
) -> Result<Path, Error> {
    let mut held = RowWeights::Fold { plan: lasso.plan(), fold: of_row, number: fold, held: true };
    let held = Moments::new(lasso.data(), |first, w| held.fill(first, w), control)?;
    let train = total.without(&held);
    // A fold that leaves nothing to train on says nothing; rounding must not make it something.
    let share = if train.w > 1e-12 * total.w { train.w / total.w } else { 0.0 };
    let mut path = Path { squares: Vec::new(), weight: held.w, nonzero: Vec::new() };
    if share == 0.0 {
        path.weight = 0.0;
    }
    let centred = train.centre(lasso.options().intercept);
    let mut newton = Newton::default();
    let mut task = lasso.task(RowWeights::Case(lasso.plan()));
    let mut correlation = Vec::new();
    for &lambda in lambda {
        control.check()?;
        if share == 0.0 {
            path.squares.push(0.0);
            path.nonzero.push(0);
            continue;
        }
        lasso.set_penalty(&mut task, lambda * share, &[1.0]);
        let model = centred.model(&task.l1, &task.ridge);
        let zero = vec![0.0; task.beta.len()];
        let origin = Origin { beta: &zero, correlation: &centred.xy };
        origin.correlate(&model, &task.beta, &mut correlation);
        if !converge(&model, &mut task.beta, &mut correlation, PRECISION * centred.yy) {
            newton.minimise(&model, &origin, &mut task.beta, control);
        }
        path.squares.push(held.squares(centred.intercept(&task.beta), &task.beta));
        path.nonzero.push(nonzero(&task.beta));
        let left = train_squares(&centred, &task.beta);
        if fold == 0 && left < SATURATED * centred.yy {
            break;
        }
    }
    Ok(path)
}

/// r'Wr at β.
fn train_squares(c: &Centred, beta: &[f64]) -> f64 {
    let p = beta.len();
    let mut sum = c.yy;
    for (j, &b) in beta.iter().enumerate().filter(|(_, b)| **b != 0.0) {
        sum += b * (dot(&c.gram[j * p..][..p], beta) - 2.0 * c.xy[j]);
    }
    sum
}

fn paths_by_passes(
    lasso: &Lasso,
    of_row: &[u32],
    group: &[u32],
    lambda: &[f64],
    control: &Control,
) -> Result<Vec<Path>, Error> {
    let rows = |number: u32, held: bool| RowWeights::Fold {
        plan: lasso.plan(),
        fold: of_row,
        number,
        held,
    };
    let mut tasks: Vec<Task> = group.iter().map(|&f| lasso.task(rows(f, false))).collect();
    let mut tests: Vec<Task> = group.iter().map(|&f| lasso.task(rows(f, true))).collect();
    let mut all = lasso.task(RowWeights::Case(lasso.plan()));
    let mut everything: Vec<&mut Task> =
        tasks.iter_mut().chain(tests.iter_mut()).chain([&mut all]).collect();
    pass(lasso.data(), &mut everything, control)?;
    let weight = |t: &Task| t.totals.as_ref().map_or(0.0, |t| t.w);
    let total = weight(&all);
    let mut paths: Vec<Path> = tasks
        .iter()
        .zip(&tests)
        .map(|(task, test)| Path {
            squares: Vec::new(),
            weight: if weight(task) > 0.0 { weight(test) } else { 0.0 },
            nonzero: Vec::new(),
        })
        .collect();
    let limits = Limits { tolerance: ROUGH, ..lasso.options().limits };
    let mut newton = Newton::default();
    for &lambda in lambda {
        for task in &mut tasks {
            let share = weight(task) / total;
            lasso.set_penalty(task, lambda * share, &[1.0]);
        }
        batch::solve(lasso.data(), &mut tasks, None, limits, &mut newton, control)?;
        for (task, test) in tasks.iter().zip(&mut tests) {
            test.beta.copy_from_slice(&task.beta);
        }
        pass(lasso.data(), &mut tests.iter_mut().collect::<Vec<_>>(), control)?;
        for ((path, task), test) in paths.iter_mut().zip(&tasks).zip(&tests) {
            // Around the intercept of the training rows, not the test rows' own.
            let off = test.found.b0 - task.found.b0;
            path.squares.push(test.found.rr + weight(test) * off * off);
            path.nonzero.push(nonzero(&task.beta));
        }
        let saturated =
            |t: &Task| t.found.rr < SATURATED * t.totals.as_ref().map_or(0.0, |totals| totals.yy);
        if group == [0] && saturated(&tasks[0]) {
            break;
        }
    }
    Ok(paths)
}

/// As glmnet: the mean over folds by their weight, its standard error from the folds' spread; `unit` is
/// one squared unit of the paths in the user's.
pub(crate) fn summarise(
    unit: f64,
    lambda: Vec<f64>,
    fold: Vec<u32>,
    nonzero: Vec<u32>,
    paths: &[Path],
) -> Curve {
    let folds: Vec<&Path> = paths.iter().filter(|f| f.weight > 0.0).collect();
    let total: f64 = folds.iter().map(|f| f.weight).sum();
    let (mut mean, mut se) = (Vec::new(), Vec::new());
    for l in 0..lambda.len() {
        let error = |f: &Path| f.squares[l] / f.weight * unit;
        let centre = folds.iter().map(|f| f.weight * error(f)).sum::<f64>() / total;
        let spread =
            folds.iter().map(|f| f.weight * (error(f) - centre).powi(2)).sum::<f64>() / total;
        mean.push(centre);
        se.push((spread / (folds.len() as f64 - 1.0)).sqrt());
    }
    // The first of equal minima: the largest lambda.
    let index_min = (0..mean.len()).fold(0, |best, l| if mean[l] < mean[best] { l } else { best });
    let bar = mean[index_min] + se[index_min];
    let index_1se = (0..=index_min).find(|&l| mean[l] <= bar).unwrap_or(index_min);
    Curve { nonzero, lambda, mean, se, fold, index_min, index_1se }
}
