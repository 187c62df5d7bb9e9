//! β with many columns, but not more than rows.

use super::Moments;
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::cholesky::Cholesky;
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

pub struct Many<'a> {
    pub moments: &'a Moments,
    factor: Cholesky,
    scale: Vec<f64>,
    pub gap: Vec<f64>,
}

impl<'a> Many<'a> {
    pub fn new(moments: &'a Moments) -> Many<'a> {
        let p = moments.cross.len();
        // The prior keeps every pivot above zero, however small.
        let factor = Cholesky::with_threshold(0.0);
        Many { moments, factor, scale: vec![0.0; p], gap: vec![0.0; p] }
    }

    pub fn draw<R: Rng>(
        &mut self,
        variance: f64,
        precision: &[f64],
        beta: &mut [f64],
        rng: &mut R,
        control: &Control,
    ) -> Result<(), Error> {
        let Moments { gram, cross, .. } = self.moments;
        let scale = &mut self.scale;
        for (j, scale) in scale.iter_mut().enumerate() {
            *scale = 1.0 / (gram[[j, j]] / variance + precision[j]).sqrt();
        }
        let fill = |row: usize, out: &mut [f64]| {
            let s = scale[row] / variance;
            for ((o, g), other) in
                out.iter_mut().zip(gram.row(row).iter().skip(row)).zip(&scale[row..])
            {
                *o = s * g * other;
            }
            out[0] = 1.0;
            precision[row] * scale[row] * scale[row]
        };
        self.factor.factor_while(cross.len(), fill, || control.check())?;
        for ((b, c), scale) in beta.iter_mut().zip(cross).zip(scale.iter()) {
            *b = c * scale / variance;
        }
        // R u = R⁻ᵀb + z gives mean and noise at once.
        self.factor.solve_half(beta);
        for b in beta.iter_mut() {
            let z: f64 = StandardNormal.sample(rng);
            *b += z;
        }
        self.factor.solve_other_half(beta);
        beta.iter_mut().zip(scale).for_each(|(b, scale)| *b *= *scale);
        Ok(())
    }
}
