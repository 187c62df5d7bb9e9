//! Coordinate descent on the residual of one problem, on the columns that matter.
//!
//! A step costs two loops over the entries of its column and needs no Gram matrix: the way for sparse
//! columns of few entries, whose Gram matrix is full, and for solutions that need not be exact (the
//! path to a mode, cross-validation). Sweeps are extrapolated. Where the columns are nearly as many as
//! the rows even that is slow; a descent gives up once its pace says that the Gram matrix and its factor
//! would cost less, and goes on by steps of Newton (`leap`) where its columns are sparse.
//!
//! Tried for draws on sparse columns: eight of them side by side, residuals and weights of a row in one vector. A sweep
//! costs about 2.7 of those of one draw, but a small prior weight makes a draw take hundreds of sweeps where others take
//! tens: two to three are at work on average. 5,000 × 10,000, 1 %: 267 ms a draw for 311; 5,000 × 50,000, 0.1 %: 208 for
//! 134; 200 × 3,000, 1 %: 177 for 103. Asking the memory for columns ahead, combinations of eight to fourteen
//! iterates for six, and looks at only those zeros whose slopes are near their λ, change little. Sweeps that were no
//! longer extrapolated from thirty times the precision on were 330 a draw where 215 do (5,000 × 10,000, 1 %, α = ½): such a
//! net ends long before changes are rounding. Columns that are multiples of each other are one (`twins`).

mod columns;
mod cost;
mod leap;
mod sweep;
mod twins;

use super::extrapolate::{Extrapolation, State, Terms};
use super::task::{Data, Task};
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::dense::dot;
use columns::{Packed, Roots};
pub use cost::{descent_cost, exact_cost};
use sweep::{Change, Problem, subtract_dense, subtract_sparse, sweep_dense, sweep_sparse};
use twins::Twins;

const OUT: u32 = u32::MAX;
/// Sweeps of the support for one of all columns.
const INNER: u32 = 10;
/// Slopes are nearly what they should be, as a multiple of that.
const NEAR: f64 = 3.0;
/// Part of the last change over all columns below which the support has little to say before they are looked at again.
const EARLY: f64 = 0.01;
/// Sweeps after which the pace is looked at; a descent takes at least these.
const WINDOW: u32 = 60;
/// Part of what the equations cost that a descent may take without getting anywhere.
const HASTY: f64 = 0.3;
/// What a descent may cost however near its end it seems to be, beside the equations.
const LONGEST: f64 = 4.0;

/// The columns of a problem that a descent has met, and their penalty at present.
pub struct Descent {
    roots: Roots,
    packed: Packed,
    columns: Vec<u32>,
    place: Vec<u32>,
    twins: Twins,
    /// Those that stand for themselves or for all of their multiples.
    standing: Vec<usize>,
    square: Vec<f64>,
    l1: Vec<f64>,
    ridge: Vec<f64>,
    state: State,
    extrapolation: Extrapolation,
}

impl Descent {
    pub fn new(data: &Data, task: &mut Task) -> Descent {
        let packed = Packed::new(data);
        let rows = match &packed {
            Packed::Dense(columns) => columns.rows,
            Packed::Sparse(_) => data.design.rows,
        };
        let mut weights = vec![0.0; data.design.rows];
        task.weights.fill(0, &mut weights);
        let mut values = vec![0.0; rows];
        values.iter_mut().zip(&weights).for_each(|(o, w)| *o = w.sqrt());
        let centred_by = if data.intercept { weights.iter().sum() } else { 0.0 };
        Descent {
            roots: Roots { values, centred_by },
            packed,
            columns: Vec::new(),
            place: vec![OUT; data.design.cols],
            twins: Twins::default(),
            standing: Vec::new(),
            square: Vec::new(),
            l1: Vec::new(),
            ridge: Vec::new(),
            state: State::default(),
            extrapolation: Extrapolation::default(),
        }
    }

    /// Are these data in the form that its columns came from?
    pub fn suits(&self, data: &Data) -> bool {
        matches!(self.packed, Packed::Sparse(_)) == data.design.is_sparse()
    }

    /// Take these columns in too; true if one of them is new.
    pub fn admit(
        &mut self,
        data: &Data,
        columns: &[u32],
        control: &Control,
    ) -> Result<bool, Error> {
        let known = self.columns.len();
        for &j in columns {
            if self.place[j as usize] == OUT {
                control.check()?;
                self.place[j as usize] = self.columns.len() as u32;
                self.columns.push(j);
                self.square.push(self.packed.push(data, &self.roots, j as usize));
            }
        }
        if let Packed::Sparse(columns) = &self.packed {
            self.twins.note(columns, self.columns.len());
        }
        Ok(self.columns.len() > known)
    }

    /// Has another column all that this one might have?
    pub fn is_folded(&self, j: usize) -> bool {
        let k = self.place[j] as usize;
        self.ridge.get(k) == Some(&0.0) && self.twins.stands_for(k, &self.l1).is_some()
    }

    /// Minimise over the columns taken in, from the task's β (whose support they hold), until slopes are
    /// within this part of their λ: by sweeps, and by steps of Newton where sweeps would cost more. False if
    /// neither gets there.
    pub fn minimise(
        &mut self,
        data: &Data,
        task: &mut Task,
        precision: f64,
        control: &Control,
    ) -> Result<bool, Error> {
        let reached = self.approach(data, task, precision, 1.0, control)?
            || self.leap(data, task, precision, control)?;
        self.finish(task);
        Ok(reached)
    }

    /// The same by sweeps alone; false if that would cost more than to solve the equations, times `patience`.
    pub fn approach(
        &mut self,
        data: &Data,
        task: &mut Task,
        precision: f64,
        patience: f64,
        control: &Control,
    ) -> Result<bool, Error> {
        let beta = self.of_columns(&task.beta);
        self.begin(data, task, Some(beta));
        let all = self.standing.clone();
        let (mut spent, mut support) = (0.0, Vec::new());
        let (mut sweep, mut reached, mut combined) = (0u32, false, false);
        // Sweeps since the last of all columns, its change, and the sweep after which the pace is looked at.
        let (mut since, mut looked, mut window) = (0, 0.0, WINDOW);
        let mut before = f64::INFINITY;
        loop {
            control.check()?;
            let whole = since == 0;
            if whole || since == 1 {
                support = all.iter().copied().filter(|&k| self.state.beta[k] != 0.0).collect();
            }
            let which = if whole { &all } else { &support };
            let change = self.sweep(which, task.found.rr);
            spent += self.cost(which);
            if change.slope <= precision && change.free <= precision {
                if whole && !combined {
                    reached = true;
                    break;
                }
                if whole {
                    // Combinations add up rounding in the residual.
                    self.begin(data, task, None);
                    combined = false;
                    continue;
                }
                // The support has settled: see what the others say.
                since = 0;
                continue;
            }
            (sweep, since) = (sweep + 1, since + 1);
            if whole {
                looked = change.slope;
            } else if since == INNER || change.slope <= EARLY * looked {
                since = 0;
            }
            if sweep >= window && !whole {
                window += WINDOW;
                // At the pace of the last sweeps.
                let enough = patience * self.equations(&support);
                let pace = libm::log(change.slope / before) / f64::from(WINDOW);
                let left = libm::log(precision / change.slope) / pace * self.cost(&support);
                // Signs that still change hide the pace for a while.
                let stuck = pace >= 0.0 && spent > HASTY * enough;
                let slow = before.is_finite() && pace < 0.0 && left > enough;
                if stuck || slow || spent > LONGEST * enough {
                    break;
                }
                before = change.slope;
            }
            let (l1, ridge, weight) = (&self.l1, &self.ridge, self.roots.centred_by);
            // The level takes from the squares what it puts into the residual, as 1'Wr = 0.
            let product =
                |a: &State, b: &State| dot(&a.residual, &b.residual) - weight * a.level * b.level;
            let terms = Terms { l1, ridge, product: &product };
            // Near the end changes are too small for a combination, and sweeps smooth what it left.
            if change.slope <= NEAR * precision {
                self.extrapolation.forget();
            } else if self.extrapolation.note(&mut self.state, &terms) {
                combined = true;
            }
        }
        self.finish(task);
        Ok(reached)
    }

    fn finish(&self, task: &mut Task) {
        let mut beta = self.state.beta.clone();
        if beta.iter().all(|b| b.is_finite()) {
            let own: Vec<f64> = self.of_columns(&task.penalty.ridge);
            self.twins.unfold(&self.l1, &self.ridge, &own, &mut beta);
            for (&j, &b) in self.columns.iter().zip(&beta) {
                task.beta[j as usize] = b;
            }
        }
    }

    fn of_columns(&self, v: &[f64]) -> Vec<f64> {
        self.columns.iter().map(|&j| v[j as usize]).collect()
    }

    /// Find the residual at β, or where the descent stands.
    fn begin(&mut self, data: &Data, task: &Task, beta: Option<Vec<f64>>) {
        (self.l1, self.ridge) =
            (self.of_columns(&task.penalty.l1), self.of_columns(&task.penalty.ridge));
        let mut beta = beta.unwrap_or_else(|| std::mem::take(&mut self.state.beta));
        self.standing = self.twins.fold(&self.l1, &mut self.ridge, &mut beta);
        let roots = &self.roots.values;
        let response = task.response.as_ref().unwrap_or(&data.y);
        let mut residual = vec![0.0; roots.len()];
        let mean = if self.roots.centred_by > 0.0 {
            let sum: f64 = roots.iter().zip(response).map(|(root, y)| root * root * y).sum();
            sum / self.roots.centred_by
        } else {
            0.0
        };
        let of_rows = residual.iter_mut().zip(roots.iter().zip(response));
        of_rows.for_each(|(r, (root, y))| *r = root * (y - mean));
        self.state = State { beta, residual, level: 0.0 };
        match &self.packed {
            Packed::Dense(columns) => subtract_dense(columns, &mut self.state),
            Packed::Sparse(columns) => subtract_sparse(columns, &mut self.state),
        }
        self.extrapolation.forget();
    }

    fn sweep(&mut self, which: &[usize], objective: f64) -> Change {
        let Descent { packed, state, square, l1, ridge, .. } = self;
        let problem = Problem { which, square, l1, ridge, objective };
        match packed {
            Packed::Dense(columns) => sweep_dense(columns, &problem, state),
            Packed::Sparse(columns) => sweep_sparse(columns, &problem, state),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::columns::Column;
    use super::*;
    use crate::data::design::Design;
    use crate::data::source::Source;
    use crate::lasso::pass::pass;
    use crate::lasso::task::RowWeights;
    use crate::random::laws::{Law, PriorWeight};
    use crate::random::weights::WeightPlan;

    /// Three of four entries are zero, one column is full and one is zero.
    fn entry(i: usize, j: usize) -> f64 {
        let noise = ((i * 7919 + j * 104_729 + i * i * 31 + j * j * i) as f64 * 0.618).sin();
        match j {
            0 => 2.0 + noise,
            1 => 0.0,
            _ if (i * 13 + j * 7 + i * j) % 4 == 0 => noise,
            _ => 0.0,
        }
    }

    fn data(rows: usize, cols: usize, sparse: bool, intercept: bool) -> Data {
        let x: Vec<f64> = (0..rows * cols).map(|k| entry(k % rows, k / rows)).collect();
        let source = if sparse {
            Source::without_zeros(&x, rows, cols)
        } else {
            Source::dense(&x, rows, cols)
        };
        let y = (0..rows).map(|i| x[i] + 3.0 * x[4 * rows + i] + (i as f64).sin()).collect();
        let design = Design::new(source, intercept, |_| 1.0, || Ok::<(), ()>(())).unwrap();
        Data { design: design.into(), y, intercept }
    }

    /// How far a slope is from what it should be at the minimum.
    fn worst_slope(task: &Task, l1: f64) -> f64 {
        let slopes = task.correlations(0..task.beta.len());
        slopes.iter().zip(&task.beta).fold(0.0, |worst: f64, (slope, b)| {
            worst.max(if *b == 0.0 { slope.abs() - l1 } else { (slope - l1 * b.signum()).abs() })
        })
    }

    #[test]
    fn steps_of_newton_end_what_sweeps_do_not() {
        let (control, l1) = (Control::default(), 0.1);
        let (rows, cols) = (80, 240);
        let plan = WeightPlan::new(5, Law::Exponential, PriorWeight::Fixed, rows);
        let all: Vec<u32> = (0..cols as u32).collect();
        for intercept in [true, false] {
            let data = data(rows, cols, true, intercept);
            let mut task = Task::new(RowWeights::Draw(plan.draw(1)), cols);
            task.penalty.l1.fill(l1);
            pass(&data, &mut [&mut task], &control).unwrap();
            let mut descent = Descent::new(&data, &mut task);
            descent.admit(&data, &all, &control).unwrap();
            assert!(!descent.approach(&data, &mut task, 1e-7, 1e-3, &control).unwrap());
            assert!(descent.leap(&data, &mut task, 1e-7, &control).unwrap());
            descent.finish(&mut task);
            pass(&data, &mut [&mut task], &control).unwrap();
            let support = task.beta.iter().filter(|b| **b != 0.0).count();
            assert!((30..=80).contains(&support), "{support}");
            assert!(worst_slope(&task, l1) < 1e-6 * l1, "{}", worst_slope(&task, l1));
        }
    }

    #[test]
    fn ends_where_the_slopes_say_that_it_may() {
        let control = Control::default();
        for (rows, cols) in [(90, 30), (40, 70)] {
            let plan = WeightPlan::new(3, Law::Exponential, PriorWeight::Fixed, rows);
            for (sparse, intercept, ridge) in
                [(true, true, 0.0), (false, true, 0.0), (true, false, 1.0), (false, false, 1.0)]
            {
                let data = data(rows, cols, sparse, intercept);
                let mut task = Task::new(RowWeights::Draw(plan.draw(1)), cols);
                task.penalty.l1.fill(1.5);
                task.penalty.ridge.fill(ridge);
                pass(&data, &mut [&mut task], &control).unwrap();
                let mut descent = Descent::new(&data, &mut task);
                let all: Vec<u32> = (0..cols as u32).collect();
                assert!(descent.admit(&data, &all, &control).unwrap());
                assert!(!descent.admit(&data, &all, &control).unwrap());
                assert!(descent.approach(&data, &mut task, 1e-9, 1e6, &control).unwrap());
                pass(&data, &mut [&mut task], &control).unwrap();
                assert!(task.beta.iter().any(|b| *b != 0.0));
                let off = worst_slope(&task, 1.5);
                assert!(off < 1e-8, "{rows} {sparse} {intercept}: {off}");
            }
        }
    }

    /// Most columns have one entry, in this row.
    fn row_of(j: usize, rows: usize) -> usize {
        (j * j + j / 7) % rows
    }

    fn crowded(rows: usize, cols: usize) -> Data {
        let mut x = vec![0.0; rows * cols];
        for j in 0..cols {
            let size = (1.0 + j as f64).sin();
            x[j * rows + row_of(j, rows)] = size;
            if j % 3 == 0 {
                x[j * rows + (7 * j + 1) % rows] = size.cos();
            }
        }
        let y = (0..rows).map(|i| (3.0 * i as f64).sin()).collect();
        let source = Source::without_zeros(&x, rows, cols);
        let design = Design::new(source, true, |_| 1.0, || Ok::<(), ()>(())).unwrap();
        Data { design: design.into(), y, intercept: true }
    }

    #[test]
    fn the_first_of_equal_columns_has_what_a_start_gave_to_all() {
        let (control, l1, rows, cols) = (Control::default(), 3.0, 60, 600);
        let data = crowded(rows, cols);
        let plan = WeightPlan::new(5, Law::Exponential, PriorWeight::Fixed, rows);
        let all: Vec<u32> = (0..cols as u32).collect();
        for ridge in [0.0, 0.5] {
            let mut task = Task::new(RowWeights::Draw(plan.draw(1)), cols);
            task.penalty.l1.fill(l1);
            task.penalty.ridge.fill(ridge);
            pass(&data, &mut [&mut task], &control).unwrap();
            task.beta.iter_mut().enumerate().for_each(|(j, b)| *b = 1e-3 * (j as f64).cos());
            let mut descent = Descent::new(&data, &mut task);
            descent.admit(&data, &all, &control).unwrap();
            assert!(descent.minimise(&data, &mut task, 3e-9, &control).unwrap(), "{ridge}");
            pass(&data, &mut [&mut task], &control).unwrap();
            assert!(worst_slope(&task, l1) < 1e-7 * l1, "{ridge}: {}", worst_slope(&task, l1));
            let of_row = |i: usize| (0..cols).filter(move |&j| j % 3 > 0 && row_of(j, rows) == i);
            let mut most = 0;
            for i in 0..rows {
                let sizes: Vec<f64> = of_row(i).map(|j| task.beta[j].abs()).collect();
                if ridge > 0.0 {
                    assert!(sizes.iter().all(|b| (b - sizes[0]).abs() < 1e-12), "{sizes:?}");
                }
                most = most.max(sizes.iter().filter(|b| **b != 0.0).count());
            }
            assert!(if ridge > 0.0 { most > 1 } else { most == 1 }, "{ridge}: {most}");
        }
    }

    #[test]
    fn products_of_sparse_columns_are_the_slopes_that_they_make() {
        let (rows, cols, control) = (23, 7, Control::default());
        let plan = WeightPlan::new(3, Law::Exponential, PriorWeight::Fixed, rows);
        for intercept in [true, false] {
            let data = data(rows, cols, true, intercept);
            let mut task = Task::new(RowWeights::Draw(plan.draw(1)), cols);
            let mut descent = Descent::new(&data, &mut task);
            descent.admit(&data, &(0..cols as u32).collect::<Vec<_>>(), &control).unwrap();
            let Packed::Sparse(columns) = &descent.packed else { panic!("not sparse") };
            let which = [5, 0, 3, 6];
            let found = columns.products(&which, rows, || Ok::<(), ()>(())).unwrap();
            for (b, &l) in which.iter().enumerate() {
                let mut state = State { residual: vec![0.0; rows], ..State::default() };
                columns.subtract(l, -1.0, &mut state);
                for (a, &k) in which[..=b].iter().enumerate() {
                    let off = found[a * which.len() + b] - columns.slope(k, &state);
                    assert!(off.abs() < 1e-12, "{k} {l}: {off}");
                }
            }
        }
        let Packed::Sparse(none) = Packed::new(&data(9, 5, true, true)) else { return };
        assert_eq!(none.products(&[], 9, || Ok::<(), ()>(())), Ok(Vec::new()));
    }
}
