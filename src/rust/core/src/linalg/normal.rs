//! Normal distributions of many draws at one point, all in one pass: what a quantile of their mixture is found by.

use super::lanes::{LANES, dispatch};
use pulp::as_arrays;

/// √(2π).
pub const TAU_ROOT: f64 = 2.506_628_274_631_000_7;

/// Beyond so many standard deviations a distribution has neither mass nor density.
const FAR: f64 = 37.5;

/// (1 + a) M(a) for Mills' ratio M of a ≥ 0, as a polynomial in (a - 5) / (a + 5): the Chebyshev
/// polynomial of degree 20, computed with 50 digits. Its relative error is below 6e-15.
const MILLS: [f64; 21] = [
    1.156_848_628_291_894_2,
    -0.229_487_538_252_229_2,
    0.077_781_598_868_819_32,
    0.025_072_179_310_225_408,
    -0.066_177_600_782_361_47,
    0.061_505_045_652_684_914,
    -0.038_026_592_134_904_91,
    0.016_348_233_163_331_963,
    -0.004_201_290_736_679_096,
    1.952_021_427_081_896_6e-5,
    0.000_457_045_825_207_886_56,
    -0.000_134_339_395_285_306_88,
    -2.481_137_046_166_861e-5,
    2.263_585_163_937_937e-5,
    -1.659_978_689_571_329_6e-7,
    -3.177_464_241_160_757_4e-6,
    3.081_417_380_856_143e-7,
    4.070_530_689_039_048_5e-7,
    -5.664_946_489_676_221_4e-8,
    -3.479_122_090_011_238e-8,
    5.201_831_917_460_272_5e-9,
];

/// 1/k!, of the exponential of what is left of a power of two.
const EXP: [f64; 14] = [
    1.0,
    1.0,
    1.0 / 2.0,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5_040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
    1.0 / 6_227_020_800.0,
];

#[inline(always)]
fn polynomial<const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// exp(x) for -704 < x ≤ 0, without branches: 2ⁿ exp(r) with |r| ≤ ½ log 2.
#[inline(always)]
fn exp_negative(x: f64) -> f64 {
    const LN2_HI: f64 = 6.931_471_803_691_238e-1;
    const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;
    /// Added to a number it leaves the nearest whole one in the last bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let power = shifted.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(1023) << 52;
    polynomial(&EXP, (x - n * LN2_HI) - n * LN2_LO) * f64::from_bits(power)
}

/// Φ(z), and √(2π) φ(z).
#[inline(always)]
fn mass_and_height(z: f64) -> (f64, f64) {
    let far = z.abs();
    let a = far.min(FAR);
    let height = if far < FAR { exp_negative(-0.5 * a * a) } else { 0.0 };
    let tail = height * polynomial(&MILLS, (a - 5.0) / (a + 5.0)) / ((1.0 + a) * TAU_ROOT);
    (if z < 0.0 { tail } else { 1.0 - tail }, height)
}

dispatch! {
    /// Of N(centre, 1/scale²) at a point: masses below it, and densities and their slopes times √(2π).
    fn parts(at: f64, centre: &[f64], scale: &[f64], mass: &mut [f64], density: &mut [f64], slope: &mut [f64]) {
        let out = mass.iter_mut().zip(density).zip(slope);
        for (((mass, density), slope), (c, s)) in out.zip(centre.iter().zip(scale)) {
            let z = (at - c) * s;
            let (below, height) = mass_and_height(z);
            *mass = below;
            *density = height * s;
            *slope = if height > 0.0 { -z * s * (height * s) } else { 0.0 };
        }
    }
}

dispatch! {
    /// In eight interleaved sums.
    fn sum(values: &[f64]) -> f64 {
        let mut sum = [0.0; LANES];
        let (whole, rest) = as_arrays::<LANES, _>(values);
        for part in whole {
            for l in 0..LANES {
                sum[l] += part[l];
            }
        }
        sum.iter().sum::<f64>() + rest.iter().sum::<f64>()
    }
}

/// The equal mixture of N(centre, 1/scale²) at a point.
pub struct Local {
    pub mass: f64,
    pub density: f64,
    /// The derivative of the density.
    pub slope: f64,
}

/// `room` is for three numbers of each component.
pub fn local(at: f64, centre: &[f64], scale: &[f64], room: &mut [f64]) -> Local {
    let count = centre.len();
    let (mass, rest) = room.split_at_mut(count);
    let (density, slope) = rest.split_at_mut(count);
    parts(at, centre, scale, mass, density, slope);
    let mean = |values: &[f64]| sum(values) / count as f64;
    Local { mass: mean(mass), density: mean(density) / TAU_ROOT, slope: mean(slope) / TAU_ROOT }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mass_and_height_are_those_of_the_library() {
        for i in -4000..=4000 {
            let z = f64::from(i) * 0.0097;
            let (mass, height) = mass_and_height(z);
            let wanted = 0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2);
            assert!((mass - wanted).abs() <= 1e-12 * wanted + 1e-300, "{z}: {mass} {wanted}");
            let wanted = if z.abs() < FAR { libm::exp(-0.5 * z * z) } else { 0.0 };
            assert!((height - wanted).abs() <= 1e-12 * wanted, "{z}: {height} {wanted}");
        }
    }

    #[test]
    fn a_point_mass_is_on_one_side() {
        let scale = [1.0 / f64::MIN_POSITIVE];
        for (at, mass) in [(-1.0, 0.0), (1.0, 1.0)] {
            let here = local(at, &[0.0], &scale, &mut [0.0; 3]);
            assert_eq!((here.mass, here.density, here.slope), (mass, 0.0, 0.0));
        }
    }

    #[test]
    fn the_slope_is_the_change_of_the_density() {
        let (centre, scale) = ([0.0, 1.0, -2.0], [1.0, 0.5, 2.0]);
        let at = |x: f64| local(x, &centre, &scale, &mut [0.0; 9]);
        let (here, before, after) = (at(0.3), at(0.3 - 1e-5), at(0.3 + 1e-5));
        assert!((here.density - (after.mass - before.mass) / 2e-5).abs() < 1e-8);
        assert!((here.slope - (after.density - before.density) / 2e-5).abs() < 1e-8);
    }
}
