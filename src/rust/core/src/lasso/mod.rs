//! The weighted lasso and elastic net.
//!
//! ```text
//! min ½ Σ wᵢ (yᵢ − b₀ − xᵢ'β)² + λ Σ w₀ⱼ fⱼ (α |βⱼ| + ½ (1 − α) βⱼ² / s),    s the scale of y
//! ```
//!
//! in columns (and a response) standardised once; b₀ is profiled out. Three ways lead to a draw, and
//! [`Lasso`] chooses by counting multiplications (MATH 4; `costs`), for each draw from where it starts:
//!
//! - few columns: the Gram matrices (`gram`) of a whole batch of draws are one matrix product, then a
//!   small `quadratic` problem a draw;
//! - many rows: `reference`, the unit-weight Gram matrix as preconditioner, a few passes over the data
//!   for a batch of draws (`pass`, `batch`), no Gram matrix per draw;
//! - many columns: `working`, the draw's Gram matrix on the columns that matter (nearly those that
//!   `rough` steps on the residual find); where columns are sparse, `descent` on the residual comes first
//!   and the Gram matrix only where that would be cheaper, of filled columns if there is room for them.
//!
//! Of what was tried for many columns: descents in double precision to the end lose to the Gram matrix
//! where columns are dense (14 ms a draw for 9 at 500 × 5,000 with 200 active), and win two to six
//! times where they have some tens of entries. Extrapolated sweeps were worth little while combinations
//! were taken whole or not at all, since signs still change: most were refused; the best point on the
//! line to them is always below. With nearly as many active columns as rows, exact searches along Newton's
//! direction took hundreds of steps, each for one sign, and in some draws thousands. Steps that stop coordinates at
//! zero (`damping`) take three or four at 700 active of 1,000 rows and some thirty at 900; an interior-point method
//! takes seven to ten at either, of all columns in place of the active ones, so it comes after the steps
//! that go short. Both are in single precision, a factor of 900 columns in 3 ms. On sparse columns steps are
//! solved by conjugate gradients, led by such a factor where it costs less than the hundred sweeps that they take alone, and a
//! descent whose pace says that it needs more goes over to them. Columns of 50 to 200 rows, filled, are solved two
//! to seven times as fast near saturation, and those of 1,000 rows slower: a cost, not the density, decides. A ridge
//! makes the gap one of second order, so that descents and passes of an elastic net end at the root of what the lasso
//! needs.
//!
//! The small problems are solved by `sweeps` and `newton`, coefficients without a penalty (`free`; `separate`
//! where their columns nearly depend on each other) taken out first; a ridge of more columns than rows goes `by_rows`. Where rows are too many for the memory, `summed` has the same Gram matrices from sums made before
//! (MATH 9). Every draw ends with the duality gap of `certificate`. Cross-validation (`cv`) is the same
//! problem with weight zero for the rows held out; `redrawn` runs it in every draw.

mod batch;
mod by_rows;
mod certificate;
mod costs;
mod cross;
mod cv;
mod damping;
mod descent;
mod effective;
mod extrapolate;
mod free;
mod glm;
mod gram;
mod newton;
mod pass;
mod problem;
mod quadratic;
mod redrawn;
mod reference;
mod rough;
mod separate;
mod setup;
mod starts;
mod summed;
mod sweeps;
mod task;
mod working;

pub use glm::Glm;
pub use problem::{Lasso, Method, Options};
