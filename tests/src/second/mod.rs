//! Two parsers on the same C: what `frontend` makes of the text as written, and what `exact` makes of what the compiler
//! reads. They share no code, so where they agree on a function's loops, assignments and calls, both are likely right.
//!
//! They differ by right where the text as written has more in it than one build: arms of `#if` that this build left
//! out, and macros that were not expanded because nobody defines them in the tree, or several headers do. Every difference is counted under
//! its cause; one without such a cause is a fault in one of the two.

mod doings;
mod expressions;
mod inputs;
mod items;
mod lovs;
mod objects;
mod plugin;

pub use doings::{doings, has_alternatives};
pub use expressions::program;
pub use inputs::{files_of, installed, random_programs};
pub use items::{Detail, Item, items};
pub use plugin::{Plugin, made_plugin};

use base::{Confidence, Span};
use exact::{Preprocessed, SourceRange};
use frontend::{Macros, MacrosOfFile, Positions, Source};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How two readings of some files compare.
#[derive(Debug, Default)]
pub struct Comparison {
    /// Files that both have read.
    pub files: usize,
    /// Files that the compiler or the exact parser could not read, and why.
    pub left_out: Vec<(PathBuf, String)>,
    /// Functions that both have, by the tolerant reading's confidence.
    pub functions: BTreeMap<Confidence, usize>,
    /// Items that both have.
    pub same: usize,
    /// Items that one of them has, by cause.
    pub explained: BTreeMap<&'static str, usize>,
    /// Loop-order variables of which both promise the same.
    pub lovs: usize,
    /// Those that one of them refuses, by who and why.
    pub refused: BTreeMap<String, usize>,
    /// Differences without a cause, in functions that were understood.
    pub faults: Vec<String>,
    /// What the other reader makes constant: calls of these functions are then none. One that makes anything so also takes `1 < 2 ? a : b` for `a`.
    computed: &'static [&'static str],
}

/// The alternate form names every difference without a cause.
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} files read by both, {} left out",
            self.files,
            self.left_out.len()
        )?;
        for (path, why) in self.left_out.iter().take(10) {
            writeln!(f, "  {}: {why}", path.display())?;
        }
        for (confidence, count) in &self.functions {
            writeln!(f, "{count} functions {confidence:?}")?;
        }
        writeln!(f, "{} loops, assignments and calls the same", self.same)?;
        for (cause, count) in &self.explained {
            writeln!(f, "{count} differ: {cause}")?;
        }
        if self.lovs > 0 {
            writeln!(f, "{} loop-order variables the same", self.lovs)?;
        }
        for (cause, count) in &self.refused {
            writeln!(f, "{count} loop-order variables differ: {cause}")?;
        }
        writeln!(f, "{} differ without a cause", self.faults.len())?;
        let shown = if f.alternate() { usize::MAX } else { 40 };
        for fault in self.faults.iter().take(shown) {
            writeln!(f, "  {fault}")?;
        }
        Ok(())
    }
}

/// Preprocesses a C file with `compiler` and `flags`.
///
/// # Errors
/// The first line of what the compiler says.
pub fn preprocess(compiler: &str, flags: &[String], file: &Path) -> Result<Vec<u8>, String> {
    let output = Command::new(compiler)
        .args(["-E"])
        .args(flags)
        .arg(file)
        .output()
        .map_err(|error| format!("{compiler}: {error}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said
        .lines()
        .find(|line| line.contains("error"))
        .or_else(|| said.lines().next());
    Err(first.unwrap_or("the compiler fails without a message").to_owned())
}

/// Compares the two readings of `files`; `headers` give the tolerant one its macros.
///
/// # Errors
/// When a file cannot be read.
pub fn compare(
    files: &[PathBuf],
    headers: &[PathBuf],
    compiler: &str,
    flags: &[String],
    detail: Detail,
) -> Result<Comparison, String> {
    let read = |path: &PathBuf| std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    let name = |path: &Path| path.to_string_lossy().into_owned();
    let mut parts = Vec::new();
    for path in files.iter().chain(headers) {
        let (path, text) = (name(path), read(path)?);
        parts.push(MacrosOfFile::gather(Source {
            path: &path,
            text: &text,
        }));
    }
    let macros = Macros::merge(parts);
    let mut found = Comparison::default();
    for path in files {
        let raw = read(path)?;
        let text = match preprocess(compiler, flags, path) {
            Ok(text) => text,
            Err(why) => {
                found.left_out.push((path.clone(), why));
                continue;
            }
        };
        let shown = name(path);
        let source = Preprocessed {
            path: &shown,
            raw: &raw,
            text: &text,
        };
        let written = Source {
            path: &shown,
            text: &raw,
        };
        let positions = match Positions::new(&written, &text, &macros) {
            Ok(positions) => positions,
            Err(why) => {
                found.left_out.push((path.clone(), why.to_string()));
                continue;
            }
        };
        let place = |range: Range<usize>| {
            let (span, from_macro) = positions.place(range)?;
            Some(SourceRange { span, from_macro })
        };
        match exact::parse(&source, &place) {
            Ok(exact) => {
                let tolerant = frontend::parse(&written, &macros);
                found.files += 1;
                found.add(&tolerant, &exact, detail);
            }
            Err(why) => found.left_out.push((path.clone(), why.to_string())),
        }
    }
    Ok(found)
}

impl Comparison {
    /// Adds the functions of one file.
    fn add(&mut self, tolerant: &ir::Unit, exact: &ir::Unit, detail: Detail) {
        for theirs in &exact.functions {
            let end = theirs.span.end_line;
            let here = || tolerant.functions.iter().filter(|ours| ours.span.end_line == end);
            let named = here().find(|ours| ours.name == theirs.name);
            let Some(ours) = named.or_else(|| here().next()) else {
                let broken = tolerant.diagnostics.iter().any(|each| each.span.line <= end);
                if broken {
                    self.explain("a function that was reported as lost");
                } else {
                    self.faults
                        .push(format!("{}: {} is missing", exact.path, theirs.name));
                }
                continue;
            };
            if ours.name != theirs.name {
                // `NAME(create)(int n) { … }`: several functions seem to have the macro's name.
                let alike = tolerant.functions.iter().filter(|other| other.name == ours.name);
                if alike.count() < 2 {
                    let named = format!("{}: {} is called {}", exact.path, theirs.name, ours.name);
                    self.faults.push(named);
                    continue;
                }
                self.explain("a function whose name a macro puts together");
            }
            *self.functions.entry(ours.confidence).or_default() += 1;
            self.function(&exact.path, ours, theirs, detail);
        }
    }

    /// Counts a difference under its cause.
    fn explain(&mut self, cause: &'static str) {
        *self.explained.entry(cause).or_default() += 1;
    }

    fn is_computed(&self, item: &Item) -> bool {
        let called = item.what.strip_prefix("a call of ");
        called.is_some_and(|name| self.computed.contains(&name))
    }

    /// Whether an item is in a choice that the other reader makes, as `decided` lists them: it has one arm alone, at the position of the whole.
    fn is_decided(&self, item: &Item, decided: &[Span]) -> bool {
        let holds = |span: &Span| span.contains_position(item.line, item.column);
        !self.computed.is_empty() && decided.iter().any(holds)
    }

    fn function(&mut self, path: &str, ours: &ir::Function, theirs: &ir::Function, detail: Detail) {
        let (mut ours_all, theirs_all) = (items(ours, detail), items(theirs, detail));
        let partial = ours.confidence == Confidence::Partial || theirs.confidence == Confidence::Partial;
        let mut missing = Vec::new();
        for item in theirs_all.items {
            if ours_all.take(&item) {
                self.same += 1
            } else {
                missing.push(item)
            }
        }
        if ours.language == ir::Language::Cxx {
            for cause in objects::take(&mut missing, &mut ours_all.items) {
                self.explain(cause);
            }
        }
        // What a macro call hides stands on its line: loops, assignments and calls of other names.
        let macro_lines = std::mem::take(&mut ours_all.macro_lines);
        let hidden = |item: &Item| macro_lines.contains(&item.line);
        let decided = std::mem::take(&mut ours_all.decided);
        const DECIDED: &str = "a choice of constants that the compiler has made";
        for item in missing {
            if partial {
                self.explain("the function is only partly understood, and says so");
            } else if hidden(&item) {
                self.explain("a macro that was not expanded");
            } else if self.is_decided(&item, &decided) {
                self.explain(DECIDED);
            } else {
                self.faults.push(format!(
                    "{path}:{}:{}: {} is missing in {}",
                    item.line, item.column, item.what, ours.name
                ));
            }
        }
        for item in ours_all.items {
            if partial {
                self.explain("the function is only partly understood, and says so");
            } else if hidden(&item) {
                self.explain("a macro that was not expanded");
            } else if self.is_computed(&item) {
                self.explain("a call that the compiler has computed");
            } else if self.is_decided(&item, &decided) {
                self.explain(DECIDED);
            } else if item.optional {
                self.explain("an arm of #if that this build leaves out");
            } else {
                self.faults.push(format!(
                    "{path}:{}:{}: {} is only here, in {}",
                    item.line, item.column, item.what, ours.name
                ));
            }
        }
    }
}
