//! Programs of C++ that change an object and look at it: every way to name the object, by every way to change it, by every
//! way to read it.
//!
//! A slicer that does not see through one of these ways leaves out the statement that made the value, in silence. The
//! ways stand in three tables (`matrix/*.txt`); a program is one row of each. There are thousands of combinations, so
//! [`programs`] takes a share of them in which every pair of a name and a change comes up once before any pair comes twice.
//!
//! A table holds entries that begin with `== title`. A line of one that begins with `@` goes to file scope, the rest into
//! `main`. In the names, `CHANGE` stands for the statements that change the object, `object` for how they are to name it and
//! `first` for how it is read afterwards. In the changes `$` is the object, in the reads `%`.

use super::suite::{Program, SourceText};

const PRELUDE: &str = include_str!("matrix/prelude.txt");
const NAMES: &str = include_str!("matrix/names.txt");
const CHANGES: &str = include_str!("matrix/changes.txt");
const READS: &str = include_str!("matrix/reads.txt");

/// An entry of a table.
pub(super) struct Way {
    pub(super) title: &'static str,
    pub(super) outside: Vec<&'static str>,
    pub(super) inside: Vec<&'static str>,
}

impl Way {
    /// The value of a line `key: value`.
    pub(super) fn given(&self, key: &str) -> Option<&'static str> {
        let mut lines = self.inside.iter();
        lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
    }
}

pub(super) fn table(text: &'static str) -> Vec<Way> {
    let entries = text.split("== ").skip(1);
    let way = |entry: &'static str| {
        let mut lines = entry.lines().filter(|line| !line.trim().is_empty());
        let title = lines.next().unwrap_or_default();
        let (outside, inside) = lines.partition(|line| line.starts_with('@'));
        let mut way = Way {
            title,
            outside,
            inside,
        };
        way.outside.iter_mut().for_each(|line| *line = &line[1..]);
        way
    };
    entries.map(way).collect()
}

/// The programs of a share of the matrix: one of `parts`, by its number.
#[must_use]
pub fn programs(part: usize, parts: usize) -> Vec<Program> {
    let (names, changes, reads) = (table(NAMES), table(CHANGES), table(READS));
    let mut found = Vec::new();
    for (row, name) in names.iter().enumerate() {
        for (column, change) in changes.iter().enumerate() {
            // Neighbours differ in all three, so a share of the matrix has everything in it.
            let number = row + column * 7;
            if number % parts == part {
                found.push(program(name, change, &reads[(row * 5 + column) % reads.len()]));
            }
        }
    }
    found
}

fn program(name: &Way, change: &Way, read: &Way) -> Program {
    let object = name.given("object").unwrap_or("a");
    let first = name.given("first").unwrap_or(object);
    let changed = Vec::from_iter(change.inside.iter().map(|line| line.replace('$', object)));
    let mut text = PRELUDE.to_owned();
    let mut add = |line: &str, indent: usize| {
        match line.trim_start().strip_suffix("CHANGE") {
            // The place of the change: its lines, one below the other.
            Some(_) => changed.iter().for_each(|line| {
                text.push_str(&format!("{:indent$}{line}\n", "", indent = indent + 4));
            }),
            None => text.push_str(&format!("{:indent$}{line}\n", "")),
        }
    };
    for line in change.outside.iter().chain(&read.outside).chain(&name.outside) {
        add(line, 0);
    }
    add("int main()", 0);
    add("{", 0);
    for line in [
        "int k = input(0);",
        "int unused = input(1);",
        "A z;",
        "z.inc(unused);",
    ] {
        add(line, 4);
    }
    let is_key = |line: &&&str| line.starts_with("object: ") || line.starts_with("first: ");
    for line in name.inside.iter().filter(|line| !is_key(line)) {
        add(line, 4);
    }
    add("z.inc(3);", 4);
    for line in &read.inside {
        add(&line.replace('%', first), 4);
    }
    add("return 0;", 4);
    add("}", 0);
    Program {
        name: format!("{} / {} / {}", name.title, change.title, read.title),
        files: vec![SourceText {
            name: "matrix.cpp".to_owned(),
            text,
        }],
    }
}
