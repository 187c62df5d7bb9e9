//! Sparse LDL' of a symmetric positive semidefinite matrix (Davis 2005, up-looking).
//!
//! What depends on the pattern alone, the elimination tree and the rows of L, is found once
//! ([`Symbolic`]); the values are factored again and again in the same memory ([`Ldl`]).

use super::Pause;
use super::graph::{Graph, STEPS};
use crate::error::Error;
use std::ops::Range;

/// The pattern of a matrix and of its factor, unknowns in the order of elimination.
pub struct Symbolic {
    /// The upper triangle of the matrix by columns; each ends with its diagonal.
    columns: Vec<usize>,
    rows: Vec<u32>,
    parent: Vec<u32>,
    /// L by columns, without its diagonal of ones.
    starts: Vec<usize>,
    below: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Symbolic {
    pub fn new(graph: &Graph, pause: Pause) -> Result<Symbolic, Error> {
        let n = graph.len();
        let (mut columns, mut rows) = (vec![0], Vec::new());
        for k in 0..n {
            rows.extend(graph.neighbours(k).iter().filter(|&&i| (i as usize) < k));
            rows.push(k as u32);
            columns.push(rows.len());
        }
        let (parent, count) = elimination_tree(graph, pause)?;
        let mut starts = vec![0; n + 1];
        for k in 0..n {
            starts[k + 1] = starts[k] + count[k];
        }
        let mut symbolic = Symbolic { columns, rows, parent, below: vec![0; starts[n]], starts };
        let mut end = symbolic.starts.clone();
        let mut reach = Reach::new(n);
        let mut steps = 0;
        for k in 0..n {
            for &i in reach.of(&symbolic, k) {
                symbolic.below[end[i as usize]] = k as u32;
                end[i as usize] += 1;
                steps += 1;
            }
            if steps > STEPS {
                steps = 0;
                pause()?;
            }
        }
        Ok(symbolic)
    }

    /// The number of unknowns.
    pub fn len(&self) -> usize {
        self.parent.len()
    }

    pub fn is_empty(&self) -> bool {
        self.parent.is_empty()
    }

    /// The number of entries of the upper triangle.
    pub fn entries(&self) -> usize {
        self.rows.len()
    }

    /// The entries of column j of the upper triangle, the last of them on the diagonal.
    pub fn column(&self, j: usize) -> Range<usize> {
        self.columns[j]..self.columns[j + 1]
    }

    /// The row of an entry of the upper triangle.
    pub fn row(&self, entry: usize) -> usize {
        self.rows[entry] as usize
    }
}

/// The elimination tree, and the size of each column of L.
fn elimination_tree(graph: &Graph, pause: Pause) -> Result<(Vec<u32>, Vec<usize>), Error> {
    let n = graph.len();
    let (mut parent, mut mark, mut count) = (vec![NONE; n], vec![NONE; n], vec![0; n]);
    let mut steps = 0;
    for k in 0..n as u32 {
        mark[k as usize] = k;
        for &neighbour in graph.neighbours(k as usize).iter().filter(|&&i| i < k) {
            let mut i = neighbour as usize;
            while mark[i] != k {
                if parent[i] == NONE {
                    parent[i] = k;
                }
                count[i] += 1;
                steps += 1;
                mark[i] = k;
                i = parent[i] as usize;
            }
        }
        if steps > STEPS {
            steps = 0;
            pause()?;
        }
    }
    Ok((parent, count))
}

/// Multiplications of a factorisation, were the unknowns of the graph eliminated as they are numbered.
pub fn cost(graph: &Graph, pause: Pause) -> Result<f64, Error> {
    let (_, count) = elimination_tree(graph, pause)?;
    Ok(count.iter().map(|&c| (c as f64) * (c as f64)).sum())
}

/// Which columns of L have an entry in row k: paths up the elimination tree.
struct Reach {
    mark: Vec<u32>,
    found: Vec<u32>,
}

impl Reach {
    fn new(n: usize) -> Reach {
        Reach { mark: vec![NONE; n], found: vec![0; n] }
    }

    /// In an order in which each column comes before those that it changes; rows in turn, from the
    /// first.
    fn of(&mut self, symbolic: &Symbolic, k: usize) -> &[u32] {
        let (mark, found) = (&mut self.mark, &mut self.found);
        let mut top = found.len();
        mark[k] = k as u32;
        for &start in &symbolic.rows[symbolic.column(k)] {
            let (mut i, mut length) = (start as usize, 0);
            while mark[i] != k as u32 {
                found[length] = i as u32;
                length += 1;
                mark[i] = k as u32;
                i = symbolic.parent[i] as usize;
            }
            found.copy_within(..length, top - length);
            top -= length;
        }
        &found[top..]
    }
}

/// A factor whose pattern is kept.
pub struct Ldl<'a> {
    symbolic: &'a Symbolic,
    values: Vec<f64>,
    pivots: Vec<f64>,
}

impl<'a> Ldl<'a> {
    pub fn new(symbolic: &'a Symbolic) -> Ldl<'a> {
        let n = symbolic.len();
        Ldl { symbolic, values: vec![0.0; symbolic.below.len()], pivots: vec![f64::INFINITY; n] }
    }

    /// Factor the matrix with these entries in its upper triangle. A pivot below `least` of its
    /// diagonal is a direction that the matrix does not see: nothing moves along it.
    pub fn factor(&mut self, entries: &[f64], least: f64, pause: Pause) -> Result<(), Error> {
        let (symbolic, values, pivots) = (self.symbolic, &mut self.values, &mut self.pivots);
        let n = symbolic.len();
        let mut line = vec![0.0; n];
        let mut end = symbolic.starts.clone();
        let mut reach = Reach::new(n);
        let mut steps = 0;
        for k in 0..n {
            for entry in symbolic.column(k) {
                line[symbolic.row(entry)] = entries[entry];
            }
            let diagonal = std::mem::take(&mut line[k]);
            let mut pivot = diagonal;
            for &i in reach.of(symbolic, k) {
                let i = i as usize;
                let y = std::mem::take(&mut line[i]);
                let done = symbolic.starts[i]..end[i];
                steps += done.len();
                for (&row, value) in symbolic.below[done.clone()].iter().zip(&values[done]) {
                    line[row as usize] -= value * y;
                }
                let l = y / pivots[i];
                pivot -= l * y;
                values[end[i]] = l;
                end[i] += 1;
            }
            pivots[k] = if pivot > least * diagonal { pivot } else { f64::INFINITY };
            if steps > STEPS {
                steps = 0;
                pause()?;
            }
        }
        Ok(())
    }

    pub fn solve(&self, b: &mut [f64]) {
        for j in 0..b.len() {
            let known = b[j];
            for (&row, value) in self.column(j) {
                b[row as usize] -= value * known;
            }
        }
        b.iter_mut().zip(&self.pivots).for_each(|(b, d)| *b /= d);
        self.solve_transposed(b);
    }

    /// L'v = b; rows past the end of b are zero.
    fn solve_transposed(&self, b: &mut [f64]) {
        for j in (0..b.len()).rev() {
            let mut left = b[j];
            for (&row, value) in self.column(j).take_while(|(row, _)| (**row as usize) < b.len()) {
                left -= value * b[row as usize];
            }
            b[j] = left;
        }
    }

    fn column(&self, j: usize) -> impl Iterator<Item = (&u32, &f64)> {
        let range = self.symbolic.starts[j]..self.symbolic.starts[j + 1];
        self.symbolic.below[range.clone()].iter().zip(&self.values[range])
    }

    /// The directions that the matrix does not see: L'v = eₖ for each pivot k that is nothing.
    pub fn unseen(&self) -> impl Iterator<Item = Vec<f64>> + '_ {
        let n = self.pivots.len();
        (0..n).filter(|&k| self.pivots[k].is_infinite()).map(move |k| {
            let mut v = vec![0.0; n];
            v[k] = 1.0;
            self.solve_transposed(&mut v[..=k]);
            v
        })
    }

    /// The number of directions that the matrix sees.
    pub fn rank(&self) -> usize {
        self.pivots.iter().filter(|d| d.is_finite()).count()
    }
}
