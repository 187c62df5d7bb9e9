//! Code that reads bytes, with bytes by chance; `tools/fuzz` looks for worse ones.

#[path = "common/bytes.rs"]
mod bytes;

use proptest::collection::vec;
use proptest::prelude::*;

/// Any bytes, and bytes of which most mean something to the reader.
fn some_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(any::<u8>(), 0..600),
        vec(prop_oneof![0u8..8, Just(b'"'), Just(b'\n'), Just(b' '), Just(b'a')], 0..600),
        vec(prop::sample::select(&b"\",\n 1.e-N"[..]), 0..80),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn lines_do_not_depend_on_parts(bytes in some_bytes()) {
        bytes::lines(&bytes);
    }

    #[test]
    fn sparse_matrices_are_as_they_say_or_refused(bytes in some_bytes()) {
        bytes::sparse(&bytes);
    }

    #[test]
    fn sums_give_numbers_or_are_refused(bytes in some_bytes()) {
        bytes::sums(&bytes);
    }

    #[test]
    fn networks_come_back_or_are_refused(bytes in some_bytes(), whole in any::<bool>()) {
        let mut bytes = bytes;
        if whole {
            // A network of two inputs and two outputs: 6 numbers.
            bytes.resize(27, 1);
            bytes[..3].copy_from_slice(&[0, 1, 1]);
        }
        bytes::network(&bytes);
    }
}
