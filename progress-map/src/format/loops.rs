//! Section `BODY`: the loops of a function, and the candidates that do not order them.

use super::bytes::number;
use super::columns::Column;
use super::lovs::{TRAITS, read_lov, write_lov};
use super::refusals::{self, Reasons};
use super::spans::SpanColumns;
use super::strings::{Sink, Source};
use crate::error::ReadError;
use crate::{Function, Loop, LoopId, LoopSource, Point, PointId, Refused, Scope, ScopeId, ScopeKind};
use base::{Id, IdVec, Span};

const PARENT: Column = Column(20);
pub(crate) const KIND: Column = Column(21);
const HEADER: Column = Column(22);
const SPAN: SpanColumns = SpanColumns::new(23);
const LOVS: Column = Column(27);
const REFUSED: Column = Column(28);
const REFUSED_NAME: Column = Column(32);

/// Added to the code of [`LoopSource`] when the loop is not reducible.
const IRREDUCIBLE: u8 = 4;

pub(crate) fn write_loops<'a>(sink: &mut Sink<'a, '_>, function: &'a Function) {
    let statements = Statements::new(
        function.loops.len(),
        function.scopes.as_slice(),
        function.points.as_slice(),
    );
    let mut header = 0;
    for (id, l) in function.loops.iter_enumerated() {
        let expected = statements.of_loop(number(id), header);
        let out = &mut sink.columns;
        out.at(PARENT).parent(number(id), l.parent.map(number));
        let source = match l.source {
            LoopSource::While => 0,
            LoopSource::DoWhile => 1,
            LoopSource::For => 2,
            LoopSource::Goto => 3,
        };
        out.at(KIND)
            .byte(if l.reducible { source } else { source + IRREDUCIBLE });
        out.at(HEADER).near32(expected.header, number(l.header));
        header = number(l.header);
        let near = expected.span(&function.points, l.header, function.span);
        SPAN.write_near(out, near, l.span);
        out.at(LOVS).size(l.lovs.len());
        out.at(REFUSED).size(l.refused.len());
        let mut reasons = Reasons::new(l.span.line, function.span);
        for lov in &l.lovs {
            write_lov(sink, function, header, &mut reasons, lov);
        }
        for refused in &l.refused {
            sink.text(REFUSED_NAME, &refused.name);
            reasons.write(sink, &refused.why);
        }
    }
}

pub(crate) fn read_loops(
    source: &mut Source<'_, '_>,
    function: Span,
    scopes: &IdVec<ScopeId, Scope>,
    points: &IdVec<PointId, Point>,
    count: usize,
) -> Result<IdVec<LoopId, Loop>, ReadError> {
    let statements = Statements::new(count, scopes.as_slice(), points.as_slice());
    let mut header = 0;
    let mut loops = Vec::with_capacity(count);
    for id in 0..count as u32 {
        let columns = &mut source.columns;
        let parent = match columns.at(PARENT).parent(id)? {
            None => None,
            Some(parent) => Some(columns.at(PARENT).id(parent)?),
        };
        let kind = columns.at(KIND).byte()?;
        let loop_source = match kind & !IRREDUCIBLE {
            0 => LoopSource::While,
            1 => LoopSource::DoWhile,
            2 => LoopSource::For,
            3 => LoopSource::Goto,
            _ => return Err(columns.at(KIND).malformed("no such kind of loop")),
        };
        let expected = statements.of_loop(id, header);
        header = columns.at(HEADER).near32(expected.header)?;
        let header_id = columns.at(HEADER).id(header)?;
        let near = expected.span(points, header_id, function);
        let span = SPAN.read_near(columns, near)?;
        let lov_count = columns.count(LOVS, TRAITS)?;
        let refused_count = columns.count(REFUSED, refusals::CODE)?;
        let mut reasons = Reasons::new(span.line, function);
        let mut lovs = Vec::with_capacity(lov_count);
        for _ in 0..lov_count {
            lovs.push(read_lov(source, function, header, &mut reasons)?);
        }
        let mut refused = Vec::with_capacity(refused_count);
        for _ in 0..refused_count {
            refused.push(Refused {
                name: source.text(REFUSED_NAME)?,
                why: reasons.read(source)?,
            });
        }
        loops.push(Loop {
            parent,
            source: loop_source,
            span,
            header: header_id,
            reducible: kind & IRREDUCIBLE == 0,
            lovs,
            refused,
        });
    }
    Ok(loops.into())
}

/// What the loop statements of a function, already known as scopes, let expect of its loops.
struct Statements {
    /// By loop: the last line of its statement and the first point in it, where there are such.
    of_loop: Vec<(Option<u32>, Option<u32>)>,
}

struct Expected {
    header: u32,
    end_line: Option<u32>,
}

impl Statements {
    fn new(loops: usize, scopes: &[Scope], points: &[Point]) -> Self {
        let mut of_loop = vec![(None, None); loops];
        for scope in scopes {
            if let ScopeKind::Loop(Some(id)) = scope.kind
                && let Some((end_line, _)) = of_loop.get_mut(id.index())
            {
                end_line.get_or_insert(scope.end_line);
            }
        }
        for (index, point) in (0..).zip(points) {
            let scope = scopes.get(point.scope.index());
            if let Some(ScopeKind::Loop(Some(id))) = scope.map(|scope| scope.kind)
                && let Some((_, first)) = of_loop.get_mut(id.index())
            {
                first.get_or_insert(index);
            }
        }
        Self { of_loop }
    }

    fn of_loop(&self, id: u32, header_before: u32) -> Expected {
        let (end_line, first) = self.of_loop[id as usize];
        Expected {
            header: first.unwrap_or(header_before),
            end_line,
        }
    }
}

impl Expected {
    /// The header's span, or the function's if there is no such point, but with the end of the statement.
    fn span(&self, points: &IdVec<PointId, Point>, header: PointId, function: Span) -> Span {
        let span = points.get(header).map_or(function, |point| point.span);
        Span {
            end_line: self.end_line.unwrap_or(span.end_line),
            ..span
        }
    }
}
