//! The row weights of one draw, made again on demand.

use super::gamma::GammaLaw;
use super::plan::WeightPlan;
use crate::linalg::elementary::{exponentials, unit, units};
use crate::random::laws::Law;
use rand::RngCore;

pub struct DrawWeights<'a> {
    plan: &'a WeightPlan,
    draw: u64,
    /// Dirichlet: the number of rows over the sum of their gammas.
    scale: f64,
    /// Dirichlet with a small parameter: the largest logarithm among its uniform numbers.
    largest: f64,
    /// The draw's units where rows share or compete for them (clusters, multinomial).
    units: Option<Vec<f64>>,
    bytes: Vec<u8>,
}

impl WeightPlan {
    /// The weights of draw k (counted from 1).
    pub fn draw(&self, k: u64) -> DrawWeights<'_> {
        DrawWeights::new(self, k)
    }
}

/// Rows made at a time where a pass over the whole draw is needed.
const CHUNK: usize = 512;

impl<'a> DrawWeights<'a> {
    fn new(plan: &'a WeightPlan, draw: u64) -> DrawWeights<'a> {
        let mut weights =
            DrawWeights { plan, draw, scale: 1.0, largest: 0.0, units: None, bytes: Vec::new() };
        let rows = plan.rows() as f64;
        match plan.law {
            Law::Dirichlet(shape) => {
                let mut rng = plan.stream(2 * draw);
                let law = GammaLaw::new(shape);
                weights.largest = law.largest(&mut rng, plan.units(), &mut weights.bytes);
                weights.scale = rows / weights.total();
            }
            Law::Multinomial => weights.units = Some(weights.counts()),
            _ => {}
        }
        if plan.clusters.is_some() && weights.units.is_none() {
            let mut all = vec![0.0; plan.units()];
            weights.fill_units(0, &mut all);
            weights.units = Some(all);
        }
        weights
    }

    /// Weights of rows `first ..`, the user's own multiplied in.
    pub fn fill(&mut self, first: usize, out: &mut [f64]) {
        let plan = self.plan;
        match (&self.units, plan.clusters()) {
            (Some(units), Some(cluster)) => {
                for (o, &g) in out.iter_mut().zip(&cluster[first..]) {
                    *o = units[g as usize];
                }
            }
            (Some(units), None) => out.copy_from_slice(&units[first..first + out.len()]),
            _ => self.fill_units(first, out),
        }
        plan.weigh_cases(first, out);
    }

    /// Weights of these units, in any order. Units near each other are made together.
    pub fn fill_units_at(&mut self, units: &[u64], out: &mut [f64]) {
        let low = units.iter().copied().min().unwrap_or(0);
        let span = units.iter().copied().max().unwrap_or(0) - low;
        if span < 4 * units.len() as u64 {
            let mut near = vec![0.0; span as usize + 1];
            self.fill_units(low as usize, &mut near);
            out.iter_mut().zip(units).for_each(|(o, u)| *o = near[(u - low) as usize]);
        } else {
            for (place, &unit) in out.chunks_mut(1).zip(units) {
                self.fill_units(unit as usize, place);
            }
        }
    }

    /// Sum of the weights of all rows.
    fn total(&mut self) -> f64 {
        let units = self.plan.units();
        let mut part = [0.0; CHUNK];
        let mut total = 0.0;
        for first in (0..units).step_by(CHUNK) {
            let part = &mut part[..CHUNK.min(units - first)];
            self.fill_units(first, part);
            if let Some(clusters) = &self.plan.clusters {
                part.iter_mut().zip(&clusters.sizes[first..]).for_each(|(w, size)| *w *= size);
            }
            total += part.iter().sum::<f64>();
        }
        total
    }

    /// How often each unit was chosen, of as many times as there are units; with clusters of several
    /// sizes, the rows that they bring vary in number, and are weighed down or up to their own.
    fn counts(&self) -> Vec<f64> {
        let n = self.plan.units();
        let mut rng = self.plan.stream(2 * self.draw);
        let mut counts = vec![0.0; n];
        for _ in 0..n {
            let chosen = (unit(rng.next_u64().to_le_bytes()) * n as f64) as usize;
            counts[chosen.min(n - 1)] += 1.0;
        }
        if let Some(clusters) = &self.plan.clusters {
            let rows: f64 = counts.iter().zip(&clusters.sizes).map(|(c, size)| c * size).sum();
            let scale = self.plan.rows() as f64 / rows;
            counts.iter_mut().for_each(|c| *c *= scale);
        }
        counts
    }

    /// Independent weights of units `first ..`.
    fn fill_units(&mut self, first: usize, out: &mut [f64]) {
        match self.plan.law {
            Law::Ones | Law::Multinomial => out.fill(1.0),
            Law::Exponential | Law::Dirichlet(1.0) | Law::Gamma(1.0) => {
                self.words(first, out.len());
                exponentials(&self.bytes, out);
            }
            Law::Mammen => {
                let root = 5f64.sqrt();
                let (low, high, p_low) =
                    ((3.0 - root) / 2.0, (3.0 + root) / 2.0, (root + 1.0) / (2.0 * root));
                self.fill_by_inversion(first, out, |u| if u < p_low { low } else { high });
            }
            Law::Poisson => self.fill_by_inversion(first, out, poisson),
            Law::Dirichlet(shape) | Law::Gamma(shape) => {
                let mut rng = self.plan.stream(2 * self.draw);
                let law = GammaLaw::new(shape);
                law.fill(&mut rng, self.largest, first, out, &mut self.bytes);
            }
        }
        if self.scale != 1.0 {
            out.iter_mut().for_each(|o| *o *= self.scale);
        }
    }

    /// One random word for each unit, at the unit's own position of the stream.
    fn words(&mut self, first: usize, count: usize) {
        let mut rng = self.plan.stream(2 * self.draw);
        rng.set_word_pos(2 * first as u128);
        self.bytes.resize(8 * count, 0);
        rng.fill_bytes(&mut self.bytes);
    }

    fn fill_by_inversion(&mut self, first: usize, out: &mut [f64], weight: impl Fn(f64) -> f64) {
        self.words(first, out.len());
        for (o, u) in out.iter_mut().zip(units(&self.bytes)) {
            *o = weight(u);
        }
    }
}

/// Poisson(1) by inversion.
fn poisson(u: f64) -> f64 {
    // e⁻¹, the chance of none.
    let mut term = 0.367_879_441_171_442_33;
    let mut below = term;
    let mut count = 0.0;
    while u > below && count < 20.0 {
        count += 1.0;
        term /= count;
        below += term;
    }
    count
}
