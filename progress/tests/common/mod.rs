//! Functions and maps for tests, made by hand.

use base::{Id, IdVec, Span};
use progress_map::generate::bare_function;
use progress_map::{Binding, File, Function, Map, Point, PointId, PointKind, Scope, ScopeId, ScopeKind};

/// A function whose points are an entry, these, each on a line of its own from `line` plus 1 on, and an exit.
pub fn function(name: &str, line: u32, kinds: &[PointKind], edges: &[(usize, usize)]) -> Function {
    let span = |line: u32, end_line: u32| Span {
        line,
        column: 1,
        end_line,
        end_column: 9,
    };
    let last = line + kinds.len() as u32 + 1;
    let point = |kind: PointKind, span: Span| Point {
        kind,
        span,
        scope: ScopeId::from_index(0),
        innermost_loop: None,
        unsequenced: Vec::new(),
    };
    let mut points: IdVec<PointId, Point> = IdVec::new();
    points.push(point(PointKind::Entry, span(line, last)));
    for (at, kind) in (line + 1..).zip(kinds) {
        points.push(point(kind.clone(), span(at, at)));
    }
    points.push(point(PointKind::Exit, span(line, last)));
    Function {
        points,
        edges: edges
            .iter()
            .map(|&(a, b)| (PointId::from_index(a), PointId::from_index(b)))
            .collect(),
        scopes: vec![Scope {
            parent: None,
            kind: ScopeKind::Function,
            line,
            end_line: last,
        }]
        .into(),
        ..bare_function(name, Id::from_index(0), span(line, last))
    }
}

/// A map of these functions, all in `f.c`, bound to a build if there is one.
pub fn map(functions: Vec<Function>, binding: Option<Binding>) -> Map {
    Map {
        files: vec![File {
            path: "f.c".to_owned(),
            hash: [0; 32],
        }]
        .into(),
        functions: functions.into(),
        binding,
        ..Map::default()
    }
}
