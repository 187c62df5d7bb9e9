//! Sparse LDL' of a symmetric positive definite matrix (Davis 2005, up-looking).

use sprs::CsMat;

pub struct Ldl {
    starts: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
    pivots: Vec<f64>,
}

const NONE: usize = usize::MAX;
/// A pivot below this part of its diagonal is a direction that the matrix does not see; it is left alone.
const SINGULAR: f64 = 1e-14;

impl Ldl {
    /// The order of the matrix should keep the fill small; see `problem`.
    pub fn new(a: &CsMat<f64>) -> Ldl {
        let n = a.cols();
        let (mut parent, mut mark, mut count) = (vec![NONE; n], vec![NONE; n], vec![0; n]);
        // The elimination tree and the size of each column of L.
        for (k, column) in a.outer_iterator().enumerate() {
            mark[k] = k;
            for (mut i, _) in column.iter().filter(|(i, _)| *i < k) {
                while mark[i] != k {
                    if parent[i] == NONE {
                        parent[i] = k;
                    }
                    count[i] += 1;
                    mark[i] = k;
                    i = parent[i];
                }
            }
        }
        let mut starts = vec![0; n + 1];
        for k in 0..n {
            starts[k + 1] = starts[k] + count[k];
        }
        let (mut rows, mut values) = (vec![0; starts[n]], vec![0.0; starts[n]]);
        let mut pivots = vec![0.0; n];
        let (mut line, mut pattern) = (vec![0.0; n], vec![0; n]);
        count.fill(0);
        mark.fill(NONE);
        for (k, column) in a.outer_iterator().enumerate() {
            let mut top = n;
            mark[k] = k;
            for (mut i, &value) in column.iter().filter(|(i, _)| *i <= k) {
                line[i] += value;
                let mut length = 0;
                while mark[i] != k {
                    pattern[length] = i;
                    length += 1;
                    mark[i] = k;
                    i = parent[i];
                }
                while length > 0 {
                    (top, length) = (top - 1, length - 1);
                    pattern[top] = pattern[length];
                }
            }
            let diagonal = std::mem::take(&mut line[k]);
            let mut pivot = diagonal;
            for &i in &pattern[top..] {
                let y = std::mem::take(&mut line[i]);
                let end = starts[i] + count[i];
                for p in starts[i]..end {
                    line[rows[p]] -= values[p] * y;
                }
                let l = y / pivots[i];
                pivot -= l * y;
                (rows[end], values[end]) = (k, l);
                count[i] += 1;
            }
            pivots[k] = if pivot > SINGULAR * diagonal { pivot } else { f64::INFINITY };
        }
        Ldl { starts, rows, values, pivots }
    }

    pub fn solve(&self, b: &mut [f64]) {
        let column = |j: usize| self.starts[j]..self.starts[j + 1];
        for j in 0..b.len() {
            for p in column(j) {
                b[self.rows[p]] -= self.values[p] * b[j];
            }
        }
        b.iter_mut().zip(&self.pivots).for_each(|(b, d)| *b /= d);
        for j in (0..b.len()).rev() {
            for p in column(j) {
                b[j] -= self.values[p] * b[self.rows[p]];
            }
        }
    }

    /// Does the matrix see every direction?
    pub fn is_regular(&self) -> bool {
        self.pivots.iter().all(|d| d.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trendfilter::{difference, multiply};

    #[test]
    fn a_solution_satisfies_its_equations_and_singular_matrices_are_seen() {
        let x: Vec<f64> = (0..30).map(f64::from).collect();
        let d = difference(&x, 1);
        let singular = (&d.transpose_view() * &d).to_csc();
        assert!(!Ldl::new(&singular).is_regular());
        let a = &singular + &CsMat::<f64>::eye_csc(30);
        let ldl = Ldl::new(&a);
        assert!(ldl.is_regular());
        let b: Vec<f64> = (0..30).map(|i| f64::from(i * i % 7)).collect();
        let mut solution = b.clone();
        ldl.solve(&mut solution);
        for (u, v) in multiply(&a.to_csr(), &solution).iter().zip(&b) {
            assert!((u - v).abs() < 1e-10);
        }
    }
}
