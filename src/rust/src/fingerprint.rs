//! A hash of the user's data, so that fits of other data are told apart when the data are gone.

use crate::convert::{Result, reply};
use extendr_api::prelude::*;
use std::ops::Range;
use wbb_core::error::Error;

/// Of nothing: FNV-1a's offset.
pub const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// The hash that is `before`, in hexadecimal digits, and the numbers of `values` from `from` on to
/// before `to`: all of their bits, and how many `values` there are.
#[extendr]
fn rust_fingerprint(before: &str, values: Robj, from: f64, to: f64) -> Robj {
    reply(fingerprint(before, &values, from as usize..to as usize))
}

fn fingerprint(before: &str, values: &Robj, part: Range<usize>) -> Result<String> {
    let mut hash = u64::from_str_radix(before, 16).unwrap_or(EMPTY);
    if part.start == 0 {
        hash = absorb(hash, values.len() as u64);
    }
    if let Some(numbers) = values.as_real_slice().and_then(|v| v.get(part.clone())) {
        hash = numbers.iter().fold(hash, |h, v| absorb(h, v.to_bits()));
    } else if let Some(bytes) = values.as_raw_slice().and_then(|v| v.get(part.clone())) {
        hash = bytes.iter().fold(hash, |h, &v| absorb(h, u64::from(v)));
    } else if let Some(integers) = values.as_integer_slice().and_then(|v| v.get(part)) {
        hash = integers.iter().fold(hash, |h, &v| absorb(h, v as u64));
    } else {
        return Err(Error::Internal("a part of the data is not numeric".into()));
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
