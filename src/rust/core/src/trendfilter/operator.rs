//! The difference operator D^(k+1) as a sparse matrix (MATH 2.4; Tibshirani 2014, eq. 13).
//!
//! D^(1) takes first differences, D^(r+1) = D^(1) diag(r / (x_{i+r} − x_i)) D^(r). At x = 1, 2, … its
//! rows are the signed binomial coefficients of the paper; row j looks at points j … j + k + 1 and
//! is the jump of the k-th derivative there. The solver never multiplies by it (that is where digits
//! would be lost), but for the jumps of a fit without penalty; it is the definition that the tests hold the
//! solver to.

use sprs::{CsMat, TriMat};

/// D^(order + 1) at the points x, which must increase. Points in short supply give a matrix without rows.
pub fn difference(x: &[f64], order: usize) -> CsMat<f64> {
    let mut d = CsMat::eye(x.len());
    for r in 0..=order {
        let rows = d.rows();
        if r > 0 {
            let scale = (0..rows).map(|i| r as f64 / (x[i + r] - x[i]));
            d = &diagonal(scale) * &d;
        }
        d = &first_difference(rows) * &d;
    }
    d
}

fn first_difference(points: usize) -> CsMat<f64> {
    let rows = points.saturating_sub(1);
    let mut d = TriMat::new((rows, points));
    for i in 0..rows {
        d.add_triplet(i, i, -1.0);
        d.add_triplet(i, i + 1, 1.0);
    }
    d.to_csr()
}

fn diagonal(values: impl ExactSizeIterator<Item = f64>) -> CsMat<f64> {
    let n = values.len();
    let mut d = TriMat::new((n, n));
    for (i, value) in values.enumerate() {
        d.add_triplet(i, i, value);
    }
    d.to_csr()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::sparse::multiply;

    #[test]
    fn evenly_spaced_rows_are_the_signed_binomials_of_the_paper() {
        let x: Vec<f64> = (1..=9).map(f64::from).collect();
        for order in 0..=4 {
            let d = difference(&x, order);
            assert_eq!(d.shape(), (9 - order - 1, 9));
            let mut binomial = 1.0;
            for l in 0..=order + 1 {
                let sign = if (order + 1 - l) % 2 == 0 { 1.0 } else { -1.0 };
                for j in 0..d.rows() {
                    assert_eq!(d.get(j, j + l), Some(&(sign * binomial)), "{order} {j} {l}");
                }
                binomial *= (order + 1 - l) as f64 / (l + 1) as f64;
            }
        }
    }

    #[test]
    fn polynomials_of_the_order_vanish_and_kinks_show_their_jump() {
        let x = [0.0, 0.3, 1.0, 1.1, 2.5, 4.0, 4.2, 7.0];
        for order in 0..=3 {
            let d = difference(&x, order);
            let power: Vec<f64> = x.iter().map(|x| x.powi(order as i32)).collect();
            assert!(multiply(&d, &power).iter().all(|v| v.abs() < 1e-9));
            // Π (x − x_{j+r}) / k! right of the knot has one difference, a jump of one.
            let factorial: f64 = (1..=order).map(|i| i as f64).product();
            for j in 0..d.rows() {
                let knot: Vec<f64> = (0..x.len())
                    .map(|i| {
                        let product: f64 = (1..=order).map(|r| x[i] - x[j + r]).product();
                        if i > j + order { product / factorial } else { 0.0 }
                    })
                    .collect();
                for (row, v) in multiply(&d, &knot).iter().enumerate() {
                    let expected = if row == j { 1.0 } else { 0.0 };
                    assert!((v - expected).abs() < 1e-8, "{order} {j} {row} {v}");
                }
            }
        }
    }

    #[test]
    fn too_few_points_have_no_rows() {
        assert_eq!(difference(&[1.0, 2.0], 1).rows(), 0);
        assert_eq!(difference(&[1.0], 3).rows(), 0);
    }
}
