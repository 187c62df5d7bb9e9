//! The Bayesian bridge of Polson, Scott & Windle (2014), by Gibbs sampling (MATH 2.5 and 6).
//!
//! ```text
//! y | β, σ² ~ N(b₀ + Xβ, σ²),   p(b₀) ∝ 1,   σ² ~ InvGamma(c, d)   (c = d = 0: p(σ²) ∝ 1/σ²)
//! p(β | ν) ∝ ν^(p/α) exp(−ν Σ |βⱼ|^α),   ν = τ^(−α) ~ Gamma(a, rate b)
//! ```
//!
//! exp(−|t|^α) is the Laplace transform of a positive stable variable of index α/2 at t². With
//! such a *scale* sⱼ for each coefficient, β is Gaussian with prior precisions 2 sⱼ/τ², and given
//! βⱼ the scale is that stable variable tilted by exp(−sⱼ βⱼ²/τ²) (`stable`). An iteration draws
//!
//! 1. β | s, σ², ν: Gaussian (`gaussian`);
//! 2. σ² | β and ν | β ~ Gamma(a + p/α, b + Σ|βⱼ|^α), the scales integrated out: they would tie ν
//!    to its last value;
//! 3. s | β, ν.
//!
//! The intercept is integrated out (columns and response are centred) and drawn at the end.
//! α = 1 is the Bayesian lasso, α = 2 ridge regression, where the scales are all 1.

mod chain;
mod data;
mod diagnostics;
mod gaussian;
mod options;
mod sampler;
mod stable;

pub use data::{Data, Scaling};
pub use diagnostics::{diagnose, diagnose_all};
pub use gaussian::Gaussian;
pub use options::{Noise, Options, Shrinkage};
pub use sampler::{Chains, Kept, Sampler, keep, run};
