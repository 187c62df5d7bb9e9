//! Random weights: the weight of row i in draw k is a function of (seed, k, i) alone.
//!
//! ChaCha8 is a counter-based generator: the seed is its key, the draw its stream, the row its
//! position. Any row of any draw can be made again without the others (the normalised laws,
//! Dirichlet and multinomial, need one pass over their own draw), so weights are never stored. No
//! law asks the system for a logarithm or a power: the bits are the same on every machine.

mod beside;
mod draw;
mod folds;
mod gamma;
mod plan;

pub use draw::DrawWeights;
pub use plan::WeightPlan;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::random::laws::{Law, PriorWeight};
    use statrs::distribution::{ContinuousCDF, Gamma};
    use statrs::function::gamma::gamma;

    const LAWS: [Law; 9] = [
        Law::Exponential,
        Law::Dirichlet(1.0),
        Law::Dirichlet(4.0),
        Law::Gamma(2.0),
        Law::Gamma(0.3),
        Law::Mammen,
        Law::Poisson,
        Law::Multinomial,
        Law::Ones,
    ];

    fn row_weights(plan: &WeightPlan, k: u64) -> Vec<f64> {
        let mut out = vec![0.0; plan.rows()];
        plan.draw(k).fill(0, &mut out);
        out
    }

    #[test]
    fn any_part_of_a_draw_is_the_same_as_in_the_whole() {
        for law in LAWS {
            let plan = WeightPlan::new(7, law, PriorWeight::Random, 700);
            let whole = row_weights(&plan, 3);
            let mut part = vec![0.0; 77];
            plan.draw(3).fill(501, &mut part);
            assert_eq!(part, whole[501..578], "{law:?}");
        }
    }

    #[test]
    fn moments_are_those_of_the_law() {
        // 200,000 weights: the mean is within 5 sd of 1 (false alarm 6e-7 a law), the variance within
        // 5 sd of its own (fourth central moment at most 9, so sd of the variance below 0.0064).
        let n = 200_000;
        for (law, variance) in [
            (Law::Exponential, 1.0),
            (Law::Gamma(4.0), 0.25),
            (Law::Mammen, 1.0),
            (Law::Poisson, 1.0),
        ] {
            let w = row_weights(&WeightPlan::new(11, law, PriorWeight::Fixed, n), 1);
            let mean = w.iter().sum::<f64>() / n as f64;
            let var = w.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
            assert!((mean - 1.0).abs() < 5.0 * (variance / n as f64).sqrt(), "{law:?} {mean}");
            assert!((var - variance).abs() < 5.0 * (8.0 / n as f64).sqrt(), "{law:?} {var}");
        }
    }

    #[test]
    fn gamma_weights_have_their_law() {
        // A distance from the distribution function above √(log(2/ε)/2n) has a chance below ε =
        // 1e-6 (Dvoretzky, Kiefer & Wolfowitz 1956; Massart 1990): 8e-6 for all. Mean and variance
        // at 5 standard errors, from the law's fourth moment: 6e-7 each.
        let n = 100_000;
        let bound = ((2.0f64 / 1e-6).ln() / (2.0 * n as f64)).sqrt();
        for shape in [0.05, 0.2, 0.7, 0.999, 1.001, 2.5, 9.0, 50.0] {
            let plan = WeightPlan::new(3, Law::Gamma(shape), PriorWeight::Fixed, n);
            let mut w = row_weights(&plan, 1);
            let moment =
                |power: i32| w.iter().map(|x| (x - 1.0).powi(power)).sum::<f64>() / n as f64;
            let (variance, fourth) = (1.0 / shape, (3.0 + 6.0 / shape) / (shape * shape));
            let mean = w.iter().sum::<f64>() / n as f64;
            assert!((mean - 1.0).abs() < 5.0 * (variance / n as f64).sqrt(), "{shape} {mean}");
            let spread = ((fourth - variance * variance) / n as f64).sqrt();
            assert!((moment(2) - variance).abs() < 5.0 * spread, "{shape} {}", moment(2));
            let law = Gamma::new(shape, shape).unwrap();
            // statrs takes 1e-15 for 0; the first term of the series is exact there.
            let below = |x: f64| match shape * x {
                small if small < 1e-12 => small.powf(shape) / gamma(shape + 1.0),
                _ => law.cdf(x),
            };
            w.sort_by(f64::total_cmp);
            let distance = w.iter().enumerate().map(|(i, x)| {
                let (p, i) = (below(*x), i as f64);
                (p - i / n as f64).max((i + 1.0) / n as f64 - p)
            });
            let distance = distance.fold(0.0, f64::max);
            assert!(distance < bound, "{shape}: {distance} {bound}");
        }
    }

    #[test]
    fn normalised_laws_sum_to_the_number_of_rows() {
        let sizes = [1, 700, 3, 296];
        let clusters: Vec<u32> = (0..4u32).flat_map(|g| vec![g; sizes[g as usize]]).collect();
        for law in [
            Law::Dirichlet(1.0),
            Law::Dirichlet(3.0),
            Law::Dirichlet(0.2),
            Law::Dirichlet(1e-4),
            Law::Multinomial,
        ] {
            let plan = WeightPlan::new(1, law, PriorWeight::Fixed, 1000);
            let clustered = plan.clone().with_clusters(clusters.clone()).unwrap();
            for plan in [plan, clustered] {
                let w = row_weights(&plan, 5);
                assert!((w.iter().sum::<f64>() - 1000.0).abs() < 1e-9, "{law:?}");
                assert!(w.iter().all(|w| *w >= 0.0));
            }
        }
    }

    #[test]
    fn clusters_of_one_size_are_counted() {
        let plan = WeightPlan::new(1, Law::Multinomial, PriorWeight::Fixed, 30);
        let w = row_weights(&plan.with_clusters((0..30).map(|i| i % 6).collect()).unwrap(), 2);
        assert!(w.iter().all(|w| w.fract() == 0.0), "{w:?}");
    }

    #[test]
    fn clusters_without_rows_are_refused() {
        let plan = || WeightPlan::new(1, Law::Ones, PriorWeight::Fixed, 4);
        for bad in [vec![0, 0, 2, 2], vec![1, 1, 1, 1], vec![0, 9, 1, 2]] {
            let refused = plan().with_clusters(bad);
            assert!(matches!(refused, Err(Error::Argument { argument: "cluster", .. })));
        }
    }

    #[test]
    fn clusters_share_and_case_weights_multiply() {
        for law in LAWS {
            let plan = WeightPlan::new(2, law, PriorWeight::Random, 4)
                .with_clusters(vec![0, 1, 0, 1])
                .and_then(|p| p.with_case_weights(vec![1.0, 1.0, 2.0, 0.0]))
                .unwrap();
            let w = row_weights(&plan, 9);
            assert_eq!((w[2], w[3]), (2.0 * w[0], 0.0), "{law:?}");
        }
    }

    #[test]
    fn seeds_draws_and_priors_differ() {
        let plan = |seed| WeightPlan::new(seed, Law::Exponential, PriorWeight::Random, 3);
        assert_ne!(row_weights(&plan(1), 1), row_weights(&plan(1), 2));
        assert_ne!(row_weights(&plan(1), 1), row_weights(&plan(2), 1));
        let (mut one, mut two) = ([0.0; 2], [0.0; 3]);
        plan(1).fill_prior(4, &mut one);
        plan(1).fill_prior(4, &mut two);
        assert_eq!(one, two[..2]);
    }

    #[test]
    fn bad_case_weights_are_refused() {
        let plan = || WeightPlan::new(1, Law::Ones, PriorWeight::Fixed, 2);
        for case in [vec![1.0], vec![-1.0, 1.0], vec![0.0, 0.0], vec![f64::NAN, 1.0]] {
            assert!(plan().with_case_weights(case).is_err());
        }
    }
}
