//! Slices: as a compiler would show them, one line each for an editor's list, and as JSON.

mod chains;
mod steps;

pub(crate) use steps::{Step, steps};

use crate::clean;
use codespan_reporting::diagnostic::{Diagnostic, Label};
use codespan_reporting::files::SimpleFiles;
use codespan_reporting::term;
use engine::{Dependence, Role, Slice, Statement};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

/// A file whose lines are shown.
struct ShownFile {
    id: usize,
    /// Where each line stands in the text, without its end.
    lines: Vec<Range<usize>>,
}

/// The slice as annotated source. `read` gives a file's text; what it cannot give is shown by its line number. `title`
/// says what the slice is of, `steps` the classes that it goes through.
pub(crate) fn slice_text(
    slice: &Slice,
    steps: &[Step<'_>],
    title: &str,
    read: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> String {
    let mut files = SimpleFiles::new();
    let mut known: BTreeMap<&str, Option<ShownFile>> = BTreeMap::new();
    let mut labels = Vec::new();
    let mut unread = Vec::new();
    let mut texts = Vec::new();
    for (number, statement) in slice.statements.iter().enumerate() {
        let file = known.entry(&statement.file).or_insert_with(|| {
            let text = String::from_utf8_lossy(&read(&statement.file)?).into_owned();
            let text: String = text.lines().map(|line| clean_line(line) + "\n").collect();
            let mut start = 0;
            let lines = text.split_inclusive('\n').map(|line| {
                let range = start..start + line.trim_end().len();
                start += line.len();
                range
            });
            let lines = lines.collect();
            let id = files.add(clean(&statement.file).into_owned(), text);
            Some(ShownFile { id, lines })
        });
        let message = format!("{}: {}", number + 1, sentence(slice, statement));
        let line = file.as_ref().and_then(|file| {
            let line = file.lines.get(statement.line.checked_sub(1)? as usize)?;
            Some((file.id, line.clone()))
        });
        texts.push(line.as_ref().and_then(|(id, range)| {
            let file = files.get(*id).ok()?;
            file.source().get(range.clone()).map(str::to_owned)
        }));
        match line {
            Some((id, range)) => {
                let start = range.start + statement.column.saturating_sub(1) as usize;
                let start = if start < range.end { start } else { range.start };
                let label = match number {
                    0 => Label::primary(id, start..range.end),
                    _ => Label::secondary(id, start..range.end),
                };
                labels.push(label.with_message(message));
            }
            None => unread.push(format!(
                "{}:{}: {message}",
                clean(&statement.file),
                statement.line
            )),
        }
    }
    let ways = chains::chains(slice, &texts);
    let mut notes: Vec<String> = unread;
    notes.push(format!("ways back, nearest first:\n{}", ways.join("\n")));
    notes.extend(steps::way(steps).map(|way| clean_lines(&way)));
    notes.extend(doubts(slice));
    let diagnostic: Diagnostic<usize> = Diagnostic::help()
        .with_message(clean(title).into_owned())
        .with_labels(labels)
        .with_notes(notes);
    let config = term::Config::default();
    term::emit_into_string(&config, &files, &diagnostic).unwrap_or_else(|_| slice_lines(slice))
}

/// The slice as compilers print notes: `file:line:column: note: …`, for an editor's list.
pub fn slice_lines(slice: &Slice) -> String {
    let mut text = String::new();
    for statement in &slice.statements {
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{}:{}:{}: note: {} [{}]",
            clean(&statement.file),
            statement.line,
            statement.column,
            sentence_of_places(slice, statement),
            statement.distance
        );
    }
    text
}

/// A line without control characters, but for tabs.
fn clean_line(line: &str) -> String {
    let parts: Vec<_> = line.split('\t').map(clean).collect();
    parts.join("\t")
}

fn clean_lines(text: &str) -> String {
    Vec::from_iter(text.lines().map(clean_line)).join("\n")
}

pub(crate) fn doubts(slice: &Slice) -> Vec<String> {
    let in_part = slice.in_part.iter();
    let in_part = in_part.map(|(function, reason)| {
        format!(
            "{} was understood in part only ({}): more of it may belong here",
            clean(function),
            clean(reason)
        )
    });
    let more = slice
        .has_more
        .then(|| match slice.as_near {
            0 => "these are the nearest statements; --all shows the whole slice".to_owned(),
            more => {
                format!("these are the nearest statements, and {more} more are as near as the last; --all shows the whole slice")
            }
        });
    in_part.chain(more).collect()
}

/// Why a statement is in the slice, in words. Other statements go by their number, from 1.
pub(crate) fn sentence(slice: &Slice, statement: &Statement) -> String {
    statement_text(slice, statement, &|of| (of + 1).to_string())
}

/// The same where numbers stand nowhere: other statements go by their file and line.
pub fn sentence_of_places(slice: &Slice, statement: &Statement) -> String {
    statement_text(slice, statement, &|of| place(&slice.statements[of]))
}

/// The last part of the file's name, and the line.
fn place(statement: &Statement) -> String {
    let name = base::last_component(&statement.file);
    format!("{}:{}", clean(name), statement.line)
}

/// Why a statement is in the slice, in words. Another one that it is about is named by `other`, which is given its index.
pub(crate) fn statement_text(
    slice: &Slice,
    statement: &Statement,
    other: &dyn Fn(usize) -> String,
) -> String {
    let because = &statement.because;
    let other = match because.of.filter(|&of| of < slice.statements.len()) {
        Some(of) => other(of),
        None => "the criterion".to_owned(),
    };
    let name = because.name.as_deref().map(clean);
    let what = match because.kind {
        Dependence::Criterion => "here".to_owned(),
        Dependence::Parts => "parts these tasks from others".to_owned(),
        Dependence::UnderWay => "is in this call".to_owned(),
        Dependence::Decides => format!("decides whether {other} is reached"),
        Dependence::Sets => {
            let role = because.role.map(|role| format!(" as its {}", meaning(role)));
            let role = role.unwrap_or_default();
            match name {
                Some(name) => format!("may set {name}, which {other} reads{role}"),
                None => format!("may set what {other} reads{role}"),
            }
        }
        Dependence::Computes => format!("computes a part of {other}"),
        Dependence::Calls => format!("calls the function of {other}"),
        Dependence::Hands => format!("hands over a value that {other} uses"),
        Dependence::Returns => format!("returns the value that {other} uses"),
        Dependence::Jumps => format!("may jump past code that {other} leads to"),
        Dependence::Ends => format!("may end the program before {other}"),
        Dependence::Sends => format!("may send what {other} waits for"),
        Dependence::Takes => format!("may take a message that {other} would get"),
        Dependence::Epoch => format!("may begin or end the epoch of {other}"),
    };
    let what = if statement.elsewhere {
        format!("{what} (in another task)")
    } else {
        what
    };
    // Only a slice of several classes has to tell them apart.
    let first = slice.statements.first().and_then(|first| first.class);
    match statement.class.filter(|_| statement.class != first) {
        Some(class) => format!("{what} (class {})", class + 1),
        None => what,
    }
}

/// What an argument is to a function of MPI, in words.
fn meaning(role: Role) -> &'static str {
    match role {
        Role::Count => "count",
        Role::Destination => "destination",
        Role::Source => "source",
        Role::Root => "root",
        Role::SendTag | Role::ReceiveTag => "tag",
        Role::Communicator => "communicator",
        Role::Request => "request",
    }
}

pub(crate) fn kind(kind: Dependence) -> &'static str {
    match kind {
        Dependence::Criterion => "criterion",
        Dependence::Parts => "parts",
        Dependence::UnderWay => "under-way",
        Dependence::Decides => "decides",
        Dependence::Sets => "sets",
        Dependence::Computes => "computes",
        Dependence::Calls => "calls",
        Dependence::Hands => "hands",
        Dependence::Returns => "returns",
        Dependence::Jumps => "jumps",
        Dependence::Ends => "ends",
        Dependence::Sends => "sends",
        Dependence::Takes => "takes",
        Dependence::Epoch => "epoch",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Because;

    fn statement(
        line: u32,
        column: u32,
        kind: Dependence,
        name: Option<&str>,
        of: Option<usize>,
    ) -> Statement {
        Statement {
            file: "a.c".to_owned(),
            line,
            column,
            end_line: line,
            function: "main".to_owned(),
            distance: line,
            elsewhere: kind == Dependence::Sends,
            class: None,
            because: Because {
                kind,
                name: name.map(str::to_owned),
                of,
                role: None,
            },
        }
    }

    fn slice() -> Slice {
        Slice {
            statements: vec![
                statement(3, 2, Dependence::Criterion, None, None),
                statement(1, 1, Dependence::Sets, Some("n\u{1b}[31m"), Some(0)),
                statement(2, 1, Dependence::Sends, None, Some(0)),
                statement(9, 1, Dependence::Decides, None, Some(7)),
            ],
            in_part: vec![("f".to_owned(), "a syntax error".to_owned())],
            has_more: true,
            as_near: 2,
        }
    }

    #[test]
    fn source_is_shown_as_it_is_but_for_what_drives_a_terminal() {
        let text = b"int n = 1;\nsend(n);\n\treturn n\x1b[2J;\n".to_vec();
        let shown = slice_text(&slice(), &[], "why", &|path| {
            (path == "a.c").then(|| text.clone())
        });
        assert!(!shown.contains('\u{1b}') && !shown.contains("\\t"), "{shown}");
        for part in [
            "help: why",
            "1: here",
            "2: may set n",
            "3: may send what 1 waits for (in another task)",
            "a.c:9: 4: decides whether the criterion is reached",
            "ways back, nearest first:",
            "send(n); a.c:2",
            "f was understood in part only (a syntax error)",
            "2 more are as near as the last; --all",
        ] {
            assert!(shown.contains(part), "no '{part}' in\n{shown}");
        }
    }

    #[test]
    fn ways_that_begin_alike_tell_the_beginning_once() {
        let needs = |line, of| statement(line, 1, Dependence::Sets, None, Some(of));
        let slice = Slice {
            statements: vec![
                statement(5, 1, Dependence::Criterion, None, None),
                needs(4, 0),
                needs(2, 1),
                needs(3, 1),
                needs(1, 0),
            ],
            ..slice()
        };
        let text = b"tag = f();\nbase = 7;\nshift = 2;\nrank = base << shift;\nMPI_Recv(rank, tag);\n";
        let shown = slice_text(&slice, &[], "why", &|_| Some(text.to_vec()));
        let ways = shown.split("nearest first:\n").nth(1).unwrap_or_default();
        let ways = Vec::from_iter(ways.lines().take(3).map(|line| line.trim_matches([' ', '='])));
        assert_eq!(
            ways,
            [
                "MPI_Recv(rank, tag); a.c:5 <- rank = base << shift; a.c:4 <- base = 7; a.c:2",
                "… a.c:4 <- shift = 2; a.c:3",
                "a.c:5 <- tag = f(); a.c:1",
            ],
            "{shown}"
        );
    }

    #[test]
    fn without_source_there_are_places() {
        let shown = slice_text(&slice(), &[], "why", &|_| None);
        assert!(shown.contains("a.c:3: 1: here"), "{shown}");
        let lines = slice_lines(&slice());
        assert!(lines.starts_with("a.c:3:2: note: here [3]\n"), "{lines}");
        assert!(lines.contains("which a.c:3 reads"), "{lines}");
        let mut tagged = slice();
        tagged.statements[1].because.role = Some(Role::ReceiveTag);
        let shown = slice_text(&tagged, &[], "why", &|_| None);
        for part in ["which 1 reads as its tag", "a.c:3 (its tag) <- a.c:1"] {
            assert!(shown.contains(part), "no '{part}' in\n{shown}");
        }
        let json: serde_json::Value =
            serde_json::from_str(&crate::json::slice_json(&slice(), &[])).expect("JSON");
        assert_eq!(json["complete"], false);
        assert_eq!(json["statements"][1]["of"], 0);
    }
}
