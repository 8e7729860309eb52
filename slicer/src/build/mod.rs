//! From a program to its dependence graph.
//!
//! 1. Each local variable gets a home, a value or memory ([`memory`]).
//! 2. All expressions say what their values may point to ([`values`]), and each point what it reads and writes ([`uses`]).
//! 3. Calls through pointers are resolved with what was found, which may let more values flow, until nothing new is found.
//! 4. Function by function, and side by side: control dependence ([`control`]) and local variables ([`local`]).
//! 5. All of it is put into columns.

mod allocators;
mod by_caller;
mod called;
mod callees;
mod calls;
mod classes;
mod closed;
mod control;
mod copied;
mod cxx;
mod finish;
mod foreign;
mod freeze;
mod hosts;
mod implicit;
mod indirect;
mod inside;
mod local;
mod locations;
mod macros;
mod memory;
mod message;
mod moved;
mod names;
mod objects;
mod origins;
mod resolved;
mod sets;
mod settle;
mod tables;
mod uses;
mod values;

use crate::graph::{Call, Edge, EdgeKind, FileId, FunctionId, Graph, MemoryAccess, Node, NodeId, NodeKind};
use crate::places::{Key, PlaceId};
use base::{Id as _, IdVec};
use callees::Callees;
use classes::Classes;
use cxx::Cxx;
use dataflow::{Action, FunctionIndex, FunctionInfo, Program, pack_expansion};
pub use indirect::TooManyCallees;
use ir::{ExprKind, LocalId, StmtKind};
use macros::MacroFacts;
use memory::Home;
use progress_map::PointId;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use tables::TableFunction;
use uses::Collector;
use values::Values;

impl Graph {
    /// The dependence graph of parsed files. The same files give the same graph, however many threads there are.
    ///
    /// # Errors
    /// It would fill the memory.
    pub fn of_units(units: &[ir::Unit]) -> Result<Graph, TooManyCallees> {
        Graph::with_tables(units, TABLE)
    }

    /// The same, where as many functions as `table` that calls through one pointer may lead to are not listed for each of the
    /// calls but once for all. Slices are the same but for distances, and for contexts that such calls do not keep apart.
    ///
    /// # Errors
    /// It would fill the memory.
    pub fn with_tables(units: &[ir::Unit], table: usize) -> Result<Graph, TooManyCallees> {
        let owned = Program::of_units(units);
        let program = &owned;
        let infos: Vec<&FunctionInfo<'_>> = program.functions.iter().collect();
        let mut homes: Vec<Vec<Home>> = infos.par_iter().map(|info| memory::homes(info)).collect();
        let cxx = Cxx::new(program);
        let callees = Callees::new(program);
        let macros = MacroFacts::new(program, &callees);
        macros.settle(program, &mut homes);
        cxx.settle(program, &mut homes);
        let classes = Classes::new(program);
        let values = || Values::new(program, &callees, &homes, &cxx, &classes, &macros);
        let (mut parts, mut values) = rayon::join(|| Parts::new(program), values);
        for id in allocators::allocators(program, &callees, &macros) {
            values.allocators.insert(id, None);
        }
        for id in inside_out(program, &values.allocators) {
            values.function(id);
            values.settle_allocator(id);
            parts.collect(&mut values, id);
        }
        parts.initial_values(&mut values);
        let indirect::Resolved {
            targets,
            mut tables,
            foreign,
        } = indirect::resolve(&mut values, table)?;
        tables.extend(values.settle_object_calls(table));
        parts.rest_arguments(&values);
        parts.resolve_calls(&values, &callees, &targets, &tables);
        drop(targets);
        parts.add_tables(program, &tables);
        parts.call_foreign(&mut values, &foreign);
        parts.find_ends(program, &cxx, &foreign);
        let mut graph = parts.finish(program, &homes, values);
        settle::settle(&mut graph, program);
        Vec::from_iter(owned.functions).into_par_iter().for_each(drop);
        Ok(graph)
    }
}

/// A call that may lead to this many functions goes through a table, instead of by an edge to each.
const TABLE: usize = 128;

/// All functions, those first that allocate memory for others: what they allocate is known when their callers are met.
fn inside_out<V>(program: &Program<'_>, allocators: &BTreeMap<FunctionIndex, V>) -> Vec<FunctionIndex> {
    let first = allocators.keys().copied();
    let others = program.functions.ids().filter(|id| !allocators.contains_key(id));
    first.chain(others).collect()
}

/// The graph while it is being built.
struct Parts {
    files: IdVec<FileId, String>,
    hashes: IdVec<FileId, [u8; 32]>,
    nodes: IdVec<NodeId, Node>,
    first_nodes: Vec<NodeId>,
    calls: Vec<PendingCall>,
    /// Reads and writes of memory.
    reads: Vec<(u32, MemoryAccess)>,
    writes: Vec<(PlaceId, Key, NodeId)>,
    /// Per function: nodes that use local variables, with the point at which they do.
    local_uses: Vec<Vec<(NodeId, PointId, LocalId, EdgeKind)>>,
    edges: Vec<(u32, Edge)>,
    tables: Vec<TableFunction>,
    /// The calls in tables.
    table_calls: Vec<Call>,
    /// Calls that may not return, by function.
    ends: Vec<BTreeSet<PointId>>,
    /// Macros that may leave the function, by function.
    leaves: Vec<BTreeSet<PointId>>,
}

struct PendingCall {
    caller: FunctionIndex,
    point: PointId,
    call: ir::ExprId,
    done: Call,
}

impl Parts {
    fn new(program: &Program<'_>) -> Parts {
        let files: IdVec<FileId, String> = program.units.iter().map(|unit| unit.path.clone()).collect();
        let hashes = program.units.iter().map(|unit| unit.content_hash).collect();
        let mut nodes = IdVec::new();
        let mut first_nodes = Vec::with_capacity(program.functions.len());
        for (id, info) in program.functions.iter_enumerated() {
            first_nodes.push(nodes.next_id());
            let function = FunctionId::from_index(id.index());
            let file = FileId::from_index(info.unit);
            let node = |kind, span: base::Span| Node {
                kind,
                function: Some(function),
                file,
                line: span.line,
                column: span.column,
                end_line: span.end_line,
                is_join: span.is_empty(),
            };
            for each in &info.flow.points {
                let span = each.span;
                let kind = match each.action {
                    Action::Call(_) => NodeKind::Call,
                    _ => NodeKind::Plain,
                };
                nodes.push(node(kind, span));
            }
            let own = info.function;
            for index in 0..=own.params {
                let span = match own.locals.get(LocalId::from_index(index)) {
                    Some(local) if index < own.params => local.span,
                    _ => own.span,
                };
                nodes.push(node(NodeKind::Parameter, span));
            }
            for each in &info.flow.points {
                if let Action::Call(call) = each.action
                    && let ExprKind::Call { args, .. } = &own.exprs[call].kind
                {
                    for &arg in args {
                        nodes.push(node(NodeKind::Argument, own.exprs[arg].span));
                    }
                }
            }
        }
        let count = program.functions.len();
        Parts {
            files,
            hashes,
            nodes,
            first_nodes,
            calls: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            local_uses: (0..count).map(|_| Vec::new()).collect(),
            edges: Vec::new(),
            tables: Vec::new(),
            table_calls: Vec::new(),
            ends: (0..count).map(|_| BTreeSet::new()).collect(),
            leaves: (0..count).map(|_| BTreeSet::new()).collect(),
        }
    }

    fn node_of(&self, id: FunctionIndex, point: PointId) -> NodeId {
        NodeId::from_index(self.first_nodes[id.index()].index() + point.index())
    }

    /// Adds what a function's points read, write and call; its values have just been worked out.
    fn collect(&mut self, values: &mut Values<'_, '_>, id: FunctionIndex) {
        let program = values.program;
        let info = &program.functions[id];
        let own = info.function;
        let first_parameter = self.first_nodes[id.index()].index() + info.flow.points.len();
        let mut argument = NodeId::from_index(first_parameter + own.params + 1);
        for local in &own.locals {
            values.names.id(&local.name);
        }
        for index in 0..own.params {
            let node = NodeId::from_index(first_parameter + index);
            if !matches!(values.homes[id.index()][index], Home::Value | Home::Borrowed) {
                let place = values.local(id, LocalId::from_index(index));
                self.writes.push((place, None, node));
            }
        }
        let by_name = values.callees;
        let mut collector = Collector::new(values, id);
        for (point, each) in info.flow.points.iter_enumerated() {
            let uses = collector.point(&each.action);
            let node = self.node_of(id, point);
            self.add_reads(id, node, point, uses.reads);
            let writes = uses.writes.into_iter();
            self.writes
                .extend(writes.map(|access| (access.place, access.key, node)));
            let Action::Call(call) = each.action else {
                continue;
            };
            for (index, place) in uses.stand_ins {
                let node = NodeId::from_index(argument.index() + index);
                self.writes.push((place, None, node));
            }
            let count = uses.arguments.len();
            let (name, expands) = match &own.exprs[call].kind {
                ExprKind::Call { callee, args } => (callee.name(), pack_expansion(own, args)),
                _ => (None, None),
            };
            let name = name.map(|name| collector.values.names.id(name.as_str()));
            self.calls.push(PendingCall {
                caller: id,
                point,
                call,
                done: Call {
                    node,
                    name,
                    callees: Vec::new(),
                    hands_on: false,
                    first_argument: argument,
                    arguments: count as u32,
                    expands: expands.map(|index| index as u32),
                    message: message::of(by_name, info, call),
                },
            });
            for reads in uses.arguments {
                self.add_reads(id, argument, point, reads);
                argument = NodeId::from_index(argument.index() + 1);
            }
        }
        if collector.values.cxx.is_cxx(id) {
            self.collect_throws(&mut collector, id);
        }
    }

    /// What `throw` statements read, and that they write what handlers read.
    fn collect_throws(&mut self, collector: &mut Collector<'_, '_, '_>, id: FunctionIndex) {
        let info = &collector.values.program.functions[id];
        for (value, point) in cxx::throws(info) {
            let uses = collector.throw(value);
            let node = self.node_of(id, point);
            self.add_reads(id, node, point, uses.reads);
            let writes = uses.writes.into_iter();
            self.writes
                .extend(writes.map(|access| (access.place, access.key, node)));
            self.ends[id.index()].insert(point);
        }
    }

    /// Arguments beyond the parameters are written by the call, if the function reads any or hands them on.
    fn rest_arguments(&mut self, values: &Values<'_, '_>) {
        for (id, info) in values.program.functions.iter_enumerated() {
            if let Some(rest) = values.known_rest(id) {
                let first_parameter = self.first_nodes[id.index()].index() + info.flow.points.len();
                let node = NodeId::from_index(first_parameter + info.function.params);
                self.writes.push((rest, None, node));
            }
        }
    }

    fn add_reads(&mut self, id: FunctionIndex, node: NodeId, point: PointId, reads: uses::Reads) {
        let number = node.index() as u32;
        self.reads
            .extend(reads.memory.into_iter().map(|access| (number, access)));
        for part in reads.parts {
            let to = self.node_of(id, part);
            if to != node {
                self.edges.push((
                    number,
                    Edge {
                        to,
                        kind: EdgeKind::Part,
                        name: None,
                    },
                ));
            }
        }
        let locals = reads
            .locals
            .into_iter()
            .map(|(local, kind)| (node, point, local, kind));
        self.local_uses[id.index()].extend(locals);
    }

    /// The values that variables in memory have before the program starts.
    fn initial_values(&mut self, values: &mut Values<'_, '_>) {
        let program = values.program;
        for (unit, each) in program.units.iter().enumerate() {
            for global in each.globals.iter().filter(|global| !global.is_extern) {
                let place = values.global_at((global.is_static.then_some(unit), &global.name));
                let node = self.initial_value(unit, global.span);
                self.writes.push((place, None, node));
                for name in &global.initial_names {
                    values.initial_name(unit, place, name);
                }
            }
        }
        for (id, info) in program.functions.iter_enumerated() {
            for stmt in &info.function.stmts {
                let StmtKind::Decl { local, .. } = stmt.kind else {
                    continue;
                };
                if info.function.locals[local].is_static {
                    let place = values.local(id, local);
                    let node = self.initial_value(info.unit, stmt.span);
                    self.writes.push((place, None, node));
                }
            }
        }
    }

    fn initial_value(&mut self, unit: usize, span: base::Span) -> NodeId {
        self.nodes.push(Node {
            kind: NodeKind::Initial,
            function: None,
            file: FileId::from_index(unit),
            line: span.line,
            column: span.column,
            end_line: span.end_line,
            is_join: false,
        })
    }
}
