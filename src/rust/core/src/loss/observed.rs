//! A response, one number a row: as it is, or, where it has few values, as a byte that says which.

use crate::error::Error;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Copies have the rows in common.
#[derive(Clone, Debug)]
pub enum Observed {
    Each(Arc<Vec<f64>>),
    Few { values: Vec<f64>, of_row: Arc<Vec<u8>> },
}

impl From<Vec<f64>> for Observed {
    fn from(rows: Vec<f64>) -> Observed {
        Observed::Each(Arc::new(rows))
    }
}

impl FromIterator<f64> for Observed {
    fn from_iter<I: IntoIterator<Item = f64>>(rows: I) -> Observed {
        Observed::from(Vec::from_iter(rows))
    }
}

impl Observed {
    /// `of_row` says, from 0, which of the values a row has.
    pub fn few(values: Vec<f64>, of_row: Vec<u8>) -> Result<Observed, Error> {
        if of_row.iter().any(|&at| usize::from(at) >= values.len()) {
            return Err(Error::Internal("a row has none of the values".into()));
        }
        Ok(Observed::Few { values, of_row: Arc::new(of_row) })
    }

    pub fn len(&self) -> usize {
        match self {
            Observed::Each(rows) => rows.len(),
            Observed::Few { of_row, .. } => of_row.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Of one row.
    #[inline]
    pub fn at(&self, row: usize) -> f64 {
        match self {
            Observed::Each(rows) => rows[row],
            Observed::Few { values, of_row } => values[usize::from(of_row[row])],
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.len()).map(|row| self.at(row))
    }

    /// Of these rows, side by side.
    pub fn over(&self, rows: Range<usize>) -> Cow<'_, [f64]> {
        match self {
            Observed::Each(all) => Cow::Borrowed(&all[rows]),
            Observed::Few { values, of_row } => {
                let value = |at: &u8| values[usize::from(*at)];
                Cow::Owned(of_row[rows].iter().map(value).collect())
            }
        }
    }

    pub fn all(&self) -> Cow<'_, [f64]> {
        self.over(0..self.len())
    }

    /// Every number that a row has, some of them more than once.
    pub fn values(&self) -> &[f64] {
        match self {
            Observed::Each(rows) => rows,
            Observed::Few { values, .. } => values,
        }
    }

    /// A function of each row's number.
    pub fn map(&self, f: impl Fn(f64) -> f64) -> Observed {
        let of = |values: &[f64]| values.iter().map(|v| f(*v)).collect();
        match self {
            Observed::Each(rows) => Observed::from(of(rows)),
            Observed::Few { values, of_row } => {
                Observed::Few { values: of(values), of_row: of_row.clone() }
            }
        }
    }

    /// As it is, one number a row.
    pub fn into_rows(self) -> Vec<f64> {
        match self {
            Observed::Each(rows) => Arc::unwrap_or_clone(rows),
            few => few.all().into_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_are_the_rows_that_they_stand_for() {
        let few = Observed::few(vec![2.5, -1.0, 7.0], vec![0, 1, 0, 1, 1]).unwrap();
        let each = Observed::from(vec![2.5, -1.0, 2.5, -1.0, -1.0]);
        assert_eq!(few.all(), each.all());
        assert_eq!(few.over(1..3), each.over(1..3));
        assert!(few.iter().eq(each.iter()) && few.len() == each.len());
        assert_eq!(few.map(f64::abs).into_rows(), each.map(f64::abs).into_rows());
        assert_eq!(few.at(3), -1.0);
        assert!(Observed::few(vec![1.0], vec![0, 1]).is_err());
    }
}
