//! The folds of a cross-validation: that of a unit is a function of (seed, number of folds, split, unit) alone.
//!
//! Of every K units that follow each other one falls into each of K folds, in random order: folds are of
//! equal size without knowing how many units there are, so that whoever has some of the rows has their folds.

use super::plan::WeightPlan;
use crate::linalg::elementary::units;
use crate::linalg::order::increasing;
use rand::RngCore;

impl WeightPlan {
    /// The folds 1 … `count` of units `first ..`.
    pub fn fill_folds(&self, count: u32, first: usize, out: &mut [u32]) {
        self.fill_split(count, 0, first, out);
    }

    /// A split after the first has numbers of its own, beyond those of any rows.
    fn fill_split(&self, count: u32, split: u32, first: usize, out: &mut [u32]) {
        let size = count.max(1) as usize;
        let mut rng = self.stream(u64::MAX);
        let mut bytes = vec![0; 8 * size];
        let mut fold = vec![0; size];
        let mut done = 0;
        while done < out.len() {
            let (set, from) = ((first + done) / size, (first + done) % size);
            rng.set_word_pos((u128::from(split) << 56) + 2 * (set * size) as u128);
            rng.fill_bytes(&mut bytes);
            let keys: Vec<f64> = units(&bytes).collect();
            let mut order: Vec<usize> = (0..size).collect();
            increasing(&mut order, &keys);
            for (rank, &unit) in order.iter().enumerate() {
                fold[unit] = rank as u32 + 1;
            }
            let here = (size - from).min(out.len() - done);
            out[done..done + here].copy_from_slice(&fold[from..from + here]);
            done += here;
        }
    }

    /// Of every row: rows of a cluster share theirs.
    pub fn folds(&self, count: u32) -> Vec<u32> {
        self.split(count, 0)
    }

    /// Split 0 is that of [`folds`](Self::folds), and every other one is another.
    pub fn split(&self, count: u32, split: u32) -> Vec<u32> {
        let mut of_unit = vec![0; self.units()];
        self.fill_split(count, split, 0, &mut of_unit);
        match self.clusters() {
            Some(clusters) => clusters.iter().map(|&g| of_unit[g as usize]).collect(),
            None => of_unit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::laws::{Law, PriorWeight};

    #[test]
    fn folds_are_of_equal_size_and_any_part_is_the_same_as_in_the_whole() {
        for (count, rows) in [(2, 7), (10, 442), (5, 5), (7, 100)] {
            let plan = |rows| WeightPlan::new(3, Law::Exponential, PriorWeight::Fixed, rows);
            let folds = plan(rows).folds(count);
            for set in folds.chunks_exact(count as usize) {
                assert_eq!((1..=count).filter(|f| set.contains(f)).count(), count as usize);
            }
            assert!(folds.iter().all(|f| (1..=count).contains(f)));
            let mut part = vec![0; rows - 3];
            plan(rows - 1).fill_folds(count, 3, &mut part);
            assert_eq!(part, folds[3..]);
        }
    }

    #[test]
    fn another_seed_has_other_folds_and_clusters_stay_together() {
        let plan = |seed| WeightPlan::new(seed, Law::Ones, PriorWeight::Fixed, 60);
        assert_ne!(plan(1).folds(5), plan(2).folds(5));
        let clustered = plan(1).with_clusters((0..60).map(|i| i / 6).collect()).unwrap();
        assert!(clustered.folds(5).chunks(6).all(|c| c.iter().all(|f| f == &c[0])));
    }
}
