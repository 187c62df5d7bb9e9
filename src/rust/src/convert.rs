//! Between R's values and the core's: fields of a list, errors.

use extendr_api::prelude::*;
use wbb_core::error::Error;

pub type Result<T> = std::result::Result<T, Error>;

/// What R raises as a condition of class `wbb_error_<kind>`.
pub fn error_list(error: &Error) -> List {
    let argument = match error {
        Error::Argument { argument, .. } => Robj::from(*argument),
        _ => Robj::from(()),
    };
    list!(wbb_error = error.kind(), message = error.to_string(), argument = argument)
}

/// What R gets: the value, or the error as a list.
pub fn reply<T: Into<Robj>>(result: Result<T>) -> Robj {
    result.map_or_else(|e| error_list(&e).into(), Into::into)
}

/// A list that R has checked. A field that is missing or of another type is a bug of ours, and is
/// reported as one.
pub struct Fields(Vec<(&'static str, Robj)>);

impl Fields {
    pub fn new(list: &List) -> Fields {
        Fields(list.iter().collect())
    }

    /// None if the field is absent or NULL, which say the same.
    fn find(&self, name: &str) -> Option<&Robj> {
        let found = self.0.iter().find(|(key, _)| *key == name);
        found.map(|(_, value)| value).filter(|value| !value.is_null())
    }

    fn optional<T>(&self, name: &str, read: impl Fn(&Robj) -> Option<T>) -> Result<Option<T>> {
        let other = || Error::Internal(format!("setting {name} is of another type"));
        self.find(name).map(|value| read(value).ok_or_else(other)).transpose()
    }

    fn required<T>(&self, name: &str, read: impl Fn(&Robj) -> Option<T>) -> Result<T> {
        let missing = || Error::Internal(format!("setting {name} is missing"));
        self.optional(name, read)?.ok_or_else(missing)
    }

    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    pub fn number(&self, name: &str) -> Result<f64> {
        self.required(name, real)
    }

    pub fn optional_number(&self, name: &str) -> Result<Option<f64>> {
        self.optional(name, real)
    }

    pub fn count(&self, name: &str) -> Result<usize> {
        self.required(name, count)
    }

    pub fn optional_count(&self, name: &str) -> Result<Option<usize>> {
        self.optional(name, count)
    }

    pub fn flag(&self, name: &str) -> Result<bool> {
        self.required(name, |v| v.as_bool())
    }

    pub fn text(&self, name: &str) -> Result<String> {
        self.required(name, |v| v.as_str().map(str::to_owned))
    }

    pub fn is_text(&self, name: &str) -> bool {
        self.find(name).is_some_and(|v| v.is_string())
    }

    pub fn numbers(&self, name: &str) -> Result<Vec<f64>> {
        self.required(name, |v| v.as_real_vector())
    }

    /// Numbers, or columns of them one after the other.
    pub fn columns(&self, name: &str) -> Result<Vec<f64>> {
        self.required(name, |v| {
            v.as_list().map_or_else(|| v.as_real_vector(), |list| joined(&list))
        })
    }

    pub fn optional_numbers(&self, name: &str) -> Result<Option<Vec<f64>>> {
        self.optional(name, |v| v.as_real_vector())
    }

    /// Whole numbers, none below zero.
    pub fn counts<T: TryFrom<i32>>(&self, name: &str) -> Result<Vec<T>> {
        self.required(name, |v| whole(v))
    }

    pub fn optional_counts<T: TryFrom<i32>>(&self, name: &str) -> Result<Option<Vec<T>>> {
        self.optional(name, |v| whole(v))
    }

    /// A list within the list.
    pub fn list(&self, name: &str) -> Result<Fields> {
        self.required(name, |v| v.as_list().map(|list| Fields::new(&list)))
    }

    /// An error for a `word` that the field may not hold.
    pub fn unknown<T>(&self, name: &str, word: &str) -> Result<T> {
        Err(Error::Internal(format!("setting {name} is \"{word}\", which is not known")))
    }
}

fn joined(columns: &List) -> Option<Vec<f64>> {
    let mut all = Vec::with_capacity(columns.values().map(|column| column.len()).sum());
    for column in columns.values() {
        match column.as_real_slice() {
            Some(values) => all.extend_from_slice(values),
            None => all.extend(column.as_integer_slice()?.iter().map(|value| f64::from(*value))),
        }
    }
    Some(all)
}

fn real(value: &Robj) -> Option<f64> {
    value.as_real().or_else(|| value.as_integer().map(f64::from))
}

fn count(value: &Robj) -> Option<usize> {
    real(value).filter(|v| *v >= 0.0).map(|v| v as usize)
}

fn whole<T: TryFrom<i32>>(value: &Robj) -> Option<Vec<T>> {
    value.as_integer_slice()?.iter().map(|&i| T::try_from(i).ok()).collect()
}
