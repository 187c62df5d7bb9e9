//! Columns that nearly depend on others, told apart: as what they add to them.
//!
//! Coefficients without a penalty may be changed for any others with the same span. Where such columns
//! nearly depend on each other a Gram matrix has lost what tells them apart, and no weighted one can be
//! solved. What a column adds to those before it, found once from the columns themselves, keeps it in every
//! draw. The others stay as they are: a sparse matrix stays sparse but for few columns.

use super::basis::Basis;
use super::design::Design;
use crate::linalg::cholesky::Cholesky;

/// What is left of a column below this part of it depends on those before.
const DEPENDENT: f64 = 1e-11;
/// So is what rounding of the numbers themselves may have left, as a part of their distance from zero.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Projections of a column: each leaves what the condition of the others (1e7 at most) makes of rounding.
const PASSES: usize = 3;

/// A column of a design and its new numbers.
pub type Column = (u32, Vec<f64>);

/// A basis of the columns `which` of a design, and its columns that are not those of the design: orthogonal to the
/// others under the weights `case`, of the size of standardised columns; zero where a column has no place in it. `factor`
/// is that of their Gram matrix, and says which depend on others, at least nearly. `go_on` is asked now and then.
pub fn tell_apart<E>(
    x: &Design,
    which: &[u32],
    factor: &Cholesky,
    case: impl Fn(usize) -> f64,
    go_on: impl Fn() -> Result<(), E>,
) -> Result<(Basis, Vec<Column>), E> {
    let case: Vec<f64> = (0..x.rows).map(case).collect();
    let size: f64 = case.iter().sum();
    let product = |a: &[f64], b: &[f64]| -> f64 {
        case.iter().zip(a).zip(b).map(|((c, a), b)| c * a * b).sum()
    };
    let standard = &x.standard;
    let distance = |j: u32| standard.center[j as usize] / standard.scale[j as usize];
    // Centres are rounded too, and what that leaves of a column is seen by nothing beside an intercept.
    let centred = standard.center.iter().any(|c| *c != 0.0);
    let staying: Vec<usize> = (0..which.len()).filter(|k| !factor.is_dependent(*k)).collect();
    let mut kept: Vec<u32> = staying.iter().map(|&k| which[k]).collect();
    let (mut columns, mut along): (Vec<Column>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    let (mut dropped, mut dependent, mut missed) = (Vec::new(), Vec::new(), Vec::new());
    for &j in (0..which.len()).filter(|k| factor.is_dependent(*k)).map(|k| &which[k]) {
        let mut v = x.column(j as usize);
        let whole: f64 = product(&v, &v);
        let mut inside = vec![0.0; kept.len()];
        for _ in 0..PASSES {
            let weighed: Vec<f64> = case.iter().zip(&v).map(|(c, v)| c * v).collect();
            let mut step = x.products(which, &weighed, &go_on)?;
            factor.solve(&mut step);
            let mut beta = vec![0.0; x.cols];
            for (o, &k) in inside.iter_mut().zip(&staying) {
                *o += step[k];
                beta[which[k] as usize] = -step[k];
            }
            for rows in x.blocks() {
                go_on()?;
                x.add_product(&rows, &beta, &mut v[rows.clone()]);
            }
            for (o, (_, q)) in inside[staying.len()..].iter_mut().zip(&columns) {
                let here = product(q, &v) / size;
                *o += here;
                v.iter_mut().zip(q).for_each(|(v, q)| *v -= here * q);
            }
            if centred {
                let mean = case.iter().zip(&v).map(|(c, v)| c * v).sum::<f64>() / size;
                v.iter_mut().for_each(|v| *v -= mean);
            }
        }
        let left: f64 = product(&v, &v);
        let reach = inside.iter().fold(1.0, |sum, o| sum + o * o) * whole.max(size);
        let away = (inside.iter().zip(&kept))
            .fold(distance(j).powi(2), |sum, (o, &k)| sum + (o * distance(k)).powi(2));
        if left > DEPENDENT * DEPENDENT * reach + ROUNDING * ROUNDING * away * size {
            let length = (left / size).sqrt();
            v.iter_mut().for_each(|v| *v /= length);
            inside.push(length);
            along.push(inside);
            kept.push(j);
            columns.push((j, v));
        } else {
            dependent.push(inside);
            missed.push((left / size).sqrt());
            dropped.push(j);
        }
    }
    columns.extend(dropped.iter().map(|&j| (j, vec![0.0; x.rows])));
    Ok((Basis::new(kept, dropped, &along, &dependent, missed), columns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::source::Source;
    use sprs::CsMat;

    fn wave(i: usize) -> f64 {
        (i as f64 * 1.7).sin()
    }

    const ROWS: usize = 60;

    fn case(i: usize) -> f64 {
        (i % 3) as f64
    }

    /// Columns 0, 1 and 2 span two dimensions, which 1e-8 tells apart; 3 stands apart. Zeros in most rows.
    fn columns() -> Vec<f64> {
        let within = |i: usize, v: f64| if i % 4 == 1 { v } else { 0.0 };
        let u: Vec<f64> = (0..ROWS).map(|i| within(i, wave(i))).collect();
        let v: Vec<f64> = (0..ROWS).map(|i| within(i, wave(3 * i + 1))).collect();
        let near: Vec<f64> = u.iter().zip(&v).map(|(u, v)| u + 1e-8 * v).collect();
        let both: Vec<f64> = u.iter().zip(&near).map(|(u, n)| u + n).collect();
        [&u[..], &near, &both, &v].concat()
    }

    fn check(source: Source, centred: bool) {
        let mut x = Design::new(source, centred, case, || Ok::<(), ()>(())).unwrap();
        let column = |x: &Design, j: usize| x.column(j);
        let before: Vec<Vec<f64>> = (0..4).map(|j| column(&x, j)).collect();
        let product =
            |a: &[f64], b: &[f64]| -> f64 { (0..ROWS).map(|i| case(i) * a[i] * b[i]).sum::<f64>() };
        let mut factor = Cholesky::with_threshold(1e-7);
        factor.factor(3, |row, out| {
            out.iter_mut().zip(row..3).for_each(|(o, b)| *o = product(&before[row], &before[b]));
            0.0
        });
        let go_on = || Ok::<(), ()>(());
        let (basis, columns) = tell_apart(&x, &[0, 1, 2], &factor, case, go_on).unwrap();
        x.replace(basis, &[0, 1, 2], &columns, go_on).unwrap();
        assert_eq!(x.dropped(), [2]);
        let after: Vec<Vec<f64>> = (0..4).map(|j| column(&x, j)).collect();
        assert_eq!((&after[0], &after[3]), (&before[0], &before[3]));
        assert!((product(&after[1], &after[1]) - ROWS as f64).abs() < 1e-10);
        assert!(product(&after[0], &after[1]).abs() < 1e-10);
        let gamma = [0.3, -2.0, 0.0, 7.0];
        let beta: Vec<f64> =
            x.unscale(&gamma).iter().zip(&x.standard.scale).map(|(b, s)| b * s).collect();
        assert!((beta[3] - 7.0).abs() < 1e-14);
        for i in 0..ROWS {
            let fitted = 0.3 * after[0][i] - 2.0 * after[1][i];
            let back: f64 = (0..3).map(|j| beta[j] * before[j][i]).sum();
            assert!((back - fitted).abs() < 1e-6 * (1.0 + fitted.abs()), "{i}: {back} {fitted}");
        }
    }

    #[test]
    fn the_fit_is_the_same_and_nearly_equal_columns_are_told_apart() {
        for centred in [false, true] {
            let x = columns();
            check(Source::dense(&x, ROWS, 4), centred);
            let dense = ndarray::Array2::from_shape_fn((ROWS, 4), |(i, j)| x[j * ROWS + i]);
            check(Source::Sparse(CsMat::csc_from_dense(dense.view(), 0.0)), centred);
        }
    }
}
