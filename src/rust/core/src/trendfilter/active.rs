//! Which knots: an active set that moves many knots at a time and never loses ground.
//!
//! A step solves for the current knots and signs ([`Spline`]). Knots whose jump has the wrong sign
//! are dropped, all at once, until none is left; then the point is a minimum over its knots and its
//! objective is compared with the best so far. Where |u| exceeds c off the knots, one knot enters at
//! the peak of each excursion. This is the primal-dual active set of Han & Curtis (2016), which takes
//! tens of steps where one change at a time takes hundreds; like theirs it could cycle, so when the
//! objective does not fall, the steps go back to the best point and let fewer knots in, in the end
//! one, with a stop at the first sign change on the way: that descends always.
//!
//! Interior points (MATH 5) were the alternative: 30 to 40 iterations, each dearer than a step here,
//! blind to a good start, and without exact zeros.

use super::segment::{Kernels, Order, Points};
use super::spline::Spline;
use crate::engine::job::Control;
use crate::error::Error;

/// Knots (rows of D), and the jumps or signs there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Knots {
    pub at: Vec<usize>,
    pub jump: Vec<f64>,
}

/// A solved problem.
#[derive(Clone, Debug)]
pub struct FoundTrend {
    pub beta: Vec<f64>,
    pub knots: Knots,
    /// w (y − β) and u.
    pub residual: Vec<f64>,
    pub dual: Vec<f64>,
    pub slip: f64,
    pub iterations: u32,
}

/// |u| may exceed c by this part before a knot must enter.
const SLACK: f64 = 1e-10;
/// Rounding beyond this part of the objective is worth a refinement.
const SLIP: f64 = 1e-11;
/// A change of the objective by less than this part is rounding.
const ROUNDING: f64 = 1e-13;

/// A minimum over its own knots, with the peaks of the dual beyond the bounds.
struct Point {
    knots: Knots,
    peaks: Vec<(usize, f64)>,
    /// The largest |u| / c − 1.
    excess: f64,
    objective: f64,
}

struct Search<'a, const P: usize> {
    points: Points<'a>,
    c: &'a [f64],
    spline: Spline<'a, P>,
    pull: Vec<f64>,
    steps: u32,
    control: &'a Control,
}

/// Solve from the given knots (the mode's); `c` is positive, one for each row of D.
pub fn solve<const P: usize>(
    points: Points,
    c: &[f64],
    start: Knots,
    limit: u32,
    control: &Control,
) -> Result<FoundTrend, Error>
where
    Kernels: Order<P>,
{
    let spline = Spline::<P>::new(points);
    let mut search = Search { points, c, spline, pull: Vec::new(), steps: 0, control };
    let mut best = search.settle(start)?;
    // Does the spline hold the best point?
    let mut fresh = true;
    let mut entering = usize::MAX;
    while !best.peaks.is_empty() && search.steps < limit {
        let with = best.with_peaks(entering);
        let next =
            if entering == 1 { search.descend(&best, with)? } else { search.settle(with)? };
        fresh = next.improves(&best);
        if fresh {
            best = next;
            entering = entering.saturating_mul(2);
        } else if entering == 1 {
            break;
        } else {
            entering = (entering.min(best.peaks.len()) / 4).max(1);
        }
    }
    if !fresh {
        search.pose(&best.knots)?;
        search.point(best.knots.clone())?;
    }
    let spline = search.spline;
    Ok(FoundTrend {
        beta: spline.beta,
        knots: Knots { at: best.knots.at, jump: spline.jumps },
        residual: spline.residual,
        dual: spline.dual,
        slip: spline.slip,
        iterations: search.steps,
    })
}

impl Point {
    /// The objective feels an excess of the dual by its square, the gap feels it as it is: where
    /// the objective cannot tell any more, the excess decides.
    fn improves(&self, other: &Point) -> bool {
        let rounding = ROUNDING * other.objective.abs();
        let fall = other.objective - self.objective;
        fall > rounding || (fall >= -rounding && self.excess < other.excess)
    }

    /// The knots and the `most` worst peaks, in order.
    fn with_peaks(&self, most: usize) -> Knots {
        let mut peaks = self.peaks.clone();
        if peaks.len() > most {
            peaks.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
            peaks.truncate(most);
        }
        let known = self.knots.at.iter().copied().zip(self.knots.jump.iter().copied());
        let mut all: Vec<(usize, f64)> = known.chain(peaks).collect();
        all.sort_by_key(|a| a.0);
        Knots { at: all.iter().map(|a| a.0).collect(), jump: all.iter().map(|a| a.1).collect() }
    }
}

impl<'a, const P: usize> Search<'a, P>
where
    Kernels: Order<P>,
{
    /// Solve for these knots with the signs of their jumps.
    fn pose(&mut self, knots: &Knots) -> Result<(), Error> {
        self.control.check()?;
        self.pull.clear();
        self.pull.extend(knots.at.iter().zip(&knots.jump).map(|(&t, j)| self.c[t] * j.signum()));
        self.spline.solve(&knots.at, &self.pull, self.control)?;
        self.steps += 1;
        Ok(())
    }

    /// Drop knots with wrong signs until none has.
    fn settle(&mut self, mut knots: Knots) -> Result<Point, Error> {
        loop {
            self.pose(&knots)?;
            let keep: Vec<bool> = self
                .spline
                .jumps
                .iter()
                .zip(&knots.jump)
                .map(|(new, old)| new * old > 0.0)
                .collect();
            if keep.iter().all(|k| *k) {
                knots.jump.copy_from_slice(&self.spline.jumps);
                return self.point(knots);
            }
            let mut of = keep.iter();
            knots.at.retain(|_| of.next() == Some(&true));
            let mut of = keep.iter();
            knots.jump.retain(|_| of.next() == Some(&true));
        }
    }

    fn point(&mut self, mut knots: Knots) -> Result<Point, Error> {
        self.control.check()?;
        if self.spline.slip > SLIP * self.objective(&knots) {
            self.spline.refine(&self.pull, self.control)?;
            knots.jump.copy_from_slice(&self.spline.jumps);
        }
        self.control.check()?;
        let peaks = self.peaks(&knots.at);
        let excess = peaks.iter().fold(0.0f64, |m, &(j, by)| m.max(by.abs() / self.c[j]));
        Ok(Point { objective: self.objective(&knots), knots, peaks, excess })
    }

    fn objective(&self, knots: &Knots) -> f64 {
        let penalty: f64 =
            knots.at.iter().zip(&knots.jump).map(|(&t, jump)| self.c[t] * jump.abs()).sum();
        let loss: f64 = (self.spline.residual.iter().zip(&self.spline.beta).zip(self.points.y))
            .map(|((r, b), y)| r * (y - b))
            .sum();
        0.5 * loss + penalty
    }

    /// The peak of each excursion of u beyond its bound, as row and (signed) excess; knots separate.
    fn peaks(&self, knots: &[usize]) -> Vec<(usize, f64)> {
        let mut found: Vec<(usize, f64)> = Vec::new();
        let mut scan = |from: usize, to: usize| {
            let mut run: Option<(usize, f64)> = None;
            for j in from..to {
                let (u, c) = (self.spline.dual[j], self.c[j]);
                let excess = u.abs() - c;
                if excess <= SLACK * c {
                    found.extend(run.take());
                    continue;
                }
                let signed = excess * u.signum();
                match &mut run {
                    Some(peak) if peak.1 * signed > 0.0 => {
                        if excess > peak.1.abs() {
                            *peak = (j, signed);
                        }
                    }
                    _ => found.extend(run.replace((j, signed))),
                }
            }
            found.extend(run);
        };
        let mut from = 0;
        for &t in knots {
            scan(from, t);
            from = t + 1;
        }
        scan(from, self.spline.dual.len());
        found
    }

    /// One new knot, from a point that is a minimum over its others: to the minimum over all of
    /// them, but no further than to the first sign change, whose knot is dropped; and again.
    fn descend(&mut self, from: &Point, mut knots: Knots) -> Result<Point, Error> {
        let mut at: Vec<f64> = knots
            .at
            .iter()
            .map(|t| from.knots.at.binary_search(t).map_or(0.0, |i| from.knots.jump[i]))
            .collect();
        loop {
            self.pose(&knots)?;
            let first = (self.spline.jumps.iter().zip(&at).zip(&knots.jump).enumerate())
                .filter(|(_, ((new, _), sign))| *new * *sign <= 0.0)
                .map(|(i, ((new, old), _))| (old / (old - new), i))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            let Some((length, i)) = first else {
                knots.jump.copy_from_slice(&self.spline.jumps);
                return self.point(knots);
            };
            for (old, new) in at.iter_mut().zip(&self.spline.jumps) {
                *old += length * (new - *old);
            }
            knots.at.remove(i);
            knots.jump.remove(i);
            at.remove(i);
        }
    }
}
