//! Order 0, exactly, in time linear in n: Johnson's (2013) dynamic programme with weights.
//!
//! The derivative of the cost of all points up to i, as a function of βᵢ, is piecewise linear and
//! increasing; the step to the next point clips it to ±cᵢ. Its breaks live in a double-ended queue,
//! two enter and each leaves once. Going back, βᵢ is βᵢ₊₁ clipped to the interval that the clipping left.

use crate::engine::job::Control;
use crate::error::Error;

/// Points between two looks at the stop signal.
const RUN: usize = 1 << 14;

/// argmin ½ Σ wᵢ (yᵢ − βᵢ)² + Σ cᵢ |βᵢ₊₁ − βᵢ|, for positive weights and c.
pub fn solve(y: &[f64], w: &[f64], c: &[f64], control: &Control) -> Result<Vec<f64>, Error> {
    let n = y.len();
    if n < 2 {
        return Ok(y.to_vec());
    }
    // Breaks of the derivative, with the change of slope and of intercept on crossing each.
    let mut breaks = vec![Break::default(); 2 * n];
    let (mut low, mut high) = (vec![0.0; n - 1], vec![0.0; n - 1]);
    let (mut left, mut right) = (n, n - 1);
    let mut before = 0.0;
    for i in 0..n - 1 {
        if i % RUN == 0 {
            control.check()?;
        }
        let c = c[i];
        // From the left the derivative is w β − w y − before; find where it rises through −c.
        let (mut slope, mut level) = (w[i], -w[i] * y[i] - before);
        let mut lo = left;
        while lo <= right && slope * breaks[lo].at + level <= -c {
            slope += breaks[lo].slope;
            level += breaks[lo].level;
            lo += 1;
        }
        let (mut down_slope, mut down_level) = (-w[i], w[i] * y[i] - before);
        let mut hi = right;
        while hi + 1 > lo && -down_slope * breaks[hi].at - down_level >= c {
            down_slope += breaks[hi].slope;
            down_level += breaks[hi].level;
            hi -= 1;
        }
        low[i] = (-c - level) / slope;
        left = lo - 1;
        breaks[left] = Break { at: low[i], slope, level: level + c };
        high[i] = (c + down_level) / -down_slope;
        right = hi + 1;
        breaks[right] = Break { at: high[i], slope: down_slope, level: down_level + c };
        before = c;
    }
    let (mut slope, mut level) = (w[n - 1], -w[n - 1] * y[n - 1] - before);
    for b in &breaks[left..=right] {
        if slope * b.at + level > 0.0 {
            break;
        }
        slope += b.slope;
        level += b.level;
    }
    let mut beta = vec![0.0; n];
    beta[n - 1] = -level / slope;
    for i in (0..n - 1).rev() {
        if i % RUN == 0 {
            control.check()?;
        }
        beta[i] = beta[i + 1].clamp(low[i], high[i].max(low[i]));
    }
    Ok(beta)
}

#[derive(Clone, Copy, Default)]
struct Break {
    at: f64,
    slope: f64,
    level: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_points_meet_when_the_penalty_is_strong() {
        let solve = |y: &[f64], w: &[f64], c: &[f64]| solve(y, w, c, &Control::default()).unwrap();
        assert_eq!(solve(&[0.0, 4.0], &[1.0, 1.0], &[1.0]), [1.0, 3.0]);
        assert_eq!(solve(&[0.0, 4.0], &[3.0, 1.0], &[50.0]), [1.0, 1.0]);
        assert_eq!(solve(&[7.0], &[1.0], &[]), [7.0]);
    }
}
