//! Spans in four columns, next to a position that they are likely to start at.

use super::columns::{Column, Columns, ColumnsOut};
use crate::error::ReadError;
use base::Span;

/// The columns of one kind of span: `first` is the line, then column, end line and end column.
pub(crate) struct SpanColumns {
    first: u8,
}

impl SpanColumns {
    pub(crate) const fn new(first: u8) -> Self {
        Self { first }
    }

    fn columns(&self) -> [Column; 4] {
        [0, 1, 2, 3].map(|i| Column(self.first + i))
    }

    /// The line near `line`, the column near `column`; the end after the start, a column on the same line after the
    /// first.
    pub(crate) fn write(&self, out: &mut ColumnsOut, line: u32, column: u32, span: Span) {
        let [at_line, at_column, at_end_line, at_end_column] = self.columns();
        out.at(at_line).near32(line, span.line);
        out.at(at_column).near32(column, span.column);
        out.at(at_end_line).after32(span.line, span.end_line);
        let base = if span.end_line == span.line {
            span.column
        } else {
            0
        };
        out.at(at_end_column).after32(base, span.end_column);
    }

    pub(crate) fn read(&self, columns: &mut Columns<'_>, line: u32, column: u32) -> Result<Span, ReadError> {
        let [at_line, at_column, at_end_line, at_end_column] = self.columns();
        let line = columns.at(at_line).near32(line)?;
        let column = columns.at(at_column).near32(column)?;
        let end_line = columns.at(at_end_line).after32(line)?;
        let base = if end_line == line { column } else { 0 };
        let end_column = columns.at(at_end_column).after32(base)?;
        Ok(Span {
            line,
            column,
            end_line,
            end_column,
        })
    }

    /// All four next to those of another span: for a loop, whose header often has the same.
    pub(crate) fn write_near(&self, out: &mut ColumnsOut, near: Span, span: Span) {
        for ((column, base), value) in self.columns().into_iter().zip(corners(near)).zip(corners(span)) {
            out.at(column).near32(base, value);
        }
    }

    pub(crate) fn read_near(&self, columns: &mut Columns<'_>, near: Span) -> Result<Span, ReadError> {
        let [line, column, end_line, end_column] = self.columns();
        Ok(Span {
            line: columns.at(line).near32(near.line)?,
            column: columns.at(column).near32(near.column)?,
            end_line: columns.at(end_line).near32(near.end_line)?,
            end_column: columns.at(end_column).near32(near.end_column)?,
        })
    }
}

fn corners(span: Span) -> [u32; 4] {
    [span.line, span.column, span.end_line, span.end_column]
}
