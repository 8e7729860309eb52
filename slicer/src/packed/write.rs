//! A graph to bytes.

use super::{EDGE_KINDS, FUNCTION_KINDS, MAGIC, NODE_KINDS, ROLES, VERSION};
use crate::graph::{Call, Edge, Function, Graph, Labels, Lists, Memory, MemoryAccess, Message, Node, NodeId};
use crate::places::Key;
use base::{Id, Number, put_number};

pub(super) fn graph(graph: &Graph) -> Vec<u8> {
    let mut out = Output {
        bytes: MAGIC.to_vec(),
    };
    out.number(VERSION);
    let Graph {
        names,
        files,
        hashes,
        nodes,
        functions,
        calls,
        call_numbers: _,
        call_ranges: _,
        edges,
        reads,
        preds,
        memory,
        implicit,
        in_part,
    } = graph;
    out.each(names, |out, name| out.text(name));
    out.each(files.as_slice(), |out, file| out.text(file));
    hashes.iter().for_each(|hash| out.bytes.extend_from_slice(hash));
    let mut last = Last::default();
    out.each(nodes.as_slice(), |out, node| out.node(node, &mut last));
    let mut last = 0;
    out.each(functions.as_slice(), |out, function| {
        out.function(function, &mut last)
    });
    let mut last = 0;
    out.each(calls, |out, call| out.call(call, &mut last));
    out.lists(edges, |out, row, _, edge| out.edge(row, edge));
    out.lists(reads, |out, _, _, read| out.access(read));
    out.lists(preds, |out, row, _, node| out.near(row, node.index()));
    out.memory(memory);
    out.ids(&implicit.functions);
    out.ids(&implicit.objects);
    out.ids(&implicit.sites);
    out.each(in_part, |out, (file, why)| {
        out.text(file);
        out.text(why);
    });
    out.bytes
}

struct Output {
    bytes: Vec<u8>,
}

/// The node before.
#[derive(Default)]
pub(super) struct Last {
    pub(super) function: i64,
    pub(super) file: i64,
    pub(super) line: i64,
}

impl Output {
    fn byte(&mut self, byte: usize) {
        self.bytes.push(byte as u8);
    }

    fn number(&mut self, number: u64) {
        put_number(&mut self.bytes, number);
    }

    fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    /// Small numbers of either sign are short.
    fn signed(&mut self, number: i64) {
        self.number(u64::zigzag(number));
    }

    fn near(&mut self, from: usize, to: usize) {
        self.signed(to as i64 - from as i64);
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn option<T>(&mut self, value: Option<T>, number: impl Fn(T) -> u64) {
        self.number(value.map_or(0, |value| number(value) + 1));
    }

    fn id<I: Id>(&mut self, id: Option<I>) {
        self.option(id, |id| id.index() as u64);
    }

    /// Sorted, so that each is near the one before.
    fn ids<I: Id>(&mut self, ids: &[I]) {
        self.count(ids.len());
        let mut last = 0;
        for id in ids {
            self.near(last, id.index());
            last = id.index();
        }
    }

    fn each<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.count(items.len());
        items.iter().for_each(|item| write(self, item));
    }

    /// Rows of items; each is written with its row and the item before.
    fn lists<T: Copy + Ord>(
        &mut self,
        lists: &Lists<T>,
        mut write: impl FnMut(&mut Self, usize, Option<T>, T),
    ) {
        self.count(lists.rows());
        for row in 0..lists.rows() {
            let items = lists.of(row);
            self.count(items.len());
            let mut last = None;
            for &item in items {
                write(self, row, last, item);
                last = Some(item);
            }
        }
    }

    fn node(&mut self, node: &Node, last: &mut Last) {
        let kind = NODE_KINDS.iter().position(|kind| *kind == node.kind).unwrap_or(0);
        self.byte(kind | usize::from(node.is_join) << 4);
        let function = node.function.map_or(0, |function| function.index() as i64 + 1);
        let file = node.file.index() as i64;
        let line = i64::from(node.line);
        self.signed(function - last.function);
        self.signed(file - last.file);
        self.signed(line - last.line);
        self.number(u64::from(node.column));
        self.signed(i64::from(node.end_line) - line);
        *last = Last { function, file, line };
    }

    fn function(&mut self, function: &Function, last: &mut usize) {
        self.count(function.name.index());
        let kind = FUNCTION_KINDS.iter().position(|kind| *kind == function.kind);
        self.byte(kind.unwrap_or(0));
        self.count(function.file.index());
        self.number(u64::from(function.line));
        self.number(u64::from(function.end_line));
        self.near(*last, function.first_node.index());
        *last = function.first_node.index();
        self.number(u64::from(function.points));
        self.number(u64::from(function.params));
        self.number(function.pack.map_or(0, |index| u64::from(index) + 1));
        for nodes in [&function.returns, &function.ends, &function.callers] {
            self.nodes(function.first_node, nodes);
        }
        match &function.distrust {
            None => self.byte(0),
            Some(why) => {
                self.byte(1);
                self.text(why);
            }
        }
    }

    fn nodes(&mut self, from: NodeId, nodes: &[NodeId]) {
        self.count(nodes.len());
        let mut last = from.index();
        for node in nodes {
            self.near(last, node.index());
            last = node.index();
        }
    }

    fn call(&mut self, call: &Call, last: &mut usize) {
        self.near(*last, call.node.index());
        *last = call.node.index();
        self.id(call.name);
        self.ids(&call.callees);
        self.byte(usize::from(call.hands_on) | usize::from(call.message.is_some()) << 1);
        self.near(call.node.index(), call.first_argument.index());
        self.number(u64::from(call.arguments));
        self.number(call.expands.map_or(0, |index| u64::from(index) + 1));
        if let Some(message) = &call.message {
            self.message(message);
        }
    }

    fn message(&mut self, message: &Message) {
        let role = ROLES.iter().position(|role| *role == message.role).unwrap_or(0);
        self.byte(role | usize::from(message.by_address) << 4);
        self.text(&message.operation);
        self.tags(message.tag.as_deref());
        self.tags(message.receive_tag.as_deref());
        for ways in [&message.sends, &message.receives] {
            self.count(ways.len());
            for way in ways {
                self.nodes(NodeId::from_index(0), &way.calls);
                self.tags(way.tags.as_deref());
            }
        }
        self.byte(usize::from(message.communicator.is_some()));
        if let Some(communicators) = &message.communicator {
            self.count(communicators.len());
            let all = communicators.iter();
            all.for_each(|&each| self.number(u64::from(each)));
        }
        self.number(u64::from(message.carried));
    }

    fn tags(&mut self, tags: Option<&[i64]>) {
        self.byte(usize::from(tags.is_some()));
        if let Some(tags) = tags {
            self.count(tags.len());
            tags.iter().for_each(|&tag| self.signed(tag));
        }
    }

    fn edge(&mut self, row: usize, edge: Edge) {
        let kind = EDGE_KINDS.iter().position(|kind| *kind == edge.kind).unwrap_or(0);
        self.byte(kind | usize::from(edge.name.is_some()) << 4);
        self.near(row, edge.to.index());
        if let Some(name) = edge.name {
            self.count(name.index());
        }
    }

    fn access(&mut self, access: MemoryAccess) {
        self.count(access.place.index() << 2 | access.purpose as usize);
        self.id(access.key);
        self.id(access.name);
    }

    fn memory(&mut self, memory: &Memory) {
        let Memory {
            labels,
            structured,
            few,
            many,
            writers_of_object,
            writers_of_many,
            writers_of_class,
            class_of,
            origins,
            related,
        } = memory;
        self.each(labels, |out, label| match label {
            Labels::Few(row) => out.number(u64::from(*row) << 1),
            Labels::Many(row) => out.number(u64::from(*row) << 1 | 1),
        });
        self.each(structured, |out, structured| out.byte(usize::from(*structured)));
        self.lists(few, |out, _, last, item| out.labelled(last, item));
        self.lists(many, |out, _, last, item| out.labelled(last, item));
        for writers in [writers_of_object, writers_of_many, writers_of_class] {
            self.lists(writers, |out, _, last, (key, node)| {
                out.id(key);
                let from = last.filter(|(before, _)| *before == key);
                out.near(from.map_or(0, |(_, node)| node.index()), node.index());
            });
        }
        self.each(class_of.as_slice(), |out, class| out.count(class.index()));
        self.count(origins.len());
        for (object, origin) in origins {
            self.count(object.index());
            self.count(origin.index());
        }
        self.lists(related, |out, _, _, name| out.count(name.index()));
    }

    fn labelled<I: Id>(&mut self, last: Option<(I, Key)>, (id, key): (I, Key)) {
        self.near(last.map_or(0, |(id, _)| id.index()), id.index());
        self.id(key);
    }
}
