//! A model for draws of many columns: the draw's own Gram matrix, of the columns that matter.
//!
//! Exact in one step on those columns; the pass over the data finds what is missing. Where the columns
//! are sparse, or the solution need not be exact, `descent` comes first, and mostly suffices.

use super::cross::{centre, cross};
use super::descent::Descent;
use super::free::minimise;
use super::newton::Newton;
use super::quadratic::{Origin, Quadratic};
use super::rough;
use super::task::{Data, Task};
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::lanes::panel_width;
use crate::linalg::order::descending;
use ndarray::{Array2, s};

/// The draw's own Gram matrix on a growing set of columns.
pub struct WorkingSet {
    columns: Vec<u32>,
    place: Vec<u32>,
    /// With room for more columns.
    gram: Array2<f64>,
    /// The ridge of the last step.
    ridge: Vec<f64>,
    /// Rough steps since the last exact one.
    roughly: u32,
    /// Its own, so that the factor of one round serves the next.
    newton: Newton,
    descent: Option<Box<Descent>>,
    /// Descents of this solve that brought neither a new column nor the certificate.
    in_vain: u32,
    /// The gap before the last one that did not get where it was to.
    failed: f64,
}

const OUT: u32 = u32::MAX;

/// Columns that may enter whatever the support.
const FEW: usize = 64;
/// Rough steps in a row.
const ROUGHLY: u32 = 2;
/// Part of its penalty that a gradient has where a rough solution may lack its column.
const NEARLY: f64 = 0.92;

/// Descents in vain after which only the exact step is left, and how much more precise each is.
const VAIN: u32 = 2;
const FINER: f64 = 0.1;
/// Part of the gap that is left where one that did not get there is worth another: the exact step takes in whatever
/// is violated, with columns that are nearly the same all of them.
const AGAIN: f64 = 0.1;
/// Part of the tolerance that a descent's slopes may miss.
const MISS: f64 = 0.3;
/// What the largest of them misses beside the others, about.
const WORST: f64 = 8.0;
/// Part of their λ that slopes may miss at most.
const RIDGE: f64 = 1e-4;
/// Part of the gap that a descent's slopes may miss while it lacks columns.
const COARSE: f64 = 3e-2;
/// Patience with a descent to a mere start, beside the cost of the exact step.
const SHORT: f64 = 0.1;
/// The tolerance from which a descent is near enough for columns of any kind.
const LOOSE: f64 = 1e-6;
/// Part of its penalty that a gradient has where a descent looks at its column.
const LOOKED_AT: f64 = 0.9;

/// Sweeps of a round on the Gram matrix.
const ROUND_SWEEPS: f64 = 100.0;

/// Columns for each of the support of which a descent looks at all: a sweep in ten does.
const ALL: usize = 8;

/// Columns to let in, and whether many of them are violated.
struct Entering {
    columns: Vec<u32>,
    many: bool,
}

impl WorkingSet {
    pub fn new(p: usize) -> WorkingSet {
        WorkingSet {
            columns: Vec::new(),
            place: vec![OUT; p],
            gram: Array2::zeros((0, 0)),
            ridge: Vec::new(),
            roughly: 0,
            newton: Newton::default(),
            descent: None,
            in_vain: 0,
            failed: f64::INFINITY,
        }
    }

    /// Before the first pass of a solve: the support of a start alone needs no gradient, and that of
    /// another lambda says nearly which columns matter.
    pub fn begin(
        &mut self,
        data: &Data,
        task: &mut Task,
        tolerance: f64,
        control: &Control,
    ) -> Result<(), Error> {
        (self.in_vain, self.failed) = (0, f64::INFINITY);
        if self.descends(data, tolerance) {
            if task.totals.is_some() && !task.is_empty() {
                self.descend(data, task, tolerance, tolerance, control)?;
                (self.in_vain, self.failed) = (0, f64::INFINITY);
            }
            return Ok(());
        }
        if task.totals.is_some() {
            return Ok(());
        }
        let columns = (0..task.beta.len()).filter(|&j| task.beta[j] != 0.0);
        let start = Entering { columns: columns.map(|j| j as u32).collect(), many: true };
        if self.is_far(data, &start) {
            self.roughly = 1;
            rough::approach(data, task, &start.columns, control)?;
        }
        Ok(())
    }

    /// Let in the support and the columns that the gradient at β violates, then minimise exactly
    /// (or nearly, while far from the solution). True if columns came in.
    pub fn step(
        &mut self,
        data: &Data,
        task: &mut Task,
        tolerance: f64,
        gap: f64,
        control: &Control,
    ) -> Result<bool, Error> {
        if self.descends(data, tolerance) && self.in_vain < VAIN {
            self.descend(data, task, tolerance, gap, control)?;
            return Ok(true);
        }
        let entering = self.entering(data, task);
        if self.is_far(data, &entering) {
            self.roughly += 1;
            let mut which = entering.columns;
            which.extend(self.columns.iter().filter(|&&j| task.lack(j as usize) > 1.0));
            rough::approach(data, task, &which, control)?;
            return Ok(true);
        }
        self.roughly = 0;
        let grew = !entering.columns.is_empty();
        if grew {
            self.grow(data, task, &entering.columns, control)?;
        }
        let mut beta: Vec<f64> = self.columns.iter().map(|&j| task.beta[j as usize]).collect();
        let penalty = task.penalty.of(&self.columns);
        // Another lambda has another ridge, for which the last factor is of no use.
        let again = penalty.ridge.starts_with(&self.ridge);
        self.ridge.clone_from(&penalty.ridge);
        let m = self.columns.len();
        let model = Quadratic { gram: self.gram.slice(s![..m, ..m]), penalty: &penalty };
        // The gradient of the pass is exact, so repeated steps refine.
        let correlation = task.correlations(self.columns.iter().map(|&j| j as usize));
        let origin = Origin { beta: &beta.clone(), correlation: &correlation };
        minimise(&model, &origin, &mut beta, &mut self.newton, again, control)?;
        self.columns.iter().zip(beta).for_each(|(&j, b)| task.beta[j as usize] = b);
        Ok(grew)
    }

    fn descends(&self, data: &Data, tolerance: f64) -> bool {
        data.design.is_sparse() || tolerance >= LOOSE
    }

    /// By coordinate descent on the residual, over the columns that may matter.
    fn descend(
        &mut self,
        data: &Data,
        task: &mut Task,
        tolerance: f64,
        gap: f64,
        control: &Control,
    ) -> Result<(), Error> {
        let columns = looked_at(data, task);
        let fresh = || Box::new(Descent::new(data, task));
        let mut descent = self.descent.take().filter(|d| d.suits(data)).unwrap_or_else(fresh);
        let grew = descent.admit(data, &columns, control)?;
        // What others only start from is taken as it is.
        let loose = tolerance > LOOSE;
        let fine = if loose { MISS * tolerance } else { may_miss(task, MISS * tolerance) };
        let fine = fine * FINER.powi(self.in_vain as i32);
        // While columns are missing, no more than that shows.
        let lacking = grew && columns.len() < data.design.cols;
        let precision = if lacking { fine.max(COARSE * gap) } else { fine };
        let before = self.in_vain;
        self.in_vain += u32::from(precision == fine);
        let reached = if loose {
            descent.approach(data, task, precision, SHORT, control)?;
            true
        } else {
            descent.minimise(data, task, precision, control)?
        };
        if !reached && gap > AGAIN * self.failed {
            self.in_vain = VAIN;
        } else if !reached {
            (self.in_vain, self.failed) = (before, gap);
        }
        self.descent = Some(descent);
        Ok(())
    }

    /// x_a'W x_b, if both columns are in the set.
    pub fn curvature(&self, a: usize, b: usize) -> Option<f64> {
        match (self.place[a], self.place[b]) {
            (OUT, _) | (_, OUT) => None,
            (i, k) => Some(self.gram[[i as usize, k as usize]]),
        }
    }

    /// The columns outside that the support needs or the gradient violates.
    fn entering(&self, data: &Data, task: &Task) -> Entering {
        // A rough solution misses some that are all but violated.
        let least = if self.roughly > 0 { NEARLY } else { 1.0 };
        // Far from the solution most columns are violated; the worst are enough to go on with.
        let most = |support: usize| if self.roughly > 0 { 3 * support } else { support }.max(FEW);
        // Equal columns are violated together, and another column than the first says nothing new.
        let folded = |j| self.descent.as_ref().is_some_and(|d| d.is_folded(j));
        let outside = |j: usize| self.place[j] == OUT && !folded(j);
        let (mut columns, support, violated) = worst(task, least, most, outside);
        let most_enter = !columns.is_empty() && self.rest_is_cheap(data, columns.len());
        if most_enter {
            columns = (0..task.beta.len() as u32)
                .filter(|&j| outside(j as usize) && task.penalty.l1[j as usize].is_finite())
                .collect();
        }
        Entering { columns, many: 10 * violated > support }
    }

    /// Would the Gram matrix of all columns, and sweeps on its longer rows, cost less than another round for those
    /// that turn out to be missing, where these enter?
    fn rest_is_cheap(&self, data: &Data, entering: usize) -> bool {
        let (rows, p) = (data.design.rows as f64, data.design.cols as f64);
        let m = (self.columns.len() + entering) as f64;
        let products =
            if data.design.is_sparse() { data.design.size() as f64 / p } else { 0.5 * rows };
        let sweeps = |length: f64| ROUND_SWEEPS * m * length;
        products * (p * p - m * m) + sweeps(p - m) < m.powi(3) / 3.0 + sweeps(m)
    }

    /// Whether a Gram matrix of the columns that enter would soon be of no use: most of a start's
    /// support goes, and most of what it violates comes.
    fn is_far(&self, data: &Data, entering: &Entering) -> bool {
        let wide = data.design.cols > data.design.rows && !data.design.is_sparse();
        let count = entering.columns.len();
        let new = count >= FEW && 2 * count > self.columns.len();
        wide && new && (self.roughly == 0 || (self.roughly < ROUGHLY && entering.many))
    }

    /// Add these columns to the Gram matrix.
    fn grow(
        &mut self,
        data: &Data,
        task: &mut Task,
        fresh: &[u32],
        control: &Control,
    ) -> Result<(), Error> {
        let old = self.columns.len();
        for &j in fresh {
            self.place[j as usize] = self.columns.len() as u32;
            self.columns.push(j);
        }
        let m = self.columns.len();
        let mut block =
            cross(data, &self.columns, old, control, &mut |first, w| task.weights.fill(first, w))?;
        if let Some(totals) = task.totals.as_ref().filter(|_| data.intercept) {
            centre(&mut block, totals, &self.columns, old);
        }
        if old == 0 {
            self.gram = block;
        } else {
            self.widen(old);
            self.gram.slice_mut(s![..m, old..m]).assign(&block.slice(s![.., ..m - old]));
        }
        mirror(&mut self.gram, old, m);
        Ok(())
    }

    /// Make room for all columns, if there is none, where `old` of them are in.
    fn widen(&mut self, old: usize) {
        let m = self.columns.len();
        if self.gram.ncols() < m || self.gram.nrows() < m {
            let size = panel_width(m + m / 8);
            let mut gram = Array2::zeros((size, size));
            gram.slice_mut(s![..old, ..old]).assign(&self.gram.slice(s![..old, ..old]));
            self.gram = gram;
        }
    }
}

/// The part of their λ that slopes may miss for a gap: as much, or, where a ridge makes that of second order and all of
/// them count, the root of it. Where that is too much, the next descent is finer, from there.
fn may_miss(task: &Task, gap: f64) -> f64 {
    let (mut objective, mut each) = (0.5 * task.found.rr, 0.0);
    let support = task.beta.iter().zip(task.penalty.l1.iter().zip(&task.penalty.ridge));
    for (b, (l1, ridge)) in support.filter(|(b, (l1, _))| **b != 0.0 || **l1 == 0.0) {
        objective += l1 * b.abs() + 0.5 * ridge * b * b;
        each += if *l1 > 0.0 { 0.5 * l1 * l1 / ridge } else { f64::INFINITY };
    }
    let second = WORST * (gap * objective / each).sqrt();
    let second = second.min(RIDGE);
    if second.is_finite() { second.max(gap) } else { gap }
}

/// The columns that a descent is to know: all, where they have not many more entries than the support.
pub fn looked_at(data: &Data, task: &Task) -> Vec<u32> {
    let most = |support: usize| (4 * support).max(8 * FEW);
    let (columns, support, _) = worst(task, LOOKED_AT, most, |_| true);
    let all = data.design.is_sparse() && data.design.cols <= ALL * support;
    if all { (0..data.design.cols as u32).collect() } else { columns }
}

/// Of the columns asked for, those that the support needs or whose gradient is above a part of its penalty,
/// the worst of them if there are more than `most` says for the support's size; that size, and how many
/// are violated.
fn worst(
    task: &Task,
    least: f64,
    most: impl Fn(usize) -> usize,
    asked: impl Fn(usize) -> bool,
) -> (Vec<u32>, usize, usize) {
    let (mut support, mut violated) = (0, 0);
    let mut found = Vec::new();
    for j in 0..task.beta.len() {
        let lack = task.lack(j);
        support += usize::from(lack == f64::INFINITY);
        if lack > least && asked(j) {
            violated += usize::from(lack > 1.0 && lack < f64::INFINITY);
            found.push((lack, j));
        }
    }
    let most = most(support);
    if found.len() > most {
        descending(&mut found);
        found.truncate(most);
    }
    let mut columns: Vec<u32> = found.into_iter().map(|f| f.1 as u32).collect();
    columns.sort_unstable();
    (columns, support, violated)
}

/// Copy what is above the diagonal in columns `old..m` to below it, in squares that fit the cache.
fn mirror(gram: &mut Array2<f64>, old: usize, m: usize) {
    const SIDE: usize = 16;
    for b in (old..m).step_by(SIDE) {
        for a in (0..m.min(b + SIDE)).step_by(SIDE) {
            for row in b..m.min(b + SIDE) {
                for column in a..row.min(a + SIDE) {
                    gram[[row, column]] = gram[[column, row]];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::design::Design;
    use crate::data::source::Source;
    use crate::lasso::pass::pass;
    use crate::lasso::task::RowWeights;
    use crate::random::laws::{Law, PriorWeight};
    use crate::random::weights::WeightPlan;

    /// Every `apart`-th entry is not zero.
    fn data(rows: usize, cols: usize, apart: usize) -> Data {
        let entry = |k: usize| if k % apart == 0 { (k as f64).sin() } else { 0.0 };
        let x: Vec<f64> = (0..rows * cols).map(entry).collect();
        let source = if apart > 1 {
            Source::without_zeros(&x, rows, cols)
        } else {
            Source::dense(&x, rows, cols)
        };
        let design = Design::new(source, true, |_| 1.0, || Ok::<(), ()>(())).unwrap();
        Data { design: design.into(), y: vec![0.0; rows], intercept: true }
    }

    #[test]
    fn all_columns_come_in_where_few_are_left_and_not_where_products_are_cheap_alone() {
        let set = |data: &Data| WorkingSet::new(data.design.cols);
        let square = data(150, 150, 1);
        assert!(set(&square).rest_is_cheap(&square, 130));
        assert!(!set(&square).rest_is_cheap(&square, 60));
        // An entry a column: products cost nothing, rows of the Gram matrix and the memory for it do.
        let wide = data(60, 6000, 61);
        for entering in [20, 60, 500] {
            assert!(!set(&wide).rest_is_cheap(&wide, entering), "{entering}");
        }
    }

    #[test]
    fn of_equal_columns_the_first_alone_comes_in() {
        let (rows, cols, control) = (60, 300, Control::default());
        // Column j has its entry in row j modulo 61.
        let mut data = data(rows, cols, 61);
        data.y = (0..rows).map(|i| (i as f64).sin()).collect();
        let plan = WeightPlan::new(3, Law::Exponential, PriorWeight::Fixed, rows);
        let mut task = Task::new(RowWeights::Draw(plan.draw(1)), cols);
        task.penalty.l1.fill(1e-3);
        pass(&data, &mut [&mut task], &control).unwrap();
        let mut set = WorkingSet::new(cols);
        set.descend(&data, &mut task, 1e-8, 1.0, &control).unwrap();
        task.beta.fill(0.0);
        pass(&data, &mut [&mut task], &control).unwrap();
        let mut entering: Vec<u32> =
            set.entering(&data, &task).columns.iter().map(|j| j % 61).collect();
        assert!(entering.len() > rows / 2, "{entering:?}");
        let count = entering.len();
        entering.sort_unstable();
        entering.dedup();
        assert_eq!(entering.len(), count);
    }
}
