//! Families: what a row loses at its linear predictor, seen by a pass over the data.
//!
//! A pass works on panels: rows of the data with the draws of a batch side by side. A family says what
//! Xβ is subtracted from, and turns what is left into W r, with r = −∂l/∂η the residual of the family,
//! while it collects the sums that its certificate needs. Everything else of a pass, the products with
//! X, is the same for all families. Least squares ([`gaussian`]) is quadratic and has a road of its own;
//! the others are a [`Likelihood`] each.

pub mod binomial;
pub mod cox;
pub mod gaussian;
pub mod multinomial;
pub mod observed;
pub mod poisson;
pub mod response;
mod rows;

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

    /// The lines of a likelihood's sums; see [`sum`].
    fn of_likelihood(&mut self) -> [&mut [f64]; sum::COUNT] {
        let (loss, rest) = self.lines.split_at_mut(self.width);
        let (least, rest) = rest.split_at_mut(self.width);
        let (weight, rest) = rest.split_at_mut(self.width);
        let (residual, curvature) = rest.split_at_mut(self.width);
        [loss, least, weight, residual, curvature]
    }

    /// The line of each sum.
    pub fn lines(&mut self) -> impl Iterator<Item = &mut [f64]> {
        self.lines.chunks_exact_mut(self.width)
    }
}

pub trait Loss: Sync {
    /// Sums that a pass collects for each draw.
    const SUMS: usize;

    /// Do rows depend on each other? Then the panel of a call holds all of them.
    fn coupled(&self) -> bool {
        false
    }

    /// Fill the panel of these rows with what Xβ is subtracted from; `shift` is what the products with
    /// X leave out, one number a draw.
    fn begin(&self, rows: &Range<usize>, shift: &[f64], panel: &mut [f64]);

    /// Turn the panel, what `begin` wrote less Xβ, into W r, and add its rows to the sums.
    fn add(&self, rows: &Range<usize>, weights: &[f64], panel: &mut [f64], sums: &mut Sums);
}

/// A likelihood in its natural parameter: what a draw's lasso is made of beside least squares.
///
/// A row has one linear predictor η, or one for each class. Losses are counted from the least that a row
/// can have, so that they are small where a fit is good, whatever the counts.
pub trait Likelihood: Sync + Send {
    /// Linear predictors of a row. A panel has the draws of the first side by side, then of the next.
    fn predictors(&self) -> usize {
        1
    }

    /// Do rows depend on each other?
    fn coupled(&self) -> bool {
        false
    }

    /// About the predictors of a fit without columns, offsets taken into account.
    fn start(&self, weight: &dyn Fn(usize) -> f64, offset: &[f64]) -> Vec<f64>;

    /// Turn −η, rows of a panel, into W r, and add to the sums of [`sum`].
    fn residuals(&self, rows: &Range<usize>, weights: &[f64], panel: &mut [f64], sums: &mut Sums);

    /// How many of the first rows have no part in the likelihood under these weights of all rows.
    fn unheard(&self, _weights: &[f64]) -> usize {
        0
    }

    /// Does no row of weight fit worse by going along η, and so on for ever? On the wrong side by `slack` at most; none: all
    /// are on the right side, and 2η fits better than η.
    fn separates(&self, _rows: &Range<usize>, _weights: &[f64], _eta: &[f64], _slack: f64) -> bool {
        false
    }

    /// w l''(η) of one draw; of several predictors all pairs k ≤ l, each a line as long as the rows.
    fn curvature(&self, rows: &Range<usize>, weights: &[f64], eta: &[f64], out: &mut [f64]);

    /// The same as `residuals` for one draw, and where the curvature of a row is w (diag μ − μμ') the shares μ, predictor after
    /// predictor; false where it is not. A weight for each row.
    fn residuals_and_shares(
        &self,
        _weights: &[f64],
        _panel: &mut [f64],
        _sums: &mut Sums,
        _shares: &mut [f64],
    ) -> bool {
        false
    }

    /// Turn η, predictor after predictor of so many rows, into shares μ, where the curvature of a row is w (diag μ − μμ');
    /// false where it is not.
    fn shares(&self, _eta: &mut [f64], _rows: usize) -> bool {
        false
    }

    /// What is to be subtracted from the curvature, where rows depend on each other.
    fn risks(&self, _weights: &[f64], _eta: &[f64]) -> Option<Risks> {
        None
    }
}

/// Rows at risk at the times of events, for the curvature between rows: Σ dₖ mₖ mₖ' with mₖ the mean of
/// the rows from `first` on, weighed by their shares.
pub struct Risks {
    /// Of each row.
    pub share: Vec<f64>,
    /// By time: the first row at risk, the sum of the shares from there on, the weight dₖ of the events.
    pub sets: Vec<(usize, f64, f64)>,
}

/// The sums of a pass over a likelihood, in their order.
pub mod sum {
    /// Σ w (l − least).
    pub const LOSS: usize = 0;
    /// Σ w least.
    pub const LEAST: usize = 1;
    /// Σ w.
    pub const WEIGHT: usize = 2;
    /// Σ w r, of each predictor.
    pub const RESIDUAL: usize = 3;
    /// Σ w l'', about: by it a model of another draw is scaled. Of several predictors the sum.
    pub const CURVATURE: usize = 4;
    pub const COUNT: usize = 5;
}
