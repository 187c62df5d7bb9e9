//! Neural networks: Σ wᵢ lᵢ(θ) + λ w₀ Σ ‖W‖², by stochastic gradient descent.
//!
//! The loss is the cross-entropy of a softmax or half the squared error of a standardised y; biases are not penalised. The
//! gradient of a batch E of b rows is the unbiased n/b Σ_{i ∈ E} wᵢ ∇lᵢ + λ w₀ ∇φ (MATH 2.3), and steps
//! are taken along it divided by Σ w: a learning rate then means what it means for a mean loss, and
//! the scale of the weights does not matter. Steps fall to zero, and a draw is the mean of the last iterates.
//!
//! - `data`: the inputs, one copy for all draws;
//! - `units`: activations (the products that take the time are in `linalg::single`);
//! - `network`: there and back again; `target`: what is lost on the way;
//! - `start`, `order`, `optimizer`, `average`, `train`: the steps of a draw;
//! - `problem`: the draws; `cv`: their lambda; `predict`: their answers, of which `predictions` makes what is asked for.

mod average;
mod cv;
mod data;
mod network;
mod optimizer;
mod order;
mod predict;
mod problem;
mod start;
mod target;
mod train;
mod units;

pub use data::Inputs;
pub use network::Shape;
pub use optimizer::Method;
pub use predict::Networks;
pub use problem::{DrawNetwork, Mlp};
pub use target::{Answer, Target};
pub use train::{Init, Recipe};
pub use units::Activation;
