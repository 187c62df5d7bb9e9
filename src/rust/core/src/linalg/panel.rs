//! Columns that are made one by one, such as the weights of draws, brought side by side.

use super::lanes::{LANES, dispatch};

/// Room for eight columns of a block of rows. A number at a time would touch a cache line of the panel for each row,
/// and again for each of the draws that share it: most of a pass over few columns.
pub struct Beside {
    lines: Vec<f64>,
    /// From one column to the next: an even number of cache lines would put all into few cache sets.
    line: usize,
}

impl Beside {
    pub fn new(rows: usize) -> Beside {
        let line = ((rows.div_ceil(LANES)) | 1) * LANES;
        Beside { lines: vec![0.0; LANES * line], line }
    }

    /// Fill the first `columns` lanes of a panel, row after row `width` numbers: `fill(k, out)` makes column k.
    pub fn fill(
        &mut self,
        columns: usize,
        rows: usize,
        width: usize,
        panel: &mut [f64],
        mut fill: impl FnMut(usize, &mut [f64]),
    ) {
        for at in (0..columns).step_by(LANES) {
            let here = LANES.min(columns - at);
            let lines = self.lines.chunks_exact_mut(self.line).take(here);
            lines.enumerate().for_each(|(lane, line)| fill(at + lane, &mut line[..rows]));
            // What is beyond the last column stays as it is.
            side_by_side(&self.lines, self.line, here, width, &mut panel[at..rows * width]);
        }
    }
}

dispatch! {
    fn side_by_side(lines: &[f64], line: usize, lanes: usize, width: usize, panel: &mut [f64]) {
        if lanes < LANES {
            for (r, place) in panel.chunks_mut(width).enumerate() {
                let cells = place[..lanes].iter_mut().enumerate();
                cells.for_each(|(lane, cell)| *cell = lines[lane * line + r]);
            }
            return;
        }
        for (r, place) in panel.chunks_mut(width).enumerate() {
            for (lane, cell) in place[..LANES].iter_mut().enumerate() {
                *cell = lines[lane * line + r];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_in_their_lanes() {
        let mut beside = Beside::new(70);
        for (columns, rows) in [(1, 1), (8, 70), (13, 33), (24, 64)] {
            let width = 24;
            let mut panel = vec![-1.0; rows * width];
            let value = |k: usize, r: usize| (100 * k + r) as f64;
            beside.fill(columns, rows, width, &mut panel, |k, out| {
                assert_eq!(out.len(), rows);
                out.iter_mut().enumerate().for_each(|(r, o)| *o = value(k, r));
            });
            for (i, v) in panel.iter().enumerate() {
                let (r, k) = (i / width, i % width);
                assert_eq!(*v, if k < columns { value(k, r) } else { -1.0 });
            }
        }
    }
}
