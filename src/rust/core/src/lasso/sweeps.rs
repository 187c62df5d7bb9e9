//! Coordinate descent on a small problem in memory: cheap steps that never go uphill.

use super::extrapolate::{Extrapolation, State, Terms};
use super::quadratic::Quadratic;
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::dense::dot;
use crate::linalg::lanes::dispatch;
use crate::penalty::soft_threshold;

/// Sweeps before an exact method takes over, and sweeps without a change of sign that are enough.
const MOST: u32 = 200;
const QUIET: u32 = 8;
/// Sweeps that an approximate solution may take.
const ROUGH: u32 = 60;
/// Rounds of a solution by sweeps alone, and sweeps of the support in each.
const ROUNDS: u32 = 50;
const INNER: u32 = 8;
/// Coordinates up to which sweeps settle by themselves, and sweeps where they do not.
const FEW: usize = 64;
const MORE: u32 = 12;

/// Sweep until signs have stopped changing. `correlation` is b − (H + D)β throughout.
pub fn settle(
    q: &Quadratic,
    beta: &mut [f64],
    correlation: &mut [f64],
    control: &Control,
) -> Result<(), Error> {
    let mut quiet = 0;
    for sweep in 0..MOST {
        control.check()?;
        let (change, signs) = descend(q, beta, correlation, sweep % 4 != 0);
        quiet = if signs == 0 { quiet + 1 } else { 0 };
        let still = change == 0.0 && sweep % 4 == 0;
        if quiet >= QUIET || still {
            break;
        }
    }
    Ok(())
}

/// One sweep over all coordinates, then over the support until the changes are a small part of the
/// first; false if that takes too long. Zeros that this leaves violated are for the caller to find.
pub fn approach(q: &Quadratic, beta: &mut [f64], correlation: &mut [f64], part: f64) -> bool {
    let (first, _) = descend(q, beta, correlation, false);
    (0..ROUGH).any(|_| descend(q, beta, correlation, true).0 <= part * part * first)
}

/// Sweep until no step moves the fit by more than `least` (Hⱼⱼ Δ²); false if that takes too long. Where columns are nearly
/// as many as rows sweeps creep, and their combinations do not (Poisson, 1,000 × 1,000).
pub fn converge(q: &Quadratic, beta: &mut [f64], correlation: &mut [f64], least: f64) -> bool {
    // The correlation has the ridge in it: β'(H + D)β is a product of states.
    let product = |a: &State, b: &State| -dot(&a.residual, &b.beta);
    let ridge = vec![0.0; beta.len()];
    let terms = Terms { l1: &q.penalty.l1, ridge: &ridge, product: &product };
    let (mut extrapolation, many) = (Extrapolation::default(), beta.len() > FEW);
    (0..ROUNDS).any(|_| {
        if descend(q, beta, correlation, false).0 <= least {
            return true;
        }
        extrapolation.forget();
        let _settled = (0..if many { MORE } else { INNER }).any(|_| {
            if descend(q, beta, correlation, true).0 <= least {
                return true;
            }
            if many {
                let residual = correlation.to_vec();
                let mut state = State { beta: beta.to_vec(), residual, level: 0.0 };
                if extrapolation.note(&mut state, &terms) {
                    beta.copy_from_slice(&state.beta);
                    correlation.copy_from_slice(&state.residual);
                }
            }
            false
        });
        false
    })
}

/// A fixed number of sweeps.
pub fn sweep(q: &Quadratic, beta: &mut [f64], correlation: &mut [f64], count: u32) {
    for sweep in 0..count {
        descend(q, beta, correlation, sweep % 4 != 0);
    }
}

dispatch! {
    /// One sweep of coordinate descent; the largest Hⱼⱼ Δ², and the number of signs that changed.
    fn descend(
        q: &Quadratic,
        beta: &mut [f64],
        correlation: &mut [f64],
        support_only: bool,
    ) -> (f64, u32) {
        let p = beta.len();
        let mut largest = 0.0f64;
        let mut signs = 0;
        for j in 0..p {
            let old = beta[j];
            if support_only && old == 0.0 {
                continue;
            }
            let row = &q.row(j)[..p];
            let curvature = row[j] + q.penalty.ridge[j];
            if curvature <= 0.0 {
                continue;
            }
            let z = curvature.mul_add(old, correlation[j]);
            let new = soft_threshold(z, q.penalty.l1[j], curvature);
            let change = new - old;
            if change != 0.0 {
                for (c, &h) in correlation.iter_mut().zip(row) {
                    *c = (-change).mul_add(h, *c);
                }
                correlation[j] -= q.penalty.ridge[j] * change;
                beta[j] = new;
                signs += u32::from(old * new <= 0.0);
                largest = largest.max(curvature * change * change);
            }
        }
        (largest, signs)
    }
}
