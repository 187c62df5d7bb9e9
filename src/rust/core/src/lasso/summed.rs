//! Rows that are known by their sums alone: standardised moments of draws, folds and the whole.

use super::gram::Moments;
use crate::data::standard::Standard;
use crate::engine::freedom::Spread;
use crate::moments::Sums;
use crate::random::weights::WeightPlan;

pub struct Summed {
    sums: Sums,
    first_draw: u64,
    /// From the units of the sums to standardised ones: z ↦ ratio z + offset, for 1, x and y.
    ratio: Vec<f64>,
    offset: Vec<f64>,
    /// Are draws to be divided by the sum of their weights?
    normalised: bool,
}

impl Summed {
    pub fn new(
        sums: Sums,
        first_draw: u64,
        x: &Standard,
        y: &Standard,
        plan: &WeightPlan,
    ) -> Summed {
        let (mut ratio, mut offset) = (vec![1.0], vec![0.0]);
        let centers = x.center.iter().chain(&y.center);
        let scales = x.scale.iter().chain(&y.scale);
        for (j, (center, scale)) in centers.zip(scales).enumerate() {
            let (shift, unit) = (sums.frame.shift[j], sums.frame.scale[j]);
            // A constant column has an infinite scale, and vanishes.
            ratio.push(unit / scale);
            offset.push(if scale.is_finite() { (shift - center) / scale } else { 0.0 });
        }
        Summed { sums, first_draw, ratio, offset, normalised: plan.is_normalised() }
    }

    /// How the columns and the response are standardised, from the sums of unit weights.
    pub fn standards(sums: &Sums, centred: bool) -> (Standard, Standard) {
        let layout = sums.layout();
        let total = sums.unit[0];
        let column = |j: usize| {
            let (shift, unit) = (sums.frame.shift[j], sums.frame.scale[j]);
            let mean = sums.unit[layout.place(0, j + 1)] / total;
            let square = sums.unit[layout.place(j + 1, j + 1)] / total;
            let sd = (square - mean * mean).max(0.0).sqrt();
            (shift + unit * mean, unit * sd, [sums.low[j], sums.high[j]])
        };
        let x = Standard::of_moments((0..sums.cols).map(column), centred);
        (x, Standard::of_moments(std::iter::once(column(sums.cols)), centred))
    }

    /// How unequal the weights of draws and of the mode are.
    pub fn spreads(sums: &Sums, plan: &WeightPlan) -> [Spread; 2] {
        let seen =
            sums.head_case.iter().take_while(|c| !c.is_nan()).count().min(sums.rows as usize);
        let mut weights = Vec::new();
        if seen > 0 {
            let units: Vec<u64> = sums.head_unit[..seen].iter().map(|u| *u as u64).collect();
            // A normalised law is seen whole where the rows are few.
            let whole = plan.is_normalised() && seen as u64 == sums.rows;
            let plan = plan.clone().independent();
            for k in 1..=sums.head_case.len().div_ceil(seen) as u64 {
                let mut part = vec![0.0; seen];
                plan.draw(k).fill_units_at(&units, &mut part);
                if whole {
                    let total: f64 = part.iter().sum();
                    part.iter_mut().for_each(|w| *w *= seen as f64 / total);
                }
                part.iter_mut().zip(&sums.head_case).for_each(|(w, c)| *w *= c);
                weights.extend(part);
            }
        }
        let cases = sums.cases;
        let sample = Spread::of(&weights);
        let of_mode =
            Spread { rows: cases.rows as usize, total: cases.total, squares: cases.squares };
        let of_draws = if weights.is_empty() {
            // The first rows are elsewhere: those of an exponential law.
            Spread { squares: 2.0 * of_mode.squares, ..of_mode }
        } else {
            sample.times(sums.rows as f64 / weights.len() as f64)
        };
        [of_draws, of_mode]
    }

    /// Of draw k.
    pub fn draw(&self, k: u64) -> Moments {
        let at = (k - self.first_draw) as usize;
        let total = self.sums.totals[at];
        let times =
            if self.normalised && total > 0.0 { self.sums.rows as f64 / total } else { 1.0 };
        self.moments(self.sums.draw(at), times)
    }

    /// Of the user's weights alone.
    pub fn total(&self) -> Moments {
        self.moments(&self.sums.unit, 1.0)
    }

    /// Of those in a fold, counted from 1; number 0 has no rows.
    pub fn fold(&self, number: u32) -> Moments {
        match number {
            0 => self.moments(&vec![0.0; self.sums.unit.len()], 1.0),
            f => self.moments(self.sums.fold(f as usize), 1.0),
        }
    }

    fn moments(&self, sums: &[f64], times: f64) -> Moments {
        let (layout, p) = (self.sums.layout(), self.sums.cols);
        let at = |a: usize, b: usize| {
            let (r, d) = (&self.ratio, &self.offset);
            let sum = |a: usize, b: usize| sums[layout.place(a.min(b), a.max(b))];
            let moved = r[a] * (r[b] * sum(a, b) + d[b] * sum(0, a));
            times * (moved + d[a] * (r[b] * sum(0, b) + d[b] * sum(0, 0)))
        };
        Moments::of_sums(p, at)
    }
}
