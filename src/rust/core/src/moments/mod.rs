//! Sums that add (MATH 9): everything a least-squares draw needs of its rows is Σ wᵢ zᵢzᵢ', z = (1, x, y).
//!
//! One pass over rows that arrive in parts gives these sums for all draws at once, beside those of unit
//! weights and of each fold of a cross-validation. The weight of a row is a function of (seed, draw, row),
//! so that sums of other rows, made by anyone, can be added.
//!
//! **Bits.** Rows are summed in blocks that begin at fixed row numbers, whatever the parts they came in,
//! and each draw has a lane of its own: the sums depend neither on parts, nor on threads, nor on the draws beside.
//!
//! **Digits.** Columns are shifted and scaled by what the first block says of them (`frame`): around the
//! origin a column of mean 10⁶ and deviation 1 would lose twelve digits. A shift that is off by δ costs δ²/variance,
//! and the first block, a share f of the weight, has itself moved the variance to fδ² or more: at most 1/f is lost.

mod collect;
mod frame;
mod lanes;
mod rows;
mod sums;

pub use collect::{Request, collect};
pub use frame::Frame;
pub use rows::Rows;
pub use sums::{Cases, Layout, Sums};
