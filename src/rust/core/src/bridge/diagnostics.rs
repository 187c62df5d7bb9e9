//! How far the chains can be trusted: split R̂ and the effective sample size.
//!
//! As in Vehtari et al. (2021) without ranks, and as `rhat_basic` and `ess_mean` of the R package
//! posterior compute them: chains are cut in halves, and autocorrelations are summed up to Geyer's
//! (1992) initial monotone sequence.

use crate::engine::job::{Control, for_parts};
use crate::error::Error;
use crate::linalg::dense::dot;

/// The measures of several quantities, `columns` of equal length one after another.
pub fn diagnose_all(
    values: &[f64],
    columns: usize,
    chains: usize,
    control: &Control,
) -> Result<Vec<(f64, f64)>, Error> {
    let length = values.len() / columns.max(1);
    let mut measures = vec![(f64::NAN, f64::NAN); columns];
    let columns = measures.iter_mut().zip(values.chunks_exact(length.max(1)));
    for_parts(columns, control, |_, (measure, values)| {
        *measure = diagnose(values, chains, control)?;
        Ok(())
    })?;
    Ok(measures)
}

/// (R̂, effective sample size) of one quantity; `values` holds chain after chain. NaN where there
/// are too few draws or no variation.
pub fn diagnose(values: &[f64], chains: usize, control: &Control) -> Result<(f64, f64), Error> {
    let draws = values.len() / chains.max(1);
    let half = draws / 2;
    // A known value, whose mean may round to another.
    let constant = values.iter().all(|v| *v == values[0]);
    if half < 3 || constant {
        return Ok((f64::NAN, f64::NAN));
    }
    // An odd draw in the middle is left out.
    let halves: Vec<Vec<f64>> = values
        .chunks_exact(draws)
        .flat_map(|chain| [&chain[..half], &chain[draws - half..]])
        .map(<[f64]>::to_vec)
        .collect();
    Split::new(halves).measures(control)
}

/// Chains of equal length, each centred.
struct Split {
    centred: Vec<Vec<f64>>,
    length: f64,
    within: f64,
    /// Variance of the chains' means.
    between: f64,
}

impl Split {
    fn new(mut chains: Vec<Vec<f64>>) -> Split {
        let (count, length) = (chains.len() as f64, chains[0].len() as f64);
        let means: Vec<f64> = chains.iter().map(|c| c.iter().sum::<f64>() / length).collect();
        let centre = means.iter().sum::<f64>() / count;
        let between = means.iter().map(|m| (m - centre).powi(2)).sum::<f64>() / (count - 1.0);
        for (chain, mean) in chains.iter_mut().zip(&means) {
            chain.iter_mut().for_each(|v| *v -= mean);
        }
        let square = chains.iter().map(|c| dot(c, c)).sum::<f64>();
        Split { within: square / (count * (length - 1.0)), centred: chains, length, between }
    }

    /// Autocovariance at a lag, the mean over chains, with divisor n.
    fn covariance(&self, lag: usize) -> f64 {
        let of = |c: &Vec<f64>| dot(&c[lag..], &c[..c.len() - lag]) / self.length;
        self.centred.iter().map(of).sum::<f64>() / self.centred.len() as f64
    }

    fn measures(&self, control: &Control) -> Result<(f64, f64), Error> {
        let n = self.length;
        let total = self.within * (n - 1.0) / n + self.between;
        if self.within.is_nan() || self.within <= 0.0 {
            return Ok((f64::NAN, f64::NAN));
        }
        // A slow chain has many lags, and each is a pass over the draws.
        let correlation = |lag: usize| {
            control.check()?;
            Ok(1.0 - (self.within - self.covariance(lag)) / total)
        };
        let size = n * self.centred.len() as f64;
        let tau = autocorrelation_time(correlation, n as usize)?.max(1.0 / size.log10());
        Ok(((total / self.within).sqrt(), size / tau))
    }
}

/// 1 + 2 Σ ρ over Geyer's initial monotone sequence of pairs ρ(2k) + ρ(2k + 1).
fn autocorrelation_time(
    correlation: impl Fn(usize) -> Result<f64, Error>,
    length: usize,
) -> Result<f64, Error> {
    let mut rho = vec![1.0, correlation(1)?];
    let mut last_even = 1.0;
    let mut positive = rho[0] + rho[1] > 0.0;
    while positive && rho.len() + 3 < length {
        last_even = correlation(rho.len())?;
        let odd = correlation(rho.len() + 1)?;
        positive = last_even + odd > 0.0;
        rho.extend(if positive { [last_even, odd] } else { [0.0, 0.0] });
    }
    // The pair that ended the sequence counts by its even part, halved, if that is positive.
    let end = rho.len() - 2;
    let tail = if last_even > 0.0 && end > 0 { last_even } else { 0.0 };
    for k in (2..end).step_by(2) {
        let before = rho[k - 2] + rho[k - 1];
        if rho[k] + rho[k + 1] > before {
            (rho[k], rho[k + 1]) = (0.5 * before, 0.5 * before);
        }
    }
    let sum: f64 = rho[..end.max(2)].iter().sum();
    Ok(-1.0 + 2.0 * sum + tail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};

    fn measures(values: &[f64], chains: usize) -> (f64, f64) {
        diagnose(values, chains, &Control::default()).unwrap()
    }

    fn autoregression(phi: f64, draws: usize, chains: usize) -> Vec<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
        let mut all = Vec::new();
        for _ in 0..chains {
            let mut x = normal() / (1.0 - phi * phi).sqrt();
            for _ in 0..draws {
                x = phi * x + normal();
                all.push(x);
            }
        }
        all
    }

    #[test]
    fn an_autoregression_has_its_known_size() {
        // (1 − φ)/(1 + φ) of the draws; the estimate's error is a few per cent here.
        for phi in [-0.4, 0.0, 0.5, 0.9] {
            let (rhat, size) = measures(&autoregression(phi, 20_000, 4), 4);
            let expected = 80_000.0 * (1.0 - phi) / (1.0 + phi);
            assert!((size / expected - 1.0).abs() < 0.15, "{phi}: {size} {expected}");
            assert!((rhat - 1.0).abs() < 0.01, "{rhat}");
        }
    }

    #[test]
    fn chains_apart_are_seen() {
        let mut values = autoregression(0.0, 500, 2);
        values[500..].iter_mut().for_each(|v| *v += 3.0);
        let (rhat, size) = measures(&values, 2);
        assert!(rhat > 1.5 && size < 20.0, "{rhat} {size}");
    }

    #[test]
    fn a_stop_is_heard() {
        let control = Control::default();
        control.stop();
        let stopped = diagnose(&autoregression(0.9, 100, 2), 2, &control);
        assert!(matches!(stopped, Err(Error::Cancelled)));
    }

    #[test]
    fn nothing_is_said_of_a_constant_or_of_five_draws() {
        assert!(measures(&[0.1; 1000], 2).0.is_nan());
        assert!(measures(&[1.0, 2.0, 3.0, 4.0, 5.0], 1).1.is_nan());
    }
}
