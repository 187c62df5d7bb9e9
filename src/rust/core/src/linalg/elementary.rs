//! Logarithms, exponentials and random numbers that are the same on every machine.
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

/// log(1 + t) for t ≥ 0, without branches.
#[inline(always)]
pub fn ln_1p(t: f64) -> f64 {
    // `ln_unit` is right for any positive number; what 1 + t lost of t is added back.
    let u = 1.0 + t;
    ln_unit(u) + (t - (u - 1.0)) / u
}

/// eˣ (error about an ulp), without branches; x counts as within ±708.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    const LN2_HI: f64 = 6.931_471_803_691_238e-1;
    const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;
    // 1.5 · 2⁵²: what is added to it is rounded to a whole number, which its last bits then hold.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    // 1/k!, from k = 13 down.
    const TAYLOR: [f64; 13] = [
        1.605_904_383_682_161_3e-10,
        2.087_675_698_786_81e-9,
        2.505_210_838_544_172e-8,
        2.755_731_922_398_589e-7,
        2.755_731_922_398_589e-6,
        2.480_158_730_158_73e-5,
        1.984_126_984_126_984e-4,
        1.388_888_888_888_889e-3,
        8.333_333_333_333_333e-3,
        4.166_666_666_666_666_4e-2,
        1.666_666_666_666_666_6e-1,
        0.5,
        1.0,
    ];
    let x = x.clamp(-708.0, 708.0);
    let rounded = x.mul_add(std::f64::consts::LOG2_E, ROUND);
    let k = rounded - ROUND;
    let r = (-k).mul_add(LN2_LO, (-k).mul_add(LN2_HI, x));
    let mut sum = TAYLOR[0];
    for c in &TAYLOR[1..] {
        sum = sum.mul_add(r, *c);
    }
    let power = f64::from_bits(rounded.to_bits().wrapping_add(1023) << 52);
    sum.mul_add(r, 1.0) * power
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
    fn exponentials_are_within_two_ulps_of_the_system() {
        let mut x = -700.0;
        while x < 700.0 {
            let (ours, system) = (exp(x), x.exp());
            assert!((ours - system).abs() <= 4.5e-16 * system, "exp {x}: {ours} {system}");
            let t = system.min(1e15);
            let (ours, system) = (ln_1p(t), t.ln_1p());
            assert!((ours - system).abs() <= 4.5e-16 * system, "ln_1p {t}: {ours} {system}");
            x += 0.377;
        }
        assert_eq!((exp(0.0), ln_1p(0.0)), (1.0, 0.0));
        assert!(exp(f64::NAN).is_nan() && exp(-1e9) > 0.0 && exp(1e9).is_finite());
    }

    #[test]
    fn unit_never_reaches_its_ends() {
        assert!(unit([0; 8]) > 0.0 && unit([255; 8]) < 1.0);
    }
}
