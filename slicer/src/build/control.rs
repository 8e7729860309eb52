//! Control dependence, where calls may not come back and jumps are statements.
//!
//! As Ferrante, Ottenstein and Warren define it, over post-dominators. A call that may end the program is a branch: one way out
//! of it leads to the function's end. A jump decides nothing by itself, but a slice that leaves it out is another
//! program (Ball and Horwitz, AADEBUG 1993), so a branch leads to the jumps that it decides.

use dataflow::FunctionInfo;
use ir::StmtKind;
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use progress_map::PointId;
use std::collections::BTreeSet;

/// The control dependences of one function.
pub(crate) struct Control {
    /// Points with the branches that decide whether they are executed.
    pub(crate) deciders: Vec<(PointId, PointId)>,
    /// Jumps and returns.
    pub(crate) jumps: BTreeSet<PointId>,
}

/// Works them out; the calls in `ends` may not return.
pub(crate) fn control(info: &FunctionInfo<'_>, ends: &BTreeSet<PointId>) -> Control {
    let flow = &info.flow;
    let jumps = jumps(info);
    let branches = flow.points.ids().filter(|&point| flow.succs[point].len() > 1);
    let mut deciders = Vec::new();
    if flow.distrust.is_some() {
        // The graph may lack edges: every branch may decide every point, and every call that may jump back to a `setjmp`;
        // the first says it for all of them.
        let branches: Vec<PointId> = branches.chain(ends.iter().copied()).collect();
        if let Some(&first) = branches.first() {
            deciders.extend(flow.points.ids().map(|point| (point, first)));
            deciders.extend(branches.iter().map(|&branch| (first, branch)));
        }
        return Control { deciders, jumps };
    }
    let node = |point: PointId| NodeIndex::<u32>::new(base::Id::index(point));
    let mut reversed = DiGraph::<(), (), u32>::with_capacity(flow.points.len(), 2 * flow.points.len());
    for _ in flow.points.ids() {
        reversed.add_node(());
    }
    let exit = node(flow.exit());
    for (point, succs) in flow.succs.iter_enumerated() {
        if !flow.reachable[point] {
            continue;
        }
        for &succ in succs {
            reversed.add_edge(node(succ), node(point), ());
        }
        if ends.contains(&point) {
            reversed.add_edge(exit, node(point), ());
        }
    }
    for each in &info.loops.loops {
        let leaves = |&point: &PointId| {
            let outside = |succ: &PointId| each.points.binary_search(succ).is_err();
            flow.succs[point].iter().any(outside) || ends.contains(&point)
        };
        if !each.points.iter().any(leaves) {
            reversed.add_edge(exit, node(each.header), ());
        }
    }
    let post = simple_fast(&reversed, exit);
    for (branch, succs) in flow.succs.iter_enumerated() {
        let is_end = ends.contains(&branch);
        if !flow.reachable[branch] || succs.len() < 2 && !is_end {
            continue;
        }
        let stop = if is_end {
            Some(exit)
        } else {
            post.immediate_dominator(node(branch))
        };
        for &succ in succs {
            let mut at = Some(node(succ));
            while at != stop {
                let Some(current) = at else { break };
                deciders.push((base::Id::from_index(current.index()), branch));
                at = post.immediate_dominator(current);
            }
        }
    }
    deciders.sort_unstable();
    deciders.dedup();
    Control { deciders, jumps }
}

/// The points of `break`, `continue`, `goto` and `return` statements.
fn jumps(info: &FunctionInfo<'_>) -> BTreeSet<PointId> {
    let mut places: BTreeSet<(u32, u32)> = BTreeSet::new();
    for stmt in &info.function.stmts {
        if matches!(
            stmt.kind,
            StmtKind::Break
                | StmtKind::Continue
                | StmtKind::Goto(_)
                | StmtKind::ComputedGoto(_)
                | StmtKind::Return(_)
                | StmtKind::Throw(_)
        ) {
            places.insert((stmt.span.line, stmt.span.column));
        }
    }
    let is_jump = |point: &PointId| {
        let each = &info.flow.points[*point];
        let span = each.span;
        matches!(each.action, dataflow::Action::None | dataflow::Action::Return(_))
            && !span.is_empty()
            && places.contains(&(span.line, span.column))
    };
    info.flow.points.ids().filter(is_jump).collect()
}
