//! Where a number lies among draws that come one after another.

/// The draws are counted, not kept.
pub struct Place {
    truth: f64,
    below: u64,
    equal: u64,
    above: u64,
    /// The draws next to it on either side.
    under: f64,
    over: f64,
    /// Their mean about the number, and Σ (draw − mean)².
    mean: f64,
    squares: f64,
}

impl Place {
    pub fn new(truth: f64) -> Place {
        let (under, over) = (f64::NEG_INFINITY, f64::INFINITY);
        Place { truth, below: 0, equal: 0, above: 0, under, over, mean: 0.0, squares: 0.0 }
    }

    pub fn see(&mut self, value: f64) {
        if value < self.truth {
            self.below += 1;
            self.under = self.under.max(value);
        } else if value > self.truth {
            self.above += 1;
            self.over = self.over.min(value);
        } else {
            self.equal += 1;
        }
        let off = value - self.truth - self.mean;
        self.mean += off / self.count() as f64;
        self.squares += off * (value - self.truth - self.mean);
    }

    fn count(&self) -> u64 {
        self.below + self.equal + self.above
    }

    /// The mean of the draws; NaN without.
    pub fn mean(&self) -> f64 {
        if self.count() == 0 { f64::NAN } else { self.truth + self.mean }
    }

    /// How many standard deviations of the draws the number lies above their mean; NaN without draws.
    pub fn root(&self) -> f64 {
        match self.count() {
            0 => f64::NAN,
            _ if self.mean == 0.0 => 0.0,
            count => -self.mean / (self.squares / (count - 1).max(1) as f64).sqrt(),
        }
    }

    /// The smallest and the largest probability p whose quantile is the number. Quantiles are those that
    /// the intervals are made of: interpolated, the k-th of n draws at p = (k − 1)/(n − 1). A number
    /// beyond all draws counts as one at their end. NaN without draws.
    pub fn probabilities(&self) -> (f64, f64) {
        let count = self.count();
        let at = |rank: f64| (rank / (count - 1) as f64).clamp(0.0, 1.0);
        match (count, self.below, self.equal, self.above) {
            (0, ..) => (f64::NAN, f64::NAN),
            (1, _, 1, _) => (0.0, 1.0),
            (_, 0, 0, _) => (0.0, 0.0),
            (_, _, 0, 0) => (1.0, 1.0),
            (_, below, 0, _) => {
                let part = (self.truth - self.under) / (self.over - self.under);
                let p = at((below - 1) as f64 + part);
                (p, p)
            }
            (_, below, equal, _) => (at(below as f64), at((below + equal - 1) as f64)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(truth: f64, draws: &[f64]) -> (f64, f64) {
        let mut place = Place::new(truth);
        draws.iter().for_each(|d| place.see(*d));
        place.probabilities()
    }

    #[test]
    fn a_place_is_the_inverse_of_an_interpolated_quantile() {
        let draws = [3.0, 0.0, 7.0, 0.0, -1.0];
        assert_eq!(place(0.0, &draws), (0.25, 0.5));
        assert_eq!(place(4.0, &draws), (0.8125, 0.8125));
        assert_eq!(place(-1.0, &draws), (0.0, 0.0));
        assert_eq!(place(7.0, &draws), (1.0, 1.0));
        assert_eq!(place(-2.0, &draws), (0.0, 0.0));
        assert_eq!(place(8.0, &draws), (1.0, 1.0));
    }

    #[test]
    fn a_root_is_in_standard_deviations_of_the_draws() {
        let root = |truth: f64, draws: &[f64]| {
            let mut place = Place::new(truth);
            draws.iter().for_each(|d| place.see(*d));
            place.root()
        };
        assert!((root(1e6 + 7.0, &[1e6 + 1.0, 1e6 + 3.0, 1e6 + 5.0]) - 2.0).abs() < 1e-9);
        assert!((root(-1.0, &[1.0, 3.0, 5.0]) + 2.0).abs() < 1e-12);
        assert_eq!(root(0.0, &[0.0, 0.0]), 0.0);
        assert_eq!(root(1.0, &[0.0, 0.0]), f64::INFINITY);
        assert!(root(1.0, &[]).is_nan());
    }

    #[test]
    fn few_draws_say_what_they_can() {
        assert!(place(1.0, &[]).0.is_nan());
        assert_eq!(place(1.0, &[1.0]), (0.0, 1.0));
        assert_eq!(place(1.0, &[2.0]), (0.0, 0.0));
        assert_eq!(place(1.0, &[1.0, 1.0]), (0.0, 1.0));
    }
}
