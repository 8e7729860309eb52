//! The dependences inside one function: what decides whether a point is executed, and where local variables get their values.

use crate::build::local::Source;
use crate::build::memory::Home;
use crate::build::{Parts, control, local, names};
use crate::graph::{Edge, EdgeKind, NodeId};
use base::Id as _;
use dataflow::{FunctionIndex, FunctionInfo};
use ir::LocalId;
use progress_map::PointId;
use std::collections::BTreeSet;

#[derive(Default)]
pub(super) struct Inside {
    pub(super) edges: Vec<(u32, Edge)>,
    pub(super) preds: Vec<(u32, NodeId)>,
}

impl Parts {
    /// The dependences inside one function.
    pub(super) fn inside(
        &self,
        id: FunctionIndex,
        info: &FunctionInfo<'_>,
        homes: &[Home],
        names: &names::Names,
    ) -> Inside {
        let mut found = Inside::default();
        let node = |point: PointId| self.node_of(id, point);
        let number = |point: PointId| node(point).index() as u32;
        let edge = |to: NodeId, kind: EdgeKind| Edge { to, kind, name: None };
        let (ends, leaves) = (&self.ends[id.index()], &self.leaves[id.index()]);
        let control = control::control(info, &ends.union(leaves).copied().collect());
        let mut decided: BTreeSet<PointId> = BTreeSet::new();
        for &(point, branch) in &control.deciders {
            let one_way = info.flow.succs[branch].len() < 2;
            let mut kinds = Vec::new();
            kinds.extend((ends.contains(&branch) && one_way).then_some(EdgeKind::Ends));
            kinds.extend(leaves.contains(&branch).then_some(EdgeKind::Leaves));
            if kinds.is_empty() {
                kinds.push(EdgeKind::Control);
            }
            for kind in kinds {
                found.edges.push((number(point), edge(node(branch), kind)));
            }
            if control.jumps.contains(&point) {
                decided.insert(point);
                found
                    .edges
                    .push((number(branch), edge(node(point), EdgeKind::Jump)));
            }
        }
        // A jump that nothing decides belongs to the function as a whole, which its entry stands for; but after the last
        // statement there is nothing to jump over.
        let exit = info.flow.exit();
        let mut backward = info.flow.points.ids().rev();
        let last = backward.find(|&point| point != exit && info.flow.reachable[point]);
        for &jump in control
            .jumps
            .difference(&decided)
            .filter(|&&jump| Some(jump) != last)
        {
            found
                .edges
                .push((number(info.flow.entry()), edge(node(jump), EdgeKind::Jump)));
        }
        let uses = &self.local_uses[id.index()];
        let asked: Vec<(PointId, LocalId)> =
            uses.iter().map(|&(_, point, local, _)| (point, local)).collect();
        let first_parameter = self.first_nodes[id.index()].index() + info.flow.points.len();
        local::sources(info, homes, &asked, |at, source| {
            let (from, _, local, kind) = uses[at];
            let to = match source {
                Source::Point(point) => node(point),
                Source::Entry(index) => NodeId::from_index(first_parameter + index as usize),
            };
            let edge = Edge {
                to,
                kind,
                name: names.get(&info.function.locals[local].name),
            };
            found.edges.push((from.index() as u32, edge));
        });
        for (point, preds) in info.flow.preds.iter_enumerated() {
            found
                .preds
                .extend(preds.iter().map(|&pred| (number(point), node(pred))));
        }
        found
    }
}
