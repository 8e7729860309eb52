//! Line markers: which line of which file a byte of preprocessed text comes from.

use base::Span;
use std::collections::BTreeSet;
use std::ops::Range;

/// A place in the main file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceRange {
    /// Where it stands; what a macro expands to stands at the invocation.
    pub span: Span,
    /// All of it comes out of one macro invocation.
    pub from_macro: bool,
}

/// Tells where preprocessed text comes from.
pub trait SourceRanges {
    /// The place of these bytes, or `None` when they begin outside the main file.
    fn place(&self, range: Range<usize>) -> Option<SourceRange>;
}

impl<F: Fn(Range<usize>) -> Option<SourceRange>> SourceRanges for F {
    fn place(&self, range: Range<usize>) -> Option<SourceRange> {
        self(range)
    }
}

/// What the line markers tell: lines are those of the source, columns those of the preprocessed text.
#[derive(Debug)]
pub struct Markers {
    /// Per line of the text: where it starts, and the file and line that it comes from.
    lines: Vec<(usize, u32, u32)>,
    files: Vec<String>,
    main: BTreeSet<u32>,
}

impl Markers {
    /// Reads the markers of `text`, whose main file is the first that they name, or the one of this path.
    pub fn new(text: &[u8], path: &str) -> Self {
        let mut markers = Self {
            lines: Vec::new(),
            files: vec![path.to_owned()],
            main: BTreeSet::new(),
        };
        let (mut file, mut line, mut start) = (0, 1_u32, 0);
        let mut named = false;
        for content in text.split_inclusive(|byte| *byte == b'\n') {
            if let Some((number, name)) = marker(content) {
                file = markers.file(name);
                line = number;
                if !named {
                    markers.main.insert(file);
                    named = true;
                }
                // The marker itself belongs to no file; the next line starts behind it.
                markers.lines.push((start, u32::MAX, 0));
            } else {
                markers.lines.push((start, file, line));
                line = line.saturating_add(1);
            }
            start += content.len();
        }
        markers.main.insert(0);
        markers
    }

    fn file(&mut self, name: String) -> u32 {
        let known = self.files.iter().rposition(|file| *file == name);
        let index = known.unwrap_or_else(|| {
            self.files.push(name);
            self.files.len() - 1
        });
        u32::try_from(index).unwrap_or(u32::MAX)
    }

    /// The file and line of an offset.
    pub fn line_of(&self, offset: usize) -> (String, u32) {
        let (_, file, line) = self.at(offset);
        let name = self.files.get(file as usize).or(self.files.first());
        (name.cloned().unwrap_or_default(), line)
    }

    fn at(&self, offset: usize) -> (usize, u32, u32) {
        let index = self.lines.partition_point(|(start, ..)| *start <= offset);
        self.lines
            .get(index.wrapping_sub(1))
            .copied()
            .unwrap_or((0, 0, 1))
    }
}

impl SourceRanges for Markers {
    fn place(&self, range: Range<usize>) -> Option<SourceRange> {
        let (start, file, line) = self.at(range.start);
        if !self.main.contains(&file) {
            return None;
        }
        let (end, end_file, end_line) = self.at(range.end.max(range.start + 1) - 1);
        let column = |offset: usize, start: usize| u32::try_from(offset - start + 1).unwrap_or(u32::MAX);
        let same = file == end_file;
        Some(SourceRange {
            span: Span {
                line,
                column: column(range.start, start),
                end_line: if same { end_line } else { line },
                end_column: if same {
                    column(range.end, end)
                } else {
                    column(range.start, start)
                },
            },
            from_macro: false,
        })
    }
}

/// The line and file of `# 12 "file" flags`.
fn marker(line: &[u8]) -> Option<(u32, String)> {
    let text = std::str::from_utf8(line).ok()?;
    let rest = text.strip_prefix('#')?;
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    let number = rest[..digits].parse().ok()?;
    let name = rest[digits..].trim_start().strip_prefix('"')?;
    let mut path = String::new();
    let mut chars = name.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => return Some((number, path)),
            '\\' => path.extend(chars.next()),
            c => path.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Markers, SourceRanges};

    #[test]
    fn lines_are_those_of_the_source() {
        let text = b"# 1 \"x.c\"\n# 1 \"<built-in>\" 1\nint b;\n# 7 \"x.c\" 2\n  f();\ng();\n";
        let markers = Markers::new(text, "dir/x.c");
        let find = |part: &str| {
            let all = std::str::from_utf8(text).unwrap();
            let start = all.find(part).unwrap();
            markers
                .place(start..start + part.len())
                .map(|place| (place.span.line, place.span.column))
        };
        assert_eq!(find("int b"), None);
        assert_eq!(find("f()"), Some((7, 3)));
        assert_eq!(find("g()"), Some((8, 1)));
        assert_eq!(markers.line_of(30).0, "<built-in>");
    }
}
