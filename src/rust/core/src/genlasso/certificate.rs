//! How far a point is from the minimum, proved by duality, whatever X'WX sees.
//!
//! Any u and v with D'u = X'Wv and |u| ≤ c give the lower bound Σ w v y − ½ Σ w v². At (β, u) the
//! equation fails by e = D'u − X'W(y − Xβ), and a direction in which e is not zero but X'WX is has
//! no bound at all. So e is taken apart: (X'WX + D'TD) z = e, and v = y − X(β − z) with u − TDz
//! satisfies the equation, as well as rounding allows. The pair is then shrunk into the box. The
//! gap is summed from differences that do not cancel, with v in place of y.

use super::layout::Layout;
use super::system::{System, largest};
use crate::linalg::sparse::line;

/// One weighted problem, in units in which its numbers are near one.
pub struct Problem<'a> {
    pub layout: &'a Layout,
    pub w: &'a [f64],
    pub y: &'a [f64],
    /// The penalty of each row of D, positive.
    pub c: &'a [f64],
    /// The least objective that gaps are measured against.
    pub floor: f64,
}

#[derive(Clone, Copy, Debug)]
pub struct Certificate {
    pub objective: f64,
    /// No point has a smaller objective; zero where nothing better is known.
    pub bound: f64,
    /// Σ w (y − Xβ)².
    pub squares: f64,
    /// The part of their terms by which the equations fail.
    pub fails: f64,
}

/// A sum of differences below this part of its terms is rounding of zero.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Equations that fail by more than this part of their terms bound nothing.
const FAILS: f64 = 1e-6;

/// (Dβ)_j, and whether it may be rounding of zero.
pub struct Jump {
    pub size: f64,
    pub rounding: bool,
}

/// What a unit of a jump costs. One that is rounding has cost the loss u times its size, and would cost a
/// strong penalty everything.
fn price(jump: &Jump, u: f64, c: f64) -> f64 {
    if jump.rounding { u.abs().min(c) } else { c }
}

/// D'u − X'W(y − Xβ), with y − Xβ and the size of the two terms.
pub struct Gradient {
    pub value: Vec<f64>,
    rest: Vec<f64>,
    terms: f64,
}

impl Problem<'_> {
    pub fn gradient(&self, system: &System, beta: &[f64], u: &[f64]) -> Gradient {
        let rest: Vec<f64> = self.y.iter().zip(system.fit(beta)).map(|(y, f)| y - f).collect();
        let (to, from) = (system.pull_of_differences(u), system.pull_of_rows(&rest));
        let value = to.iter().zip(&from).map(|(d, x)| d - x).collect();
        Gradient { value, rest, terms: largest(&to).max(largest(&from)) }
    }

    pub fn jumps(&self, beta: &[f64]) -> Vec<Jump> {
        let d = &self.layout.d.by_rows;
        let jump = |j: usize| {
            let (columns, values) = line(d, j);
            let (mut size, mut terms) = (0.0, 0.0);
            for (&i, v) in columns.iter().zip(values) {
                let term: f64 = v * beta[i];
                size += term;
                terms += term.abs();
            }
            Jump { size, rounding: size.abs() <= ROUNDING * terms }
        };
        (0..d.rows()).map(jump).collect()
    }

    /// The objective, and Σ w (y − Xβ)², as a certificate with these dual variables has them.
    pub fn objective(&self, system: &System, beta: &[f64], u: &[f64]) -> (f64, f64) {
        let rest = self.y.iter().zip(system.fit(beta)).map(|(y, f)| y - f);
        let squares = rest.zip(self.w).map(|(r, w)| w * r * r).sum::<f64>();
        let jumps = self.jumps(beta);
        let prices = self.c.iter().zip(u);
        let penalty: f64 =
            jumps.iter().zip(prices).map(|(j, (c, u))| price(j, *u, *c) * j.size.abs()).sum();
        (0.5 * squares + penalty, squares)
    }

    /// The certificate of β, and the dual variables that give it.
    pub fn certify(
        &self,
        system: &System,
        beta: &[f64],
        u: &[f64],
        gradient: &Gradient,
    ) -> (Certificate, Vec<f64>) {
        let square = |v: &[f64]| v.iter().zip(self.w).map(|(v, w)| w * v * v).sum::<f64>();
        let Gradient { value, rest, terms } = gradient;
        let (z, left) = system.solve(value, f64::EPSILON * terms);
        let steps = system.stiff_differences(&z);
        let u: Vec<f64> = u.iter().zip(&steps).map(|(u, q)| u - q).collect();
        let shift = system.fit(&z);
        let v: Vec<f64> = rest.iter().zip(&shift).map(|(r, s)| r + s).collect();
        let (mut penalty, mut slack, mut along) = (0.0, 0.0, 0.0);
        let mut inside = 1.0f64;
        for ((jump, u), (c, moved)) in
            self.jumps(beta).iter().zip(&u).zip(self.c.iter().zip(self.jumps(&z)))
        {
            let price = price(jump, *u, *c);
            penalty += price * jump.size.abs();
            slack += price * jump.size.abs() - u * jump.size;
            along += u * (jump.size - moved.size);
            if u.abs() * inside > *c {
                inside = c / u.abs();
            }
        }
        let squares = square(rest);
        // P − D(1) = ½|Xz|² + Σ c|Dβ| − u'Dβ, and shrinking the pair by s costs D(1) − D(s).
        let short = 1.0 - inside;
        let shrunk = short * along + 0.5 * short * short * square(&v);
        // The minimum is about as large as β; as the step, where that is zero.
        let reach = if largest(beta) > 0.0 { beta } else { &z };
        let charge: f64 = left.iter().zip(reach).map(|(l, b)| (l * b).abs()).sum();
        let gap = (0.5 * square(&shift) + slack + shrunk).abs() + charge;
        let objective = 0.5 * squares + penalty;
        let fails = if *terms > 0.0 { largest(&left) / terms } else { 0.0 };
        let holds = fails <= FAILS && gap.is_finite();
        let bound = if holds { (objective - gap).max(0.0) } else { 0.0 };
        (Certificate { objective, bound, squares, fails }, u)
    }
}
