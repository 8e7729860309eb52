//! Preprocessor output to the lines of one file: `# 12 "file.c" 2` says where the next line comes from.

use super::Mismatch;
use crate::renumbered::{Marker, marker};
use crate::token::{Token, TokenKind, lex};

/// The tokens that the preprocessor left of one line.
#[derive(Debug)]
pub struct Line {
    /// The line in the file, from 1.
    pub number: u32,
    /// Its tokens, as ranges of the output. Those of a macro invocation over several lines are on its first.
    pub tokens: Vec<Token>,
    /// Text of another file stands before it, inside braces.
    pub foreign: bool,
}

/// The lines that come from the file whose name stands in the first marker, in order. `last` is that file's last line.
pub fn own_lines(output: &[u8], last: u32) -> Result<Vec<Line>, Mismatch> {
    let mut found: Vec<Line> = Vec::new();
    let mut main: Option<&[u8]> = None;
    let mut in_main = false;
    let mut number: i64 = 0;
    // Up to where newlines have been counted.
    let mut counted = 0;
    let mut braces: i64 = 0;
    let mut foreign = false;
    for token in lex(output) {
        number += newlines(output, counted, token.start as usize);
        counted = token.start as usize;
        let text = token.text(output);
        if token.kind == TokenKind::Directive {
            if let Some(Marker {
                line: Some(line),
                file: Some(name),
            }) = marker(text)
            {
                let main = *main.get_or_insert(name);
                in_main = name == main;
                // The newline behind the marker comes first.
                number = line - 1;
                counted = token.end as usize;
            }
            continue;
        }
        if main.is_none() {
            return Err(Mismatch::NoMarkers);
        }
        if !in_main {
            foreign |= braces > 0;
            continue;
        }
        match text {
            b"{" => braces += 1,
            b"}" => braces -= 1,
            _ => {}
        }
        let line = u32::try_from(number)
            .ok()
            .filter(|line| (1..=last).contains(line));
        let line = line.ok_or(Mismatch::OtherText)?;
        match found.last_mut() {
            Some(open) if open.number == line && !foreign => open.tokens.push(token),
            Some(open) if open.number >= line => return Err(Mismatch::OtherText),
            _ => found.push(Line {
                number: line,
                tokens: vec![token],
                foreign: std::mem::take(&mut foreign),
            }),
        }
    }
    if main.is_none() {
        return Err(Mismatch::NoMarkers);
    }
    Ok(found)
}

fn newlines(output: &[u8], from: usize, to: usize) -> i64 {
    let gap = output.get(from..to).unwrap_or_default();
    gap.iter().filter(|byte| **byte == b'\n').count() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(output: &str) -> Result<Vec<(u32, String, bool)>, Mismatch> {
        let lines = own_lines(output.as_bytes(), 100)?;
        let text = |line: &Line| {
            let words = line.tokens.iter().map(|t| t.text(output.as_bytes()));
            words
                .map(|w| String::from_utf8_lossy(w).into_owned())
                .collect::<Vec<_>>()
                .join(" ")
        };
        Ok(lines.iter().map(|l| (l.number, text(l), l.foreign)).collect())
    }

    #[test]
    fn markers_inside_expressions_and_other_files() {
        let output = "# 0 \"a.c\"\n# 0 \"<built-in>\"\n# 1 \"a.c\"\n# 1 \"/usr/b.h\" 1 3 4\nint b;\n# 2 \"a.c\" 2\nint f(void) {\n\
                      \n  return p == \n# 4 \"a.c\" 3 4\n            ((void *)0)\n# 4 \"a.c\"\n ;\n}\n";
        let expect = [
            (2, "int f ( void ) {", false),
            (4, "return p == ( ( void * ) 0 ) ;", false),
            (5, "}", false),
        ];
        assert_eq!(
            shown(output).unwrap(),
            expect.map(|(n, t, f)| (n, t.to_owned(), f))
        );
        let inside = "# 1 \"a.c\"\n{\n# 1 \"x.inc\" 1\nf();\n# 3 \"a.c\" 2\n}\n";
        assert!(shown(inside).unwrap()[1].2);
    }

    #[test]
    fn markers_to_nowhere() {
        assert_eq!(shown("int x;\n"), Err(Mismatch::NoMarkers));
        assert_eq!(shown(""), Err(Mismatch::NoMarkers));
        assert_eq!(
            shown("# 1 \"a.c\"\nx\n# 99999999999999999999999 \"a.c\"\ny"),
            Err(Mismatch::OtherText)
        );
        assert_eq!(shown("# 9 \"a.c\"\nx\n# 3 \"a.c\"\ny"), Err(Mismatch::OtherText));
        assert_eq!(shown("# 101 \"a.c\"\nx"), Err(Mismatch::OtherText));
        assert_eq!(shown("# 0 \"a.c\"\nx"), Err(Mismatch::OtherText));
        assert_eq!(shown("# 1 \"a.c\"\n# 5 \"\nx").unwrap().len(), 1);
    }
}
