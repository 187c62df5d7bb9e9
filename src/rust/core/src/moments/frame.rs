//! The units that sums are made in: a shift and a scale for each column, so that digits are kept.

/// z = (x − shift) / scale. Scales are powers of two: dividing by them loses nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    pub shift: Vec<f64>,
    pub scale: Vec<f64>,
}

impl Frame {
    /// From the first rows of each column.
    pub fn of<'a>(columns: impl Iterator<Item = &'a [f64]>) -> Frame {
        let (shift, scale) = columns.map(describe).unzip();
        Frame { shift, scale }
    }

    /// Put the numbers of column j into these units.
    pub fn apply(&self, j: usize, values: &mut [f64]) {
        let (shift, scale) = (self.shift[j], self.scale[j]);
        values.iter_mut().for_each(|v| *v = (*v - shift) / scale);
    }
}

/// Mean, and the power of two below the standard deviation.
fn describe(values: &[f64]) -> (f64, f64) {
    let largest = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    if values.is_empty() || largest == 0.0 {
        return (0.0, 1.0);
    }
    // Divided by the largest: squares of 1e200 are not finite.
    let count = values.len() as f64;
    let mean = values.iter().map(|v| v / largest).sum::<f64>() / count;
    let square = values.iter().map(|v| (v / largest - mean).powi(2)).sum::<f64>() / count;
    let size = if square > 0.0 { square.sqrt() * largest } else { largest };
    (mean * largest, power_of_two(size))
}

/// The largest power of two that is not above a positive number; 1 where there is none to speak of.
fn power_of_two(value: f64) -> f64 {
    if value.is_normal() { f64::from_bits(value.to_bits() & 0x7ff0_0000_0000_0000) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_powers_of_two_at_any_size() {
        let columns: [&[f64]; 4] = [&[1e6, 1e6 + 6.0], &[7.0; 3], &[0.0; 2], &[1e300, -1e300]];
        let frame = Frame::of(columns.into_iter());
        assert_eq!(frame.shift, [1e6 + 3.0, 7.0, 0.0, 0.0]);
        assert_eq!(frame.scale[..3], [2.0, 4.0, 1.0]);
        assert!(frame.scale[3] <= 1e300 && frame.scale[3] > 0.5e300);
        let mut values = [1e6, 1e6 + 6.0];
        frame.apply(0, &mut values);
        assert_eq!(values, [-1.5, 1.5]);
    }
}
