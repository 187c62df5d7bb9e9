//! Sparse matrices as R has them.

use crate::error::Error;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_outside_the_matrix_are_refused() {
        assert!(compressed_columns((2, 1), vec![0, 1], vec![5], vec![1.0], "x").is_err());
        assert!(compressed_columns((2, 1), vec![0, 1], vec![1], vec![1.0], "x").is_ok());
    }
}
