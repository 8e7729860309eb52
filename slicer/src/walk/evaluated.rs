//! What has to be there for a statement to be evaluated at all, although nobody asks for the value that it makes.
//!
//! A call may be wanted for one of its arguments: the others are evaluated all the same. A call inside of a larger expression may be
//! wanted for what it writes: what stands around it is evaluated as well. Either may read through a pointer, and without the statement that
//! sets the pointer the program does not get any farther. So pointers and indices are followed, and calls are executed; the
//! values are not asked for. All of this is farther away than what makes values, and hands on no difference between tasks.

use super::{Walk, side_of};
use crate::graph::{EdgeKind, FunctionId, NodeId, NodeKind, Purpose};
use crate::state::{CallingContext, Dependence, State};
use base::Id as _;
use hashbrown::{HashMap, HashSet};

/// How far away is what an expression needs to be evaluated.
const EVALUATED: u32 = 4;

/// Which nodes other nodes are parts of, looked for function by function.
#[derive(Default)]
pub(super) struct Wholes {
    known: HashSet<FunctionId>,
    of: HashMap<NodeId, Vec<NodeId>>,
}

impl<'g> Walk<'g> {
    /// The arguments of a call of functions with source: the walk asks for the value of each where the parameter is wanted.
    pub(super) fn arguments_evaluated(
        &mut self,
        state: State,
        context: CallingContext,
        arguments: impl Iterator<Item = NodeId>,
        distance: u32,
    ) {
        for argument in arguments {
            self.evaluated(state, context, argument, distance + EVALUATED);
        }
    }

    /// The expressions that a node stands in.
    pub(super) fn around_evaluated(
        &mut self,
        state: State,
        context: CallingContext,
        node: NodeId,
        distance: u32,
    ) {
        let mut inner = vec![node];
        while let Some(node) = inner.pop() {
            for whole in self.wholes(node) {
                if !self.contexts(side_of(context), whole).any(|each| each == context) {
                    continue;
                }
                if self.graph.nodes[whole].kind == NodeKind::Call {
                    let to = State::At(context, whole);
                    self.need(state, to, distance + EVALUATED, Dependence::Computes, None);
                } else {
                    self.evaluated(state, context, whole, distance + EVALUATED);
                    inner.push(whole);
                }
            }
        }
    }

    /// Follows what a node reads to find the memory that it means, and executes the calls that are parts of it.
    fn evaluated(&mut self, state: State, context: CallingContext, node: NodeId, distance: u32) {
        let graph = self.graph;
        for edge in graph.edges.of(node.index()) {
            let to = State::At(context, edge.to);
            match edge.kind {
                EdgeKind::Choice => self.need(state, to, distance, Dependence::Sets, edge.name),
                EdgeKind::Part => self.need(state, to, distance, Dependence::Computes, None),
                _ => {}
            }
        }
        let reads = graph.reads.of(node.index()).iter();
        for access in reads.filter(|access| access.purpose == Purpose::Choice) {
            let to = self.asked(side_of(context), access);
            self.need(state, to, distance, Dependence::Sets, access.name);
        }
    }

    /// The nodes of the same function that a node is a part of. An argument is a part of its call.
    fn wholes(&mut self, node: NodeId) -> Vec<NodeId> {
        let graph = self.graph;
        let Some(id) = graph.nodes[node].function else {
            return Vec::new();
        };
        if self.wholes.known.insert(id) {
            let function = &graph.functions[id];
            let first = function.first_node.index();
            let points = (first..first + function.points as usize).map(|at| {
                let point = NodeId::from_index(at);
                (point, point)
            });
            let arguments = graph.calls_of(id).iter().flat_map(|call| {
                let arguments = super::calls::arguments(call);
                arguments.map(move |argument| (argument, call.node))
            });
            for (reader, whole) in points.chain(arguments) {
                let edges = graph.edges.of(reader.index()).iter();
                for part in edges.filter(|edge| edge.kind == EdgeKind::Part) {
                    self.wholes.of.entry(part.to).or_default().push(whole);
                }
            }
        }
        self.wholes.of.get(&node).cloned().unwrap_or_default()
    }
}
