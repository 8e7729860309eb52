//! Counters for loops without a strict order variable: planned, tried, and kept where they help.

use crate::{SourceFile, map_sources};
use counters::{Change, Counter, Left, NoPlace, Plan, Wanted};
use progress_map::{Across, FileId, LovClass, Map};

/// The loops that get a counter and those that do not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// The change, for `patch -p1`; empty when there is nothing to change.
    pub patch: Vec<u8>,
    /// The loops that get one: path, line, name of the counter.
    pub added: Vec<(String, u32, String)>,
    /// The loops that want one and get none: path, line, reason.
    pub left: Vec<(String, u32, NoPlace)>,
}

/// Which loops get a counter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CounterRequest {
    /// Also loops that call nothing.
    pub without_calls: bool,
    /// Only the innermost loops around these lines of these files; all loops when empty.
    pub lines: Vec<(FileId, u32)>,
    /// Where the patch will be applied: paths below this directory are named from there.
    pub root: String,
}

/// Makes the smallest change of `files` that gives the loops of `map`, which was made of them, a strict variable each.
///
/// Every counter is tried: the changed files are mapped again, and a counter that is not strict and the same on every
/// task there is taken back.
pub fn counters(map: &Map, files: &[SourceFile], request: &CounterRequest) -> Counters {
    let wanted = Wanted {
        without_calls: request.without_calls,
        lines: request.lines.clone(),
    };
    let path = |file: FileId| map.files[file].path.as_str();
    let text = |file: FileId| {
        let found = files.iter().find(|each| each.path == path(file));
        found.map(|each| each.bytes.as_slice())
    };
    let Plan {
        counters: planned,
        mut left,
    } = counters::plan(map, text, &wanted);
    let changed = |counters: &[Counter]| -> Vec<SourceFile> {
        let change = |file: &SourceFile| SourceFile {
            path: file.path.clone(),
            bytes: counters::apply(
                &file.bytes,
                counters.iter().filter(|each| path(each.file) == file.path),
            ),
        };
        files.iter().map(change).collect()
    };
    let tried = map_sources(changed(&planned), &|_| {});
    let (kept, lost): (Vec<Counter>, Vec<Counter>) = planned
        .into_iter()
        .partition(|counter| helps(&tried, path(counter.file), &counter.name));
    left.extend(lost.into_iter().map(|counter| Left {
        file: counter.file,
        line: counter.line,
        why: NoPlace::WouldNotOrder,
    }));
    left.sort_by_key(|each| (each.file, each.line));
    let after = changed(&kept);
    let changes: Vec<Change<'_>> = files
        .iter()
        .zip(&after)
        .map(|(old, new)| Change {
            path: relative(&old.path, &request.root),
            old: &old.bytes,
            new: &new.bytes,
        })
        .collect();
    Counters {
        patch: counters::unified(&changes),
        added: kept
            .into_iter()
            .map(|each| (path(each.file).to_owned(), each.line, each.name))
            .collect(),
        left: left
            .into_iter()
            .map(|each| (path(each.file).to_owned(), each.line, each.why))
            .collect(),
    }
}

/// A path as a patch names it: never an absolute one.
fn relative<'p>(path: &'p str, root: &str) -> &'p str {
    let below = match path.strip_prefix(root) {
        Some(rest) if rest.starts_with('/') => rest,
        _ => path,
    };
    below.trim_start_matches('/')
}

/// Whether some loop of the file is ordered by the counter, on all tasks.
fn helps(map: &Map, path: &str, name: &str) -> bool {
    let in_file = |function: &&progress_map::Function| map.files[function.file].path == path;
    let loops = map.functions.iter().filter(in_file).flat_map(|each| &each.loops);
    loops
        .flat_map(|each| &each.lovs)
        .any(|lov| lov.name == name && lov.class == LovClass::Strict && lov.across == Across::SameSequence)
}

#[cfg(test)]
mod tests {
    use super::{CounterRequest, counters};
    use crate::{SourceFile, map_sources};

    /// The lines that change and the reasons for loops that are left, of all loops in a function with this body.
    fn changed(body: &str) -> String {
        let text = format!(
            "int more(void *); struct n {{ struct n *next; }};\nvoid f(struct n *p, struct n *q) {{\n{body}\n}}\n"
        );
        let files = vec![SourceFile {
            path: "/src/a.c".to_owned(),
            bytes: text.into_bytes(),
        }];
        let map = map_sources(files.clone(), &|_| {});
        let request = CounterRequest {
            without_calls: true,
            root: "/src".to_owned(),
            ..CounterRequest::default()
        };
        let found = counters(&map, &files, &request);
        let patch = String::from_utf8(found.patch).unwrap();
        let mut out: Vec<String> = patch
            .lines()
            .filter(|line| line.starts_with('+') && !line.starts_with("+++"))
            .map(|line| line[1..].replace("volatile unsigned long ", "volatile "))
            .collect();
        out.extend(
            found
                .left
                .iter()
                .map(|(_, line, reason)| format!("{line}: {reason}")),
        );
        out.join("\n")
    }

    #[test]
    fn every_kind_of_loop() {
        let cases = [
            (
                "while (more(p)) p = p->next;",
                "{ volatile hindmost_3 = 0; while (++hindmost_3, more(p)) p = p->next; }",
            ),
            (
                "do if (p) more(p); else more(q); while (more(p));",
                "{ volatile hindmost_3 = 0; do if (p) more(p); else more(q); while (++hindmost_3, more(p)); }",
            ),
            (
                "for (;;) more(p);",
                "{ volatile hindmost_3 = 0; for (;; ++hindmost_3) more(p); }",
            ),
            (
                "for (; p; p = p->next /* on */) { if (more(p)) continue; more(q); }",
                "{ volatile hindmost_3 = 0; for (; p; ++hindmost_3, p = p->next /* on */) { if (more(p)) continue; more(q); } }",
            ),
            (
                "more(q); again: more(p); if (more(q)) goto again;",
                "more(q); volatile hindmost_3 = 0; again: ++hindmost_3; more(p); if (more(q)) goto again;",
            ),
            (
                "if (p) while (more(p)) ; else while (more(q)) ;",
                "if (p) { volatile hindmost_3 = 0; while (++hindmost_3, more(p)) ; } \
                 else { volatile hindmost_3_2 = 0; while (++hindmost_3_2, more(q)) ; }",
            ),
            (
                "switch (more(p)) { case 1: while (more(p)) more(\"};\"); default: ; }",
                "switch (more(p)) { case 1: { volatile hindmost_3 = 0; while (++hindmost_3, more(p)) more(\"};\"); } default: ; }",
            ),
            (
                "while (more(p)) while (more(q)) ;",
                "{ volatile hindmost_3 = 0; while (++hindmost_3, more(p)) { volatile hindmost_3_2 = 0; \
                 while (++hindmost_3_2, more(q)) ; } }",
            ),
            ("for (int i = 0; i < 9; i++) more(p);", ""),
        ];
        for (body, expected) in cases {
            assert_eq!(changed(body), expected, "{body}");
        }
    }

    #[test]
    fn what_is_left_alone() {
        let cases = [
            (
                "#define LOOP(x) while (more(x))\nLOOP(p) p = p->next;",
                "4: it comes out of a macro",
            ),
            (
                "#pragma omp parallel for\nfor (; p; p = p->next) more(p);",
                "4: a pragma or a macro stands in front of it",
            ),
            (
                "#ifdef A\nwhile (more(p)) {\n#else\nwhile (more(q)) {\n#endif\nmore(p);\n}",
                "",
            ),
            (
                "if (p) again: if (more(p)) goto again;",
                "3: there is no place for a declaration in front of its label",
            ),
            (
                "if (more(p)) goto in; while (more(q)) { in: more(p); }",
                "3: it is entered at several points",
            ),
        ];
        for (body, expected) in cases {
            let found = changed(body);
            match expected {
                "" => assert!(!found.contains("hindmost_"), "{body}\n{found}"),
                _ => assert_eq!(found, expected, "{body}"),
            }
        }
    }
}
