//! Calls under way inside macros: a macro leaves no frame, so that the next frame of a stack may be of a function that a macro at
//! the line calls.

use crate::graph::{Call, FunctionId, Graph, NodeId};
use std::collections::BTreeSet;

/// What is under way inside macros that are called at some points.
#[derive(Clone, Debug, Default)]
pub(crate) struct Within {
    /// The macros, each with the call of it.
    pub(crate) entered: Vec<(FunctionId, NodeId)>,
    /// The calls in them.
    pub(crate) calls: Vec<NodeId>,
}

impl Graph {
    /// The calls of functions in macros that are called at `points`: those that may be of the function called `callee`, if that is
    /// known.
    pub(crate) fn within_macros(&self, points: &[NodeId], callee: Option<&str>) -> Within {
        let mut within = Within::default();
        let mut work = points.to_vec();
        let mut seen: BTreeSet<FunctionId> = BTreeSet::new();
        while let Some(node) = work.pop() {
            let Some(call) = self.call(node) else { continue };
            for &id in call.callees.iter().filter(|&&id| self.is_macro(id)) {
                if !seen.insert(id) {
                    continue;
                }
                within.entered.push((id, node));
                for inner in self.calls_of(id) {
                    work.push(inner.node);
                    if callee.is_none_or(|callee| self.is_of(inner, callee)) {
                        within.calls.push(inner.node);
                    }
                }
            }
        }
        within
    }

    /// Whether a call may be of the function of this name, by way of macros, too.
    pub(crate) fn may_call(&self, call: &Call, callee: &str) -> bool {
        self.is_of(call, callee) || !self.within_macros(&[call.node], Some(callee)).calls.is_empty()
    }

    /// Whether a call may be of the function of this name.
    fn is_of(&self, call: &Call, callee: &str) -> bool {
        let by_name = call
            .name
            .is_none_or(|name| base::mpi_name(self.name(name)) == base::mpi_name(callee));
        let mut callees = call.callees.iter();
        by_name || callees.any(|&id| !self.is_hidden(id) && self.name(self.functions[id].name) == callee)
    }
}
