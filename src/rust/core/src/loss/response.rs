//! What was observed: the response as its family reads it, and an offset.

use super::Likelihood;
use super::binomial::Binomial;
use super::cox::Cox;
use super::multinomial::Multinomial;
use super::observed::Observed;
use super::poisson::Poisson;
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

/// A likelihood, and the order of the user's rows that it is for, if that is another.
pub type Ordered = (Box<dyn Likelihood>, Option<Vec<u32>>);

#[derive(Clone, Debug)]
pub struct Response {
    pub y: Observed,
    pub family: Family,
    /// Added to the linear predictor: one number a row, or for several classes class after class.
    pub offset: Option<Vec<f64>>,
}

impl Response {
    /// What was observed, as a solver sees it.
    pub fn likelihood(&self) -> Result<Ordered, Error> {
        let within = |what: &str, good: &dyn Fn(f64) -> bool| match self
            .y
            .values()
            .iter()
            .find(|y| !good(**y))
        {
            Some(bad) => Err(Error::argument("y", format!("must be {what}, but one is {bad}"))),
            None => Ok(()),
        };
        match &self.family {
            Family::Gaussian => {
                Err(Error::Internal("least squares have a road of their own".into()))
            }
            Family::Binomial => {
                within("proportions", &|y| (0.0..=1.0).contains(&y))?;
                Ok((Box::new(Binomial::new(self.y.clone())), None))
            }
            Family::Poisson => {
                within("counts or rates, none of them negative", &|y| y >= 0.0 && y.is_finite())?;
                Ok((Box::new(Poisson::new(self.y.clone())), None))
            }
            Family::Multinomial { classes } => {
                let classes = *classes;
                let known = |y: f64| y.fract() == 0.0 && y >= 1.0 && y <= classes as f64;
                within(&format!("classes from 1 to {classes}"), &known)?;
                Ok((Box::new(Multinomial::new(self.y.clone(), classes)), None))
            }
            Family::Cox { status } => {
                within("times", &|y| !y.is_nan())?;
                if status.len() != self.y.len() || status.iter().any(|s| *s != 0.0 && *s != 1.0) {
                    let text = "must say of every time whether it is that of an event, by 0 or 1";
                    return Err(Error::argument("y", text.into()));
                }
                let (cox, order) = Cox::new(&self.y.all(), status);
                Ok((Box::new(cox), Some(order)))
            }
        }
    }

    /// Rows that cross-validation spreads evenly over its folds: by class, by event or censored.
    pub fn strata(&self) -> Option<Observed> {
        match &self.family {
            Family::Binomial if self.y.values().iter().all(|y| *y == 0.0 || *y == 1.0) => {
                Some(self.y.clone())
            }
            Family::Multinomial { .. } => Some(self.y.clone()),
            Family::Cox { status } => Some(status.clone().into()),
            _ => None,
        }
    }

    /// That of these rows, in this order; a row may be there more than once.
    pub fn rows_at(&self, rows: &[usize]) -> Response {
        let n = self.y.len().max(1);
        let of = |values: &[f64]| -> Vec<f64> {
            values.chunks_exact(n).flat_map(|line| rows.iter().map(|&row| line[row])).collect()
        };
        let family = match &self.family {
            Family::Cox { status } => Family::Cox { status: of(status) },
            family => family.clone(),
        };
        Response { y: of(&self.y.all()).into(), family, offset: self.offset.as_deref().map(of) }
    }

    /// The response of least squares, which an offset shifts.
    pub fn shifted(self) -> Vec<f64> {
        let mut y = self.y.into_rows();
        if let Some(offset) = &self.offset {
            y.iter_mut().zip(offset).for_each(|(y, o)| *y -= o);
        }
        y
    }
}
