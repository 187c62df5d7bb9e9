//! Families beside least squares: logistic, Poisson, multinomial and Cox regression with a lasso.
//!
//! ```text
//! min Σ wᵢ lᵢ(oᵢ + b₀ + xᵢ'β) + λ Σ w₀ⱼ fⱼ (α |βⱼ| + ½ (1 − α) βⱼ²)
//! ```
//!
//! Draws lie near the mode, so a few quadratic models of the loss lead there (`model`, on the small problems
//! of least squares): passes over the data for a batch of draws (`pass`) find losses and gradients, `curvature`
//! the models (`reweighted` and, for several classes, `classes` go to their minimum without them, where columns are sparse), `solve` goes from one
//! to the next (`state`, for one draw; `secant` takes what steps have shown into account) until a `certificate` says that it is there. A family is a file in [`crate::loss`].

mod attempt;
mod certificate;
mod classes;
mod curvature;
mod cv;
mod measure;
mod model;
mod pass;
mod problem;
mod reweighted;
mod secant;
mod setup;
mod solve;
mod state;
mod task;
mod unseen;

pub use problem::Glm;
