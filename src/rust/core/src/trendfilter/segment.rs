//! The loops over the points of one segment, for each instruction set.
//!
//! Sums run in eight interleaved lanes, in one order on every processor; products and sums are not
//! fused, so that the bits do not depend on the processor either.

// `dispatch!` puts a body that is one call into a block of its own.
#![allow(unused_braces)]

use crate::linalg::lanes::dispatch;
use pulp::as_arrays;

const LANES: usize = 8;

/// Weighted moments of a segment in a Newton basis: Σ w N_r N_s (upper triangle) and Σ w y N_r.
#[derive(Clone, Copy, Debug)]
pub struct SegmentSums<const P: usize> {
    pub gram: [[f64; P]; P],
    pub response: [f64; P],
}

/// Points, responses and weights, all of one length.
#[derive(Clone, Copy)]
pub struct Points<'a> {
    pub x: &'a [f64],
    pub y: &'a [f64],
    pub w: &'a [f64],
}

impl<'a> Points<'a> {
    pub fn slice(&self, range: std::ops::Range<usize>) -> Points<'a> {
        Points { x: &self.x[range.clone()], y: &self.y[range.clone()], w: &self.w[range] }
    }
}

#[inline(always)]
fn add_moments<const P: usize>(points: Points, nodes: &[f64; P]) -> SegmentSums<P> {
    let mut gram = [[[0.0; LANES]; P]; P];
    let mut response = [[0.0; LANES]; P];
    let mut add = |x: &[f64; LANES], y: &[f64; LANES], w: &[f64; LANES]| {
        let mut basis = [[1.0; LANES]; P];
        for r in 1..P {
            for l in 0..LANES {
                basis[r][l] = basis[r - 1][l] * (x[l] - nodes[r - 1]);
            }
        }
        for r in 0..P {
            let mut weighted = [0.0; LANES];
            for l in 0..LANES {
                weighted[l] = w[l] * basis[r][l];
                response[r][l] += weighted[l] * y[l];
            }
            for s in r..P {
                for l in 0..LANES {
                    gram[r][s][l] += weighted[l] * basis[s][l];
                }
            }
        }
    };
    let (x, x_rest) = as_arrays::<LANES, _>(points.x);
    let (y, y_rest) = as_arrays::<LANES, _>(points.y);
    let (w, w_rest) = as_arrays::<LANES, _>(points.w);
    for ((x, y), w) in x.iter().zip(y).zip(w) {
        add(x, y, w);
    }
    if !x_rest.is_empty() {
        let pad = |v: &[f64]| std::array::from_fn(|l| v.get(l).copied().unwrap_or(0.0));
        add(&pad(x_rest), &pad(y_rest), &pad(w_rest));
    }
    let sum = |s: &[f64; LANES]| ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
    SegmentSums {
        gram: std::array::from_fn(|r| std::array::from_fn(|s| sum(&gram[r][s]))),
        response: std::array::from_fn(|r| sum(&response[r])),
    }
}

#[inline(always)]
fn evaluate_piece<const P: usize>(
    points: Points,
    nodes: &[f64; P],
    c: &[f64; P],
    beta: &mut [f64],
    residual: &mut [f64],
) {
    for (((x, y), w), (b, r)) in
        points.x.iter().zip(points.y).zip(points.w).zip(beta.iter_mut().zip(residual))
    {
        let mut value = c[P - 1];
        for l in (0..P - 1).rev() {
            value = c[l] + (x - nodes[l]) * value;
        }
        *b = value;
        *r = w * (y - value);
    }
}

dispatch! {
    fn moments_1(points: Points, nodes: &[f64; 1]) -> SegmentSums<1> { add_moments(points, nodes) }
    fn moments_2(points: Points, nodes: &[f64; 2]) -> SegmentSums<2> { add_moments(points, nodes) }
    fn moments_3(points: Points, nodes: &[f64; 3]) -> SegmentSums<3> { add_moments(points, nodes) }
    fn moments_4(points: Points, nodes: &[f64; 4]) -> SegmentSums<4> { add_moments(points, nodes) }
    fn piece_1(p: Points, nodes: &[f64; 1], c: &[f64; 1], beta: &mut [f64], residual: &mut [f64]) {
        evaluate_piece(p, nodes, c, beta, residual)
    }
    fn piece_2(p: Points, nodes: &[f64; 2], c: &[f64; 2], beta: &mut [f64], residual: &mut [f64]) {
        evaluate_piece(p, nodes, c, beta, residual)
    }
    fn piece_3(p: Points, nodes: &[f64; 3], c: &[f64; 3], beta: &mut [f64], residual: &mut [f64]) {
        evaluate_piece(p, nodes, c, beta, residual)
    }
    fn piece_4(p: Points, nodes: &[f64; 4], c: &[f64; 4], beta: &mut [f64], residual: &mut [f64]) {
        evaluate_piece(p, nodes, c, beta, residual)
    }
}

/// The sizes P = k + 1 for which the loops are compiled.
pub trait Order<const P: usize> {
    fn moments(points: Points, nodes: &[f64; P]) -> SegmentSums<P>;
    /// β of the polynomial with these coefficients, and w (y − β).
    fn piece(p: Points, nodes: &[f64; P], c: &[f64; P], beta: &mut [f64], residual: &mut [f64]);
}

pub struct Kernels;

macro_rules! order {
    ($p:literal, $moments:ident, $piece:ident) => {
        impl Order<$p> for Kernels {
            fn moments(points: Points, nodes: &[f64; $p]) -> SegmentSums<$p> {
                $moments(points, nodes)
            }
            fn piece(
                p: Points,
                nodes: &[f64; $p],
                c: &[f64; $p],
                beta: &mut [f64],
                residual: &mut [f64],
            ) {
                $piece(p, nodes, c, beta, residual)
            }
        }
    };
}
order!(1, moments_1, piece_1);
order!(2, moments_2, piece_2);
order!(3, moments_3, piece_3);
order!(4, moments_4, piece_4);
