//! The model of several classes at a place: columns, curvatures, and residuals in the order that sweeps read them in.

use crate::lasso::cross::has_vanished;
use crate::lasso::extrapolate::State;
use crate::lasso::glm::task::{Data, Place, Task};
use crate::linalg::cholesky::Cholesky;
use crate::linalg::dense::dot;
use crate::linalg::lanes::{LANES, dispatch};
use crate::penalty::Penalty;
use pulp::{as_arrays, as_arrays_mut};
use std::borrow::Cow;

/// Numbers of a dense column taken together.
pub const WIDE: usize = 2 * LANES;
/// Those of a row of a sparse one.
pub const FOUR: usize = 4;
/// The least share of a class that counts where sweeps are combined.
const SHARE: f64 = 1e-12;
const OUT: u32 = u32::MAX;
/// Rounds of the classes of a column, the least and the most, and entries for one more.
const ROUNDS: (usize, usize) = (2, 20);
const ENTRIES: usize = 8;

/// The rows of a draw at a place: weights, weighted residuals row by row, and shares class by class.
#[derive(Clone, Copy)]
pub struct AtRows<'a> {
    pub weights: &'a [f64],
    pub residual: &'a [f64],
    pub shares: &'a [f64],
}

pub enum Columns<'a> {
    /// Filled up with zeros.
    Dense(Vec<f64>),
    /// By the rows that are kept.
    Sparse(Vec<(Cow<'a, [u32]>, &'a [f64])>),
}

/// A coordinate: its number, class, column, and the sum of the column's squares weighed by the curvature, beside the intercepts; one over
/// that and the ridge, 0 where there is neither.
pub struct Coordinate {
    pub at: usize,
    pub class: usize,
    pub column: usize,
    pub square: f64,
    pub inverse: f64,
}

/// Where the numbers of a row stand: one for all classes first, then the classes. Those of dense columns are class by class, filled up
/// with zeros to `lines` of each; those of sparse ones row by row, where a row is met by all classes of a column together.
#[derive(Clone, Copy)]
pub struct Layout {
    pub lines: usize,
    pub row: usize,
    pub class: usize,
    /// Of a row, with what it is filled up with.
    pub numbers: usize,
}

impl Layout {
    fn new(sparse: bool, kept: usize, classes: usize) -> Layout {
        if sparse {
            let row = (classes + 1).next_multiple_of(FOUR);
            return Layout { lines: kept, row, class: 1, numbers: row };
        }
        let lines = kept.next_multiple_of(WIDE);
        Layout { lines, row: 1, class: lines, numbers: classes + 1 }
    }

    pub fn mean(self, i: usize) -> usize {
        i * self.row
    }

    pub fn of(self, i: usize, class: usize) -> usize {
        i * self.row + (class + 1) * self.class
    }
}

/// What sweeps do not change. The residual of a state has that of the rows of each class, then L⁻¹ times their sums, where LL' is the
/// curvature of the intercepts. Of dense columns, where the classes of a column may move alone, the rows have t and the residuals but
/// for t.
pub struct Problem<'a> {
    pub layout: Layout,
    pub columns: Columns<'a>,
    pub all: Vec<Coordinate>,
    /// L⁻¹b of each coordinate; nothing without intercepts.
    beside: Vec<f64>,
    pub intercepts: usize,
    pub classes: usize,
    /// The curvature of each coordinate with the classes of its column.
    between: Vec<f64>,
    factor: Cholesky,
    pub penalty: Penalty,
    /// μ of each class, and w μ of dense columns; of sparse ones w itself stands before the shares.
    pub weight: Vec<f64>,
    pub share: Vec<f64>,
    /// Of the squares of a state's residual in the objective.
    pub metric: Vec<f64>,
    /// The residual at the task's place, whose coefficients these are.
    pub start: Vec<f64>,
    pub from: Vec<f64>,
}

/// Rows that have entries, where most have none, and columns by their places among these: nothing moves in the others.
fn keep_rows(columns: &mut [(Cow<[u32]>, &[f64])], n: usize) -> Vec<u32> {
    let entries: usize = columns.iter().map(|c| c.0.len()).sum();
    if columns.is_empty() || 2 * entries > n {
        return (0..n as u32).collect();
    }
    let (mut kept, mut place) = (Vec::new(), vec![OUT; n]);
    for (places, _) in columns {
        for i in places.to_mut() {
            let at = &mut place[*i as usize];
            if *at == OUT {
                *at = kept.len() as u32;
                kept.push(*i);
            }
            *i = *at;
        }
    }
    kept
}

/// The curvature of the classes of a sparse column with each other, and with the intercepts: a row of the layout for each class.
#[derive(Default)]
struct OfColumn {
    between: Vec<f64>,
    beside: Vec<f64>,
    own: Vec<f64>,
    width: usize,
}

impl OfColumn {
    fn clear(&mut self, classes: usize, width: usize) {
        for sums in [&mut self.between, &mut self.beside] {
            sums.clear();
            sums.resize(classes * width, 0.0);
        }
        self.own.clear();
        self.own.resize(classes * width, 0.0);
        (0..classes).for_each(|k| self.own[k * width + k + 1] = 1.0);
        self.width = width;
    }
}

impl<'a> Problem<'a> {
    pub fn new(data: &'a Data, task: &Task, rows: AtRows, coordinates: &[u32]) -> Problem<'a> {
        let (n, p, classes) = (data.rows(), data.cols(), data.predictors());
        let design = &data.base.design;
        // The classes of a sparse column meet the same rows; of a dense one those of a class stay near.
        let mut order = coordinates.to_vec();
        order.sort_unstable();
        let mut needed: Vec<usize> = order.iter().map(|&c| c as usize % p).collect();
        needed.sort_unstable();
        needed.dedup();
        order.sort_unstable_by_key(|&c| (c as usize % p, c as usize / p));
        let column = |&j: &usize| design.sparse_column(j).unwrap_or_default();
        let mut sparse: Vec<(Cow<[u32]>, &[f64])> = Vec::new();
        let borrowed = needed.iter().filter(|_| design.is_sparse()).map(column);
        sparse.extend(borrowed.map(|(places, entries)| (Cow::Borrowed(places), entries)));
        let kept = keep_rows(&mut sparse, n);
        let layout = Layout::new(design.is_sparse(), kept.len(), classes);
        let columns = if design.is_sparse() {
            Columns::Sparse(sparse)
        } else {
            let mut values = vec![0.0; needed.len() * layout.lines];
            for rows in design.blocks() {
                let Some(block) = design.dense_block(&rows) else { break };
                for (to, &j) in values.chunks_exact_mut(layout.lines.max(1)).zip(&needed) {
                    to[rows.clone()].copy_from_slice(&block[j * rows.len()..][..rows.len()]);
                }
            }
            Columns::Dense(values)
        };
        let (size, intercepts) = (layout.lines * layout.numbers, data.intercepts());
        let mut problem = Problem {
            layout,
            columns,
            all: Vec::with_capacity(order.len()),
            beside: Vec::with_capacity(order.len() * intercepts),
            intercepts,
            classes,
            between: Vec::with_capacity(order.len() * classes),
            factor: Cholesky::default(),
            penalty: task.penalty.of(&order),
            weight: vec![0.0; if design.is_sparse() { 0 } else { size }],
            share: vec![0.0; size],
            metric: vec![0.0; size + intercepts],
            start: vec![0.0; size + intercepts],
            from: order.iter().map(|&c| task.place.beta[c as usize]).collect(),
        };
        for (at, i) in kept.iter().map(|i| *i as usize).enumerate() {
            let w = rows.weights[i];
            // Residuals of all classes sum to nothing: squares over w μ are all that the objective has of the whole of them.
            let sparse = problem.weight.is_empty();
            if sparse {
                problem.share[layout.mean(at)] = w;
            } else {
                problem.metric[layout.mean(at)] = -w;
            }
            for k in 0..classes {
                let (at, share) = (layout.of(at, k), rows.shares[k * n + i]);
                let counts = share > SHARE && w > 0.0;
                problem.share[at] = share;
                if !sparse {
                    problem.weight[at] = w * share;
                }
                problem.metric[at] = if counts { 1.0 / (w * share) } else { 0.0 };
                problem.start[at] = rows.residual[i * classes + k];
            }
        }
        problem.metric[size..].fill(-1.0);
        if intercepts > 0 {
            problem.factor = of_shares(rows.weights, rows.shares, classes).1;
            let sums = &mut problem.start[size..];
            for of_row in rows.residual.chunks_exact(classes) {
                sums.iter_mut().zip(of_row).for_each(|(sum, r)| *sum += r);
            }
            problem.factor.solve_half(sums);
        }
        let mut of_column = OfColumn::default();
        for group in order.chunk_by(|a, b| *a as usize % p == *b as usize % p) {
            let column = needed.binary_search(&(group[0] as usize % p)).unwrap_or(0);
            if let Columns::Sparse(columns) = &problem.columns {
                let (places, entries) = &columns[column];
                of_column.clear(classes, problem.layout.row);
                look(places, entries, &problem.share, &mut of_column);
            }
            let among: Vec<usize> = group.iter().map(|&c| c as usize / p).collect();
            for &c in group {
                problem.push((c as usize, c as usize / p, column), &among, &of_column);
            }
        }
        problem.settle_between();
        problem
    }

    /// Beside the intercepts.
    fn settle_between(&mut self) {
        for c in 0..self.all.len() {
            let near = c.saturating_sub(self.classes - 1)..(c + self.classes).min(self.all.len());
            for other in near.filter(|&o| self.all[o].column == self.all[c].column) {
                let by: f64 =
                    self.beside(c).iter().zip(self.beside(other)).map(|(a, b)| a * b).sum();
                self.between[c * self.classes + self.all[other].class] -= by;
            }
            self.between[c * self.classes + self.all[c].class] = self.all[c].square;
        }
    }

    /// L⁻¹b of a coordinate.
    pub fn beside(&self, c: usize) -> &[f64] {
        &self.beside[c * self.intercepts..][..self.intercepts]
    }

    /// Coordinates, in order, by their columns.
    pub fn by_column<'b>(&'b self, which: &'b [usize]) -> impl Iterator<Item = &'b [usize]> {
        which.chunk_by(|&a, &b| self.all[a].column == self.all[b].column)
    }

    /// The curvature of a coordinate with the classes of its column.
    pub fn between(&self, c: usize) -> &[f64] {
        &self.between[c * self.classes..][..self.classes]
    }

    /// A coordinate of a class and a column, of which these classes move.
    fn push(
        &mut self,
        (at, class, column): (usize, usize, usize),
        among: &[usize],
        of_column: &OfColumn,
    ) {
        let mut beside = vec![0.0; self.intercepts];
        let layout = self.layout;
        let own = |k: usize| if k == class { 1.0 } else { 0.0 };
        let mut between = vec![0.0; self.classes];
        match &self.columns {
            Columns::Dense(values) => {
                let x = &values[column * layout.lines..][..layout.lines];
                let line = |k: usize| layout.of(0, k)..layout.of(0, k) + layout.lines;
                let weight = &self.weight[line(class)];
                for &k in among {
                    between[k] = square(x, weight, &self.share[line(k)], own(k));
                }
                for (k, b) in beside.iter_mut().enumerate() {
                    *b = product(x, weight, &self.share[line(k)], own(k));
                }
            }
            Columns::Sparse(_) => {
                let of_class = class * layout.row + 1..;
                between.copy_from_slice(&of_column.between[of_class.clone()][..self.classes]);
                beside.copy_from_slice(&of_column.beside[of_class][..self.intercepts]);
            }
        }
        self.factor.solve_half(&mut beside);
        let raw = between[class];
        let left = raw - beside.iter().map(|b| b * b).sum::<f64>();
        let square = if has_vanished(left, raw) { 0.0 } else { left };
        self.beside.extend(beside);
        self.between.extend(between);
        let curvature = square + self.penalty.ridge[self.all.len()];
        let inverse = if curvature > 0.0 { 1.0 / curvature } else { 0.0 };
        self.all.push(Coordinate { at, class, column, square, inverse });
    }

    /// Rounds that the classes of the column of a coordinate are worth: about what it costs to meet the column again.
    pub fn rounds(&self, c: usize) -> usize {
        let entries = match &self.columns {
            Columns::Dense(_) => self.layout.lines,
            Columns::Sparse(columns) => columns[self.all[c].column].0.len(),
        };
        (ROUNDS.0 + entries / ENTRIES).min(ROUNDS.1)
    }

    /// Numbers that a sweep meets.
    pub fn cost(&self, which: &[usize]) -> f64 {
        let entries: usize = match &self.columns {
            Columns::Dense(_) => self.layout.lines * which.len(),
            Columns::Sparse(columns) => {
                which.iter().map(|&c| columns[self.all[c].column].0.len() + self.intercepts).sum()
            }
        };
        entries as f64
    }

    /// The intercepts of columns around their means, from those of columns as they are. What all classes have in common stays what
    /// it was.
    pub fn place(&self, data: &Data, task: &Task, state: &State) -> Place {
        let mut to = task.place.clone();
        let p = data.cols();
        let shift = data.base.design.sparse().map(|x| x.shift);
        let mut moved = state.residual[self.start.len() - self.intercepts..].to_vec();
        self.factor.solve_other_half(&mut moved);
        for (coordinate, &b) in self.all.iter().zip(&state.beta) {
            let by = b - to.beta[coordinate.at];
            to.beta[coordinate.at] = b;
            if let (Some(moved), Some(shift)) = (moved.get_mut(coordinate.class), &shift) {
                *moved += by * shift[coordinate.at % p];
            }
        }
        let common = moved.iter().sum::<f64>() / moved.len().max(1) as f64;
        to.intercept.iter_mut().zip(&moved).for_each(|(b0, by)| *b0 += by - common);
        to
    }
}

/// Σ w μ of each class, and a factor of the curvature of their intercepts. What all have in common changes nothing, and stays.
pub fn of_shares(weights: &[f64], shares: &[f64], classes: usize) -> (Vec<f64>, Cholesky) {
    let n = weights.len();
    let share = |k: usize| &shares[k * n..][..n];
    let (mut expected, mut curvature) = (Vec::with_capacity(classes), Vec::with_capacity(classes));
    let mut weighed = vec![0.0; n];
    for k in 0..classes {
        weighed.iter_mut().zip(weights.iter().zip(share(k))).for_each(|(o, (w, s))| *o = w * s);
        let mut row: Vec<f64> = (k..classes).map(|l| -dot(&weighed, share(l))).collect();
        let sum = weighed.iter().sum();
        row[0] += sum;
        expected.push(sum);
        curvature.push(row);
    }
    let common = curvature.iter().map(|row| row[0]).sum::<f64>() / classes.max(1) as f64;
    let mut factor = Cholesky::default();
    factor.factor(classes, |row, out| {
        out.iter_mut().zip(&curvature[row]).for_each(|(o, c)| *o = c + common);
        0.0
    });
    (expected, factor)
}

#[inline(always)]
pub fn sum_of(sum: [f64; WIDE]) -> f64 {
    let [a, b, c, d]: [f64; 4] =
        std::array::from_fn(|l| (sum[l] + sum[l + 4]) + (sum[l + 8] + sum[l + 12]));
    (a + c) + (b + d)
}

dispatch! {
    /// Σ w x² (own − μ) and Σ w x (own − μ) of each class.
    fn look(places: &[u32], entries: &[f64], share: &[f64], out: &mut OfColumn) {
        let OfColumn { between, beside, own, width } = out;
        if *width == FOUR {
            // Three classes, the most usual, stay in registers.
            let mut sums = [[[0.0; FOUR]; 2]; FOUR - 1];
            for (&i, x) in places.iter().zip(entries) {
                let share = &share[i as usize * FOUR..][..FOUR];
                for k in 0..FOUR - 1 {
                    let by = share[0] * share[k + 1] * x;
                    for l in 0..FOUR {
                        let of_row = by * (f64::from(u8::from(l == k + 1)) - share[l]);
                        sums[k][0][l] += of_row;
                        sums[k][1][l] = x.mul_add(of_row, sums[k][1][l]);
                    }
                }
            }
            for (k, sums) in sums.iter().enumerate().take(own.len() / FOUR) {
                beside[k * FOUR..][..FOUR].copy_from_slice(&sums[0]);
                between[k * FOUR..][..FOUR].copy_from_slice(&sums[1]);
            }
            return;
        }
        let width = *width;
        for (&i, x) in places.iter().zip(entries) {
            let share = &share[i as usize * width..][..width];
            let shares = as_arrays::<FOUR, _>(share).0;
            let lines = between.chunks_exact_mut(width).zip(beside.chunks_exact_mut(width));
            let lines = lines.zip(own.chunks_exact(width)).zip(&share[1..]);
            for (((between, beside), own), s) in lines {
                let by = share[0] * s * x;
                let sums = as_arrays_mut::<FOUR, _>(between).0.iter_mut();
                let sums = sums.zip(as_arrays_mut::<FOUR, _>(beside).0);
                for ((between, beside), (own, share)) in
                    sums.zip(as_arrays::<FOUR, _>(own).0.iter().zip(shares))
                {
                    for l in 0..FOUR {
                        let of_row = by * (own[l] - share[l]);
                        beside[l] += of_row;
                        between[l] = x.mul_add(of_row, between[l]);
                    }
                }
            }
        }
    }

    /// Σ w x² (own − μ).
    fn square(x: &[f64], weight: &[f64], share: &[f64], own: f64) -> f64 {
        let mut sum = [0.0; WIDE];
        let lanes = |v| as_arrays::<WIDE, f64>(v).0.iter();
        for ((x, w), s) in lanes(x).zip(lanes(weight)).zip(lanes(share)) {
            for l in 0..WIDE {
                sum[l] = (x[l] * x[l] * w[l]).mul_add(own - s[l], sum[l]);
            }
        }
        sum_of(sum)
    }

    /// Σ w x (own − μ).
    fn product(x: &[f64], weight: &[f64], share: &[f64], own: f64) -> f64 {
        let mut sum = [0.0; WIDE];
        let lanes = |v| as_arrays::<WIDE, f64>(v).0.iter();
        for ((x, w), s) in lanes(x).zip(lanes(weight)).zip(lanes(share)) {
            for l in 0..WIDE {
                sum[l] = (x[l] * w[l]).mul_add(own - s[l], sum[l]);
            }
        }
        sum_of(sum)
    }
}
