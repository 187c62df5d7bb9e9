//! Families: what a row loses at its linear predictor, seen by a pass over the data.
//!
//! A pass works on panels: rows of the data with the draws of a batch side by side. A family says what
//! Xβ is subtracted from, and turns what is left into W r, with r = −∂l/∂η the residual of the family,
//! while it collects the sums that its certificate needs. Everything else of a pass, the products with
//! X, is the same for all families. Each draw may have a response of its own, as the working response
//! of an iteratively reweighted fit is.

pub mod gaussian;
pub mod response;

use std::ops::Range;

/// The sums of a pass for each draw of a panel: `COUNT` lines of a panel's width.
pub struct Sums {
    lines: Vec<f64>,
    width: usize,
}

impl Sums {
    pub fn new(count: usize, width: usize) -> Sums {
        Sums { lines: vec![0.0; count * width], width }
    }

    /// Sum `which` of draw k.
    pub fn get(&self, which: usize, k: usize) -> f64 {
        self.lines[which * self.width + k]
    }

    /// The line of each sum.
    pub fn lines(&mut self) -> impl Iterator<Item = &mut [f64]> {
        self.lines.chunks_exact_mut(self.width)
    }
}

pub trait Loss: Sync {
    /// Sums that a pass collects for each draw.
    const SUMS: usize;

    /// Fill the panel of these rows with what Xβ is subtracted from; `shift` is what the products with
    /// X leave out, one number a draw.
    fn begin(&self, rows: &Range<usize>, shift: &[f64], panel: &mut [f64]);

    /// Turn the panel, what `begin` wrote less Xβ, into W r, and add its rows to the sums.
    fn add(&self, rows: &Range<usize>, weights: &[f64], panel: &mut [f64], sums: &mut Sums);
}
