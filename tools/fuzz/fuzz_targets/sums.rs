#![no_main]
#![allow(dead_code, reason = "each target uses a part")]

#[path = "../../../src/rust/core/tests/common/bytes.rs"]
mod bytes;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bytes::sums(data));
