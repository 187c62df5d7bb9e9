//! Activations, the softmax and their derivatives, in loops that vectorise.

use crate::error::Error;
use crate::linalg::lanes::dispatch;
use crate::linalg::single::LANES;

/// What a hidden unit does with its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    Relu,
    Tanh,
    Identity,
}

impl Activation {
    pub fn new(name: &str) -> Result<Activation, Error> {
        match name {
            "relu" => Ok(Activation::Relu),
            "tanh" => Ok(Activation::Tanh),
            "identity" => Ok(Activation::Identity),
            _ => Err(Error::argument("activation", format!("there is no activation \"{name}\""))),
        }
    }

    pub fn apply(self, units: &mut [f32]) {
        match self {
            Activation::Relu => relu(units),
            Activation::Tanh => tanh(units),
            Activation::Identity => {}
        }
    }

    /// errors ×= the derivative, which every activation here can tell from its value.
    pub fn pull_back(self, units: &[f32], errors: &mut [f32]) {
        match self {
            Activation::Relu => relu_back(units, errors),
            Activation::Tanh => tanh_back(units, errors),
            Activation::Identity => {}
        }
    }

    /// Variance of a starting weight times the number of inputs: ReLU loses half of it (He et al.).
    pub fn gain(self) -> f64 {
        if self == Activation::Relu { 2.0 } else { 1.0 }
    }
}

/// eˣ for x ≤ 88, after Cephes (error about 1 ulp), without branches; written out, because system
/// libraries differ in the last bit.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    const LN2_HI: f32 = 0.693_359_4;
    const LN2_LO: f32 = -2.121_944_4e-4;
    // Added and subtracted, it rounds to a whole number, which then stands in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    let x = x.clamp(-87.0, 88.0);
    let shifted = x.mul_add(std::f32::consts::LOG2_E, ROUND);
    let k = shifted - ROUND;
    let r = k.mul_add(-LN2_LO, k.mul_add(-LN2_HI, x));
    let mut poly = 1.987_569_2e-4f32;
    for c in [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 5e-1] {
        poly = poly.mul_add(r, c);
    }
    let value = poly.mul_add(r * r, r) + 1.0;
    let power = shifted.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127) << 23;
    value * f32::from_bits(power)
}

/// tanh x after Cephes: a polynomial near 0, exponentials beyond.
#[inline(always)]
fn tanh_one(x: f32) -> f32 {
    let z = x * x;
    let mut poly = -5.704_988_7e-3f32;
    for c in [2.063_909e-2, -5.373_971_5e-2, 1.333_144_2e-1, -3.333_328e-1] {
        poly = poly.mul_add(z, c);
    }
    let near = (poly * z).mul_add(x, x);
    let far = 1.0 - 2.0 / (exp(2.0 * x.abs().min(20.0)) + 1.0);
    if x.abs() < 0.625 { near } else { far.copysign(x) }
}

dispatch! {
    // Not max(): that would turn the NaN of a diverged draw into 0.
    fn relu(units: &mut [f32]) {
        for u in units {
            *u = if *u < 0.0 { 0.0 } else { *u };
        }
    }

    fn relu_back(units: &[f32], errors: &mut [f32]) {
        for (e, &u) in errors.iter_mut().zip(units) {
            *e = if u > 0.0 { *e } else { 0.0 };
        }
    }

    fn tanh(units: &mut [f32]) {
        for u in units {
            *u = if u.is_nan() { *u } else { tanh_one(*u) };
        }
    }

    fn tanh_back(units: &[f32], errors: &mut [f32]) {
        for (e, &u) in errors.iter_mut().zip(units) {
            *e *= 1.0 - u * u;
        }
    }
}

dispatch! {
    /// Probabilities in place of scores, in rows of `width` of which `classes` count; the logarithm
    /// of each row's sum of exponentials goes to `log_sums`.
    pub fn softmax(scores: &mut [f32], width: usize, classes: usize, log_sums: &mut [f64]) {
        for (row, log_sum) in scores.chunks_exact_mut(width).zip(log_sums) {
            let largest = row[..classes].iter().fold(f32::NEG_INFINITY, |a, &b| a.max(b));
            let mut lanes = [0.0f32; LANES];
            row[classes..].fill(f32::NEG_INFINITY);
            for part in row.chunks_exact_mut(LANES) {
                for (lane, u) in lanes.iter_mut().zip(part) {
                    *u = if *u == f32::NEG_INFINITY { 0.0 } else { exp(*u - largest) };
                    *lane += *u;
                }
            }
            let sum = lanes.iter().fold(0.0, |a, b| a + b);
            row.iter_mut().for_each(|u| *u /= sum);
            *log_sum = largest as f64 + libm::log(sum as f64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_within_two_ulps() {
        let mut x = -86.9f32;
        while x < 87.9 {
            let (ours, exact) = (exp(x) as f64, (x as f64).exp());
            assert!((ours / exact - 1.0).abs() < 2.5e-7, "exp {x}: {ours} {exact}");
            let (ours, exact) = (tanh_one(x) as f64, (x as f64).tanh());
            assert!((ours / exact - 1.0).abs() < 2.5e-7, "tanh {x}: {ours} {exact}");
            x += 0.000_37 * (1.0 + x.abs());
        }
        assert_eq!(tanh_one(0.0), 0.0);
    }

    #[test]
    fn softmax_sums_to_one_and_knows_its_normaliser() {
        let mut scores = vec![9.0; 32];
        scores[..3].copy_from_slice(&[1000.0, 999.0, 0.0]);
        scores[16..19].copy_from_slice(&[-1e30, -1e30, -1e30]);
        let mut log_sums = [0.0; 2];
        softmax(&mut scores, 16, 3, &mut log_sums);
        let e = (-1f64).exp();
        assert!((scores[0] as f64 - 1.0 / (1.0 + e)).abs() < 1e-7);
        assert!((log_sums[0] - 1000.0 - (1.0 + e).ln()).abs() < 1e-6);
        assert!(scores[3..16].iter().all(|&p| p == 0.0));
        assert!((scores[16] - 1.0 / 3.0).abs() < 1e-7);
    }

    #[test]
    fn nan_is_not_hidden() {
        for activation in [Activation::Relu, Activation::Tanh, Activation::Identity] {
            let mut units = [f32::NAN, 1.0];
            activation.apply(&mut units);
            assert!(units[0].is_nan() && !units[1].is_nan());
        }
    }
}
