//! Positive stable variables, exponentially tilted: exact draws.
//!
//! S of index a in (0, 1) has E exp(−θS) = exp(−θ^a); tilted by θ its density is multiplied by
//! exp(θ^a − θs), and its Laplace transform is exp(θ^a − (θ + t)^a).
//!
//! - a = ½: an inverse Gaussian variable (Michael, Schucany & Haas 1976).
//! - a = ¼, ⅛, …: if V has index 2a and tilt √θ, and U has index ½ and tilt θV², then V²U has
//!   index a and tilt θ, since E exp(−θV²U | V) = exp(−√θ V). So α = ½ costs two inverse Gaussians.
//! - otherwise a sum of m ≈ θ^a pieces by simple rejection (Hofert 2011) while that is short, and
//!   the double rejection of Devroye (2009), whose cost is bounded for all θ, where it is not.

use rand::{Rng, RngCore};
use rand_distr::{Distribution, Exp1, StandardNormal, StandardUniform};
use std::f64::consts::{FRAC_PI_2, PI, SQRT_2};

/// How to draw the scale of one coefficient, for a given α.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tilted {
    /// α = 2: no randomness.
    One,
    /// α = 2^(−k): k + 1 inverse Gaussians.
    Dyadic(u32),
    /// Any other α, by its index α/2.
    General(f64),
}

impl Tilted {
    pub fn new(alpha: f64) -> Tilted {
        if alpha == 2.0 {
            return Tilted::One;
        }
        match (0..8).find(|&k| alpha == 0.5f64.powi(k)) {
            Some(k) => Tilted::Dyadic(k as u32),
            None => Tilted::General(0.5 * alpha),
        }
    }

    /// A scale given |β|/τ = t: the stable variable of index α/2, tilted by t².
    #[inline]
    pub fn draw<R: Rng>(self, t: f64, rng: &mut R) -> f64 {
        match self {
            Tilted::One => 1.0,
            Tilted::Dyadic(0) => half(t, rng),
            Tilted::Dyadic(1) => {
                let v = half(t.sqrt(), rng);
                v * v * half(t * v, rng)
            }
            Tilted::Dyadic(levels) => dyadic(levels, t, rng),
            Tilted::General(index) => general(index, t * t, rng),
        }
    }
}

/// Index ½ tilted by t²: inverse Gaussian with mean 1/(2t) and shape ½, written so that t = 0, a
/// Lévy variable, needs no case of its own.
#[inline]
fn half<R: Rng>(t: f64, rng: &mut R) -> f64 {
    let z = normal(rng);
    let y = z * z;
    let root = 1.0 / (2.0 * t + y + (y * (4.0 * t + y)).sqrt());
    let other = 2.0 * t * root;
    // The smaller root with probability μ/(μ + root), else the larger, μ²/root.
    if uniform(rng) * (1.0 + other) <= 1.0 { root } else { root / (other * other) }
}

fn dyadic<R: Rng>(levels: u32, t: f64, rng: &mut R) -> f64 {
    let mut scale = half(t.powf(0.5f64.powi(levels as i32)), rng);
    for level in (0..levels).rev() {
        // The tilt of this level's variable is (t^(2^−level))².
        let t = t.powf(0.5f64.powi(level as i32));
        scale = scale * scale * half(t * scale, rng);
    }
    scale
}

// These stand once in the library: every copy brings the generator along, 60 kB in all, and is no faster.

#[inline(never)]
fn uniform<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    StandardUniform.sample(rng)
}

#[inline(never)]
fn normal<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    StandardNormal.sample(rng)
}

#[inline(never)]
fn exponential<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    Exp1.sample(rng)
}

/// Where pieces become more work than Devroye's double rejection.
const MANY_PIECES: f64 = 8.0;

fn general(a: f64, tilt: f64, rng: &mut dyn RngCore) -> f64 {
    if tilt.powf(a) < MANY_PIECES { by_pieces(a, tilt, rng) } else { devroye(a, tilt, rng) }
}

/// Zolotarev's function, [sin(au)^a sin((1−a)u)^(1−a) / sin u]^(1/(1−a)).
fn zolotarev(u: f64, a: f64) -> f64 {
    let b = 1.0 - a;
    (((a * u).sin().powf(a) * (b * u).sin().powf(b)) / u.sin()).powf(1.0 / b)
}

/// Hofert (2011): the sum of m pieces of Laplace transform exp(−θ^a/m), each accepted with
/// probability exp(−θ piece), on average e^(−θ^a/m).
fn by_pieces(a: f64, tilt: f64, rng: &mut dyn RngCore) -> f64 {
    let pieces = tilt.powf(a).round().max(1.0);
    let shrink = pieces.powf(-1.0 / a);
    let mut sum = 0.0;
    for _ in 0..pieces as usize {
        sum += loop {
            // Kanter's (1975) stable variable.
            let e = exponential(rng);
            let piece = shrink * (zolotarev(PI * uniform(rng), a) / e).powf((1.0 - a) / a);
            if uniform(rng) <= (-tilt * piece).exp() {
                break piece;
            }
        };
    }
    sum
}

/// B(u)/B(0) with B = sin u / (sin(au)^a sin((1−a)u)^(1−a)).
fn b_ratio(u: f64, a: f64) -> f64 {
    let sinc = |x: f64| if x < 1e-8 { 1.0 } else { x.sin() / x };
    sinc(u) / (sinc(a * u).powf(a) * sinc((1.0 - a) * u).powf(1.0 - a))
}

/// Devroye (2009), the double rejection method, in his notation.
fn devroye(a: f64, tilt: f64, rng: &mut dyn RngCore) -> f64 {
    let tilt_a = tilt.powf(a);
    let b = (1.0 - a) / a;
    let gamma = tilt_a * a * (1.0 - a);
    let root_gamma = gamma.sqrt();
    let half_normal = FRAC_PI_2.sqrt();
    let c3 = (2.0 + half_normal) * root_gamma;
    let xi = (1.0 + SQRT_2 * c3) / PI;
    let psi = c3 * (-gamma * PI * PI / 8.0).exp() / PI.sqrt();
    let w1 = half_normal * xi / root_gamma;
    let w2 = 2.0 * PI.sqrt() * psi;
    let w3 = xi * PI;
    loop {
        let (u, z, bound) = loop {
            let v = uniform(rng);
            let w = uniform(rng);
            let u = if gamma >= 1.0 && v < w1 / (w1 + w2) {
                let normal = normal(rng);
                normal.abs() / root_gamma
            } else if gamma < 1.0 && v < w3 / (w2 + w3) {
                PI * w
            } else {
                PI * (1.0 - w * w)
            };
            if u <= 0.0 || u >= PI {
                continue;
            }
            let zeta = b_ratio(u, a).sqrt();
            let z = 1.0 / (1.0 - (1.0 + a * zeta / root_gamma).powf(-1.0 / a));
            let base = if gamma >= 1.0 { xi * (-0.5 * gamma * u * u).exp() } else { xi };
            let rho = PI * (-tilt_a * (1.0 - 1.0 / (zeta * zeta))).exp()
                / ((1.0 + half_normal) * root_gamma / zeta + z)
                * (base + psi / (PI - u).sqrt());
            let bound = uniform(rng) * rho;
            if bound <= 1.0 {
                break (u, z, bound);
            }
        };
        let at = zolotarev(u, a);
        let m = (b / at).powf(a) * tilt_a;
        let delta = (m * a / at).sqrt();
        let (left, right) = (delta * half_normal, z / at);
        let v = uniform(rng) * (left + delta + right);
        let (x, slack) = if v < left {
            let normal = normal(rng);
            (m - delta * normal.abs(), 0.5 * normal * normal)
        } else if v < left + delta {
            (m + delta * uniform(rng), 0.0)
        } else {
            let e = exponential(rng);
            (m + delta + e * right, e)
        };
        if x <= 0.0 {
            continue;
        }
        let cost = at * (x - m) + tilt * m.powf(-b) * (b * (m / x).ln()).exp_m1() - slack;
        if cost <= -bound.ln() {
            return x.powf(-b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    /// The Laplace transform at three points: means of numbers in [0, 1], so that 5 standard errors
    /// are a false alarm of 6e-7 each.
    fn check(a: f64, tilt: f64, name: &str, mut draw: impl FnMut(&mut ChaCha8Rng) -> f64) {
        let count = 40_000;
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        let draws: Vec<f64> = (0..count).map(|_| draw(&mut rng)).collect();
        assert!(draws.iter().all(|s| *s > 0.0));
        // Points at which the transform is about 0.8, 0.5 and 0.1.
        for target in [0.8f64, 0.5, 0.1] {
            let t = (tilt.powf(a) - target.ln()).powf(1.0 / a) - tilt;
            let values: Vec<f64> = draws.iter().map(|s| (-t * s).exp()).collect();
            let mean = values.iter().sum::<f64>() / count as f64;
            let var = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count as f64;
            let z = (mean - target) / (var / count as f64).sqrt();
            assert!(z.abs() < 5.0, "{name}, index {a}, tilt {tilt}: {mean} for {target}, z = {z}");
        }
    }

    #[test]
    fn every_sampler_has_the_tilted_laplace_transform() {
        for tilt in [1e-3f64, 0.3, 2.0, 50.0, 1e4] {
            for alpha in [1.0, 0.5, 0.25] {
                let tilted = Tilted::new(alpha);
                assert!(matches!(tilted, Tilted::Dyadic(_)));
                check(alpha / 2.0, tilt, "inverse Gaussians", |rng| tilted.draw(tilt.sqrt(), rng));
            }
            for a in [0.1, 0.25, 0.4, 0.5, 0.85] {
                if tilt.powf(a) < 30.0 {
                    check(a, tilt, "pieces", |rng| by_pieces(a, tilt, rng));
                }
                check(a, tilt, "double rejection", |rng| devroye(a, tilt, rng));
            }
        }
    }

    #[test]
    fn extremes_do_no_harm() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for alpha in [0.05, 0.25, 0.5, 0.7, 1.0, 1.5, 1.99, 2.0] {
            let tilted = Tilted::new(alpha);
            for t in [0.0, 1e-200, 1e-8, 1.0, 1e8] {
                for _ in 0..200 {
                    assert!(tilted.draw(t, &mut rng) > 0.0, "{alpha} {t}");
                }
            }
        }
    }
}
