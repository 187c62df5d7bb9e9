//! What all estimators share: a problem, its draws on the threads of a job, the choice of lambda.

pub mod bootstrap;
pub mod cv;
pub mod feed;
pub mod freedom;
pub mod job;
pub mod limits;
pub mod memory;
pub mod parts;
pub mod problem;
pub mod table;
