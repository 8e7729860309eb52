//! From offsets in prepared text back to lines and columns of the raw file.
//!
//! Prepared text is a sequence of segments. A *copied* segment stands for as many raw bytes as it has itself; an
//! *expanded* segment stands, every byte of it, for one macro invocation as a whole, because compilers number it so.

use base::Span;

/// The table from prepared text to raw text.
#[derive(Debug, Default)]
pub struct PositionMap {
    segments: Vec<Segment>,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    /// First offset in the prepared text; the segment ends where the next begins.
    prepared: u32,
    raw: u32,
    /// For an expanded segment: the end of the invocation.
    raw_end: Option<u32>,
}

impl PositionMap {
    /// From `prepared` on, the text is a copy of what stands at `raw`.
    pub fn copied(&mut self, prepared: u32, raw: u32) {
        self.push(Segment {
            prepared,
            raw,
            raw_end: None,
        });
    }

    /// From `prepared` on, the text comes out of the invocation at `raw..raw_end`.
    pub fn expanded(&mut self, prepared: u32, raw: u32, raw_end: u32) {
        self.push(Segment {
            prepared,
            raw,
            raw_end: Some(raw_end),
        });
    }

    /// This table, from text that was itself made from another, and `outer`, the table of that: from the first text to the
    /// raw one.
    pub fn through(&self, outer: &PositionMap) -> PositionMap {
        let mut result = PositionMap::default();
        for (index, segment) in self.segments.iter().enumerate() {
            if let Some(end) = segment.raw_end {
                let start = outer.raw_start(segment.raw);
                result.expanded(segment.prepared, start, outer.raw_end(end).max(start));
                continue;
            }
            let next = self.segments.get(index + 1).map_or(u32::MAX, |s| s.prepared);
            let end = segment.raw.saturating_add(next - segment.prepared);
            let first = outer.segments.partition_point(|s| s.prepared <= segment.raw);
            for part in &outer.segments[first.saturating_sub(1)..] {
                if part.prepared >= end {
                    break;
                }
                let from = part.prepared.max(segment.raw);
                let prepared = segment.prepared + (from - segment.raw);
                match part.raw_end {
                    Some(end) => result.expanded(prepared, part.raw, end),
                    None => result.copied(prepared, part.raw + (from - part.prepared)),
                }
            }
        }
        result
    }

    fn push(&mut self, segment: Segment) {
        // An empty segment would hide its predecessor from the search.
        if self
            .segments
            .last()
            .is_some_and(|last| last.prepared == segment.prepared)
        {
            self.segments.pop();
        }
        self.segments.push(segment);
    }

    fn segment(&self, prepared: u32) -> Option<Segment> {
        let after = self.segments.partition_point(|s| s.prepared <= prepared);
        self.segments.get(after.checked_sub(1)?).copied()
    }

    /// The raw offset that the byte at `prepared` stands for; the start of the invocation in an expansion.
    pub fn raw_start(&self, prepared: u32) -> u32 {
        match self.segment(prepared) {
            Some(segment) if segment.raw_end.is_none() => segment.raw + (prepared - segment.prepared),
            Some(segment) => segment.raw,
            None => prepared,
        }
    }

    /// The raw offset after the byte before `prepared`.
    pub fn raw_end(&self, prepared: u32) -> u32 {
        let Some(last) = prepared.checked_sub(1) else {
            return 0;
        };
        match self.segment(last) {
            Some(Segment {
                raw_end: Some(end), ..
            }) => end,
            Some(segment) => segment.raw + (last - segment.prepared) + 1,
            None => prepared,
        }
    }

    /// The invocation, as a raw offset, whose expansion holds the byte at `prepared`.
    pub fn invocation(&self, prepared: u32) -> Option<u32> {
        let segment = self.segment(prepared)?;
        segment.raw_end.map(|_| segment.raw)
    }
}

/// Where the lines of a text begin.
#[derive(Debug)]
pub struct Lines {
    starts: Vec<u32>,
}

impl Lines {
    /// The lines of `text`.
    pub fn new(text: &[u8]) -> Self {
        let newlines = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let starts = std::iter::once(0).chain(newlines.map(|(at, _)| at as u32 + 1));
        Self {
            starts: starts.collect(),
        }
    }

    /// Line and byte column of `offset`, both from 1.
    pub fn at(&self, offset: u32) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        (line as u32, offset - start + 1)
    }

    /// Where `line`, from 1, begins; behind everything for a line that is not there.
    pub fn start(&self, line: u32) -> u32 {
        let index = (line as usize).saturating_sub(1);
        self.starts.get(index).copied().unwrap_or(u32::MAX)
    }

    /// The line of `offset`, from 1.
    pub fn line(&self, offset: u32) -> u32 {
        self.at(offset).0
    }

    /// The span of the raw bytes `start..end`.
    pub fn span(&self, start: u32, end: u32) -> Span {
        let (line, column) = self.at(start);
        let (end_line, end_column) = self.at(end.max(start));
        Span {
            line,
            column,
            end_line,
            end_column,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copied_bytes_keep_their_place_and_expanded_ones_share_it() {
        let mut map = PositionMap::default();
        map.copied(0, 0);
        map.expanded(4, 4, 10);
        map.copied(20, 10);
        assert_eq!(
            [
                map.raw_start(3),
                map.raw_start(4),
                map.raw_start(19),
                map.raw_start(20)
            ],
            [3, 4, 4, 10]
        );
        assert_eq!(
            [map.raw_end(4), map.raw_end(5), map.raw_end(20), map.raw_end(21)],
            [4, 10, 10, 11]
        );
        assert_eq!(
            [map.invocation(3), map.invocation(5), map.invocation(20)],
            [None, Some(4), None]
        );
        // Text made from text: "wxyz" of which "xy" came out of an invocation at 2..6 of the raw text.
        let mut outer = PositionMap::default();
        outer.copied(0, 0);
        outer.expanded(1, 2, 6);
        outer.copied(3, 7);
        let mut inner = PositionMap::default();
        inner.copied(0, 0);
        inner.expanded(2, 1, 4);
        inner.copied(9, 3);
        let both = inner.through(&outer);
        assert_eq!(
            [0, 1, 2, 8, 9, 10].map(|at| both.raw_start(at)),
            [0, 2, 2, 2, 7, 8]
        );
        assert_eq!([1, 2, 9, 10].map(|at| both.raw_end(at)), [1, 6, 8, 8]);
        let lines = Lines::new(b"ab\n\ncd");
        assert_eq!(
            [lines.at(0), lines.at(2), lines.at(3), lines.at(5)],
            [(1, 1), (1, 3), (2, 1), (3, 2)]
        );
    }
}
