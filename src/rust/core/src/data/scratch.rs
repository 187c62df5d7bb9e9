//! Numbers in a file that vanishes with its owner: for a matrix that is too large for the memory.

use std::fs::{File, OpenOptions, remove_file};
use std::io::Result;
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Numbers that are written at a time.
const PIECE: usize = 1 << 16;

pub struct Scratch {
    file: File,
    path: PathBuf,
    /// What readers gave back: as many as ever read at a time.
    buffers: Mutex<Vec<Buffer>>,
}

/// Numbers that were read, and where they are in the file.
#[derive(Default)]
struct Buffer {
    at: Range<usize>,
    values: Vec<f64>,
    bytes: Vec<u8>,
}

/// A range of the file in memory, for as long as somebody looks at it.
pub struct Lent<'a> {
    scratch: &'a Scratch,
    buffer: Buffer,
}

impl Scratch {
    /// A file of this name must not be there yet.
    pub fn create(path: &Path) -> Result<Scratch> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        // Without a name it lasts as long as it is open: a process that is killed leaves nothing behind.
        #[cfg(unix)]
        remove_file(path)?;
        Ok(Scratch { file, path: path.to_owned(), buffers: Mutex::default() })
    }

    /// Put numbers in their place, counted in numbers.
    pub fn write(&mut self, first: usize, values: &[f64]) -> Result<()> {
        let mut buffer = self.buffer(0..0);
        buffer.at = 0..0;
        self.buffers = Mutex::default();
        // Piece by piece: all bytes at once would be the numbers a second time.
        for (k, piece) in values.chunks(PIECE).enumerate() {
            buffer.bytes.clear();
            buffer.bytes.extend(piece.iter().flat_map(|v| v.to_ne_bytes()));
            write_at(&self.file, &buffer.bytes, 8 * (first + k * PIECE) as u64)?;
        }
        self.give_back(buffer);
        Ok(())
    }

    /// The same where a block is changed in its place: a fault ends the job.
    pub fn put(&mut self, first: usize, values: &[f64]) {
        if let Err(error) = self.write(first, values) {
            panic!("the rows in {} could not be changed: {error}", self.path.display());
        }
    }

    /// Look at some numbers. What cannot be read again is a fault that no caller can mend: it ends the job.
    pub fn read(&self, at: Range<usize>) -> Lent<'_> {
        let mut buffer = self.buffer(at.clone());
        if buffer.at != at {
            buffer.bytes.resize(8 * at.len(), 0);
            if let Err(error) = read_at(&self.file, &mut buffer.bytes, 8 * at.start as u64) {
                panic!("the rows in {} could not be read again: {error}", self.path.display());
            }
            let word = |bytes: &[u8]| f64::from_ne_bytes(bytes.try_into().unwrap_or_default());
            buffer.values.clear();
            buffer.values.extend(buffer.bytes.chunks_exact(8).map(word));
            buffer.at = at;
        }
        Lent { scratch: self, buffer }
    }

    /// One that has these numbers already, or any.
    fn buffer(&self, at: Range<usize>) -> Buffer {
        let mut free = self.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        match free.iter().position(|b| b.at == at) {
            Some(place) => free.swap_remove(place),
            None => free.pop().unwrap_or_default(),
        }
    }

    fn give_back(&self, buffer: Buffer) {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Where a file that is open keeps its name. Whoever gave the folder clears it, too.
        #[cfg(not(unix))]
        let _ = remove_file(&self.path);
    }
}

impl Deref for Lent<'_> {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.buffer.values
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.scratch.give_back(std::mem::take(&mut self.buffer));
    }
}

#[cfg(not(windows))]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(not(windows))]
fn write_at(file: &File, bytes: &[u8], at: u64) -> Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> Result<()> {
    while !bytes.is_empty() {
        let count = some(std::os::windows::fs::FileExt::seek_read(file, bytes, at)?)?;
        bytes = &mut bytes[count..];
        at += count as u64;
    }
    Ok(())
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut at: u64) -> Result<()> {
    while !bytes.is_empty() {
        let count = some(std::os::windows::fs::FileExt::seek_write(file, bytes, at)?)?;
        bytes = &bytes[count..];
        at += count as u64;
    }
    Ok(())
}

#[cfg(windows)]
fn some(count: usize) -> Result<usize> {
    if count > 0 { Ok(count) } else { Err(std::io::Error::other("the file ends early")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_the_file_goes() {
        let path = std::env::temp_dir().join(format!("wbb-scratch-{}", std::process::id()));
        let mut scratch = Scratch::create(&path).unwrap();
        assert_eq!(path.exists(), cfg!(not(unix)), "a process that is killed would leave it");
        let values: Vec<f64> = (0..100).map(|i| (i as f64).sqrt()).collect();
        scratch.write(0, &values).unwrap();
        assert_eq!(*scratch.read(0..100), values);
        {
            let (a, b) = (scratch.read(3..7), scratch.read(90..100));
            assert_eq!((&*a, &*b), (&values[3..7], &values[90..]));
        }
        // What was read before is not taken for what was written since.
        scratch.write(4, &[-1.0, f64::NAN]).unwrap();
        let again = scratch.read(3..7);
        assert_eq!((again[0], again[1], again[3]), (values[3], -1.0, values[6]));
        assert!(again[2].is_nan());
        drop(again);
        drop(scratch);
        assert!(!path.exists());
        std::fs::write(&path, "of somebody else").unwrap();
        assert!(Scratch::create(&path).is_err());
        remove_file(&path).unwrap();
    }
}
