//! Logarithms and random numbers that are the same on every machine.
//!
//! Written out rather than taken from the system: system libraries differ in the last bit, and a
//! draw must not depend on the machine.

use super::lanes::dispatch;
use pulp::as_arrays;
use std::f64::consts::TAU;

/// Natural logarithm of u in (0, 1), after fdlibm (error < 1 ulp), without branches.
#[inline(always)]
pub fn ln_unit(u: f64) -> f64 {
    const LN2_HI: f64 = 6.931_471_803_691_238e-1;
    const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;
    const L: [f64; 7] = [
        6.666_666_666_666_735e-1,
        3.999_999_999_940_942e-1,
        2.857_142_874_366_239e-1,
        2.222_219_843_214_978_4e-1,
        1.818_357_216_161_805e-1,
        1.531_383_769_920_937_3e-1,
        1.479_819_860_511_658_6e-1,
    ];
    const ONE: u64 = 0x3ff0_0000_0000_0000;
    const SQRT_HALF: u64 = 0x3fe6_a09e_0000_0000;
    // u = 2ᵏ (1 + f) with √½ < 1 + f < √2.
    let bits = u.to_bits().wrapping_add(ONE - SQRT_HALF);
    // 2⁵² + biased exponent, read as a float: an exact conversion that vectorises everywhere.
    let k = f64::from_bits(0x4330_0000_0000_0000 | (bits >> 52)) - 4_503_599_627_370_496.0 - 1023.0;
    let f = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) + SQRT_HALF) - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (L[1] + w * (L[3] + w * L[5]));
    let odd = z * (L[0] + w * (L[2] + w * (L[4] + w * L[6])));
    let half = 0.5 * f * f;
    k * LN2_HI - ((half - (s * (half + (even + odd)) + k * LN2_LO)) - f)
}

/// Uniform in (0, 1), never 0 nor 1, from the upper 52 bits of a word.
#[inline(always)]
pub fn unit(word: [u8; 8]) -> f64 {
    let word = u64::from_le_bytes(word);
    f64::from_bits(0x3ff0_0000_0000_0000 | (word >> 12)) - 1.0 + 0.5 * f64::EPSILON
}

/// Box & Muller's standard normal number of two uniform ones.
#[inline]
pub fn normal(u: f64, v: f64) -> f64 {
    (-2.0 * ln_unit(u)).sqrt() * libm::cos(TAU * v)
}

/// Uniform numbers from random bytes, eight bytes a number.
pub fn units(bytes: &[u8]) -> impl Iterator<Item = f64> + '_ {
    as_arrays(bytes).0.iter().map(|&word| unit(word))
}

dispatch! {
    /// Standard exponentials −log U from random bytes, eight bytes a number.
    pub fn exponentials(bytes: &[u8], out: &mut [f64]) {
        for (o, &word) in out.iter_mut().zip(as_arrays(bytes).0) {
            *o = -ln_unit(unit(word));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithm_is_within_an_ulp_of_the_system() {
        let mut u = 1.0 - f64::EPSILON / 2.0;
        while u > 1e-16 {
            let (ours, system) = (ln_unit(u), u.ln());
            assert!((ours - system).abs() <= 2.3e-16 * system.abs(), "ln {u}: {ours} {system}");
            u *= 0.997;
        }
    }

    #[test]
    fn unit_never_reaches_its_ends() {
        assert!(unit([0; 8]) > 0.0 && unit([255; 8]) < 1.0);
    }
}
