//! What was observed: the response as its family reads it, and an offset.

use crate::error::Error;

/// The families of a linear predictor, by the likelihood of a row (MATH 8).
#[derive(Clone, Debug, PartialEq)]
pub enum Family {
    Gaussian,
    /// y is a proportion, the trials multiply the case weight.
    Binomial,
    /// y is a count or a rate.
    Poisson,
    /// y is a class, from 1.
    Multinomial {
        classes: usize,
    },
    /// y is a time; 1 where it is that of an event, 0 where it is censored.
    Cox {
        status: Vec<f64>,
    },
}

impl Family {
    /// By the user's word; `classes` and `status` are there for the families that have them.
    pub fn new(
        name: &str,
        classes: Option<usize>,
        status: Option<Vec<f64>>,
    ) -> Result<Family, Error> {
        let missing = |what: &str| Error::Internal(format!("setting {what} is missing"));
        match name {
            "gaussian" => Ok(Family::Gaussian),
            "binomial" => Ok(Family::Binomial),
            "poisson" => Ok(Family::Poisson),
            "multinomial" => {
                classes.map(|classes| Family::Multinomial { classes }).ok_or(missing("classes"))
            }
            "cox" => status.map(|status| Family::Cox { status }).ok_or(missing("status")),
            _ => Err(Error::argument("family", format!("there is no family \"{name}\""))),
        }
    }
}

/// What held-out rows are judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The mean squared error.
    Squares,
    Deviance,
    /// The share of rows put into a wrong class.
    Class,
    /// The area under the receiver's operating curve.
    Auc,
}

impl Measure {
    pub fn new(name: &str) -> Result<Measure, Error> {
        match name {
            "mse" => Ok(Measure::Squares),
            "deviance" => Ok(Measure::Deviance),
            "class" => Ok(Measure::Class),
            "auc" => Ok(Measure::Auc),
            _ => Err(Error::argument("cv_measure", format!("there is no measure \"{name}\""))),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Response {
    pub y: Vec<f64>,
    pub family: Family,
    /// Added to the linear predictor: one number a row, or for several classes class after class.
    pub offset: Option<Vec<f64>>,
}

impl Response {
    /// The response of least squares, which an offset shifts.
    pub fn shifted(mut self) -> Vec<f64> {
        if let Some(offset) = &self.offset {
            self.y.iter_mut().zip(offset).for_each(|(y, o)| *y -= o);
        }
        self.y
    }
}
