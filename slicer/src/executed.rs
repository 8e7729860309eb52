//! What may have been executed before a stack was taken.
//!
//! Of the functions on the stack, what can lead to the call that is under way; of all others, everything that a call made
//! before may have led to. A statement outside this set cannot have had an influence on the task.

use crate::graph::{FunctionId, Graph, NodeId};
use base::Id as _;
use std::collections::BTreeSet;

/// A function on the stack.
#[derive(Clone, Debug)]
pub(crate) struct Active {
    pub(crate) function: FunctionId,
    /// The points where it may be: of an outer function, calls of the next one.
    pub(crate) points: Vec<NodeId>,
    /// Its points that lead there.
    before: BTreeSet<NodeId>,
}

/// What may have been executed.
#[derive(Clone, Debug)]
pub(crate) struct Executed {
    /// The functions on the stack, outermost first.
    pub(crate) stack: Vec<Active>,
    /// Functions that were called and may have returned.
    finished: Vec<bool>,
}

impl Executed {
    /// Everything: when there is no stack, and for other tasks.
    pub(crate) fn everything(graph: &Graph) -> Executed {
        Executed {
            stack: Vec::new(),
            finished: vec![true; graph.functions.len()],
        }
    }

    /// What a stack of functions, each with the points where it may be, leaves possible.
    pub(crate) fn before(graph: &Graph, stack: Vec<(FunctionId, Vec<NodeId>)>) -> Executed {
        let mut finished = vec![false; graph.functions.len()];
        let mut work: Vec<FunctionId> = Vec::new();
        let mut active = Vec::new();
        for (function, points) in stack {
            // A point is executed before itself only if control comes back to it.
            let mut before: BTreeSet<NodeId> = BTreeSet::new();
            let mut back: Vec<NodeId> = points.clone();
            while let Some(node) = back.pop() {
                let preds = graph.preds.of(node.index());
                back.extend(preds.iter().filter(|&&pred| before.insert(pred)));
            }
            if graph.functions[function].distrust.is_some() {
                let first = graph.functions[function].first_node.index();
                let all = first..first + graph.functions[function].points as usize;
                before.extend(all.map(NodeId::from_index));
            }
            for call in graph.calls_of(function) {
                if before.contains(&call.node) {
                    work.extend(&call.callees);
                } else if points.contains(&call.node) {
                    // A macro has no frame of its own: where a function that it calls is on the stack, the macro is under way.
                    let callees = call.callees.iter();
                    work.extend(callees.filter(|&&callee| graph.is_macro(callee)));
                }
            }
            before.extend(&points);
            active.push(Active {
                function,
                points,
                before,
            });
        }
        work.extend(graph.implicit.all());
        while let Some(function) = work.pop() {
            if std::mem::replace(&mut finished[function.index()], true) {
                continue;
            }
            for call in graph.calls_of(function) {
                work.extend(&call.callees);
            }
        }
        Executed {
            stack: active,
            finished,
        }
    }

    /// Whether a call of the function, other than those on the stack, may have been made.
    pub(crate) fn is_finished(&self, function: FunctionId) -> bool {
        self.finished[function.index()]
    }

    /// The places on the stack where the node may have been executed.
    pub(crate) fn on_stack(&self, graph: &Graph, node: NodeId) -> impl Iterator<Item = u16> + '_ {
        let function = graph.nodes[node].function;
        let points = function.map(|function| {
            let function = &graph.functions[function];
            function.first_node.index() + function.points as usize
        });
        let stack = self.stack.iter().enumerate();
        stack
            .filter(move |(_, active)| {
                Some(active.function) == function
                    // What is no point is a parameter, which has its value from the start.
                    && (points.is_some_and(|end| node.index() >= end) || active.before.contains(&node))
            })
            .map(|(number, _)| number as u16)
    }
}
