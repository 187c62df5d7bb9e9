//! The sums, and where each product is among them.

use super::frame::Frame;

/// The products of z = (1, x₁ … xₚ, y) with each other: row a over b ≥ a.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    size: usize,
}

impl Layout {
    pub fn new(cols: usize) -> Layout {
        Layout { size: cols + 2 }
    }

    /// Numbers in z.
    pub fn size(self) -> usize {
        self.size
    }

    /// Products.
    pub fn products(self) -> usize {
        self.size * (self.size + 1) / 2
    }

    #[inline(always)]
    pub fn place(self, a: usize, b: usize) -> usize {
        a * self.size - a * (a + 1) / 2 + b
    }
}

/// What the user's own weights are like: rows that have one, their sum, and that of their squares.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cases {
    pub rows: u64,
    pub total: f64,
    pub squares: f64,
}

/// Sums of some rows. Tables are draw after draw (or fold after fold), a draw's products by [`Layout`].
#[derive(Clone, Debug)]
pub struct Sums {
    /// Columns of x.
    pub cols: usize,
    pub rows: u64,
    /// Units of the columns, the response last.
    pub frame: Frame,
    /// Smallest and largest number of each.
    pub low: Vec<f64>,
    pub high: Vec<f64>,
    pub unit: Vec<f64>,
    pub folds: Vec<f64>,
    pub draws: Vec<f64>,
    /// Σ of the random weights alone, a draw each: what normalised laws divide by.
    pub totals: Vec<f64>,
    pub cases: Cases,
    /// The user's weights and the units of the very first rows, which say how unequal weights are; NaN
    /// where they were not seen.
    pub head_case: Vec<f64>,
    pub head_unit: Vec<f64>,
}

impl Sums {
    pub fn layout(&self) -> Layout {
        Layout::new(self.cols)
    }

    /// The sums of draw k, counted from 0.
    pub fn draw(&self, k: usize) -> &[f64] {
        let products = self.layout().products();
        &self.draws[k * products..][..products]
    }

    /// The sums of fold f, counted from 1.
    pub fn fold(&self, f: usize) -> &[f64] {
        let products = self.layout().products();
        &self.folds[(f - 1) * products..][..products]
    }

    pub fn count_folds(&self) -> u32 {
        (self.folds.len() / self.layout().products()) as u32
    }
}
