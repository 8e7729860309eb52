//! Calls of several functions that are in one code because all but one are inlined.
//!
//! gcc joins a call with one that came in an inlined function just as with one of the same function: in `exchange(s); while (…) { advance(s); leap(s); }`,
//! where `leap` begins with `exchange(s)` and is inlined, the loop may jump to the call in front of it. Debug info then shows the call of one of the two, with
//! the functions around that one, and none of the other's.
//!
//! So a call of an inlined function, or of the one around it, of which no instruction is left may be any instruction that calls the same. In the innermost
//! function that is around both, the call that is shown may then be the one that leads to the other. That is said of this one instruction: the
//! inlined call around it holds others, which were not joined. Whether the same code leads on from both is not asked.

use super::copy::calls_at;
use super::evidence::{CallInstruction, Callee};
use super::{Build, Position};
use crate::meetings::Names;
use crate::walk::{Forest, NodeId};
use progress_map::{BoundMerge, FunctionId, PointId, PointKind};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;

/// What is called in one node of a code, the function itself or an inlined call.
pub(super) struct Called<'m, 'n> {
    pub(super) node: NodeId,
    pub(super) function: FunctionId,
    pub(super) names: Names<'m>,
    /// Its call instructions, with their positions.
    pub(super) calls: Vec<(CallInstruction<'n>, Option<Position>)>,
    /// The calls of the source that some instruction or inlined call has the position of.
    pub(super) shown: BTreeSet<PointId>,
}

/// The address behind a call instruction, and the position that it shows.
type Shown = (u64, Option<Position>);

/// Finds the pairs of one code.
pub(super) fn of_several(build: &Build<'_, '_, '_>, all: &[Called<'_, '_>], found: &mut Vec<BoundMerge>) {
    // Whoever is called by name is looked for among the calls of that name, and those of which nothing is known.
    let mut by_name: BTreeMap<Option<&str>, Vec<(usize, Shown)>> = BTreeMap::new();
    for (at, called) in all.iter().enumerate() {
        for &(call, position) in &called.calls {
            let name = match call.callee {
                Callee::Named(name) => Some(name),
                Callee::Unknown => None,
                Callee::Pointer => continue,
            };
            by_name
                .entry(name)
                .or_default()
                .push((at, (call.after, position)));
        }
    }
    for gone in all {
        let points = gone.names.function.points.iter_enumerated();
        let named = points.filter(|(_, point)| matches!(point.kind, PointKind::Call(_)));
        let left_out = named
            .map(|(point, _)| point)
            .filter(|point| !gone.shown.contains(point));
        for point in left_out {
            let name = gone.names.function.points[point].kind.callee();
            let alike = [name, None].into_iter().flat_map(|name| by_name.get(&name));
            for &(at, shown) in alike.flatten() {
                if all[at].node != gone.node {
                    pair(build, all, (gone, point), (&all[at], shown), found);
                }
            }
        }
    }
}

/// Notes that an instruction of `there` may be the call `point` of `gone`.
fn pair(
    build: &Build<'_, '_, '_>,
    all: &[Called<'_, '_>],
    (gone, point): (&Called<'_, '_>, PointId),
    (there, (after, position)): (&Called<'_, '_>, Shown),
    found: &mut Vec<BoundMerge>,
) {
    let (of_gone, of_there) = (way(build.forest, gone.node), way(build.forest, there.node));
    let shared = of_gone.iter().zip(&of_there).take_while(|(a, b)| a == b).count();
    let Some(around) = shared.checked_sub(1).map(|last| of_gone[last]) else {
        return;
    };
    let Some(around) = all.iter().find(|each| each.node == around) else {
        return;
    };
    let toward = |way: &[NodeId]| {
        let call = way.get(shared).and_then(|&node| build.forest.nodes[node].call);
        call.map(|call| calls_at(around.names.function, (call.line, call.column)))
    };
    let others = toward(&of_gone).unwrap_or_else(|| vec![point]);
    let own = || {
        position
            .map(|at| calls_at(around.names.function, at))
            .unwrap_or_default()
    };
    for shown in toward(&of_there).unwrap_or_else(own) {
        for &other in others.iter().filter(|&&other| other != shown) {
            found.push(BoundMerge {
                function: around.function,
                shown,
                other,
                return_address: NonZeroU64::new(after),
            });
        }
    }
}

/// The nodes around one, outermost first, and itself.
fn way(forest: &Forest, node: NodeId) -> Vec<NodeId> {
    let mut way = Vec::from_iter(std::iter::successors(Some(node), |&node| {
        forest.nodes[node].parent
    }));
    way.reverse();
    way
}
