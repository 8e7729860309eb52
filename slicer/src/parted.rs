//! Where ranks parted: the branches that decide that one stack stands here and another there.
//!
//! Two stacks are the same down to some frame, and stand at different points of one function there. Each point is decided by
//! branches of that function, by way of others and of jumps. A branch that decides one of the points and not the other has
//! *parted* the two tasks: one left a loop and the other did not, one took an arm that the other did not take. So have the
//! branches below that frame, in functions that the other task has left, or not entered, and the other way round. What such a condition
//! reads had different values on them, so this is where a reader begins.

use crate::executed::Executed;
use crate::graph::{EdgeKind, FunctionId, Graph, NodeId};
use crate::state::CallingContext;
use base::Id as _;
use std::collections::{BTreeMap, BTreeSet};

/// The frames of a stack that the program has: the function, and the points where it may be.
pub(crate) type Stack = Vec<(FunctionId, Vec<NodeId>)>;

impl Graph {
    /// The branches that part a stack from others, where they were executed, and how many of those that part it decide whether they
    /// are reached: the fewer, the earlier the tasks parted there.
    pub(crate) fn parted(
        &self,
        executed: &Executed,
        own: &Stack,
        others: &[Stack],
    ) -> BTreeMap<(CallingContext, NodeId), u32> {
        let mut found: BTreeMap<(CallingContext, NodeId), u32> = BTreeMap::new();
        for other in others {
            let Some(difference) = first_difference(own, other) else {
                continue;
            };
            let mut above = 0;
            for (depth, (_, points)) in (0..).zip(own).skip(difference) {
                let here = self.deciders(points);
                let there = if usize::from(depth) == difference {
                    self.deciders(&other[difference].1)
                } else {
                    BTreeSet::new()
                };
                // Branches that this task has not come to yet concern the other task only.
                let is_own = |branch: &NodeId| executed.on_stack(self, *branch).any(|known| known == depth);
                let parted: BTreeSet<NodeId> = here
                    .symmetric_difference(&there)
                    .copied()
                    .filter(is_own)
                    .collect();
                above = self.note(&mut found, CallingContext::Stack(depth), &parted, above);
            }
            // This task may already have left the function that the other one is in.
            let mut above = 0;
            for (function, points) in other.iter().skip(difference + 1) {
                if !executed.is_finished(*function) {
                    break;
                }
                above = self.note(&mut found, CallingContext::Called, &self.deciders(points), above);
            }
        }
        found
    }

    /// Notes branches of one frame that part tasks, below so many others; how many there are above the next frame.
    fn note(
        &self,
        found: &mut BTreeMap<(CallingContext, NodeId), u32>,
        context: CallingContext,
        parted: &BTreeSet<NodeId>,
        above: u32,
    ) -> u32 {
        let mut below = above;
        for &branch in parted {
            let over = self.deciders(&[branch]);
            let over = over.intersection(parted).filter(|&&other| other != branch);
            let distance = above + over.count() as u32;
            below = below.max(distance + 1);
            let nearest = found.entry((context, branch)).or_insert(u32::MAX);
            *nearest = distance.min(*nearest);
        }
        below
    }

    /// The branches that decide, by whatever way inside the function, whether one of the points is reached.
    fn deciders(&self, points: &[NodeId]) -> BTreeSet<NodeId> {
        let mut seen: BTreeSet<NodeId> = points.iter().copied().collect();
        let mut branches = BTreeSet::new();
        let mut work: Vec<NodeId> = points.to_vec();
        while let Some(node) = work.pop() {
            for edge in self.edges.of(node.index()) {
                let decides = match edge.kind {
                    EdgeKind::Control => {
                        branches.insert(edge.to);
                        true
                    }
                    EdgeKind::Jump => true,
                    _ => false,
                };
                if decides && seen.insert(edge.to) {
                    work.push(edge.to);
                }
            }
        }
        branches
    }
}

/// The first frame, from the outermost, in which two stacks stand at different points of one function.
fn first_difference(own: &Stack, other: &Stack) -> Option<usize> {
    for (depth, ((function, here), (same, there))) in own.iter().zip(other).enumerate() {
        if function != same {
            return None;
        }
        if !here.iter().any(|point| there.contains(point)) {
            return Some(depth);
        }
    }
    None
}
