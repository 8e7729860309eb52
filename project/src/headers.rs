//! The headers of the program that a source file includes.
//!
//! Macros and inline functions of the program matter for a map; the system's do not. So a quoted include is looked
//! for beside the including file and in the build's own include directories, `<…>` in the latter only, and what is
//! not found there is left alone.

use crate::collect::normalise;
use regular_files::Reader;
use std::path::{Path, PathBuf};

/// The files that a `text` includes which was read at `place`, as far as they exist for `reader`, in the order of the lines.
pub(crate) fn included_by(
    text: &[u8],
    place: &Path,
    include_dirs: &[PathBuf],
    reader: &Reader,
) -> Vec<PathBuf> {
    let beside = place.parent().unwrap_or(Path::new(""));
    includes(text)
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
                .find(|path| reader.is_file(path))
        })
        .collect()
}

/// The names in `#include` lines, and whether they are quoted. An include under `#if 0` counts too: one header too many does little
/// harm. One in a comment does not: comments tell users of another language what to include, and macros of that one are no macros here.
fn includes(text: &[u8]) -> impl Iterator<Item = (String, bool)> {
    let mut found: Vec<(usize, String, bool)> = Vec::new();
    let mut start = 0;
    // The last of what may open or close a comment opens one; and whether that was so of some include.
    let (mut may_be_open, mut in_doubt) = (false, false);
    for line in text.split(|&byte| byte == b'\n') {
        if let Some((sign, name, quoted)) = include(line) {
            in_doubt |= may_be_open;
            found.push((start + sign, name, quoted));
        }
        if line.contains(&b'*') {
            for two in line.windows(2) {
                match two {
                    b"/*" => may_be_open = true,
                    b"*/" => may_be_open = false,
                    _ => {}
                }
            }
        }
        start += line.len() + 1;
    }
    // Reading a text by its tokens is dear, and few need it.
    if in_doubt && let Some(directives) = engine::directives(text) {
        found.retain(|(start, ..)| directives.contains(start));
    }
    found.into_iter().map(|(_, name, quoted)| (name, quoted))
}

/// Where in a line the sign of an `#include` stands, the name in it, and whether it is quoted.
fn include(line: &[u8]) -> Option<(usize, String, bool)> {
    let directive = line.trim_ascii_start();
    let sign = line.len() - directive.len();
    let rest = directive.strip_prefix(b"#")?.trim_ascii_start();
    let rest = rest.strip_prefix(b"include")?.trim_ascii_start();
    let (end, quoted) = match rest.first()? {
        b'"' => (b'"', true),
        b'<' => (b'>', false),
        _ => return None,
    };
    let name = rest[1..].split(|&byte| byte == end).next()?;
    (name.len() + 1 < rest.len() && !name.is_empty())
        .then(|| (sign, String::from_utf8_lossy(name).into_owned(), quoted))
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
        let text: &[&str] = &[
            "/* For Fortran:",
            "#include <f/a.h>",
            "*/ int x; // /*",
            "#include \"b.h\"",
            "const char *request = \"GET / HTTP/1.0\\r\\n\\",
            "Accept: */*\";",
            "#include \"c.h\" /* why:",
            "#include \"d.h\" */",
            "int *p = /* a */ 0; /* b",
            "#include \"e.h\"",
            "* /",
            "#include \"g.h\"",
            "**/",
            "  # include \"f.h\"",
        ];
        let found: Vec<String> = includes(text.join("\n").as_bytes())
            .map(|(name, _)| name)
            .collect();
        assert_eq!(found, ["b.h", "c.h", "f.h"]);
    }
}
