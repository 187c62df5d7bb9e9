//! What must be true of code that reads bytes, whatever the bytes are: nothing panics, and what is not refused is what
//! the bytes say. Tests try bytes by chance, `make torture` those that a fuzzer finds.

use wbb_core::data::fields::{Column, Format, columns};
use wbb_core::data::lines::cut;
use wbb_core::engine::bootstrap;
use wbb_core::engine::cv::Lambda;
use wbb_core::engine::job::Control;
use wbb_core::engine::limits::Limits;
use wbb_core::engine::problem::Status;
use wbb_core::lasso::{Lasso, Options};
use wbb_core::linalg::sparse::compressed_columns;
use wbb_core::mlp::{Activation, Shape};
use wbb_core::moments::{Cases, Frame, Layout, Sums};
use wbb_core::random::laws::{Law, PriorWeight};
use wbb_core::random::weights::WeightPlan;

/// Bytes that are taken one after another, zeros where there are no more.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) =
            self.0.split_first().map_or((0, self.0), |(first, rest)| (*first, rest));
        self.0 = rest;
        first
    }

    fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end
    }

    /// Small whole numbers are likely, and so is any other number.
    fn number(&mut self) -> f64 {
        match self.byte() {
            0..128 => f64::from(self.byte()) - 100.0,
            128..192 => f64::from(self.byte()) / 64.0,
            _ => f64::from_le_bytes(std::array::from_fn(|_| self.byte())),
        }
    }

    fn numbers(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.number()).collect()
    }
}

/// A network comes back as it was, or is refused by its length.
pub fn network(bytes: &[u8]) {
    let mut reader = Reader(bytes);
    let sizes: Vec<usize> = (0..2 + reader.below(3)).map(|_| 1 + reader.below(20)).collect();
    let shape = Shape { sizes, activation: Activation::Relu };
    let kept = reader.0;
    match shape.decode(kept) {
        Ok(padded) => {
            let again: Vec<u8> =
                shape.compact(&padded).iter().flat_map(|p| p.to_le_bytes()).collect();
            assert_eq!(again, kept);
        }
        Err(_) => assert_ne!(kept.len(), 4 * shape.parameters()),
    }
}

/// Lines are the same in whatever parts they come.
pub fn lines(bytes: &[u8]) {
    let (all, lines) = cut(bytes, true);
    assert_eq!(all, bytes.len());
    assert!(lines <= bytes.len() as u64);
    let size = 1 + bytes.first().map_or(0, |byte| usize::from(*byte) % 16);
    let (mut waiting, mut text, mut counted) = (Vec::new(), Vec::new(), 0);
    for part in bytes.chunks(size) {
        waiting.extend_from_slice(part);
        let (end, lines) = cut(&waiting, false);
        text.extend(waiting.drain(..end));
        counted += lines;
        assert!(text.is_empty() || text.ends_with(b"\n"));
    }
    counted += cut(&waiting, true).1;
    text.extend(waiting);
    assert_eq!((text.as_slice(), counted), (bytes, lines));
    fields(bytes, lines as usize);
}

/// Columns have a field for each line, or a line is named that has too many or too few.
fn fields(bytes: &[u8], lines: usize) {
    for (count, dec) in [(1, b'.'), (2, b';'), (3, b'.')] {
        match columns(bytes, &Format { sep: b',', dec }, vec![false; count]) {
            Ok(columns) => assert!(columns.iter().all(|column| match column {
                Column::Numbers { values, .. } => values.len() == lines,
                Column::Text(values) => values.len() == lines,
            })),
            Err(odd) => assert!(odd.fields != count && (1..=lines).contains(&odd.line)),
        }
    }
}

/// A sparse matrix is refused, or all its entries are where it says, each once.
pub fn sparse(bytes: &[u8]) {
    let mut reader = Reader(bytes);
    let shape = (reader.below(9), reader.below(9));
    let starts: Vec<usize> = (0..shape.1 + reader.below(3)).map(|_| reader.below(40)).collect();
    let rows: Vec<usize> = (0..reader.below(40)).map(|_| reader.below(10)).collect();
    let more = usize::from(reader.byte() == 1);
    let values = reader.numbers(rows.len() + more);
    let (given, numbers) = (rows.clone(), values.clone());
    let Ok(matrix) = compressed_columns(shape, starts.clone(), rows, values, "x") else { return };
    assert_eq!((matrix.rows(), matrix.cols(), matrix.nnz()), (shape.0, shape.1, numbers.len()));
    let mut seen = vec![false; shape.0 * shape.1];
    for (j, column) in matrix.outer_iterator().enumerate() {
        for (k, (i, value)) in column.iter().enumerate() {
            let at = starts[j] - starts[0] + k;
            assert_eq!((i, value.to_bits()), (given[at], numbers[at].to_bits()));
            assert!(!std::mem::replace(&mut seen[i * shape.1 + j], true));
        }
    }
}

/// Sums of any numbers are refused, or their draws are numbers.
pub fn sums(bytes: &[u8]) {
    let mut reader = Reader(bytes);
    let (cols, draws) = (1 + reader.below(4), 1 + reader.below(3));
    let products = Layout::new(cols).products();
    let rows = u64::from(reader.byte());
    let (intercept, standardize) = (reader.byte() % 2 == 0, reader.byte() % 2 == 0);
    let lambda = reader.number().abs();
    let head = reader.below(5);
    let sums = Sums {
        cols,
        rows,
        frame: Frame { shift: reader.numbers(cols + 1), scale: reader.numbers(cols + 1) },
        low: reader.numbers(cols + 1),
        high: reader.numbers(cols + 1),
        unit: reader.numbers(products),
        folds: reader.numbers(products),
        draws: reader.numbers(draws * products),
        totals: reader.numbers(draws),
        cases: Cases { rows, total: reader.number(), squares: reader.number() },
        head_case: reader.numbers(head),
        head_unit: reader.numbers(head),
    };
    let options = Options {
        lambda: Lambda::Given(vec![lambda]),
        alpha: 1.0,
        penalty_factor: vec![1.0; cols],
        intercept,
        standardize,
        refit: None,
        limits: Limits { tolerance: 1e-8, iterations: 50 },
    };
    let plan = WeightPlan::new(1, Law::Exponential, PriorWeight::Fixed, rows as usize);
    let control = Control::default();
    let Ok(lasso) = Lasso::from_sums(sums, 1, plan, options, &control) else { return };
    let Ok(result) = bootstrap::run(&lasso, 1, draws, &control) else { return };
    for (k, status) in result.status.iter().enumerate() {
        let draw = result.theta.slice(ndarray::s![k, .., 0]);
        assert!(
            *status != Status::Converged || draw.iter().all(|value| value.is_finite()),
            "{draw}"
        );
    }
}
