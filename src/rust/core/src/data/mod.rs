//! The user's data, standardised once.

pub mod basis;
pub mod blocks;
pub mod design;
pub mod rows;
pub mod source;
pub mod standard;
