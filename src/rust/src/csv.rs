//! Text files in parts: where the last whole line ends.

use extendr_api::prelude::*;

/// Bytes that begin with a line, cut after the last end of a line that is in no quotes; `ended`: there are no more, and all is text. The text, a string
/// where it is UTF-8 and raw where it is not, the rest, the lines of the text that are not empty, and whether it has quotes.
#[extendr]
fn rust_csv_cut(bytes: &[u8], ended: bool) -> List {
    let (last, lines) = cut(bytes, ended);
    let (text, rest) = bytes.split_at(last);
    let quotes = text.contains(&b'"');
    // A string of R has no zeros; it says so itself of raw bytes.
    let string = std::str::from_utf8(text).ok().filter(|text| !text.contains('\0'));
    let text = string.map_or_else(|| Raw::from_bytes(text).into(), Robj::from);
    list!(text = text, rest = Raw::from_bytes(rest), lines = lines, quotes = quotes)
}

fn cut(bytes: &[u8], ended: bool) -> (usize, f64) {
    let (mut quoted, mut empty, mut last, mut lines) = (false, true, 0, 0.0);
    for (at, byte) in bytes.iter().enumerate() {
        quoted ^= *byte == b'"';
        if *byte == b'\n' && !quoted {
            lines += f64::from(u8::from(!empty));
            (empty, last) = (true, at + 1);
        } else {
            empty &= matches!(byte, b' ' | b'\r');
        }
    }
    if ended { (bytes.len(), lines + f64::from(u8::from(!empty))) } else { (last, lines) }
}

extendr_module! {
    mod csv;
    fn rust_csv_cut;
}
