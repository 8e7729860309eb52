//! What the steps of a variable add up to on the cycles of its loop.

use crate::candidate::LoopContext;
use base::mutant::{Mutant, on};
use progress_map::PointId;
use std::collections::{BTreeMap, BTreeSet};

/// Whether every cycle through the loop's header passes one of `updates` (sorted).
pub(crate) fn on_every_cycle(context: LoopContext<'_, '_>, updates: &[PointId]) -> bool {
    every_cycle_passes(context, |point| updates.binary_search(&point).is_ok())
}

/// Whether every cycle through the loop's header passes a point that `counts`.
pub(crate) fn every_cycle_passes(context: LoopContext<'_, '_>, counts: impl Fn(PointId) -> bool) -> bool {
    let header = context.header();
    if counts(header) {
        return true;
    }
    let mut seen = BTreeSet::from([header]);
    let mut work = vec![header];
    while let Some(point) = work.pop() {
        for &succ in &context.info.flow.succs[point] {
            if succ == header {
                return false;
            }
            if context.info.loops.contains(context.in_loop, succ) && !counts(succ) && seen.insert(succ) {
                work.push(succ);
            }
        }
    }
    true
}

/// The change since the header, where it is the same on every path.
pub(crate) struct Offsets {
    /// Where it is not zero: at the start of a point. Sorted.
    pub at: Vec<(PointId, i64)>,
    /// Over a whole iteration.
    pub per_iteration: i64,
}

/// Adds up `steps` (sorted by point) from the header on; `None` when two paths to a point, inside inner loops too, differ.
pub(crate) fn offsets(context: LoopContext<'_, '_>, steps: &[(PointId, i64)]) -> Option<Offsets> {
    let header = context.header();
    let mut known: BTreeMap<PointId, i64> = BTreeMap::from([(header, 0)]);
    let mut per_iteration = None;
    let mut work = vec![header];
    while let Some(point) = work.pop() {
        let step = steps
            .binary_search_by_key(&point, |&(at, _)| at)
            .map_or(0, |found| steps[found].1);
        let after = known[&point].checked_add(step)?;
        for &succ in &context.info.flow.succs[point] {
            if !context.info.loops.contains(context.in_loop, succ) {
                continue;
            }
            let slot = if succ == header {
                &mut per_iteration
            } else {
                &mut known.get(&succ).copied()
            };
            match *slot {
                Some(before) if before != after && !on(Mutant::ConditionalIsUnconditional) => return None,
                Some(_) => {}
                None if succ == header => per_iteration = Some(after),
                None => {
                    known.insert(succ, after);
                    work.push(succ);
                }
            }
        }
    }
    let at = known.into_iter().filter(|&(_, offset)| offset != 0).collect();
    Some(Offsets {
        at,
        per_iteration: per_iteration?,
    })
}
