//! The hand-written programs of `tests/slices`, one idea each, and their criteria.
//!
//! A `.c` or `.cpp` file is a program; in `tests/slices/files` every directory is one. Wherever a program calls `observe`, it
//! asks one question of the slicer: which lines decide that this line runs, and what it prints?

use std::fs;
use std::path::{Path, PathBuf};

/// One file of a program.
#[derive(Clone, Debug)]
pub struct SourceText {
    /// Its name, without directories.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// A program with the lines that are asked about.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its path below `tests/slices`, without an ending.
    pub name: String,
    /// Its files, headers included, in the order of their names.
    pub files: Vec<SourceText>,
}

/// A line with a call of `observe`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Criterion {
    /// The file's name.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

/// Where the programs are.
#[must_use]
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("slices")
}

/// All programs, in the order of their names.
///
/// # Panics
/// When the directory cannot be read.
#[must_use]
pub fn programs() -> Vec<Program> {
    let root = directory();
    let mut programs = Vec::new();
    // The programs of several ranks have tests of their own.
    let jobs = ["mpi", "hung", "seeded"].map(|name| root.join(name));
    let topics = entries(&root).into_iter();
    for topic in topics.filter(|path| path.is_dir() && !jobs.contains(path)) {
        for path in entries(&topic) {
            let below = path.strip_prefix(&root).unwrap_or(&path);
            let name = below.with_extension("").to_string_lossy().into_owned();
            let files = if path.is_dir() {
                entries(&path).iter().map(|file| read(file)).collect()
            } else {
                vec![read(&path)]
            };
            programs.push(Program { name, files });
        }
    }
    programs
}

/// The program that a file is.
///
/// # Panics
/// When it cannot be read.
#[must_use]
pub fn program(path: &Path) -> Program {
    let file = read(path);
    Program {
        name: file.name.clone(),
        files: vec![file],
    }
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap_or_else(|e| panic!("{}: {e}", directory.display()));
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap_or_else(|e| panic!("{}: {e}", directory.display())))
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    paths
}

fn read(path: &Path) -> SourceText {
    SourceText {
        name: path
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
        text: fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display())),
    }
}

impl Program {
    /// The lines with a call of `observe`.
    #[must_use]
    pub fn criteria(&self) -> Vec<Criterion> {
        let mut criteria = Vec::new();
        for file in &self.files {
            for (line, text) in (1..).zip(file.text.lines()) {
                if text.contains("observe(") {
                    criteria.push(Criterion {
                        file: file.name.clone(),
                        line,
                    });
                }
            }
        }
        criteria
    }

    /// How many lines hold code.
    #[must_use]
    pub fn code_lines(&self) -> usize {
        let lines = self.files.iter().flat_map(|file| file.text.lines());
        lines.filter(|line| is_code(line)).count()
    }
}

/// Whether a line holds code: no blank, brace, comment or directive.
#[must_use]
pub fn is_code(line: &str) -> bool {
    let line = line.trim();
    !line.chars().all(|c| "{};".contains(c)) && !line.starts_with("/*") && !line.starts_with('#')
}
