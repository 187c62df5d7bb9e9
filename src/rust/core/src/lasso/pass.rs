//! One pass over the data for a batch of weighted problems: residuals and gradients.

use super::task::{Data, Task, Totals};
use crate::data::blocks::ranges;
use crate::data::design::Design;
use crate::data::rows::{sparse_accumulate, sparse_subtract};
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::dense::{Columns, Product, accumulate, subtract};
use crate::linalg::lanes::{LANES, panel_width};
use crate::linalg::panel::Beside;
use crate::loss::gaussian::{self, LeastSquares};
use crate::loss::{Loss, Sums};
use std::ops::Range;

/// Numbers that stay in the second-level cache.
const CACHED: usize = 1 << 17;

/// Read a block once in order of address: the products below jump between its columns, which no
/// prefetcher follows from main memory. What is too large to stay would be read in vain.
fn bring_in(block: &[f64]) {
    if block.len() <= CACHED {
        std::hint::black_box(block.iter().step_by(LANES).sum::<f64>());
    }
}

/// Columns of a block to multiply between two looks for a stop: about a million numbers, in
/// whole tiles of the product.
fn columns_at_once(rows: usize) -> usize {
    ((1 << 20) / rows.max(1)).next_multiple_of(12)
}

/// Which products with X a pass forms beside the fit.
#[derive(Clone, Copy)]
pub struct Wanted {
    pub gradient: bool,
    pub column_weights: bool,
}

impl Wanted {
    pub const GRADIENT: Wanted = Wanted { gradient: true, column_weights: false };
}

/// Memory that passes go on with: fresh pages cost more than the sums of a few rows.
#[derive(Default)]
pub struct Room(Vec<Vec<f64>>);

impl Room {
    fn zeros(&mut self, size: usize) -> Vec<f64> {
        let mut out = self.0.pop().unwrap_or_default();
        out.clear();
        out.resize(size, 0.0);
        out
    }
}

/// What a pass sums up, draws side by side in lines of a panel's width.
pub struct Passed {
    pub sums: Sums,
    /// X'W r, a line a column.
    pub gradient: Vec<f64>,
    /// X'w likewise, if it was asked for.
    column_weights: Vec<f64>,
    width: usize,
}

impl Passed {
    /// Of draw k, with what a sparse design leaves out: `total` is the sum of the lane's weights.
    pub fn column<'a>(
        &self,
        design: &'a Design,
        lines: &'a [f64],
        k: usize,
        total: f64,
    ) -> impl Iterator<Item = f64> + 'a {
        let (shift, width) = (design.sparse().map(|x| x.shift), self.width);
        (0..design.cols).map(move |j| lines[j * width + k] - shift.map_or(0.0, |s| s[j]) * total)
    }
}

/// The pass of any family: `betas` are the points of the draws, `fill(k, first, out)` their weights.
pub fn sweep<L: Loss>(
    design: &Design,
    loss: &L,
    betas: &[&[f64]],
    mut fill: impl FnMut(usize, usize, &mut [f64]),
    wanted: Wanted,
    room: &mut Room,
    control: &Control,
) -> Result<Passed, Error> {
    let (p, width) = (design.cols, panel_width(betas.len()));
    let all: Vec<u32> = (0..p as u32).collect();
    let which: Vec<u32> = (0..p as u32)
        .filter(|&j| design.is_sparse() || betas.iter().any(|b| b[j as usize] != 0.0))
        .collect();
    let mut coefficients = room.zeros(which.len() * width);
    let mut offset = vec![0.0; width];
    for (k, beta) in betas.iter().enumerate() {
        for (c, &j) in which.iter().enumerate() {
            coefficients[c * width + k] = beta[j as usize];
        }
        if let Some(x) = design.sparse() {
            offset[k] = x.shift.iter().zip(*beta).map(|(s, b)| s * b).sum();
        }
    }
    let mut passed = Passed {
        sums: Sums::new(L::SUMS, width),
        gradient: room.zeros(if wanted.gradient { p * width } else { 0 }),
        column_weights: vec![0.0; if wanted.column_weights { p * width } else { 0 }],
        width,
    };
    // Rows that depend on each other are together in the panels.
    let span = if loss.coupled() { design.rows.max(1) } else { design.block };
    let spans = ranges(design.rows, span);
    let mut weights = room.zeros(span * width);
    let mut residual = room.zeros(span * width);
    let mut beside = Beside::new(design.block);
    for span in spans {
        let blocks =
            || design.blocks().skip(span.start / design.block).take_while(|b| b.end <= span.end);
        let part = |rows: &Range<usize>| {
            (rows.start - span.start) * width..(rows.end - span.start) * width
        };
        for rows in blocks() {
            control.check()?;
            let count = rows.len();
            let weights = &mut weights[part(&rows)];
            beside.fill(betas.len(), count, width, weights, |k, out| fill(k, rows.start, out));
            let residual = &mut residual[part(&rows)];
            loss.begin(&rows, &offset, residual);
            if let Some(block) = design.dense_block(&rows) {
                bring_in(&block);
                let support = Columns { block: &block, rows: count, which: &which };
                subtract(
                    &Product { columns: support, coefficients: &coefficients, width },
                    residual,
                );
            } else if let Some(x) = design.sparse() {
                sparse_subtract(x, rows, &coefficients, width, residual);
            }
        }
        let all_of_it = part(&span);
        loss.add(&span, &weights[all_of_it.clone()], &mut residual[all_of_it], &mut passed.sums);
        for rows in blocks() {
            let (weights, residual) = (&weights[part(&rows)], &residual[part(&rows)]);
            if let Some(block) = design.dense_block(&rows) {
                let most = columns_at_once(rows.len());
                for (part, which) in all.chunks(most).enumerate() {
                    control.check()?;
                    let columns = Columns { block: &block, rows: rows.len(), which };
                    let lines = part * most * width..(part * most + which.len()) * width;
                    if wanted.gradient {
                        accumulate(columns, residual, width, &mut passed.gradient[lines.clone()]);
                    }
                    if wanted.column_weights {
                        accumulate(columns, weights, width, &mut passed.column_weights[lines]);
                    }
                }
            } else if let Some(x) = design.sparse() {
                control.check()?;
                if wanted.gradient {
                    sparse_accumulate(x, rows.clone(), residual, width, &mut passed.gradient);
                }
                if wanted.column_weights {
                    sparse_accumulate(x, rows, weights, width, &mut passed.column_weights);
                }
            }
        }
    }
    room.0.extend([residual, weights, coefficients]);
    Ok(passed)
}

/// Responses of their own, draws side by side; None if all share that of the data.
fn own_responses(data: &Data, tasks: &[&mut Task]) -> Option<Vec<f64>> {
    if tasks.iter().all(|t| t.response.is_none()) {
        return None;
    }
    let width = panel_width(tasks.len());
    let mut panel = vec![0.0; data.design.rows * width];
    for (k, task) in tasks.iter().enumerate() {
        let response = task.response.as_ref().unwrap_or(&data.y);
        panel.chunks_exact_mut(width).zip(response).for_each(|(line, y)| line[k] = *y);
    }
    Some(panel)
}

/// Least squares: fill `found` (and, the first time, `totals`) of every task at its β.
pub fn pass(data: &Data, tasks: &mut [&mut Task], control: &Control) -> Result<(), Error> {
    pass_in(data, tasks, &mut Room::default(), control)
}

/// The same in memory that is kept.
pub fn pass_in(
    data: &Data,
    tasks: &mut [&mut Task],
    room: &mut Room,
    control: &Control,
) -> Result<(), Error> {
    let first_time = data.intercept && tasks.iter().any(|t| t.totals.is_none());
    let wanted = Wanted { column_weights: first_time, ..Wanted::GRADIENT };
    let own = own_responses(data, tasks);
    let loss = match &own {
        Some(panel) => LeastSquares::Own { panel, width: panel_width(tasks.len()) },
        None => LeastSquares::Shared(&data.y),
    };
    let (betas, mut weights): (Vec<&[f64]>, Vec<_>) =
        tasks.iter_mut().map(|t| (t.beta.as_slice(), &mut t.weights)).unzip();
    let fill = |k: usize, first: usize, out: &mut [f64]| weights[k].fill(first, out);
    let passed = sweep(&data.design, &loss, &betas, fill, wanted, room, control)?;
    for (k, task) in tasks.iter_mut().enumerate() {
        let sum = |which: usize| passed.sums.get(which, k);
        let (w, wr) = (sum(gaussian::W), sum(gaussian::WR));
        let centred = data.intercept && w > 0.0;
        let totals = task.totals.get_or_insert_with(|| Totals {
            w,
            yy: sum(gaussian::WYY),
            xw: if data.intercept {
                passed.column(&data.design, &passed.column_weights, k, w).collect()
            } else {
                Vec::new()
            },
        });
        let b0 = if centred { wr / w } else { 0.0 };
        let found = &mut task.found;
        found.gradient.clear();
        found.gradient.extend(passed.column(&data.design, &passed.gradient, k, wr));
        if centred {
            found.gradient.iter_mut().zip(&totals.xw).for_each(|(g, s)| *g -= b0 * s);
        }
        found.b0 = b0;
        found.rr = (sum(gaussian::WRR) - b0 * b0 * w).max(0.0);
    }
    room.0.push(passed.gradient);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::source::Source;
    use crate::lasso::task::RowWeights;
    use crate::random::laws::{Law, PriorWeight};
    use crate::random::weights::WeightPlan;

    fn wave(i: usize) -> f64 {
        (i as f64 * 0.7).sin()
    }

    fn design(rows: usize, cols: usize, sparse: bool) -> Design {
        let x: Vec<f64> =
            (0..rows * cols).map(|i| if i % 3 == 0 { 0.0 } else { wave(i) }).collect();
        let source = if sparse {
            Source::without_zeros(&x, rows, cols)
        } else {
            Source::dense(&x, rows, cols)
        };
        Design::new(source, true, |_| 1.0, || Ok::<(), ()>(())).unwrap()
    }

    /// Counts of mean e^η: l = e^η − y η, no quadratic.
    struct Poisson<'a>(&'a [f64]);

    impl Loss for Poisson<'_> {
        const SUMS: usize = 2;

        fn begin(&self, _: &Range<usize>, shift: &[f64], panel: &mut [f64]) {
            panel.chunks_exact_mut(shift.len()).for_each(|line| line.copy_from_slice(shift));
        }

        fn add(&self, rows: &Range<usize>, weights: &[f64], panel: &mut [f64], sums: &mut Sums) {
            let mut lines = sums.lines();
            let (loss, residual) = (lines.next().unwrap(), lines.next().unwrap());
            let width = loss.len();
            for (i, left) in panel.iter_mut().enumerate() {
                let (y, eta) = (self.0[rows.start + i / width], -*left);
                loss[i % width] += weights[i] * (eta.exp() - y * eta);
                *left = weights[i] * (y - eta.exp());
                residual[i % width] += *left;
            }
        }
    }

    #[test]
    fn any_family_gets_the_gradient_of_its_loss() {
        let (rows, cols) = (700, 6);
        let y: Vec<f64> = (0..rows).map(|i| (i % 4) as f64).collect();
        for sparse in [false, true] {
            let design = design(rows, cols, sparse);
            let value = |beta: &[f64]| {
                let fill = |_: usize, first: usize, out: &mut [f64]| {
                    out.iter_mut()
                        .enumerate()
                        .for_each(|(r, w)| *w = 1.0 + ((first + r) % 5) as f64);
                };
                let (wanted, room) = (Wanted::GRADIENT, &mut Room::default());
                let control = Control::default();
                let passed =
                    sweep(&design, &Poisson(&y), &[beta], fill, wanted, room, &control).unwrap();
                let residual = passed.sums.get(1, 0);
                let gradient = passed.column(&design, &passed.gradient, 0, residual);
                (passed.sums.get(0, 0), gradient.collect::<Vec<_>>())
            };
            let beta: Vec<f64> = (0..cols).map(|j| 0.1 * wave(j + 3)).collect();
            let gradient = value(&beta).1;
            for j in 0..cols {
                let step = |by: f64| {
                    let mut moved = beta.clone();
                    moved[j] += by;
                    value(&moved).0
                };
                let slope = (step(1e-5) - step(-1e-5)) / 2e-5;
                assert!((slope + gradient[j]).abs() < 1e-4 * (1.0 + slope.abs()), "{j}");
            }
        }
    }

    #[test]
    fn a_task_may_have_a_response_of_its_own() {
        let (rows, cols) = (120, 4);
        let y: Vec<f64> = (0..rows).map(|i| wave(3 * i)).collect();
        let other: Vec<f64> = (0..rows).map(|i| wave(5 * i + 1)).collect();
        let plan = WeightPlan::new(1, Law::Ones, PriorWeight::Fixed, rows);
        let data = |y: &[f64]| Data {
            design: design(rows, cols, false).into(),
            y: y.to_vec(),
            intercept: true,
        };
        let task = || Task::new(RowWeights::Case(&plan), cols);
        let (mut own, mut shared, mut plain) = (task(), task(), task());
        own.response = Some(other.clone());
        let control = Control::default();
        pass(&data(&y), &mut [&mut own, &mut shared], &control).unwrap();
        pass(&data(&other), &mut [&mut plain], &control).unwrap();
        assert_eq!(own.found.gradient, plain.found.gradient);
        assert_eq!((own.found.rr, own.found.b0), (plain.found.rr, plain.found.b0));
        assert_ne!(own.found.gradient, shared.found.gradient);
    }
}
