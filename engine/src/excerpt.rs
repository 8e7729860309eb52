//! Source lines around a position, requested by the engine and filled in by whoever can read files.

/// A stretch of source to show with an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The file as the map spells it.
    pub path: String,
    /// The file as short messages spell it.
    pub short_path: String,
    /// What the map's file hashed to.
    pub hash: [u8; 32],
    /// The line of interest.
    pub line: u32,
    /// Lines with their numbers; empty until filled.
    pub lines: Vec<(u32, String)>,
}

/// Whether a source file is still the one that was mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceState {
    /// Same bytes.
    Same,
    /// Changed since the map was made: its lines may mean something else.
    Changed,
}

/// How many lines are shown on either side of the line of interest.
const CONTEXT: u32 = 3;

impl Excerpt {
    /// Takes the lines around the position from the file's bytes, unless they are no longer the mapped ones.
    pub fn fill(&mut self, bytes: &[u8]) -> SourceState {
        if content_hash(bytes) != self.hash {
            return SourceState::Changed;
        }
        let first = self.line.saturating_sub(CONTEXT).max(1);
        let last = self.line.saturating_add(CONTEXT);
        // The text may be in any encoding that shares ASCII; only the excerpt is converted.
        self.lines = (1..)
            .zip(bytes.split(|&byte| byte == b'\n'))
            .skip_while(|&(number, _)| number < first)
            .take_while(|&(number, _)| number <= last)
            .map(|(number, line)| (number, String::from_utf8_lossy(line).trim_end().to_owned()))
            .collect();
        SourceState::Same
    }
}

/// The hash by which a map knows a source file.
pub fn content_hash(bytes: &[u8]) -> [u8; 32] {
    *blake3::hash(bytes).as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_around_the_position_of_the_mapped_text_only() {
        let text = b"one\r\ntwo\nthree\nfour\nfive\nsix";
        let mut excerpt = Excerpt {
            path: "a.c".to_owned(),
            short_path: "a.c".to_owned(),
            hash: content_hash(text),
            line: 2,
            lines: Vec::new(),
        };
        assert_eq!(excerpt.fill(b"other"), SourceState::Changed);
        assert!(excerpt.lines.is_empty());
        assert_eq!(excerpt.fill(text), SourceState::Same);
        let numbers: Vec<u32> = excerpt.lines.iter().map(|&(number, _)| number).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 5]);
        assert_eq!(excerpt.lines[0].1, "one");
    }
}
