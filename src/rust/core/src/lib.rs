//! The weighted Bayesian bootstrap (Newton, Polson & Xu 2021), without R.
//!
//! # The method
//!
//! Draw k of the posterior of θ is the minimiser of a randomly weighted objective,
//!
//! ```text
//! θₖ = argmin Σᵢ wᵢ lᵢ(θ) + w₀ λ φ(θ),    w₁ … wₙ, w₀ ~ Exp(1) (or another law of mean 1),
//! ```
//!
//! with lᵢ the negative log-likelihood of row i and λφ the penalty, a negative log-prior. Each draw
//! is an optimisation of its own, certified by a duality gap or a gradient norm.
//!
//! # The flow of a draw
//!
//! [`random::weights`] makes w from (seed, k) → a [`engine::problem::WeightedProblem`] solves a batch of draws →
//! [`engine::bootstrap`] puts the modes in one table, on the threads of a [`engine::job::Job`] that its owner
//! polls, shows the progress of and may cancel.
//!
//! Beside it stand an exact posterior to compare with, the Markov chains of [`bridge`] on the same
//! threads, what they say of λ, [`marginal`], and the one problem that can be solved by hand, [`laplace`];
//! above all of them, whether the intervals cover: [`calibrate`].
//!
//! # The promise
//!
//! Draw k depends on (seed, k) and the data alone: not on threads, batches, chunks, neighbours or the
//! instruction set. [`linalg::lanes`] says how.

pub mod bridge;
pub mod calibrate;
pub mod data;
pub mod engine;
pub mod error;
pub mod genlasso;
pub mod laplace;
pub mod lasso;
pub mod linalg;
pub mod loss;
pub mod marginal;
pub mod mlp;
pub mod moments;
pub mod penalty;
pub mod predictions;
pub mod random;
pub mod trendfilter;

pub const VERSION: &str = env!("CARGO_PKG_VERSION");
