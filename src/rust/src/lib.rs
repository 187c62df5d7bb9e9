//! Bindings for R: convert in, call, convert out. No mathematics here.
//!
//! Nothing in this crate raises an R error: errors travel as lists (see `convert::error_list`) and
//! R raises them, with the user's call. No thread but R's own touches R.

use extendr_api::prelude::*;

mod bridge;
mod calibrate;
mod convert;
mod csv;
mod fingerprint;
mod genlasso;
mod job;
mod laplace;
mod lasso;
mod marginal;
mod matrix;
mod mlp;
mod mlp_predict;
mod moments;
mod predict;
mod question;
mod results;
mod settings;
mod store;
mod tables;
mod trendfilter;
mod weights;

/// Memory that the system refuses is an error of R's, and not its end.
#[global_allocator]
static ALLOCATOR: wbb_core::engine::memory::Careful = wbb_core::engine::memory::Careful;

/// Version of the core.
#[extendr]
fn rust_info() -> List {
    list!(version = wbb_core::VERSION, simd = wbb_core::linalg::lanes::instruction_set())
}

/// Smallest and largest number from `from` on to before `to`; NaN if one is not finite.
#[extendr]
fn rust_extent(values: &[f64], from: f64, to: f64) -> Vec<f64> {
    let part = values.get(from as usize..to as usize).unwrap_or(values);
    wbb_core::linalg::dense::extent(part).to_vec()
}

extendr_module! {
    mod wbb;
    use bridge;
    use calibrate;
    use csv;
    use fingerprint;
    use genlasso;
    use job;
    use laplace;
    use lasso;
    use marginal;
    use matrix;
    use mlp;
    use mlp_predict;
    use moments;
    use predict;
    use store;
    use tables;
    use trendfilter;
    use weights;
    fn rust_extent;
    fn rust_info;
}
