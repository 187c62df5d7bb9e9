//! The columns that a descent works on: around their weighted means, times the roots of the weights.
//!
//! A sparse column is not filled: the mean that is taken from all of its rows is one number, and so is
//! what all such means together leave in the residual (`State::level`).

use super::State;
use crate::lasso::cross::has_vanished;
use crate::lasso::task::Data;
use crate::linalg::lanes::{LANES, dispatch};
use crate::linalg::sparse::gathered_dot;
use pulp::as_arrays;

/// Numbers of a dense column taken together: four vectors.
const WIDE: usize = 4 * LANES;

pub enum Packed {
    Dense(DenseColumns),
    Sparse(SparseColumns),
}

/// Column after column, each filled up with zeros.
pub struct DenseColumns {
    pub rows: usize,
    values: Vec<f64>,
}

#[derive(Default)]
pub struct SparseColumns {
    start: Vec<usize>,
    row: Vec<u32>,
    value: Vec<f64>,
    /// The weighted mean of each column, and its sum.
    mean: Vec<f64>,
    sum: Vec<f64>,
}

/// What a step on a coordinate needs of its column.
pub trait Column {
    /// x'r of column k.
    fn slope(&self, k: usize, state: &State) -> f64;
    /// r −= s x.
    fn subtract(&self, k: usize, s: f64, state: &mut State);
}

/// The weights of a problem: their roots, filled up with zeros, and their sum; zero without an intercept.
pub struct Roots {
    pub values: Vec<f64>,
    pub centred_by: f64,
}

impl Packed {
    pub fn new(data: &Data) -> Packed {
        if data.design.is_sparse() {
            return Packed::Sparse(SparseColumns { start: vec![0], ..Default::default() });
        }
        let rows = data.design.rows.next_multiple_of(WIDE);
        Packed::Dense(DenseColumns { rows, values: Vec::new() })
    }

    /// Add column j; its square.
    pub fn push(&mut self, data: &Data, roots: &Roots, j: usize) -> f64 {
        match self {
            Packed::Dense(columns) => columns.push(data, roots, j),
            Packed::Sparse(columns) => columns.push(data, roots, j),
        }
    }

    /// Numbers in these columns.
    pub fn size(&self, which: &[usize]) -> usize {
        match self {
            Packed::Dense(columns) => columns.rows * which.len(),
            Packed::Sparse(columns) => {
                which.iter().map(|&k| columns.start[k + 1] - columns.start[k]).sum()
            }
        }
    }
}

impl DenseColumns {
    fn push(&mut self, data: &Data, roots: &Roots, j: usize) -> f64 {
        let first = self.values.len();
        self.values.resize(first + self.rows, 0.0);
        let column = &mut self.values[first..];
        for range in data.design.blocks() {
            let Some(block) = data.design.dense_block(&range) else { break };
            let from = &block[j * range.len()..][..range.len()];
            let places = column[range.clone()].iter_mut().zip(&roots.values[range]);
            for ((o, root), x) in places.zip(from) {
                *o = root * x;
            }
        }
        let (raw, square) = centre(column, &roots.values, roots.centred_by);
        if has_vanished(square, raw) {
            column.fill(0.0);
            return 0.0;
        }
        square
    }
}

impl Column for DenseColumns {
    #[inline(always)]
    fn slope(&self, k: usize, state: &State) -> f64 {
        wide_dot(&self.values[k * self.rows..][..self.rows], &state.residual)
    }

    #[inline(always)]
    fn subtract(&self, k: usize, s: f64, state: &mut State) {
        let column = &self.values[k * self.rows..][..self.rows];
        for (r, &x) in state.residual.iter_mut().zip(column) {
            *r = (-s).mul_add(x, *r);
        }
    }
}

impl SparseColumns {
    fn push(&mut self, data: &Data, roots: &Roots, j: usize) -> f64 {
        let (rows, values) = data.design.sparse_column(j).unwrap_or_default();
        let (mut raw, mut sum) = (0.0, 0.0);
        for (&i, v) in rows.iter().zip(values) {
            let root = roots.values[i as usize];
            let scaled = root * v;
            raw += scaled * scaled;
            sum += root * scaled;
            self.row.push(i);
            self.value.push(scaled);
        }
        let mean = if roots.centred_by > 0.0 { sum / roots.centred_by } else { 0.0 };
        let square = raw - mean * sum;
        let vanished = has_vanished(square, raw);
        if vanished {
            let first = self.start.last().copied().unwrap_or(0);
            self.row.truncate(first);
            self.value.truncate(first);
        }
        self.start.push(self.row.len());
        self.mean.push(if vanished { 0.0 } else { mean });
        self.sum.push(if vanished || roots.centred_by == 0.0 { 0.0 } else { sum });
        if vanished { 0.0 } else { square }
    }

    /// Products of some columns with each other, those with later ones in the line of each. Row by row: only the entries that
    /// two columns share cost anything.
    pub fn products<E>(
        &self,
        which: &[usize],
        rows: usize,
        go_on: impl Fn() -> Result<(), E>,
    ) -> Result<Vec<f64>, E> {
        let m = which.len();
        let mut start = vec![0usize; rows + 1];
        which.iter().flat_map(|&k| self.get(k).0).for_each(|&i| start[i as usize + 1] += 1);
        (0..rows).for_each(|i| start[i + 1] += start[i]);
        let mut entries = vec![(0u32, 0.0); start[rows]];
        let mut next = start.clone();
        for (place, &k) in which.iter().enumerate() {
            let (at, values) = self.get(k);
            for (&i, &v) in at.iter().zip(values) {
                entries[next[i as usize]] = (place as u32, v);
                next[i as usize] += 1;
            }
        }
        let mut gram = vec![0.0; m * m];
        for (line, &k) in gram.chunks_exact_mut(m.max(1)).zip(which) {
            line.iter_mut().zip(which).for_each(|(o, &l)| *o = -self.mean[k] * self.sum[l]);
        }
        for row in start.windows(2) {
            go_on()?;
            let row = &entries[row[0]..row[1]];
            for (nth, &(a, v)) in row.iter().enumerate() {
                let line = &mut gram[a as usize * m..][..m];
                row[nth..].iter().for_each(|&(b, u)| line[b as usize] += v * u);
            }
        }
        Ok(gram)
    }

    #[inline(always)]
    pub fn get(&self, k: usize) -> (&[u32], &[f64]) {
        let range = self.start[k]..self.start[k + 1];
        (&self.row[range.clone()], &self.value[range])
    }
}

impl Column for SparseColumns {
    #[inline(always)]
    fn slope(&self, k: usize, state: &State) -> f64 {
        let (rows, values) = self.get(k);
        state.level.mul_add(self.sum[k], gathered_dot(rows, values, &state.residual))
    }

    #[inline(always)]
    fn subtract(&self, k: usize, s: f64, state: &mut State) {
        let (rows, values) = self.get(k);
        for (&i, &v) in rows.iter().zip(values) {
            let r = &mut state.residual[i as usize];
            *r = (-s).mul_add(v, *r);
        }
        state.level = s.mul_add(self.mean[k], state.level);
    }
}

dispatch! {
    /// Around its weighted mean, where there is a total weight; the square before and after.
    fn centre(column: &mut [f64], roots: &[f64], total: f64) -> (f64, f64) {
        let raw = wide_dot(column, column);
        if total > 0.0 {
            let mean = wide_dot(column, roots) / total;
            for (o, &root) in column.iter_mut().zip(roots) {
                *o = (-mean).mul_add(root, *o);
            }
        }
        (raw, wide_dot(column, column))
    }
}

/// Σ aᵢ bᵢ in a fixed order.
#[inline(always)]
fn wide_dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = [[0.0; LANES]; 4];
    for (x, y) in as_arrays::<WIDE, _>(a).0.iter().zip(as_arrays::<WIDE, _>(b).0) {
        for v in 0..4 {
            for l in 0..LANES {
                sum[v][l] = x[v * LANES + l].mul_add(y[v * LANES + l], sum[v][l]);
            }
        }
    }
    // Else the compiler shapes the loop above after the narrow sums below.
    let sum = std::hint::black_box(sum);
    let [a, b, c, d]: [f64; LANES / 2] = std::array::from_fn(|l| {
        let [s, t, u, v] = sum.map(|lanes| lanes[l] + lanes[l + LANES / 2]);
        (s + t) + (u + v)
    });
    (a + c) + (b + d)
}
