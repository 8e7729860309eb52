//! Section `BODY`, first part: points, edges and scopes of a run of functions.
//!
//! The flow of structured code is nearly all `p -> p + 1`, so that edge is implied and only its absence is written.

use super::bytes::number;
use super::columns::Column;
use super::spans::SpanColumns;
use super::strings::{Sink, Source};
use crate::error::ReadError;
use crate::{Function, Point, PointId, PointKind, Scope, ScopeId, ScopeKind, Unsequenced};
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
const SCOPE_KIND: Column = Column(14);
const SCOPE_PARENT: Column = Column(15);
const SCOPE_LINE: Column = Column(16);
const SCOPE_END: Column = Column(17);
const SCOPE_DETAIL: Column = Column(18);

const KIND_EVAL: u8 = 0;
const KIND_BRANCH: u8 = 1;
const KIND_CALL: u8 = 2;
const KIND_INDIRECT_CALL: u8 = 3;
const KIND_MACRO_CALL: u8 = 4;
const KIND_ENTRY: u8 = 5;
const KIND_EXIT: u8 = 6;
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

/// What the points of a function so far let expect of the next one.
///
/// Points come in the order of the text. So a scope is left for one around it or entered for the first time, and the
/// statements of one scope stand in one loop. (They stand in one column as well, but on real code nothing is gained
/// from that over the column of the point before.)
struct Habits<'a> {
    scopes: &'a [Scope],
    /// The scope of the point before, and one more than the highest so far.
    scope: u32,
    unseen: u32,
    /// By scope: the loop of the last point there, if there was one. Here and below 0 stands for no loop.
    in_scope: Vec<Option<u32>>,
    innermost_loop: u32,
}

/// How far up the scope tree a code may lead: a bound for the time that a reader takes.
const MAX_LEVELS: u64 = 64;

impl<'a> Habits<'a> {
    fn new(scopes: &'a [Scope]) -> Self {
        Self {
            scopes,
            scope: 0,
            unseen: 1,
            in_scope: vec![None; scopes.len()],
            innermost_loop: 0,
        }
    }

    /// 0: the scope before; 2k: k levels further out; 2k + 1: the scope k after the first that was not seen yet,
    /// modulo 2^32, which is every other one.
    fn scope_code(&self, scope: u32) -> u64 {
        let mut outer = self.scope;
        for level in 0..=MAX_LEVELS {
            if outer == scope {
                return 2 * level;
            }
            match self.parent(outer) {
                Some(parent) => outer = parent,
                None => break,
            }
        }
        2 * u64::from(scope.wrapping_sub(self.unseen)) + 1
    }

    fn scope_of_code(&self, code: u64) -> Option<u32> {
        if code & 1 == 1 {
            return Some(self.unseen.wrapping_add(u32::try_from(code >> 1).ok()?));
        }
        if code >> 1 > MAX_LEVELS {
            return None;
        }
        (0..code >> 1).try_fold(self.scope, |scope, _| self.parent(scope))
    }

    fn parent(&self, scope: u32) -> Option<u32> {
        self.scopes.get(scope as usize)?.parent.map(number)
    }

    fn enter_scope(&mut self, scope: u32) {
        self.scope = scope;
        self.unseen = self.unseen.max(scope.saturating_add(1));
    }

    fn expected_loop(&self) -> u32 {
        let seen = |scope: u32| *self.in_scope.get(scope as usize)?;
        let of_statement = || match self.scopes.get(self.scope as usize)?.kind {
            ScopeKind::Loop(Some(id)) => Some(number(id) + 1),
            _ => None,
        };
        seen(self.scope)
            .or_else(of_statement)
            .or_else(|| seen(self.parent(self.scope)?))
            .unwrap_or(self.innermost_loop)
    }

    fn enter_loop(&mut self, innermost_loop: u32) {
        self.innermost_loop = innermost_loop;
        if let Some(habit) = self.in_scope.get_mut(self.scope as usize) {
            *habit = Some(innermost_loop);
        }
    }
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

const SCOPE_FUNCTION: u8 = 0;
const SCOPE_BLOCK: u8 = 1;
const SCOPE_LOOP: u8 = 2;
const SCOPE_BRANCH: u8 = 3;
const SCOPE_ARM: u8 = 4;
/// A loop statement that never repeats.
const SCOPE_NO_LOOP: u8 = 5;

pub(crate) fn write_scopes(sink: &mut Sink<'_, '_>, function: &Function) {
    for (id, scope) in function.scopes.iter_enumerated() {
        let out = &mut sink.columns;
        out.at(SCOPE_KIND).byte(match scope.kind {
            ScopeKind::Function => SCOPE_FUNCTION,
            ScopeKind::Block => SCOPE_BLOCK,
            ScopeKind::Loop(Some(_)) => SCOPE_LOOP,
            ScopeKind::Loop(None) => SCOPE_NO_LOOP,
            ScopeKind::Branch => SCOPE_BRANCH,
            ScopeKind::Arm(_) => SCOPE_ARM,
        });
        match scope.kind {
            ScopeKind::Loop(Some(id)) => out.at(SCOPE_DETAIL).size(id.index()),
            ScopeKind::Arm(arm) => out.at(SCOPE_DETAIL).unsigned(u64::from(arm)),
            _ => {}
        }
        out.at(SCOPE_PARENT).parent(number(id), scope.parent.map(number));
        let earlier = &function.scopes.as_slice()[..id.index()];
        let line = line_of_parent(earlier, scope.parent, function.span);
        out.at(SCOPE_LINE).near32(line, scope.line);
        out.at(SCOPE_END).after32(scope.line, scope.end_line);
    }
}

pub(crate) fn read_scopes(
    source: &mut Source<'_, '_>,
    function: Span,
    count: usize,
) -> Result<IdVec<ScopeId, Scope>, ReadError> {
    let columns = &mut source.columns;
    let mut scopes = Vec::with_capacity(count);
    for id in 0..count as u32 {
        let kind = match columns.at(SCOPE_KIND).byte()? {
            SCOPE_FUNCTION => ScopeKind::Function,
            SCOPE_BLOCK => ScopeKind::Block,
            SCOPE_LOOP => {
                let cursor = columns.at(SCOPE_DETAIL);
                let id = cursor.u32()?;
                ScopeKind::Loop(Some(cursor.id(id)?))
            }
            SCOPE_NO_LOOP => ScopeKind::Loop(None),
            SCOPE_BRANCH => ScopeKind::Branch,
            SCOPE_ARM => ScopeKind::Arm(columns.at(SCOPE_DETAIL).u32()?),
            _ => return Err(columns.at(SCOPE_KIND).malformed("no such kind of scope")),
        };
        let cursor = columns.at(SCOPE_PARENT);
        let parent = match cursor.parent(id)? {
            None => None,
            Some(parent) => Some(cursor.id(parent)?),
        };
        let line = line_of_parent(&scopes, parent, function);
        let line = columns.at(SCOPE_LINE).near32(line)?;
        let end_line = columns.at(SCOPE_END).after32(line)?;
        scopes.push(Scope {
            parent,
            kind,
            line,
            end_line,
        });
    }
    Ok(scopes.into())
}

/// The line next to which a scope's own is written. A parent that is not before the child counts as none, on both
/// sides: the map is invalid then, but its bytes must still say so.
fn line_of_parent(scopes: &[Scope], parent: Option<ScopeId>, function: Span) -> u32 {
    parent
        .and_then(|parent| scopes.get(parent.index()))
        .map_or(function.line, |scope| scope.line)
}

/// Upper bounds for the counts of a function, from what is left in the columns.
pub(crate) fn read_counts(source: &mut Source<'_, '_>) -> Result<[usize; 4], ReadError> {
    let columns = &mut source.columns;
    let points = columns.count(COUNT, KIND)?;
    // Every edge is either implied by a point or has a target.
    let most = points + columns.left(TARGET);
    let edges = columns.at(COUNT).count(most)?;
    let scopes = columns.count(COUNT, SCOPE_KIND)?;
    let loops = columns.count(COUNT, super::loops::KIND)?;
    Ok([points, edges, scopes, loops])
}
