//! The log of the integral of a density that we have draws of, by a bridge to a normal distribution.

use crate::bridge::diagnose;
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::cholesky::Cholesky;
use crate::linalg::dense::{axpy, dot};
use crate::random::streams::random_stream;
use ndarray::{Array2, Axis};
use rand_distr::{Distribution, StandardNormal};
use std::f64::consts::TAU;

/// The estimate and its standard error. `fitted` and `bridged` are draws, a row each: the first give
/// the normal distribution, the second are bridged to it.
pub fn bridge(
    fitted: &Array2<f64>,
    bridged: &Array2<f64>,
    seed: u64,
    control: &Control,
    mut density: impl FnMut(&[f64]) -> Result<f64, Error>,
) -> Result<(f64, f64), Error> {
    let normal = Normal::fit(fitted, control)?;
    let mut rng = random_stream(seed, b"wbb normal stream, rev 1", 0);
    let (mut z, mut beta) = (vec![0.0; fitted.ncols()], vec![0.0; fitted.ncols()]);
    let (mut at_draws, mut at_normal) = (Vec::new(), Vec::new());
    for draw in bridged.rows() {
        z.iter_mut().zip(&draw).zip(&normal.centre).for_each(|((z, b), c)| *z = b - c);
        normal.root.solve_half(&mut z);
        beta.iter_mut().zip(&draw).for_each(|(o, b)| *o = *b);
        at_draws.push(density(&beta)? - normal.log_density(&z));
        z.iter_mut().for_each(|z| *z = StandardNormal.sample(&mut rng));
        normal.place(&z, &mut beta);
        at_normal.push(density(&beta)? - normal.log_density(&z));
    }
    let log = mean_ratio(&at_draws, &at_normal);
    let error = relative_error(log, &at_draws, &at_normal, control)?;
    Ok((log, error))
}

/// A normal distribution with the mean and covariance of some draws.
struct Normal {
    centre: Vec<f64>,
    /// R with R'R the covariance.
    root: Cholesky,
    log_constant: f64,
}

impl Normal {
    fn fit(draws: &Array2<f64>, control: &Control) -> Result<Normal, Error> {
        let (count, p) = draws.dim();
        // Sums over draws, of columns next to each other.
        let mut columns = draws.t().as_standard_layout().into_owned();
        let mut centre = vec![0.0; p];
        for (mut column, c) in columns.axis_iter_mut(Axis(0)).zip(&mut centre) {
            *c = column.iter().sum::<f64>() / count as f64;
            column.iter_mut().for_each(|v| *v -= *c);
        }
        let columns = columns.as_slice().unwrap_or_default();
        let column = |j: usize| &columns[j * count..][..count];
        let mut covariance = Array2::zeros((p, p));
        for j in 0..p {
            for k in j..p {
                control.check()?;
                covariance[[j, k]] = dot(column(j), column(k)) / (count as f64 - 1.0);
            }
        }
        let fill = |row: usize, out: &mut [f64]| {
            out.iter_mut().zip(covariance.row(row).iter().skip(row)).for_each(|(o, v)| *o = *v);
            0.0
        };
        let mut root = Cholesky::default();
        root.factor_while(p, fill, || control.check())?;
        if root.has_dependence() {
            let text = format!(
                "must be larger: {count} draws of {p} coefficients do not determine their covariance"
            );
            return Err(Error::argument("draws", text));
        }
        let log_root: f64 = (0..p).map(|k| root.row(k)[0].ln()).sum();
        Ok(Normal { centre, log_constant: -0.5 * p as f64 * TAU.ln() - log_root, root })
    }

    /// Of the point that `place` makes of z.
    fn log_density(&self, z: &[f64]) -> f64 {
        self.log_constant - 0.5 * dot(z, z)
    }

    /// centre + R'z.
    fn place(&self, z: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&self.centre);
        for (k, z) in z.iter().enumerate() {
            axpy(*z, self.root.row(k), &mut out[k..]);
        }
    }
}

/// Meng & Wong's iteration for the log of the ratio of two integrals, from the logs of the ratio of
/// their densities at draws of the one and of the other, equally many.
fn mean_ratio(at_draws: &[f64], at_normal: &[f64]) -> f64 {
    let (mut numbers, half) = (at_draws.to_vec(), at_draws.len() / 2);
    // A good first guess, about which nothing overflows.
    let middle = *numbers.select_nth_unstable_by(half, f64::total_cmp).1;
    let mut log = 0.0f64;
    for _ in 0..1000 {
        let ratio = |at: f64| (at - middle - log).exp();
        let above: f64 = at_normal.iter().map(|&at| upper(ratio(at))).sum();
        let below: f64 = at_draws.iter().map(|&at| lower(ratio(at))).sum();
        let step = (above / below).ln();
        log += step;
        if step.abs() < 1e-10 {
            break;
        }
    }
    middle + log
}

/// r/(r + 1), also of an infinite r.
fn upper(ratio: f64) -> f64 {
    1.0 / (1.0 + 1.0 / ratio)
}

fn lower(ratio: f64) -> f64 {
    1.0 / (ratio + 1.0)
}

/// Frühwirth-Schnatter (2004): the draws are dependent and count by their effective number.
fn relative_error(
    log: f64,
    at_draws: &[f64],
    at_normal: &[f64],
    control: &Control,
) -> Result<f64, Error> {
    let above: Vec<f64> = at_normal.iter().map(|at| upper((at - log).exp())).collect();
    let below: Vec<f64> = at_draws.iter().map(|at| lower((at - log).exp())).collect();
    let effective = diagnose(&below, 1, control)?.1;
    Ok((relative_variance(&above) / above.len() as f64 + relative_variance(&below) / effective)
        .sqrt())
}

fn relative_variance(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    values.iter().map(|v| (v / mean - 1.0).powi(2)).sum::<f64>() / (count - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normals(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
        let mut rng = random_stream(seed, b"wbb normal stream, rev 1", 9);
        Array2::from_shape_simple_fn((rows, columns), || StandardNormal.sample(&mut rng))
    }

    #[test]
    fn a_normal_integral_is_exact_and_a_heavy_tail_within_its_error() {
        let (a, b) = (normals(4000, 3, 1), normals(4000, 3, 2));
        let control = Control::default();
        // e⁵ times a standard normal density: the normal at the other end is the same but for the
        // estimated moments.
        let log = |b: &[f64]| Ok(5.0 - 1.5 * TAU.ln() - 0.5 * dot(b, b));
        let (found, error) = bridge(&a, &b, 7, &control, log).unwrap();
        assert!((found - 5.0).abs() < 5.0 * error.max(1e-3) && error < 0.01, "{found} {error}");
        // 2 e⁻²|b|, drawn exactly.
        let two_sided = |b: &Array2<f64>| {
            b.column(0).mapv(|z| {
                (-(0.5 * statrs::function::erf::erfc(z.abs() / 2f64.sqrt()) * 2.0).ln() / 2.0)
                    .copysign(z)
            })
        };
        let (a, b) = (two_sided(&a).insert_axis(Axis(1)), two_sided(&b).insert_axis(Axis(1)));
        let (found, error) =
            bridge(&a, &b, 7, &control, |b| Ok(2f64.ln() - 2.0 * b[0].abs())).unwrap();
        // ∫ 2 e^(−2|b|) = 2.
        assert!((found - 2f64.ln()).abs() < 5.0 * error && error < 0.03, "{found} {error}");
    }

    #[test]
    fn too_few_draws_are_refused() {
        let (a, b) = (normals(5, 8, 1), normals(5, 8, 2));
        let refused = bridge(&a, &b, 1, &Control::default(), |_| Ok(0.0));
        assert!(matches!(refused, Err(Error::Argument { argument: "draws", .. })));
    }
}
