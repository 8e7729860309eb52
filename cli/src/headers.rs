//! The headers of the program that a source file includes.
//!
//! Macros and inline functions of the program matter for a map; the system's do not. So a quoted include is looked
//! for beside the including file and in the build's own include directories, `<…>` in the latter only, and what is
//! not found there is left alone.

use crate::collect::normalise;
use engine::SourceFile;
use std::path::{Path, PathBuf};

/// The files that `file` includes, as far as they exist, in the order of the lines.
pub(crate) fn included_by(file: &SourceFile, include_dirs: &[PathBuf]) -> Vec<PathBuf> {
    let beside = Path::new(&file.path).parent().unwrap_or(Path::new(""));
    includes(&file.bytes)
        .filter_map(|(name, quoted)| {
            let own = quoted.then(|| beside.to_owned());
            // Debug info may name `include/lib/private` and not `include`, for `<lib/private/part.h>`.
            let parent = Path::new(&name).parent().unwrap_or(Path::new(""));
            let outer = include_dirs.iter().filter_map(|directory| {
                let depth = parent.components().count();
                let outer = directory.ancestors().nth(depth).filter(|_| depth > 0)?;
                directory.ends_with(parent).then(|| outer.to_owned())
            });
            own.into_iter()
                .chain(include_dirs.iter().cloned())
                .chain(outer)
                .map(|directory| normalise(&directory.join(&name)))
                .find(|path| path.is_file())
        })
        .collect()
}

/// The names in `#include` lines, and whether they are quoted. An include under `#if 0` counts too: one header too many does little
/// harm. One in a comment does not: comments tell users of another language what to include, and macros of that one are no macros here.
fn includes(text: &[u8]) -> impl Iterator<Item = (String, bool)> {
    let mut in_comment = false;
    text.split(|&byte| byte == b'\n').filter_map(move |line| {
        let is_code = !in_comment;
        in_comment = ends_in_comment(line, in_comment);
        let directive = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
        let rest = directive.strip_prefix(b"include")?.trim_ascii_start();
        let (end, quoted) = match rest.first()? {
            b'"' => (b'"', true),
            b'<' => (b'>', false),
            _ => return None,
        };
        let name = rest[1..].split(|&byte| byte == end).next()?;
        (is_code && name.len() + 1 < rest.len() && !name.is_empty())
            .then(|| (String::from_utf8_lossy(name).into_owned(), quoted))
    })
}

/// Whether a block comment is open where a line ends, if one is where it begins.
fn ends_in_comment(line: &[u8], mut in_comment: bool) -> bool {
    if !line.contains(&b'*') {
        return in_comment;
    }
    // The quote that ends a literal.
    let mut literal = None;
    let mut at = 0;
    while let Some(&byte) = line.get(at) {
        let next = line.get(at + 1);
        at += match (byte, next) {
            (b'*', Some(b'/')) if in_comment => {
                in_comment = false;
                2
            }
            _ if in_comment => 1,
            (b'\\', _) => 2,
            (quote, _) if literal == Some(quote) => {
                literal = None;
                1
            }
            _ if literal.is_some() => 1,
            (b'"' | b'\'', _) => {
                literal = Some(byte);
                1
            }
            (b'/', Some(b'/')) => return false,
            (b'/', Some(b'*')) => {
                in_comment = true;
                2
            }
            _ => 1,
        };
    }
    in_comment
}

#[cfg(test)]
mod tests {
    use super::includes;

    #[test]
    fn both_forms_of_include() {
        let text =
            b"#include \"a.h\"\n  # include <b/c.h> // x\n#include MACRO\n#include \"open\nint include;\n";
        let found: Vec<(String, bool)> = includes(text).collect();
        assert_eq!(found, [("a.h".to_owned(), true), ("b/c.h".to_owned(), false)]);
    }

    #[test]
    fn not_those_in_comments() {
        let text = b"/* For Fortran:\n#include <f/a.h>\n*/ int x; // /*\n#include \"b.h\"\nchar *s = \"\\\"/*\", c = '\"';\n\
            #include \"c.h\" /* why:\n#include \"d.h\" */\nint *p; /* a */ /* b\n#include \"e.h\"\n* */\n#include \"f.h\"\n";
        let found: Vec<String> = includes(text).map(|(name, _)| name).collect();
        assert_eq!(found, ["b.h", "c.h", "f.h"]);
    }
}
