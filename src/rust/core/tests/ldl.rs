//! The sparse factor: it solves, again and again in one pattern, in an order that keeps it sparse.

mod common;

use common::grid;
use wbb_core::error::Error;
use wbb_core::linalg::Pause;
use wbb_core::linalg::dissection::elimination_order;
use wbb_core::linalg::gram::Gram;
use wbb_core::linalg::graph::Graph;
use wbb_core::linalg::ldl::{Ldl, Symbolic, cost};
use wbb_core::linalg::sparse::{multiply, multiply_transposed};

#[test]
fn a_factor_solves_its_equations_again_and_again() {
    let d = grid(9);
    let graph = Graph::of_products(&[&d], &|| Ok(())).unwrap();
    let symbolic = Symbolic::new(&graph, &|| Ok(())).unwrap();
    let gram = Gram::new(d.clone());
    let mut ldl = Ldl::new(&symbolic);
    for round in 1..4 {
        let v: Vec<f64> = (0..d.rows()).map(|j| 1.0 + (j * round % 7) as f64).collect();
        let mut entries = vec![0.0; symbolic.entries()];
        gram.add(&v, &symbolic, &mut entries, &|| Ok(())).unwrap();
        ldl.factor(&entries, 1e-12, &|| Ok(())).unwrap();
        // D'VD does not see the constants.
        assert_eq!(ldl.rank(), 80);
        for j in 0..81 {
            entries[symbolic.column(j).end - 1] += 0.5;
        }
        ldl.factor(&entries, 1e-12, &|| Ok(())).unwrap();
        assert_eq!(ldl.rank(), 81);
        let b: Vec<f64> = (0..81).map(|i| f64::from(i * i % 7)).collect();
        let mut z = b.clone();
        ldl.solve(&mut z);
        let dz: Vec<f64> = multiply(&d, &z).iter().zip(&v).map(|(a, v)| a * v).collect();
        for ((left, z), b) in multiply_transposed(&d, &dz).iter().zip(&z).zip(&b) {
            assert!((left + 0.5 * z - b).abs() < 1e-10);
        }
    }
}

#[test]
fn dissection_is_cheaper_than_a_band_on_grids_and_stops_when_asked() {
    let d = grid(60);
    let pause: Pause = &|| Ok(());
    let graph = Graph::of_products(&[&d], pause).unwrap();
    let order = elimination_order(&graph, pause).unwrap();
    let ours = cost(&graph.reordered(&order), pause).unwrap();
    let band = cost(&graph, pause).unwrap();
    assert!(ours < 0.4 * band, "{ours} {band}");
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert!(sorted.iter().enumerate().all(|(i, &j)| i == j as usize));
    let stopped = elimination_order(&graph, &|| Err(Error::Cancelled));
    assert_eq!(stopped.err(), Some(Error::Cancelled));
}
