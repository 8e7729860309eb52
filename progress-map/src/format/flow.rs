//! Section `BODY`: the points of a function and the edges between them.
//!
//! The flow of structured code is nearly all `p -> p + 1`, so that edge is implied and only its absence is written.

use super::bytes::number;
use super::columns::Column;
use super::habits::Habits;
use super::spans::SpanColumns;
use super::strings::{Sink, Source};
use crate::error::ReadError;
use crate::{Function, Point, PointId, PointKind, Scope, ScopeId, Unsequenced};
use base::{Id, IdVec, Span};

/// Points, edges, scopes and loops of each function.
pub(crate) const COUNT: Column = Column(0);
const KIND: Column = Column(1);
const CALLEE: Column = Column(2);
const SPAN: SpanColumns = SpanColumns::new(3);
const SCOPE: Column = Column(7);
const LOOP: Column = Column(8);
const UNSEQUENCED: Column = Column(9);
const GROUP: Column = Column(10);
const OPERAND: Column = Column(11);
const SUCCESSORS: Column = Column(12);
const TARGET: Column = Column(13);

const KIND_EVAL: u8 = 0;
const KIND_BRANCH: u8 = 1;
const KIND_CALL: u8 = 2;
const KIND_INDIRECT_CALL: u8 = 3;
const KIND_MACRO_CALL: u8 = 4;
const KIND_ENTRY: u8 = 5;
const KIND_EXIT: u8 = 6;
const KIND_RETURN: u8 = 7;
/// Added when the point's span is the function's, as that of entry and exit is; then no span is written.
const KIND_WHOLE: u8 = 8;

pub(crate) fn write_points<'a>(sink: &mut Sink<'a, '_>, function: &'a Function) {
    let mut habits = Habits::new(function.scopes.as_slice());
    let (mut line, mut column, mut group) = (function.span.line, 0, 0);
    for point in &function.points {
        let mut kind = match &point.kind {
            PointKind::Eval => KIND_EVAL,
            PointKind::Branch => KIND_BRANCH,
            PointKind::Call(_) => KIND_CALL,
            PointKind::IndirectCall => KIND_INDIRECT_CALL,
            PointKind::MacroCall(_) => KIND_MACRO_CALL,
            PointKind::Entry => KIND_ENTRY,
            PointKind::Exit => KIND_EXIT,
            PointKind::Return => KIND_RETURN,
        };
        if let PointKind::Call(name) | PointKind::MacroCall(name) = &point.kind {
            sink.text(CALLEE, name);
        }
        let out = &mut sink.columns;
        let scope = number(point.scope);
        out.at(SCOPE).unsigned(habits.scope_code(scope));
        habits.enter_scope(scope);
        let this_loop = point.innermost_loop.map_or(0, |id| number(id) + 1);
        out.at(LOOP).near32(habits.expected_loop(), this_loop);
        habits.enter_loop(this_loop);
        if point.span == function.span {
            kind += KIND_WHOLE;
        } else {
            SPAN.write(out, line, column, point.span);
            (line, column) = (point.span.line, point.span.column);
        }
        out.at(KIND).byte(kind);
        out.at(UNSEQUENCED).size(point.unsequenced.len());
        for open in &point.unsequenced {
            out.at(GROUP).near32(group, open.group);
            out.at(OPERAND).unsigned(u64::from(open.operand));
            group = open.group;
        }
    }
}

pub(crate) fn read_points(
    source: &mut Source<'_, '_>,
    function: Span,
    scopes: &IdVec<ScopeId, Scope>,
    count: usize,
) -> Result<IdVec<PointId, Point>, ReadError> {
    let mut habits = Habits::new(scopes.as_slice());
    let (mut line, mut column, mut group) = (function.line, 0, 0);
    let mut points = Vec::with_capacity(count);
    for _ in 0..count {
        let code = source.columns.at(KIND).byte()?;
        let kind = match code & !KIND_WHOLE {
            KIND_EVAL => PointKind::Eval,
            KIND_BRANCH => PointKind::Branch,
            KIND_CALL => PointKind::Call(source.text(CALLEE)?),
            KIND_INDIRECT_CALL => PointKind::IndirectCall,
            KIND_MACRO_CALL => PointKind::MacroCall(source.text(CALLEE)?),
            KIND_ENTRY => PointKind::Entry,
            KIND_EXIT => PointKind::Exit,
            KIND_RETURN => PointKind::Return,
            _ => return Err(source.columns.at(KIND).malformed("no such kind of point")),
        };
        let columns = &mut source.columns;
        let scope_code = columns.at(SCOPE).unsigned()?;
        let scope = habits
            .scope_of_code(scope_code)
            .ok_or_else(|| columns.at(SCOPE).malformed("no such scope"))?;
        habits.enter_scope(scope);
        let this_loop = columns.at(LOOP).near32(habits.expected_loop())?;
        habits.enter_loop(this_loop);
        let span = if code & KIND_WHOLE != 0 {
            function
        } else {
            let span = SPAN.read(columns, line, column)?;
            (line, column) = (span.line, span.column);
            span
        };
        let open = columns.count(UNSEQUENCED, OPERAND)?;
        let mut unsequenced = Vec::with_capacity(open);
        for _ in 0..open {
            group = columns.at(GROUP).near32(group)?;
            let operand = columns.at(OPERAND).u32()?;
            unsequenced.push(Unsequenced { group, operand });
        }
        points.push(Point {
            kind,
            span,
            scope: columns.at(SCOPE).id(scope)?,
            innermost_loop: match this_loop.checked_sub(1) {
                None => None,
                Some(id) => Some(columns.at(LOOP).id(id)?),
            },
            unsequenced,
        });
    }
    Ok(points.into())
}

/// Each point's successors: twice the number of those other than the next point, plus one if the next point is *not*
/// a successor. Edges that are not sorted by source, or start at no point, are left out here; the number of edges
/// then differs from the one that the function states, and reading refuses it.
pub(crate) fn write_edges(sink: &mut Sink<'_, '_>, function: &Function) {
    let mut edges = function.edges.as_slice();
    for point in function.points.ids() {
        let end = edges.iter().take_while(|(from, _)| *from == point).count();
        let (here, rest) = edges.split_at(end);
        edges = rest;
        let next = number(point).wrapping_add(1);
        let falls_through = here.iter().filter(|(_, to)| number(*to) == next).count() == 1;
        let mut others = 0;
        for (_, to) in here {
            if !falls_through || number(*to) != next {
                sink.columns.at(TARGET).near32(number(point), number(*to));
                others += 1;
            }
        }
        sink.columns
            .at(SUCCESSORS)
            .size(others << 1 | usize::from(!falls_through));
    }
}

pub(crate) fn read_edges(
    source: &mut Source<'_, '_>,
    points: usize,
    count: usize,
) -> Result<Vec<(PointId, PointId)>, ReadError> {
    let columns = &mut source.columns;
    let mut edges = Vec::with_capacity(count);
    for point in (0..points).map(PointId::from_index) {
        let code = columns.at(SUCCESSORS).unsigned()?;
        let falls_through = code & 1 == 0;
        let start = edges.len();
        if falls_through {
            edges.push((point, PointId::from_index(point.index() + 1)));
        }
        if code >> 1 > columns.left(TARGET) as u64 || edges.len() as u64 + (code >> 1) > count as u64 {
            let cursor = columns.at(SUCCESSORS);
            return Err(cursor.malformed("a function has more edges than it states"));
        }
        for _ in 0..code >> 1 {
            let cursor = columns.at(TARGET);
            let to = cursor.near32(number(point))?;
            edges.push((point, cursor.id(to)?));
        }
        if falls_through {
            // The implied edge takes its place among the others, which are in order already.
            let place = edges[start + 1..].partition_point(|edge| *edge < edges[start]);
            edges[start..=start + place].rotate_left(1);
        }
    }
    if edges.len() != count {
        let cursor = columns.at(SUCCESSORS);
        return Err(cursor.malformed("a function has fewer edges than it states"));
    }
    Ok(edges)
}

/// Upper bounds for the counts of a function, from what is left in the columns.
pub(crate) fn read_counts(source: &mut Source<'_, '_>) -> Result<[usize; 4], ReadError> {
    let columns = &mut source.columns;
    let points = columns.count(COUNT, KIND)?;
    // Every edge is either implied by a point or has a target.
    let most = points + columns.left(TARGET);
    let edges = columns.at(COUNT).count(most)?;
    let scopes = columns.count(COUNT, super::scopes::KIND)?;
    let loops = columns.count(COUNT, super::loops::KIND)?;
    Ok([points, edges, scopes, loops])
}
