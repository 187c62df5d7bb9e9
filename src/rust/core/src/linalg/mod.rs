//! Vectors, matrices and factors: everything that takes the time.

use crate::error::Error;

pub mod cholesky;
pub mod cholesky_single;
pub mod dense;
pub mod dissection;
pub mod elementary;
pub mod gram;
pub mod graph;
pub mod lanes;
pub mod ldl;
pub mod normal;
pub mod order;
pub mod panel;
pub mod single;
pub mod sparse;

/// Asked now and then by work that takes long; its error ends the work.
pub type Pause<'a> = &'a dyn Fn() -> Result<(), Error>;
