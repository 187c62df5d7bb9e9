//! Polynomials in the Newton basis of a knot: N_r(x) = Π_{l ≤ r} (x − x_{t+l}), r = 0 … k.
//!
//! Two pieces of a discrete spline that meet at knot t agree at the points x_{t+1} … x_{t+k}; in this
//! basis they share all coefficients but the last, which jumps. P = k + 1 throughout.

/// The nodes x_{t+1} … x_{t+k}; past the last point it is repeated. The last entry is not used.
pub fn nodes<const P: usize>(x: &[f64], t: usize) -> [f64; P] {
    std::array::from_fn(|l| x[(t + 1 + l).min(x.len() - 1)])
}

/// Coefficients at nodes `from` → coefficients at nodes `to` of the same polynomial, one node at a
/// time (nested multiplication, Horner's rule).
pub fn expand<const P: usize>(c: &mut [f64; P], from: &[f64; P], to: &[f64; P]) {
    let k = P - 1;
    let mut list = *from;
    for m in (0..k).rev() {
        for i in (0..k).rev() {
            c[i] += (to[m] - list[i]) * c[i + 1];
        }
        list.copy_within(0..k - 1, 1);
        list[0] = to[m];
    }
}

/// The transpose: a linear functional of the coefficients at `to` → the same of those at `from`.
pub fn pull_back<const P: usize>(f: &mut [f64; P], from: &[f64; P], to: &[f64; P]) {
    let k = P - 1;
    for m in 0..k {
        for i in 0..k {
            let at = if i + m + 1 < k { to[m + 1 + i] } else { from[i + m + 1 - k] };
            f[i + 1] += (to[m] - at) * f[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(c: &[f64; 4], nodes: &[f64; 4], x: f64) -> f64 {
        c[0] + (x - nodes[0]) * (c[1] + (x - nodes[1]) * (c[2] + (x - nodes[2]) * c[3]))
    }

    #[test]
    fn a_change_of_nodes_keeps_the_polynomial_and_its_functionals() {
        let (from, to) = ([5.0, 6.5, 7.0, 0.0], [1.0, 2.0, 4.0, 0.0]);
        let (b, f) = ([1.0, -2.0, 0.5, 0.25], [0.3, 1.0, -2.0, 0.7]);
        let (mut a, mut g) = (b, f);
        expand(&mut a, &from, &to);
        for x in [-1.0, 0.0, 3.0, 9.0] {
            assert!((value(&a, &to, x) - value(&b, &from, x)).abs() < 1e-11);
        }
        pull_back(&mut g, &from, &to);
        let dot = |u: &[f64; 4], v: &[f64; 4]| -> f64 { u.iter().zip(v).map(|(a, b)| a * b).sum() };
        assert!((dot(&f, &a) - dot(&g, &b)).abs() < 1e-11);
    }

    #[test]
    fn the_nodes_end_at_the_last_point() {
        assert_eq!(nodes::<4>(&[1.0, 2.0, 3.0, 4.0, 5.0], 0)[..3], [2.0, 3.0, 4.0]);
        assert_eq!(nodes::<3>(&[1.0, 2.0, 3.0], 2), [3.0; 3]);
    }
}
