//! β given the scales: Gaussian, with precision X'X/σ² + Λ.
//!
//! At most as many columns as rows: a p × p Cholesky factor of the precision, scaled to unit
//! diagonal, because the Λⱼ of one draw differ by dozens of orders of magnitude. More columns than
//! rows: Bhattacharya, Chakraborty & Mallick (2016), an n × n factor.

mod few;
mod many;
mod moments;
mod rows;

use super::data::Data;
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::dense::dot;
pub use moments::Moments;
use rand::Rng;
pub use rows::least_squares;

/// How well y can be fitted at all.
#[derive(Clone, Copy, Debug)]
pub struct Fit {
    /// Columns that do not depend on others.
    pub rank: usize,
    /// |y − Xβ|² at the β that fits best; with more columns than rows an upper bound of it, which is
    /// zero where it is.
    pub square: f64,
}

/// Draws β and knows the residual sum of squares, without allocating.
pub enum Gaussian<'a> {
    Few(few::Few<'a>),
    Many(many::Many<'a>),
    Rows(rows::Rows<'a>),
}

impl<'a> Gaussian<'a> {
    /// `moments` are there with at most as many columns as rows.
    pub fn new(data: &'a Data, moments: Option<&'a Moments>) -> Gaussian<'a> {
        match moments {
            Some(moments) if data.columns() <= few::MOST => Gaussian::Few(few::Few::new(moments)),
            Some(moments) => Gaussian::Many(many::Many::new(moments)),
            None => Gaussian::Rows(rows::Rows::new(data)),
        }
    }

    /// β ~ N(V X'y/σ², V), V = (X'X/σ² + Λ)⁻¹.
    #[inline]
    pub fn draw<R: Rng>(
        &mut self,
        variance: f64,
        precision: &[f64],
        beta: &mut [f64],
        rng: &mut R,
        control: &Control,
    ) -> Result<(), Error> {
        match self {
            Gaussian::Few(g) => {
                g.draw(variance, precision, beta, rng);
                Ok(())
            }
            Gaussian::Many(g) => g.draw(variance, precision, beta, rng, control),
            Gaussian::Rows(g) => g.draw(variance, precision, beta, rng, control),
        }
    }

    /// |y − Xβ|².
    #[inline]
    pub fn residual_square(&mut self, beta: &[f64], control: &Control) -> Result<f64, Error> {
        Ok(match self {
            Gaussian::Few(g) => g.moments.residual_square(beta, &mut g.gap),
            Gaussian::Many(g) => g.moments.residual_square(beta, &mut g.gap),
            Gaussian::Rows(g) => {
                g.data.residual(beta, &mut g.residual, control)?;
                dot(&g.residual, &g.residual)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bridge::data::Scaling;
    use crate::data::source::Source;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    fn made(n: usize, p: usize) -> Data {
        let x: Vec<f64> =
            (0..n * p).map(|i| ((i * i) as f64).sin() + f64::from(i % p == 0)).collect();
        let y = (0..n).map(|i| (i as f64).cos()).collect();
        let scaling = Scaling { intercept: true, standardize: true };
        Data::new(&Source::dense(&x, n, p), y, scaling, &Control::default()).unwrap()
    }

    #[test]
    fn few_and_many_columns_are_drawn_alike() {
        let control = Control::default();
        for p in [1, 7, 8, 20, 24] {
            let data = made(40, p);
            let moments = Moments::new(&data, &control).unwrap().unwrap();
            let (mut few, mut many) = (few::Few::new(&moments), many::Many::new(&moments));
            let precision: Vec<f64> = (0..p).map(|j| 10f64.powi(4 * (j as i32 % 5) - 8)).collect();
            let (mut a, mut b) = (vec![0.0; p], vec![0.0; p]);
            for seed in 0..5 {
                few.draw(0.3, &precision, &mut a, &mut ChaCha8Rng::seed_from_u64(seed));
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                many.draw(0.3, &precision, &mut b, &mut rng, &control).unwrap();
                assert!(
                    a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-9 * a.abs().max(1e-3)),
                    "{p}: {a:?} {b:?}"
                );
            }
        }
    }

    #[test]
    fn residual_squares_are_those_of_the_residuals() {
        let control = Control::default();
        for (n, p) in [(30, 5), (50, 40), (12, 12), (10, 25)] {
            let data = made(n, p);
            let moments = Moments::new(&data, &control).unwrap();
            let beta: Vec<f64> = (0..p).map(|j| (j as f64 + 1.0).sin()).collect();
            let mut residual = vec![0.0; n];
            data.residual(&beta, &mut residual, &control).unwrap();
            let exact = dot(&residual, &residual);
            let mut gaussian = Gaussian::new(&data, moments.as_ref());
            let found = gaussian.residual_square(&beta, &control).unwrap();
            assert!((found / exact - 1.0).abs() < 1e-10, "{n} {p}: {found} {exact}");
        }
    }

    #[test]
    fn a_stop_is_heard_within_a_draw() {
        let control = Control::default();
        for (n, p) in [(60, 40), (10, 25)] {
            let data = made(n, p);
            let moments = Moments::new(&data, &control).unwrap();
            let mut gaussian = Gaussian::new(&data, moments.as_ref());
            let stopped = Control::default();
            stopped.stop();
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let drawn = gaussian.draw(1.0, &vec![1.0; p], &mut vec![0.0; p], &mut rng, &stopped);
            assert_eq!(drawn, Err(Error::Cancelled));
        }
    }
}
