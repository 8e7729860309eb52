//! What is known of messages once the whole program is: the tags and communicators that wrappers, members and variables hold.
//!
//! Communicators are told apart by the calls that make them (`origins`). Two calls may make one and the same communicator, since the ranks of a job may
//! be on different ways: `if (rank) MPI_Comm_dup(w, &c); else MPI_Comm_dup(w, &c);`. They cannot
//!
//! - if they are calls of different operations, which no rank may mix in one;
//! - if what they are made from are different communicators (not for those that each group makes from a communicator of its own);
//! - if every process makes the communicators of this operation in one order: all calls of the operation in the program stand where each is executed once at most, and never before
//!   those in front of it, and each makes one from a communicator that is the same call's on all ranks. Then the first one that a process makes of that is that of the first call,
//!   and so on.

use crate::build::message::{OWN, WORLD};
use crate::build::origins::{Asker, Origin, Origins};
use crate::graph::{ByCaller, Call, FunctionId, Graph, NodeId};
use base::{Id as _, mpi_name};
use dataflow::Program;
use library::Role;
use petgraph::unionfind::UnionFind;
use std::collections::{BTreeMap, BTreeSet};

/// What was found out about the message of a call.
struct Found {
    call: usize,
    /// The tags of the messages that it sends, and of those that it receives.
    tags: [Option<Vec<i64>>; 2],
    /// The same by the calls of the functions around it, where these decide.
    by_caller: [Vec<ByCaller>; 2],
    communicators: Origins,
}

/// Makes the messages of a graph tell all tags and communicators that they may be about.
pub(super) fn settle(graph: &mut Graph, program: &Program<'_>) {
    if graph.calls.iter().all(|call| call.message.is_none()) {
        return;
    }
    let mut asker = Asker::new(graph, program);
    let zero_is_one = asker.zero_is_communicator;
    let mut found: Vec<Found> = Vec::new();
    for (number, call) in graph.calls.iter().enumerate() {
        let (Some(message), Some(name)) = (&call.message, call.name) else {
            continue;
        };
        let Some(row) = library::function(graph.name(name)) else {
            continue;
        };
        let mut ask = |wanted: Role| asker.ask(argument(call, row, wanted)?);
        let tags = [
            (&message.tag, Role::SendTag),
            (&message.receive_tag, Role::ReceiveTag),
        ];
        let tags = tags.map(|(known, role)| known.clone().or_else(|| constants(ask(role)?)));
        let communicators = match message.communicator {
            Some(_) => None,
            None => ask(Role::Communicator),
        };
        let by_caller = [Role::SendTag, Role::ReceiveTag].map(|role| by_caller(&mut asker, call, row, role));
        found.push(Found {
            call: number,
            tags,
            by_caller,
            communicators,
        });
    }
    let used = found.iter().filter_map(|found| found.communicators.as_ref());
    let numbers = numbers(graph, &mut asker, used);
    for found in found {
        let [tag, receive_tag] = found.tags;
        let [sends, receives] = found.by_caller;
        let Some(message) = &mut graph.calls[found.call].message else {
            continue;
        };
        // What only receives has one tag.
        message.tag = tag.or_else(|| message.tag.take());
        message.receive_tag = receive_tag;
        message.sends = sends;
        message.receives = receives;
        let number = |origin: &Origin| match origin {
            Origin::World => Some(WORLD),
            Origin::Own => Some(OWN),
            Origin::Made(call) => numbers.get(call).copied(),
            Origin::Int(_) => None,
        };
        if let Some(all) = found.communicators {
            // Zero is no communicator, and a number that somebody took for one may be any.
            let all = all
                .iter()
                .filter(|&&origin| zero_is_one || origin != Origin::Int(0));
            let all: Option<BTreeSet<u32>> = all.map(number).collect();
            message.communicator = all.map(Vec::from_iter).filter(|all| !all.is_empty());
        }
    }
}

/// The tags of a call by the calls that lead to it; nothing where they say no more than all together.
fn by_caller(asker: &mut Asker<'_, '_>, call: &Call, row: &library::Function, role: Role) -> Vec<ByCaller> {
    let ways = argument(call, row, role).and_then(|tag| asker.by_caller(tag));
    let ways = ways.unwrap_or_default().into_iter();
    let ways = Vec::from_iter(ways.map(|(calls, origins)| ByCaller {
        calls,
        tags: origins.and_then(constants),
    }));
    if ways.iter().all(|way| way.tags == ways[0].tags) {
        return Vec::new();
    }
    ways
}

fn argument(call: &Call, row: &library::Function, wanted: Role) -> Option<NodeId> {
    let index = row.role(wanted)?;
    let first = call.first_argument.index();
    (index < call.arguments as usize).then(|| NodeId::from_index(first + index))
}

fn constants(origins: BTreeSet<Origin>) -> Option<Vec<i64>> {
    let value = |origin: Origin| match origin {
        Origin::Int(value) => Some(value),
        _ => None,
    };
    let all: Option<Vec<i64>> = origins.into_iter().map(value).collect();
    all.filter(|all| !all.is_empty())
}

/// Numbers the calls that make communicators; calls that may make the same one share a number.
fn numbers<'a>(
    graph: &Graph,
    asker: &mut Asker<'_, '_>,
    used: impl Iterator<Item = &'a BTreeSet<Origin>>,
) -> BTreeMap<NodeId, u32> {
    let mut made: BTreeSet<NodeId> = BTreeSet::new();
    for origins in used {
        made.extend(origins.iter().filter_map(|origin| match origin {
            Origin::Made(call) => Some(*call),
            _ => None,
        }));
    }
    let makers: Vec<Maker<'_>> = made
        .iter()
        .filter_map(|&node| Maker::of(graph, asker, node))
        .collect();
    let mut one: UnionFind<u32> = UnionFind::new(makers.len());
    let mut orders = Orders::default();
    for (a, first) in makers.iter().enumerate() {
        for (b, second) in makers.iter().enumerate().skip(a + 1) {
            if first.may_be(second) && !orders.are_kept(graph, asker, first.operation) {
                one.union(a as u32, b as u32);
            }
        }
    }
    let number = |(at, maker): (usize, &Maker<'_>)| (maker.node, one.find(at as u32) + OWN + 1);
    makers.iter().enumerate().map(number).collect()
}

/// A call that makes a communicator.
struct Maker<'g> {
    node: NodeId,
    operation: &'g str,
    /// What it is made from.
    from: Origins,
}

impl<'g> Maker<'g> {
    fn of(graph: &'g Graph, asker: &mut Asker<'_, '_>, node: NodeId) -> Option<Self> {
        let call = graph.call(node)?;
        let operation = name_of(graph, node)?;
        let from = match call.arguments {
            0 => None,
            _ if is_by_group(operation) => None,
            _ => asker.ask(call.first_argument),
        };
        Some(Maker {
            node,
            operation,
            from,
        })
    }

    /// Whether one rank may make with this call what another makes with the other.
    fn may_be(&self, other: &Self) -> bool {
        let from_one = match (&self.from, &other.from) {
            // Two communicators that calls have made are one only if the calls are; whether they may be is not asked again.
            (Some(a), Some(b)) => {
                let made =
                    |all: &BTreeSet<Origin>| all.iter().any(|origin| matches!(origin, Origin::Made(_)));
                !a.is_disjoint(b) || (made(a) && made(b))
            }
            _ => true,
        };
        self.operation == other.operation && from_one
    }
}

/// Each group makes the communicator from one of its own, or it is told apart by more than that.
fn is_by_group(operation: &str) -> bool {
    library::function(operation).is_some_and(|row| row.by_members)
}

/// Of each operation, whether every process executes its calls in one order. While that is being found out, it is not known.
#[derive(Default)]
struct Orders<'g> {
    known: BTreeMap<&'g str, bool>,
}

impl<'g> Orders<'g> {
    fn are_kept(&mut self, graph: &'g Graph, asker: &mut Asker<'_, '_>, operation: &'g str) -> bool {
        if let Some(&known) = self.known.get(operation) {
            return known;
        }
        self.known.insert(operation, false);
        let found = self.find(graph, asker, operation);
        self.known.insert(operation, found);
        found
    }

    fn find(&mut self, graph: &'g Graph, asker: &mut Asker<'_, '_>, operation: &'g str) -> bool {
        // What is called through a pointer, or from what was not understood, may be this operation too.
        let is_clear = |call: &Call| call.name.is_some() || call.message.is_none();
        if is_by_group(operation)
            || !graph.calls.iter().all(is_clear)
            || graph.functions.iter().any(|function| function.distrust.is_some())
        {
            return false;
        }
        let mut ways: Vec<Vec<NodeId>> = Vec::new();
        for call in &graph.calls {
            if call
                .name
                .is_none_or(|name| mpi_name(graph.name(name)) != operation)
            {
                continue;
            }
            let from = asker.ask(call.first_argument).unwrap_or_default();
            let zero_is_one = asker.zero_is_communicator;
            let from = (from.into_iter()).filter(|&origin| zero_is_one || origin != Origin::Int(0));
            let is_one = match Vec::from_iter(from)[..] {
                [Origin::World | Origin::Own] => true,
                [Origin::Made(maker)] => {
                    name_of(graph, maker).is_some_and(|operation| self.are_kept(graph, asker, operation))
                }
                _ => false,
            };
            match way(graph, call.node) {
                Some(way) if is_one => ways.push(way),
                _ => return false,
            }
        }
        ways.iter().enumerate().all(|(at, a)| {
            let rest = &ways[at + 1..];
            rest.iter()
                .all(|b| precedes(graph, a, b) || precedes(graph, b, a))
        })
    }
}

fn name_of(graph: &Graph, call: NodeId) -> Option<&str> {
    let name = graph.call(call)?.name?;
    Some(mpi_name(graph.name(name)))
}

/// The calls from `main` to a node, if it is executed once at most: each function has one call, which no loop goes round.
fn way(graph: &Graph, node: NodeId) -> Option<Vec<NodeId>> {
    let mut way = vec![node];
    loop {
        let node = *way.last()?;
        let function = graph.nodes[node].function?;
        if graph.is_hidden(function) || comes_before(graph, node, node, None) {
            return None;
        }
        let of = &graph.functions[function];
        let is_main = graph.name(of.name) == "main";
        match of.callers[..] {
            [] if is_main => break,
            [caller] if !is_main && way.len() < 50 => {
                let call = graph.call(caller)?;
                if call.name.is_none() || call.hands_on || call.callees != [function] {
                    return None;
                }
                way.push(caller);
            }
            _ => return None,
        }
    }
    way.reverse();
    Some(way)
}

/// Whether what stands at the end of one way has been executed whenever what stands at the end of another is.
fn precedes(graph: &Graph, first: &[NodeId], second: &[NodeId]) -> bool {
    let Some(parted) = (0..first.len().min(second.len())).find(|&at| first[at] != second[at]) else {
        return false;
    };
    let Some(function) = graph.nodes[first[parted]].function else {
        return false;
    };
    !comes_before(graph, entry(graph, function), second[parted], Some(first[parted]))
        // Whoever comes back from the calls on the way has been at the end of it.
        && first[parted + 1..].iter().all(|&node| {
            let function = graph.nodes[node].function;
            function.is_some_and(|function| is_always_met(graph, function, node))
        })
}

fn entry(graph: &Graph, function: FunctionId) -> NodeId {
    graph.functions[function].first_node
}

/// Whether no way through a function leads round a node.
fn is_always_met(graph: &Graph, function: FunctionId, node: NodeId) -> bool {
    let of = &graph.functions[function];
    let exit = NodeId::from_index(of.first_node.index() + of.points as usize - 1);
    !comes_before(graph, of.first_node, exit, Some(node))
}

/// Whether control may get from one node to another, in one step at least, without passing a third.
fn comes_before(graph: &Graph, from: NodeId, to: NodeId, without: Option<NodeId>) -> bool {
    let mut seen: BTreeSet<NodeId> = BTreeSet::new();
    let mut work = vec![to];
    while let Some(node) = work.pop() {
        for &before in graph.preds.of(node.index()) {
            if before == from && Some(before) != without {
                return true;
            }
            if Some(before) != without && seen.insert(before) {
                work.push(before);
            }
        }
    }
    false
}
