//! Whether columns that were read fit together: what a walk relies on without looking.

use crate::graph::{
    Call, Edge, Function, Graph, Labels, Lists, Memory, MemoryAccess, Message, NodeId, NodeKind,
};
use crate::places::{Key, NameId};
use base::Id as _;

/// Whether every id is in range, nodes are where their functions say, and what is searched is sorted.
pub(super) fn is_sound(graph: &Graph) -> bool {
    let nodes = graph.nodes.len();
    let is_node = |node: &NodeId| node.index() < nodes;
    let is_name = |name: NameId| name.index() < graph.names.len();
    let is_key = |key: Key| key.is_none_or(is_name);
    let function = |function: &Function| {
        let parts = u64::from(function.points) + u64::from(function.params) + 1;
        is_name(function.name)
            && function.file.index() < graph.files.len()
            && function.points > 0
            && function.first_node.index() as u64 + parts <= nodes as u64
            && function.returns.iter().all(is_node)
            && function.ends.iter().all(is_node)
            && function.callers.iter().all(is_node)
    };
    let message = |message: &Message| {
        let mut ways = message.sends.iter().chain(&message.receives);
        ways.all(|way| way.calls.iter().all(is_node))
    };
    let call = |call: &Call| {
        let end = call.first_argument.index() as u64 + u64::from(call.arguments);
        is_node(&call.node)
            && is_key(call.name)
            && end <= nodes as u64
            && call.message.as_ref().is_none_or(message)
            && call.callees.is_sorted()
            && call
                .callees
                .iter()
                .all(|callee| callee.index() < graph.functions.len())
    };
    let edge = |edge: &Edge| is_node(&edge.to) && is_key(edge.name);
    let places = graph.memory.labels.len();
    let access =
        |access: &MemoryAccess| access.place.index() < places && is_key(access.key) && is_key(access.name);
    graph.functions.iter().all(function)
        && graph.calls.iter().all(call)
        && graph.calls.is_sorted_by_key(|call| call.node)
        && nodes_fit(graph)
        && [graph.edges.rows(), graph.reads.rows(), graph.preds.rows()] == [nodes; 3]
        && graph.edges.all().iter().all(edge)
        && graph.reads.all().iter().all(access)
        && graph.preds.all().iter().all(is_node)
        && graph.implicit.all().all(|id| id.index() < graph.functions.len())
        && graph.implicit.functions.is_sorted()
        && graph.implicit.objects.is_sorted()
        && graph.implicit.sites.iter().all(is_node)
        && graph.implicit.sites.is_sorted()
        && memory(graph)
}

/// A node's file and function exist, and a parameter is one of its function's.
fn nodes_fit(graph: &Graph) -> bool {
    graph.nodes.iter_enumerated().all(|(id, node)| {
        let function = match node.function {
            None => return node.file.index() < graph.files.len() && node.kind != NodeKind::Parameter,
            Some(function) if function.index() < graph.functions.len() => &graph.functions[function],
            Some(_) => return false,
        };
        let parameters = function.parameter(0).index()..=function.parameter(function.params).index();
        node.file.index() < graph.files.len()
            && (node.kind != NodeKind::Parameter || parameters.contains(&id.index()))
    })
}

fn memory(graph: &Graph) -> bool {
    let memory: &Memory = &graph.memory;
    let objects = memory.class_of.len();
    let classes = memory.writers_of_class.rows();
    let is_key = |key: Key| key.is_none_or(|name| name.index() < graph.names.len());
    let rows = |label: &Labels| match *label {
        Labels::Few(row) => (row as usize) < memory.few.rows(),
        Labels::Many(row) => (row as usize) < memory.many.rows(),
    };
    let writers = |lists: &Lists<(Key, NodeId)>| {
        let mut all = lists.all().iter();
        all.all(|&(key, node)| is_key(key) && node.index() < graph.nodes.len())
            && (0..lists.rows()).all(|row| lists.of(row).is_sorted())
    };
    memory.labels.iter().all(rows)
        && memory.structured.len() == memory.labels.len()
        && memory.class_of.iter().all(|class| class.index() < classes)
        && memory.writers_of_object.rows() == objects
        && memory.writers_of_many.rows() == classes
        && memory
            .few
            .all()
            .iter()
            .all(|&(object, key)| object.index() < objects && is_key(key))
        && memory
            .many
            .all()
            .iter()
            .all(|&(class, key)| class.index() < classes && is_key(key))
        && writers(&memory.writers_of_object)
        && writers(&memory.writers_of_many)
        && writers(&memory.writers_of_class)
        && memory
            .origins
            .iter()
            .all(|(a, b)| a.index() < objects && b.index() < objects)
        && memory.related.rows() == graph.names.len()
        && memory
            .related
            .all()
            .iter()
            .all(|name| name.index() < graph.names.len())
}
