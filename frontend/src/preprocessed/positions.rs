//! Where the tokens of preprocessor output stand in the raw file, for a parser that reads the output itself.

use super::{Mismatch, SIZE_LIMIT, bytes, each_stretch};
use crate::Source;
use crate::macros::{Macros, Visible, file_facts};
use crate::position::Lines;
use crate::prepare::Raw;
use crate::token::lex;
use base::Span;
use std::ops::Range;

/// From offsets in preprocessor output to places in the file that was preprocessed.
#[derive(Debug)]
pub struct Positions {
    /// The file's own tokens, in order.
    tokens: Vec<Placed>,
    lines: Lines,
}

#[derive(Clone, Copy, Debug)]
struct Placed {
    /// Where it begins in the output.
    start: u32,
    /// The raw bytes: of the token itself, or of the invocation that it comes out of.
    raw: (u32, u32),
    /// It stands in the raw text as it is.
    written: bool,
    /// There is only one place that it can have.
    certain: bool,
}

impl Positions {
    /// Holds `output`, which a preprocessor made of `source`, against its text.
    pub fn new(source: &Source, output: &[u8], macros: &Macros) -> Result<Self, Mismatch> {
        if output.len() > SIZE_LIMIT || source.text.len() > SIZE_LIMIT {
            return Err(Mismatch::TooLarge);
        }
        let tokens = lex(source.text);
        let lines = Lines::new(source.text);
        let facts = file_facts(source, &tokens);
        let visible = Visible::new(source.path, &facts, macros);
        let raw = Raw {
            text: source.text,
            tokens: &tokens,
            lines: &lines,
            visible: &visible,
            language: visible.language(),
        };
        let mut placed = Vec::new();
        each_stretch(raw, output, |own, range, places| {
            let whole = bytes(raw, &range);
            let mut places = places.map(Vec::into_iter);
            for line in own {
                for token in &line.tokens {
                    let place = places.as_mut().and_then(Iterator::next);
                    placed.push(Placed {
                        start: token.start,
                        raw: place
                            .as_ref()
                            .map_or((whole.start, whole.end), |place| (place.raw.start, place.raw.end)),
                        written: place.as_ref().is_some_and(|place| place.written),
                        certain: place.is_some() && !line.foreign,
                    });
                }
            }
        })?;
        Ok(Self {
            tokens: placed,
            lines,
        })
    }

    fn within(&self, range: &Range<usize>) -> &[Placed] {
        let first = self
            .tokens
            .partition_point(|token| (token.start as usize) < range.start);
        let count = self.tokens[first..].partition_point(|token| (token.start as usize) < range.end);
        &self.tokens[first..first + count]
    }

    /// The place of what stands in these bytes of the output, and whether all of it comes out of one macro invocation;
    /// `None` when nothing of it comes from the file.
    pub fn place(&self, range: Range<usize>) -> Option<(Span, bool)> {
        let (first, last) = match self.within(&range) {
            [] => return None,
            [only] => (only, only),
            [first, .., last] => (first, last),
        };
        let span = self.lines.span(first.raw.0, last.raw.1.max(first.raw.0));
        let from_macro = !first.written && !last.written && first.raw == last.raw;
        Some((span, from_macro))
    }

    /// Whether every token on these lines of the file can have one place only.
    pub fn are_certain(&self, first_line: u32, last_line: u32) -> bool {
        let on_lines = |token: &&Placed| (first_line..=last_line).contains(&self.lines.line(token.raw.0));
        self.tokens.iter().filter(on_lines).all(|token| token.certain)
    }
}
