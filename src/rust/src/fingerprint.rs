//! A hash of the user's data, so that fits of other data are told apart when the data are gone.

use crate::convert::{Result, reply};
use extendr_api::prelude::*;
use wbb_core::error::Error;

/// Of nothing: FNV-1a's offset.
pub const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// Hash of a list of numeric vectors, all of their bits and lengths, in hexadecimal digits.
#[extendr]
fn rust_fingerprint(parts: List) -> Robj {
    reply(fingerprint(&parts))
}

fn fingerprint(parts: &List) -> Result<String> {
    let mut hash = EMPTY;
    for part in parts.values() {
        hash = absorb(hash, part.len() as u64);
        if let Some(numbers) = part.as_real_slice() {
            hash = numbers.iter().fold(hash, |h, v| absorb(h, v.to_bits()));
        } else if let Some(integers) = part.as_integer_slice() {
            hash = integers.iter().fold(hash, |h, &v| absorb(h, v as u64));
        } else {
            return Err(Error::Internal("a part of the data is not numeric".into()));
        }
    }
    Ok(format!("{hash:016x}"))
}

/// FNV-1a on words, 4 GB a second. Its product carries upwards only, so that two changes of sign
/// would cancel: the shift brings the upper half down again. Each step is one to one.
pub fn absorb(hash: u64, word: u64) -> u64 {
    let product = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
    product ^ (product >> 32)
}

extendr_module! {
    mod fingerprint;
    fn rust_fingerprint;
}
