//! Gamma variables whose bits are the same on every machine.
//!
//! Marsaglia & Tsang (2000): for a shape a ≥ 1, d = a − ⅓ and z standard normal, d (1 + z/√(9d))³ is
//! Gamma(a) if a uniform number accepts it, which it does in 95 cases of 100 and more. A smaller shape
//! takes Gamma(a + 1) U^(1/a).
//!
//! The normal is Box & Muller's. Logarithms, cosines and powers are plain arithmetic (`ln_unit` and
//! the crate libm): those of the standard library, and with them rand_distr's, are the system's.
//!
//! How often a number is tried again is random, and yet a unit's weight must not depend on the
//! others. The stream is therefore laid out in planes: plane 0 has the U of each unit, plane t the
//! words of each unit's attempt t.

use crate::linalg::elementary::{ln_unit, normal, units};
use rand::RngCore;
use rand_chacha::ChaCha8Rng;

/// The stream's words (of 32 bits) from one plane to the next: room for 2³⁷ units.
const PLANE: u32 = 40;
/// Bytes of an attempt: two numbers for the normal, one to accept it.
const ATTEMPT: usize = 24;
/// Units read at a time where a pass over all of them is needed.
const CHUNK: usize = 512;

pub struct GammaLaw {
    shape: f64,
    /// d and 1/√(9d) of the shape, or of the shape + 1.
    d: f64,
    c: f64,
}

impl GammaLaw {
    pub fn new(shape: f64) -> GammaLaw {
        let d = if shape < 1.0 { shape + 2.0 / 3.0 } else { shape - 1.0 / 3.0 };
        GammaLaw { shape, d, c: 1.0 / (9.0 * d).sqrt() }
    }

    /// Gamma(a, rate a) weights of units `first ..`, a the shape; shapes below 1 are all divided by
    /// exp(largest/a), so that a normalised law with a tiny shape finds at least one above zero.
    pub fn fill(
        &self,
        rng: &mut ChaCha8Rng,
        largest: f64,
        first: usize,
        out: &mut [f64],
        bytes: &mut Vec<u8>,
    ) {
        read(rng, 1, first, ATTEMPT, out.len(), bytes);
        for (i, (o, bytes)) in out.iter_mut().zip(bytes.chunks_exact(ATTEMPT)).enumerate() {
            *o = self.attempt(bytes).unwrap_or_else(|| self.again(rng, first + i));
        }
        if self.shape < 1.0 {
            read(rng, 0, first, 8, out.len(), bytes);
            for (o, u) in out.iter_mut().zip(units(bytes)) {
                *o *= libm::exp((ln_unit(u) - largest) / self.shape);
            }
        }
        out.iter_mut().for_each(|o| *o /= self.shape);
    }

    /// The largest log U of the first `count` units, or 0 where no U is taken.
    pub fn largest(&self, rng: &mut ChaCha8Rng, count: usize, bytes: &mut Vec<u8>) -> f64 {
        if self.shape >= 1.0 || count == 0 {
            return 0.0;
        }
        let mut largest = 0.0f64;
        for first in (0..count).step_by(CHUNK) {
            read(rng, 0, first, 8, CHUNK.min(count - first), bytes);
            largest = units(bytes).fold(largest, f64::max);
        }
        ln_unit(largest)
    }

    /// Attempts of a unit whose first was refused.
    #[cold]
    fn again(&self, rng: &mut ChaCha8Rng, unit: usize) -> f64 {
        let mut bytes = Vec::new();
        let mut plane = 2;
        loop {
            read(rng, plane, unit, ATTEMPT, 1, &mut bytes);
            if let Some(value) = self.attempt(&bytes) {
                return value;
            }
            plane += 1;
        }
    }

    #[inline]
    fn attempt(&self, bytes: &[u8]) -> Option<f64> {
        let mut numbers = units(bytes);
        let z = normal(numbers.next()?, numbers.next()?);
        let u = numbers.next()?;
        let root = 1.0 + self.c * z;
        if root <= 0.0 {
            return None;
        }
        let (cube, square) = (root * root * root, z * z);
        // Marsaglia & Tsang's squeeze spares nearly all the logarithms.
        let accepted = u < 1.0 - 0.0331 * square * square
            || ln_unit(u) < 0.5 * square + self.d * (1.0 - cube + libm::log(cube));
        accepted.then_some(self.d * cube)
    }
}

/// The words of `count` units in a plane, `size` bytes each.
fn read(
    rng: &mut ChaCha8Rng,
    plane: u128,
    first: usize,
    size: usize,
    count: usize,
    bytes: &mut Vec<u8>,
) {
    rng.set_word_pos((plane << PLANE) + (size / 4 * first) as u128);
    bytes.resize(size * count, 0);
    rng.fill_bytes(bytes);
}
