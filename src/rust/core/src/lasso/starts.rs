//! Where draws start: unit-weight solutions on a grid of lambdas around the user's.
//!
//! A prior weight far from one moves the draw's lambda, and with it the support, far from the mode's.
//! The unit-weight solution at a lambda near w₀λ has nearly the right support. Each point of the grid
//! is solved when the first draw asks for it, always from its neighbour towards the mode, so that it
//! is the same whoever asks.

use std::sync::OnceLock;

/// Ratio of neighbouring lambdas, and the exponents kept.
const RATIO: f64 = 1.5;
const LOWEST: i32 = -8;
const HIGHEST: i32 = 4;

pub struct Starts {
    mode: Vec<f64>,
    grid: Vec<OnceLock<Vec<f64>>>,
}

impl Starts {
    /// `mode` is the solution at the user's own lambda.
    pub fn new(mode: Vec<f64>) -> Starts {
        Starts { mode, grid: (LOWEST..=HIGHEST).map(|_| OnceLock::new()).collect() }
    }

    pub fn mode(&self) -> &[f64] {
        &self.mode
    }

    /// The start for a prior weight; `solve(factor, from)` finds the solution at that multiple of
    /// lambda from another one.
    pub fn near<E>(
        &self,
        prior: f64,
        mut solve: impl FnMut(f64, &[f64]) -> Result<Vec<f64>, E>,
    ) -> Result<&[f64], E> {
        let exponent = (libm::log(prior.max(f64::MIN_POSITIVE)) / libm::log(RATIO)).round() as i32;
        let exponent = exponent.clamp(LOWEST, HIGHEST);
        let mut start = self.mode.as_slice();
        for step in 1..=exponent.abs() {
            let at = step * exponent.signum();
            let place = &self.grid[(at - LOWEST) as usize];
            start = match place.get() {
                Some(known) => known,
                None => {
                    let found = solve(RATIO.powi(at), start)?;
                    place.get_or_init(|| found)
                }
            };
        }
        Ok(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_point_is_solved_once_and_near_the_prior_weight() {
        let starts = Starts::new(vec![1.0]);
        let solve = |factor: f64, from: &[f64]| Ok::<_, ()>(vec![factor, from[0]]);
        assert_eq!(starts.near(1.1, solve), Ok(&[1.0][..]));
        assert_eq!(starts.near(2.3, solve), Ok(&[RATIO * RATIO, RATIO][..]));
        assert_eq!(starts.near(1.6, |_, _| Err(())), Ok(&[RATIO, 1.0][..]));
        assert_eq!(starts.near(0.0, solve).map(|s| s[0]), Ok(RATIO.powi(LOWEST)));
    }
}
