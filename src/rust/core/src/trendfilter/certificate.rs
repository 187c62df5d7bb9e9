//! How far a point is from the minimum, proved by duality.
//!
//! P(β) = ½ Σ wᵢ (yᵢ − βᵢ)² + Σ c_j |(Dβ)_j|. Any u with |u_j| ≤ c_j gives the lower bound
//! u'Dy − ½ Σ (D'u)ᵢ² / wᵢ. Ours is u = s (D')⁻¹ r with r = W(y − β) and the largest s ≤ 1 that fits
//! into the box, so that the bound is s r'y − ½ s² r'W⁻¹r without a division by a weight.

use super::active::FoundTrend;

/// The least objective that gaps are measured against, as a part of that of the mean.
const FLOOR: f64 = 1e-10;

#[derive(Clone, Copy, Debug)]
pub struct Certificate {
    pub objective: f64,
    /// Relative to the objective.
    pub gap: f64,
    /// Σ w (y − β)².
    pub squares: f64,
}

/// `extra` is a part of the objective that does not depend on β.
pub fn certify(found: &FoundTrend, y: &[f64], w: &[f64], c: &[f64], extra: f64) -> Certificate {
    let (mut squares, mut along) = (0.0, 0.0);
    for ((r, b), y) in found.residual.iter().zip(&found.beta).zip(y) {
        squares += r * (y - b);
        along += r * b;
    }
    let penalty: f64 =
        found.knots.at.iter().zip(&found.knots.jump).map(|(&t, jump)| c[t] * jump.abs()).sum();
    let inside = found
        .dual
        .iter()
        .zip(c)
        .fold(1.0f64, |s, (u, c)| if u.abs() * s > *c { c / u.abs() } else { s });
    let objective = 0.5 * squares + penalty;
    // P − D(s) with r'y = r'W⁻¹r + r'β, in differences that do not cancel.
    let short = 1.0 - inside;
    let gap = (penalty - inside * along + 0.5 * short * short * squares).abs() + found.slip;
    let total: f64 = w.iter().sum();
    let mean = y.iter().zip(w).map(|(y, w)| y * w).sum::<f64>() / total;
    let spread: f64 = y.iter().zip(w).map(|(y, w)| w * (y - mean) * (y - mean)).sum();
    let size = (objective + extra).max(FLOOR * 0.5 * spread);
    Certificate {
        objective: objective + extra,
        gap: if gap == 0.0 { 0.0 } else { gap / size },
        squares,
    }
}
