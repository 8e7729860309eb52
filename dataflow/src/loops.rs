//! The loop-nesting forest of a flow graph.
//!
//! A loop is a strongly connected part of the graph; the loops inside it are those of what is left when the edges into its
//! header are taken out. So every cycle lies in some loop, `goto` loops included, and seen from outside, with loops
//! as single nodes, the graph has no cycle. A part with several entries is a loop that is not `reducible`.

use crate::Flow;
use base::{Id, IdVec};
use progress_map::{LoopId, PointId};

/// The loop-nesting forest of one function.
#[derive(Clone, Debug)]
pub struct Loops {
    /// Loops, parents before children.
    pub loops: IdVec<LoopId, LoopNode>,
    /// The innermost loop of every point.
    pub innermost: IdVec<PointId, Option<LoopId>>,
}

/// A loop of the forest.
#[derive(Clone, Debug)]
pub struct LoopNode {
    /// The enclosing loop.
    pub parent: Option<LoopId>,
    /// The point that every cycle passes.
    pub header: PointId,
    /// Whether control enters only through `header`.
    pub reducible: bool,
    /// All points inside, inner loops included, sorted.
    pub points: Vec<PointId>,
}

impl Loops {
    /// The forest of `flow`; points that cannot be reached belong to no loop.
    pub fn new(flow: &Flow) -> Self {
        let mut forest = Loops {
            loops: IdVec::new(),
            innermost: flow.points.iter().map(|_| None).collect(),
        };
        let all: Vec<PointId> = flow.points.ids().filter(|&point| flow.reachable[point]).collect();
        // Breadth first, so that parents come before children.
        let mut work = std::collections::VecDeque::from([(all, None)]);
        while let Some((points, parent)) = work.pop_front() {
            for part in cycles(flow, &points, parent.map(|id: LoopId| forest.loops[id].header)) {
                let id = forest.add(flow, part, parent);
                work.push_back((forest.loops[id].points.clone(), Some(id)));
            }
        }
        forest
    }

    fn add(&mut self, flow: &Flow, points: Vec<PointId>, parent: Option<LoopId>) -> LoopId {
        let entries: Vec<PointId> = points
            .iter()
            .copied()
            .filter(|&point| {
                point == flow.entry()
                    || flow.preds[point]
                        .iter()
                        .any(|pred| flow.reachable[*pred] && points.binary_search(pred).is_err())
            })
            .collect();
        let header = entries.first().copied().unwrap_or(points[0]);
        let id = self.loops.next_id();
        for &point in &points {
            self.innermost[point] = Some(id);
        }
        self.loops.push(LoopNode {
            parent,
            header,
            reducible: entries.len() == 1,
            points,
        })
    }

    /// Whether `point` lies in `id` or in a loop inside it.
    pub fn contains(&self, id: LoopId, point: PointId) -> bool {
        self.loops[id].points.binary_search(&point).is_ok()
    }

    /// The loops around a point, innermost first.
    pub fn around(&self, point: PointId) -> impl Iterator<Item = LoopId> + '_ {
        std::iter::successors(self.innermost[point], |&id| self.loops[id].parent)
    }
}

/// The strongly connected parts of the graph on `points` (sorted) that hold a cycle, without the edges into
/// `header`; each sorted, in order of their first point.
fn cycles(flow: &Flow, points: &[PointId], header: Option<PointId>) -> Vec<Vec<PointId>> {
    let mut graph = petgraph::graph::DiGraph::<(), (), u32>::with_capacity(points.len(), 2 * points.len());
    for _ in points {
        graph.add_node(());
    }
    let node = |index: usize| petgraph::graph::NodeIndex::new(index);
    let mut loops_to_itself = vec![false; points.len()];
    for (index, &point) in points.iter().enumerate() {
        for &succ in &flow.succs[point] {
            if Some(succ) == header {
                continue;
            }
            if let Ok(target) = points.binary_search(&succ) {
                loops_to_itself[index] |= target == index;
                graph.add_edge(node(index), node(target), ());
            }
        }
    }
    // Kosaraju's algorithm keeps its own stack: functions of many thousand points must not overflow ours.
    let mut parts: Vec<Vec<PointId>> = petgraph::algo::kosaraju_scc(&graph)
        .into_iter()
        .filter(|part| part.len() > 1 || part.iter().any(|at| loops_to_itself[at.index()]))
        .map(|part| {
            let mut part: Vec<PointId> = part.into_iter().map(|at| points[at.index()]).collect();
            part.sort_unstable();
            part
        })
        .collect();
    parts.sort_unstable_by_key(|part| part[0].index());
    parts
}
