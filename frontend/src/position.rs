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
        let lines = Lines::new(b"ab\n\ncd");
        assert_eq!(
            [lines.at(0), lines.at(2), lines.at(3), lines.at(5)],
            [(1, 1), (1, 3), (2, 1), (3, 2)]
        );
    }
}
