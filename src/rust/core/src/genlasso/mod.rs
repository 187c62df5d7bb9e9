//! The weighted generalised lasso: any sparse penalty matrix D, and optionally a design X.
//!
//! ```text
//! min ½ Σ wᵢ (yᵢ − xᵢ'β)² + Σ c_j |(Dβ)_j|,    c_j = λ w₀ⱼ
//! ```
//!
//! Fused lasso on a graph, two-dimensional grids. The dual certificate is that of the trend filter; the
//! method is an [`interior`] point with a sparse factorisation ([`ldl`]), exact to the gap.

mod interior;
mod problem;

pub use problem::{GenLasso, Options};
