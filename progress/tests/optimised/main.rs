//! Stacks of optimised builds: what tail calls, split functions and moved code make of them.

#[path = "../common/mod.rs"]
mod common;
mod merged;
mod moved;
mod pointers;
mod vanished;

use base::Id;
use progress::{ExecutionPoint, Frame, Order, Relation};
use progress_map::{
    AddressTaken, Binding, BoundFunction, BoundMerge, CodeBlock, CodeWay, Function, FunctionId, Loop,
    LoopSource, Lov, MachineCode, Map, PointId, PointKind,
};
use std::num::NonZeroU64;
use std::ops::Range;

/// A function that makes the given calls, one on each line from its first line plus 1 on, in this order.
fn function(name: &str, line: u32, calls: &[&str]) -> Function {
    let kinds = calls.iter().map(|&callee| PointKind::Call(callee.to_owned()));
    let edges = Vec::from_iter((0..=calls.len()).map(|at| (at, at + 1)));
    common::function(name, line, &Vec::from_iter(kinds), &edges)
}

fn map(functions: Vec<Function>, optimised: bool) -> Map {
    let bound = (0..functions.len()).map(|at| BoundFunction {
        start: 16 * at as u64,
        end: 16 * at as u64 + 16,
        function: Some(FunctionId::from_index(at)),
        name: functions[at].name.clone(),
        linkage_name: None,
        frame_base: Vec::new(),
        optimised,
    });
    let binding = Binding {
        functions: bound.collect(),
        ..Binding::default()
    };
    common::map(functions, Some(binding))
}

/// Functions whose address is taken, of unknown parameters.
fn taken(functions: &[usize]) -> Vec<AddressTaken> {
    let taken = functions.iter().map(|&at| AddressTaken {
        function: FunctionId::from_index(at),
        parameters: None,
    });
    taken.collect()
}

fn stack(rank: u32, frames: &[(&str, u32)]) -> ExecutionPoint {
    let frame = |&(name, line): &(&str, u32)| Frame {
        function: name.to_owned(),
        line: (line > 0).then_some(line),
        ..Frame::default()
    };
    ExecutionPoint {
        task: rank.to_string(),
        rank: Some(rank),
        pid: None,
        frames: frames.iter().map(frame).collect(),
        beneath: None,
        incomplete: None,
    }
}

fn relation(map: &Map, a: &[(&str, u32)], b: &[(&str, u32)]) -> Relation {
    let order = Order::new(map);
    let (a, b) = (order.locate(&stack(0, a)), order.locate(&stack(1, b)));
    let (there, back) = (order.compare(&a, &b), order.compare(&b, &a));
    assert_eq!(there.relation, back.relation.reversed());
    there.relation
}

/// Puts the points from a loop's header on into the loop, which `lovs` order.
fn in_loop(function: &mut Function, points: Range<usize>, lovs: Vec<Lov>) {
    let id = function.loops.push(Loop {
        parent: None,
        source: LoopSource::While,
        span: function.span,
        header: PointId::from_index(points.start),
        reducible: true,
        lovs,
        refused: Vec::new(),
    });
    for point in points {
        function.points[PointId::from_index(point)].innermost_loop = Some(id);
    }
}

/// So many blocks of sixteen bytes each, from address 0 on, with the ways between them. `firsts` are the first blocks of functions, `communicating` those that
/// end in a call that may come to MPI.
fn code(firsts: &[u32], blocks: u32, communicating: &[u32], ways: &[(u32, u32)]) -> MachineCode {
    let block = |at: u32| CodeBlock {
        start: u64::from(16 * at),
        end: u64::from(16 * at + 16),
        function: firsts.iter().copied().rfind(|&first| first <= at).unwrap_or(0),
        communicates: communicating.contains(&at),
    };
    let way = |&(from, to): &(u32, u32)| CodeWay {
        from,
        to,
        certain: true,
    };
    MachineCode {
        blocks: (0..blocks).map(block).collect(),
        ways: ways.iter().map(way).collect(),
        ..MachineCode::default()
    }
}

/// The call at the first point may stand for that at the second, at any instruction or at one.
fn merge(map: &mut Map, shown: usize, other: usize, return_address: Option<NonZeroU64>) {
    if let Some(binding) = &mut map.binding {
        binding.merges.push(BoundMerge {
            function: FunctionId::from_index(0),
            shown: PointId::from_index(shown),
            other: PointId::from_index(other),
            return_address,
        });
    }
}
