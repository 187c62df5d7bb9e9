//! Text files in parts.

use extendr_api::prelude::*;
use wbb_core::data::lines::cut;

/// Bytes that begin with a line, cut after the last end of a line that is in no quotes; `ended`: there are no more, and all is text. The text, a string
/// where it is UTF-8 and raw where it is not, the rest, the lines of the text that are not empty, and whether it has quotes.
#[extendr]
fn rust_csv_cut(bytes: &[u8], ended: bool) -> List {
    let (last, lines) = cut(bytes, ended);
    let (text, rest) = bytes.split_at(last);
    let quotes = text.contains(&b'"');
    // The end that a last line may lack: a parser takes a single line without one for the name of a file.
    let end = if text.ends_with(b"\n") { &b""[..] } else { b"\n" };
    let text = [text, end].concat();
    // A string of R has no zeros; it says so itself of raw bytes.
    let string = std::str::from_utf8(&text).ok().filter(|text| !text.contains('\0'));
    let text = string.map_or_else(|| Raw::from_bytes(&text).into(), Robj::from);
    list!(text = text, rest = Raw::from_bytes(rest), lines = lines as f64, quotes = quotes)
}

extendr_module! {
    mod csv;
    fn rust_csv_cut;
}
