//! Rows as they were made, read as a table by columns.

/// A table by columns of rows that lie in parts: `width` numbers each, one row after the other.
pub struct Parts<T> {
    parts: Vec<Vec<T>>,
    width: usize,
    rows: usize,
}

/// Columns that are copied together: their cache lines are still there when the next rows come.
const COLUMNS: usize = 256;

impl<T: Copy> Parts<T> {
    pub fn new(parts: Vec<Vec<T>>, width: usize) -> Parts<T> {
        let length: usize = parts.iter().map(Vec::len).sum();
        Parts { parts, width, rows: length.checked_div(width).unwrap_or(0) }
    }

    /// Numbers of the table.
    pub fn len(&self) -> usize {
        self.rows * self.width
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Put numbers `from .. to` of the table into their places; None if there are no such.
    pub fn copy(&self, room: &mut [T], from: usize, to: usize) -> Option<()> {
        if to > self.len() {
            return None;
        }
        if from >= to {
            return Some(());
        }
        let (rows, width) = (self.rows, self.width);
        let mut column = from / rows;
        while column * rows < to {
            let columns = column..(column + COLUMNS).min(to.div_ceil(rows));
            let mut row = 0;
            for part in &self.parts {
                let next = row + part.len() / width;
                for column in columns.clone() {
                    let begin = (column * rows + row).max(from);
                    let end = (column * rows + next).min(to);
                    let Some(count) = end.checked_sub(begin).filter(|count| *count > 0) else {
                        continue;
                    };
                    let values = part.get((begin - column * rows - row) * width + column..)?;
                    let places = room.get_mut(begin..end)?;
                    if width == 1 {
                        places.copy_from_slice(&values[..count]);
                    } else {
                        let values = values.iter().step_by(width);
                        places.iter_mut().zip(values).for_each(|(place, value)| *place = *value);
                    }
                }
                row = next;
            }
            column = columns.end;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_part_of_any_table_finds_its_place() {
        // Rows of the parts, and numbers of each.
        for (heights, width) in [
            (vec![3, 3, 1], 1),
            (vec![4, 0, 2], 3),
            (vec![1; 7], 2 * COLUMNS + 5),
            (vec![5], 2),
            (vec![], 4),
            (vec![0], 0),
        ] {
            let rows: usize = heights.iter().sum();
            let mut row = 0..;
            let part = |height: &usize| -> Vec<(usize, usize)> {
                let rows: Vec<usize> = row.by_ref().take(*height).collect();
                rows.iter().flat_map(|r| (0..width).map(move |c| (*r, c))).collect()
            };
            let table = Parts::new(heights.iter().map(part).collect(), width);
            assert_eq!(table.len(), rows * width);
            for size in [1, 2, 7, 1000, usize::MAX] {
                let mut room = vec![(usize::MAX, 0); table.len()];
                for from in (0..table.len()).step_by(size) {
                    let to = from.saturating_add(size).min(table.len());
                    table.copy(&mut room, from, to).unwrap();
                }
                let right = (0..width).flat_map(|c| (0..rows).map(move |r| (r, c)));
                assert!(room.iter().copied().eq(right), "{heights:?} {width} {size}");
            }
            assert!(table.copy(&mut [], 0, table.len() + 1).is_none());
        }
    }
}
