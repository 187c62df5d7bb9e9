//! Location and spread of a column of data.

/// Of a column: mean, standard deviation, root mean square; is it constant?
pub struct Moments {
    pub mean: f64,
    pub sd: f64,
    pub rms: f64,
    pub constant: bool,
}

/// Mean and standard deviation of a column given by its nonzeros, safe from overflow.
pub fn moments(
    entries: impl Iterator<Item = (usize, f64)> + Clone,
    rows: usize,
    total: f64,
    case: impl Fn(usize) -> f64,
) -> Moments {
    let (mut largest, mut low, mut high, mut stored) =
        (0.0f64, f64::INFINITY, f64::NEG_INFINITY, 0);
    for (_, v) in entries.clone() {
        largest = largest.max(v.abs());
        low = low.min(v);
        high = high.max(v);
        stored += 1;
    }
    if stored < rows {
        low = low.min(0.0);
        high = high.max(0.0);
    }
    if largest == 0.0 || low == high || rows == 0 {
        let mean = if stored < rows { 0.0 } else { high };
        return Moments { mean, sd: 0.0, rms: largest, constant: true };
    }
    let mut seen = 0.0;
    let mut sum = 0.0;
    for (i, v) in entries.clone() {
        seen += case(i);
        sum += case(i) * (v / largest);
    }
    let mean = sum / total;
    let mut square = (total - seen).max(0.0) * mean * mean;
    for (i, v) in entries {
        square += case(i) * (v / largest - mean).powi(2);
    }
    let sd = (square / total).sqrt();
    // Differences in the last digits only (or only in rows of weight zero) are no variation.
    let constant = sd <= 4.0 * f64::EPSILON;
    let rms = mean.hypot(sd) * largest;
    Moments { mean: mean * largest, sd: sd * largest, rms, constant }
}
