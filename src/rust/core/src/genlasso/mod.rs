//! The weighted generalised lasso: any sparse penalty matrix D, and optionally a design X.
//!
//! ```text
//! min ½ Σ wᵢ (yᵢ − xᵢ'β)² + Σ c_j |(Dβ)_j|,    c_j = λ w₀ⱼ
//! ```
//!
//! Fused lasso on a graph, two-dimensional grids, X with more columns than rows. The method is an
//! [`interior`] point on the sparse equations of [`system`]; every draw ends with the duality gap
//! of [`certificate`]. A general D has no knots to walk along; differences of two coefficients that
//! vanish are made exactly zero at the end ([`ties`]).

mod certificate;
mod cv;
mod flat;
mod interior;
mod layout;
mod problem;
mod system;
mod ties;
mod units;

pub use problem::{GenLasso, GenLassoOptions};
