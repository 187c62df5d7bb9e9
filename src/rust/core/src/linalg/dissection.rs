//! In which order to eliminate the unknowns of a sparse symmetric matrix so that its factor stays
//! sparse.
//!
//! Nested dissection (George 1973): the unknowns halfway between two far ends separate the others;
//! they come last, and each half is taken apart in the same way. On a grid of n points a factor
//! costs n^1.5 multiplications instead of the n² of a band. Chains and other narrow graphs are
//! cheaper as a band (reverse Cuthill & McKee), so both are counted.

use super::Pause;
use super::graph::{Graph, STEPS};
use super::ldl::cost;
use crate::error::Error;

/// Parts with fewer unknowns are not worth a separator.
const SMALL: usize = 32;

/// The cheaper of a dissection and a band: `order[k]` is eliminated k-th.
pub fn elimination_order(graph: &Graph, pause: Pause) -> Result<Vec<u32>, Error> {
    let band = Dissection::new(graph, pause, usize::MAX).order()?;
    let nested = Dissection::new(graph, pause, SMALL).order()?;
    let price = |order: &[u32]| cost(&graph.reordered(order), pause);
    Ok(if price(&nested)? < price(&band)? { nested } else { band })
}

/// A part of the graph that is still to be ordered, and the first place of its unknowns.
struct Part {
    unknowns: Vec<u32>,
    first: usize,
}

struct Dissection<'a> {
    graph: &'a Graph,
    pause: Pause<'a>,
    steps: usize,
    /// Which part an unknown belongs to, and whether a walk through it has been there.
    part: Vec<u32>,
    walk: Vec<u32>,
    walks: u32,
    small: usize,
}

/// An unknown that has its place.
const DONE: u32 = u32::MAX;

impl<'a> Dissection<'a> {
    fn new(graph: &'a Graph, pause: Pause<'a>, small: usize) -> Dissection<'a> {
        let n = graph.len();
        Dissection { graph, pause, steps: 0, part: vec![0; n], walk: vec![0; n], walks: 0, small }
    }

    fn order(mut self) -> Result<Vec<u32>, Error> {
        let n = self.graph.len();
        let mut order = vec![0; n];
        let mut parts = vec![Part { unknowns: (0..n as u32).collect(), first: 0 }];
        let mut name = 0;
        while let Some(Part { unknowns, first }) = parts.pop() {
            name += 1;
            unknowns.iter().for_each(|&i| self.part[i as usize] = name);
            // The part may be in pieces; `first` moves on with each.
            let mut first = first;
            for &start in &unknowns {
                if self.part[start as usize] != name {
                    continue;
                }
                let levels = self.levels(start, name)?;
                let piece = levels.unknowns.len();
                match self.separator(&levels) {
                    Some([before, between, after]) => {
                        let last = first + piece - between.len();
                        for (place, i) in order[last..].iter_mut().zip(&between) {
                            (*place, self.part[*i as usize]) = (*i, DONE);
                        }
                        let second = first + before.len();
                        before.iter().chain(&after).for_each(|&i| self.part[i as usize] = DONE);
                        parts.push(Part { unknowns: before, first });
                        parts.push(Part { unknowns: after, first: second });
                    }
                    None => {
                        for (place, &i) in
                            order[first..].iter_mut().zip(levels.unknowns.iter().rev())
                        {
                            (*place, self.part[i as usize]) = (i, DONE);
                        }
                    }
                }
                first += piece;
            }
        }
        Ok(order)
    }

    /// The levels seen from one of two unknowns far apart (George & Liu 1979).
    fn levels(&mut self, start: u32, part: u32) -> Result<Levels, Error> {
        let mut levels = self.walk(start, part)?;
        loop {
            let far = &levels.unknowns[levels.last()..];
            let degree = |i: &&u32| self.graph.neighbours(**i as usize).len();
            let Some(&end) = far.iter().min_by_key(degree) else { return Ok(levels) };
            let other = self.walk(end, part)?;
            if other.starts.len() <= levels.starts.len() {
                return Ok(other);
            }
            levels = other;
        }
    }

    fn walk(&mut self, start: u32, part: u32) -> Result<Levels, Error> {
        self.walks += 1;
        self.walk[start as usize] = self.walks;
        let mut levels = Levels { unknowns: vec![start], starts: vec![0] };
        let (mut at, mut end) = (0, 1);
        while at < end {
            for k in at..end {
                let neighbours = self.graph.neighbours(levels.unknowns[k] as usize);
                self.steps += neighbours.len();
                for &i in neighbours {
                    if self.part[i as usize] == part && self.walk[i as usize] != self.walks {
                        self.walk[i as usize] = self.walks;
                        levels.unknowns.push(i);
                    }
                }
            }
            if self.steps > STEPS {
                self.steps = 0;
                (self.pause)()?;
            }
            levels.starts.push(end);
            (at, end) = (end, levels.unknowns.len());
        }
        Ok(levels)
    }

    /// What lies before the narrowest level of the middle, that level, and what lies after it. An
    /// unknown of that level without a neighbour after it need not separate anything.
    fn separator(&mut self, levels: &Levels) -> Option<[Vec<u32>; 3]> {
        let n = levels.unknowns.len();
        if n < self.small {
            return None;
        }
        let level = |l: usize| levels.starts[l]..levels.starts[l + 1];
        let inside = |l: &usize| level(*l).start >= n / 3 && level(*l).end <= n - n / 3;
        let inner = 1..levels.starts.len().saturating_sub(2);
        let cut = inner.filter(inside).min_by_key(|l| level(*l).len())?;
        self.walks += 1;
        for &i in &levels.unknowns[level(cut + 1)] {
            self.walk[i as usize] = self.walks;
        }
        let beyond = |i: &&u32| {
            let mut of = self.graph.neighbours(**i as usize).iter();
            of.any(|&j| self.walk[j as usize] == self.walks)
        };
        let (between, spare): (Vec<u32>, Vec<u32>) =
            levels.unknowns[level(cut)].iter().partition(beyond);
        let mut before = levels.unknowns[..level(cut).start].to_vec();
        before.extend(spare);
        Some([before, between, levels.unknowns[level(cut).end..].to_vec()])
    }
}

/// The unknowns by their distance from one of them, and where each distance begins (and the last ends).
struct Levels {
    unknowns: Vec<u32>,
    starts: Vec<usize>,
}

impl Levels {
    /// Where the last level begins.
    fn last(&self) -> usize {
        self.starts[self.starts.len().saturating_sub(2)]
    }
}
