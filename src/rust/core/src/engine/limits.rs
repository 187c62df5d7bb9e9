//! When a solver may stop.

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Of the gap, relative to the objective.
    pub tolerance: f64,
    pub iterations: u32,
}
