//! The exact means against values of 50 digits.

use wbb_core::laplace::{posterior_mean, wbb_mean_fixed, wbb_mean_random};

#[test]
fn means_are_within_1e_12_of_fifty_digits() {
    // Made by tests/goldens/laplace.py; the table names the version of mpmath.
    let table = include_str!("goldens/laplace.csv");
    let mut compared = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let [y, lambda, exact @ ..] =
            &line.split(',').map(|cell| cell.parse().unwrap()).collect::<Vec<f64>>()[..]
        else {
            panic!("{line}");
        };
        let found = [
            posterior_mean(*y, *lambda, 1.0),
            wbb_mean_random(*y, *lambda),
            wbb_mean_fixed(*y, *lambda),
        ];
        for (k, (found, exact)) in found.iter().zip(exact).enumerate() {
            // Nothing is said of what no normal double holds.
            if !exact.is_nan() {
                let error = (found - exact).abs() / exact;
                assert!(
                    error < 1e-12,
                    "mean {k} at {y}, {lambda}: {found:e}, {exact:e}, {error:e}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 1500, "{compared}");
}

#[test]
fn a_standard_deviation_changes_the_units() {
    let table = include_str!("goldens/laplace.csv");
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        let (y, lambda, exact) = (cells[0], cells[1], cells[2]);
        // Powers of two change no digit.
        for sigma in [0.125, 4096.0] {
            let scaled = posterior_mean(y * sigma, lambda / sigma, sigma) / sigma;
            assert!(
                exact.is_nan() || (scaled - exact).abs() < 1e-12 * exact,
                "{y} {lambda} {sigma}"
            );
        }
    }
}
