//! The one standardisation of data, and the one definition of a constant column.

use super::source::Source;
use std::convert::Infallible;

/// What the columns of a matrix are shifted by and divided by.
#[derive(Clone, Debug, Default)]
pub struct Standard {
    /// Zero where nothing is centred.
    pub center: Vec<f64>,
    /// Standard deviations, or root mean squares where nothing is centred; infinite for a constant
    /// column that centring leaves without anything to say.
    pub scale: Vec<f64>,
    /// Standard deviations around the mean, whether or not it is subtracted; 1 for a constant column.
    pub sd: Vec<f64>,
}

impl Standard {
    /// `case` are the user's weights of the rows: they weigh means and variances too.
    pub fn new(x: &Source, centred: bool, case: impl Fn(usize) -> f64 + Copy) -> Standard {
        let Ok(standard) = Standard::try_new(x, centred, case, || Ok::<(), Infallible>(()));
        standard
    }

    /// The same for data that take a while: `go_on` is asked before each column.
    pub fn try_new<E>(
        x: &Source,
        centred: bool,
        case: impl Fn(usize) -> f64 + Copy,
        go_on: impl Fn() -> Result<(), E>,
    ) -> Result<Standard, E> {
        let total: f64 = (0..x.rows()).map(case).sum();
        let mut out = Standard::default();
        for j in 0..x.cols() {
            go_on()?;
            let column = match x {
                Source::Dense(x) => describe(x.column(j).enumerate(), x.rows, total, case),
                Source::Sparse(x) => {
                    let stored = x.outer_view(j).map(|c| c.into_raw_storage());
                    let (rows, values) = stored.unwrap_or((&[], &[]));
                    let entries = rows.iter().copied().zip(values.iter().copied());
                    describe(entries, x.rows(), total, case)
                }
            };
            out.push(&column, centred);
        }
        Ok(out)
    }

    /// Of a single column, as a response is.
    pub fn of_column(
        values: &[f64],
        centred: bool,
        case: impl Fn(usize) -> f64 + Copy,
    ) -> Standard {
        let total = (0..values.len()).map(case).sum();
        let column = describe(values.iter().copied().enumerate(), values.len(), total, case);
        let mut out = Standard::default();
        out.push(&column, centred);
        out
    }

    /// Of columns that are known by their mean, their standard deviation and their ends.
    pub fn of_moments(
        columns: impl Iterator<Item = (f64, f64, [f64; 2])>,
        centred: bool,
    ) -> Standard {
        let mut out = Standard::default();
        for (mean, sd, [low, high]) in columns {
            let largest = low.abs().max(high.abs());
            let constant = low >= high || is_constant(sd / largest);
            let rms = if constant { largest } else { libm::hypot(mean, sd) };
            let mean = if constant { high } else { mean };
            out.push(&Column { mean, sd, rms, constant }, centred);
        }
        out
    }

    fn push(&mut self, column: &Column, centred: bool) {
        self.sd.push(if column.constant { 1.0 } else { column.sd });
        self.center.push(if centred { column.mean } else { 0.0 });
        self.scale.push(match (centred, column.constant) {
            (true, true) => f64::INFINITY,
            (true, false) => column.sd,
            (false, _) if column.rms > 0.0 => column.rms,
            (false, _) => 1.0,
        });
    }

    /// A number of column j.
    #[inline(always)]
    pub fn apply(&self, j: usize, value: f64) -> f64 {
        standard(value, self.center[j], self.scale[j])
    }
}

/// A standardised number.
#[inline(always)]
pub fn standard(v: f64, center: f64, scale: f64) -> f64 {
    if scale.is_finite() { (v - center) / scale } else { 0.0 }
}

/// Of a column: mean, standard deviation, root mean square; is it constant?
struct Column {
    mean: f64,
    sd: f64,
    rms: f64,
    constant: bool,
}

/// Differences in the last digits only (or only in rows of weight zero) are no variation; the standard
/// deviation is that of a column whose largest number is one.
fn is_constant(sd: f64) -> bool {
    sd <= 4.0 * f64::EPSILON
}

/// Mean and standard deviation of a column given by its nonzeros, safe from overflow.
fn describe(
    entries: impl Iterator<Item = (usize, f64)> + Clone,
    rows: usize,
    total: f64,
    case: impl Fn(usize) -> f64,
) -> Column {
    let (mut largest, mut low, mut high, mut stored) =
        (0.0f64, f64::INFINITY, f64::NEG_INFINITY, 0);
    for (_, v) in entries.clone() {
        largest = largest.max(v.abs());
        low = low.min(v);
        high = high.max(v);
        stored += 1;
    }
    if stored < rows {
        low = low.min(0.0);
        high = high.max(0.0);
    }
    if largest == 0.0 || low == high || rows == 0 {
        let mean = if stored < rows { 0.0 } else { high };
        return Column { mean, sd: 0.0, rms: largest, constant: true };
    }
    let mut seen = 0.0;
    let mut sum = 0.0;
    for (i, v) in entries.clone() {
        seen += case(i);
        sum += case(i) * (v / largest);
    }
    let mean = sum / total;
    let mut square = (total - seen).max(0.0) * mean * mean;
    for (i, v) in entries {
        square += case(i) * (v / largest - mean).powi(2);
    }
    let sd = (square / total).sqrt();
    let constant = is_constant(sd);
    let rms = libm::hypot(mean, sd) * largest;
    Column { mean: mean * largest, sd: sd * largest, rms, constant }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: &[f64], centred: bool) -> (f64, f64, Vec<f64>) {
        let s = Standard::of_column(values, centred, |_| 1.0);
        (s.center[0], s.scale[0], values.iter().map(|v| s.apply(0, *v)).collect())
    }

    #[test]
    fn columns_have_mean_zero_and_variance_one_at_any_scale() {
        for size in [1.0, 1e-300, 1e300] {
            let (center, scale, x) = column(&[size, 2.0 * size, 6.0 * size], true);
            assert!((center / size - 3.0).abs() < 1e-14);
            assert!((scale / size - (14.0f64 / 3.0).sqrt()).abs() < 1e-14);
            assert!(x.iter().sum::<f64>().abs() < 1e-14);
        }
    }

    #[test]
    fn constant_columns_vanish_beside_an_intercept_and_stay_without() {
        assert_eq!(column(&[7.1; 3], true).2, vec![0.0; 3]);
        assert_eq!(column(&[7.1; 3], false).2, vec![1.0; 3]);
        // Differences in the last digit only are no variation.
        assert_eq!(column(&[1.0, 1.0 + f64::EPSILON, 1.0], true).2, vec![0.0; 3]);
    }
}
