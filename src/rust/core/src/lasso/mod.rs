//! The weighted lasso and elastic net.
//!
//! ```text
//! min ½ Σ wᵢ (yᵢ − b₀ − xᵢ'β)² + λ Σ w₀ⱼ fⱼ (α |βⱼ| + ½ (1 − α) βⱼ² / s),    s the scale of y
//! ```
//!
//! in columns (and a response) standardised once; b₀ is profiled out. Three ways lead to a draw, and
//! [`Lasso`] chooses by counting multiplications (MATH 4):
//!
//! - few columns: the Gram matrices (`gram`) of a whole batch of draws are one matrix product, then a
//!   small `quadratic` problem a draw;
//! - many rows: `reference`, the unit-weight Gram matrix as preconditioner, a few passes over the data
//!   for a batch of draws (`pass`, `batch`), no Gram matrix per draw;
//! - many columns: `working`, the draw's Gram matrix on the columns that matter (nearly those that
//!   `rough` steps on the residual find).
//!
//! The small problems are solved by `sweeps` and `newton`, coefficients without a penalty (`free`) taken
//! out first. Where rows are too many for the memory, `summed` has the same Gram matrices from sums made before
//! (MATH 9). Every draw ends with the duality gap of `certificate`. Cross-validation (`cv`) is the same
//! problem with weight zero for the rows held out.

mod batch;
mod certificate;
mod cross;
mod cv;
mod effective;
mod free;
mod glm;
mod gram;
mod newton;
mod pass;
mod problem;
mod quadratic;
mod reference;
mod rough;
mod setup;
mod starts;
mod summed;
mod sweeps;
mod task;
mod working;

pub use glm::Glm;
pub use problem::{Lasso, Method, Options};
