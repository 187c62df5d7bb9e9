//! Primal-dual interior point (Mehrotra's predictor and corrector) for any D and X.
//!
//! min ½ Σ wᵢ (yᵢ − xᵢ'β)² + Σ c_j |(Dβ)_j| has the dual variables |u| ≤ c with X'W(y − Xβ) = D'u.
//! With slacks μ₊, μ₋ ≥ 0, Dβ = μ₊ − μ₋, the conditions μ₊ (c − u) = μ₋ (c + u) = τ are followed to
//! τ → 0. A step solves (X'WX + D'TD) dβ = …, 1/T = μ₊/(c − u) + μ₋/(c + u) + δ: a sparse system in
//! β, as sparse as the graph of D. The δ is a proximal term, δ/2 |u − u₀|² around where the step
//! begins (Friedlander & Orban 2012): it bounds T and moves no solution. Knots of a general D have
//! no chain to walk along, hence no active set as in `trendfilter`.

use super::certificate::{Certificate, Gradient, Problem};
use super::system::{System, largest};
use crate::engine::job::Control;
use crate::engine::limits::Limits;
use crate::error::Error;

pub struct Solution {
    pub beta: Vec<f64>,
    pub objective: f64,
    /// Duality gap relative to the objective.
    pub gap: f64,
    /// Σ w (y − Xβ)².
    pub squares: f64,
    pub iterations: u32,
    /// The dimension of the coefficients whose differences vanish where those of β do.
    pub freedom: usize,
}

/// Steps stop this far from the boundary.
const BACK: f64 = 0.995;
/// The part of its right side that a step may leave.
const ROUGH: f64 = 1e-12;
/// The δ of the proximal term, small, but larger by SOFTER where the equations of a step fail by more
/// than LOOSE: T then hides what X'WX sees.
const PROXIMAL: f64 = 1e-13;
const SOFTER: f64 = 100.0;
const SOFTEST: f64 = 1e-6;
const LOOSE: f64 = 1e-13;
/// A difference whose dual variable is within this part of its bound vanishes.
const INSIDE: f64 = 0.999;
/// A gap that exact zeros are worth.
const CLOSE: f64 = 1e-9;
/// A certificate costs as much as half a step: far from the end only every so many steps have one.
const OFTEN: u32 = 4;
/// Certificates that are no better before giving up.
const PATIENCE: u32 = 4;

/// Where the steps are, or a step.
struct Iterate {
    beta: Vec<f64>,
    u: Vec<f64>,
    up: Vec<f64>,
    down: Vec<f64>,
}

/// What the conditions of optimality leave at an iterate.
struct Residuals {
    gradient: Gradient,
    /// Dβ − μ₊ + μ₋.
    off: Vec<f64>,
    /// c − u and c + u.
    above: Vec<f64>,
    below: Vec<f64>,
    /// The mean of μ₊ (c − u) and μ₋ (c + u).
    tau: f64,
}

impl Problem<'_> {
    pub fn solve(&self, limits: Limits, control: &Control) -> Result<Solution, Error> {
        let mut system = System::new(self.layout, self.w, control)?;
        let b = system.pull_of_rows(self.y);
        let scale = largest(&b);
        let soft = self.c.iter().map(|c| (c / scale).clamp(f64::MIN_POSITIVE, 1.0 / PROXIMAL));
        system.factor(soft.collect(), control)?;
        let none = vec![0.0; self.c.len()];
        let mut best = Best::new(self, &system, vec![0.0; b.len()]);
        let flat = self.layout.flat.best(self.y, self.w, b.len());
        best.meet(self, &system, &flat, &none, &self.gradient(&system, &flat, &none));
        let mut at = self.start(&system, &b);
        let mut waiting = 0;
        let mut proximal = PROXIMAL;
        for iteration in 0..=limits.iterations {
            control.check()?;
            let left = self.residuals(&system, &at);
            let last = iteration == limits.iterations;
            best.iterations = iteration;
            if last || iteration % OFTEN == 0 || best.may_end(&left, limits.tolerance) {
                let before = best.gap();
                let fails = best.meet(self, &system, &at.beta, &at.u, &left.gradient);
                if fails > LOOSE && proximal < SOFTEST {
                    proximal *= SOFTER;
                }
                let gap = best.gap();
                waiting = if gap < 0.9 * before { 0 } else { waiting + 1 };
                // Well below the tolerance: differences that should be zero are then small too.
                let enough = gap <= 1e-3 * limits.tolerance;
                let stuck = waiting > 1 && gap <= limits.tolerance;
                if enough || stuck || waiting > PATIENCE || last {
                    break;
                }
            }
            let next = self.step(&mut system, &at, &left, proximal, control)?;
            let Some(next) = next else { break };
            at = next;
        }
        best.finish(self, &mut system, control)
    }

    /// A ridge penalty in place of the absolute values, and slacks of the size of its differences.
    fn start(&self, system: &System, b: &[f64]) -> Iterate {
        let (beta, _) = system.solve(b, ROUGH * largest(b));
        let jumps: Vec<f64> = self.jumps(&beta).iter().map(|jump| jump.size).collect();
        let u = jumps.iter().zip(&system.t).zip(self.c);
        let u = u.map(|((v, t), c)| (v * t).clamp(-0.9 * c, 0.9 * c)).collect();
        let mean = jumps.iter().map(|v| v.abs()).sum::<f64>() / jumps.len().max(1) as f64;
        let slack = if mean > 0.0 { mean } else { 1.0 };
        Iterate {
            beta,
            u,
            up: jumps.iter().map(|v| v.max(0.0) + slack).collect(),
            down: jumps.iter().map(|v| (-v).max(0.0) + slack).collect(),
        }
    }

    /// Predict where τ = 0 would lead, and correct towards the centre. None where digits end.
    fn step(
        &self,
        system: &mut System,
        at: &Iterate,
        left: &Residuals,
        proximal: f64,
        control: &Control,
    ) -> Result<Option<Iterate>, Error> {
        let t = (0..self.c.len())
            .map(|j| 1.0 / (at.up[j] / left.above[j] + at.down[j] / left.below[j] + proximal));
        system.factor(t.collect(), control)?;
        let guess = direction(system, at, left, false, |_| (0.0, 0.0));
        let ahead = left.after(at, &guess, left.longest(at, &guess));
        let ratio = ahead / left.tau;
        let centre = left.tau * ratio * ratio * ratio;
        let step = direction(system, at, left, true, |j| {
            (centre + guess.up[j] * guess.u[j], centre - guess.down[j] * guess.u[j])
        });
        let length = left.longest(at, &step);
        let moved = |a: &[f64], d: &[f64]| a.iter().zip(d).map(|(a, d)| a + length * d).collect();
        let next = Iterate {
            beta: moved(&at.beta, &step.beta),
            u: moved(&at.u, &step.u),
            up: moved(&at.up, &step.up),
            down: moved(&at.down, &step.down),
        };
        let finite = [&next.beta, &next.u, &next.up, &next.down]
            .iter()
            .all(|part| part.iter().all(|v| v.is_finite()));
        Ok(finite.then_some(next))
    }

    fn residuals(&self, system: &System, at: &Iterate) -> Residuals {
        let gradient = self.gradient(system, &at.beta, &at.u);
        let slacks = at.up.iter().zip(&at.down);
        let jumps = self.jumps(&at.beta);
        let off = jumps.iter().zip(slacks).map(|(jump, (p, m))| jump.size - p + m).collect();
        // Never nothing, where u has come as near to c as doubles can.
        let room = |u: f64, c: f64| (c - u).max(0.5 * f64::EPSILON * c);
        let above: Vec<f64> = at.u.iter().zip(self.c).map(|(u, c)| room(*u, *c)).collect();
        let below: Vec<f64> = at.u.iter().zip(self.c).map(|(u, c)| room(-u, *c)).collect();
        let products = (at.up.iter().zip(&above)).chain(at.down.iter().zip(&below));
        let tau = products.map(|(s, r)| s * r).sum::<f64>() / (2 * self.c.len()).max(1) as f64;
        Residuals { gradient, off, above, below, tau }
    }
}

/// Newton's step towards the given products μ₊ (c − u), μ₋ (c + u).
fn direction(
    system: &System,
    at: &Iterate,
    left: &Residuals,
    refined: bool,
    target: impl Fn(usize) -> (f64, f64),
) -> Iterate {
    let rows = at.u.len();
    let slack = |j: usize| {
        let (up, down) = target(j);
        (up / left.above[j] - at.up[j], down / left.below[j] - at.down[j])
    };
    let pull: Vec<f64> = (0..rows)
        .map(|j| {
            let (up, down) = slack(j);
            left.off[j] - up + down
        })
        .collect();
    let stiff: Vec<f64> = pull.iter().zip(&system.t).map(|(p, t)| p * t).collect();
    let along = system.pull_of_differences(&stiff);
    let right: Vec<f64> = along.iter().zip(&left.gradient.value).map(|(a, g)| -a - g).collect();
    let beta = if refined {
        system.solve(&right, ROUGH * largest(&right)).0
    } else {
        system.guess(&right)
    };
    let u: Vec<f64> =
        system.stiff_differences(&beta).iter().zip(&stiff).map(|(d, p)| d + p).collect();
    let of = |j: usize| {
        let (up, down) = slack(j);
        (up + at.up[j] * u[j] / left.above[j], down - at.down[j] * u[j] / left.below[j])
    };
    let (up, down) = (0..rows).map(of).unzip();
    Iterate { beta, u, up, down }
}

impl Residuals {
    /// The longest step, at most one, that leaves slacks and rooms positive.
    fn longest(&self, at: &Iterate, step: &Iterate) -> f64 {
        let mut length = 1.0f64;
        let mut keep = |value: f64, change: f64| {
            if change < 0.0 {
                length = length.min(-BACK * value / change);
            }
        };
        for j in 0..step.u.len() {
            keep(self.above[j], -step.u[j]);
            keep(self.below[j], step.u[j]);
            keep(at.up[j], step.up[j]);
            keep(at.down[j], step.down[j]);
        }
        length
    }

    /// τ after a step of this length.
    fn after(&self, at: &Iterate, step: &Iterate, length: f64) -> f64 {
        let product = |j: usize| {
            (at.up[j] + length * step.up[j]) * (self.above[j] - length * step.u[j])
                + (at.down[j] + length * step.down[j]) * (self.below[j] + length * step.u[j])
        };
        let rows = step.u.len();
        (0..rows).map(product).sum::<f64>() / (2 * rows).max(1) as f64
    }
}

/// The best point so far, and the best bound, which need not come from the same step: rounding may
/// lose a step, and the answer is never worse than where the steps began.
struct Best {
    beta: Vec<f64>,
    dual: Vec<f64>,
    certificate: Certificate,
    floor: f64,
    iterations: u32,
}

impl Best {
    fn new(problem: &Problem, system: &System, beta: Vec<f64>) -> Best {
        let none = vec![0.0; problem.c.len()];
        let gradient = problem.gradient(system, &beta, &none);
        let (certificate, dual) = problem.certify(system, &beta, &none, &gradient);
        Best { beta, dual, certificate, floor: problem.floor, iterations: 0 }
    }

    /// Keep what is better of a point; says by which part its equations fail.
    fn meet(
        &mut self,
        problem: &Problem,
        system: &System,
        beta: &[f64],
        u: &[f64],
        gradient: &Gradient,
    ) -> f64 {
        let (certificate, dual) = problem.certify(system, beta, u, gradient);
        let bound = self.certificate.bound.max(certificate.bound);
        let fails = certificate.fails;
        if certificate.objective < self.certificate.objective {
            self.beta.copy_from_slice(beta);
            self.dual = dual;
            self.certificate = certificate;
        }
        self.certificate.bound = bound;
        fails
    }

    /// The products μ₊ (c − u), μ₋ (c + u) add up to the gap once the equations hold: is it near
    /// the tolerance?
    fn may_end(&self, left: &Residuals, tolerance: f64) -> bool {
        let products = 2.0 * left.above.len() as f64 * left.tau;
        products <= 1e2 * tolerance * self.certificate.objective.max(self.floor)
    }

    fn gap(&self) -> f64 {
        relative_gap(&self.certificate, self.floor)
    }

    fn finish(
        self,
        problem: &Problem,
        system: &mut System,
        control: &Control,
    ) -> Result<Solution, Error> {
        let inside = |(u, c): (&f64, &f64)| u.abs() < INSIDE * c;
        let vanish: Vec<bool> = self.dual.iter().zip(problem.c).map(inside).collect();
        let best = self.tied(problem, system, &vanish);
        Ok(Solution {
            gap: best.gap(),
            objective: best.certificate.objective,
            squares: best.certificate.squares,
            iterations: best.iterations,
            freedom: system.nullity(vanish, control)?,
            beta: best.beta,
        })
    }

    /// With differences that vanish made exactly zero, unless that is further from the minimum.
    fn tied(self, problem: &Problem, system: &System, vanish: &[bool]) -> Best {
        let Some(beta) = problem.layout.ties.tie(&self.beta, vanish) else {
            return self;
        };
        let (objective, squares) = problem.objective(system, &beta, &self.dual);
        let certificate = Certificate { objective, squares, ..self.certificate };
        let gap = relative_gap(&certificate, self.floor);
        if gap <= self.gap().max(CLOSE) { Best { beta, certificate, ..self } } else { self }
    }
}

/// Relative to the objective; an objective below the bound is equal to it, to rounding.
fn relative_gap(certificate: &Certificate, floor: f64) -> f64 {
    let Certificate { objective, bound, .. } = *certificate;
    let gap = (objective - bound) / objective.max(floor);
    if gap.is_nan() { f64::INFINITY } else { gap.max(0.0) }
}
