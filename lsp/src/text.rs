//! Lines and columns as editors count them, and how the lines of an edited text lie to those that were mapped.
//!
//! A map counts columns in bytes from 1; a client in units of UTF-16 from 0, unless both agree on something else.

use lsp_types::{Position, PositionEncodingKind, Range};

/// What a client counts columns in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Utf16,
    Utf32,
}

impl Encoding {
    /// The one to use with a client that offers these. Bytes cost nothing, so they are preferred; a client that offers
    /// nothing counts in UTF-16.
    pub(crate) fn agreed(offered: Option<&[PositionEncodingKind]>) -> Self {
        let offered = offered.unwrap_or_default();
        if offered.contains(&PositionEncodingKind::UTF8) {
            Self::Utf8
        } else if offered.contains(&PositionEncodingKind::UTF32)
            && !offered.contains(&PositionEncodingKind::UTF16)
        {
            Self::Utf32
        } else {
            Self::Utf16
        }
    }

    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    fn units(self, text: &str) -> u32 {
        let units = match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.encode_utf16().count(),
            Self::Utf32 => text.chars().count(),
        };
        u32::try_from(units).unwrap_or(u32::MAX)
    }

    /// From a column of a line (bytes from 1; the first word if none is known, or if it is none of this line) to the
    /// line's end. `line` counts from 1.
    pub(crate) fn rest_of_line(self, text: &str, line: u32, column: Option<u32>) -> Range {
        let indent = text.len() - text.trim_start().len();
        let start = column
            .and_then(|column| (column as usize).checked_sub(1))
            .filter(|&at| at < text.len() && text.is_char_boundary(at))
            .unwrap_or(if indent < text.len() { indent } else { 0 });
        let line = line.saturating_sub(1);
        Range {
            start: Position::new(line, self.units(&text[..start])),
            end: Position::new(line, self.units(text.trim_end()).max(self.units(&text[..start]))),
        }
    }

    /// The end of a line.
    pub(crate) fn end_of_line(self, text: &str, line: u32) -> Position {
        Position::new(line.saturating_sub(1), self.units(text.trim_end()))
    }
}

/// The lines of a text, without their ends.
pub(crate) fn lines(text: &str) -> Vec<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = Vec::from_iter(
        text.split('\n')
            .map(|line| line.strip_suffix('\r').unwrap_or(line)),
    );
    // What follows the last end of a line is no line.
    if lines.last() == Some(&"") {
        lines.pop();
    }
    lines
}

/// Whether editors and maps count the lines of a text alike: for editors, a carriage return alone ends a line too.
pub(crate) fn counts_alike(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find('\r') {
        rest = &rest[at + 1..];
        if !rest.starts_with('\n') {
            return false;
        }
    }
    true
}

/// How the lines of an edited text lie to those of the mapped one: those above and below all edits stay what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Alignment {
    above: u32,
    below: u32,
    old: u32,
    new: u32,
}

impl Alignment {
    pub(crate) fn of(old: &[&str], new: &[&str]) -> Self {
        let above = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let below = old
            .iter()
            .rev()
            .zip(new.iter().rev())
            .take_while(|(a, b)| a == b)
            .count();
        let count = |number| u32::try_from(number).unwrap_or(u32::MAX);
        Self {
            above: count(above),
            below: count(below),
            old: count(old.len()),
            new: count(new.len()),
        }
    }

    /// All lines are where they were.
    pub(crate) fn is_same(&self) -> bool {
        self.old == self.new && self.above == self.old
    }

    /// Where a mapped line is now. Nothing for what was edited, and for a line that may be either of two: a copy of a
    /// line beside it leaves open which one is the new one.
    pub(crate) fn now(&self, line: u32) -> Option<u32> {
        let now = Self::moved(self.above, self.below, self.old, self.new, line)?;
        let before = Self::moved(self.above, self.below, self.new, self.old, now);
        (before == Some(line)).then_some(now)
    }

    /// Which mapped line a line was.
    pub(crate) fn before(&self, line: u32) -> Option<u32> {
        let before = Self::moved(self.above, self.below, self.new, self.old, line)?;
        (self.now(before) == Some(line)).then_some(before)
    }

    fn moved(above: u32, below: u32, from: u32, to: u32, line: u32) -> Option<u32> {
        if line == 0 || line > from {
            return None;
        }
        let as_above = (line <= above).then_some(line);
        let from_end = from - line;
        let as_below = (from_end < below).then(|| to.checked_sub(from_end)).flatten();
        match (as_above, as_below) {
            (Some(one), Some(other)) => (one == other).then_some(one),
            (one, other) => one.or(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_chooses_the_units() {
        let of = |kinds: &[&str]| {
            let kinds = Vec::from_iter(
                kinds
                    .iter()
                    .map(|kind| PositionEncodingKind::from((*kind).to_owned())),
            );
            Encoding::agreed(Some(&kinds))
        };
        assert_eq!(Encoding::agreed(None), Encoding::Utf16);
        assert_eq!(of(&[]), Encoding::Utf16);
        assert_eq!(of(&["utf-16", "utf-8"]), Encoding::Utf8);
        assert_eq!(of(&["utf-32"]), Encoding::Utf32);
        assert_eq!(of(&["utf-32", "utf-16"]), Encoding::Utf16);
    }

    #[test]
    fn columns_in_all_units() {
        // A tab, two bytes for the letter, four for the clef.
        let text = "\tä𝄞 = f();  ";
        let start = |encoding: Encoding, column| {
            let range = encoding.rest_of_line(text, 3, column);
            assert_eq!((range.start.line, range.end.line), (2, 2));
            (range.start.character, range.end.character)
        };
        assert_eq!(start(Encoding::Utf8, Some(11)), (10, 14));
        assert_eq!(start(Encoding::Utf16, Some(11)), (7, 11));
        assert_eq!(start(Encoding::Utf32, Some(11)), (6, 10));
        // Inside a character, behind the line, none: the first word.
        for column in [None, Some(0), Some(3), Some(99)] {
            assert_eq!(start(Encoding::Utf16, column), (1, 11));
        }
        let blank = Encoding::Utf8.rest_of_line("  ", 1, None);
        assert_eq!((blank.start.character, blank.end.character), (0, 0));
    }

    #[test]
    fn lines_have_no_ends() {
        assert_eq!(lines("\u{feff}a\r\n\nb"), ["a", "", "b"]);
        assert_eq!(lines("a\n"), ["a"]);
        assert!(lines("").is_empty());
        assert!(counts_alike("a\r\nb") && !counts_alike("a\rb\n") && !counts_alike("a\r"));
    }

    #[test]
    fn lines_around_edits_are_known_and_no_other() {
        let now = |old: &str, new: &str| {
            let (old, new) = (lines(old), lines(new));
            let alignment = Alignment::of(&old, &new);
            let now = Vec::from_iter((1..=old.len() as u32).map(|line| alignment.now(line)));
            for (line, now) in (1..).zip(&now) {
                if let Some(now) = now {
                    assert_eq!(alignment.before(*now), Some(line));
                }
            }
            now
        };
        assert_eq!(now("a\nb\nc", "a\nx\nb\nc"), [Some(1), Some(3), Some(4)]);
        assert_eq!(now("a\nb\nc", "a\nx\nc"), [Some(1), None, Some(3)]);
        assert_eq!(now("a\nb\nc", "b\nc"), [None, Some(1), Some(2)]);
        // Which of the two is the old one?
        assert_eq!(now("a\nf\nc", "a\nf\nf\nc"), [Some(1), None, Some(4)]);
        assert_eq!(now("a\nf\nf\nc", "a\nf\nc"), [Some(1), None, None, Some(3)]);
        assert_eq!(now("f", "f\nf"), [None]);
        assert_eq!(now("a\nb", ""), [None, None]);
    }
}
