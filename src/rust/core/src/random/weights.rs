//! Random weights: the weight of row i in draw k is a function of (seed, k, i) alone.
//!
//! ChaCha8 is a counter-based generator: the seed is its key, the draw its stream, the row its
//! position. Any row of any draw can be made again without the others (the normalised laws,
//! Dirichlet and multinomial, need one pass over their own draw), so weights are never stored.

use super::laws::{Law, PriorWeight};
use super::streams::random_stream;
use crate::error::Error;
use crate::linalg::elementary::{exponentials, unit};
use pulp::as_arrays;
use rand::RngCore;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma};

/// What the rows share: law, seed, the user's own weights, clusters.
#[derive(Clone, Debug)]
pub struct WeightPlan {
    seed: u64,
    law: Law,
    prior: PriorWeight,
    rows: usize,
    case: Option<Vec<f64>>,
    /// 0-based cluster of each row, and the number of clusters.
    cluster: Option<(Vec<u32>, usize)>,
}

impl WeightPlan {
    pub fn new(seed: u64, law: Law, prior: PriorWeight, rows: usize) -> WeightPlan {
        WeightPlan { seed, law, prior, rows, case: None, cluster: None }
    }

    /// The user's own weights, multiplied in.
    pub fn with_case_weights(mut self, case: Vec<f64>) -> Result<WeightPlan, Error> {
        if case.len() != self.rows {
            let text = format!("has {} values for {} rows", case.len(), self.rows);
            return Err(Error::argument("case_weights", text));
        }
        if let Some(bad) = case.iter().find(|w| !(w.is_finite() && **w >= 0.0)) {
            return Err(Error::argument(
                "case_weights",
                format!("must not be negative, but one is {bad}"),
            ));
        }
        if case.iter().all(|&w| w == 0.0) {
            return Err(Error::argument("case_weights", "are all zero".into()));
        }
        self.case = Some(case);
        Ok(self)
    }

    /// Rows of one cluster share one weight.
    pub fn with_clusters(mut self, cluster: Vec<u32>) -> Result<WeightPlan, Error> {
        if cluster.len() != self.rows {
            let text = format!("has {} values for {} rows", cluster.len(), self.rows);
            return Err(Error::argument("cluster", text));
        }
        let count = cluster.iter().max().map_or(0, |&g| g as usize + 1);
        if count > self.rows {
            return Err(Error::argument("cluster", "ids must be consecutive".into()));
        }
        self.cluster = Some((cluster, count));
        Ok(self)
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of independent weights in a draw: clusters, or rows.
    pub fn units(&self) -> usize {
        self.cluster.as_ref().map_or(self.rows, |c| c.1)
    }

    pub fn prior(&self) -> PriorWeight {
        self.prior
    }

    pub fn clusters(&self) -> Option<&[u32]> {
        self.cluster.as_ref().map(|c| c.0.as_slice())
    }

    /// The user's weight of a row (1 without).
    pub fn case(&self, row: usize) -> f64 {
        self.case.as_ref().map_or(1.0, |c| c[row])
    }

    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Generator of one stream; streams 2k and 2k + 1 belong to draw k.
    fn stream(&self, stream: u64) -> ChaCha8Rng {
        random_stream(self.seed, b"wbb weight stream, rev 1", stream)
    }

    /// A random permutation-like order for cross-validation folds: uniform keys of the units.
    pub fn fold_keys(&self) -> Vec<f64> {
        let mut rng = self.stream(u64::MAX);
        (0..self.units()).map(|_| unit(rng.next_u64().to_le_bytes())).collect()
    }

    /// The weights of draw k (counted from 1).
    pub fn draw(&self, k: u64) -> DrawWeights<'_> {
        let mut draw =
            DrawWeights { plan: self, draw: k, scale: 1.0, units: None, bytes: Vec::new() };
        let units = self.units();
        match self.law {
            Law::Dirichlet(_) => draw.scale = units as f64 / draw.total(),
            Law::Multinomial => draw.units = Some(draw.counts()),
            _ => {}
        }
        if self.cluster.is_some() && draw.units.is_none() {
            let mut all = vec![0.0; units];
            draw.fill_units(0, &mut all);
            draw.units = Some(all);
        }
        draw
    }

    /// The first `out.len()` prior weights of draw k (counted from 1).
    pub fn fill_prior(&self, k: u64, out: &mut [f64]) {
        match self.prior {
            PriorWeight::Fixed => out.fill(1.0),
            _ => {
                let mut bytes = vec![0; 8 * out.len()];
                self.stream(2 * k + 1).fill_bytes(&mut bytes);
                exponentials(&bytes, out);
            }
        }
    }
}

/// The row weights of one draw, made again on demand.
pub struct DrawWeights<'a> {
    plan: &'a WeightPlan,
    draw: u64,
    /// Dirichlet: n over the sum of the draw's gammas.
    scale: f64,
    /// The draw's units where rows share or compete for them (clusters, multinomial).
    units: Option<Vec<f64>>,
    bytes: Vec<u8>,
}

/// Rows made at a time where a pass over the whole draw is needed.
const CHUNK: usize = 512;

impl DrawWeights<'_> {
    /// Weights of rows `first ..`, the user's own multiplied in.
    pub fn fill(&mut self, first: usize, out: &mut [f64]) {
        let plan = self.plan;
        match (&self.units, &plan.cluster) {
            (Some(units), Some((cluster, _))) => {
                for (o, &g) in out.iter_mut().zip(&cluster[first..]) {
                    *o = units[g as usize];
                }
            }
            (Some(units), None) => out.copy_from_slice(&units[first..first + out.len()]),
            _ => self.fill_units(first, out),
        }
        if let Some(case) = &plan.case {
            for (o, c) in out.iter_mut().zip(&case[first..]) {
                *o *= c;
            }
        }
    }

    fn total(&mut self) -> f64 {
        let units = self.plan.units();
        let mut part = [0.0; CHUNK];
        let mut total = 0.0;
        for first in (0..units).step_by(CHUNK) {
            let part = &mut part[..CHUNK.min(units - first)];
            self.fill_units(first, part);
            total += part.iter().sum::<f64>();
        }
        total
    }

    fn counts(&self) -> Vec<f64> {
        let n = self.plan.units();
        let mut rng = self.plan.stream(2 * self.draw);
        let mut counts = vec![0.0; n];
        for _ in 0..n {
            let chosen = (unit(rng.next_u64().to_le_bytes()) * n as f64) as usize;
            counts[chosen.min(n - 1)] += 1.0;
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
            Law::Dirichlet(shape) | Law::Gamma(shape) => self.gammas(shape, first, out),
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
        for (o, &word) in out.iter_mut().zip(as_arrays(&self.bytes).0) {
            *o = weight(unit(word));
        }
    }

    /// Gamma(a, a) by rejection takes an unknown number of words: each unit has 1024 of its own.
    fn gammas(&self, shape: f64, first: usize, out: &mut [f64]) {
        // The constructor of `Law` has checked the shape.
        let Ok(gamma) = Gamma::new(shape, 1.0 / shape) else {
            return;
        };
        let mut rng = self.plan.stream(2 * self.draw);
        for (i, o) in out.iter_mut().enumerate() {
            rng.set_word_pos(((first + i) as u128) << 10);
            *o = gamma.sample(&mut rng);
        }
    }
}

/// Poisson(1) by inversion.
fn poisson(u: f64) -> f64 {
    let mut term = (-1f64).exp();
    let mut below = term;
    let mut count = 0.0;
    while u > below && count < 20.0 {
        count += 1.0;
        term /= count;
        below += term;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAWS: [Law; 8] = [
        Law::Exponential,
        Law::Dirichlet(1.0),
        Law::Dirichlet(4.0),
        Law::Gamma(2.0),
        Law::Mammen,
        Law::Poisson,
        Law::Multinomial,
        Law::Ones,
    ];

    fn row_weights(plan: &WeightPlan, k: u64) -> Vec<f64> {
        let mut out = vec![0.0; plan.rows()];
        plan.draw(k).fill(0, &mut out);
        out
    }

    #[test]
    fn any_part_of_a_draw_is_the_same_as_in_the_whole() {
        for law in LAWS {
            let plan = WeightPlan::new(7, law, PriorWeight::Random, 700);
            let whole = row_weights(&plan, 3);
            let mut part = vec![0.0; 77];
            plan.draw(3).fill(501, &mut part);
            assert_eq!(part, whole[501..578], "{law:?}");
        }
    }

    #[test]
    fn moments_are_those_of_the_law() {
        // 200,000 weights: the mean is within 5 sd of 1 (false alarm 6e-7 a law), the variance within
        // 5 sd of its own (fourth central moment at most 9, so sd of the variance below 0.0064).
        let n = 200_000;
        for (law, variance) in [
            (Law::Exponential, 1.0),
            (Law::Gamma(4.0), 0.25),
            (Law::Mammen, 1.0),
            (Law::Poisson, 1.0),
        ] {
            let w = row_weights(&WeightPlan::new(11, law, PriorWeight::Fixed, n), 1);
            let mean = w.iter().sum::<f64>() / n as f64;
            let var = w.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
            assert!((mean - 1.0).abs() < 5.0 * (variance / n as f64).sqrt(), "{law:?} {mean}");
            assert!((var - variance).abs() < 5.0 * (8.0 / n as f64).sqrt(), "{law:?} {var}");
        }
    }

    #[test]
    fn normalised_laws_sum_to_the_number_of_rows() {
        for law in [Law::Dirichlet(1.0), Law::Dirichlet(3.0), Law::Multinomial] {
            let w = row_weights(&WeightPlan::new(1, law, PriorWeight::Fixed, 1000), 5);
            assert!((w.iter().sum::<f64>() - 1000.0).abs() < 1e-9, "{law:?}");
        }
    }

    #[test]
    fn clusters_share_and_case_weights_multiply() {
        for law in LAWS {
            let plan = WeightPlan::new(2, law, PriorWeight::Random, 4)
                .with_clusters(vec![0, 1, 0, 1])
                .and_then(|p| p.with_case_weights(vec![1.0, 1.0, 2.0, 0.0]))
                .unwrap();
            let w = row_weights(&plan, 9);
            assert_eq!((w[2], w[3]), (2.0 * w[0], 0.0), "{law:?}");
        }
    }

    #[test]
    fn seeds_draws_and_priors_differ() {
        let plan = |seed| WeightPlan::new(seed, Law::Exponential, PriorWeight::Random, 3);
        assert_ne!(row_weights(&plan(1), 1), row_weights(&plan(1), 2));
        assert_ne!(row_weights(&plan(1), 1), row_weights(&plan(2), 1));
        let (mut one, mut two) = ([0.0; 2], [0.0; 3]);
        plan(1).fill_prior(4, &mut one);
        plan(1).fill_prior(4, &mut two);
        assert_eq!(one, two[..2]);
    }

    #[test]
    fn bad_case_weights_are_refused() {
        let plan = || WeightPlan::new(1, Law::Ones, PriorWeight::Fixed, 2);
        for case in [vec![1.0], vec![-1.0, 1.0], vec![0.0, 0.0], vec![f64::NAN, 1.0]] {
            assert!(plan().with_case_weights(case).is_err());
        }
    }
}
