//! From a position of code to the points of a function that it may mean.
//!
//! A compiler gives an instruction the line and the column of what it was made of, and often of something near it. So a position
//! means a set of points, and these are the rules by which it is found, wherever somebody asks:
//!
//! - A *line* means every point whose text touches it. Nothing is executed at a join, which has no text. The code that
//!   enters a function stands anywhere from the first line of its head to its opening brace, the code that leaves it on its
//!   last line.
//! - A *column* means the points whose text contains it. Where there are none, the column says nothing, and
//!   the whole line is meant.
//! - A *call* is meant by the position at which it begins, as compilers of C number it, or by one within it: g++ gives a call the
//!   position of its parenthesis, clang++ that of the member's name. gcc gives the position of a call to the calls in its arguments, too, so
//!   whoever takes a call has to take those as well ([`Function::within`]).
//!
//! What a frame tells besides its position (the function that it has called, what an optimiser did with a call) is the
//! business of the order (`progress`), and what is known of the value of a variable there is that of `bind`. Both begin
//! with the sets of this module.

use crate::{Function, Point, PointId, PointKind, ScopeKind};
use std::ops::RangeInclusive;

impl Function {
    /// The points whose code may carry this line, in ascending order.
    pub fn points_on(&self, line: u32) -> impl Iterator<Item = PointId> + '_ {
        let on_line = move |(_, point): &(PointId, &Point)| self.stands_on(point, line);
        self.points.iter_enumerated().filter(on_line).map(|(id, _)| id)
    }

    /// The calls whose code may carry this line, in ascending order.
    pub fn calls_on(&self, line: u32) -> impl Iterator<Item = PointId> + '_ {
        self.points_on(line)
            .filter(|&point| self.points[point].kind.is_call())
    }

    /// The calls that begin exactly here, in ascending order.
    pub fn calls_beginning_at(&self, line: u32, column: u32) -> impl Iterator<Item = PointId> + '_ {
        self.calls_on(line)
            .filter(move |&call| self.begins_at(call, line, column))
    }

    fn begins_at(&self, point: PointId, line: u32, column: u32) -> bool {
        let span = self.points[point].span;
        (span.line, span.column) == (line, column)
    }

    /// Of these calls, in ascending order, those that an instruction at the position may be: those that begin here, or else those
    /// around it that are around no other one of them.
    pub fn calls_at(&self, calls: &[PointId], line: u32, column: u32) -> Vec<PointId> {
        let span = |call: PointId| self.points[call].span;
        let begins = |&call: &PointId| self.begins_at(call, line, column);
        let exact = Vec::from_iter(calls.iter().copied().filter(begins));
        if !exact.is_empty() {
            return exact;
        }
        let around = calls.iter().copied();
        let around = Vec::from_iter(around.filter(|&call| span(call).contains_position(line, column)));
        let is_innermost = |call: &PointId| {
            let mut spans = around.iter().map(|&other| span(other));
            !spans.any(|other| other != span(*call) && span(*call).contains(other))
        };
        around.iter().copied().filter(is_innermost).collect()
    }

    /// Of points on a line, those whose text contains the column; all of them where none does, or where no column is known.
    pub fn narrowed(&self, on_line: Vec<PointId>, line: u32, column: Option<u32>) -> Vec<PointId> {
        let Some(column) = column.filter(|&column| column > 0) else {
            return on_line;
        };
        let contains = |&id: &PointId| {
            let point = &self.points[id];
            point.kind.has_text() && point.span.contains_position(line, column)
        };
        let exact = Vec::from_iter(on_line.iter().copied().filter(contains));
        if exact.is_empty() { on_line } else { exact }
    }

    /// The points of these calls and of their arguments, in ascending order: whatever stands within their text.
    pub fn within(&self, calls: &[PointId]) -> impl Iterator<Item = PointId> + '_ {
        let spans = Vec::from_iter(calls.iter().map(|&call| self.points[call].span));
        let inside = move |(_, point): &(PointId, &Point)| {
            point.kind.has_text() && spans.iter().any(|span| span.contains(point.span))
        };
        self.points.iter_enumerated().filter(inside).map(|(id, _)| id)
    }

    /// The points whose code may carry a line of the function's head, up to the opening brace, in ascending order.
    pub fn points_of_head(&self) -> impl Iterator<Item = PointId> + '_ {
        let entry = self.points.iter().find(|point| point.kind == PointKind::Entry);
        let head = entry.map(|entry| self.head(entry.span.line));
        let in_head = move |(_, point): &(PointId, &Point)| {
            head.clone()
                .is_some_and(|mut head| head.any(|line| self.stands_on(point, line)))
        };
        self.points.iter_enumerated().filter(in_head).map(|(id, _)| id)
    }

    /// The lines from the first one of the function to the one with its opening brace.
    fn head(&self, first: u32) -> RangeInclusive<u32> {
        let mut blocks = self.scopes.iter().filter(|scope| scope.kind == ScopeKind::Block);
        let brace = blocks.next().map_or(first, |block| block.line);
        first..=brace
    }

    fn stands_on(&self, point: &Point, line: u32) -> bool {
        match point.kind {
            PointKind::Entry => self.head(point.span.line).contains(&line),
            PointKind::Exit => point.span.end_line == line,
            _ => !point.span.is_empty() && point.span.covers_line(line),
        }
    }
}

impl PointKind {
    /// Whether a piece of the function's text stands for the point. The way in and the way out have the text of the whole
    /// function, which says nothing of where their code is.
    pub fn has_text(&self) -> bool {
        !matches!(self, Self::Entry | Self::Exit)
    }
}
