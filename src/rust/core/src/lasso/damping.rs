//! How much a step of Newton is damped that stops coordinates at zero (Levenberg 1944; Bertsekas 1982).
//!
//! A search along the direction ends at one of the first coordinates that change sign, so that every factor serves
//! one of them. Where a coordinate that would cross zero stays there and the others go on, and sweeps between the
//! steps let zeros in again, three or four factors find a support of hundreds. With nearly as many active columns as
//! rows the direction is long and mostly noise: a ridge, relative to the diagonal, shortens it where the
//! problem says least.

/// Trials of a length, each half the one before.
pub const TRIALS: u32 = 4;
/// The first ridge that is not zero, the one above which nothing is expected, and the one below which there is
/// none.
const FIRST: f64 = 1e-3;
const LARGEST: f64 = 1.0;
const SMALLEST: f64 = 1e-10;
/// One that makes equations easy.
const HEAVY: f64 = 1e-5;
/// After a step that fails, that goes short, that goes whole, and that stops nothing at zero.
const FAILED: f64 = 8.0;
const SHORT: f64 = 3.0;
const WHOLE: f64 = 0.3;
const SETTLED: f64 = 0.1;
/// An objective may grow by this part of it: rounding.
const ROUNDING: f64 = 1e-13;

/// What became of a step.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// No length descends, or columns depend on each other.
    None,
    /// The trial that descended, and the coordinates that it stopped at zero.
    Taken { trial: u32, crossed: usize },
}

impl Step {
    /// Has the step solved its equations with every sign kept?
    pub fn is_whole(self) -> bool {
        matches!(self, Step::Taken { trial: 0, crossed: 0 })
    }

    /// Has it failed, or (if that counts) gone less than half the way?
    pub fn is_short(self, counts: bool) -> bool {
        matches!(self, Step::None) || (counts && matches!(self, Step::Taken { trial: 2.., .. }))
    }
}

/// Whether an objective is no more than another.
pub fn descends(after: f64, before: f64) -> bool {
    after <= before + ROUNDING * before.abs()
}

pub struct Damping {
    ridge: f64,
    /// The last that was not zero.
    last: f64,
    /// Has a step without a ridge failed?
    wary: bool,
}

impl Damping {
    pub fn none() -> Damping {
        Damping { ridge: 0.0, last: FIRST / SETTLED, wary: false }
    }

    /// For where a damped step costs less than one that is not.
    pub fn first() -> Damping {
        Damping { ridge: FIRST, last: FIRST, wary: false }
    }

    pub fn is_zero(&self) -> bool {
        self.ridge == 0.0
    }

    /// Are damped equations well enough conditioned for conjugate gradients?
    pub fn is_heavy(&self) -> bool {
        self.ridge >= HEAVY
    }

    /// What is added to a diagonal.
    pub fn ridge(&self, diagonal: f64) -> f64 {
        self.ridge * diagonal
    }

    /// Choose the next ridge; false if there is none to hope for.
    pub fn learn(&mut self, step: Step) -> bool {
        let ridge = match step {
            Step::None if self.ridge >= LARGEST => return false,
            Step::None if self.is_zero() => {
                self.wary = true;
                SETTLED * self.last
            }
            Step::None => FAILED * self.ridge,
            Step::Taken { trial: 0, crossed: 0 } if !self.wary => 0.0,
            Step::Taken { trial: 0, crossed: 0 } => SETTLED * self.ridge,
            Step::Taken { trial: 0, .. } => WHOLE * self.ridge,
            Step::Taken { trial: 1, .. } => self.ridge,
            Step::Taken { .. } => SHORT * self.ridge,
        };
        self.ridge = if ridge < SMALLEST { 0.0 } else { ridge };
        if !self.is_zero() {
            self.last = ridge;
        }
        true
    }
}
