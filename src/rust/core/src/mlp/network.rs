//! A network: its shape, its parameters in one vector, and the way there and back.

use super::data::Rows;
use super::units::Activation;
use crate::engine::job::Control;
use crate::error::Error;
use crate::linalg::single::{
    DenseRows, Transposed, add_rows, forward, gradient, padded, sparse_forward, sparse_gradient,
    transpose,
};

/// Sizes from the inputs to the outputs.
#[derive(Clone, Debug)]
pub struct Shape {
    pub sizes: Vec<usize>,
    pub activation: Activation,
}

/// One layer's place in the vector of parameters: weights by input, rows padded, then the biases.
#[derive(Clone, Copy, Debug)]
pub struct Layer {
    pub inputs: usize,
    pub outputs: usize,
    /// Outputs with their padding.
    pub width: usize,
    pub start: usize,
}

impl Layer {
    pub fn weights(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.inputs * self.width
    }

    pub fn biases(&self) -> std::ops::Range<usize> {
        let start = self.weights().end;
        start..start + self.width
    }
}

impl Shape {
    pub fn layers(&self) -> Vec<Layer> {
        let mut start = 0;
        let layer = |pair: &[usize]| {
            let (inputs, outputs, width) = (pair[0], pair[1], padded(pair[1]));
            let layer = Layer { inputs, outputs, width, start };
            start = layer.biases().end;
            layer
        };
        self.sizes.windows(2).map(layer).collect()
    }

    /// Weights and biases, without padding.
    pub fn parameters(&self) -> usize {
        self.sizes.windows(2).map(|s| (s[0] + 1) * s[1]).sum()
    }

    /// The parameters without padding: by layer, weights by input, then biases.
    pub fn compact(&self, padded: &[f32]) -> Vec<f32> {
        let mut out = Vec::with_capacity(self.parameters());
        for layer in self.layers() {
            let all = layer.weights().start..layer.biases().end;
            padded[all].chunks_exact(layer.width).for_each(|row| {
                out.extend_from_slice(&row[..layer.outputs]);
            });
        }
        out
    }

    /// The way back from `compact`.
    pub fn expand(&self, compact: &[f32]) -> Vec<f32> {
        let layers = self.layers();
        let mut out = vec![0.0; layers.last().map_or(0, |l| l.biases().end)];
        let mut from = compact;
        for layer in layers {
            let all = layer.weights().start..layer.biases().end;
            for row in out[all].chunks_exact_mut(layer.width) {
                let (now, rest) = from.split_at(layer.outputs);
                row[..layer.outputs].copy_from_slice(now);
                from = rest;
            }
        }
        out
    }

    /// The padded parameters of a network that was kept as bytes, four a number, the least first.
    pub fn decode(&self, bytes: &[u8]) -> Result<Vec<f32>, Error> {
        let (found, wanted) = (bytes.len(), 4 * self.parameters());
        if found != wanted {
            let text = format!("holds a network of {found} bytes, not {wanted}");
            return Err(Error::argument("object", text));
        }
        let number = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        Ok(self.expand(&bytes.chunks_exact(4).map(number).collect::<Vec<f32>>()))
    }
}

/// Room for the units and errors of a block of rows; made once for a thread's draw.
pub struct Workspace {
    layers: Vec<Layer>,
    activation: Activation,
    /// Outputs of each layer, rows of its width.
    units: Vec<Vec<f32>>,
    /// Errors at the outputs of the layer we are in, and of the one before.
    errors: [Vec<f32>; 2],
    transposed_weights: Vec<f32>,
    transposed_rows: Transposed,
    zeros: Vec<f32>,
    every_row: Vec<u32>,
}

impl Workspace {
    pub fn new(shape: &Shape, block: usize) -> Workspace {
        let layers = shape.layers();
        let widest = layers.iter().map(|l| l.width).max().unwrap_or(0);
        let largest = layers.iter().skip(1).map(|l| l.outputs * padded(l.inputs)).max();
        Workspace {
            units: layers.iter().map(|l| vec![0.0; block * l.width]).collect(),
            errors: [vec![0.0; block * widest], vec![0.0; block * widest]],
            transposed_weights: vec![0.0; largest.unwrap_or(0)],
            transposed_rows: Transposed::default(),
            zeros: vec![0.0; widest],
            every_row: (0..block as u32).collect(),
            activation: shape.activation,
            layers,
        }
    }

    /// The outputs (scores, before any softmax) of these rows, in rows of the last layer's width. A stop
    /// is looked for in every layer: one may be wide.
    pub fn forward(
        &mut self,
        parameters: &[f32],
        x: &Rows,
        count: usize,
        control: &Control,
    ) -> Result<&mut [f32], Error> {
        for (l, layer) in self.layers.iter().enumerate() {
            control.check()?;
            let (weights, bias) = (&parameters[layer.weights()], &parameters[layer.biases()]);
            let (before, rest) = self.units.split_at_mut(l);
            let out = &mut rest[0][..count * layer.width];
            match (before.last(), x) {
                (Some(values), _) => {
                    let units = hidden_rows(values, layer, &self.every_row[..count]);
                    forward(units, weights, bias, out);
                }
                (None, Rows::Dense(x)) => forward(*x, weights, bias, out),
                (None, Rows::Sparse(x)) => sparse_forward(*x, weights, bias, out),
            }
            if l + 1 < self.layers.len() {
                self.activation.apply(out);
            }
        }
        Ok(self.outputs(count).0)
    }

    /// The outputs of the last `forward`, and room for the errors there.
    pub fn outputs(&mut self, count: usize) -> (&mut [f32], &mut [f32]) {
        let size = count * self.layers.last().map_or(0, |l| l.width);
        let units = self.units.last_mut().map_or(&mut [][..], |u| &mut u[..size]);
        (units, &mut self.errors[0][..size])
    }

    /// gradient += that of the rows of the last `forward`, from the errors at its outputs.
    pub fn backward(
        &mut self,
        parameters: &[f32],
        x: &Rows,
        count: usize,
        total: &mut [f32],
        control: &Control,
    ) -> Result<(), Error> {
        for (l, layer) in self.layers.iter().enumerate().rev() {
            control.check()?;
            let [errors, next] = &mut self.errors;
            let errors_here = &errors[..count * layer.width];
            add_rows(errors_here, &mut total[layer.biases()]);
            let out = &mut total[layer.weights()];
            if l == 0 {
                match x {
                    Rows::Dense(x) => gradient(*x, errors_here, layer.width, out),
                    Rows::Sparse(x) => {
                        self.transposed_rows.gather(x, layer.inputs);
                        sparse_gradient(&self.transposed_rows, errors_here, layer.width, out);
                    }
                }
                break;
            }
            let before = &self.units[l - 1];
            let rows = &self.every_row[..count];
            gradient(hidden_rows(before, layer, rows), errors_here, layer.width, out);
            control.check()?;
            // Errors of the units before: errors · weights'.
            let width = padded(layer.inputs);
            let weights = &mut self.transposed_weights[..layer.outputs * width];
            transpose(&parameters[layer.weights()], layer.width, layer.outputs, weights, width);
            control.check()?;
            let (values, columns) = (errors_here, layer.outputs);
            let here = DenseRows { values, stride: layer.width, columns, which: rows };
            let out = &mut next[..count * width];
            forward(here, weights, &self.zeros[..width], out);
            self.activation.pull_back(&before[..count * width], out);
            self.errors.swap(0, 1);
        }
        Ok(())
    }
}

/// The units that a hidden layer reads.
fn hidden_rows<'a>(values: &'a [f32], layer: &Layer, which: &'a [u32]) -> DenseRows<'a> {
    DenseRows { values, stride: padded(layer.inputs), columns: layer.inputs, which }
}
