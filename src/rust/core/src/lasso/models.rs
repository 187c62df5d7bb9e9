//! Two ways to the next point of a weighted lasso, each from an exact gradient and a model of the
//! curvature X'WX.
//!
//! *Reference*: the Gram matrix of the unit weights, computed once, stands in for that of the draw.
//! With many more rows than coefficients the two differ by a small factor, 1 ± 2√(p/n), so each pass
//! over the data gains a fixed number of digits, and no draw needs a Gram matrix of its own. Passes at
//! points with the same signs are combined exactly — gradients are affine in β — which makes this the
//! conjugate-gradient method with the reference as its preconditioner.
//!
//! *Working set*: the draw's own Gram matrix, of the columns that matter. Exact in one step on those
//! columns; the pass over the data finds what is missing.

use super::moments::{Centred, Data, cross};
use super::newton::Newton;
use super::pass::{Found, Task};
use super::quadratic::{Origin, Quadratic};
use super::rough;
use super::sweeps::approach;
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::cholesky::Cholesky;
use crate::linalg::dense::axpy;
use crate::linalg::lanes::panel_width;
use std::collections::VecDeque;

/// Part of the first change at which the sweeps of a reference step end.
const ROUGH: f64 = 0.1;
/// Points that a combination may use.
const MEMORY: usize = 8;

/// The Gram matrix of unit weights, for all draws.
pub struct Reference {
    pub moments: Centred,
}

/// Points visited with their gradients.
#[derive(Default)]
pub struct History {
    points: VecDeque<(Vec<f64>, Found)>,
}

impl Reference {
    /// Replace β by (nearly) the minimum of the model around it.
    pub fn step(
        &self,
        task: &mut Task,
        newton: &mut Newton,
        control: &Control,
    ) -> Result<(), Error> {
        // The model's problem, divided by the draw's total weight over the reference's.
        let weight = self.moments.w;
        let ratio = weight / task.totals.as_ref().map_or(weight, |t| t.w);
        let scaled = |v: &[f64]| -> Vec<f64> { v.iter().map(|v| v * ratio).collect() };
        let (l1, ridge) = (scaled(&task.l1), scaled(&task.ridge));
        let mut correlation = scaled(&task.found.gradient);
        for (c, (d, b)) in correlation.iter_mut().zip(ridge.iter().zip(&task.beta)) {
            *c -= d * b;
        }
        let model =
            Quadratic { gram: &self.moments.gram, stride: task.beta.len(), l1: &l1, ridge: &ridge };
        let from = (task.beta.clone(), correlation.clone());
        if !approach(&model, &mut task.beta, &mut correlation, ROUGH) {
            // Collinear columns.
            let origin = Origin { beta: &from.0, correlation: &from.1 };
            newton.minimise(&model, &origin, &mut task.beta, control)?;
        }
        Ok(())
    }

    /// x_a'W x_b, nearly.
    pub fn curvature(&self, p: usize, a: usize, b: usize) -> f64 {
        self.moments.gram[a * p + b]
    }
}

impl History {
    /// Move to the best point among the combinations of those visited with the signs of the current
    /// one, and remember the current one. Needs no pass: residuals and gradients combine as β does.
    pub fn combine(&mut self, task: &mut Task) {
        let alike = |other: &[f64]| {
            other.iter().zip(&task.beta).all(|(a, b)| {
                a.signum() * f64::from(*a != 0.0) == b.signum() * f64::from(*b != 0.0)
            })
        };
        self.points.retain(|(beta, _)| alike(beta));
        let current = (task.beta.clone(), task.found.clone());
        if !self.points.is_empty() {
            self.move_to_best(task);
        }
        self.points.push_back(current);
        if self.points.len() > MEMORY {
            self.points.pop_front();
        }
    }

    fn move_to_best(&self, task: &mut Task) {
        let support: Vec<usize> = (0..task.beta.len()).filter(|&j| task.beta[j] != 0.0).collect();
        let m = self.points.len();
        // Directions d = βₛ − β on the support, and (H + D)d = gₛ-differences.
        let mut directions = vec![0.0; m * support.len()];
        let mut images = vec![0.0; m * support.len()];
        let mut slope = vec![0.0; m];
        for (s, (beta, found)) in self.points.iter().enumerate() {
            for (i, &j) in support.iter().enumerate() {
                let d = beta[j] - task.beta[j];
                directions[s * support.len() + i] = d;
                images[s * support.len() + i] =
                    task.found.gradient[j] - found.gradient[j] + task.ridge[j] * d;
                let down = task.found.gradient[j]
                    - task.ridge[j] * task.beta[j]
                    - task.l1[j] * task.beta[j].signum();
                slope[s] += down * d;
            }
        }
        let row =
            |v: &[f64], s: usize| -> Vec<f64> { v[s * support.len()..][..support.len()].to_vec() };
        let mut cholesky = Cholesky::default();
        cholesky.factor(m, |s, out| {
            let image = row(&images, s);
            for (o, t) in out.iter_mut().zip(s..m) {
                *o = image.iter().zip(&row(&directions, t)).map(|(a, b)| a * b).sum();
            }
            0.0
        });
        cholesky.solve(&mut slope);
        let combination = slope;
        let at = |i: usize, j: usize| {
            (0..m).fold(task.beta[j], |b, s| b + combination[s] * directions[s * support.len() + i])
        };
        // The quadratic model holds only while signs do.
        if support.iter().enumerate().any(|(i, &j)| at(i, j) * task.beta[j] <= 0.0) {
            return;
        }
        let moved: Vec<f64> = support.iter().enumerate().map(|(i, &j)| at(i, j)).collect();
        let mut found = task.found.clone();
        // r'Wr after a move d with image Hd: rr − 2 g'd + d'Hd.
        for (i, &j) in support.iter().enumerate() {
            let d = moved[i] - task.beta[j];
            let image: f64 = (0..m)
                .map(|s| combination[s] * (task.found.gradient[j] - self.points[s].1.gradient[j]))
                .sum();
            found.rr += d * (image - 2.0 * task.found.gradient[j]);
        }
        for (s, (_, other)) in self.points.iter().enumerate() {
            let c = combination[s];
            found.ry += c * (other.ry - task.found.ry);
            found.b0 += c * (other.b0 - task.found.b0);
            for (g, (a, b)) in
                found.gradient.iter_mut().zip(other.gradient.iter().zip(&task.found.gradient))
            {
                *g += c * (a - b);
            }
        }
        support.iter().zip(moved).for_each(|(&j, b)| task.beta[j] = b);
        task.found = found;
    }
}

/// The draw's own Gram matrix on a growing set of columns.
pub struct WorkingSet {
    columns: Vec<u32>,
    place: Vec<u32>,
    gram: Vec<f64>,
    stride: usize,
    /// The ridge of the last step.
    ridge: Vec<f64>,
    /// Rough steps since the last exact one.
    roughly: u32,
    /// Its own, so that the factor of one round serves the next.
    newton: Newton,
}

const OUT: u32 = u32::MAX;

/// Columns that may enter whatever the support.
const FEW: usize = 64;
/// Rough steps in a row.
const ROUGHLY: u32 = 2;
/// Part of its penalty that a gradient has where a rough solution may lack its column.
const NEARLY: f64 = 0.92;

/// Columns to let in, and whether many of them are violated.
struct Entering {
    columns: Vec<u32>,
    many: bool,
}

impl WorkingSet {
    pub fn new(p: usize) -> WorkingSet {
        WorkingSet {
            columns: Vec::new(),
            place: vec![OUT; p],
            gram: Vec::new(),
            stride: 0,
            ridge: Vec::new(),
            roughly: 0,
            newton: Newton::default(),
        }
    }

    /// Before the first pass: the support of a start alone needs no gradient.
    pub fn begin(&mut self, data: &Data, task: &mut Task, control: &Control) -> Result<(), Error> {
        let columns = (0..task.beta.len()).filter(|&j| task.beta[j] != 0.0);
        let start = Entering { columns: columns.map(|j| j as u32).collect(), many: true };
        if self.is_far(data, &start) {
            self.roughly = 1;
            rough::approach(data, task, &start.columns, control)?;
        }
        Ok(())
    }

    /// Let in the support and the columns that the gradient at β violates, then minimise exactly
    /// (or nearly, while far from the solution). True if columns came in.
    pub fn step(&mut self, data: &Data, task: &mut Task, control: &Control) -> Result<bool, Error> {
        let entering = self.entering(task);
        if self.is_far(data, &entering) {
            self.roughly += 1;
            let mut which = entering.columns;
            which.extend(self.columns.iter().filter(|&&j| task.lack(j as usize) > 1.0));
            rough::approach(data, task, &which, control)?;
            return Ok(true);
        }
        self.roughly = 0;
        let grew = !entering.columns.is_empty();
        if grew {
            self.grow(data, task, &entering.columns, control)?;
        }
        let take =
            |v: &[f64]| -> Vec<f64> { self.columns.iter().map(|&j| v[j as usize]).collect() };
        let (mut beta, l1, ridge) = (take(&task.beta), take(&task.l1), take(&task.ridge));
        // Another lambda has another ridge, for which the last factor is of no use.
        let again = ridge.starts_with(&self.ridge);
        self.ridge.clone_from(&ridge);
        let model = Quadratic { gram: &self.gram, stride: self.stride, l1: &l1, ridge: &ridge };
        // The gradient of the pass is exact, so repeated steps refine.
        let mut correlation = take(&task.found.gradient);
        for (g, (d, b)) in correlation.iter_mut().zip(ridge.iter().zip(&beta)) {
            *g -= d * b;
        }
        let origin = Origin { beta: &beta.clone(), correlation: &correlation };
        if again {
            self.newton.minimise_again(&model, &origin, &mut beta, control)?;
        } else {
            self.newton.minimise(&model, &origin, &mut beta, control)?;
        }
        self.columns.iter().zip(beta).for_each(|(&j, b)| task.beta[j as usize] = b);
        Ok(grew)
    }

    /// x_a'W x_b for columns in the set.
    pub fn curvature(&self, a: usize, b: usize) -> f64 {
        match (self.place[a], self.place[b]) {
            (OUT, _) | (_, OUT) => 0.0,
            (i, k) => self.gram[i as usize * self.stride + k as usize],
        }
    }

    /// The columns outside that the support needs or the gradient violates.
    fn entering(&self, task: &Task) -> Entering {
        // A rough solution misses some that are all but violated.
        let least = if self.roughly > 0 { NEARLY } else { 1.0 };
        let (mut support, mut violated) = (0, 0);
        let mut found: Vec<(f64, u32)> = Vec::new();
        for j in 0..task.beta.len() {
            let lack = task.lack(j);
            support += usize::from(lack == f64::INFINITY);
            if self.place[j] == OUT && lack > least {
                violated += usize::from(lack > 1.0 && lack < f64::INFINITY);
                found.push((lack, j as u32));
            }
        }
        // Far from the solution most columns are violated; the worst are enough to go on with.
        let most = if self.roughly > 0 { 3 * support } else { support }.max(FEW);
        if found.len() > most {
            found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            found.truncate(most);
        }
        let mut columns: Vec<u32> = found.into_iter().map(|f| f.1).collect();
        columns.sort_unstable();
        Entering { columns, many: 10 * violated > support }
    }

    /// Whether a Gram matrix of the columns that enter would soon be of no use: most of a start's
    /// support goes, and most of what it violates comes.
    fn is_far(&self, data: &Data, entering: &Entering) -> bool {
        let wide = data.design.cols > data.design.rows && !data.design.is_sparse();
        let count = entering.columns.len();
        let new = count >= FEW && 2 * count > self.columns.len();
        wide && new && (self.roughly == 0 || (self.roughly < ROUGHLY && entering.many))
    }

    /// Add these columns to the Gram matrix.
    fn grow(
        &mut self,
        data: &Data,
        task: &mut Task,
        fresh: &[u32],
        control: &Control,
    ) -> Result<(), Error> {
        let old = self.columns.len();
        for &j in fresh {
            self.place[j as usize] = self.columns.len() as u32;
            self.columns.push(j);
        }
        let m = self.columns.len();
        let width = panel_width(m - old);
        let block =
            cross(data, &self.columns, old, control, |first, w| task.weights.fill(first, w))?;
        if old == 0 {
            (self.gram, self.stride) = (block, width);
        } else {
            self.widen(old);
            for (line, new) in self.gram.chunks_mut(self.stride).zip(block.chunks(width)) {
                line[old..m].copy_from_slice(&new[..m - old]);
            }
        }
        if let Some(totals) = task.totals.as_ref().filter(|t| data.intercept && t.w > 0.0) {
            let xw: Vec<f64> = self.columns.iter().map(|&j| totals.xw[j as usize]).collect();
            for (line, from) in self.gram.chunks_mut(self.stride).zip(&xw) {
                axpy(-from / totals.w, &xw[old..], &mut line[old..m]);
            }
        }
        mirror(&mut self.gram, self.stride, old, m);
        Ok(())
    }

    /// Make room for all columns, if there is none, where `old` of them are in.
    fn widen(&mut self, old: usize) {
        let m = self.columns.len();
        if self.stride < m || self.gram.len() < m * self.stride {
            let stride = panel_width(m + m / 8);
            let mut gram = vec![0.0; stride * stride];
            for (to, from) in gram.chunks_mut(stride).zip(self.gram.chunks(self.stride)).take(old) {
                to[..old].copy_from_slice(&from[..old]);
            }
            (self.gram, self.stride) = (gram, stride);
        }
    }
}

/// Copy what is above the diagonal in columns `old..m` to below it, in squares that fit the cache.
fn mirror(gram: &mut [f64], stride: usize, old: usize, m: usize) {
    const SIDE: usize = 16;
    for b in (old..m).step_by(SIDE) {
        for a in (0..m.min(b + SIDE)).step_by(SIDE) {
            for row in b..m.min(b + SIDE) {
                for column in a..row.min(a + SIDE) {
                    gram[row * stride + column] = gram[column * stride + row];
                }
            }
        }
    }
}
