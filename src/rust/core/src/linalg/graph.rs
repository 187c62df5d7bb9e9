//! Which unknowns of a symmetric sparse matrix meet.

use super::Pause;
use super::sparse::{SparseMatrix, line};
use crate::error::Error;

/// The pattern of a symmetric matrix without its diagonal: both triangles, by columns.
#[derive(Clone, Debug)]
pub struct Graph {
    starts: Vec<usize>,
    neighbours: Vec<u32>,
}

/// Steps between two pauses: about a millisecond.
pub const STEPS: usize = 1 << 18;

impl Graph {
    /// The pattern of Σ A'A over matrices by rows: unknowns meet where they share a row.
    pub fn of_products(parts: &[&SparseMatrix], pause: Pause) -> Result<Graph, Error> {
        let n = parts.first().map_or(0, |a| a.cols());
        let by_column: Vec<SparseMatrix> = parts.iter().map(|a| a.to_csc()).collect();
        let mut met = vec![usize::MAX; n];
        let (mut starts, mut neighbours) = (vec![0], Vec::new());
        let mut steps = 0;
        for j in 0..n {
            met[j] = j;
            for (a, columns) in parts.iter().zip(&by_column) {
                for &row in line(columns, j).0 {
                    for &i in line(a, row).0 {
                        steps += 1;
                        if met[i] != j {
                            met[i] = j;
                            neighbours.push(i as u32);
                        }
                    }
                }
            }
            if steps > STEPS {
                steps = 0;
                pause()?;
            }
            starts.push(neighbours.len());
        }
        Ok(Graph { starts, neighbours })
    }

    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn neighbours(&self, j: usize) -> &[u32] {
        &self.neighbours[self.starts[j]..self.starts[j + 1]]
    }

    /// The same with its unknowns in another order: unknown `order[k]` becomes k.
    pub fn reordered(&self, order: &[u32]) -> Graph {
        let place = inverse(order);
        let (mut starts, mut neighbours) = (vec![0], Vec::with_capacity(self.neighbours.len()));
        for &j in order {
            let from = neighbours.len();
            neighbours.extend(self.neighbours(j as usize).iter().map(|&i| place[i as usize]));
            neighbours[from..].sort_unstable();
            starts.push(neighbours.len());
        }
        Graph { starts, neighbours }
    }
}

/// The place of each unknown in an order.
pub fn inverse(order: &[u32]) -> Vec<u32> {
    let mut place = vec![0; order.len()];
    for (k, &j) in order.iter().enumerate() {
        place[j as usize] = k as u32;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknowns_meet_in_rows_and_keep_their_neighbours_in_another_order() {
        // Rows {0, 1}, {1, 3} and {3}.
        let a = SparseMatrix::new((3, 4), vec![0, 2, 4, 5], vec![0, 1, 1, 3, 3], vec![1.0; 5]);
        let graph = Graph::of_products(&[&a, &a], &|| Ok(())).unwrap();
        let neighbours = |g: &Graph| (0..4).map(|j| g.neighbours(j).to_vec()).collect::<Vec<_>>();
        assert_eq!(neighbours(&graph), [vec![1], vec![0, 3], vec![], vec![1]]);
        let other = graph.reordered(&[3, 2, 1, 0]);
        assert_eq!(neighbours(&other), [vec![2], vec![], vec![0, 3], vec![2]]);
    }
}
