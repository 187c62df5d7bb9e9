//! The one standardisation of data, and the one definition of a constant column.

use super::blocks::Blocked;
use super::source::Source;
use std::iter::{Copied, Zip};
use std::slice::Iter;

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
    /// `case` are the user's weights of the rows: they weigh means and variances too. `go_on` is asked
    /// before each column.
    pub fn new<E>(
        x: &Source,
        centred: bool,
        case: impl Fn(usize) -> f64 + Copy,
        go_on: impl Fn() -> Result<(), E>,
    ) -> Result<Standard, E> {
        let total: f64 = (0..x.rows()).map(case).sum();
        let columns = match x {
            Source::Dense(x) => describe_all(x, total, case, go_on)?,
            Source::Sparse(x) => {
                let column = |j: usize| {
                    go_on()?;
                    let stored = x.outer_view(j).map(|c| c.into_raw_storage());
                    let (rows, values) = stored.unwrap_or((&[], &[]));
                    let entries = rows.iter().copied().zip(values.iter().copied());
                    Ok(describe(entries, x.rows(), total, case))
                };
                (0..x.cols()).map(column).collect::<Result<_, E>>()?
            }
        };
        let mut out = Standard::default();
        columns.iter().for_each(|column| out.push(column, centred));
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

/// Standard deviation, as a part of the largest number, below which digits are lost in numbers that are divided by it.
const DISTANT: f64 = 1e-5;

/// A column on its way to mean and standard deviation, which are safe from overflow: its numbers are looked at
/// three times, and once more if they are far from zero and near each other.
#[derive(Clone)]
struct Seen {
    low: f64,
    high: f64,
    largest: f64,
    count: usize,
    /// Weight of the numbers, and their sum as parts of the largest.
    weight: f64,
    sum: f64,
    mean: f64,
    square: f64,
    /// Sum and squares of the differences from the mean as they are.
    off: f64,
    again: f64,
}

impl Seen {
    const NOTHING: Seen = Seen {
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
        largest: 0.0,
        count: 0,
        weight: 0.0,
        sum: 0.0,
        mean: 0.0,
        square: 0.0,
        off: 0.0,
        again: 0.0,
    };

    fn ends(&mut self, values: impl Iterator<Item = f64>) {
        for v in values {
            self.largest = self.largest.max(v.abs());
            self.low = self.low.min(v);
            self.high = self.high.max(v);
            self.count += 1;
        }
    }

    fn add(&mut self, entries: impl Iterator<Item = (f64, f64)>) {
        for (case, v) in entries {
            self.weight += case;
            self.sum += case * (v / self.largest);
        }
    }

    /// Before the last look: what was not there is zero.
    fn centre(&mut self, total: f64) {
        self.mean = self.sum / total;
        self.square = (total - self.weight).max(0.0) * self.mean * self.mean;
    }

    fn spread(&mut self, entries: impl Iterator<Item = (f64, f64)>) {
        for (case, v) in entries {
            self.square += case * (v / self.largest - self.mean).powi(2);
        }
    }

    fn is_distant(&self, rows: usize, total: f64) -> bool {
        self.count == rows && self.low < self.high && self.square < DISTANT * DISTANT * total
    }

    /// A difference of numbers near each other is exact.
    fn spread_again(&mut self, entries: impl Iterator<Item = (f64, f64)>) {
        let mean = self.mean * self.largest;
        for (case, v) in entries {
            let off = (v - mean) / self.largest;
            self.off += case * off;
            self.again += case * off * off;
        }
    }

    fn centre_again(&mut self, total: f64) {
        let off = self.off / total;
        self.mean += off;
        self.square = (self.again - off * off * total).max(0.0);
    }

    fn column(&self, rows: usize, total: f64) -> Column {
        let (mut low, mut high) = (self.low, self.high);
        if self.count < rows {
            low = low.min(0.0);
            high = high.max(0.0);
        }
        if self.largest == 0.0 || low == high || rows == 0 {
            let mean = if self.count < rows { 0.0 } else { high };
            return Column { mean, sd: 0.0, rms: self.largest, constant: true };
        }
        let sd = (self.square / total).sqrt();
        let constant = is_constant(sd);
        let rms = libm::hypot(self.mean, sd) * self.largest;
        Column { mean: self.mean * self.largest, sd: sd * self.largest, rms, constant }
    }
}

/// A column given by its nonzeros.
fn describe(
    entries: impl Iterator<Item = (usize, f64)> + Clone,
    rows: usize,
    total: f64,
    case: impl Fn(usize) -> f64,
) -> Column {
    let mut seen = Seen::NOTHING;
    seen.ends(entries.clone().map(|(_, v)| v));
    seen.add(entries.clone().map(|(i, v)| (case(i), v)));
    seen.centre(total);
    seen.spread(entries.clone().map(|(i, v)| (case(i), v)));
    if seen.is_distant(rows, total) {
        seen.spread_again(entries.map(|(i, v)| (case(i), v)));
        seen.centre_again(total);
    }
    seen.column(rows, total)
}

/// Weights and numbers of some rows.
type Pairs<'a> = Zip<Copied<Iter<'a, f64>>, Copied<Iter<'a, f64>>>;

/// All columns of a dense matrix, block by block: it may be in a file.
fn describe_all<E>(
    x: &Blocked,
    total: f64,
    case: impl Fn(usize) -> f64,
    go_on: impl Fn() -> Result<(), E>,
) -> Result<Vec<Column>, E> {
    let mut columns = vec![Seen::NOTHING; x.cols];
    let mut weights = Vec::new();
    let mut look = |columns: &mut [Seen], work: &dyn Fn(&mut Seen, Pairs)| -> Result<(), E> {
        for rows in x.ranges() {
            weights.clear();
            weights.extend(rows.clone().map(&case));
            let block = x.get(&rows);
            for (seen, values) in columns.iter_mut().zip(block.chunks_exact(rows.len())) {
                // A block of a wide matrix is long.
                go_on()?;
                work(seen, weights.iter().copied().zip(values.iter().copied()));
            }
        }
        Ok(())
    };
    look(&mut columns, &|seen, pairs| seen.ends(pairs.map(|(_, v)| v)))?;
    look(&mut columns, &|seen, pairs| seen.add(pairs))?;
    columns.iter_mut().for_each(|seen| seen.centre(total));
    look(&mut columns, &|seen, pairs| seen.spread(pairs))?;
    let distant = |seen: &Seen| seen.is_distant(x.rows, total);
    if columns.iter().any(distant) {
        look(&mut columns, &|seen, pairs| {
            if distant(seen) {
                seen.spread_again(pairs);
            }
        })?;
        columns.iter_mut().filter(|seen| distant(seen)).for_each(|seen| seen.centre_again(total));
    }
    Ok(columns.iter().map(|seen| seen.column(x.rows, total)).collect())
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
    fn numbers_far_from_zero_and_near_each_other_lose_no_digits() {
        for far in [1e7, 1e10, 1e13, -1e13] {
            // Whole numbers: their mean and variance are known.
            let values: Vec<f64> = (0..100_000).map(|i| far + f64::from(i * 7919 % 101)).collect();
            let near: Vec<f64> = values.iter().map(|v| v - far).collect();
            let (exact, found) = (column(&near, true), column(&values, true));
            assert!((found.1 / exact.1 - 1.0).abs() < 1e-12, "{far}: {} {}", found.1, exact.1);
            let by_blocks = Source::dense(&values, values.len(), 1);
            let standard = Standard::new(&by_blocks, true, |_| 1.0, || Ok::<(), ()>(())).unwrap();
            assert_eq!((standard.center[0], standard.scale[0]), (found.0, found.1));
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
