//! One pass over rows that arrive in parts: the sums of all draws.

use super::frame::Frame;
use super::lanes::{Group, Weights};
use super::rows::{Rows, Stretch};
use super::sums::{Cases, Layout, Sums};
use crate::engine::feed::Feed;
use crate::engine::freedom::SAMPLE;
use crate::engine::job::{Control, Stage, for_parts};
use crate::error::Error;
use crate::linalg::lanes::LANES;
use crate::random::weights::WeightPlan;

/// What to sum.
pub struct Request {
    /// Columns of x.
    pub cols: usize,
    /// Number of the first row, counted from 0.
    pub first_row: u64,
    /// Rows to come, if that is known: for the progress alone.
    pub rows: Option<u64>,
    /// Draws, counted from 1.
    pub first_draw: u64,
    pub draws: usize,
    pub folds: u32,
}

/// Draws that share the products of columns.
const GROUP: usize = 16 * LANES;

/// Sum up what the feed brings. `plan` knows neither clusters nor case weights: they come with the rows.
pub fn collect(
    feed: &Feed<Rows>,
    request: &Request,
    plan: &WeightPlan,
    control: &Control,
) -> Result<Sums, Error> {
    control.begin(Stage::Rows, request.rows.unwrap_or(0));
    let layout = Layout::new(request.cols);
    let mut groups = groups(request, plan, layout);
    let mut seen = Seen::new(request.cols + 1);
    let mut frame: Option<Frame> = None;
    let mut rows = Stretch::new(request.first_row, request.cols + 1);
    let mut flush = |rows: &mut Stretch| -> Result<(), Error> {
        seen.look(rows);
        let frame = frame.get_or_insert_with(|| Frame::of(rows.columns.iter().map(Vec::as_slice)));
        rows.columns.iter_mut().enumerate().for_each(|(j, column)| frame.apply(j, column));
        if rows.fold.as_ref().is_none_or(Vec::is_empty) {
            rows.fold = Some(folds(plan, request.folds, rows));
        }
        for_parts(groups.iter_mut(), control, |_, group| group.add(rows, control))?;
        control.advance(rows.len() as u64);
        rows.follow();
        Ok(())
    };
    while let Some(part) = feed.next(control)? {
        let mut from = 0;
        while from < part.count {
            let (to, full) = rows.take(&part, from);
            if full {
                flush(&mut rows)?;
            }
            from = to;
        }
    }
    if rows.len() > 0 {
        flush(&mut rows)?;
    }
    let frame = frame.unwrap_or_else(|| Frame::of(std::iter::repeat_n(&[][..], request.cols + 1)));
    Ok(seen.into_sums(frame, &groups, layout))
}

/// Draws in groups of equal size, as many as make work for all threads; the unit weights are the last.
fn groups<'a>(request: &Request, plan: &'a WeightPlan, layout: Layout) -> Vec<Group<'a>> {
    let threads = rayon::current_num_threads();
    let panels = request.draws.div_ceil(GROUP).next_multiple_of(threads).max(1);
    let each = request.draws.div_ceil(panels).next_multiple_of(LANES).max(LANES);
    let group = |from: usize| {
        let count = each.min(request.draws - from);
        Group::new(Weights::draws(plan, request.first_draw + from as u64, count), layout)
    };
    let mut groups: Vec<Group> = (0..request.draws).step_by(each).map(group).collect();
    groups.push(Group::new(Weights::Folds(request.folds), layout));
    groups
}

fn folds(plan: &WeightPlan, count: u32, rows: &Stretch) -> Vec<u32> {
    let mut out = vec![0; rows.len()];
    match (&rows.unit, count) {
        (_, 0) => {}
        (None, _) => plan.fill_folds(count, rows.first as usize, &mut out),
        (Some(unit), _) => {
            for (place, &unit) in out.chunks_mut(1).zip(unit) {
                plan.fill_folds(count, unit as usize, place);
            }
        }
    }
    out
}

/// What a pass sees besides the sums.
struct Seen {
    rows: u64,
    low: Vec<f64>,
    high: Vec<f64>,
    cases: Cases,
    head_case: Vec<f64>,
    head_unit: Vec<f64>,
}

impl Seen {
    fn new(columns: usize) -> Seen {
        Seen {
            rows: 0,
            low: vec![f64::INFINITY; columns],
            high: vec![f64::NEG_INFINITY; columns],
            cases: Cases::default(),
            head_case: vec![f64::NAN; SAMPLE],
            head_unit: vec![f64::NAN; SAMPLE],
        }
    }

    /// Rows as the user has them.
    fn look(&mut self, rows: &Stretch) {
        self.rows += rows.len() as u64;
        for ((low, high), column) in self.low.iter_mut().zip(&mut self.high).zip(&rows.columns) {
            for v in column {
                *low = low.min(*v);
                *high = high.max(*v);
            }
        }
        for c in &rows.case {
            self.cases.rows += u64::from(*c > 0.0);
            self.cases.total += c;
            self.cases.squares += c * c;
        }
        let head = SAMPLE.saturating_sub(rows.first as usize).min(rows.len());
        for r in 0..head {
            let at = rows.first as usize + r;
            self.head_case[at] = rows.case[r];
            self.head_unit[at] = rows.unit.as_ref().map_or(at as f64, |u| u[r] as f64);
        }
    }

    fn into_sums(self, frame: Frame, groups: &[Group], layout: Layout) -> Sums {
        let table = |groups: &[Group], skip: usize| {
            let lanes: usize = groups.iter().map(Group::lanes).sum();
            let mut out = vec![0.0; lanes.saturating_sub(skip) * layout.products()];
            let places = out.chunks_exact_mut(layout.products());
            let all = groups.iter().flat_map(|g| (0..g.lanes()).map(move |k| (g, k)));
            all.skip(skip).zip(places).for_each(|((group, k), place)| group.copy_lane(k, place));
            out
        };
        let (draws, unit) = groups.split_at(groups.len() - 1);
        let mut own = table(unit, 0);
        let folds = own.split_off(layout.products());
        Sums {
            cols: layout.size() - 2,
            rows: self.rows,
            frame,
            low: self.low,
            high: self.high,
            unit: own,
            folds,
            draws: table(draws, 0),
            totals: draws.iter().flat_map(|g| g.totals.iter().copied()).collect(),
            cases: self.cases,
            head_case: self.head_case,
            head_unit: self.head_unit,
        }
    }
}
