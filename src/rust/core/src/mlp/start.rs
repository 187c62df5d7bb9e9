//! Where the training of a network begins.

use super::network::Shape;
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::elementary::{normal, unit};
use crate::random::streams::random_stream;
use rand::RngCore;

/// Numbers between two looks for a stop.
const PIECE: usize = 1 << 16;

/// The start of draw k, padded: normal weights, zero biases.
pub fn start(shape: &Shape, seed: u64, draw: u64, control: &Control) -> Result<Vec<f32>, Error> {
    let mut rng = random_stream(seed, b"wbb network start, rev 1", draw);
    let mut number = || unit(rng.next_u64().to_le_bytes());
    let mut compact = vec![0.0f32; shape.parameters()];
    let mut rest = &mut compact[..];
    for sizes in shape.sizes.windows(2) {
        let sd = (shape.activation.gain() / sizes[0] as f64).sqrt();
        let (weights, after) = rest.split_at_mut(sizes[0] * sizes[1]);
        for piece in weights.chunks_mut(PIECE) {
            control.check()?;
            piece.iter_mut().for_each(|w| *w = (sd * normal(number(), number())) as f32);
        }
        rest = &mut after[sizes[1]..];
    }
    Ok(shape.expand(&compact))
}

#[cfg(test)]
mod tests {
    use super::super::units::Activation;
    use super::*;

    #[test]
    fn weights_have_the_variance_of_their_activation_and_biases_are_zero() {
        for (activation, gain) in [(Activation::Relu, 2.0), (Activation::Tanh, 1.0)] {
            let shape = Shape { sizes: vec![100, 500, 1], activation };
            let all = start(&shape, 1, 0, &Control::default()).unwrap();
            let layer = shape.layers()[0];
            let rows = all[layer.weights()].chunks_exact(layer.width);
            let square: f64 = rows
                .flat_map(|row| &row[..layer.outputs])
                .map(|w| f64::from(*w) * f64::from(*w))
                .sum();
            // 50,000 squares of mean gain / 100: five standard deviations are 3 %.
            assert!((square / 500.0 / gain - 1.0).abs() < 0.032);
            assert!(all[layer.biases()].iter().all(|b| *b == 0.0));
        }
    }

    #[test]
    fn a_stop_is_heard() {
        let shape = Shape { sizes: vec![2, 2], activation: Activation::Relu };
        let control = Control::default();
        control.stop();
        assert_eq!(start(&shape, 1, 0, &control).unwrap_err(), Error::Cancelled);
    }
}
