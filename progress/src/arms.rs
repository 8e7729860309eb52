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

/// The decisions of a function, each with the points of its arms, sorted.
pub(crate) type Arms = BTreeMap<PointId, Vec<PointId>>;

/// All decisions of `function` and their arms.
pub(crate) fn arms(function: &Function) -> Arms {
    let is_decision = |point: &PointId| function.points[*point].kind == PointKind::Branch;
    let mut direct: Arms = BTreeMap::new();
    for decision in function.points.ids().filter(is_decision) {
        let scope = function.points[decision].scope;
        let mut found = match function.scopes[scope].kind {
            ScopeKind::Branch => in_arms_of(function, scope),
            _ => Vec::new(),
        };
        found.extend(on_one_side(function, decision));
        found.sort_unstable();
        found.dedup();
        direct.insert(decision, found);
    }
    let whole = direct.keys().map(|&decision| {
        let scope = function.points[decision].scope;
        let mut all = vec![false; function.points.len()];
        let mut work = vec![decision];
        while let Some(at) = work.pop() {
            for &point in direct.get(&at).map_or(&[][..], Vec::as_slice) {
                let is_new = !std::mem::replace(&mut all[point.index()], true);
                if is_new && function.points[point].scope == scope {
                    work.push(point);
                }
            }
        }
        let points = function.points.ids().filter(|point| all[point.index()]);
        (decision, points.collect())
    });
    whole.collect()
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
    let mut times = vec![0; function.points.len()];
    for &outcome in &outcomes {
        let mut seen = vec![false; function.points.len()];
        let mut work = vec![outcome];
        while let Some(point) = work.pop() {
            if std::mem::replace(&mut seen[point.index()], true) {
                continue;
            }
            times[point.index()] += 1;
            work.extend(function.successors(point).filter(|&next| stays(next)));
        }
    }
    let points = function.points.ids();
    points
        .filter(|point| (1..outcomes.len()).contains(&times[point.index()]))
        .collect()
}
