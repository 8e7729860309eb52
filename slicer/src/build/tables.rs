//! Tables: functions that stand between many calls and the many functions that each of these may lead to.
//!
//! A table has what its callers and its callees have together: a parameter for each argument, and a call of each function with its
//! own parameters. So calls and functions have an edge each, where there would be one for every pair. It is on no stack and is not
//! shown.

use crate::build::Parts;
use crate::build::indirect::Table;
use crate::graph::{
    Call, Edge, EdgeKind, FileId, Function, FunctionId, FunctionKind, Node, NodeId, NodeKind,
};
use crate::places::NameId;
use base::Id as _;
use dataflow::Program;
use std::collections::BTreeSet;

/// A table, as a function of the graph.
pub(super) struct TableFunction {
    pub(super) id: FunctionId,
    /// An entry, then a call of each function.
    pub(super) first_node: NodeId,
    pub(super) callees: Vec<FunctionId>,
    params: u32,
    /// The calls that may not return.
    pub(super) ends: BTreeSet<usize>,
}

impl TableFunction {
    pub(super) fn call(&self, callee: usize) -> NodeId {
        NodeId::from_index(self.first_node.index() + 1 + callee)
    }

    fn parameter(&self, index: u32) -> NodeId {
        let first = self.first_node.index() + 1 + self.callees.len();
        NodeId::from_index(first + index.min(self.params) as usize)
    }

    /// The function of the graph.
    pub(super) fn function(&self, name: NameId) -> Function {
        Function {
            name,
            kind: FunctionKind::Table,
            file: FileId::from_index(0),
            line: 0,
            end_line: 0,
            first_node: self.first_node,
            points: 1 + self.callees.len() as u32,
            params: self.params,
            pack: None,
            returns: (0..self.callees.len()).map(|callee| self.call(callee)).collect(),
            ends: self.ends.iter().map(|&callee| self.call(callee)).collect(),
            callers: Vec::new(),
            distrust: None,
        }
    }
}

/// For each table the one that it has in it, as its number, and the functions that it has besides. A table in another has none
/// in it.
fn nested(tables: &[Table]) -> Vec<(Option<usize>, Vec<FunctionId>)> {
    let mut order: Vec<usize> = (0..tables.len()).collect();
    order.sort_by_key(|&number| (tables[number].callees.len(), number));
    let mut nested: Vec<(Option<usize>, Vec<FunctionId>)> = vec![(None, Vec::new()); tables.len()];
    let mut plain: Vec<usize> = Vec::new();
    for number in order {
        let callees = &tables[number].callees;
        let is_inner = |&&other: &&usize| {
            let inner = &tables[other].callees;
            inner.len() * 2 > callees.len() && inner.iter().all(|id| callees.binary_search(id).is_ok())
        };
        let inner = plain.iter().rev().find(is_inner).copied();
        let besides = callees.iter().filter(|id| match inner {
            Some(inner) => tables[inner].callees.binary_search(id).is_err(),
            None => true,
        });
        let besides = besides.map(|id| FunctionId::from_index(id.index())).collect();
        if inner.is_none() {
            plain.push(number);
        }
        nested[number] = (inner, besides);
    }
    nested
}

impl Parts {
    /// Adds the nodes of tables; their ids follow those of the program's functions.
    pub(super) fn add_tables(&mut self, program: &Program<'_>, tables: &[Table]) {
        let id = |number: usize| FunctionId::from_index(program.functions.len() + number);
        for (number, (inner, mut callees)) in nested(tables).into_iter().enumerate() {
            callees.extend(inner.map(id));
            let params = |callee: &dataflow::FunctionIndex| program.functions[*callee].function.params as u32;
            let table = TableFunction {
                id: id(number),
                first_node: self.nodes.next_id(),
                params: tables[number].callees.iter().map(params).max().unwrap_or(0),
                callees,
                ends: BTreeSet::new(),
            };
            let node = |kind| Node {
                kind,
                function: Some(table.id),
                file: FileId::from_index(0),
                line: 0,
                column: 0,
                end_line: 0,
                is_join: false,
            };
            self.nodes.push(node(NodeKind::Plain));
            for _ in &table.callees {
                self.nodes.push(node(NodeKind::Call));
            }
            for _ in 0..=table.params {
                self.nodes.push(node(NodeKind::Parameter));
            }
            for (at, &callee) in table.callees.iter().enumerate() {
                let wanted = match program
                    .functions
                    .get(dataflow::FunctionIndex::from_index(callee.index()))
                {
                    Some(info) => info.function.params as u32,
                    // A table in this one has no more parameters than this.
                    None => table.params,
                };
                let first_argument = self.nodes.next_id();
                for index in 0..=wanted {
                    let argument = self.nodes.push(node(NodeKind::Argument));
                    // The last stands for all beyond.
                    let last = if index < wanted { index } else { table.params };
                    for index in index..=last {
                        let edge = Edge {
                            to: table.parameter(index),
                            kind: EdgeKind::Local,
                            name: None,
                        };
                        self.edges.push((argument.index() as u32, edge));
                    }
                }
                self.table_calls.push(Call {
                    node: table.call(at),
                    name: None,
                    callees: vec![callee],
                    hands_on: false,
                    first_argument,
                    arguments: wanted + 1,
                    expands: None,
                    message: None,
                });
            }
            self.tables.push(table);
        }
    }
}
