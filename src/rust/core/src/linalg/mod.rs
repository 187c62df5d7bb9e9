//! Vectors, matrices and factors: everything that takes the time.

pub mod cholesky;
pub mod dense;
pub mod elementary;
pub mod lanes;
pub mod ldl;
pub mod single;
pub mod sparse;
