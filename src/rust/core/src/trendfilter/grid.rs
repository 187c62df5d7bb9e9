//! The rows of the data as points of a grid: sorted, ties together, spacing one on average.

use super::segment::Points;
use crate::engine::freedom::Spread;
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::order::increasing;

/// Distinct, increasing points, and which rows lie on each.
pub struct Grid {
    /// The user's points, and the same divided by their mean distance.
    pub points: Vec<f64>,
    x: Vec<f64>,
    /// Row numbers by increasing x, and where each point's rows begin among them (and end).
    rows: Vec<usize>,
    starts: Vec<usize>,
    distance: f64,
}

/// What the rows of a draw are at the points.
pub struct Sample {
    pub y: Vec<f64>,
    pub w: Vec<f64>,
    /// ½ Σ w (y − ȳ)² within ties: a part of the objective that no fit can remove.
    pub within: f64,
    /// Of the weights of the rows; a total of zero: nothing to fit.
    pub spread: Spread,
}

/// Weights below this part of the mean weight are raised to it: a point without weight would leave
/// knots beside it undetermined. The objective changes by less than its tolerance.
const LEAST_WEIGHT: f64 = 1e-10;

impl Grid {
    pub fn new(x: &[f64], order: usize, control: &Control) -> Result<Grid, Error> {
        let rows = sorted(x, control)?;
        let (mut starts, mut points) = (Vec::new(), Vec::new());
        for (i, &row) in rows.iter().enumerate() {
            if points.last() != Some(&x[row]) {
                starts.push(i);
                points.push(x[row]);
            }
        }
        starts.push(rows.len());
        let n = points.len();
        if n < order + 2 {
            let text =
                format!("has {n} distinct points; order {order} needs at least {}", order + 2);
            return Err(Error::argument("x", text));
        }
        let distance = (points[n - 1] - points[0]) / (n - 1) as f64;
        let origin = points[0];
        let scaled: Vec<f64> = points.iter().map(|p| (p - origin) / distance).collect();
        if scaled.windows(2).any(|p| p[1] <= p[0]) || !distance.is_finite() {
            let text = "has distinct points too close to tell apart on its range".into();
            return Err(Error::argument("x", text));
        }
        Ok(Grid { points, x: scaled, rows, starts, distance })
    }

    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// A constant on the scaled grid: jumps there are the user's times this.
    pub fn jump_unit(&self, order: usize) -> f64 {
        std::iter::repeat_n(self.distance, order).product()
    }

    /// The rows at a point.
    pub fn rows_at(&self, point: usize) -> &[usize] {
        &self.rows[self.starts[point]..self.starts[point + 1]]
    }

    pub fn sample(&self, y: &[f64], w: &[f64]) -> Sample {
        let n = self.len();
        let mut out =
            Sample { y: vec![0.0; n], w: vec![0.0; n], within: 0.0, spread: Spread::of(w) };
        let least = LEAST_WEIGHT * out.spread.total / n as f64;
        for point in 0..n {
            let rows = self.rows_at(point);
            if let &[row] = rows {
                out.w[point] = w[row].max(least);
                out.y[point] = y[row];
                continue;
            }
            let sum: f64 = rows.iter().map(|&r| w[r]).sum();
            let mean = if sum > 0.0 {
                rows.iter().map(|&r| w[r] * y[r]).sum::<f64>() / sum
            } else {
                rows.iter().map(|&r| y[r]).sum::<f64>() / rows.len() as f64
            };
            out.within += rows.iter().map(|&r| 0.5 * w[r] * (y[r] - mean).powi(2)).sum::<f64>();
            out.w[point] = sum.max(least);
            out.y[point] = mean;
        }
        out
    }

    pub fn with<'a>(&'a self, sample: &'a Sample) -> Points<'a> {
        Points { x: &self.x, y: &sample.y, w: &sample.w }
    }
}

/// Rows between two looks at the stop signal.
const RUN: usize = 1 << 16;

/// Row numbers by increasing x, equal ones in their order: runs are sorted, then merged in pairs.
fn sorted(x: &[f64], control: &Control) -> Result<Vec<usize>, Error> {
    let mut rows: Vec<usize> = (0..x.len()).collect();
    for run in rows.chunks_mut(RUN) {
        control.check()?;
        increasing(run, x);
    }
    let mut width = RUN;
    let mut other = vec![0; rows.len()];
    while width < rows.len() {
        for (from, to) in rows.chunks(2 * width).zip(other.chunks_mut(2 * width)) {
            let (left, right) = from.split_at(width.min(from.len()));
            let (mut l, mut r) = (0, 0);
            for (i, place) in to.iter_mut().enumerate() {
                if i % RUN == 0 {
                    control.check()?;
                }
                let first = r == right.len()
                    || (l < left.len() && x[left[l]].total_cmp(&x[right[r]]).is_le());
                if first {
                    *place = left[l];
                    l += 1;
                } else {
                    *place = right[r];
                    r += 1;
                }
            }
        }
        std::mem::swap(&mut rows, &mut other);
        width *= 2;
    }
    Ok(rows)
}

/// The discrete spline with values β at the points, at another place: the polynomial through the k + 1
/// points that end at its right neighbour (Tibshirani 2014, section 3).
pub fn interpolate(points: &[f64], beta: &[f64], order: usize, at: f64) -> f64 {
    let right = points.partition_point(|p| *p < at).min(points.len() - 1);
    let first = right.saturating_sub(order).min(points.len() - 1 - order);
    let (p, mut value) = (&points[first..=first + order], beta[first..=first + order].to_vec());
    // Neville's scheme.
    for r in 1..=order {
        for i in 0..=order - r {
            value[i] =
                ((at - p[i]) * value[i + 1] - (at - p[i + r]) * value[i]) / (p[i + r] - p[i]);
        }
    }
    value[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_ties_are_averaged_with_their_weights() {
        let grid = Grid::new(&[3.0, 1.0, 3.0, 7.0], 0, &Control::default()).unwrap();
        assert_eq!(grid.points, [1.0, 3.0, 7.0]);
        assert_eq!(grid.rows_at(1), [0, 2]);
        assert_eq!(grid.jump_unit(2), 9.0);
        let sample = grid.sample(&[1.0, 5.0, 4.0, 2.0], &[2.0, 1.0, 1.0, 1.0]);
        assert_eq!((sample.y, sample.w), (vec![5.0, 2.0, 2.0], vec![1.0, 3.0, 1.0]));
        assert_eq!((sample.within, sample.spread.total), (3.0, 5.0));
    }

    #[test]
    fn many_rows_are_sorted_as_few_are() {
        let n = 3 * RUN + 17;
        let x: Vec<f64> = (0..n).map(|i| ((i * 7919) % 10_007) as f64).collect();
        let mut rows: Vec<usize> = (0..n).collect();
        rows.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
        assert_eq!(sorted(&x, &Control::default()).unwrap(), rows);
    }

    #[test]
    fn too_few_points_are_an_error_with_their_number() {
        let error = Grid::new(&[1.0, 1.0, 2.0], 1, &Control::default());
        let error = error.err().unwrap().to_string();
        assert_eq!(error, "`x` has 2 distinct points; order 1 needs at least 3.");
    }

    #[test]
    fn interpolation_meets_the_points_and_polynomials() {
        let points = [0.0, 1.0, 1.5, 4.0, 6.0];
        for order in 0..=3 {
            let cubic = |x: f64| (0..=order).map(|r| (x - 1.0).powi(r as i32)).sum::<f64>();
            let beta: Vec<f64> = points.iter().map(|&x| cubic(x)).collect();
            for at in [-1.0, 0.0, 0.3, 1.0, 2.2, 4.0, 5.0, 6.0, 7.0] {
                let value = interpolate(&points, &beta, order, at);
                assert!((value - cubic(at)).abs() < 1e-10, "{order} {at}");
            }
        }
        // A step is continuous from the left.
        assert_eq!(interpolate(&points, &[1.0, 2.0, 3.0, 4.0, 5.0], 0, 1.2), 3.0);
    }
}
