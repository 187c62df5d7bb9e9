//! The engine: draws → batches → modes → one table.

use crate::error::Error;
use crate::parallel::{Control, for_each};
use crate::problem::{Mode, Status, WeightedProblem};
use std::sync::{Mutex, PoisonError};

/// The draws of a run. All tables are [draw, mode], column-major; `theta` is [draw, θ, mode].
#[derive(Clone, Debug)]
pub struct Draws {
    pub count: usize,
    pub dimension: usize,
    pub theta: Vec<f64>,
    pub status: Vec<Status>,
    pub iterations: Vec<u32>,
    pub objective: Vec<f64>,
    pub gap: Vec<f64>,
    pub sigma: Vec<f64>,
}

impl Draws {
    fn new(count: usize, dimension: usize, modes: usize) -> Draws {
        Draws {
            count,
            dimension,
            theta: vec![0.0; count * dimension * modes],
            status: vec![Status::Empty; count * modes],
            iterations: vec![0; count * modes],
            objective: vec![0.0; count * modes],
            gap: vec![0.0; count * modes],
            sigma: vec![0.0; count * modes],
        }
    }

    /// Put the modes of row `draw` (0-based) in their places.
    fn put(&mut self, draw: usize, modes: &[Mode]) {
        for (m, mode) in modes.iter().enumerate() {
            for (j, &value) in mode.theta.iter().enumerate() {
                self.theta[(m * self.dimension + j) * self.count + draw] = value;
            }
            let at = m * self.count + draw;
            self.status[at] = mode.status;
            self.iterations[at] = mode.iterations;
            self.objective[at] = mode.objective;
            self.gap[at] = mode.gap;
            self.sigma[at] = mode.sigma;
        }
    }
}

/// Solve draws `first .. first + count` (counted from 1) on the threads of the current pool.
pub fn run(
    problem: &dyn WeightedProblem,
    first: u64,
    count: usize,
    control: &Control,
) -> Result<Draws, Error> {
    let (stage, units) = problem.progress();
    control.begin(stage, count as u64 * units);
    let threads = rayon::current_num_threads();
    // At least two batches a thread, so that none waits long for the last.
    let batch = problem.batch().min(count.div_ceil(2 * threads)).max(1);
    let batches: Vec<usize> = (0..count).step_by(batch).collect();
    let table = Mutex::new(Draws::new(count, problem.dimension(), problem.modes()));
    for_each(
        &batches,
        control,
        |&from| {
            let (a, b) = (first + from as u64, first + (from + batch).min(count) as u64 - 1);
            format!("in draws {a} to {b}")
        },
        |&from| {
            let rows = from..(from + batch).min(count);
            let draws: Vec<u64> = rows.clone().map(|row| first + row as u64).collect();
            let modes = problem.solve(&draws, control)?;
            let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
            for (row, modes) in rows.zip(modes.chunks(problem.modes())) {
                table.put(row, modes);
            }
            drop(table);
            if units == 1 {
                control.advance(draws.len() as u64);
            }
            Ok(())
        },
    )?;
    // A stop during the last batch may have cut it short.
    control.check()?;
    Ok(table.into_inner().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// θ = (draw, mode); draw 13 panics when asked to.
    struct Echo {
        panics: bool,
    }

    impl WeightedProblem for Echo {
        fn dimension(&self) -> usize {
            2
        }
        fn modes(&self) -> usize {
            3
        }
        fn batch(&self) -> usize {
            4
        }
        fn solve(&self, draws: &[u64], _: &Control) -> Result<Vec<Mode>, Error> {
            assert!(!(self.panics && draws.contains(&13)), "unlucky");
            let mode = |theta| Mode {
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

    fn run_on(threads: usize, first: u64, count: usize, panics: bool) -> Result<Draws, Error> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&Echo { panics }, first, count, &Control::default()))
    }

    #[test]
    fn every_draw_lands_in_its_place() {
        for threads in [1, 3] {
            let draws = run_on(threads, 5, 10, false).unwrap();
            for row in 0..10 {
                for m in 0..3 {
                    assert_eq!(draws.theta[(2 * m) * 10 + row], (5 + row) as f64);
                    assert_eq!(draws.theta[(2 * m + 1) * 10 + row], m as f64);
                    assert_eq!(draws.status[m * 10 + row], Status::Converged);
                }
            }
        }
    }

    #[test]
    fn a_panic_names_its_draws() {
        let error = run_on(1, 5, 16, true).unwrap_err();
        assert_eq!(error, Error::Internal("in draws 13 to 16: unlucky".into()));
    }

    #[test]
    fn a_stopped_run_gives_no_draws() {
        let control = Control::default();
        control.stop();
        assert_eq!(run(&Echo { panics: false }, 1, 3, &control).unwrap_err(), Error::Cancelled);
    }
}
