//! Text whose lines the compiler numbers otherwise than they stand in their file: what follows a `#line`, as generators of parsers and preprocessors of
//! other languages write it.
//!
//! Debug info has the lines that the directive says. A function whose lines are not those of its file must be `Partial`: a frame in it may have the line of
//! another statement.

use crate::prepare::{Note, Raw};
use crate::token::TokenKind;
use base::{Cause, Confidence, Doubt};

/// A note for each range of a file whose lines have other numbers, or belong to another file. `path` is the file's own, of which directives name the last part
/// at least.
pub fn notes(path: &str, raw: Raw) -> Vec<Note> {
    let end = raw.text.len() as u32;
    let note = |range, line| Note {
        raw: range,
        confidence: Confidence::Partial,
        doubt: Doubt::at(Cause::Renumbered, line),
    };
    let mut notes = Vec::new();
    // Where text of another file begins, and on which line.
    let mut foreign: Option<(u32, u32)> = None;
    for token in raw.tokens {
        let directive = match token.kind {
            TokenKind::Directive => marker(token.text(raw.text)),
            _ => None,
        };
        let Some(marker) = directive else {
            continue;
        };
        if let Some((start, line)) = foreign.take() {
            notes.push(note(start..token.end, line));
        }
        let line = raw.lines.line(token.start);
        let next = i64::from(raw.lines.line(token.end)) + 1;
        let is_own = marker
            .file
            .is_none_or(|name| last_part(name) == last_part(path.as_bytes()));
        if !is_own {
            foreign = Some((token.start, line));
        } else if marker.line != Some(next) {
            // Other functions of the file have the numbers that this one gets.
            return vec![note(0..end, line)];
        }
    }
    if let Some((start, line)) = foreign {
        notes.push(note(start..end, line));
    }
    notes
}

/// What `# 12 "file.c" 1 3` and `#line 12 "file.c"` say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marker<'a> {
    /// The number of the next line; `None` if a macro says it. One too large for any file is a line that no file has.
    pub line: Option<i64>,
    /// The name of the file as it is written, without its quotes; `None` if there is none.
    pub file: Option<&'a [u8]>,
}

/// The marker that a directive is, if it is one.
pub fn marker(directive: &[u8]) -> Option<Marker<'_>> {
    let rest = directive.strip_prefix(b"#")?.trim_ascii_start();
    let named = rest
        .strip_prefix(b"line")
        .filter(|rest| rest.first().is_some_and(u8::is_ascii_whitespace));
    let rest = named.unwrap_or(rest).trim_ascii_start();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return named.map(|_| Marker {
            line: None,
            file: None,
        });
    }
    let number = std::str::from_utf8(&rest[..digits]).ok()?;
    let name = rest[digits..].trim_ascii_start();
    let close = name.iter().rposition(|byte| *byte == b'"').filter(|at| *at > 0);
    Some(Marker {
        line: Some(number.parse().unwrap_or(i64::MAX / 2)),
        file: close.and_then(|close| name[..close].strip_prefix(b"\"")),
    })
}

fn last_part(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Macros, Source, parse};

    /// The functions of a file that nothing may rest on.
    fn in_part(path: &str, text: &str) -> Vec<String> {
        let source = Source {
            path,
            text: text.as_bytes(),
        };
        let macros = Macros::gather([source]);
        let unit = parse(&source, &macros);
        let functions = unit.functions.into_iter();
        let partial = functions.filter(|function| function.confidence == Confidence::Partial);
        partial.map(|function| function.name).collect()
    }

    #[test]
    fn functions_of_other_lines_are_in_part() {
        let text = "void a(void) { }\n#line 12 \"gram.y\"\nvoid b(void) { }\n#line 5 \"dir/y.tab.c\"\nvoid c(void) { }\n\
                    void d(void) {\n#line 3 \"gram.y\"\n a();\n#line 10 \"y.tab.c\"\n a(); }\nvoid e(void) { }\n";
        assert_eq!(in_part("src/y.tab.c", text), ["b", "d"]);
        // Of a file that was given another name, all that follows the first directive.
        assert_eq!(in_part("src/gram.c", text), ["b", "c", "d", "e"]);
    }

    #[test]
    fn numbers_that_other_lines_of_the_file_have_spoil_all_of_it() {
        for directive in ["#line 1", "# 2 \"a.c\"", "#line 4", "#line HERE"] {
            let text = format!("void a(void) {{ }}\n{directive}\nvoid b(void) {{ }}\n");
            assert_eq!(in_part("a.c", &text), ["a", "b"], "{directive}");
        }
        assert_eq!(
            in_part("a.c", "void a(void) { }\n#line 3\nvoid b(void) { }\n"),
            [""; 0]
        );
    }

    #[test]
    fn markers_are_read() {
        let read = |text: &'static str| marker(text.as_bytes()).map(|marker| (marker.line, marker.file));
        assert_eq!(read("# 12 \"a b.c\" 1 3"), Some((Some(12), Some(&b"a b.c"[..]))));
        assert_eq!(read("#  line 7"), Some((Some(7), None)));
        assert_eq!(read("#line N"), Some((None, None)));
        assert_eq!(read("#linear"), None);
        assert_eq!(read("#define line 4"), None);
    }
}
