//! Rows that R reads in chunks and that are kept for the estimator, in memory or in a file.

use crate::convert::reply;
use crate::fingerprint::{EMPTY, absorb};
use crate::matrix::Matrix;
use extendr_api::prelude::*;
use wbb_core::data::store::Store;
use wbb_core::error::Error;

pub struct Stored {
    /// Gone when an estimator has taken it.
    store: Option<Store>,
    /// Of each column, so that they do not depend on the chunks.
    hashes: Vec<u64>,
}

/// The rows that were kept, as the matrix of a job; they can be taken once.
#[extendr]
fn rust_store_matrix(mut stored: ExternalPtr<Stored>) -> Robj {
    let store = stored.store.take().ok_or_else(gone);
    reply(store.map(|store| ExternalPtr::new(Matrix::of_rows(store))))
}

fn gone() -> Error {
    Error::Internal("the rows that were kept are gone".into())
}

/// Room for rows of so many columns: up to `most` numbers in memory, then in a file of this name.
#[extendr]
fn rust_store(columns: f64, most: f64, path: &str) -> Robj {
    let columns = columns as usize;
    let store = Some(Store::new(columns, most as usize, path.into()));
    ExternalPtr::new(Stored { store, hashes: vec![EMPTY; columns] }).into()
}

/// More rows, a matrix; TRUE once they are kept in a file.
#[extendr]
fn rust_store_add(mut stored: ExternalPtr<Stored>, x: &[f64], count: f64) -> Robj {
    let (count, Stored { store, hashes }) = (count as usize, &mut *stored);
    for (hash, column) in hashes.iter_mut().zip(x.chunks_exact(count.max(1))) {
        *hash = column.iter().fold(*hash, |h, v| absorb(h, v.to_bits()));
    }
    reply(match store {
        Some(store) => store.add(x, count).map(|()| store.is_in_file()),
        None => Err(gone()),
    })
}

/// A text that other rows do not have.
#[extendr]
fn rust_store_fingerprint(stored: ExternalPtr<Stored>) -> String {
    format!("{:016x}", stored.hashes.iter().fold(EMPTY, |h, column| absorb(h, *column)))
}

/// Nobody will take the rows: the file, if there is one, goes at once.
#[extendr]
fn rust_store_clear(mut stored: ExternalPtr<Stored>) {
    stored.store = None;
}

extendr_module! {
    mod store;
    fn rust_store;
    fn rust_store_add;
    fn rust_store_fingerprint;
    fn rust_store_clear;
    fn rust_store_matrix;
}
