//! Rows on their way: parts of any size in, stretches that begin at fixed row numbers out.

/// A part of the rows, as they arrive.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Column after column, the response last.
    pub columns: Vec<f64>,
    pub count: usize,
    /// The user's own weights.
    pub case: Option<Vec<f64>>,
    /// What shares a weight, counted from 0; None: every row has its own.
    pub unit: Option<Vec<u64>>,
    /// The user's own folds.
    pub fold: Option<Vec<u32>>,
}

/// Rows of a block; a stretch is several.
pub const BLOCK: usize = 512;
const STRETCH: usize = 16 * BLOCK;

/// Rows that wait for their stretch to be full.
pub struct Stretch {
    /// Number of the first row here, counted from 0.
    pub first: u64,
    pub columns: Vec<Vec<f64>>,
    pub case: Vec<f64>,
    pub unit: Option<Vec<u64>>,
    pub fold: Option<Vec<u32>>,
}

impl Stretch {
    pub fn new(first: u64, columns: usize) -> Stretch {
        let room = || Vec::with_capacity(STRETCH);
        let columns = (0..columns).map(|_| room()).collect();
        Stretch { first, columns, case: room(), unit: None, fold: None }
    }

    pub fn len(&self) -> usize {
        self.case.len()
    }

    /// Rows that are missing to the next border.
    fn lack(&self) -> usize {
        STRETCH - (self.first % STRETCH as u64) as usize - self.len()
    }

    /// Take rows of the part, from its row `from` on; where the next begins, and whether this is full.
    pub fn take(&mut self, part: &Rows, from: usize) -> (usize, bool) {
        let to = part.count.min(from + self.lack());
        for (j, column) in self.columns.iter_mut().enumerate() {
            column.extend_from_slice(&part.columns[j * part.count..][from..to]);
        }
        match &part.case {
            Some(case) => self.case.extend_from_slice(&case[from..to]),
            None => self.case.resize(self.case.len() + to - from, 1.0),
        }
        if let Some(unit) = &part.unit {
            self.unit.get_or_insert_default().extend_from_slice(&unit[from..to]);
        }
        if let Some(fold) = &part.fold {
            self.fold.get_or_insert_default().extend_from_slice(&fold[from..to]);
        }
        (to, self.lack() == 0)
    }

    /// Empty, for the rows that follow.
    pub fn follow(&mut self) {
        self.first += self.len() as u64;
        self.columns.iter_mut().for_each(Vec::clear);
        self.case.clear();
        self.unit.iter_mut().for_each(Vec::clear);
        self.fold.iter_mut().for_each(Vec::clear);
    }

    /// Blocks as ranges within; borders are where row numbers are multiples of a block.
    pub fn blocks(&self) -> impl Iterator<Item = std::ops::Range<usize>> + use<> {
        let (len, before) = (self.len(), (self.first % BLOCK as u64) as usize);
        let border = move |k: usize| (k * BLOCK).saturating_sub(before).min(len);
        (0..(before + len).div_ceil(BLOCK)).map(move |k| border(k)..border(k + 1))
    }
}
