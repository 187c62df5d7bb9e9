//! The factor of the active set, and what to do where its columns depend on each other.

use super::{Entry, Newton};
use crate::engine::job::Control;
use crate::error::Error;
use crate::lasso::damping::Damping;
use crate::lasso::quadratic::Quadratic;
use crate::linalg::dense::axpy;

/// Entries of a dependence below this part of its largest are rounding.
const NOISE: f64 = 1e-10;

/// Columns whose factor does not stay in the first cache.
const LARGE: usize = 64;

impl Newton {
    /// Put the active set in the order of the factor, where the factor can be brought to it by
    /// taking out and adding a few columns.
    pub(super) fn arrange(&mut self, q: &Quadratic) {
        if self.cholesky.has_dependence() {
            self.factored.clear();
            return;
        }
        // 1: wanted, 2: in the factor.
        self.mark.clear();
        self.mark.resize(q.size(), 0u8);
        self.active.iter().for_each(|&j| self.mark[j] |= 1);
        self.factored.iter().for_each(|&j| self.mark[j] |= 2);
        let leaving = self.factored.iter().filter(|&&j| self.mark[j] == 2).count();
        let entering = self.active.iter().filter(|&&j| self.mark[j] == 1).count();
        // A factor from scratch costs m³/6, a column out up to 2m², a column in m²/2; a large factor is made in
        // the caches, and changed in memory.
        let (out, within) = if self.active.len() < LARGE { (12, 3) } else { (100, 25) };
        if out * leaving + within * entering > self.active.len() {
            self.factored.clear();
            return;
        }
        for k in (0..self.factored.len()).rev() {
            if self.mark[self.factored[k]] == 2 {
                self.factored.remove(k);
                self.cholesky.remove(k);
            }
        }
        for &j in self.active.iter().filter(|&&j| self.mark[j] == 1) {
            self.factored.push(j);
            let line = q.row(j);
            let mut column: Vec<f64> = self.factored.iter().map(|&k| line[k]).collect();
            if let Some(last) = column.last_mut() {
                *last += q.penalty.ridge[j];
            }
            self.cholesky.append(column, q.penalty.ridge[j]);
        }
        self.active.clone_from(&self.factored);
    }

    pub(super) fn factor(
        &mut self,
        q: &Quadratic,
        damping: &Damping,
        control: &Control,
    ) -> Result<(), Error> {
        if !self.factored.is_empty() {
            return Ok(());
        }
        let active = &self.active;
        let fill = |row: usize, out: &mut [f64]| {
            let j = active[row];
            let line = q.row(j);
            for (o, &k) in out.iter_mut().zip(&active[row..]) {
                *o = line[k];
            }
            let ridge = q.penalty.ridge[j] + damping.ridge(out[0]);
            out[0] += ridge;
            ridge
        };
        self.cholesky.factor_while(active.len(), fill, || control.check())?;
        self.factored.clone_from(active);
        Ok(())
    }

    /// The first column of the support that depends on those before, or the single one that enters.
    pub(super) fn dependent(&self, beta: &[f64], entry: Entry) -> Option<usize> {
        (0..self.active.len()).find(|&k| {
            self.cholesky.is_dependent(k) && (beta[self.active[k]] != 0.0 || entry == Entry::One)
        })
    }

    /// Walk along the combinations of columns that the fit does not see, one for each dependent
    /// column from k on, downhill in the penalty, each until a coordinate reaches zero and stays
    /// there. False if none does.
    pub(super) fn reduce(&mut self, q: &Quadratic, beta: &mut [f64], k: usize) -> bool {
        let active = &self.active;
        let mut walked: Vec<(Vec<f64>, usize)> = Vec::new();
        for k in k..active.len() {
            if !self.cholesky.is_dependent(k) || (beta[active[k]] == 0.0 && !walked.is_empty()) {
                continue;
            }
            let mut along = vec![0.0; active.len()];
            self.cholesky.dependence(k, &mut along);
            for (other, landing) in &walked {
                axpy(-along[*landing] / other[*landing], other, &mut along);
                along[*landing] = 0.0;
            }
            // A coordinate that is no part of the combination must not end the walk far away.
            let largest = along.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            along.iter_mut().filter(|v| v.abs() <= NOISE * largest).for_each(|v| *v = 0.0);
            let slope: f64 = along.iter().zip(&self.direction).map(|(v, rhs)| -v * rhs).sum();
            if slope > 0.0 {
                along.iter_mut().for_each(|v| *v = -*v);
            }
            let first = (0..active.len())
                .filter(|&i| q.penalty.l1[active[i]] > 0.0 && along[i] * beta[active[i]] < 0.0)
                .map(|i| (-beta[active[i]] / along[i], i))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            let Some((length, landing)) = first else { break };
            for (&j, &v) in active.iter().zip(&along) {
                beta[j] += length * v;
            }
            beta[active[landing]] = 0.0;
            walked.push((along, landing));
        }
        !walked.is_empty()
    }

    /// direction ← (H + D)⁻¹ direction on the active set; the slope of the objective along it, negated.
    pub(super) fn solve(&mut self) -> f64 {
        let rhs = self.direction.clone();
        self.cholesky.solve(&mut self.direction);
        rhs.iter().zip(&self.direction).map(|(r, d)| r * d).sum()
    }

    /// d'(H + D)d for the direction d.
    pub(super) fn curvature(&self, q: &Quadratic) -> f64 {
        let mut sum = 0.0;
        for (&j, &d) in self.active.iter().zip(&self.direction) {
            if d != 0.0 {
                let line = q.row(j);
                let along: f64 =
                    self.active.iter().zip(&self.direction).map(|(&k, e)| line[k] * e).sum();
                sum += d * (along + q.penalty.ridge[j] * d);
            }
        }
        sum
    }
}
