//! Two tasks in one call instruction that may be any of several calls of the source, because gcc may have joined them.
//!
//! Whichever of the calls it is, the instruction is executed once at most in an iteration of the loops around, if these calls exclude one another there: none of
//! them is followed by another one, or by itself, before the next iteration. So tasks of which the source's variables say that they are in the same iteration are in
//! the same execution of the instruction, and what is called puts them in order.

use crate::Order;
use crate::compare::Walk;
use crate::flow::{self, Node, Region};
use crate::locate::{LocatedFrame, Place};
use base::mutant::{Mutant, on};
use progress_map::{FunctionId, LoopId, PointId, PointKind};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

impl Order<'_> {
    /// Whether two frames of one function, which stand in one call instruction, are in the same iteration of loops in each iteration of which it is
    /// executed once at most. It calls `callee`.
    pub(crate) fn is_executed_once(
        &self,
        walk: &mut Walk,
        id: FunctionId,
        (a, b): (&LocatedFrame, &LocatedFrame),
        callee: &str,
    ) -> bool {
        let function = &self.map().functions[id];
        let all = || a.places.iter().chain(&b.places);
        let points: BTreeSet<PointId> = all().map(|place| place.point).collect();
        // A macro may call again and again, and so may a function that was inlined, whose call gcc joins with others as well.
        let calls_once = |&point: &PointId| match &function.points[point].kind {
            PointKind::Call(name) => name == callee,
            kind => *kind == PointKind::IndirectCall,
        };
        // What a call itself assigns may end what counts as its iteration.
        let is_open = a.obstacle.is_some() || b.obstacle.is_some() || all().any(|place| place.after);
        if is_open || points.is_empty() || !points.iter().all(calls_once) {
            return false;
        }
        let mut same = Vec::new();
        let (mut region, mut outer) = (Region::Function, None);
        loop {
            let place = |&point: &PointId| Place { point, after: false };
            let nodes = Vec::from_iter(
                points
                    .iter()
                    .map(|point| flow::node_of(function, outer, place(point))),
            );
            let Some(inner) = same_loop(&nodes) else {
                let once = self.exclude_one_another(id, region, &nodes);
                walk.same.extend(same.into_iter().filter(|_| once));
                return once;
            };
            // It may be run through twice before a variable of the loop around it changes.
            if self.may_recur(id, region, Node::Inner(inner)) {
                return false;
            }
            let mut next = None;
            for &place_a in &a.places {
                for &place_b in &b.places {
                    let mut found = Vec::new();
                    let iterations = (id, inner);
                    match self.compare_iterations(walk, iterations, (a, place_a), (b, place_b), &mut found) {
                        ControlFlow::Continue(region) if next.is_none_or(|(known, _)| known == region) => {
                            next = Some((region, found));
                        }
                        _ => return false,
                    }
                }
            }
            let Some((within, found)) = next else {
                return false;
            };
            same.extend(found);
            (region, outer) = (within, Some(inner));
        }
    }

    /// Whether none of these nodes of a region is followed by another one of them, or by itself.
    fn exclude_one_another(&self, id: FunctionId, region: Region<'_>, nodes: &[Node]) -> bool {
        let function = &self.map().functions[id];
        let is_place = |node: &Node| matches!(node, Node::Place(_));
        on(Mutant::RecurrenceIgnored)
            || nodes.iter().all(is_place)
                && nodes.iter().all(|&from| {
                    let leads = |&to: &Node| self.ways[id].lead(function, region, from, to);
                    !nodes.iter().any(leads)
                })
    }
}

/// The loop that all of these nodes are, if they are one.
fn same_loop(nodes: &[Node]) -> Option<LoopId> {
    let (first, rest) = nodes.split_first()?;
    match *first {
        Node::Inner(inner) if rest.iter().all(|node| node == first) => Some(inner),
        _ => None,
    }
}
