//! From the analyses of a program to the static half of its map.

use crate::classify::Variables;
use base::{Confidence, IdVec};
use dataflow::{FunctionInfo, Program};
use ir::LoopKind;
use progress_map::{File, FileId, Function, Loop, LoopSource, Map, Point, ScopeKind};

/// The map of `program`; `variables` holds for each of its functions those of each loop.
pub(crate) fn map(program: &Program<'_>, variables: Vec<Vec<Variables>>) -> Map {
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
    let mut functions: Vec<Function> = Vec::new();
    for (info, variables) in program.functions.iter().zip(variables) {
        if let Some(file) = file_of[info.unit] {
            functions.push(function(info, file, variables));
        }
    }
    functions.sort_by(|a, b| (a.file, a.span, &a.name).cmp(&(b.file, b.span, &b.name)));
    let mut diagnostics: Vec<_> = program
        .units
        .iter()
        .flat_map(|unit| unit.diagnostics.clone())
        .collect();
    diagnostics.sort();
    Map {
        files,
        functions: functions.into(),
        diagnostics,
        binding: None,
    }
}

fn function(info: &FunctionInfo<'_>, file: FileId, variables: Vec<Variables>) -> Function {
    let source = info.function;
    let (confidence, confidence_reason) = match &info.flow.distrust {
        Some(reason) if source.confidence != Confidence::Partial => {
            (Confidence::Partial, Some(reason.clone()))
        }
        _ => (source.confidence, source.confidence_reason.clone()),
    };
    let points = info
        .flow
        .points
        .iter_enumerated()
        .map(|(id, each)| Point {
            innermost_loop: info.loops.innermost[id],
            ..each.point.clone()
        })
        .collect();
    let edges = info
        .flow
        .succs
        .iter_enumerated()
        .flat_map(|(point, succs)| succs.iter().map(move |&succ| (point, succ)))
        .collect();
    let mut scopes = info.flow.scopes.clone();
    let mut loops: IdVec<progress_map::LoopId, Loop> = IdVec::new();
    for ((id, node), (lovs, refused)) in info.loops.loops.iter_enumerated().zip(variables) {
        let statement = info
            .flow
            .loop_statements
            .iter()
            .find(|&&(_, _, header)| header == node.header);
        let mut span = info.flow.points[node.header].point.span;
        let mut origin = LoopSource::Goto;
        if let Some(&(scope, kind, _)) = statement {
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
    Function {
        name: source.name.clone(),
        linkage_name: source.linkage_name.clone(),
        file,
        is_static: source.is_static,
        span: source.span,
        confidence,
        confidence_reason,
        points,
        edges,
        scopes,
        loops,
    }
}
