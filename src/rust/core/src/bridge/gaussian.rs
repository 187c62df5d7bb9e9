//! β given the scales: Gaussian, with precision X'X/σ² + Λ.
//!
//! At most as many columns as rows: a p × p Cholesky factor of the precision, scaled to unit
//! diagonal, because the Λⱼ of one draw differ by dozens of orders of magnitude. More columns than
//! rows: Bhattacharya, Chakraborty & Mallick (2016), an n × n factor.

use super::data::Data;
use crate::linalg::dense::dot;
use crate::linalg::lanes::{LANES, dispatch};
use pulp::as_arrays_mut;
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

/// Draws β and knows the residual sum of squares, without allocating.
pub enum Gaussian<'a> {
    Columns(Columns<'a>),
    Rows(Rows<'a>),
}

impl<'a> Gaussian<'a> {
    pub fn new(data: &'a Data, moments: Option<&'a Moments>) -> Gaussian<'a> {
        match moments {
            Some(moments) => Gaussian::Columns(Columns::new(moments)),
            None => Gaussian::Rows(Rows::new(data)),
        }
    }

    /// β ~ N(V X'y/σ², V), V = (X'X/σ² + Λ)⁻¹.
    #[inline]
    pub fn draw<R: Rng>(
        &mut self,
        variance: f64,
        precision: &[f64],
        beta: &mut [f64],
        rng: &mut R,
    ) {
        match self {
            Gaussian::Columns(g) => g.draw(variance, precision, beta, rng),
            Gaussian::Rows(g) => g.draw(variance, precision, beta, rng),
        }
    }

    /// |y − Xβ|².
    #[inline]
    pub fn residual_square(&mut self, beta: &[f64]) -> f64 {
        match self {
            Gaussian::Columns(g) => g.residual_square(beta),
            Gaussian::Rows(g) => {
                g.data.residual(beta, &mut g.residual);
                dot(&g.residual, &g.residual)
            }
        }
    }
}

/// What the chains share of the data, with at most as many columns as rows.
pub struct Moments {
    size: usize,
    /// Rows of the matrices below lie this far apart: whole vectors.
    stride: usize,
    /// X'X, and X'y in the last column.
    gram: Vec<f64>,
    /// R with R'R = X'X, and R⁻ᵀX'y in the last column: |y − Xβ|² = least + |R⁻ᵀX'y − Rβ|², a sum
    /// of squares that does not cancel.
    root: Vec<f64>,
    /// The least residual sum of squares that any β has.
    pub least: f64,
}

/// Part of a column's square below which it counts as dependent on those before.
const DEPENDENT: f64 = 1e-12;

impl Moments {
    /// None with more columns than rows.
    pub fn new(data: &Data) -> Option<Moments> {
        let p = data.columns;
        if p > data.rows {
            return None;
        }
        let stride = (p + 1).next_multiple_of(LANES);
        let (full, cross) = (data.gram(), data.cross());
        let mut gram = vec![0.0; p * stride];
        for (j, row) in gram.chunks_exact_mut(stride).enumerate() {
            row[..p].copy_from_slice(&full[j * p..][..p]);
            row[p] = cross[j];
        }
        let mut root = gram.clone();
        for row in 0..p {
            // A dependent column's row is zero: the rows before hold all of it.
            let keep = root[row * stride + row] > DEPENDENT * full[row * p + row];
            if !keep {
                root[row * stride..][..stride].fill(0.0);
            }
            eliminate_row(row, p, stride, &mut root, keep);
        }
        let mut moments = Moments { size: p, stride, gram, root, least: 0.0 };
        moments.least = moments.least_squares(data);
        Some(moments)
    }

    /// |y − Xβ|² at a least squares solution, from the residuals themselves.
    fn least_squares(&self, data: &Data) -> f64 {
        let (p, stride) = (self.size, self.stride);
        let mut beta = vec![0.0; p];
        for k in (0..p).rev() {
            let row = &self.root[k * stride..][..stride];
            if row[k] > 0.0 {
                beta[k] = (row[p] - dot(&row[k + 1..p], &beta[k + 1..])) / row[k];
            }
        }
        let mut residual = vec![0.0; data.rows];
        data.residual(&beta, &mut residual);
        dot(&residual, &residual)
    }
}

/// The moments with the workspace of one chain.
pub struct Columns<'a> {
    moments: &'a Moments,
    factor: Vec<f64>,
    scale: Vec<f64>,
    normal: Vec<f64>,
    solution: Vec<f64>,
}

impl<'a> Columns<'a> {
    fn new(moments: &'a Moments) -> Columns<'a> {
        let (p, stride) = (moments.size, moments.stride);
        Columns {
            moments,
            factor: vec![0.0; p * stride],
            scale: vec![0.0; p],
            normal: vec![0.0; p],
            solution: vec![0.0; stride],
        }
    }

    #[inline]
    fn draw<R: Rng>(&mut self, variance: f64, precision: &[f64], beta: &mut [f64], rng: &mut R) {
        for z in &mut self.normal {
            *z = StandardNormal.sample(rng);
        }
        draw_columns(self, 1.0 / variance, precision, beta);
    }

    #[inline]
    fn residual_square(&self, beta: &[f64]) -> f64 {
        let m = self.moments;
        m.least + distance_square(m.size, m.stride, &m.root, beta)
    }
}

/// Scale row `row` of an upper factor and take it off the rows below; all vectors are whole.
#[inline(always)]
fn eliminate_row(row: usize, size: usize, stride: usize, m: &mut [f64], keep: bool) {
    let from = row / LANES;
    let (above, below) = m.split_at_mut((row + 1) * stride);
    let (line, _) = as_arrays_mut::<LANES, _>(&mut above[row * stride..]);
    if keep {
        // Rounding can leave nothing of a column that others span; its draw is then their noise.
        let inverse = 1.0 / line[from][row % LANES].max(f64::MIN_POSITIVE).sqrt();
        for lanes in &mut line[from..] {
            lanes.iter_mut().for_each(|v| *v *= inverse);
        }
    }
    for (i, other) in below.chunks_exact_mut(stride).take(size - row - 1).enumerate() {
        let column = row + 1 + i;
        let s = -line[column / LANES][column % LANES];
        let (other, _) = as_arrays_mut::<LANES, _>(other);
        let first = column / LANES;
        for (o, l) in other[first..].iter_mut().zip(&line[first..]) {
            for k in 0..LANES {
                o[k] = s.mul_add(l[k], o[k]);
            }
        }
    }
}

dispatch! {
    fn draw_columns(g: &mut Columns, inverse_variance: f64, precision: &[f64], beta: &mut [f64]) {
        let (p, stride, gram) = (g.moments.size, g.moments.stride, &g.moments.gram);
        for (j, scale) in g.scale.iter_mut().enumerate() {
            *scale = 1.0 / inverse_variance.mul_add(gram[j * stride + j], precision[j]).sqrt();
        }
        for (k, (to, from)) in
            g.factor.chunks_exact_mut(stride).zip(gram.chunks_exact(stride)).enumerate()
        {
            let s = g.scale[k] * inverse_variance;
            for (j, o) in to[..p].iter_mut().enumerate() {
                *o = s * from[j] * g.scale[j];
            }
            to[k] = 1.0;
            to[p] = s * from[p];
        }
        for row in 0..p {
            eliminate_row(row, p, stride, &mut g.factor, true);
        }
        // The right side went along as a last column; R u = R⁻ᵀb + z gives mean and noise at once.
        for k in (0..p).rev() {
            let row = &g.factor[k * stride..][..stride];
            let mut sum = row[p] + g.normal[k];
            for (r, u) in row[k + 1..p].iter().zip(&g.solution[k + 1..p]) {
                sum = (-r).mul_add(*u, sum);
            }
            g.solution[k] = sum / row[k];
            beta[k] = g.solution[k] * g.scale[k];
        }
    }
    fn distance_square(p: usize, stride: usize, root: &[f64], beta: &[f64]) -> f64 {
        let mut total = 0.0;
        for (k, row) in root.chunks_exact(stride).enumerate() {
            let mut gap = row[p];
            for (r, b) in row[k..p].iter().zip(&beta[k..]) {
                gap = (-r).mul_add(*b, gap);
            }
            total = gap.mul_add(gap, total);
        }
        total
    }
}

pub struct Rows<'a> {
    data: &'a Data,
    stride: usize,
    factor: Vec<f64>,
    residual: Vec<f64>,
    solution: Vec<f64>,
    weighted: Vec<f64>,
}

impl<'a> Rows<'a> {
    fn new(data: &'a Data) -> Rows<'a> {
        let n = data.rows;
        let stride = (n + 1).next_multiple_of(LANES);
        Rows {
            data,
            stride,
            factor: vec![0.0; n * stride],
            residual: vec![0.0; n],
            solution: vec![0.0; n],
            weighted: vec![0.0; GROUP * n],
        }
    }

    /// β = u + Λ⁻¹X'w with u ~ N(0, Λ⁻¹), v = Xu + N(0, σ²) and (XΛ⁻¹X' + σ²I) w = y − v.
    fn draw<R: Rng>(&mut self, variance: f64, precision: &[f64], beta: &mut [f64], rng: &mut R) {
        let (n, stride) = (self.data.rows, self.stride);
        for (b, lambda) in beta.iter_mut().zip(precision) {
            let z: f64 = StandardNormal.sample(rng);
            *b = z / lambda.sqrt();
        }
        self.data.residual(beta, &mut self.residual);
        let sigma = variance.sqrt();
        for r in &mut self.residual {
            let z: f64 = StandardNormal.sample(rng);
            *r -= sigma * z;
        }
        self.factor.fill(0.0);
        add_outer(stride, self.data, precision, &mut self.weighted, &mut self.factor);
        for (i, row) in self.factor.chunks_exact_mut(stride).enumerate() {
            row[i] += variance;
            row[n] = self.residual[i];
        }
        solve_rows(n, stride, &mut self.factor, &mut self.solution);
        for (j, (b, lambda)) in beta.iter_mut().zip(precision).enumerate() {
            *b += dot(self.data.column(j), &self.solution) / lambda;
        }
    }
}

/// Columns added to XΛ⁻¹X' together, so that it is read and written once for all of them.
const GROUP: usize = 4;

dispatch! {
    /// Add XΛ⁻¹X' to the upper triangle of `m`.
    fn add_outer(stride: usize, data: &Data, precision: &[f64], weighted: &mut [f64], m: &mut [f64]) {
        let n = data.rows;
        for (columns, lambdas) in data.x.chunks(GROUP * n).zip(precision.chunks(GROUP)) {
            weighted.fill(0.0);
            let scaled = weighted.chunks_exact_mut(n).zip(columns.chunks_exact(n)).zip(lambdas);
            for ((to, from), lambda) in scaled {
                for (w, x) in to.iter_mut().zip(from) {
                    *w = x / lambda;
                }
            }
            let (first, rest) = weighted.split_at(n);
            let (second, rest) = rest.split_at(n);
            let (third, fourth) = rest.split_at(n);
            for (i, row) in m.chunks_exact_mut(stride).enumerate() {
                // Of the last group some columns may be missing.
                let at = |k: usize| columns.get(k * n + i).copied().unwrap_or(0.0);
                let x = [at(0), at(1), at(2), at(3)];
                let others = first[i..].iter().zip(&second[i..]).zip(third[i..].iter().zip(&fourth[i..]));
                for (o, ((a, b), (c, d))) in row[i..n].iter_mut().zip(others) {
                    let sum = x[1].mul_add(*b, x[0].mul_add(*a, *o));
                    *o = x[3].mul_add(*d, x[2].mul_add(*c, sum));
                }
            }
        }
    }
}

dispatch! {
    /// Solve the positive definite system whose upper triangle and right side `m` holds.
    fn solve_rows(n: usize, stride: usize, m: &mut [f64], solution: &mut [f64]) {
        for row in 0..n {
            eliminate_row(row, n, stride, m, true);
        }
        for k in (0..n).rev() {
            let row = &m[k * stride..][..stride];
            solution[k] = (row[n] - dot(&row[k + 1..n], &solution[k + 1..n])) / row[k];
        }
    }
}
