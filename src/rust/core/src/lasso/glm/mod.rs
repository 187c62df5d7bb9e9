//! Families beside least squares: logistic, Poisson, multinomial and Cox regression with a lasso.
//!
//! ```text
//! min Σ wᵢ lᵢ(oᵢ + b₀ + xᵢ'β) + λ Σ w₀ⱼ fⱼ (α |βⱼ| + ½ (1 − α) βⱼ²)
//! ```
//!
//! Draws lie near the mode, so a few quadratic models of the loss lead there (`model`, on the small problems
//! of least squares): passes over the data for a batch of draws (`pass`) find losses and gradients, `curvature`
//! the models, `solve` goes from one to the next and certifies. A family is a file in [`crate::loss`].

mod curvature;
mod cv;
mod measure;
mod model;
mod pass;
mod problem;
mod setup;
mod solve;
mod task;

pub use problem::Glm;
