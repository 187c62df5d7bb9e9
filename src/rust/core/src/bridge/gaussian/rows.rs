//! β with more columns than rows, and how well they can fit.

use super::Fit;
use crate::bridge::data::Data;
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::cholesky::Cholesky;
use crate::linalg::dense::dot;
use crate::linalg::lanes::dispatch;
use ndarray::Array2;
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

pub struct Rows<'a> {
    pub data: &'a Data,
    outer: Outer,
    factor: Cholesky,
    pub residual: Vec<f64>,
}

impl<'a> Rows<'a> {
    pub fn new(data: &'a Data) -> Rows<'a> {
        // The noise keeps every pivot above zero, however small.
        let factor = Cholesky::with_threshold(0.0);
        Rows { data, outer: Outer::new(data), factor, residual: vec![0.0; data.rows()] }
    }

    /// β = u + Λ⁻¹X'w with u ~ N(0, Λ⁻¹), v = Xu + N(0, σ²) and (XΛ⁻¹X' + σ²I) w = y − v.
    pub fn draw<R: Rng>(
        &mut self,
        variance: f64,
        precision: &[f64],
        beta: &mut [f64],
        rng: &mut R,
        control: &Control,
    ) -> Result<(), Error> {
        for (b, lambda) in beta.iter_mut().zip(precision) {
            let z: f64 = StandardNormal.sample(rng);
            *b = z / lambda.sqrt();
        }
        self.data.residual(beta, &mut self.residual, control)?;
        let sigma = variance.sqrt();
        for r in &mut self.residual {
            let z: f64 = StandardNormal.sample(rng);
            *r -= sigma * z;
        }
        self.outer.fill(self.data, precision, control)?;
        self.outer.factor(&mut self.factor, variance, control)?;
        self.factor.solve(&mut self.residual);
        for (j, (b, lambda)) in beta.iter_mut().zip(precision).enumerate() {
            control.check()?;
            *b += dot(self.data.column(j), &self.residual) / lambda;
        }
        Ok(())
    }
}

/// With more columns than rows: the rank is that of XX' (of columns of length one), and y is fitted
/// perfectly if it agrees in the rows that depend on others.
pub fn least_squares(data: &Data, control: &Control) -> Result<Fit, Error> {
    let squares: Vec<f64> =
        data.squares.iter().map(|&square| if square > 0.0 { square } else { 1.0 }).collect();
    let (mut outer, mut factor) = (Outer::new(data), Cholesky::default());
    outer.fill(data, &squares, control)?;
    outer.factor(&mut factor, 0.0, control)?;
    let mut residual = data.y.clone();
    factor.solve(&mut residual);
    let beta: Vec<f64> =
        (0..data.columns()).map(|j| dot(data.column(j), &residual) / squares[j]).collect();
    data.residual(&beta, &mut residual, control)?;
    Ok(Fit { rank: factor.rank(), square: dot(&residual, &residual) })
}

/// The upper triangle of XΛ⁻¹X'.
struct Outer {
    matrix: Array2<f64>,
    weighted: Vec<f64>,
}

/// Columns added to XΛ⁻¹X' together, so that it is read and written once for all of them.
const GROUP: usize = 4;

impl Outer {
    fn new(data: &Data) -> Outer {
        let n = data.rows();
        Outer { matrix: Array2::zeros((n, n)), weighted: vec![0.0; GROUP * n] }
    }

    fn fill(&mut self, data: &Data, precision: &[f64], control: &Control) -> Result<(), Error> {
        self.matrix.fill(0.0);
        let n = data.rows();
        let matrix = self.matrix.as_slice_mut().unwrap_or_default();
        for (columns, lambdas) in data.values().chunks(GROUP * n).zip(precision.chunks(GROUP)) {
            control.check()?;
            add_group(n, columns, lambdas, &mut self.weighted, matrix);
        }
        Ok(())
    }

    /// Factor XΛ⁻¹X' + σ²I.
    fn factor(&self, factor: &mut Cholesky, variance: f64, control: &Control) -> Result<(), Error> {
        let fill = |row: usize, out: &mut [f64]| {
            out.iter_mut().zip(self.matrix.row(row).iter().skip(row)).for_each(|(o, v)| *o = *v);
            out[0] += variance;
            variance
        };
        factor.factor_while(self.matrix.nrows(), fill, || control.check())
    }
}

dispatch! {
    /// Add a group of columns xⱼxⱼ'/λⱼ to the upper triangle of `m`.
    fn add_group(n: usize, columns: &[f64], lambdas: &[f64], weighted: &mut [f64], m: &mut [f64]) {
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
        for (i, row) in m.chunks_exact_mut(n).enumerate() {
            // Of the last group some columns may be missing.
            let at = |k: usize| columns.get(k * n + i).copied().unwrap_or(0.0);
            let x = [at(0), at(1), at(2), at(3)];
            let others = first[i..].iter().zip(&second[i..]).zip(third[i..].iter().zip(&fourth[i..]));
            for (o, ((a, b), (c, d))) in row[i..].iter_mut().zip(others) {
                let sum = x[1].mul_add(*b, x[0].mul_add(*a, *o));
                *o = x[3].mul_add(*d, x[2].mul_add(*c, sum));
            }
        }
    }
}
