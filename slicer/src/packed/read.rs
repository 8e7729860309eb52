//! Bytes to a graph.

use super::check;
use super::write::Last;
use super::{EDGE_KINDS, FUNCTION_KINDS, GraphError, MAGIC, NODE_KINDS, PURPOSES, ROLES, VERSION};
use crate::graph::{
    ByCaller, Call, ClassId, Edge, FileId, Function, FunctionId, Graph, ImplicitCalls, Labels, Lists, Memory,
    MemoryAccess, Message, Node, NodeId, call_numbers, call_ranges,
};
use crate::places::{Key, NameId, ObjectId, PlaceId};
use base::{Id, Number, take_number};
use std::collections::BTreeMap;

pub(super) fn graph(bytes: &[u8]) -> Result<Graph, GraphError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(GraphError::NoGraph)?;
    let mut input = Input {
        bytes,
        at: bytes.len() - rest.len(),
    };
    match input.number()? {
        VERSION => {}
        other => return Err(GraphError::Version(other)),
    }
    let names = input.each(Input::text)?;
    let files = input.each(Input::text)?;
    let hashes = files
        .iter()
        .map(|_| input.hash())
        .collect::<Result<Vec<_>, _>>()?;
    let mut last = Last::default();
    let nodes = input.each(|input| input.node(&mut last))?;
    let count = nodes.len();
    let mut last = 0;
    let functions = input.each(|input| input.function(&mut last))?;
    let mut last = 0;
    let calls = input.each(|input| input.call(&mut last))?;
    let edges = input.lists(|input, row, _| input.edge(row))?;
    let reads = input.lists(|input, _, _| input.access())?;
    let preds = input.lists(|input, row, _| input.near(row))?;
    let functions = functions.into();
    let graph = Graph {
        names,
        files: files.into(),
        hashes: hashes.into(),
        nodes: nodes.into(),
        call_ranges: call_ranges(&functions, &calls),
        functions,
        call_numbers: call_numbers(count, &calls),
        calls,
        edges,
        reads,
        preds,
        memory: input.memory()?,
        implicit: ImplicitCalls {
            functions: input.ids()?,
            objects: input.ids()?,
            sites: input.ids()?,
        },
        in_part: input.each(|input| Ok((input.text()?, input.text()?)))?,
    };
    let sound = input.at == bytes.len() && graph.edges.rows() == count && check::is_sound(&graph);
    if sound { Ok(graph) } else { input.malformed() }
}

struct Input<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Input<'_> {
    fn malformed<T>(&self) -> Result<T, GraphError> {
        Err(GraphError::Malformed(self.at))
    }

    fn byte(&mut self) -> Result<usize, GraphError> {
        match self.bytes.get(self.at) {
            Some(&byte) => {
                self.at += 1;
                Ok(usize::from(byte))
            }
            None => self.malformed(),
        }
    }

    fn number(&mut self) -> Result<u64, GraphError> {
        take_number(self.bytes, &mut self.at).or_else(|_| self.malformed())
    }

    fn small(&mut self) -> Result<u32, GraphError> {
        match u32::try_from(self.number()?) {
            Ok(number) => Ok(number),
            Err(_) => self.malformed(),
        }
    }

    /// How many items follow: each takes a byte at least.
    fn count(&mut self) -> Result<usize, GraphError> {
        let count = self.number()?;
        match usize::try_from(count) {
            Ok(count) if count <= self.bytes.len() - self.at => Ok(count),
            _ => self.malformed(),
        }
    }

    fn signed(&mut self) -> Result<i64, GraphError> {
        Ok(self.number()?.unzigzag())
    }

    /// The number that lies so far from another.
    fn from(&mut self, last: i64) -> Result<i64, GraphError> {
        match last.checked_add(self.signed()?) {
            Some(number) if number >= 0 && number < i64::from(u32::MAX) => Ok(number),
            _ => self.malformed(),
        }
    }

    fn near<I: Id>(&mut self, from: usize) -> Result<I, GraphError> {
        let index = self.from(from as i64)?;
        Ok(I::from_index(index as usize))
    }

    fn id<I: Id>(&mut self) -> Result<I, GraphError> {
        match self.small()? {
            u32::MAX => self.malformed(),
            index => Ok(I::from_index(index as usize)),
        }
    }

    fn option<I: Id>(&mut self) -> Result<Option<I>, GraphError> {
        let number = self.small()?;
        Ok(number.checked_sub(1).map(|index| I::from_index(index as usize)))
    }

    fn ids<I: Id>(&mut self) -> Result<Vec<I>, GraphError> {
        let mut last = 0;
        self.each(|input| {
            let id: I = input.near(last)?;
            last = id.index();
            Ok(id)
        })
    }

    fn hash(&mut self) -> Result<[u8; 32], GraphError> {
        match self.bytes[self.at..].first_chunk() {
            Some(hash) => {
                self.at += hash.len();
                Ok(*hash)
            }
            None => self.malformed(),
        }
    }

    fn text(&mut self) -> Result<String, GraphError> {
        let count = self.count()?;
        let text = std::str::from_utf8(&self.bytes[self.at..self.at + count]);
        match text {
            Ok(text) => {
                self.at += count;
                Ok(text.to_owned())
            }
            Err(_) => self.malformed(),
        }
    }

    fn flag(&mut self) -> Result<bool, GraphError> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => self.malformed(),
        }
    }

    fn each<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, GraphError>,
    ) -> Result<Vec<T>, GraphError> {
        let count = self.count()?;
        let mut items = Vec::with_capacity(count);
        for _ in 0..count {
            items.push(read(self)?);
        }
        Ok(items)
    }

    /// A list that may be unknown.
    fn known<T>(
        &mut self,
        read: impl FnMut(&mut Self) -> Result<T, GraphError>,
    ) -> Result<Option<Vec<T>>, GraphError> {
        Ok(if self.flag()? {
            Some(self.each(read)?)
        } else {
            None
        })
    }

    fn lists<T: Copy + Ord>(
        &mut self,
        mut read: impl FnMut(&mut Self, usize, Option<T>) -> Result<T, GraphError>,
    ) -> Result<Lists<T>, GraphError> {
        let rows = self.count()?;
        let mut ends = Vec::with_capacity(rows);
        let mut items = Vec::new();
        for row in 0..rows {
            let mut last = None;
            for _ in 0..self.count()? {
                let item = read(self, row, last)?;
                last = Some(item);
                items.push(item);
            }
            ends.push(items.len() as u32);
        }
        Ok(Lists::from_parts(ends, items))
    }

    fn node(&mut self, last: &mut Last) -> Result<Node, GraphError> {
        let byte = self.byte()?;
        let (Some(&kind), true) = (NODE_KINDS.get(byte & 0xf), byte < 0x20) else {
            return self.malformed();
        };
        let function = self.from(last.function)?;
        let file = self.from(last.file)?;
        let line = self.from(last.line)?;
        *last = Last { function, file, line };
        Ok(Node {
            kind,
            function: (function > 0).then(|| FunctionId::from_index(function as usize - 1)),
            file: FileId::from_index(file as usize),
            line: line as u32,
            column: self.small()?,
            end_line: self.from(line)? as u32,
            is_join: byte & 0x10 != 0,
        })
    }

    fn function(&mut self, last: &mut usize) -> Result<Function, GraphError> {
        let name: NameId = self.id()?;
        let Some(&kind) = FUNCTION_KINDS.get(self.byte()?) else {
            return self.malformed();
        };
        let file: FileId = self.id()?;
        let line = self.small()?;
        let end_line = self.small()?;
        let first_node: NodeId = self.near(*last)?;
        *last = first_node.index();
        Ok(Function {
            name,
            kind,
            file,
            line,
            end_line,
            first_node,
            points: self.small()?,
            params: self.small()?,
            pack: self.small()?.checked_sub(1),
            returns: self.nodes(first_node)?,
            ends: self.nodes(first_node)?,
            callers: self.nodes(first_node)?,
            distrust: if self.flag()? { Some(self.text()?) } else { None },
        })
    }

    fn nodes(&mut self, from: NodeId) -> Result<Vec<NodeId>, GraphError> {
        let mut last = from.index();
        self.each(|input| {
            let node: NodeId = input.near(last)?;
            last = node.index();
            Ok(node)
        })
    }

    fn call(&mut self, last: &mut usize) -> Result<Call, GraphError> {
        let node: NodeId = self.near(*last)?;
        *last = node.index();
        let name = self.option()?;
        let callees = self.ids()?;
        let flags = self.byte()?;
        if flags > 3 {
            return self.malformed();
        }
        Ok(Call {
            node,
            name,
            callees,
            hands_on: flags & 1 != 0,
            first_argument: self.near(node.index())?,
            arguments: self.small()?,
            expands: self.small()?.checked_sub(1),
            message: match flags & 2 {
                0 => None,
                _ => Some(self.message()?),
            },
        })
    }

    fn message(&mut self) -> Result<Message, GraphError> {
        let byte = self.byte()?;
        let (Some(&role), true) = (ROLES.get(byte & 0xf), byte < 0x20) else {
            return self.malformed();
        };
        let operation = self.text()?;
        let tag = self.known(Self::signed)?;
        let receive_tag = self.known(Self::signed)?;
        Ok(Message {
            role,
            operation,
            tag,
            receive_tag,
            sends: self.ways()?,
            receives: self.ways()?,
            communicator: self.known(Self::small)?,
            by_address: byte & 0x10 != 0,
            carried: self.small()?,
        })
    }

    fn ways(&mut self) -> Result<Vec<ByCaller>, GraphError> {
        self.each(|input| {
            Ok(ByCaller {
                calls: input.nodes(NodeId::from_index(0))?,
                tags: input.known(Self::signed)?,
            })
        })
    }

    fn edge(&mut self, row: usize) -> Result<Edge, GraphError> {
        let byte = self.byte()?;
        let (Some(&kind), true) = (EDGE_KINDS.get(byte & 0xf), byte < 0x20) else {
            return self.malformed();
        };
        Ok(Edge {
            to: self.near(row)?,
            kind,
            name: match byte & 0x10 {
                0 => None,
                _ => Some(self.id()?),
            },
        })
    }

    fn access(&mut self) -> Result<MemoryAccess, GraphError> {
        let number = self.small()?;
        let Some(&purpose) = PURPOSES.get(number as usize & 3) else {
            return self.malformed();
        };
        Ok(MemoryAccess {
            place: PlaceId::from_index(number as usize >> 2),
            purpose,
            key: self.option()?,
            name: self.option()?,
        })
    }

    fn memory(&mut self) -> Result<Memory, GraphError> {
        let labels = self.each(|input| {
            let number = input.small()?;
            Ok(match number & 1 {
                0 => Labels::Few(number >> 1),
                _ => Labels::Many(number >> 1),
            })
        })?;
        let structured = self.each(Input::flag)?;
        let few = self.lists(|input, _, last| input.labelled(last))?;
        let many = self.lists(|input, _, last| input.labelled(last))?;
        let writers = |input: &mut Self| {
            input.lists(|input, _, last: Option<(Key, NodeId)>| {
                let key: Key = input.option()?;
                let from = last.filter(|(before, _)| *before == key);
                let node = input.near(from.map_or(0, |(_, node)| node.index()))?;
                Ok((key, node))
            })
        };
        let writers_of_object = writers(self)?;
        let writers_of_many = writers(self)?;
        let writers_of_class = writers(self)?;
        let class_of: Vec<ClassId> = self.each(Input::id)?;
        let origins = self.each(|input| Ok((input.id::<ObjectId>()?, input.id::<ObjectId>()?)))?;
        Ok(Memory {
            labels,
            structured,
            few,
            many,
            writers_of_object,
            writers_of_many,
            writers_of_class,
            class_of: class_of.into(),
            origins: BTreeMap::from_iter(origins),
            related: self.lists(|input, _, _| input.id())?,
        })
    }

    fn labelled<I: Id>(&mut self, last: Option<(I, Key)>) -> Result<(I, Key), GraphError> {
        let id = self.near(last.map_or(0, |(id, _)| id.index()))?;
        Ok((id, self.option()?))
    }
}
