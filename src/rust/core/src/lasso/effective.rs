//! How many coefficients a ridge leaves of those that are not zero: tr H(H + D)⁻¹ on the support.

use crate::linalg::cholesky::Cholesky;
use crate::linalg::dense::dot;
use crate::random::streams::random_stream;
use ndarray::ArrayView2;
use rand::RngCore;

/// Random signs that estimate a trace (Hutchinson 1990): its relative error is below √(2/(PROBES m)).
const PROBES: u64 = 32;

/// As a share of the support, in (0, 1].
pub fn effective_share(gram: ArrayView2<f64>, ridge: &[f64]) -> f64 {
    let m = ridge.len();
    if m == 0 || ridge.iter().all(|d| *d == 0.0) {
        return 1.0;
    }
    let mut factor = Cholesky::default();
    factor.factor(m, |row, out| {
        out.iter_mut().zip(gram.row(row).iter().skip(row)).for_each(|(o, h)| *o = *h);
        out[0] += ridge[row];
        ridge[row]
    });
    let mut sum = 0.0;
    for probe in 0..PROBES {
        let mut rng = random_stream(0, b"wbb trace probes,  rev 1", probe);
        let signs: Vec<f64> =
            (0..m).map(|_| if rng.next_u64() & 1 == 0 { 1.0 } else { -1.0 }).collect();
        let mut solved = signs.clone();
        factor.solve(&mut solved);
        // z'H(H + D)⁻¹z = z'z − z'D(H + D)⁻¹z.
        let shrunk: Vec<f64> = solved.iter().zip(ridge).map(|(s, d)| s * d).collect();
        sum += m as f64 - dot(&signs, &shrunk);
    }
    (sum / (PROBES as f64 * m as f64)).clamp(f64::EPSILON, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn a_diagonal_matrix_has_its_known_share() {
        let gram = Array2::from_diag(&ndarray::arr1(&[1.0, 3.0, 4.0]));
        let share = effective_share(gram.view(), &[1.0, 1.0, 0.0]);
        assert!((share - (0.5 + 0.75 + 1.0) / 3.0).abs() < 1e-12, "{share}");
        assert_eq!(effective_share(gram.view(), &[0.0; 3]), 1.0);
    }
}
