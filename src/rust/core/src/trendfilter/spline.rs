//! Least squares over the discrete splines with given knots: the step of the active set.
//!
//! With knots t₁ < t₂ < … and signs given, minimise ½ Σ wᵢ (yᵢ − βᵢ)² + Σ pull_j (Dβ)_j over the β whose
//! differences vanish off the knots. Such a β is a polynomial of degree k on each segment, and in
//! the Newton basis of the knot between them ([`basis`]) neighbours share k coefficients; the last,
//! k! times which is the derivative that jumps, is free. So the problem is a chain: information on the
//! k shared coefficients goes from left to right as a triangular factor R (rows are folded in by Givens
//! rotations: a square-root information filter), one coefficient is eliminated at each knot, and
//! a back substitution returns.
//!
//! Why this and not the rest (MATH 5): the normal matrix of the dual, D W⁻¹ D', has a condition that
//! grows like (segment length)^(2k+2), truncated powers are as bad, and B-splines on uneven points have
//! no stable recursion. Here every factor is local and scaled by its own columns: n = 10⁶, k = 3,
//! adjacent knots beside segments of any length keep their digits.
//!
//! The dual u (D'u = w (y − β)) is a k+1-fold cumulative sum, which would lose all digits over
//! a long series. It is started anew at every knot from the *costates* of the chain, the gradient of
//! the past with respect to the shared coefficients: m_r = Σ_{i ≤ t} wᵢ (yᵢ − βᵢ) N_r(xᵢ), u_t = −m_k / k!.
//! What the sum of one segment and the costate of the next disagree by is charged to the gap.

use super::basis::{expand, nodes, pull_back};
use super::segment::{Kernels, Order, Points, SegmentSums};
use crate::engine::job::Control;
use crate::error::Error;

/// Points `first .. last` (exclusive) between two knots, with their moments in the basis at the right.
#[derive(Clone, Copy)]
struct Segment<const P: usize> {
    first: usize,
    last: usize,
    moments: Option<SegmentSums<P>>,
}

/// ½ |R c − z|² + g'c of all that is left of a segment's right end, its own points included; column 0 is
/// the coefficient of highest degree, the one to eliminate.
#[derive(Clone, Copy)]
struct Stage<const P: usize> {
    r: [[f64; P]; P],
    z: [f64; P],
    g: [f64; P],
}

impl<const P: usize> Stage<P> {
    fn fold(&mut self, mut row: [f64; P], mut value: f64) {
        for j in 0..P {
            // Rounding of what should be zero, again and again, must not end in 0 / 0.
            if row[j].abs() < NOTHING {
                continue;
            }
            if self.r[j][j] == 0.0 {
                // The first row that looks at this column.
                self.r[j] = row;
                self.z[j] = value;
                return;
            }
            let inverse = 1.0 / (self.r[j][j] * self.r[j][j] + row[j] * row[j]).sqrt();
            let (c, s) = (self.r[j][j] * inverse, row[j] * inverse);
            for (held, new) in self.r[j].iter_mut().zip(&mut row).skip(j) {
                (*held, *new) = (c * *held + s * *new, c * *new - s * *held);
            }
            row[j] = 0.0;
            let old = self.z[j];
            self.z[j] = c * old + s * value;
            value = c * value - s * old;
        }
    }

    /// g on the shared coefficients once the first is eliminated.
    fn shared_g(&self) -> [f64; P] {
        let ratio = self.g[0] / self.r[0][0];
        std::array::from_fn(|j| if j == 0 { 0.0 } else { self.g[j] - ratio * self.r[0][j] })
    }
}

/// Entries below this are zero; their squares would underflow.
const NOTHING: f64 = 1e-140;

/// Segments with fewer points are folded in row by row; the sums would not be definite.
const FEW: usize = 3;

pub struct Spline<'a, const P: usize> {
    points: Points<'a>,
    segments: Vec<Segment<P>>,
    previous: Vec<Segment<P>>,
    stages: Vec<Stage<P>>,
    /// The pulls that the stages were made with.
    pulls: Vec<f64>,
    coefficients: Vec<[f64; P]>,
    costates: Vec<[f64; P]>,
    /// (Dβ)_j at each knot.
    pub jumps: Vec<f64>,
    pub beta: Vec<f64>,
    /// w (y − β).
    pub residual: Vec<f64>,
    /// u, one for each row of D.
    pub dual: Vec<f64>,
    /// What rounding may have cost the dual, in units of the objective.
    pub slip: f64,
}

impl<'a, const P: usize> Spline<'a, P>
where
    Kernels: Order<P>,
{
    pub fn new(points: Points<'a>) -> Spline<'a, P> {
        let n = points.x.len();
        Spline {
            points,
            segments: Vec::new(),
            previous: Vec::new(),
            stages: Vec::new(),
            pulls: Vec::new(),
            coefficients: Vec::new(),
            costates: Vec::new(),
            jumps: Vec::new(),
            beta: vec![0.0; n],
            residual: vec![0.0; n],
            dual: vec![0.0; n.saturating_sub(P)],
            slip: 0.0,
        }
    }

    /// The minimiser for these knots (rows of D, increasing), pull = c sign.
    pub fn solve(&mut self, knots: &[usize], pull: &[f64], control: &Control) -> Result<(), Error> {
        self.split(knots, control)?;
        let known = self.unchanged(pull);
        self.forward(self.points, pull, known);
        control.check()?;
        self.backward(pull);
        self.evaluate(self.points, pull, control)
    }

    /// Segments from the left whose stages are those of the solution before.
    fn unchanged(&self, pull: &[f64]) -> usize {
        let segments = self.segments.iter().zip(&self.previous).take(self.stages.len());
        let same = segments.take_while(|(a, b)| (a.first, a.last) == (b.first, b.last)).count();
        let pulls = pull.iter().zip(&self.pulls).take_while(|(a, b)| a == b).count();
        // A stage holds the pull at its right end; the last one has none.
        if pulls == pull.len() && pulls == self.pulls.len() { same } else { same.min(pulls) }
    }

    /// Solve again for what the solution leaves of y: the correction is tiny, and costates that were
    /// differences of numbers of the size of y now have the digits of the residuals.
    pub fn refine(&mut self, pull: &[f64], control: &Control) -> Result<(), Error> {
        let rest: Vec<f64> = self.points.y.iter().zip(&self.beta).map(|(y, b)| y - b).collect();
        let points = Points { y: &rest, ..self.points };
        let kept = self.segments.clone();
        for s in self.segments.iter_mut().filter(|s| s.moments.is_some()) {
            let range = s.first..s.last;
            s.moments = Some(Kernels::moments(points.slice(range), &nodes(points.x, s.last - 1)));
        }
        let coefficients = std::mem::take(&mut self.coefficients);
        let (jumps, beta) = (std::mem::take(&mut self.jumps), self.beta.clone());
        self.forward(points, pull, 0);
        self.backward(pull);
        self.evaluate(points, pull, control)?;
        // These stages are of the rest, not of y.
        self.stages.clear();
        let add = |a: &mut [f64], b: &[f64]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        self.coefficients.iter_mut().zip(&coefficients).for_each(|(a, b)| add(a, b));
        add(&mut self.jumps, &jumps);
        add(&mut self.beta, &beta);
        self.segments = kept;
        Ok(())
    }

    /// Cut at the knots; segments that were there before keep their moments.
    fn split(&mut self, knots: &[usize], control: &Control) -> Result<(), Error> {
        std::mem::swap(&mut self.segments, &mut self.previous);
        self.segments.clear();
        let n = self.points.x.len();
        let mut old = self.previous.iter().peekable();
        let mut first = 0;
        for last in knots.iter().map(|t| t + 1).chain([n]) {
            control.check()?;
            while old.peek().is_some_and(|s| s.first < first) {
                old.next();
            }
            let known = old.peek().filter(|s| s.first == first && s.last == last);
            let moments = match known {
                Some(s) => s.moments,
                None if last - first < FEW * P => None,
                None => Some(Kernels::moments(
                    self.points.slice(first..last),
                    &nodes(self.points.x, last - 1),
                )),
            };
            self.segments.push(Segment { first, last, moments });
            first = last;
        }
        Ok(())
    }

    fn forward(&mut self, points: Points, pull: &[f64], known: usize) {
        let k = P - 1;
        self.stages.truncate(known);
        self.pulls.clear();
        self.pulls.extend_from_slice(pull);
        let scale = factorial(k);
        for (s, segment) in self.segments.iter().enumerate().skip(known) {
            let right = nodes::<P>(self.points.x, segment.last - 1);
            let mut stage = Stage { r: [[0.0; P]; P], z: [0.0; P], g: [0.0; P] };
            if s > 0 {
                let past = &self.stages[s - 1];
                let left = nodes::<P>(self.points.x, segment.first - 1);
                let across = |row: &[f64; P]| {
                    let mut f: [f64; P] =
                        std::array::from_fn(|r| if r < k { row[k - r] } else { 0.0 });
                    pull_back(&mut f, &right, &left);
                    f.reverse();
                    f
                };
                for i in 1..P {
                    stage.fold(across(&past.r[i]), past.z[i]);
                }
                stage.g = across(&past.shared_g());
                stage.g[0] += scale * pull[s - 1];
            }
            if let Some(p) = pull.get(s) {
                stage.g[0] -= scale * p;
            }
            fold_points(points, segment, &right, &mut stage);
            self.stages.push(stage);
        }
    }

    fn backward(&mut self, pull: &[f64]) {
        let (k, count) = (P - 1, self.segments.len());
        let scale = factorial(k);
        self.coefficients.clear();
        self.coefficients.resize(count, [0.0; P]);
        self.costates.clear();
        self.costates.resize(count, [0.0; P]);
        self.jumps.clear();
        self.jumps.resize(pull.len(), 0.0);
        self.coefficients[count - 1] = last_coefficients(&self.stages[count - 1]);
        for s in (0..count - 1).rev() {
            let next = &self.segments[s + 1];
            let (here, there) = (
                nodes::<P>(self.points.x, next.first - 1),
                nodes::<P>(self.points.x, next.last - 1),
            );
            let mut c = self.coefficients[s + 1];
            expand(&mut c, &there, &here);
            let stage = &self.stages[s];
            let mut left = stage.z[0] - stage.g[0] / stage.r[0][0];
            for j in 1..P {
                left -= stage.r[0][j] * c[k - j];
            }
            let lead = left / stage.r[0][0];
            self.jumps[s] = scale * (c[k] - lead);
            // Costate: minus the gradient of the past in the shared coefficients.
            let g = stage.shared_g();
            let mut m = [0.0; P];
            for j in 1..P {
                m[k - j] = -g[j];
            }
            for i in 1..P {
                let mut e = -stage.z[i];
                for j in i..P {
                    e += stage.r[i][j] * c[k - j];
                }
                for j in i..P {
                    m[k - j] -= stage.r[i][j] * e;
                }
            }
            m[k] = -scale * pull[s];
            self.costates[s + 1] = m;
            c[k] = lead;
            self.coefficients[s] = c;
        }
    }

    /// β, residuals and the dual, segment by segment.
    fn evaluate(&mut self, points: Points, pull: &[f64], control: &Control) -> Result<(), Error> {
        let k = P - 1;
        let x = self.points.x;
        let scale = -1.0 / factorial(k);
        self.slip = 0.0;
        let rows = self.dual.len();
        for (s, segment) in self.segments.iter().enumerate() {
            control.check()?;
            let (first, last) = (segment.first, segment.last);
            let c = &self.coefficients[s];
            let right = nodes::<P>(x, last - 1);
            Kernels::piece(
                points.slice(first..last),
                &right,
                c,
                &mut self.beta[first..last],
                &mut self.residual[first..last],
            );
            let mut m = self.costates[s];
            for j in first..last.min(rows) {
                m[0] += self.residual[j];
                for r in 1..P {
                    m[r] -= (x[j + r] - x[j]) * m[r - 1];
                }
                self.dual[j] = scale * m[k];
            }
            // The last points have no row of their own; their nodes end at the last point.
            for j in last.min(rows).max(first)..last {
                m[0] += self.residual[j];
                for r in 1..P {
                    m[r] -= (x[(j + r).min(x.len() - 1)] - x[j]) * m[r - 1];
                }
            }
            let target = self.costates.get(s + 1).copied().unwrap_or([0.0; P]);
            for r in 0..P {
                self.slip += ((m[r] - target[r]) * c[r]).abs();
            }
            if s < pull.len() {
                self.dual[last - 1] = pull[s];
            }
        }
        Ok(())
    }
}

fn fold_points<const P: usize>(
    points: Points,
    segment: &Segment<P>,
    right: &[f64; P],
    stage: &mut Stage<P>,
) {
    if let Some((rows, values)) = segment.moments.as_ref().and_then(square_root) {
        for (row, value) in rows.into_iter().zip(values) {
            stage.fold(row, value);
        }
        return;
    }
    for i in segment.first..segment.last {
        let root = points.w[i].sqrt();
        let mut row = [root; P];
        for j in (0..P - 1).rev() {
            row[j] = row[j + 1] * (points.x[i] - right[P - 2 - j]);
        }
        stage.fold(row, root * points.y[i]);
    }
}

/// R and z with R'R the Gram matrix, columns from the highest degree down; None if it is not definite
/// to rounding.
fn square_root<const P: usize>(m: &SegmentSums<P>) -> Option<([[f64; P]; P], [f64; P])> {
    let k = P - 1;
    let (mut r, mut z) = ([[0.0; P]; P], [0.0; P]);
    for i in 0..P {
        // The gram is stored as its upper triangle in rising degrees.
        let diagonal = m.gram[k - i][k - i];
        let mut pivot = diagonal;
        for row in r.iter().take(i) {
            pivot -= row[i] * row[i];
        }
        if pivot.is_nan() || pivot <= 1e-10 * diagonal {
            return None;
        }
        let root = pivot.sqrt();
        for j in i..P {
            let mut value = m.gram[k - j][k - i];
            for row in r.iter().take(i) {
                value -= row[i] * row[j];
            }
            r[i][j] = value / root;
        }
        let mut value = m.response[k - i];
        for l in 0..i {
            value -= r[l][i] * z[l];
        }
        z[i] = value / root;
    }
    Some((r, z))
}

/// R'R c = R'z − g.
fn last_coefficients<const P: usize>(stage: &Stage<P>) -> [f64; P] {
    let (k, r) = (P - 1, &stage.r);
    let mut step = stage.g;
    for i in 0..P {
        for l in 0..i {
            step[i] -= r[l][i] * step[l];
        }
        step[i] /= r[i][i];
    }
    let mut c = [0.0; P];
    for i in (0..P).rev() {
        let mut value = stage.z[i] - step[i];
        for j in i + 1..P {
            value -= r[i][j] * c[k - j];
        }
        c[k - i] = value / r[i][i];
    }
    c
}

pub fn factorial(k: usize) -> f64 {
    (1..=k).map(|i| i as f64).product()
}
