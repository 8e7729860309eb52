//! Calls of several functions that are in one code because all but one are inlined.
//!
//! gcc joins a call with one that came in an inlined function just as with one of the same function: in `exchange(s); while (…) { advance(s); leap(s); }`,
//! where `leap` begins with `exchange(s)` and is inlined, the loop may jump to the call in front of it. Debug info then shows the call of one of the two, with
//! the functions around that one, and none of the other's.
//!
//! So a call of an inlined function, or of the one around it, of which no instruction is left may be any instruction that calls the same, or that stands in an
//! inlined call of the same: of a wrapper that is inlined everywhere only what it calls is left to be joined. In the innermost
//! function that is around both, the call that is shown may then be the one that leads to the other. That is said of this one instruction: the
//! inlined call around it holds others, which were not joined. Whether the same code leads on from both is not asked; but where the code could be decoded, there must be a
//! way between that instruction and what is left of the inlined function, with no more calls on it than are left out.

use super::copy::calls_at;
use super::evidence::{CallInstruction, Callee};
use super::{Build, Position};
use crate::code::{Code, InstructionIndex, ReachedInstruction};
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

/// A call instruction that may be another call than it shows.
#[derive(Clone, Copy)]
struct Shown {
    /// The address behind it.
    after: u64,
    /// The position that it shows.
    position: Option<Position>,
    /// It does not call who is looked for itself, but stands in an inlined call of that function.
    is_within: bool,
}

/// Finds the pairs of one code.
pub(super) fn of_several(
    build: &Build<'_, '_, '_>,
    code: Option<&Code>,
    all: &[Called<'_, '_>],
    found: &mut Vec<BoundMerge>,
) {
    // Whoever is called by name is looked for among the calls of that name, those of which nothing is known, and those that are made in its place.
    let mut by_name: BTreeMap<Option<&str>, Vec<(usize, Shown)>> = BTreeMap::new();
    let function_of: BTreeMap<NodeId, &str> = all
        .iter()
        .map(|called| (called.node, called.names.function.name.as_str()))
        .collect();
    for (at, called) in all.iter().enumerate() {
        // The outermost one is the code itself, which nobody calls there.
        let inlined = way(build.forest, called.node).into_iter().skip(1);
        let inlined = Vec::from_iter(inlined.filter_map(|node| function_of.get(&node).copied()));
        for &(call, position) in &called.calls {
            let name = match call.callee {
                Callee::Named(name) => Some(Some(name)),
                Callee::Unknown => Some(None),
                Callee::Pointer => None,
            };
            let own = name.map(|name| (name, false));
            let within = inlined.iter().map(|name| (Some(*name), true));
            for (name, is_within) in own.into_iter().chain(within) {
                let after = call.after;
                let shown = Shown {
                    after,
                    position,
                    is_within,
                };
                by_name.entry(name).or_default().push((at, shown));
            }
        }
    }
    let ways = code.map(|code| Ways::new(build, code, all));
    for gone in all {
        let points = gone.names.function.points.iter_enumerated();
        let named = points.filter(|(_, point)| matches!(point.kind, PointKind::Call(_)));
        let left_out = named
            .map(|(point, _)| point)
            .filter(|point| !gone.shown.contains(point));
        let left_out = Vec::from_iter(left_out);
        if left_out.is_empty() {
            continue;
        }
        // Where several are left out, one may stand behind the others.
        let next_to_it = ways
            .as_ref()
            .and_then(|ways| ways.calls_next_to(gone.node, left_out.len()));
        for point in left_out {
            let name = gone.names.function.points[point].kind.callee();
            let alike = [name, None].into_iter().flat_map(|name| by_name.get(&name));
            for &(at, shown) in alike.flatten() {
                let is_near = next_to_it
                    .as_ref()
                    .is_none_or(|calls| calls.contains(&shown.after));
                // Two calls of one function, one of them inlined, are pairs of that function.
                let is_own_pair =
                    shown.is_within && build.forest.nodes[all[at].node].parent == Some(gone.node);
                if all[at].node != gone.node && is_near && !is_own_pair {
                    pair(build, all, (gone, point), (&all[at], shown), found);
                }
            }
        }
    }
}

/// The ways through a code, forwards and backwards.
struct Ways<'c> {
    code: &'c Code,
    /// By instruction: those from which control may come.
    from: Vec<Vec<InstructionIndex>>,
    /// By instruction: the innermost of the functions of the map that it is code of, the function itself or an inlined call.
    owners: Vec<Option<NodeId>>,
    /// What each of these has of its own, without the calls that are inlined into it.
    own: BTreeMap<NodeId, Vec<InstructionIndex>>,
}

impl<'c> Ways<'c> {
    fn new(build: &Build<'_, '_, '_>, code: &'c Code, all: &[Called<'_, '_>]) -> Self {
        let mut from = vec![Vec::new(); code.steps.len()];
        for (index, step) in code.steps.iter().enumerate() {
            for to in onwards(step) {
                from[to].push(index);
            }
        }
        let mut owners = vec![None; code.steps.len()];
        // Those that are inlined stand behind what they are inlined into.
        for called in all {
            for range in &build.forest.nodes[called.node].ranges {
                let at = |address: u64| code.steps.partition_point(|step| step.address < address);
                owners[at(range.start)..at(range.end)].fill(Some(called.node));
            }
        }
        let mut own: BTreeMap<NodeId, Vec<InstructionIndex>> = BTreeMap::new();
        for (index, owner) in owners.iter().enumerate() {
            if let Some(owner) = owner {
                own.entry(*owner).or_default().push(index);
            }
        }
        Self {
            code,
            from,
            owners,
            own,
        }
    }

    /// The call instructions, by the addresses behind them, that control comes to from what a function has of its own, or comes from, as one of the first `most` calls on
    /// the way. `None` if it has nothing of its own: then nothing tells where it began or went on.
    fn calls_next_to(&self, node: NodeId, most: usize) -> Option<BTreeSet<u64>> {
        let steps = &self.code.steps;
        let own = self.own.get(&node)?;
        let mut found = BTreeSet::new();
        for is_forward in [true, false] {
            let mut seen = BTreeSet::new();
            let mut work = own.clone();
            for _ in 0..most {
                let mut behind_calls = Vec::new();
                while let Some(index) = work.pop() {
                    let around = if is_forward {
                        Vec::from_iter(onwards(&steps[index]))
                    } else {
                        self.from[index].clone()
                    };
                    for next in around {
                        if self.owners[next] == Some(node) || !seen.insert(next) {
                            continue;
                        }
                        if steps[next].call.is_some() {
                            found.insert(steps[next].end);
                            behind_calls.push(next);
                        } else {
                            work.push(next);
                        }
                    }
                }
                work = behind_calls;
                if work.is_empty() {
                    break;
                }
            }
        }
        Some(found)
    }
}

/// Where control may go from an instruction.
fn onwards(step: &ReachedInstruction) -> impl Iterator<Item = InstructionIndex> + use<> {
    let next = step.next;
    [next.behind, next.jump, next.pad].into_iter().flatten()
}

/// Notes that an instruction of `there` may be the call `point` of `gone`.
fn pair(
    build: &Build<'_, '_, '_>,
    all: &[Called<'_, '_>],
    (gone, point): (&Called<'_, '_>, PointId),
    (there, shown): (&Called<'_, '_>, Shown),
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
        shown
            .position
            .map(|at| calls_at(around.names.function, at))
            .unwrap_or_default()
    };
    for one in toward(&of_there).unwrap_or_else(own) {
        for &other in others.iter().filter(|&&other| other != one) {
            found.push(BoundMerge {
                function: around.function,
                shown: one,
                other,
                return_address: NonZeroU64::new(shown.after),
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
