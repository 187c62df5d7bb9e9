//! Text files in parts: where the last whole line ends.

/// Of bytes that begin with a line: how many come before the end of the last line that ends in no quotes, and the lines
/// among them that are not empty. `ended`: there are no more bytes, and all of them are lines.
pub fn cut(bytes: &[u8], ended: bool) -> (usize, u64) {
    let (mut quoted, mut empty, mut last, mut lines) = (false, true, 0, 0);
    for (at, byte) in bytes.iter().enumerate() {
        quoted ^= *byte == b'"';
        if *byte == b'\n' && !quoted {
            lines += u64::from(!empty);
            (empty, last) = (true, at + 1);
        } else {
            empty &= matches!(byte, b' ' | b'\r');
        }
    }
    if ended { (bytes.len(), lines + u64::from(!empty)) } else { (last, lines) }
}
