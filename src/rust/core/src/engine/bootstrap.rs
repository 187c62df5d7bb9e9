//! The engine: draws → batches → modes → blocks.

use super::job::{Control, for_each};
use super::memory;
use super::problem::{Mode, Status, WeightedProblem};
use crate::error::Error;
use ndarray::{Array2, Array3, ShapeBuilder, s};
use std::sync::{Mutex, PoisonError};

/// The draws of a run as the batches left them. A table by columns, as R has it, is made where it is wanted: a draw put into
/// its place in one would touch as many pages as it has numbers, and a stop would wait for all of them to be given back.
#[derive(Clone, Debug)]
pub struct Blocks<A> {
    pub draws: usize,
    /// Of each draw, and the numbers of each.
    pub modes: usize,
    pub dimension: usize,
    pub blocks: Vec<Block<A>>,
}

/// The modes of a batch, draw after draw.
#[derive(Clone, Debug)]
pub struct Block<A> {
    /// Mode after mode.
    pub theta: Vec<f64>,
    pub status: Vec<Status>,
    pub iterations: Vec<u32>,
    pub objective: Vec<f64>,
    pub gap: Vec<f64>,
    pub sigma: Vec<f64>,
    /// What the modes carry besides θ.
    pub asides: A,
}

impl<A> Block<A> {
    fn new<B>(modes: Vec<Mode<B>>, pack: impl FnOnce(Vec<B>) -> A) -> Block<A> {
        let count = modes.len();
        let of_modes = |f: fn(&Mode<B>) -> f64| -> Vec<f64> { modes.iter().map(f).collect() };
        let status = modes.iter().map(Mode::sound_status).collect();
        let iterations = modes.iter().map(|mode| mode.iterations).collect();
        let (objective, gap) = (of_modes(|mode| mode.objective), of_modes(|mode| mode.gap));
        let sigma = of_modes(|mode| mode.sigma);
        let mut theta = Vec::new();
        let mut asides = Vec::with_capacity(count);
        for mode in modes {
            if theta.is_empty() {
                // One alone stays where it lies.
                theta = mode.theta;
                theta.reserve_exact((count - 1) * theta.len());
            } else {
                theta.extend_from_slice(&mode.theta);
            }
            asides.push(mode.aside);
        }
        Block { theta, status, iterations, objective, gap, sigma, asides: pack(asides) }
    }
}

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

impl<A> From<Blocks<Vec<A>>> for Draws<A> {
    fn from(all: Blocks<Vec<A>>) -> Draws<A> {
        let (modes, width) = (all.modes, all.dimension);
        let shape = (all.draws, modes).f();
        let mut draws = Draws {
            theta: Array3::zeros((all.draws, width, modes).f()),
            status: Array2::from_elem(shape, Status::Empty),
            iterations: Array2::zeros(shape),
            objective: Array2::zeros(shape),
            gap: Array2::zeros(shape),
            sigma: Array2::zeros(shape),
            asides: Vec::new(),
        };
        let mut at = 0;
        for block in all.blocks {
            for i in 0..block.status.len() {
                let (draw, mode) = ((at + i) / modes, (at + i) % modes);
                let theta = &block.theta[i * width..][..width];
                let places = draws.theta.slice_mut(s![draw, .., mode]);
                places.into_iter().zip(theta).for_each(|(place, value)| *place = *value);
                draws.status[[draw, mode]] = block.status[i];
                draws.iterations[[draw, mode]] = block.iterations[i];
                draws.objective[[draw, mode]] = block.objective[i];
                draws.gap[[draw, mode]] = block.gap[i];
                draws.sigma[[draw, mode]] = block.sigma[i];
            }
            at += block.status.len();
            draws.asides.extend(block.asides);
        }
        draws
    }
}

/// Solve draws `first .. first + count` (counted from 1) on the threads of the current pool. A stop
/// gives the draws that are done by then, from the first on without a gap; without any it is an error.
pub fn run<P: WeightedProblem>(
    problem: &P,
    first: u64,
    count: usize,
    control: &Control,
) -> Result<Draws<P::Aside>, Error> {
    run_packed(problem, first, count, control, |_, asides| asides).map(Draws::from)
}

/// The same by blocks; `pack` gets the number of a block's first draw, and what its modes carry.
pub fn run_packed<P: WeightedProblem, A: Send>(
    problem: &P,
    first: u64,
    count: usize,
    control: &Control,
    pack: impl Fn(u64, Vec<P::Aside>) -> A + Sync,
) -> Result<Blocks<A>, Error> {
    let (stage, units) = problem.progress();
    control.begin(stage, count as u64 * units);
    let threads = rayon::current_num_threads();
    // At least two batches a thread, so that none waits long for the last.
    let batch = problem.batch().min(count.div_ceil(2 * threads)).max(1);
    let batches: Vec<usize> = (0..count).step_by(batch).collect();
    memory::room(count * problem.dimension() * problem.modes())?;
    let slots = Mutex::new(Vec::from_iter(batches.iter().map(|_| None)));
    let end = for_each(
        &batches,
        control,
        |&from| {
            let (a, b) = (first + from as u64, first + (from + batch).min(count) as u64 - 1);
            format!("in draws {a} to {b}")
        },
        |&from| {
            let draws: Vec<u64> =
                (from..(from + batch).min(count)).map(|row| first + row as u64).collect();
            let modes = problem.solve(&draws, control)?;
            let block = Block::new(modes, |asides| pack(first + from as u64, asides));
            slots.lock().unwrap_or_else(PoisonError::into_inner)[from / batch] = Some(block);
            if units == 1 {
                control.advance(draws.len() as u64);
            }
            Ok(())
        },
    );
    let slots = slots.into_inner().unwrap_or_else(PoisonError::into_inner);
    // The first up to the first that is not done.
    let blocks: Vec<Block<A>> = slots.into_iter().map_while(|block| block).collect();
    match end {
        Err(Error::Cancelled) if !blocks.is_empty() => {}
        end => end?,
    }
    let (modes, dimension) = (problem.modes(), problem.dimension());
    let done: usize = blocks.iter().map(|block| block.status.len()).sum();
    Ok(Blocks { draws: done / modes.max(1), modes, dimension, blocks })
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
