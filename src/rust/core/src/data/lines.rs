//! Text files in parts: where the last whole line ends.

/// Of bytes that begin with a line: how many come before the end of the last line that ends in no quotes, and the lines
/// among them that are not empty. `ended`: there are no more bytes, and all of them are lines.
pub fn cut(bytes: &[u8], ended: bool) -> (usize, u64) {
    let (mut quoted, mut last, mut lines, mut from) = (false, 0, 0, 0);
    while let Some(at) = next_mark(bytes, from) {
        from = at + 1;
        quoted ^= bytes[at] == b'"';
        if bytes[at] == b'\n' && !quoted {
            lines += u64::from(!is_empty(&bytes[last..at]));
            last = from;
        }
    }
    if ended { (bytes.len(), lines + u64::from(!is_empty(&bytes[last..]))) } else { (last, lines) }
}

pub fn is_empty(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\r' | b'\n'))
}

/// The next quote or end of a line. Most bytes are neither, and are looked at many at a time.
fn next_mark(bytes: &[u8], from: usize) -> Option<usize> {
    let is_mark = |byte: &u8| (*byte == b'\n') | (*byte == b'"');
    let rest = bytes.get(from..)?;
    let clear = |part: &&[u8]| !part.iter().fold(false, |any, byte| any | is_mark(byte));
    let skipped = 32 * rest.chunks_exact(32).take_while(clear).count();
    rest[skipped..].iter().position(is_mark).map(|at| from + skipped + at)
}
