//! What the flow graph of one function says about two points, by a search of its own.
//!
//! The search runs over states "at a point, before or after its effect". Within a loop it stays inside and does not cross
//! the cut: the edges into the header, or the effect of an update. A loop further in is one state: whoever reaches any of
//! its points can be anywhere in it.

use progress::{Relation, SameEpoch};
use progress_map::{Cut, Function, LoopId, Lov, PointId};
use std::collections::BTreeSet;

/// A point, before or after its effect.
type State = (PointId, bool);

/// Whether `point` is in the loop or in one inside it.
pub(super) fn lies_in(function: &Function, point: PointId, in_loop: LoopId) -> bool {
    let mut at = function.points[point].innermost_loop;
    while let Some(id) = at {
        if id == in_loop {
            return true;
        }
        at = function.loops[id].parent;
    }
    false
}

/// Checks that the flow inside one iteration of the loop of `last`, or in the whole function, is as `relation` has it.
pub(super) fn relation_holds(
    function: &Function,
    last: Option<&SameEpoch>,
    (a, b): (PointId, PointId),
    relation: Relation,
) -> Result<(), String> {
    let cuts: Vec<Option<(LoopId, &Lov)>> = match last {
        None => vec![None],
        Some(same) => {
            let lovs = function.loops[same.in_loop].lovs.iter();
            lovs.filter(|lov| lov.name == same.name)
                .map(|lov| Some((same.in_loop, lov)))
                .collect()
        }
    };
    // A proof does not say on which side of an update its points are taken: one choice must do.
    let sides = [(false, false), (false, true), (true, false), (true, true)];
    let holds = cuts.iter().any(|cut| {
        sides.iter().any(|&(after_a, after_b)| {
            let (a, b) = ((a, after_a), (b, after_b));
            let found = (
                reach(function, *cut, a).contains(&b),
                reach(function, *cut, b).contains(&a),
            );
            match relation {
                Relation::Before => found == (true, false),
                Relation::After => found == (false, true),
                Relation::Incomparable => found == (false, false),
                Relation::Equal | Relation::Unknown => false,
            }
        })
    });
    if holds {
        Ok(())
    } else {
        Err(format!(
            "the flow between {a:?} and {b:?} does not make one {}",
            relation.word()
        ))
    }
}

/// Everything that can follow `from`.
fn reach(function: &Function, cut: Option<(LoopId, &Lov)>, from: State) -> BTreeSet<State> {
    let outer = cut.map(|(in_loop, _)| in_loop);
    let mut seen = BTreeSet::new();
    let mut work: Vec<State> = alike(function, outer, from);
    while let Some((point, after)) = work.pop() {
        let next: Vec<State> = if after {
            let edges = function.edges.iter().filter(|&&(source, _)| source == point);
            let inside = edges.filter(|&&(_, to)| outer.is_none_or(|outer| lies_in(function, to, outer)));
            let uncut = inside.filter(|&&(_, to)| match cut {
                Some((in_loop, lov)) => {
                    !(matches!(lov.cut, Cut::Header { .. }) && to == function.loops[in_loop].header)
                }
                None => true,
            });
            uncut.map(|&(_, to)| (to, false)).collect()
        } else {
            let ends = cut.is_some_and(|(_, lov)| lov.cut == Cut::Updates && lov.updates.contains(&point));
            if ends { Vec::new() } else { vec![(point, true)] }
        };
        for state in next {
            for state in alike(function, outer, state) {
                if seen.insert(state) {
                    work.push(state);
                }
            }
        }
    }
    seen
}

/// A state, or all states of the loop directly inside `outer` that it lies in: those are one.
fn alike(function: &Function, outer: Option<LoopId>, (point, after): State) -> Vec<State> {
    let mut child = None;
    let mut at = function.points[point].innermost_loop;
    while at != outer {
        let Some(id) = at else { return vec![(point, after)] };
        child = Some(id);
        at = function.loops[id].parent;
    }
    match child {
        None => vec![(point, after)],
        Some(inner) => {
            let points = function
                .points
                .ids()
                .filter(|&point| lies_in(function, point, inner));
            // An update inside does not end the epoch for the loop as a whole: one can leave it without it.
            points.flat_map(|point| [(point, false), (point, true)]).collect()
        }
    }
}
