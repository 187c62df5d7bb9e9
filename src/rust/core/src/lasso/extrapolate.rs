//! Extrapolation of the sweeps (Anderson 1965; Bertrand & Massias 2021).
//!
//! Near the minimum a sweep is an affine map, and a combination of some iterates in a row is far nearer
//! its fixed point than the last of them. Residuals combine as coefficients do, so that the objective on
//! the line to the combination costs no product with a column, and its minimum there is found exactly:
//! where signs still change, a combination taken whole would mostly go uphill.

use crate::linalg::cholesky::Cholesky;
use crate::linalg::dense::dot;
use crate::linalg::order::ascending;

/// Iterates that are combined.
const MEMORY: usize = 6;

/// Where sweeps stand, on their columns: β, and √w (y − ȳ − Xβ) less `level` times √w, or what else changes with β on a
/// line, and squares of a residual can be found from.
#[derive(Clone, Default)]
pub struct State {
    pub beta: Vec<f64>,
    pub residual: Vec<f64>,
    pub level: f64,
}

#[derive(Default)]
pub struct Extrapolation {
    points: Vec<State>,
}

/// The longest step along a combination: what is longer comes of rounding.
const LONGEST: f64 = 4.0;

/// An objective: its penalty, and r'Wr as a product of a state with a state, or with what is added to one.
pub struct Terms<'a> {
    pub l1: &'a [f64],
    pub ridge: &'a [f64],
    pub product: &'a dyn Fn(&State, &State) -> f64,
}

impl Extrapolation {
    pub fn forget(&mut self) {
        self.points.clear();
    }

    /// Note an iterate; once there are enough, move to the best point on the line to their combination.
    /// True if it moved.
    pub fn note(&mut self, state: &mut State, terms: &Terms) -> bool {
        self.points.push(state.clone());
        if self.points.len() < MEMORY {
            return false;
        }
        if let Some(along) = combine(&self.points) {
            go(state, &along, terms);
        }
        self.points.clear();
        true
    }
}

impl State {
    /// self += s other.
    fn add(&mut self, s: f64, other: &State) {
        let add = |out: &mut [f64], from: &[f64]| {
            out.iter_mut().zip(from).for_each(|(o, v)| *o += s * v);
        };
        add(&mut self.beta, &other.beta);
        add(&mut self.residual, &other.residual);
        self.level += s * other.level;
    }
}

/// The way from the last point to Σ cᵢ pointᵢ, with Σ cᵢ = 1 such that the combined change is least.
fn combine(points: &[State]) -> Option<State> {
    let changes: Vec<Vec<f64>> = points
        .windows(2)
        .map(|two| two[1].beta.iter().zip(&two[0].beta).map(|(b, a)| b - a).collect())
        .collect();
    let count = changes.len();
    let products: Vec<Vec<f64>> =
        (0..count).map(|a| (a..count).map(|b| dot(&changes[a], &changes[b])).collect()).collect();
    // Changes shrink from sweep to sweep and point the same way: a little ridge keeps the factor sound.
    let ridge = 1e-12 * (0..count).map(|a| products[a][0]).sum::<f64>();
    if ridge.is_nan() || ridge <= 0.0 {
        return None;
    }
    let mut factor = Cholesky::default();
    factor.factor(count, |row, out| {
        out.copy_from_slice(&products[row]);
        out[0] += ridge;
        ridge
    });
    let mut share = vec![1.0; count];
    factor.solve(&mut share);
    let total: f64 = share.iter().sum();
    // Of differences to the last point, which are small near the minimum, and their rounding with them.
    let last = &points[count];
    let mut along = State {
        beta: vec![0.0; last.beta.len()],
        residual: vec![0.0; last.residual.len()],
        level: 0.0,
    };
    for (point, share) in points[1..count].iter().zip(&share) {
        let mut way = point.clone();
        way.add(-1.0, last);
        along.add(share / total, &way);
    }
    Some(along)
}

/// Go to the minimum on a line: the objective is convex and piecewise quadratic, with a break where a
/// coefficient changes sign.
fn go(state: &mut State, along: &State, terms: &Terms) {
    let (mut slope, mut curvature) = ((terms.product)(state, along), (terms.product)(along, along));
    let mut breaks: Vec<(f64, usize)> = Vec::new();
    for (k, (&b, &d)) in state.beta.iter().zip(&along.beta).enumerate() {
        if d == 0.0 {
            continue;
        }
        curvature += terms.ridge[k] * d * d;
        slope += terms.ridge[k] * b * d;
        slope += if b == 0.0 { terms.l1[k] * d.abs() } else { terms.l1[k] * b.signum() * d };
        if b * d < 0.0 && terms.l1[k] > 0.0 {
            breaks.push((-b / d, k));
        }
    }
    let downhill = slope < 0.0 && curvature > 0.0 && curvature.is_finite();
    if !downhill {
        return;
    }
    ascending(&mut breaks);
    let (mut from, mut landing) = (0.0, None);
    for &(at, k) in &breaks {
        if from - slope / curvature <= at {
            break;
        }
        slope += curvature * (at - from) + 2.0 * terms.l1[k] * along.beta[k].abs();
        from = at;
        if slope >= 0.0 {
            landing = Some(k);
            break;
        }
    }
    let mut length = if landing.is_some() { from } else { from - slope / curvature };
    if length > LONGEST {
        (length, landing) = (LONGEST, None);
    }
    state.add(length, along);
    if let Some(k) = landing {
        state.beta[k] = 0.0;
    }
}
