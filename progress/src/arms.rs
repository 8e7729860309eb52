//! Where a task may be that computes at the position of a decision.
//!
//! The jump that leaves an arm of a conditional may carry the position of the decision: clang gives it to the end of the first arm of
//! `?:` at any level, and from `-Og` on to a second look at the condition behind the arm of an `if`. A task that computes there, and
//! is in no call, is then before or behind what the arms do. So a decision stands for all points of its arms as well.
//!
//! **Arms.** Of an `if` or `switch`: the points in its arms by the scopes of the source, also those that leave a loop or the function. Of a
//! decision within an expression (`?:`, `&&`, `||`): the points from which the other outcome does not come by in the same iteration, and
//! the arms of decisions of the same statement among them. The condition of a loop has none: a task that spins in it is
//! where it seems to be.

use base::{Id, IdVec};
use progress_map::{Function, PointId, PointKind, ScopeId, ScopeKind};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// So many outcomes of one decision are told apart.
const MOST_OUTCOMES: usize = 64;

/// The arms of decisions of one function, those of a line together; made when first asked for. A generated function has a hundred
/// thousand decisions, and a job hangs at a few of them.
pub(crate) type Arms = Mutex<BTreeMap<Vec<PointId>, Arc<[PointId]>>>;

/// The points of the arms of all of `decisions`, sorted.
pub(crate) fn arms(function: &Function, decisions: &[PointId]) -> Vec<PointId> {
    let mut all = vec![false; function.points.len()];
    let mut asked = all.clone();
    let mut work = decisions.to_vec();
    while let Some(decision) = work.pop() {
        if std::mem::replace(&mut asked[decision.index()], true) {
            continue;
        }
        let scope = function.points[decision].scope;
        for point in own_arms(function, decision) {
            all[point.index()] = true;
            if function.points[point].scope == scope && is_decision(function, point) {
                work.push(point);
            }
        }
    }
    let points = function.points.ids();
    points.filter(|point| all[point.index()]).collect()
}

/// Whether a point decides which way a task goes.
pub(crate) fn is_decision(function: &Function, point: PointId) -> bool {
    function.points[point].kind == PointKind::Branch
}

/// The points of the arms of one decision, without those of other decisions of its statement.
fn own_arms(function: &Function, decision: PointId) -> Vec<PointId> {
    let scope = function.points[decision].scope;
    let mut found = match function.scopes[scope].kind {
        ScopeKind::Branch => in_arms_of(function, scope),
        _ => Vec::new(),
    };
    found.extend(on_one_side(function, decision));
    found
}

/// The points in the arms of the branch statement `scope`.
fn in_arms_of(function: &Function, scope: ScopeId) -> Vec<PointId> {
    let mut inside: IdVec<ScopeId, bool> = function.scopes.iter().map(|_| false).collect();
    // Parents have smaller ids.
    for (id, each) in function.scopes.iter_enumerated() {
        let is_arm = matches!(each.kind, ScopeKind::Arm(_)) && each.parent == Some(scope);
        inside[id] = is_arm || each.parent.is_some_and(|parent| parent < id && inside[parent]);
    }
    let points = function.points.iter_enumerated();
    points
        .filter(|(_, point)| inside[point.scope])
        .map(|(id, _)| id)
        .collect()
}

/// The points that follow one outcome of a decision only, in the same iteration of the loop around it. None where an outcome leaves
/// that loop or begins it anew.
fn on_one_side(function: &Function, decision: PointId) -> Vec<PointId> {
    let around = function.points[decision].innermost_loop;
    let stays = |point: PointId| {
        around.is_none_or(|id| {
            function.loops[id].header != point && function.loops_around(point).any(|at| at == id)
        })
    };
    let outcomes = Vec::from_iter(function.successors(decision));
    if outcomes.len() < 2 || !outcomes.iter().all(|&outcome| stays(outcome)) {
        return Vec::new();
    }
    // A generated switch has thousands of outcomes. All that follows any of them is taken: that is more than its arms, and never less.
    let groups = match outcomes.len() {
        0..=MOST_OUTCOMES => outcomes.chunks(1),
        many => outcomes.chunks(many),
    };
    let mut times = vec![0; function.points.len()];
    for outcomes in groups {
        for (times, reached) in times.iter_mut().zip(&function.reached(outcomes, stays)) {
            *times += usize::from(*reached);
        }
    }
    let points = function.points.ids();
    points
        .filter(|point| (1..outcomes.len()).contains(&times[point.index()]))
        .collect()
}
