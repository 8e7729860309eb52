//! The loop-nesting forest of a flow graph.
//!
//! A loop is a strongly connected part of the graph, its *cycle*; the loops inside it are those of what is left when the edges
//! into its header are taken out. So every cycle lies in some loop, `goto` loops included, and seen from outside, with
//! loops as single nodes, the graph has no cycle. A part with several entries is a loop that is not `reducible`.
//!
//! What leaves a loop statement from within its body (`if (failed) { report(); return; }`) never comes back to the header and is not
//! on the cycle, yet it belongs to an iteration: a task there has not reached what later iterations do. So the
//! points of a loop are its cycle and everything else inside the statement, or between the label and the last `goto`.

use crate::{Flow, FlowKind};
use base::mutant::{Mutant, on};
use base::{Id, IdVec};
use progress_map::{LoopId, PointId, ScopeId};
use std::collections::BTreeMap;

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
    /// The points of the cycle from which control may go to where it does not come back: the branches that end it; sorted.
    pub ends: Vec<PointId>,
}

impl Loops {
    /// The forest of `flow`; points that cannot be reached belong to no loop.
    pub fn new(flow: &Flow) -> Self {
        let mut nodes = Vec::new();
        let all: Vec<PointId> = flow.points.ids().filter(|&point| flow.reachable[point]).collect();
        let mut work = vec![(all, None)];
        let mut text: Option<Text<'_>> = None;
        while let Some((points, header)) = work.pop() {
            for cycle in cycles(flow, &points, header) {
                let text = text.get_or_insert_with(|| Text::new(flow));
                let node = text.node(cycle);
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

    /// Whether a branch can end a loop.
    pub fn ends(&self, branch: PointId, id: LoopId) -> bool {
        self.loops[id].ends.binary_search(&branch).is_ok()
    }

    /// Those of `points` (sorted) that lie in `id` or in a loop inside it.
    pub fn among<'a>(&'a self, id: LoopId, points: &'a [PointId]) -> impl Iterator<Item = PointId> + 'a {
        let inside = &self.loops[id].points;
        let first = inside.first().copied();
        let last = inside.last().copied();
        let from = points.partition_point(|&point| Some(point) < first);
        let to = points.partition_point(|&point| Some(point) <= last);
        let near = points.get(from..to).unwrap_or_default();
        near.iter()
            .copied()
            .filter(move |&point| self.contains(id, point))
    }

    /// The loops around a point, innermost first.
    pub fn around(&self, point: PointId) -> impl Iterator<Item = LoopId> + '_ {
        std::iter::successors(self.innermost[point], |&id| self.loops[id].parent)
    }
}

/// The text of a function, by scope, with marks on points for the loop at hand. It is made once for all loops of the
/// function: what a loop costs must depend on the loop, because generated functions have thousands of them.
struct Text<'f> {
    flow: &'f Flow,
    /// Reachable points with the place of their scope in text order, sorted.
    points: Vec<(usize, PointId)>,
    /// For every scope, its place in text order and that after the last scope inside it.
    places: IdVec<ScopeId, (usize, usize)>,
    /// The scope of the loop statement that a point heads.
    statements: BTreeMap<PointId, ScopeId>,
    /// Marks, all false between two loops.
    marked: IdVec<PointId, bool>,
}

impl<'f> Text<'f> {
    fn new(flow: &'f Flow) -> Self {
        // Sizes first, children before parents; then places, parents before children.
        let mut sizes: IdVec<ScopeId, usize> = flow.scopes.iter().map(|_| 1).collect();
        for (id, scope) in flow.scopes.iter_enumerated().rev() {
            if let Some(parent) = scope.parent {
                sizes[parent] += sizes[id];
            }
        }
        let mut places: IdVec<ScopeId, (usize, usize)> = IdVec::new();
        let mut next: IdVec<ScopeId, usize> = IdVec::new();
        let mut roots = 0;
        for (id, scope) in flow.scopes.iter_enumerated() {
            let free = match scope.parent {
                Some(parent) => &mut next[parent],
                None => &mut roots,
            };
            let place = *free;
            *free += sizes[id];
            places.push((place, place + sizes[id]));
            next.push(place + 1);
        }
        let reachable = flow
            .points
            .iter_enumerated()
            .filter(|&(id, _)| flow.reachable[id]);
        let mut points: Vec<(usize, PointId)> =
            reachable.map(|(id, each)| (places[each.scope].0, id)).collect();
        points.sort_unstable();
        let mut statements = BTreeMap::new();
        for &(scope, _, header) in &flow.loop_statements {
            statements.entry(header).or_insert(scope);
        }
        Text {
            flow,
            points,
            places,
            statements,
            marked: flow.points.iter().map(|_| false).collect(),
        }
    }

    /// The loop of a cycle.
    fn node(&mut self, cycle: Vec<PointId>) -> LoopNode {
        self.mark(&cycle, true);
        let header = self.entries(&cycle).first().copied().unwrap_or(cycle[0]);
        let mut points = match self.statements.get(&header) {
            _ if on(Mutant::WaysOutOutside) => Vec::new(),
            Some(&scope) => self.in_scope(scope),
            None => self.between(header, &cycle),
        };
        points.retain(|&point| !self.marked[point]);
        points.extend(&cycle);
        points.sort_unstable();
        self.mark(&points, true);
        let reducible = self.entries(&points) == [header];
        self.mark(&points, false);
        let goes_out = |&&point: &&PointId| {
            let mut succs = self.flow.succs[point].iter();
            succs.any(|succ| cycle.binary_search(succ).is_err())
        };
        let ends = cycle.iter().filter(goes_out).copied().collect();
        LoopNode {
            parent: None,
            header,
            reducible,
            points,
            cycle,
            ends,
        }
    }

    fn mark(&mut self, points: &[PointId], mark: bool) {
        for &point in points {
            self.marked[point] = mark;
        }
    }

    /// The points inside a scope.
    fn in_scope(&self, scope: ScopeId) -> Vec<PointId> {
        let (first, end) = self.places[scope];
        let from = self.points.partition_point(|&(place, _)| place < first);
        let to = self.points.partition_point(|&(place, _)| place < end);
        self.points[from..to].iter().map(|&(_, point)| point).collect()
    }

    /// The points in the text of a `goto` loop: from its label to its last jump.
    fn between(&self, header: PointId, cycle: &[PointId]) -> Vec<PointId> {
        let span = |point: PointId| self.flow.points[point].span;
        let first = (span(header).line, span(header).column);
        let last = cycle
            .iter()
            .map(|&point| (span(point).end_line, span(point).end_column));
        let last = last.max().unwrap_or_default();
        let inside = |&point: &PointId| {
            let each = &self.flow.points[point];
            let start = (each.span.line, each.span.column);
            first <= start && start < last && !matches!(each.kind, FlowKind::Entry | FlowKind::Exit)
        };
        self.points
            .iter()
            .map(|&(_, point)| point)
            .filter(inside)
            .collect()
    }

    /// Those of `points` (sorted, and marked) that control enters from points that are not marked.
    fn entries(&self, points: &[PointId]) -> Vec<PointId> {
        let flow = self.flow;
        let from_outside = |&point: &PointId| {
            let preds = &flow.preds[point];
            point == flow.entry()
                || preds
                    .iter()
                    .any(|pred| flow.reachable[*pred] && !self.marked[*pred])
        };
        points.iter().copied().filter(from_outside).collect()
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
