//! The user's data, standardised once.

pub mod apart;
pub mod basis;
pub mod blocks;
pub mod design;
pub mod fields;
pub mod lines;
pub mod rows;
mod scratch;
pub mod source;
pub mod standard;
pub mod store;
