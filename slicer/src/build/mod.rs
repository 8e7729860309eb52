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
mod foreign;
mod freeze;
mod implicit;
mod indirect;
mod local;
mod locations;
mod macros;
mod memory;
mod message;
mod moved;
mod names;
mod objects;
mod origins;
mod sets;
mod settle;
mod tables;
mod uses;
mod values;

use crate::effect::effect;
use crate::graph::{
    Access, Call, Edge, EdgeKind, FileId, Function, FunctionId, FunctionKind, Graph, Lists, NO_NAME, Node,
    NodeId, NodeKind, call_numbers, call_ranges,
};
use crate::places::{Key, NameId, PlaceId};
use base::{Confidence, Id as _, IdVec};
use callees::Callees;
use classes::Classes;
use cxx::Cxx;
use dataflow::{Action, FunctionIndex, FunctionInfo, Program, pack_expansion, parameter_pack};
pub use indirect::TooManyCallees;
use indirect::{Foreign, Table};
use ir::{Callee, ExprKind, LocalId, StmtKind};
use library::standard::{self, Fact};
use local::Source;
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

/// Files with attributes that change what is called, and what they do.
fn in_part(units: &[ir::Unit]) -> Vec<(String, String)> {
    let mut found: BTreeSet<(String, String)> = BTreeSet::new();
    for unit in units {
        // One of a kind stands for all others in the file.
        let mut kinds: BTreeSet<ir::Attribute> = BTreeSet::new();
        for &(line, attribute) in unit.attributes.iter().filter(|(_, kind)| kinds.insert(*kind)) {
            let why = match attribute {
                ir::Attribute::Constructor => "runs a function outside of main",
                ir::Attribute::Cleanup => "calls a function where a variable goes out of scope",
                ir::Attribute::Alias => "gives a function another name",
            };
            found.insert((unit.path.clone(), format!("the attribute at line {line} {why}")));
        }
    }
    Vec::from_iter(found)
}

/// The graph while it is being built.
struct Parts {
    files: IdVec<FileId, String>,
    hashes: IdVec<FileId, [u8; 32]>,
    nodes: IdVec<NodeId, Node>,
    first_nodes: Vec<NodeId>,
    calls: Vec<PendingCall>,
    /// Reads and writes of memory.
    reads: Vec<(u32, Access)>,
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

    fn resolve_calls(
        &mut self,
        values: &Values<'_, '_>,
        by_name: &Callees<'_, '_>,
        targets: &indirect::Targets,
        tables: &[Table],
    ) {
        let program = values.program;
        let mut in_tables: BTreeMap<(FunctionIndex, ir::ExprId), Vec<usize>> = BTreeMap::new();
        for (number, table) in tables.iter().enumerate() {
            for &call in &table.calls {
                in_tables.entry(call).or_default().push(number);
            }
        }
        let resolve = |pending: &mut PendingCall| -> Option<(FunctionIndex, PointId)> {
            let mut leaves = None;
            let info = &program.functions[pending.caller];
            let mut callees: BTreeSet<FunctionIndex> = BTreeSet::new();
            match &info.function.exprs[pending.call].kind {
                ExprKind::Call {
                    callee: Callee::Named(name),
                    args,
                } => {
                    callees.extend(values.callees_of((pending.caller, pending.call), name));
                    let lacks = |id: &FunctionIndex| program.functions[*id].function.params > args.len();
                    if callees.iter().any(lacks) {
                        callees.extend(by_name.defaults(name));
                    }
                }
                ExprKind::Call {
                    callee: Callee::Macro(called),
                    args,
                } => {
                    let name = called.name.as_str();
                    callees.extend(values.macros.of(name));
                    callees.extend(by_name.of(info.unit, name));
                    let opaque = values.macros.is_opaque(program, name, args.len());
                    pending.done.hands_on = opaque && !callees.is_empty();
                    if values.macros.leaves(name) {
                        leaves = Some((pending.caller, pending.point));
                    }
                }
                _ => {}
            }
            if let Some(found) = targets.get(&(pending.caller, pending.call)) {
                pending.done.hands_on = pending.done.name.is_some();
                callees.extend(found);
            }
            if let Some(name) = by_name_of(info.function, pending.call)
                && !callees.is_empty()
                && (base::is_operator(name) || values.means_library(pending.caller, pending.call, name))
            {
                pending.done.hands_on = values.cxx.is_cxx(pending.caller);
            }
            if let Some(found) = values.called_objects.get(&(pending.caller, pending.call)) {
                pending.done.hands_on |= pending.done.name.is_some();
                callees.extend(found);
            }
            let callees = callees.into_iter();
            pending.done.callees = callees.map(|id| FunctionId::from_index(id.index())).collect();
            if let Some(tables) = in_tables.get(&(pending.caller, pending.call)) {
                pending.done.hands_on |= pending.done.name.is_some();
                let tables = tables.iter();
                let ids = tables.map(|table| FunctionId::from_index(program.functions.len() + table));
                pending.done.callees.extend(ids);
            }
            leaves
        };
        let leaves: Vec<_> = self.calls.par_iter_mut().filter_map(resolve).collect();
        for (caller, point) in leaves {
            self.leaves[caller.index()].insert(point);
        }
    }

    /// Finds the calls that may not return: they end the program, or lead to one that does.
    fn find_ends(&mut self, program: &Program<'_>, cxx: &Cxx, foreign: &[Foreign<'_>]) {
        let through_pointers = foreign
            .iter()
            .filter(|each| each.effects.iter().any(|effect| effect.ends));
        let through_pointers: BTreeSet<(FunctionIndex, ir::ExprId)> =
            through_pointers.map(|each| (each.caller, each.call)).collect();
        // Who calls a function: a call, or a table of this number, as which of its calls.
        #[derive(Clone, Copy)]
        enum Caller {
            Call(usize),
            Table(usize, usize),
        }
        let functions = program.functions.len() + self.tables.len();
        let mut callers: Vec<Vec<Caller>> = (0..functions).map(|_| Vec::new()).collect();
        for (number, table) in self.tables.iter().enumerate() {
            for (at, callee) in table.callees.iter().enumerate() {
                callers[callee.index()].push(Caller::Table(number, at));
            }
        }
        let mut work: Vec<Caller> = Vec::new();
        for (number, pending) in self.calls.iter().enumerate() {
            for callee in &pending.done.callees {
                callers[callee.index()].push(Caller::Call(number));
            }
            if through_pointers.contains(&(pending.caller, pending.call)) {
                work.push(Caller::Call(number));
            }
            let info = &program.functions[pending.caller];
            if (pending.done.callees.is_empty() || pending.done.hands_on)
                && let ExprKind::Call { callee, .. } = &info.function.exprs[pending.call].kind
                && let Some(name) = callee.name()
                && (pending.done.callees.is_empty() && effect(&name).ends
                    || cxx.catches && cxx.is_cxx(pending.caller) && standard::holds(&name, Fact::Throws))
            {
                work.push(Caller::Call(number));
            }
        }
        // What is thrown ends the function that throws it, and may end its callers.
        for (function, ends) in self.ends.iter().enumerate() {
            if !ends.is_empty() {
                work.extend(&callers[function]);
            }
        }
        while let Some(caller) = work.pop() {
            let (function, is_first) = match caller {
                Caller::Call(number) => {
                    let pending = &self.calls[number];
                    let ends = &mut self.ends[pending.caller.index()];
                    let is_first = ends.is_empty();
                    (pending.caller.index(), ends.insert(pending.point) && is_first)
                }
                Caller::Table(number, at) => {
                    let table = &mut self.tables[number];
                    let is_first = table.ends.is_empty();
                    (table.id.index(), table.ends.insert(at) && is_first)
                }
            };
            if is_first {
                work.extend(&callers[function]);
            }
        }
    }

    fn finish(mut self, program: &Program<'_>, homes: &[Vec<Home>], mut values: Values<'_, '_>) -> Graph {
        let ids: Vec<FunctionIndex> = program.functions.ids().collect();
        // What follows has a row for each name.
        for info in program.functions.iter() {
            values.names.id(&info.function.name);
        }
        values.names.id(NO_NAME);
        let mut reads = std::mem::take(&mut self.reads);
        for (_, access) in &mut reads {
            access.place = values.places.find(access.place);
        }
        let inside = || -> Vec<Inside> {
            let inside = |&id: &FunctionIndex| {
                self.inside(id, &program.functions[id], &homes[id.index()], &values.names)
            };
            ids.par_iter().map(inside).collect()
        };
        let memory = || freeze::memory(&values, &reads, &self.writes, values.names.texts.len());
        let (memory, inside) = rayon::join(memory, inside);
        self.writes = Vec::new();
        let mut preds = Vec::new();
        for each in inside {
            self.edges.extend(each.edges);
            preds.extend(each.preds);
        }
        let mut functions = self.functions(program, &mut values);
        let mut calls: Vec<Call> = self.calls.into_iter().map(|pending| pending.done).collect();
        calls.append(&mut self.table_calls);
        calls.sort_unstable_by_key(|call| call.node);
        for call in &calls {
            for &callee in &call.callees {
                functions[callee].callers.push(call.node);
            }
        }
        let count = self.nodes.len();
        let implicit = implicit::implicit_calls(&values, &calls, &|id, point| {
            NodeId::from_index(self.first_nodes[id.index()].index() + point.index())
        });
        let names = std::mem::take(&mut values.names.texts);
        // Giving the memory of all places back takes about as long.
        let edges = self.edges;
        let lists = || {
            (
                Lists::new(count, edges),
                Lists::new(count, reads),
                Lists::new(count, preds),
            )
        };
        let ((edges, reads, preds), ()) = rayon::join(lists, || drop(values));
        Graph {
            names,
            files: self.files,
            hashes: self.hashes,
            nodes: self.nodes,
            call_ranges: call_ranges(&functions, &calls),
            functions,
            call_numbers: call_numbers(count, &calls),
            calls,
            edges,
            reads,
            preds,
            memory,
            implicit,
            in_part: in_part(program.units),
        }
    }

    /// The functions of the program, and the tables of calls, which stand behind them.
    fn functions(&self, program: &Program<'_>, values: &mut Values<'_, '_>) -> IdVec<FunctionId, Function> {
        let mut functions = IdVec::new();
        for (id, info) in program.functions.iter_enumerated() {
            functions.push(self.function(id, info, values.names.id(&info.function.name)));
        }
        let no_name = values.names.id(NO_NAME);
        for table in &self.tables {
            functions.push(table.function(no_name));
        }
        functions
    }

    /// A function of the program as the graph has it; who calls it is not known yet.
    fn function(&self, id: FunctionIndex, info: &FunctionInfo<'_>, name: NameId) -> Function {
        let own = info.function;
        let node = |point: PointId| self.node_of(id, point);
        // What leaves a macro's statements leaves the function around it, with a value or without.
        let all = own.kind == ir::FunctionKind::Macro(ir::MacroBody::Statements);
        let returns = info.flow.points.iter_enumerated();
        let returns = returns.filter(|&(point, each)| match each.action {
            Action::Return(value) => value.is_some() || all,
            _ => self.leaves[id.index()].contains(&point),
        });
        Function {
            name,
            kind: match own.kind {
                ir::FunctionKind::Source | ir::FunctionKind::Lambda => FunctionKind::Source,
                // Like a macro, it has no frame: what happens in it happens at the call.
                ir::FunctionKind::Macro(_) | ir::FunctionKind::DefaultArguments => FunctionKind::Macro,
            },
            file: FileId::from_index(info.unit),
            line: own.span.line,
            end_line: own.span.end_line,
            first_node: self.first_nodes[id.index()],
            points: info.flow.points.len() as u32,
            params: own.params as u32,
            pack: parameter_pack(own).map(|index| index as u32),
            returns: returns.map(|(point, _)| node(point)).collect(),
            ends: self.ends[id.index()].iter().map(|&point| node(point)).collect(),
            callers: Vec::new(),
            distrust: if own.confidence == Confidence::Partial {
                let why = own.confidence_reason.as_ref().map(ToString::to_string);
                Some(why.unwrap_or_default())
            } else {
                info.flow.distrust.as_ref().map(ToString::to_string)
            },
        }
    }

    /// The dependences inside one function.
    fn inside(
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

/// The name in a call by name.
fn by_name_of(function: &ir::Function, call: ir::ExprId) -> Option<&str> {
    function.named_call(call).map(|(name, _)| name)
}

#[derive(Default)]
struct Inside {
    edges: Vec<(u32, Edge)>,
    preds: Vec<(u32, NodeId)>,
}
