//! One normal observation with a Laplace prior: exact means (MATH 2.1 and 3), and draws.
//!
//! y ~ N(θ, 1), θ ~ Laplace with rate λ; both means are odd in y, so take y ≥ 0. With
//!
//! ```text
//! Iₙ(x) = ∫₀^∞ tⁿ exp(−t²/2 − xt) dt        (I₀ is Mills' ratio)
//! ```
//!
//! the posterior mean is (I₁(λ − y) − I₁(λ + y)) / (I₀(λ − y) + I₀(λ + y)). Mitchell's form
//! y + λ (F(y) − F(−y)) / (F(y) + F(−y)) is the same number, but subtracts two of size λ to find one
//! of size y/λ². Here every sum has terms of one sign, or terms that do not cancel.
//!
//! The weighted Bayesian bootstrap of this problem is soft thresholding at λ w₀/w₁.
//!
//! The special functions are those of statrs where it is exact; the far tail has its own fraction.

mod draws;

pub use draws::draws;
use statrs::function::exponential::integral;
use statrs::function::gamma::gamma_ur;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, PI};

/// E(θ | y) for y ~ N(θ, σ²) and a Laplace prior with rate λ.
pub fn posterior_mean(y: f64, lambda: f64, sigma: f64) -> f64 {
    let (scaled, rate) = (y.abs() / sigma, lambda * sigma);
    let mean = if rate == 0.0 {
        y.abs()
    } else if scaled - rate > 37.0 {
        // The prior's kink is out of reach: a normal posterior, shifted by λσ².
        y.abs() - rate * sigma
    } else {
        sigma * standard_mean(scaled, rate)
    };
    mean.min(y.abs()).copysign(y)
}

/// The mean for σ = 1, y ≥ 0, λ > 0 and y − λ ≤ 37.
fn standard_mean(y: f64, lambda: f64) -> f64 {
    // Below, λ − y is not too near λ + y for their difference.
    if y <= 0.5 * lambda.max(1.0) {
        return mean_by_series(y, lambda);
    }
    let (low, high) = (Mills::at(lambda - y), Mills::at(lambda + y));
    (low.first - high.first) / (low.zeroth + high.zeroth)
}

/// Σ y²ᵏ⁺¹ I₂ₖ₊₂(λ)/(2k+1)! over Σ y²ᵏ I₂ₖ(λ)/(2k)!, from sinh and cosh under the integrals.
fn mean_by_series(y: f64, lambda: f64) -> f64 {
    let ratio = moment_ratios(lambda);
    let (mut above, mut below) = (0.0, 1.0);
    // The denominator's last term, yⁿ⁻¹ Iₙ₋₁ / ((n − 1)! I₀); the numerator's next is yⁿ Iₙ₊₁ / (n! I₀).
    let mut term = 1.0;
    for n in (1..SERIES).step_by(2) {
        let odd = term * ratio[n - 1] * ratio[n] * y / n as f64;
        term = odd * y / (n + 1) as f64;
        above += odd;
        below += term;
        if odd <= 1e-18 * above {
            break;
        }
    }
    above / below
}

/// Terms of the series: at y = λ/2 they fall by a quarter.
const SERIES: usize = 64;

/// ρₙ = Iₙ(x) / Iₙ₋₁(x) for n = 1 …, x ≥ 0, from Iₙ₊₁ = n Iₙ₋₁ − x Iₙ.
fn moment_ratios(x: f64) -> [f64; SERIES] {
    let mut ratio = [0.0; SERIES];
    if x < 1.0 {
        // Upwards: few terms are needed where y ≤ ½, and they do not yet cancel.
        let (mut before, mut now) = (Mills::at(x).zeroth, Mills::at(x).first);
        for n in 1..20 {
            ratio[n - 1] = now / before;
            (before, now) = (now, n as f64 * before - x * now);
        }
        return ratio;
    }
    for (n, rho) in downwards(x, SERIES + 300) {
        if n <= SERIES {
            ratio[n - 1] = rho;
        }
    }
    ratio
}

/// (n, ρₙ) from n = `from` to 1 by the continued fraction ρₙ = n / (x + ρₙ₊₁): all terms positive.
fn downwards(x: f64, from: usize) -> impl Iterator<Item = (usize, f64)> {
    let mut rho = 0.5 * ((x * x + 4.0 * (from + 1) as f64).sqrt() - x);
    (1..=from).rev().map(move |n| {
        rho = n as f64 / (x + rho);
        (n, rho)
    })
}

/// I₀ and I₁.
struct Mills {
    zeroth: f64,
    first: f64,
}

impl Mills {
    /// For x ≥ −37, where I₀ does not yet overflow.
    fn at(x: f64) -> Mills {
        if x < 1.0 {
            let zeroth = (2.0 * PI).sqrt() * (0.5 * x * x).exp() * 0.5 * erfc(x * FRAC_1_SQRT_2);
            return Mills { zeroth, first: 1.0 - x * zeroth };
        }
        let rho = downwards(x, 300).last().map_or(0.0, |(_, rho)| rho);
        let zeroth = 1.0 / (x + rho);
        Mills { zeroth, first: rho * zeroth }
    }
}

/// The complementary error function: Q(½, x²). (statrs' own `erfc` is off by 9e-11 at 0.7.)
fn erfc(x: f64) -> f64 {
    let square = x * x;
    // statrs takes 1e-15 for 0, where erfc is a straight line.
    let above = if square < 1e-14 { 1.0 - FRAC_2_SQRT_PI * x.abs() } else { gamma_ur(0.5, square) };
    if x < 0.0 { 2.0 - above } else { above }
}

/// Mean of the weighted Bayesian bootstrap with w₀ ~ Exp(1): y − λ log(1 + y/λ).
pub fn wbb_mean_random(y: f64, lambda: f64) -> f64 {
    let size = y.abs();
    if lambda == 0.0 || size == 0.0 {
        return y;
    }
    let ratio = size / lambda;
    let mean = if ratio < 0.5 {
        lambda * excess_over_log(ratio)
    } else if ratio.is_finite() {
        size - lambda * ratio.ln_1p()
    } else {
        size - lambda * (size.ln() - lambda.ln())
    };
    mean.copysign(y)
}

/// u − log(1 + u) for small u ≥ 0: log(1 + u) = 2 artanh(s) with s = u/(2 + u), and u − 2s = us.
fn excess_over_log(u: f64) -> f64 {
    let s = u / (2.0 + u);
    let square = s * s;
    let mut tail = 0.0;
    for k in (1..14).rev() {
        tail = square * (1.0 / (2 * k + 1) as f64 + tail);
    }
    u * s - 2.0 * s * tail
}

/// Mean of the weighted Bayesian bootstrap with w₀ = 1: y E₂(λ/y).
pub fn wbb_mean_fixed(y: f64, lambda: f64) -> f64 {
    if lambda == 0.0 || y == 0.0 { y } else { y * exponential_integral_2(lambda / y.abs()) }
}

/// E₂(v), v > 0.
fn exponential_integral_2(v: f64) -> f64 {
    // For v > 1 statrs waits for a step of its fraction that changes no bit, and may never see it:
    // 1.0004 is such a v.
    integral(v, 2).unwrap_or_else(|| exponential_integral_2_by_steps(v))
}

/// Abramowitz & Stegun 5.1.22 in its even form; 80 terms reach double precision at v = 1.
fn exponential_integral_2_by_steps(v: f64) -> f64 {
    let mut fraction = 0.0;
    for k in (1..=80).rev() {
        let k = f64::from(k);
        fraction = k * (k + 1.0) / (v + 2.0 + 2.0 * k - fraction);
    }
    (-v).exp() / (v + 2.0 - fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// E(θ | y) by the trapezium rule on both sides of the kink, after t = exp(u − e⁻ᵘ): double
    /// exponential, exact to rounding.
    fn quadrature(y: f64, lambda: f64) -> f64 {
        let (mut above, mut below) = (0.0, 0.0);
        let top = (y - lambda).max(0.0);
        let best = -0.5 * (y - top).powi(2) - lambda * top;
        let h = 1.0 / 512.0;
        let side = |sign: f64, above: &mut f64, below: &mut f64| {
            for k in -3000..6000 {
                let u = f64::from(k) * h;
                let t = (u - (-u).exp()).exp();
                let theta = sign * t;
                let log = -0.5 * (y - theta).powi(2) - lambda * t - best;
                let weight = log.exp() * t * (1.0 + (-u).exp());
                *above += theta * weight;
                *below += weight;
            }
        };
        side(1.0, &mut above, &mut below);
        side(-1.0, &mut above, &mut below);
        above / below
    }

    #[test]
    fn posterior_mean_is_that_of_quadrature() {
        for y in [0.1, 0.49, 0.51, 1.0, 2.0, 3.0, 5.0, 8.0] {
            for lambda in [1e-8, 0.1, 0.5, 0.99, 1.01, 2.0, 3.9, 5.0, 20.0] {
                let (found, truth) = (posterior_mean(y, lambda, 1.0), quadrature(y, lambda));
                assert!(
                    (found - truth).abs() < 1e-11 * truth.max(0.1),
                    "{y} {lambda}: {found} {truth}"
                );
            }
        }
        // The number that the paper's misprint misses.
        assert!((posterior_mean(2.0, 2.0, 1.0) - 0.6353).abs() < 5e-5);
    }

    #[test]
    fn posterior_mean_is_stable_everywhere() {
        let sizes = [0.0, 1e-300, 1e-8, 0.3, 1.0, 7.0, 50.0, 1e3, 1e6];
        for lambda in [0.0, 1e-300, 1e-9, 0.7, 1.0, 20.0, 1e3, 1e6] {
            let mut last = 0.0;
            for y in sizes {
                let mean = posterior_mean(y, lambda, 1.0);
                assert!(mean.is_finite() && mean >= last && mean <= y, "{y} {lambda} {mean}");
                assert_eq!(posterior_mean(-y, lambda, 1.0), -mean);
                last = mean;
            }
        }
        assert_eq!(posterior_mean(1e6, 20.0, 1.0), 1e6 - 20.0);
        // λ → ∞: the mean is 2y/λ².
        assert!((posterior_mean(2.0, 1e6, 1.0) * 1e12 / 4.0 - 1.0).abs() < 1e-9);
        assert!((posterior_mean(1e-6, 1e6, 1.0) * 1e18 / 2.0 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn branches_meet() {
        for lambda in [0.2, 0.999_999, 1.0, 1.000_001, 3.0, 100.0, 1e5] {
            for y in [0.5 * f64::max(lambda, 1.0), lambda + 37.0, lambda - 1.0] {
                let step = 1e-9 * y.abs();
                let (a, b) =
                    (posterior_mean(y - step, lambda, 1.0), posterior_mean(y + step, lambda, 1.0));
                assert!((a - b).abs() <= 4.0 * step, "{lambda} {y}: {a} {b}");
            }
        }
    }

    #[test]
    fn scale_only_scales() {
        for (y, lambda, sigma) in [(3.0, 0.4, 2.5), (-1e4, 2.0, 30.0), (0.2, 50.0, 0.01)] {
            let scaled = sigma * posterior_mean(y / sigma, lambda * sigma, 1.0);
            let mean = posterior_mean(y, lambda, sigma);
            assert!((mean - scaled).abs() <= 1e-13 * mean.abs(), "{mean} {scaled}");
        }
    }

    #[test]
    fn bootstrap_means_are_integrals_of_soft_thresholding() {
        // E max(y − λq, 0) over the law of q = w₀/w₁ is ∫₀^y P(λq ≤ s) ds.
        for (y, lambda) in [(2.0, 0.1), (2.0, 2.0), (0.3, 5.0), (40.0, 1.0), (1.0, 1.0)] {
            let cells = 200_000;
            let integral = |cdf: &dyn Fn(f64) -> f64| {
                let h = y / f64::from(cells);
                // Midpoints; the error falls as h².
                (0..cells).map(|k| cdf((f64::from(k) + 0.5) * h)).sum::<f64>() * h
            };
            let random = integral(&|s| s / (lambda + s));
            let fixed = integral(&|s| (-lambda / s).exp());
            assert!(
                (wbb_mean_random(y, lambda) - random).abs() < 1e-9 * y.max(1.0),
                "{y} {lambda}"
            );
            assert!((wbb_mean_fixed(y, lambda) - fixed).abs() < 1e-9 * y.max(1.0), "{y} {lambda}");
        }
    }

    #[test]
    fn bootstrap_means_are_stable_everywhere() {
        for mean in [wbb_mean_random, wbb_mean_fixed] {
            for lambda in [0.0, 1e-300, 1e-9, 0.7, 20.0, 1e6] {
                let mut last = 0.0;
                for y in [0.0, 1e-300, 1e-8, 0.3, 1.0, 50.0, 1e6] {
                    let value = mean(y, lambda);
                    assert!(
                        value.is_finite() && value >= last && value <= y,
                        "{y} {lambda} {value}"
                    );
                    assert_eq!(mean(-y, lambda), -value);
                    last = value;
                }
            }
        }
        assert!((wbb_mean_random(1e-3, 1e6) / 0.5e-12 - 1.0).abs() < 1e-8);
        assert_eq!(wbb_mean_fixed(1e-308, 1e6), 0.0);
    }

    #[test]
    fn the_exponential_integral_is_there_where_statrs_gives_up() {
        let mut given_up = 0;
        for k in 0..20_000 {
            let v = 1.0 + f64::from(k) * 1e-4;
            given_up += u32::from(integral(v, 2).is_none());
            let (found, ours) = (exponential_integral_2(v), exponential_integral_2_by_steps(v));
            assert!((found / ours - 1.0).abs() < 1e-13, "{v}: {found} {ours}");
        }
        assert!(given_up > 0);
    }
}
