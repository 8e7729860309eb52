//! Positions in source text, numbered as compilers number them.

use std::fmt;

/// A stretch of source text: first line and column, last line and column.
///
/// Lines and columns count from 1, columns in bytes, as DWARF line tables do. `end_column` is the column after
/// the last byte. The default value, all zeros, stands for "no position".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First line, from 1.
    pub line: u32,
    /// First column in bytes, from 1.
    pub column: u32,
    /// Last line, at least `line`.
    pub end_line: u32,
    /// Column after the last byte on `end_line`.
    pub end_column: u32,
}

impl Span {
    /// Whether `line` lies between the first and the last line of the span.
    pub fn covers_line(self, line: u32) -> bool {
        self.line <= line && line <= self.end_line
    }

    /// Whether no byte lies within the span.
    pub fn is_empty(self) -> bool {
        (self.line, self.column) == (self.end_line, self.end_column)
    }

    /// Whether the byte at this position lies within the span.
    pub fn contains_position(self, line: u32, column: u32) -> bool {
        (self.line, self.column) <= (line, column) && (line, column) < (self.end_line, self.end_column)
    }

    /// Whether `inner` lies within this span.
    pub fn contains(self, inner: Span) -> bool {
        (self.line, self.column) <= (inner.line, inner.column)
            && (inner.end_line, inner.end_column) <= (self.end_line, self.end_column)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
