//! Control dependence: which branches decide whether a point executes.
//!
//! A point depends on a branch when one way out of the branch always leads to the point and another may miss it
//! (Ferrante, Ottenstein and Warren, with post-dominators). A loop that never ends is given an edge to the exit so that
//! every point can reach it.

use crate::{Flow, Loops, Neighbours};
use base::Id;
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use progress_map::PointId;
use std::collections::BTreeSet;

/// For every point, the branches that it directly depends on.
#[derive(Clone, Debug)]
pub struct Control {
    deciders: Neighbours,
}

impl Control {
    /// Computes the control dependences of `flow`.
    pub fn new(flow: &Flow, loops: &Loops) -> Self {
        let node = |point: PointId| NodeIndex::<u32>::new(point.index());
        let mut reversed = DiGraph::<(), (), u32>::with_capacity(flow.points.len(), 2 * flow.points.len());
        for _ in flow.points.ids() {
            reversed.add_node(());
        }
        for (point, succs) in flow
            .succs
            .iter_enumerated()
            .filter(|&(point, _)| flow.reachable[point])
        {
            for &succ in succs {
                reversed.add_edge(node(succ), node(point), ());
            }
        }
        for each in &loops.loops {
            let leaves = |&point: &PointId| {
                flow.succs[point]
                    .iter()
                    .any(|succ| each.points.binary_search(succ).is_err())
            };
            if !each.points.iter().any(leaves) {
                reversed.add_edge(node(flow.exit()), node(each.header), ());
            }
        }
        let post = simple_fast(&reversed, node(flow.exit()));
        let mut decided: Vec<(PointId, PointId)> = Vec::new();
        for (branch, succs) in flow.succs.iter_enumerated() {
            if succs.len() < 2 || !flow.reachable[branch] {
                continue;
            }
            let stop = post.immediate_dominator(node(branch));
            for &succ in succs {
                let mut at = Some(node(succ));
                while at != stop {
                    let Some(current) = at else { break };
                    decided.push((PointId::from_index(current.index()), branch));
                    at = post.immediate_dominator(current);
                }
            }
        }
        decided.sort_unstable();
        decided.dedup();
        Control {
            deciders: Neighbours::new(flow.points.len(), &decided),
        }
    }

    /// All branches that decide, directly or through others, whether `point` executes; sorted.
    pub fn deciders(&self, point: PointId) -> Vec<PointId> {
        let mut all: BTreeSet<PointId> = BTreeSet::new();
        let mut work = vec![point];
        while let Some(at) = work.pop() {
            for &branch in &self.deciders[at] {
                if all.insert(branch) {
                    work.push(branch);
                }
            }
        }
        all.into_iter().collect()
    }
}
