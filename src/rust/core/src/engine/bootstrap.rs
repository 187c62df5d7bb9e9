//! The engine: draws → batches → modes → one table.

use super::job::{Control, for_each};
use super::memory;
use super::problem::{Mode, Status, WeightedProblem};
use crate::error::Error;
use ndarray::{Array2, Array3, Axis, ShapeBuilder, s};
use std::sync::{Mutex, PoisonError};

/// The draws of a run: tables by draw and mode, the draws next to each other in memory.
#[derive(Clone, Debug)]
pub struct Draws<A = ()> {
    /// By draw, coefficient and mode.
    pub theta: Array3<f64>,
    pub status: Array2<Status>,
    pub iterations: Array2<u32>,
    pub objective: Array2<f64>,
    pub gap: Array2<f64>,
    pub sigma: Array2<f64>,
    /// What the modes carry besides θ: by draw, then by mode.
    pub asides: Vec<A>,
}

/// Draws in the making.
struct Table<A> {
    draws: Draws<()>,
    asides: Array2<Option<A>>,
    /// Which draws are in their places.
    done: Vec<bool>,
}

impl<A> Table<A> {
    fn new(count: usize, dimension: usize, modes: usize) -> Table<A> {
        let shape = (count, modes).f();
        Table {
            draws: Draws {
                theta: Array3::zeros((count, dimension, modes).f()),
                status: Array2::from_elem(shape, Status::Empty),
                iterations: Array2::zeros(shape),
                objective: Array2::zeros(shape),
                gap: Array2::zeros(shape),
                sigma: Array2::zeros(shape),
                asides: Vec::new(),
            },
            asides: Array2::from_shape_simple_fn((count, modes), || None),
            done: vec![false; count],
        }
    }

    /// Put the modes of a draw (counted from 0) in their places. The first to come touches all of a
    /// large table's memory, so it may be stopped on the way.
    fn put(
        &mut self,
        draw: usize,
        modes: impl Iterator<Item = Mode<A>>,
        control: &Control,
    ) -> Result<(), Error> {
        const RUN: usize = 1 << 14;
        let table = &mut self.draws;
        for (m, mode) in modes.enumerate() {
            let mut row = table.theta.slice_mut(s![draw, .., m]);
            let runs = row.axis_chunks_iter_mut(Axis(0), RUN);
            for (places, values) in runs.zip(mode.theta.chunks(RUN)) {
                control.check()?;
                places.into_iter().zip(values).for_each(|(place, value)| *place = *value);
            }
            table.status[[draw, m]] = mode.sound_status();
            table.iterations[[draw, m]] = mode.iterations;
            table.objective[[draw, m]] = mode.objective;
            table.gap[[draw, m]] = mode.gap;
            table.sigma[[draw, m]] = mode.sigma;
            self.asides[[draw, m]] = Some(mode.aside);
        }
        self.done[draw] = true;
        Ok(())
    }

    /// The first draws up to the first that is not done. θ stays where it lies, as the first rows of what
    /// was to be filled: to move it could take longer than a stop may.
    fn prefix(self) -> Table<A> {
        let count = self.done.iter().position(|done| !done).unwrap_or(self.done.len());
        let Draws { mut theta, status, iterations, objective, gap, sigma, asides } = self.draws;
        theta.slice_axis_inplace(Axis(0), (..count).into());
        let draws = Draws {
            theta,
            status: first_rows(&status, count),
            iterations: first_rows(&iterations, count),
            objective: first_rows(&objective, count),
            gap: first_rows(&gap, count),
            sigma: first_rows(&sigma, count),
            asides,
        };
        let mut rows = self.asides;
        rows.slice_axis_inplace(Axis(0), (..count).into());
        Table { draws, asides: rows, done: vec![true; count] }
    }

    fn finish(self) -> Draws<A> {
        let Draws { theta, status, iterations, objective, gap, sigma, .. } = self.draws;
        let asides = self.asides.into_iter().flatten().collect();
        Draws { theta, status, iterations, objective, gap, sigma, asides }
    }
}

/// The first rows, the draws next to each other in memory as before.
fn first_rows<T: Clone>(table: &Array2<T>, count: usize) -> Array2<T> {
    Array2::from_shape_fn((count, table.ncols()).f(), |at| table[at].clone())
}

/// Solve draws `first .. first + count` (counted from 1) on the threads of the current pool. A stop
/// gives the draws that are done by then, from the first on without a gap; without any it is an error.
pub fn run<P: WeightedProblem>(
    problem: &P,
    first: u64,
    count: usize,
    control: &Control,
) -> Result<Draws<P::Aside>, Error> {
    let (stage, units) = problem.progress();
    control.begin(stage, count as u64 * units);
    let threads = rayon::current_num_threads();
    // At least two batches a thread, so that none waits long for the last.
    let batch = problem.batch().min(count.div_ceil(2 * threads)).max(1);
    let batches: Vec<usize> = (0..count).step_by(batch).collect();
    memory::room(count * problem.dimension() * problem.modes())?;
    let table = Mutex::new(Table::new(count, problem.dimension(), problem.modes()));
    let end = for_each(
        &batches,
        control,
        |&from| {
            let (a, b) = (first + from as u64, first + (from + batch).min(count) as u64 - 1);
            format!("in draws {a} to {b}")
        },
        |&from| {
            let rows = from..(from + batch).min(count);
            let draws: Vec<u64> = rows.clone().map(|row| first + row as u64).collect();
            let mut modes = problem.solve(&draws, control)?.into_iter();
            let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
            for row in rows {
                table.put(row, modes.by_ref().take(problem.modes()), control)?;
            }
            drop(table);
            if units == 1 {
                control.advance(draws.len() as u64);
            }
            Ok(())
        },
    );
    let table = table.into_inner().unwrap_or_else(PoisonError::into_inner);
    match end {
        Err(Error::Cancelled) if table.done.first() == Some(&true) => Ok(table.prefix().finish()),
        end => end.map(|()| table.finish()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// θ = (draw, mode); draw 13 panics when asked to.
    struct Echo {
        panics: bool,
    }

    impl WeightedProblem for Echo {
        type Aside = u64;

        fn dimension(&self) -> usize {
            2
        }
        fn modes(&self) -> usize {
            3
        }
        fn batch(&self) -> usize {
            4
        }
        fn solve(&self, draws: &[u64], _: &Control) -> Result<Vec<Mode<u64>>, Error> {
            assert!(!(self.panics && draws.contains(&13)), "unlucky");
            let mode = |theta: Vec<f64>| Mode {
                aside: 100 * theta[0] as u64 + theta[1] as u64,
                theta,
                status: Status::Converged,
                iterations: 1,
                objective: 0.0,
                gap: 0.0,
                sigma: 1.0,
            };
            let all = draws.iter().flat_map(|&k| (0..3).map(move |m| vec![k as f64, m as f64]));
            Ok(all.map(mode).collect())
        }
    }

    fn run_on(threads: usize, first: u64, count: usize, panics: bool) -> Result<Draws<u64>, Error> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&Echo { panics }, first, count, &Control::default()))
    }

    #[test]
    fn every_draw_lands_in_its_place() {
        for threads in [1, 3] {
            let draws = run_on(threads, 5, 10, false).unwrap();
            for row in 0..10 {
                for m in 0..3 {
                    assert_eq!(draws.theta[[row, 0, m]], (5 + row) as f64);
                    assert_eq!(draws.theta[[row, 1, m]], m as f64);
                    assert_eq!(draws.status[[row, m]], Status::Converged);
                    assert_eq!(draws.asides[row * 3 + m], 100 * (5 + row as u64) + m as u64);
                }
            }
            // R reads the memory as it lies: draws fastest.
            assert_eq!(draws.theta.into_raw_vec_and_offset().0[..3], [5.0, 6.0, 7.0]);
        }
    }

    #[test]
    fn a_panic_names_its_draws() {
        let error = run_on(1, 5, 16, true).unwrap_err();
        assert_eq!(error, Error::Internal("in draws 13 to 16: unlucky".into()));
    }

    /// Stops itself at draw 9.
    struct Stopping<'a>(&'a Control);

    impl WeightedProblem for Stopping<'_> {
        type Aside = u64;

        fn dimension(&self) -> usize {
            2
        }
        fn modes(&self) -> usize {
            3
        }
        fn solve(&self, draws: &[u64], control: &Control) -> Result<Vec<Mode<u64>>, Error> {
            if draws.contains(&9) {
                self.0.stop();
            }
            control.check()?;
            Echo { panics: false }.solve(draws, control)
        }
    }

    #[test]
    fn a_stop_keeps_the_draws_that_are_done() {
        let control = Control::default();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let draws = pool.install(|| run(&Stopping(&control), 5, 10, &control)).unwrap();
        assert_eq!(draws.theta.dim(), (4, 2, 3));
        assert_eq!(draws.status.dim(), (4, 3));
        assert_eq!(draws.asides.len(), 12);
        assert_eq!(draws.asides[11], 802);
        assert_eq!(draws.theta.slice(s![.., 0, 2]).to_vec(), [5.0, 6.0, 7.0, 8.0]);
        assert_eq!(draws.theta.slice(s![.., 1, 2]).to_vec(), [2.0; 4]);
        assert_eq!(draws.status.into_raw_vec_and_offset().0.len(), 12);
    }

    #[test]
    fn a_run_that_is_stopped_before_its_first_draw_is_an_error() {
        let control = Control::default();
        control.stop();
        assert_eq!(run(&Echo { panics: false }, 1, 3, &control).unwrap_err(), Error::Cancelled);
    }
}
