//! From the analyses of a program to the static half of its map.

use crate::classify::Variables;
use crate::mpi;
use base::{Confidence, IdVec};
use dataflow::{FunctionInfo, Program};
use ir::LoopKind;
use progress_map::{File, FileId, Function, FunctionId, Loop, LoopSource, Map, MpiCall, Point, ScopeKind};
use std::collections::BTreeMap;

/// The map of `program`; `variables` holds for each of its functions those of each loop. What the map does not hold is let
/// go function by function: the analyses of a large tree and its map need not be there both.
pub(crate) fn map(program: Program<'_>, variables: Vec<Vec<Variables>>) -> Map {
    // Files by path, so that the map does not depend on the order in which they were given.
    let mut by_path: Vec<usize> = (0..program.units.len()).collect();
    by_path.sort_by(|&a, &b| program.units[a].path.cmp(&program.units[b].path));
    let mut files: IdVec<FileId, File> = IdVec::new();
    let mut file_of = vec![None; program.units.len()];
    for unit in by_path {
        let source = &program.units[unit];
        file_of[unit] = Some(files.push(File {
            path: source.path.clone(),
            hash: source.content_hash,
        }));
    }
    let mut functions: Vec<(Function, mpi::Calls)> = Vec::new();
    let units = program.units;
    for (info, variables) in program.functions.into_iter().zip(variables) {
        if let Some(file) = file_of[info.unit] {
            let calls = mpi::calls(&info);
            functions.push((function(info, file, variables), calls));
        }
    }
    functions.sort_by(|(a, _), (b, _)| (a.file, a.span, &a.name).cmp(&(b.file, b.span, &b.name)));
    let (functions, calls): (Vec<Function>, Vec<_>) = functions.into_iter().unzip();
    let functions: IdVec<FunctionId, Function> = functions.into();
    let calls = functions.ids().zip(calls);
    let mpi_calls = calls.flat_map(|(function, calls)| {
        calls.into_iter().map(move |(point, arguments)| MpiCall {
            function,
            point,
            arguments,
        })
    });
    let mpi_calls = mpi_calls.collect();
    let mut diagnostics: Vec<_> = units.iter().flat_map(|unit| unit.diagnostics.clone()).collect();
    diagnostics.sort();
    Map {
        files,
        functions,
        diagnostics,
        mpi_calls,
        binding: None,
        libraries: Vec::new(),
    }
}

fn function(info: FunctionInfo<'_>, file: FileId, variables: Vec<Variables>) -> Function {
    let source = info.function;
    let (flow, forest) = (info.flow, info.loops);
    let (confidence, confidence_reason) = match flow.distrust {
        Some(reason) if source.confidence != Confidence::Partial => (Confidence::Partial, Some(reason)),
        _ => (source.confidence, source.confidence_reason.clone()),
    };
    let edges = flow
        .succs
        .iter_enumerated()
        .flat_map(|(point, succs)| succs.iter().map(move |&succ| (point, succ)))
        .collect();
    let mut statements = BTreeMap::new();
    for &(scope, kind, header) in &flow.loop_statements {
        statements.entry(header).or_insert((scope, kind));
    }
    let mut scopes = flow.scopes;
    let mut loops: IdVec<progress_map::LoopId, Loop> = IdVec::new();
    for ((id, node), (lovs, refused)) in forest.loops.iter_enumerated().zip(variables) {
        let mut span = flow.points[node.header].point.span;
        let mut origin = LoopSource::Goto;
        if let Some(&(scope, kind)) = statements.get(&node.header) {
            scopes[scope].kind = ScopeKind::Loop(Some(id));
            span.end_line = scopes[scope].end_line;
            origin = match kind {
                LoopKind::While => LoopSource::While,
                LoopKind::DoWhile => LoopSource::DoWhile,
                LoopKind::For => LoopSource::For,
            };
        }
        let (parent, header, reducible) = (node.parent, node.header, node.reducible);
        loops.push(Loop {
            parent,
            source: origin,
            span,
            header,
            reducible,
            lovs,
            refused,
        });
    }
    let innermost = forest.innermost;
    let points = flow.points.into_iter().zip(innermost);
    let points = points.map(|(each, innermost_loop)| Point {
        innermost_loop,
        ..each.point
    });
    Function {
        name: source.name.clone(),
        linkage_name: source.linkage_name.clone(),
        file,
        is_static: source.is_static,
        span: source.span,
        confidence,
        confidence_reason,
        points: points.collect(),
        edges,
        scopes,
        loops,
    }
}
