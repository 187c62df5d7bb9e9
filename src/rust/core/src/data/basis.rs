//! Columns in other coordinates: an orthonormal basis of their span.
//!
//! Coefficients without a penalty may be changed for any others with the same span. Where such columns
//! nearly depend on each other a Gram matrix has lost what tells them apart, and no weighted one can be
//! solved; an orthonormal basis, found once from the columns themselves, keeps it in every draw.

use super::blocks::Blocked;
use crate::linalg::cholesky::Cholesky;
use crate::linalg::dense::{axpy, dot};
use ndarray::Array2;

/// What is left of a column below this part of it depends on those before.
const DEPENDENT: f64 = 1e-11;

pub struct Basis {
    /// The columns whose places the basis has taken, and those that depend on them.
    kept: Vec<u32>,
    dropped: Vec<u32>,
    /// R with kept columns = basis R, row after row; and S with dropped columns = kept columns S.
    upper: Array2<f64>,
    dependence: Array2<f64>,
}

impl Basis {
    /// Replace these columns by a basis, orthonormal under the weights `case` but for the size of
    /// standardised columns; those that depend on others become zero. `go_on` is asked before each pass over
    /// the rows.
    pub fn put<E>(
        x: &mut Blocked,
        which: &[u32],
        case: impl Fn(usize) -> f64,
        go_on: impl Fn() -> Result<(), E>,
    ) -> Result<Basis, E> {
        let roots: Vec<f64> = (0..x.rows).map(|i| case(i).sqrt()).collect();
        let size = roots.iter().map(|r| r * r).sum::<f64>().sqrt();
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let mut along: Vec<Vec<f64>> = Vec::new();
        let (mut kept, mut dropped, mut dependent) = (Vec::new(), Vec::new(), Vec::new());
        for &j in which {
            let mut v: Vec<f64> = x.column(j as usize).zip(&roots).map(|(x, r)| x * r).collect();
            let whole = dot(&v, &v).sqrt();
            let mut products = vec![0.0; basis.len()];
            // Gram and Schmidt, twice, is enough (Kahan).
            for _ in 0..2 {
                for (product, q) in products.iter_mut().zip(&basis) {
                    go_on()?;
                    let here = dot(q, &v);
                    *product += here / size;
                    axpy(-here, q, &mut v);
                }
            }
            let left = dot(&v, &v).sqrt();
            if left > DEPENDENT * whole {
                v.iter_mut().for_each(|v| *v /= left);
                products.push(left / size);
                basis.push(v);
                along.push(products);
                kept.push(j);
            } else {
                dependent.push(products);
                dropped.push(j);
            }
        }
        for (&j, q) in kept.iter().zip(&basis) {
            x.set_column(j as usize, |i| if roots[i] > 0.0 { q[i] / roots[i] * size } else { 0.0 });
        }
        dropped.iter().for_each(|&j| x.set_column(j as usize, |_| 0.0));
        let rank = kept.len();
        let entry = |column: &Vec<f64>, i: usize| column.get(i).copied().unwrap_or(0.0);
        let upper = Array2::from_shape_fn((rank, rank), |(i, j)| entry(&along[j], i));
        let mut dependence = Array2::zeros((rank, dropped.len()));
        for (mut column, products) in dependence.columns_mut().into_iter().zip(&dependent) {
            let mut solved: Vec<f64> = (0..rank).map(|i| entry(products, i)).collect();
            back_substitute(&upper, &mut solved);
            column.iter_mut().zip(solved).for_each(|(o, s)| *o = s);
        }
        Ok(Basis { kept, dropped, upper, dependence })
    }

    /// Columns that have no place in the basis.
    pub fn dropped(&self) -> &[u32] {
        &self.dropped
    }

    /// From coefficients of the basis to those of the columns: of all that give the same fit, the
    /// shortest. With t = R⁻¹γ these are β_D = (I + S'S)⁻¹S't and β_K = t − S β_D.
    pub fn unpack(&self, beta: &mut [f64]) {
        let mut t: Vec<f64> = self.kept.iter().map(|&j| beta[j as usize]).collect();
        back_substitute(&self.upper, &mut t);
        let product = |a: usize, b: usize| -> f64 {
            let (a, b) = (self.dependence.column(a), self.dependence.column(b));
            a.iter().zip(b).map(|(x, y)| x * y).sum()
        };
        let count = self.dropped.len();
        let mut extra: Vec<f64> = (self.dependence.columns().into_iter())
            .map(|s| s.iter().zip(&t).map(|(s, t)| s * t).sum())
            .collect();
        let mut factor = Cholesky::default();
        factor.factor(count, |row, out| {
            out.iter_mut().zip(row..count).for_each(|(o, b)| *o = product(row, b));
            out[0] += 1.0;
            1.0
        });
        factor.solve(&mut extra);
        for (t, row) in t.iter_mut().zip(self.dependence.outer_iter()) {
            *t -= row.iter().zip(&extra).map(|(s, e)| s * e).sum::<f64>();
        }
        self.kept.iter().zip(t).for_each(|(&j, t)| beta[j as usize] = t);
        self.dropped.iter().zip(extra).for_each(|(&j, e)| beta[j as usize] = e);
    }
}

/// x ← R⁻¹ x.
fn back_substitute(upper: &Array2<f64>, x: &mut [f64]) {
    for i in (0..x.len()).rev() {
        let known: f64 = (i + 1..x.len()).map(|j| upper[[i, j]] * x[j]).sum();
        x[i] = (x[i] - known) / upper[[i, i]];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(i: usize) -> f64 {
        (i as f64 * 1.7).sin()
    }

    #[test]
    fn the_fit_is_the_same_and_nearly_equal_columns_are_told_apart() {
        let rows = 60;
        let u: Vec<f64> = (0..rows).map(wave).collect();
        let v: Vec<f64> = (0..rows).map(|i| wave(3 * i + 1)).collect();
        let near: Vec<f64> = u.iter().zip(&v).map(|(u, v)| u + 1e-8 * v).collect();
        let both: Vec<f64> = u.iter().zip(&near).map(|(u, n)| u + n).collect();
        let plain = [&u[..], &near, &both, &v].concat();
        let mut x = Blocked::new(&plain, rows, 4);
        let case = |i: usize| 1.0 + (i % 2) as f64;
        let basis = Basis::put(&mut x, &[0, 1, 2], case, || Ok::<(), ()>(())).unwrap();
        assert_eq!(basis.dropped(), [2]);
        let column = |j: usize| x.column(j).collect::<Vec<f64>>();
        let product = |a: &[f64], b: &[f64]| -> f64 {
            (0..rows).map(|i| case(i) * a[i] * b[i]).sum::<f64>() / 90.0
        };
        assert!((product(&column(0), &column(0)) - 1.0).abs() < 1e-12);
        assert!(product(&column(0), &column(1)).abs() < 1e-12);
        assert_eq!(column(3), v);
        let mut beta = [0.3, -2.0, 0.0, 7.0];
        let fitted: Vec<f64> = (0..rows).map(|i| 0.3 * column(0)[i] - 2.0 * column(1)[i]).collect();
        basis.unpack(&mut beta);
        assert_eq!(beta[3], 7.0);
        for i in 0..rows {
            let back = beta[0] * u[i] + beta[1] * near[i] + beta[2] * both[i];
            assert!((back - fitted[i]).abs() < 1e-6 * (1.0 + fitted[i].abs()), "{i}");
        }
        // The shortest: orthogonal to (1, 1, −1), which changes nothing.
        assert!((beta[0] + beta[1] - beta[2]).abs() < 1e-9 * beta[0].abs());
    }
}
