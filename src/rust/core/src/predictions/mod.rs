//! What draws say of rows: their answers, block by block, and what is made of them.

mod answers;
mod linear;
mod reduce;

pub use answers::{Answers, Table, ask};
pub use linear::Linear;
pub use reduce::{All, Interval, Limits, Mean, Observed, Scores, Spread};
