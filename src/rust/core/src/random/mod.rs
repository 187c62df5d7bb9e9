//! Random numbers that belong to a place: a seed, a draw, a row.

pub mod laws;
pub mod streams;
pub mod weights;
