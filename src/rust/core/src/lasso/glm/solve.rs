//! Solve a batch of weighted problems of a family: pass over the data once for all, step each to the
//! minimum of its model, repeat.
//!
//! A model is made at a place and serves while it gains digits: Newton's method where the curvature is
//! cheap, its chord where a pass over the data is cheaper.

use super::attempt::{Attempt, FEW, Own, Setting};
use super::curvature::{curvature, curvatures};
use super::model::Model;
use super::pass::{pass, pass_alone};
use super::reweighted::{Rows, own_cost};
use super::state::{NEARLY, Next, State};
use super::task::{Data, Task};
use super::unseen;
use crate::engine::job::Control;
use crate::error::Error;
use crate::lasso::batch::End;
use crate::linalg::order::descending;
use std::borrow::BorrowMut;

/// Solve all tasks from their places; on return `found` belongs to the place.
pub fn solve<'a, A: BorrowMut<Attempt<'a>>>(
    set: Setting,
    attempts: &mut [A],
    control: &Control,
) -> Result<Vec<End>, Error> {
    attempts.iter_mut().for_each(|a| unseen::exclude(set.data, &mut a.borrow_mut().task));
    let mut states: Vec<State> = attempts.iter().map(|_| State::new(set)).collect();
    let mut rows = Rows::default();
    for round in 1.. {
        let mut open: Vec<&mut Task> = attempts
            .iter_mut()
            .zip(&states)
            .filter(|(_, s)| s.end.is_none())
            .map(|(a, _)| &mut a.borrow_mut().task)
            .collect();
        if open.is_empty() {
            break;
        }
        match open.as_mut_slice() {
            [one] if set.alone => pass_alone(set.data, one, control)?,
            all => pass(set.data, all, control)?,
        }
        let mut wanting: Vec<(&mut Attempt, &mut State)> = Vec::new();
        for (attempt, state) in
            attempts.iter_mut().zip(&mut states).filter(|(_, s)| s.end.is_none())
        {
            control.check()?;
            let attempt = attempt.borrow_mut();
            if let Next::Model = state.look(set, attempt, round, control)? {
                let coordinates = choose(set, &attempt.task, state.nearly);
                let task = &mut attempt.task;
                if !state.step_reweighted(set, task, &coordinates, &mut rows, control)? {
                    wanting.push((attempt, state));
                }
            }
        }
        make_models(set, &mut wanting, control)?;
        for (attempt, state) in wanting {
            control.check()?;
            state.step_by_own(set, attempt, round, control)?;
        }
    }
    // Every state has ended: the loop above leaves no other way.
    Ok(states.into_iter().filter_map(|s| s.end).collect())
}

/// Of each draw at its place.
fn make_models(
    set: Setting,
    wanting: &mut [(&mut Attempt, &mut State)],
    control: &Control,
) -> Result<(), Error> {
    let Setting { data, direct, .. } = set;
    let coordinates: Vec<Vec<u32>> =
        wanting.iter().map(|(a, s)| choose(set, &a.task, s.nearly)).collect();
    let grams = if direct {
        let mut tasks: Vec<&mut Task> = wanting.iter_mut().map(|(a, _)| &mut a.task).collect();
        curvatures(data, &mut tasks, control)?
    } else {
        let mut grams = Vec::with_capacity(wanting.len());
        for ((attempt, _), coordinates) in wanting.iter_mut().zip(&coordinates) {
            let Task { weights, place, .. } = &mut attempt.task;
            grams.push(curvature(data, weights, place, coordinates, control)?);
        }
        grams
    };
    for (((attempt, state), gram), coordinates) in wanting.iter_mut().zip(grams).zip(coordinates) {
        let intercepts = data.intercepts();
        let coordinates = if direct { (0..data.size() as u32).collect() } else { coordinates };
        let mut solver = attempt.own.take().map(|own| own.solver).unwrap_or_default();
        solver.forget();
        let model = Model { coordinates, intercepts, gram };
        attempt.own = Some(Own { model, made_at: attempt.task.place.clone(), solver });
        state.has_own();
    }
    Ok(())
}

/// Parts of its penalty that a slope has where a model of a path lets it in, if the model then costs at most so many times as much: it
/// serves several lambdas.
const AHEAD: [f64; 3] = [0.0, 0.3, 0.6];
const DEARER: f64 = 3.0;

/// The coordinates of a model: all where they are few, else the support, those without a kink, and
/// what is violated or nearly so; the worst of these where they are many.
fn choose(set: Setting, task: &Task, nearly: f64) -> Vec<u32> {
    let data = set.data;
    let chosen = nearest(data, task, nearly);
    if !set.path || data.size() <= FEW || nearly < NEARLY {
        return chosen;
    }
    let most = DEARER * own_cost(data, &chosen);
    let ahead = AHEAD.iter().map(|&nearly| nearest(data, task, nearly));
    ahead.into_iter().find(|more| own_cost(data, more) <= most).unwrap_or(chosen)
}

fn nearest(data: &Data, task: &Task, nearly: f64) -> Vec<u32> {
    let all = data.size() <= FEW;
    let (mut chosen, mut wanted) = (Vec::new(), Vec::new());
    for j in (0..data.size()).filter(|&j| task.penalty.l1[j].is_finite()) {
        let lack = task.lack(j);
        if all || lack == f64::INFINITY {
            chosen.push(j as u32);
        } else if lack >= nearly {
            wanted.push((lack, j));
        }
    }
    let most = chosen.len().max(FEW);
    if wanted.len() > most && nearly == NEARLY {
        descending(&mut wanted);
        wanted.truncate(most);
    }
    chosen.extend(wanted.into_iter().map(|w| w.1 as u32));
    chosen.sort_unstable();
    chosen
}
