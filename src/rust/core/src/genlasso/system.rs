//! The equations of a step: (X'WX + D'TD) z = b, with a pattern that is found once.
//!
//! T grows without bound where a difference vanishes, and X'WX may not see every direction, so the
//! factor alone has few digits of X'WX left in the directions that D does not see. The product with
//! the matrix, taken as X'(W(Xz)) + D'(T(Dz)), keeps them: a few rounds of refinement give them
//! back.

use super::flat::DEPENDENT;
use super::layout::Layout;
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::ldl::Ldl;
use crate::linalg::sparse::{multiply, multiply_transposed};

/// Pivots below this part of their diagonal are rounding; T may hide much.
const SINGULAR: f64 = 1e-14;
/// Rounds of refinement at most.
const ROUNDS: u32 = 4;

pub struct System<'a> {
    layout: &'a Layout,
    w: &'a [f64],
    /// T of the last factor.
    pub t: Vec<f64>,
    /// X'WX, and the same with D'TD.
    hessian: Vec<f64>,
    entries: Vec<f64>,
    ldl: Ldl<'a>,
}

impl<'a> System<'a> {
    pub fn new(layout: &'a Layout, w: &'a [f64], control: &Control) -> Result<System<'a>, Error> {
        let mut hessian = vec![0.0; layout.symbolic.entries()];
        layout.x.add(w, &layout.symbolic, &mut hessian, &|| control.check())?;
        Ok(System {
            layout,
            w,
            t: vec![0.0; layout.d.by_rows.rows()],
            entries: hessian.clone(),
            hessian,
            ldl: Ldl::new(&layout.symbolic),
        })
    }

    pub fn factor(&mut self, t: Vec<f64>, control: &Control) -> Result<(), Error> {
        let pause = &|| control.check();
        self.entries.copy_from_slice(&self.hessian);
        self.layout.d.add(&t, &self.layout.symbolic, &mut self.entries, pause)?;
        self.t = t;
        self.ldl.factor(&self.entries, SINGULAR, pause)
    }

    /// The dimension of the coefficients for which these rows of D vanish. The factor is lost.
    ///
    /// D'D shows it where rows depend on each other, as those around a cycle of a graph do;
    /// rounding may hide polynomials there, but the rows cannot fix more coefficients than there
    /// are rows.
    pub fn nullity(&mut self, rows: Vec<bool>, control: &Control) -> Result<usize, Error> {
        let pause = &|| control.check();
        let v: Vec<f64> = rows.into_iter().map(f64::from).collect();
        let count = v.iter().filter(|v| **v > 0.0).count();
        self.entries.fill(0.0);
        self.layout.d.add(&v, &self.layout.symbolic, &mut self.entries, pause)?;
        self.ldl.factor(&self.entries, DEPENDENT, pause)?;
        Ok(self.layout.place.len() - self.ldl.rank().min(count))
    }

    /// X v.
    pub fn fit(&self, v: &[f64]) -> Vec<f64> {
        multiply(&self.layout.x.by_rows, v)
    }

    /// X'W r.
    pub fn pull_of_rows(&self, r: &[f64]) -> Vec<f64> {
        let weighted: Vec<f64> = r.iter().zip(self.w).map(|(r, w)| r * w).collect();
        multiply_transposed(&self.layout.x.by_rows, &weighted)
    }

    /// D'u.
    pub fn pull_of_differences(&self, u: &[f64]) -> Vec<f64> {
        multiply_transposed(&self.layout.d.by_rows, u)
    }

    /// T D v.
    pub fn stiff_differences(&self, v: &[f64]) -> Vec<f64> {
        multiply(&self.layout.d.by_rows, v).iter().zip(&self.t).map(|(d, t)| d * t).collect()
    }

    /// z with (X'WX + D'TD) z = b, as the factor has it.
    pub fn guess(&self, b: &[f64]) -> Vec<f64> {
        let mut z = b.to_vec();
        self.ldl.solve(&mut z);
        z
    }

    /// The same refined, and what is left of b: this much, if rounding allows.
    pub fn solve(&self, b: &[f64], enough: f64) -> (Vec<f64>, Vec<f64>) {
        let mut z = self.guess(b);
        let mut rest = self.rest(b, &z);
        let mut size = largest(&rest);
        for _ in 0..ROUNDS {
            if size <= enough {
                break;
            }
            let mut better = self.guess(&rest);
            better.iter_mut().zip(&z).for_each(|(d, z)| *d += z);
            let left = self.rest(b, &better);
            let smaller = largest(&left);
            if smaller.is_nan() || smaller > 0.5 * size {
                break;
            }
            (z, rest, size) = (better, left, smaller);
        }
        (z, rest)
    }

    /// b − (X'WX + D'TD) z.
    fn rest(&self, b: &[f64], z: &[f64]) -> Vec<f64> {
        let rows = self.pull_of_rows(&self.fit(z));
        let differences = self.pull_of_differences(&self.stiff_differences(z));
        b.iter().zip(rows.iter().zip(&differences)).map(|(b, (x, d))| b - x - d).collect()
    }
}

/// The largest size; NaN if there is one.
pub fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m, v| if v.abs() <= m { m } else { v.abs() })
}
