//! Columns without a penalty that the rows of a draw do not tell from a constant, as those of a level that has lost all its
//! weight. Any coefficient would do, and steps would take rounding for a slope; zero it is, as in least squares.

use super::task::{Data, Task};

/// Leave them out of the problem.
pub fn exclude(data: &Data, task: &mut Task) {
    let penalty = &task.penalty;
    let free = |j: usize| penalty.l1[j] == 0.0 && penalty.ridge[j] == 0.0;
    let columns = data.cols();
    let mut unseen: Vec<usize> =
        (0..columns).filter(|&j| (j..data.size()).step_by(columns).any(free)).collect();
    if unseen.is_empty() {
        return;
    }
    let mut weights = Vec::new();
    let mut unheard = 0;
    if data.likelihood.coupled() {
        weights.resize(data.rows(), 0.0);
        task.weights.fill(0, &mut weights);
        unheard = data.likelihood.unheard(&weights);
    }
    // Without an intercept to make up for it, only nothing is as good as none.
    let shifts = data.intercept || data.likelihood.coupled();
    let mut first: Vec<Option<f64>> = vec![(!shifts).then_some(0.0); columns];
    for rows in data.base.design.blocks() {
        weights.resize(rows.len(), 0.0);
        task.weights.fill(rows.start, &mut weights);
        let gone = unheard.clamp(rows.start, rows.end) - rows.start;
        weights[..gone].fill(0.0);
        let block = data.base.design.dense_block(&rows);
        unseen.retain(|&j| {
            let mut value =
                |i: usize, value: f64| weights[i] <= 0.0 || *first[j].get_or_insert(value) == value;
            match &block {
                Some(block) => {
                    let column = &block[j * rows.len()..][..rows.len()];
                    column.iter().enumerate().all(|(i, v)| value(i, *v))
                }
                None => {
                    let (places, entries) = data.base.design.sparse_column(j).unwrap_or_default();
                    let from = places.partition_point(|&i| (i as usize) < rows.start);
                    let mut next = places[from..].iter().zip(&entries[from..]).peekable();
                    rows.clone().all(|i| {
                        let entry = next.next_if(|(at, _)| **at as usize == i);
                        value(i - rows.start, entry.map_or(0.0, |(_, v)| *v))
                    })
                }
            }
        });
        if unseen.is_empty() {
            return;
        }
    }
    for j in unseen.into_iter().flat_map(|j| (j..data.size()).step_by(columns)) {
        if task.penalty.l1[j] == 0.0 {
            task.penalty.exclude(j);
            task.place.beta[j] = 0.0;
        }
    }
}
