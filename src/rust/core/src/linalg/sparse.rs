//! Sparse matrices as R has them, and their products with vectors.

use crate::error::Error;
use pulp::as_arrays;
use sprs::prod::{mul_acc_mat_vec_csc, mul_acc_mat_vec_csr};

const SUMS: usize = 4;

/// By rows or columns.
pub type SparseMatrix = sprs::CsMat<f64>;

/// Compressed columns of the user's `argument`, checked: row indices sorted and within the shape.
pub fn compressed_columns(
    shape: (usize, usize),
    starts: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
    argument: &'static str,
) -> Result<SparseMatrix, Error> {
    SparseMatrix::try_new_csc(shape, starts, rows, values)
        .map_err(|(.., e)| Error::argument(argument, format!("is not a valid sparse matrix: {e}")))
}

/// Indices and values of row i (of column i, for a matrix by columns).
pub fn line(a: &SparseMatrix, i: usize) -> (&[usize], &[f64]) {
    let range = a.indptr().outer_inds_sz(i);
    (&a.indices()[range.clone()], &a.data()[range])
}

/// A v, for A by rows.
pub fn multiply(a: &SparseMatrix, v: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; a.rows()];
    mul_acc_mat_vec_csr(a.view(), v, &mut out[..]);
    out
}

/// A'u, for A by rows: its transpose is by columns.
pub fn multiply_transposed(a: &SparseMatrix, u: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; a.cols()];
    mul_acc_mat_vec_csc(a.transpose_view(), u, &mut out[..]);
    out
}

/// Σ vₖ dᵢ over the entries (i, v) of a sparse column, four sums side by side.
#[inline(always)]
pub fn gathered_dot(rows: &[u32], values: &[f64], d: &[f64]) -> f64 {
    let ((fours, rest_rows), (numbers, rest)) =
        (as_arrays::<SUMS, _>(rows), as_arrays::<SUMS, _>(values));
    let mut sum = [0.0; SUMS];
    for (at, v) in fours.iter().zip(numbers) {
        for l in 0..SUMS {
            sum[l] = v[l].mul_add(d[at[l] as usize], sum[l]);
        }
    }
    for (&i, v) in rest_rows.iter().zip(rest) {
        sum[0] = v.mul_add(d[i as usize], sum[0]);
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_with_a_sparse_column_is_that_of_the_filled_one() {
        let d: Vec<f64> = (0..40).map(|i| (i as f64).sin()).collect();
        for count in [0, 1, 4, 7, 16] {
            let rows: Vec<u32> = (0..count).map(|k| (7 * k + 3) % 40).collect();
            let values: Vec<f64> = rows.iter().map(|&i| f64::from(i) - 11.5).collect();
            let plain: f64 = rows.iter().zip(&values).map(|(&i, v)| v * d[i as usize]).sum();
            assert!((gathered_dot(&rows, &values, &d) - plain).abs() < 1e-12, "{count}");
        }
    }

    #[test]
    fn rows_outside_the_matrix_are_refused() {
        assert!(compressed_columns((2, 1), vec![0, 1], vec![5], vec![1.0], "x").is_err());
        assert!(compressed_columns((2, 1), vec![0, 1], vec![1], vec![1.0], "x").is_ok());
    }

    #[test]
    fn products_are_those_of_the_definition() {
        // (1 0 2; 0 3 0)
        let a = SparseMatrix::new((2, 3), vec![0, 2, 3], vec![0, 2, 1], vec![1.0, 2.0, 3.0]);
        assert_eq!(multiply(&a, &[1.0, 10.0, 100.0]), [201.0, 30.0]);
        assert_eq!(multiply_transposed(&a, &[1.0, 10.0]), [1.0, 30.0, 2.0]);
    }
}
