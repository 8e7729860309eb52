//! What the map knows about one source line: its tuples, its point set, the loops around it.

use crate::loops::loop_view;
use crate::tuple::{scope_spanning, tuple};
use crate::{LoopView, Token, Tuple};
use base::{Confidence, Reading, Span};
use progress_map::{FileId, Function, LoopId, Map, PointId, PointKind, ScopeId};

/// One source line.
#[derive(Clone, Debug, PartialEq)]
pub struct LineView {
    /// The file as the map spells it.
    pub path: String,
    /// The file as short messages spell it.
    pub short_path: String,
    /// The line.
    pub line: u32,
    /// Functions that have the line; several when one ends and another begins on it.
    pub functions: Vec<FunctionLine>,
    /// Where the nearest lines with program points are, when this one has none.
    pub nearest: Vec<u32>,
}

/// A line of one function.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionLine {
    /// The function.
    pub name: String,
    /// Its first and last line.
    pub lines: (u32, u32),
    /// How well it was understood.
    pub confidence: Confidence,
    /// Why not wholly, what was repaired, or what is to be said of how it was read.
    pub confidence_reason: Option<String>,
    /// The same as a word for programs, unless it is how it was read.
    pub confidence_code: Option<&'static str>,
    /// Which text of it was read.
    pub reading: Reading,
    /// The tuples of the line; several when it holds points of several scopes.
    pub tuples: Vec<TupleView>,
    /// The loops around the points, outermost first.
    pub loops: Vec<LoopView>,
}

/// A tuple with the points that it stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct TupleView {
    /// The tuple.
    pub tuple: Tuple,
    /// Program points on the line in that scope, in the order of the map.
    pub points: Vec<PointView>,
}

/// A program point.
#[derive(Clone, Debug, PartialEq)]
pub struct PointView {
    /// Which point of the function.
    pub id: PointId,
    /// `entry`, `exit`, `eval`, `branch`, `call`, `call through a pointer` or `macro`.
    pub kind: &'static str,
    /// The function or macro that is called by name.
    pub callee: Option<String>,
    /// Where it stands.
    pub span: Span,
}

/// What the map knows about `line` of `file`.
pub fn line_view(map: &Map, file: FileId, line: u32) -> LineView {
    let of_file = || map.functions.iter().filter(move |function| function.file == file);
    let functions: Vec<FunctionLine> = of_file()
        .filter(|function| function.span.covers_line(line))
        .map(|function| function_line(function, line))
        .collect();
    let has_points = functions
        .iter()
        .any(|function| function.tuples.iter().any(|tuple| !tuple.points.is_empty()));
    let mut lines_with_points: Vec<u32> = of_file()
        .flat_map(|function| function.points.iter().map(|point| anchor(function, point)))
        .collect();
    lines_with_points.sort_unstable();
    lines_with_points.dedup();
    let after = lines_with_points.partition_point(|&with| with < line);
    let before = after.checked_sub(1).map(|at| lines_with_points[at]);
    let nearest = before.into_iter().chain(lines_with_points.get(after).copied());
    LineView {
        path: map.files[file].path.clone(),
        short_path: crate::paths::short_name(map, file).to_owned(),
        line,
        functions,
        nearest: if has_points { Vec::new() } else { nearest.collect() },
    }
}

fn anchor(function: &Function, point: &progress_map::Point) -> u32 {
    match point.kind {
        PointKind::Exit => function.span.end_line,
        _ => point.span.line,
    }
}

fn function_line(function: &Function, line: u32) -> FunctionLine {
    let mut on_line: Vec<(ScopeId, PointId)> = function
        .points
        .iter_enumerated()
        .filter(|(_, point)| match point.kind {
            PointKind::Entry | PointKind::Exit => anchor(function, point) == line,
            _ => point.span.covers_line(line),
        })
        .map(|(id, point)| (point.scope, id))
        .collect();
    on_line.sort_unstable();
    let mut loops: Vec<LoopId> = Vec::new();
    let mut tuples: Vec<TupleView> = Vec::new();
    for &(scope, id) in &on_line {
        let around = Vec::from_iter(function.loops_around(id));
        // A point that spans several lines (a call with its arguments) belongs to its first.
        let own_line = anchor(function, &function.points[id]);
        let tuple = tuple(function, scope, own_line, &|of| around.contains(&of));
        loops.extend(around);
        let view = point_view(function, id);
        match tuples.iter_mut().find(|known| known.tuple == tuple) {
            Some(known) => known.points.push(view),
            None => tuples.push(TupleView {
                tuple,
                points: vec![view],
            }),
        }
    }
    if tuples.is_empty()
        && let Some(scope) = scope_spanning(function, line)
    {
        let tuple = tuple(function, scope, line, &|_| true);
        loops.extend(tuple.0.iter().filter_map(|token| match token {
            Token::Iteration(id) => Some(*id),
            Token::Displacement(_) | Token::Branch(_) => None,
        }));
        tuples.push(TupleView {
            tuple,
            points: Vec::new(),
        });
    }
    // Parents come before children.
    loops.sort_unstable();
    loops.dedup();
    let is_clean = function.confidence == Confidence::Clean;
    let remark = function.reading.remark().filter(|_| is_clean);
    let doubt = function.confidence_reason.as_ref();
    let reason = doubt.map(ToString::to_string);
    FunctionLine {
        name: function.name.clone(),
        lines: (function.span.line, function.span.end_line),
        confidence: function.confidence,
        confidence_reason: reason.or_else(|| remark.map(str::to_owned)),
        confidence_code: doubt.map(|doubt| doubt.cause.code()),
        reading: function.reading,
        tuples,
        loops: loops.into_iter().map(|id| loop_view(function, id)).collect(),
    }
}

fn point_view(function: &Function, id: PointId) -> PointView {
    let point = &function.points[id];
    let (kind, callee) = match &point.kind {
        PointKind::Entry => ("entry", None),
        PointKind::Exit => ("exit", None),
        PointKind::Eval => ("eval", None),
        PointKind::Return => ("return", None),
        PointKind::Branch => ("branch", None),
        PointKind::Call(name) => ("call", Some(name.clone())),
        PointKind::IndirectCall => ("call through a pointer", None),
        PointKind::MacroCall(name) => ("macro", Some(name.clone())),
    };
    PointView {
        id,
        kind,
        callee,
        span: point.span,
    }
}
