//! Counts by inversion, with the same bits on every machine.

use super::errors::uniform;
use crate::linalg::elementary::exp;
use rand_chacha::ChaCha8Rng;

/// What is less likely than this, relative to the mode, does not happen.
const NEVER: f64 = 1e-18;
/// The largest mean that is simulated from: its counts are told apart one by one.
const LARGEST: f64 = 1e9;

/// Of a Poisson distribution whose mean is the exposure times e^η.
pub fn poisson(eta: f64, exposure: f64, rng: &mut ChaCha8Rng) -> f64 {
    let mean = (exposure * exp(eta)).min(LARGEST);
    count(uniform(rng), mean.floor(), |k| mean / (k + 1.0))
}

/// Of a binomial distribution with log-odds η.
pub fn binomial(eta: f64, trials: f64, rng: &mut ChaCha8Rng) -> f64 {
    let odds = exp(eta.clamp(-500.0, 500.0));
    let mode = ((trials + 1.0) * odds / (1.0 + odds)).floor().min(trials);
    count(uniform(rng), mode, |k| (trials - k) / (k + 1.0) * odds)
}

/// The u-quantile of the distribution of counts whose probabilities have `ratio(k)` = P(k + 1)/P(k), which falls: from
/// the mode outwards until nothing is left, so that no factorial is needed.
fn count(u: f64, mode: f64, ratio: impl Fn(f64) -> f64) -> f64 {
    let mut below = Vec::new();
    let (mut p, mut k) = (1.0, mode);
    while k > 0.0 {
        k -= 1.0;
        p /= ratio(k);
        if p < NEVER {
            break;
        }
        below.push(p);
    }
    let mut above = vec![1.0];
    let (mut p, mut k) = (1.0, mode);
    loop {
        p *= ratio(k);
        if p < NEVER {
            break;
        }
        above.push(p);
        k += 1.0;
    }
    let mut left = u * below.iter().chain(&above).sum::<f64>();
    let first = mode - below.len() as f64;
    for (i, p) in below.iter().rev().chain(&above).enumerate() {
        left -= p;
        if left < 0.0 {
            return first + i as f64;
        }
    }
    mode
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{Binomial, Discrete, DiscreteCDF, Poisson};

    #[test]
    fn counts_are_the_quantiles_of_their_laws() {
        for mean in [1e-3, 0.4, 1.0, 7.3, 300.0, 1e5] {
            let law = Poisson::new(mean).unwrap();
            for u in [1e-9, 0.03, 0.5, 0.77, 1.0 - 1e-9] {
                let k = count(u, f64::floor(mean), |k| mean / (k + 1.0)) as u64;
                assert!(law.cdf(k) > u - 1e-9, "{mean} {u} {k}");
                assert!(law.cdf(k) - law.pmf(k) < u + 1e-9, "{mean} {u} {k}");
            }
        }
        for (trials, p) in [(1u64, 0.3), (1, 1e-12), (9, 0.99), (2000, 0.45)] {
            let (law, odds) = (Binomial::new(p, trials).unwrap(), p / (1.0 - p));
            let mode = ((trials as f64 + 1.0) * p).floor();
            for u in [1e-9, 0.03, 0.5, 0.77, 1.0 - 1e-9] {
                let k = count(u, mode, |k| (trials as f64 - k) / (k + 1.0) * odds) as u64;
                assert!(k <= trials && law.cdf(k) > u - 1e-9, "{trials} {p} {u} {k}");
                assert!(law.cdf(k) - law.pmf(k) < u + 1e-9, "{trials} {p} {u} {k}");
            }
        }
    }
}
