//! Columns without a penalty that nearly depend on each other, told apart by what each adds to the others.

use super::cross::cross;
use super::problem::Options;
use super::task::Data;
use crate::data::apart::tell_apart;
use crate::engine::cv::Lambda;
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::cholesky::Cholesky;
use crate::penalty::Factors;
use std::sync::Arc;

/// Free columns with a smaller pivot (as a part of their square) are told apart: half of the digits of a
/// Gram matrix.
const COLLINEAR: f64 = 1e-7;

/// The first `cols` coordinates that no lambda penalises.
pub fn free_columns(factors: &Factors, options: &Options, cols: usize) -> Vec<u32> {
    let never = matches!(&options.lambda, Lambda::Given(all) if all.iter().all(|l| *l == 0.0));
    let unit = |j: &u32| factors.unit(*j as usize);
    (0..cols as u32).filter(|j| unit(j) == 0.0 || (never && unit(j).is_finite())).collect()
}

/// Where free columns nearly depend on each other, put another basis of their span in their place, unless the design is
/// shared: then that was done before. Columns without a place in the basis are no part of the problem, in any class.
pub fn separate_free(
    data: &mut Data,
    factors: &mut Factors,
    options: &Options,
    case: &dyn Fn(usize) -> f64,
    control: &Control,
) -> Result<(), Error> {
    let cols = data.design.cols;
    let free = free_columns(factors, options, cols);
    let own = Arc::get_mut(&mut data.design).is_some();
    if free.len() >= 2 && own {
        let mut fill = |first: usize, w: &mut [f64]| {
            w.iter_mut().enumerate().for_each(|(r, w)| *w = case(first + r));
        };
        let gram = cross(data, &free, 0, control, &mut fill)?;
        let mut factor = Cholesky::with_threshold(COLLINEAR);
        factor.factor(free.len(), |row, out| {
            out.iter_mut().zip(gram.row(row).iter().skip(row)).for_each(|(o, h)| *o = *h);
            0.0
        });
        if let Some(design) = Arc::get_mut(&mut data.design).filter(|_| factor.has_dependence()) {
            let go_on = || control.check();
            let (basis, columns) = tell_apart(design, &free, &factor, case, go_on)?;
            design.replace(basis, &free, &columns, go_on)?;
        }
    }
    for &j in data.design.dropped() {
        (j as usize..factors.size()).step_by(cols).for_each(|j| factors.exclude(j));
    }
    Ok(())
}
