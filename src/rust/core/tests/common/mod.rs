//! What the tests of several estimators share.

#![allow(dead_code, reason = "every test file is a crate of its own and uses a part of this")]

pub mod families;
pub mod networks;

use ndarray::{Array, Dimension};
use sprs::TriMat;
use wbb_core::engine::cv::{CrossValidation, Folds, Lambda, Rule};
use wbb_core::linalg::sparse::SparseMatrix;

/// Reproducible uniform numbers in (0, 1).
pub fn uniform(i: usize) -> f64 {
    let mut z = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    ((z >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

/// In (−1, 1).
pub fn noise(i: usize) -> f64 {
    2.0 * uniform(i) - 1.0
}

pub fn normal(i: usize) -> f64 {
    (-2.0 * uniform(2 * i).ln()).sqrt() * (std::f64::consts::TAU * uniform(2 * i + 1)).cos()
}

/// Cross-validated, with five folds.
pub fn five_folds(lambdas: usize) -> Lambda {
    Lambda::CrossValidated(CrossValidation {
        folds: Folds::Count(5),
        lambdas,
        ratio: None,
        rule: Rule::Min,
        anew: false,
    })
}

/// The numbers of a table as they lie in memory.
pub fn flat<D: Dimension>(table: &Array<f64, D>) -> &[f64] {
    table.as_slice_memory_order().unwrap()
}

pub fn assert_close(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{what}: {i}: {a} {b}");
    }
}

/// Differences along the edges of a grid of this side.
pub fn grid(side: usize) -> SparseMatrix {
    let mut d = TriMat::new((2 * side * (side - 1), side * side));
    let mut row = 0;
    for i in 0..side * side {
        for (inside, j) in [(i % side + 1 < side, i + 1), (i + side < side * side, i + side)] {
            if inside {
                d.add_triplet(row, i, -1.0);
                d.add_triplet(row, j, 1.0);
                row += 1;
            }
        }
    }
    d.to_csr()
}

/// Run `work` on so many threads.
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}
