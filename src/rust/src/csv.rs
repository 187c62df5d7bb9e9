//! Text files in parts.

use crate::convert::{Result, reply};
use extendr_api::prelude::*;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use wbb_core::data::fields::{Column, Field, Format, columns};
use wbb_core::data::lines::cut;
use wbb_core::error::Error;

/// Bytes that begin with a line, outside the memory of R, which would collect garbage every few parts.
struct Text {
    /// Where more bytes come from, if R does not bring them.
    file: Option<File>,
    bytes: Vec<u8>,
    /// Where the lines end that were cut off last.
    end: usize,
}

/// Room for text: of a plain file from byte `at` on, or (an empty name) of what R reads.
#[extendr]
fn rust_csv_text(path: &str, at: f64) -> Robj {
    let open = || {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(at as u64))?;
        Ok(file)
    };
    let file = if path.is_empty() { Ok(None) } else { open().map(Some).map_err(unread) };
    reply(file.map(|file| ExternalPtr::new(Text { file, bytes: Vec::new(), end: 0 })))
}

fn unread(error: std::io::Error) -> Error {
    Error::argument("source", format!("could not be read: {error}"))
}

/// Bytes in place of the lines that were cut off before: `more`, or else up to so many of the file. Cuts after the last end of a line that is
/// in no quotes, or after all bytes where there are no more. How many bytes came and were cut off, and the lines among them that are not empty.
#[extendr]
fn rust_csv_cut(mut text: ExternalPtr<Text>, more: &[u8], most: f64) -> Robj {
    let Text { file, bytes, end } = &mut *text;
    bytes.drain(..*end);
    *end = 0;
    let before = bytes.len();
    bytes.extend_from_slice(more);
    let read = match file {
        Some(file) if more.is_empty() => file.take(most as u64).read_to_end(bytes).map_err(unread),
        _ => Ok(more.len()),
    };
    reply(read.map(|read| {
        let lines;
        (*end, lines) = cut(bytes, bytes.len() == before);
        vec![read as f64, *end as f64, lines as f64]
    }))
}

/// The columns of the lines that were cut off: numbers or text, which those are that `is_text` says (not 0). Of a line with more fields or fewer, its
/// number and theirs.
#[extendr]
fn rust_csv_columns(text: ExternalPtr<Text>, sep: &str, dec: &str, is_text: &[i32]) -> Robj {
    let byte = |text: &str| text.bytes().next().unwrap_or_default();
    let format = Format { sep: byte(sep), dec: byte(dec) };
    reply(readable(&text.bytes[..text.end]).map(|text| {
        match columns(&text, &format, is_text.iter().map(|text| *text != 0).collect()) {
            Ok(columns) => List::from_values(columns.into_iter().map(vector)).into(),
            Err(odd) => Robj::from(vec![odd.line as f64, odd.fields as f64]),
        }
    }))
}

/// What is not UTF-8 is taken for Latin-1.
fn readable(bytes: &[u8]) -> Result<std::borrow::Cow<'_, [u8]>> {
    // A string of R has none.
    if bytes.contains(&0) {
        return Err(Error::argument("source", "has a byte that is zero".into()));
    }
    if std::str::from_utf8(bytes).is_ok() {
        return Ok(bytes.into());
    }
    Ok(bytes.iter().map(|byte| char::from(*byte)).collect::<String>().into_bytes().into())
}

fn vector(column: Column) -> Robj {
    match column {
        Column::Numbers { values, whole: false } => values.into(),
        Column::Numbers { values, whole: true } => {
            let whole = |value: f64| if value.is_nan() { i32::MIN } else { value as i32 };
            values.into_iter().map(whole).collect_robj()
        }
        Column::Text(fields) => fields.into_iter().map(string).collect::<Strings>().into(),
    }
}

fn string(field: Field) -> Rstr {
    let text = field.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok());
    text.map_or_else(Rstr::na, Rstr::from)
}

extendr_module! {
    mod csv;
    fn rust_csv_text;
    fn rust_csv_cut;
    fn rust_csv_columns;
}
