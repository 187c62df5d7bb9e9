//! Random numbers that belong to a place (a seed, a draw, a row), and the laws of what they make.

pub mod laws;
pub mod mixture;
pub mod streams;
pub mod weights;
