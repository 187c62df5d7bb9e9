//! Text files in parts: from whole lines to columns of numbers or text.

use super::lines::is_empty;
use std::borrow::Cow;
use std::ffi::{CString, c_char};

pub struct Format {
    /// Between fields.
    pub sep: u8,
    /// The decimal point.
    pub dec: u8,
}

/// What stands between two separators, without its quotes; None where it is missing.
pub type Field<'a> = Option<Cow<'a, [u8]>>;

pub enum Column<'a> {
    /// `whole`: all are whole numbers of 32 bits, and written so.
    Numbers {
        values: Vec<f64>,
        whole: bool,
    },
    Text(Vec<Field<'a>>),
}

/// A line, counted from 1, that has not as many fields as it should.
#[derive(Debug, PartialEq)]
pub struct Odd {
    pub line: usize,
    pub fields: usize,
}

/// A number that is missing, as R has it.
pub const MISSING: f64 = f64::from_bits(0x7FF0_0000_0000_07A2);

/// The columns of lines with as many fields. A column is text if `is_text` says so, or one of its fields is no number.
pub fn columns<'a>(
    text: &'a [u8],
    format: &Format,
    mut is_text: Vec<bool>,
) -> Result<Vec<Column<'a>>, Odd> {
    loop {
        // What is text shows in its first line, as a rule.
        match read(text, format, &is_text)? {
            Ok(columns) => return Ok(columns),
            Err(column) => is_text[column] = true,
        }
    }
}

/// The columns, or the first of them that has a field which is no number and should.
fn read<'a>(
    text: &'a [u8],
    format: &Format,
    is_text: &[bool],
) -> Result<Result<Vec<Column<'a>>, usize>, Odd> {
    let column = |text: &bool| match text {
        true => Column::Text(Vec::new()),
        false => Column::Numbers { values: Vec::new(), whole: true },
    };
    let mut columns: Vec<Column> = is_text.iter().map(column).collect();
    let (mut at, mut line) = (0, 0);
    while at < text.len() {
        if matches!(text[at], b' ' | b'\r' | b'\n') {
            let end = text[at..].iter().position(|byte| *byte == b'\n');
            let end = end.map_or(text.len(), |length| at + length + 1);
            if is_empty(&text[at..end]) {
                at = end;
                continue;
            }
        }
        line += 1;
        let last = columns.len() - 1;
        let start = at;
        for (j, column) in columns.iter_mut().enumerate() {
            match column {
                Column::Numbers { values, whole } => {
                    let Some((value, is_whole, length)) = number(&text[at..], format) else {
                        return Ok(Err(j));
                    };
                    values.push(value);
                    *whole &= is_whole;
                    at += length;
                }
                Column::Text(values) => {
                    let (field, length) = take(&text[at..], format.sep);
                    values.push(bare(field));
                    at += length;
                }
            }
            if (text.get(at) == Some(&format.sep)) == (j == last) {
                return Err(Odd { line, fields: fields(&text[start..], format.sep) });
            }
            at += 1;
        }
    }
    Ok(Ok(columns))
}

/// The number in the field that comes next, whether it is whole, and the length of the field; None if it is text.
fn number(text: &[u8], format: &Format) -> Option<(f64, bool, usize)> {
    quick_number(text, format).or_else(|| {
        let (field, length) = take(text, format.sep);
        let Some(field) = bare(field) else { return Some((MISSING, true, length)) };
        let value = any_number(field.trim_ascii(), format.dec)?;
        let digits = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b' ');
        let whole = field.iter().all(digits) && value.abs() <= f64::from(i32::MAX);
        Some((value, whole, length))
    })
}

/// However it is written. C's function is there already, and Rust's has tables of 12 kB; its decimal point is that of the locale, which
/// R keeps at '.' for numbers.
fn any_number(written: &[u8], dec: u8) -> Option<f64> {
    unsafe extern "C" {
        fn strtod(text: *const c_char, end: *mut *mut c_char) -> f64;
    }
    if dec != b'.' && written.contains(&b'.') {
        return None;
    }
    let text = written.iter().map(|byte| if *byte == dec { b'.' } else { *byte });
    let text = CString::new(text.collect::<Vec<u8>>()).ok()?;
    let mut end = std::ptr::null_mut();
    // It reads up to the zero at the end of the text at most, and says where it stopped.
    let (value, read) = unsafe {
        let value = strtod(text.as_ptr(), &mut end);
        (value, end.offset_from(text.as_ptr()))
    };
    (read > 0 && read as usize == written.len()).then_some(value)
}

/// Digits with a decimal point, as nearly all are written: up to 2⁵³ they are a number, and so are powers of ten up to 10²², so that
/// their ratio is the nearest. None for all else.
fn quick_number(text: &[u8], format: &Format) -> Option<(f64, bool, usize)> {
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative);
    let (mut at, mut mantissa) = (start, 0u64);
    let mut digits = |at: &mut usize| {
        let first = *at;
        while let Some(digit) =
            text.get(*at).map(|byte| byte.wrapping_sub(b'0')).filter(|d| *d < 10)
        {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
            *at += 1;
        }
        *at - first
    };
    let before = digits(&mut at);
    let point = text.get(at) == Some(&format.dec);
    at += usize::from(point);
    let after = if point { digits(&mut at) } else { 0 };
    let ends = text.get(at).is_none_or(|byte| *byte == format.sep || *byte == b'\n');
    let exact = (1..=18).contains(&(before + after)) && mantissa <= 1 << 53;
    if !(ends && exact) {
        return None;
    }
    let size = mantissa as f64 / TENS[after];
    let whole = !point && size <= f64::from(i32::MAX);
    Some((if negative { -size } else { size }, whole, at))
}

const TENS: [f64; 19] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18,
];

/// How many fields the first line has.
fn fields(text: &[u8], sep: u8) -> usize {
    let (mut at, mut count) = (0, 1);
    loop {
        at += take(&text[at..], sep).1;
        if text.get(at) != Some(&sep) {
            return count;
        }
        (at, count) = (at + 1, count + 1);
    }
}

/// The field that comes next, as it is written, and its length: up to a separator or the end of a line that is in no quotes.
fn take(text: &[u8], sep: u8) -> (&[u8], usize) {
    let mut quoted = false;
    let end = text.iter().position(|byte| {
        quoted ^= *byte == b'"';
        !quoted && (*byte == sep || *byte == b'\n')
    });
    let end = end.unwrap_or(text.len());
    (text[..end].trim_ascii(), end)
}

/// A field without its quotes, among which one is written twice.
fn bare(field: &[u8]) -> Field<'_> {
    match field {
        b"" | b"NA" => None,
        [b'"', inner @ .., b'"'] if inner.contains(&b'"') => {
            let mut second = true;
            let keep = |byte: &u8| {
                second = *byte == b'"' && !second;
                !second
            };
            Some(inner.iter().copied().filter(keep).collect())
        }
        [b'"', inner @ .., b'"'] => Some(inner.into()),
        _ => Some(field.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMAS: Format = Format { sep: b',', dec: b'.' };

    fn numbers(text: &str, format: &Format, count: usize) -> Vec<(Vec<u64>, bool)> {
        let columns = columns(text.as_bytes(), format, vec![false; count]).unwrap();
        let one = |column: Column| match column {
            Column::Numbers { values, whole } => {
                (values.iter().map(|v| v.to_bits()).collect(), whole)
            }
            Column::Text(_) => panic!("text"),
        };
        columns.into_iter().map(one).collect()
    }

    fn texts(text: &str, at: usize, count: usize) -> Vec<Option<String>> {
        match columns(text.as_bytes(), &COMMAS, vec![false; count]).unwrap().swap_remove(at) {
            Column::Text(values) => values
                .into_iter()
                .map(|v| v.map(|v| String::from_utf8(v.into()).unwrap()))
                .collect(),
            Column::Numbers { .. } => panic!("numbers"),
        }
    }

    #[test]
    fn numbers_are_the_nearest_to_what_is_written() {
        let written = [
            "0.1",
            "-0.3",
            "123456.789012",
            "9007199254740993",
            "0.1234567890123456789",
            "1e-5",
            "-2.5E+300",
            "5e-324",
            ".5",
            "5.",
            "+7.25",
            "\"8.5\"",
            " 9.5 ",
            "Inf",
            "1234567890123456789012",
            "-0",
        ];
        let text: String = written.iter().map(|number| format!("{number},1\n")).collect();
        let nearest =
            written.map(|number| number.trim_matches([' ', '"']).parse::<f64>().unwrap().to_bits());
        assert_eq!(
            numbers(&text, &COMMAS, 2),
            [(nearest.to_vec(), false), (vec![1f64.to_bits(); written.len()], true)]
        );
        // With a comma for the point, and lines that end in two characters.
        let semicolons = Format { sep: b';', dec: b',' };
        let text = text.replace(',', ";").replace('.', ",").replace('\n', "\r\n");
        assert_eq!(numbers(&text, &semicolons, 2)[0].0, nearest);
    }

    #[test]
    fn whole_numbers_are_written_so_and_small() {
        for (text, whole) in [
            ("1\n-2147483647\n\"3\"\nNA\n+4", true),
            ("2147483648", false),
            ("1.0", false),
            ("1e3", false),
        ] {
            assert_eq!(numbers(text, &COMMAS, 1)[0].1, whole, "{text}");
        }
    }

    #[test]
    fn text_is_what_was_written_and_what_is_missing_is_not_there() {
        let text =
            "1,a \"b\" c\n\n2,\"d, \"\"e\"\"\nf\"\n3,\n4,NA\n5,\"NA\"\n6,\"\"\n7, g h \r\n \n8,-";
        let some = |text: &str| Some(text.to_owned());
        let said = [
            some("a \"b\" c"),
            some("d, \"e\"\nf"),
            None,
            None,
            some("NA"),
            some(""),
            some("g h"),
            some("-"),
        ];
        assert_eq!(texts(text, 1, 2), said);
        // One text far down makes all of them text.
        assert_eq!(texts("1.50\n2\n\nx\n", 0, 1), [some("1.50"), some("2"), some("x")]);
    }

    #[test]
    fn lines_with_other_fields_are_named() {
        let odd = |text: &str| columns(text.as_bytes(), &COMMAS, vec![false; 3]).err().unwrap();
        assert_eq!(odd("1,2,3\n\n1,2\n"), Odd { line: 2, fields: 2 });
        assert_eq!(odd("1,2,\"3\",\"4,\",5"), Odd { line: 1, fields: 5 });
        assert_eq!(odd("1,2,3\n1,2,3\nx"), Odd { line: 3, fields: 1 });
        for text in [b"1,2,\n", &b""[..]] {
            assert!(columns(text, &COMMAS, vec![true, false, false]).is_ok());
        }
    }
}
