//! The coefficients that the penalty does not see: a constant on a graph, polynomials of a trend.
//!
//! They are what a penalty without end leaves, and the best of them is known without a step. D'D
//! shows them to rounding: constants for any size, polynomials while n^(2k + 1) is well below 1e16;
//! beyond, what is found is no better than other starts and is not taken.

use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::dense::{axpy, dot};
use crate::linalg::gram::Gram;
use crate::linalg::ldl::{Ldl, Symbolic};
use crate::linalg::sparse::{multiply, multiply_transposed};

/// A basis of the β with Dβ = 0, orthonormal, and Xβ of each; empty where it would be large.
pub struct Flat {
    basis: Vec<(Vec<f64>, Vec<f64>)>,
}

/// With more pieces than this they are short, and the steps do well without help.
const MOST: usize = 16;
/// Pivots of D'D below this part of their diagonal are rounding.
pub const DEPENDENT: f64 = 1e-7;
/// What is left of a vector below this part of it is rounding.
const NOTHING: f64 = 1e-10;

impl Flat {
    pub fn new(x: &Gram, d: &Gram, symbolic: &Symbolic, control: &Control) -> Result<Flat, Error> {
        let pause = &|| control.check();
        let mut entries = vec![0.0; symbolic.entries()];
        d.add(&vec![1.0; d.by_rows.rows()], symbolic, &mut entries, pause)?;
        let mut ldl = Ldl::new(symbolic);
        ldl.factor(&entries, DEPENDENT, pause)?;
        let mut basis: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        if symbolic.len() - ldl.rank() <= MOST {
            for mut v in ldl.unseen() {
                control.check()?;
                // Twice: polynomials are nearly parallel.
                for (known, _) in basis.iter().chain(&basis) {
                    axpy(-dot(known, &v), known, &mut v);
                }
                let size = dot(&v, &v).sqrt();
                v.iter_mut().for_each(|v| *v /= size);
                // What differences rounding has left, but that of the entries themselves.
                for _ in 0..2 {
                    let mut off = multiply_transposed(&d.by_rows, &multiply(&d.by_rows, &v));
                    ldl.solve(&mut off);
                    axpy(-1.0, &off, &mut v);
                }
                let fit = multiply(&x.by_rows, &v);
                basis.push((v, fit));
            }
        }
        Ok(Flat { basis })
    }

    /// The least squares fit within the basis, by Gram and Schmidt; zero where the basis is empty.
    pub fn best(&self, y: &[f64], w: &[f64], coefficients: usize) -> Vec<f64> {
        let product =
            |a: &[f64], b: &[f64]| a.iter().zip(b).zip(w).map(|((a, b), w)| a * b * w).sum::<f64>();
        let mut beta = vec![0.0; coefficients];
        let mut rest = y.to_vec();
        let mut done: Vec<(Vec<f64>, Vec<f64>, f64)> = Vec::new();
        for (v, fit) in &self.basis {
            let (mut v, mut fit) = (v.clone(), fit.clone());
            let size = product(&fit, &fit);
            for (known, known_fit, square) in done.iter().chain(&done) {
                let share = product(known_fit, &fit) / square;
                axpy(-share, known, &mut v);
                axpy(-share, known_fit, &mut fit);
            }
            let square = product(&fit, &fit);
            // X does not see it, or saw all of it already.
            if square <= NOTHING * NOTHING * size || square == 0.0 {
                continue;
            }
            let share = product(&fit, &rest) / square;
            axpy(share, &v, &mut beta);
            axpy(-share, &fit, &mut rest);
            done.push((v, fit, square));
        }
        beta
    }
}
