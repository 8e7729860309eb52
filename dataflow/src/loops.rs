//! The loop-nesting forest of a flow graph.
//!
//! A loop is a strongly connected part of the graph, its *cycle*; the loops inside it are those of what is left when the edges
//! into its header are taken out. So every cycle lies in some loop, `goto` loops included, and seen from outside, with
//! loops as single nodes, the graph has no cycle. A part with several entries is a loop that is not `reducible`.
//!
//! What leaves a loop statement from within its body (`if (failed) { report(); return; }`) never comes back to the header and is not
//! on the cycle, yet it belongs to an iteration: a task there has not reached what later iterations do. So the
//! points of a loop are its cycle and everything else inside the statement, or between the label and the last `goto`.

use crate::Flow;
use base::mutant::{Mutant, on};
use base::{Id, IdVec};
use progress_map::{LoopId, PointId, PointKind, ScopeId};

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
    /// All points inside, inner loops and ways out included, sorted.
    pub points: Vec<PointId>,
    /// The points from which control may come back to the header, sorted.
    pub cycle: Vec<PointId>,
}

impl Loops {
    /// The forest of `flow`; points that cannot be reached belong to no loop.
    pub fn new(flow: &Flow) -> Self {
        let mut nodes = Vec::new();
        let all: Vec<PointId> = flow.points.ids().filter(|&point| flow.reachable[point]).collect();
        let mut work = vec![(all, None)];
        while let Some((points, header)) = work.pop() {
            for cycle in cycles(flow, &points, header) {
                let node = LoopNode::new(flow, cycle);
                work.push((node.cycle.clone(), Some(node.header)));
                nodes.push(node);
            }
        }
        Loops::nest(flow, nodes)
    }

    /// Puts loops into each other by their points.
    fn nest(flow: &Flow, mut nodes: Vec<LoopNode>) -> Self {
        // The larger first, so that parents come before children; of two loops with the same points the one whose
        // cycle is larger is the outer one.
        nodes.sort_by(|a, b| {
            let size = |node: &LoopNode| (node.points.len(), node.cycle.len());
            size(b).cmp(&size(a)).then(a.header.cmp(&b.header))
        });
        let mut forest = Loops {
            loops: IdVec::new(),
            innermost: flow.points.iter().map(|_| None).collect(),
        };
        for mut node in nodes {
            node.parent = forest.innermost[node.header];
            // Jumps can tie loops together so that neither lies in the other; then nothing in them has an order.
            let nested = |&point: &PointId| forest.innermost[point] == node.parent;
            if !node.points.iter().all(nested) {
                node.reducible = false;
            }
            let id = forest.loops.next_id();
            for &point in &node.points {
                forest.innermost[point] = Some(id);
            }
            forest.loops.push(node);
        }
        forest
    }

    /// Whether `point` lies in `id` or in a loop inside it.
    pub fn contains(&self, id: LoopId, point: PointId) -> bool {
        self.loops[id].points.binary_search(&point).is_ok()
    }

    /// Whether control may come back to the header of `id` from `point`.
    pub fn comes_back(&self, id: LoopId, point: PointId) -> bool {
        self.loops[id].cycle.binary_search(&point).is_ok()
    }

    /// The loops around a point, innermost first.
    pub fn around(&self, point: PointId) -> impl Iterator<Item = LoopId> + '_ {
        std::iter::successors(self.innermost[point], |&id| self.loops[id].parent)
    }
}

impl LoopNode {
    fn new(flow: &Flow, cycle: Vec<PointId>) -> Self {
        let header = entries(flow, &cycle, &marks(flow, &cycle))
            .first()
            .copied()
            .unwrap_or(cycle[0]);
        let statement = flow.loop_statements.iter().find(|&&(_, _, each)| each == header);
        // Of a `goto` loop the text from its label to its last jump.
        let text = flow.points[header].point.span;
        let last = cycle
            .iter()
            .map(|&point| flow.points[point].point.span)
            .map(|span| (span.end_line, span.end_column));
        let last = last.max().unwrap_or_default();
        let in_statement = statement.map(|&(scope, ..)| scopes_in(flow, scope));
        let mut on_cycle = marks(flow, &cycle);
        let inside = |&point: &PointId| {
            let each = &flow.points[point].point;
            let in_text = match &in_statement {
                Some(scopes) => scopes[each.scope],
                None => {
                    (text.line, text.column) <= (each.span.line, each.span.column)
                        && (each.span.line, each.span.column) < last
                        && !matches!(each.kind, PointKind::Entry | PointKind::Exit)
                }
            };
            let in_text = in_text && !on(Mutant::WaysOutOutside);
            flow.reachable[point] && (in_text || on_cycle[point])
        };
        let points: Vec<PointId> = flow.points.ids().filter(inside).collect();
        for &point in &points {
            on_cycle[point] = true;
        }
        let reducible = entries(flow, &points, &on_cycle) == [header];
        LoopNode {
            parent: None,
            header,
            reducible,
            points,
            cycle,
        }
    }
}

/// The points (sorted, and marked in `inside`) that control enters from outside.
fn entries(flow: &Flow, points: &[PointId], inside: &IdVec<PointId, bool>) -> Vec<PointId> {
    let from_outside = |&point: &PointId| {
        let preds = &flow.preds[point];
        point == flow.entry() || preds.iter().any(|pred| flow.reachable[*pred] && !inside[*pred])
    };
    points.iter().copied().filter(from_outside).collect()
}

/// For every point, whether it is one of `points`.
fn marks(flow: &Flow, points: &[PointId]) -> IdVec<PointId, bool> {
    let mut marks: IdVec<PointId, bool> = flow.points.iter().map(|_| false).collect();
    for &point in points {
        marks[point] = true;
    }
    marks
}

/// For every scope, whether it is `outer` or lies in it.
fn scopes_in(flow: &Flow, outer: ScopeId) -> IdVec<ScopeId, bool> {
    let mut inside: IdVec<ScopeId, bool> = IdVec::new();
    // Parents stand before children.
    for (id, scope) in flow.scopes.iter_enumerated() {
        let in_parent = scope.parent.is_some_and(|parent| inside[parent]);
        inside.push(id == outer || in_parent);
    }
    inside
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
