//! All that was found put into the columns of the graph.

use crate::build::inside::Inside;
use crate::build::memory::Home;
use crate::build::values::Values;
use crate::build::{Parts, freeze, implicit};
use crate::graph::{
    Call, FileId, Function, FunctionId, FunctionKind, Graph, Lists, NO_NAME, NodeId, call_numbers,
    call_ranges,
};
use crate::places::NameId;
use base::{Confidence, Id as _, IdVec};
use dataflow::{Action, FunctionIndex, FunctionInfo, Program, parameter_pack};
use progress_map::PointId;
use rayon::prelude::*;
use std::collections::BTreeSet;

impl Parts {
    pub(super) fn finish(
        mut self,
        program: &Program<'_>,
        homes: &[Vec<Home>],
        mut values: Values<'_, '_>,
    ) -> Graph {
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
