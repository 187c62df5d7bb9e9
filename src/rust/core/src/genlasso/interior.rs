//! Primal-dual interior point (Mehrotra's predictor and corrector) for any D and X.
//!
//! min ½ (y − Xβ)'W(y − Xβ) + Σ c_j |(Dβ)_j| has the dual variables |u| ≤ c with X'W(y − Xβ) = D'u. With
//! slacks μ₊, μ₋ ≥ 0, Dβ = μ₊ − μ₋, the conditions μ₊ (c − u) = μ₋ (c + u) = τ are followed to τ → 0. A step
//! solves (X'WX + D' S⁻¹ D) dβ = …, S = μ₊/(c − u) + μ₋/(c + u): a sparse system in β, as sparse as the graph
//! of D. Knots of a general D have no chain to walk along, hence no active set as in `trendfilter`.

use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::ldl::Ldl;
use crate::trendfilter::{multiply, multiply_transposed};
use sprs::CsMat;

pub struct Problem<'a> {
    /// X'WX by columns, X'Wy, D by rows.
    pub hessian: &'a CsMat<f64>,
    pub linear: &'a [f64],
    pub d: &'a CsMat<f64>,
    pub c: &'a [f64],
    /// ½ y'Wy, and the least objective that gaps are measured against.
    pub constant: f64,
    pub floor: f64,
}

pub struct Found {
    pub beta: Vec<f64>,
    pub objective: f64,
    pub gap: f64,
    pub iterations: u32,
    /// Σ w (y − Xβ)².
    pub squares: f64,
}

/// Steps stop this far from the boundary.
const BACK: f64 = 0.995;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Problem<'_> {
    pub fn solve(&self, tolerance: f64, limit: u32, control: &Control) -> Result<Found, Error> {
        let (rows, cols) = self.d.shape();
        let free = Ldl::new(self.hessian);
        let mut beta = self.linear.to_vec();
        free.solve(&mut beta);
        let mut u = vec![0.0; rows];
        let jumps = multiply(self.d, &beta);
        let spread = jumps.iter().map(|v| v.abs()).sum::<f64>() / rows.max(1) as f64;
        let start = if spread > 0.0 { spread } else { 1.0 };
        let mut up: Vec<f64> = jumps.iter().map(|v| v.max(0.0) + start).collect();
        let mut down: Vec<f64> = jumps.iter().map(|v| (-v).max(0.0) + start).collect();
        let mut best = self.certify(&free, &beta, &u, 0);
        for iteration in 1..=limit {
            control.check()?;
            // Well below the tolerance: differences that should be zero are then small too.
            if best.gap <= 1e-3 * tolerance || rows == 0 {
                break;
            }
            let mut gradient = multiply(self.hessian, &beta);
            for ((g, b), du) in
                gradient.iter_mut().zip(self.linear).zip(multiply_transposed(self.d, &u))
            {
                *g += du - b;
            }
            let jumps = multiply(self.d, &beta);
            let off: Vec<f64> =
                jumps.iter().zip(up.iter().zip(&down)).map(|(v, (p, m))| v - p + m).collect();
            let room: Vec<(f64, f64)> = u.iter().zip(self.c).map(|(u, c)| (c - u, c + u)).collect();
            let stiff: Vec<f64> =
                (0..rows).map(|j| up[j] / room[j].0 + down[j] / room[j].1).collect();
            let ldl = Ldl::new(&self.system(&stiff));
            let tau = (0..rows).map(|j| up[j] * room[j].0 + down[j] * room[j].1).sum::<f64>()
                / (2 * rows) as f64;
            // Newton step towards the given products μ₊ (c − u), μ₋ (c + u).
            let step = |target: &dyn Fn(usize) -> (f64, f64)| {
                let pull: Vec<f64> = (0..rows)
                    .map(|j| {
                        let (t_up, t_down) = target(j);
                        off[j] - (t_up / room[j].0 - up[j]) + (t_down / room[j].1 - down[j])
                    })
                    .collect();
                let scaled: Vec<f64> = pull.iter().zip(&stiff).map(|(p, s)| p / s).collect();
                let mut d_beta = multiply_transposed(self.d, &scaled);
                d_beta.iter_mut().zip(&gradient).for_each(|(b, g)| *b = -*b - g);
                ldl.solve(&mut d_beta);
                let mut d_u = multiply(self.d, &d_beta);
                for j in 0..rows {
                    d_u[j] = (d_u[j] + pull[j]) / stiff[j];
                }
                let slack = |j: usize| {
                    let (t_up, t_down) = target(j);
                    let d_up = t_up / room[j].0 - up[j] + up[j] * d_u[j] / room[j].0;
                    let d_down = t_down / room[j].1 - down[j] - down[j] * d_u[j] / room[j].1;
                    (d_up, d_down)
                };
                let (d_up, d_down): (Vec<f64>, Vec<f64>) = (0..rows).map(slack).unzip();
                (d_beta, d_u, d_up, d_down)
            };
            let longest = |d_u: &[f64], d_up: &[f64], d_down: &[f64]| {
                let mut length = 1.0f64;
                for j in 0..rows {
                    for (value, change) in [
                        (room[j].0, -d_u[j]),
                        (room[j].1, d_u[j]),
                        (up[j], d_up[j]),
                        (down[j], d_down[j]),
                    ] {
                        if change < 0.0 {
                            length = length.min(-BACK * value / change);
                        }
                    }
                }
                length
            };
            let (_, p_u, p_up, p_down) = step(&|_| (0.0, 0.0));
            let length = longest(&p_u, &p_up, &p_down);
            let ahead = (0..rows)
                .map(|j| {
                    (up[j] + length * p_up[j]) * (room[j].0 - length * p_u[j])
                        + (down[j] + length * p_down[j]) * (room[j].1 + length * p_u[j])
                })
                .sum::<f64>()
                / (2 * rows) as f64;
            let centre = tau * (ahead / tau).powi(3);
            let (d_beta, d_u, d_up, d_down) =
                step(&|j| (centre + p_up[j] * p_u[j], centre - p_down[j] * p_u[j]));
            let length = longest(&d_u, &d_up, &d_down);
            if !length.is_finite() || d_beta.iter().any(|d| !d.is_finite()) {
                break;
            }
            for i in 0..cols {
                beta[i] += length * d_beta[i];
            }
            for j in 0..rows {
                u[j] += length * d_u[j];
                up[j] += length * d_up[j];
                down[j] += length * d_down[j];
            }
            let found = self.certify(&free, &beta, &u, iteration);
            let stuck = found.gap > 0.999 * best.gap && best.gap <= tolerance;
            if found.gap < best.gap {
                best = found;
            }
            best.iterations = iteration;
            if stuck {
                break;
            }
        }
        Ok(best)
    }

    fn system(&self, stiff: &[f64]) -> CsMat<f64> {
        let mut scaled = self.d.clone();
        for (mut row, s) in scaled.outer_iterator_mut().zip(stiff) {
            let root = 1.0 / s.sqrt();
            row.iter_mut().for_each(|(_, v)| *v *= root);
        }
        self.hessian + &(&scaled.transpose_view() * &scaled).to_csc()
    }

    /// P(β) − min L(·, u) = Σ c|Dβ| − u'Dβ + ½ e'(X'WX)⁻¹e with e the gradient of the Lagrangian.
    fn certify(&self, free: &Ldl, beta: &[f64], u: &[f64], iterations: u32) -> Found {
        let jumps = multiply(self.d, beta);
        let curved = multiply(self.hessian, beta);
        let mut e = multiply_transposed(self.d, u);
        for i in 0..e.len() {
            e[i] += curved[i] - self.linear[i];
        }
        let mut step = e.clone();
        free.solve(&mut step);
        let size = self.linear.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let worst = e.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        // Where X'WX does not see a direction, only an exact gradient bounds anything.
        let charge = if free.is_regular() {
            0.5 * dot(&e, &step)
        } else if worst <= 1e-10 * size {
            0.0
        } else {
            f64::INFINITY
        };
        let penalty: f64 = jumps.iter().zip(self.c).map(|(v, c)| c * v.abs()).sum();
        let squares =
            (2.0 * self.constant - 2.0 * dot(self.linear, beta) + dot(&curved, beta)).max(0.0);
        let objective = 0.5 * squares + penalty;
        let gap = (penalty - dot(u, &jumps)).max(0.0) + charge.max(0.0);
        let gap = if gap == 0.0 { 0.0 } else { gap / objective.max(self.floor) };
        Found { beta: beta.to_vec(), objective, gap, iterations, squares }
    }
}
