//! Many small programs compiled as one, and run.
//!
//! A compiler needs a tenth of a second to begin and a millisecond for a small program; a judge of slices has thousands
//! of them. So they are written one after the other into one text: whatever a program declares at its outermost level
//! gets a prefix, its macros are undefined at its end, and a harness calls one `main` after the other, each in
//! a process of its own.

use super::names::FileNames;
use super::neutralise::{Language, parse};
use super::suite::SourceText;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// By itself.
    Exit,
    /// It was ended: a fault, or too much time or output. What in words.
    Killed(String),
    /// Nothing is known of it.
    #[default]
    Missing,
}

/// What a run showed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// `file:line` and the value, in the order in which they were observed.
    pub values: Vec<(String, i64)>,
    /// How it ended.
    pub end: End,
}

impl Run {
    /// The values that were observed at one place.
    #[must_use]
    pub fn at(&self, place: &str) -> Vec<i64> {
        let here = self.values.iter().filter(|(at, _)| at == place);
        here.map(|(_, value)| *value).collect()
    }
}

/// What became of a program: its runs, one for each input, or what the compiler said.
pub type Outcome = Result<Vec<Run>, String>;

/// How programs are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// Undefined behaviour ends the run.
    Sanitised,
    /// Locals that nobody sets hold a pattern.
    Poisoned,
}

/// Compiles programs and runs each on so many `inputs`, in the directory `scratch`.
///
/// # Errors
/// gcc is missing, or a fault of the harness.
pub fn run(
    programs: &[Vec<SourceText>],
    build: Build,
    inputs: usize,
    scratch: &Path,
) -> Result<Vec<Outcome>, String> {
    let mut outcomes: Vec<Outcome> = vec![Ok(Vec::new()); programs.len()];
    for language in [Language::C, Language::Cxx] {
        let chosen = (0..programs.len()).filter(|&at| language_of(&programs[at]) == language);
        run_some(
            programs,
            (language, chosen.collect()),
            build,
            inputs,
            scratch,
            &mut outcomes,
        )?;
    }
    Ok(outcomes)
}

/// C++, if one file is.
fn language_of(files: &[SourceText]) -> Language {
    if files.iter().any(|file| Language::of(&file.name) == Language::Cxx) {
        Language::Cxx
    } else {
        Language::C
    }
}

/// Runs those programs that are written in one language.
fn run_some(
    programs: &[Vec<SourceText>],
    (language, mut left): (Language, BTreeSet<usize>),
    build: Build,
    inputs: usize,
    scratch: &Path,
    outcomes: &mut [Outcome],
) -> Result<(), String> {
    // What does not compile is taken out, and the rest tried again.
    while !left.is_empty() {
        let chosen: Vec<usize> = left.iter().copied().collect();
        let text = match language {
            Language::C => unite(&chosen, programs)?,
            Language::Cxx => unite_cxx(&chosen, programs),
        };
        let complaints = compile(&text, language, build, scratch)?;
        if complaints.is_empty() {
            for (at, runs) in execute(chosen.len(), inputs, scratch)?.into_iter().enumerate() {
                outcomes[chosen[at]] = Ok(runs);
            }
            break;
        }
        for (at, complaint) in complaints {
            left.remove(&at);
            outcomes[at] = Err(complaint);
        }
    }
    Ok(())
}

/// What every batch starts with.
const DECLARATIONS: &str = "void observe_at(const char *, int, long); int input(int);\n\
                            #define observe(value) observe_at(__FILE__, __LINE__, value)\n";

/// The text of all chosen programs of C++, each in a namespace of its own, and of the harness.
fn unite_cxx(chosen: &[usize], programs: &[Vec<SourceText>]) -> String {
    let mut headers = BTreeSet::from(["#include <cstring>", "#include <type_traits>"].map(str::to_owned));
    let mut body = String::new();
    let mut table = String::from("static int (*const variants[])(void) = {\n");
    for &at in chosen {
        let _ = writeln!(body, "namespace v{at} {{");
        for file in programs[at].iter().filter(|file| file.name.ends_with(".cpp")) {
            let _ = writeln!(body, "#line 1 \"{at}/{}\"", file.name);
            for text in file.text.lines() {
                match text.strip_prefix("#include ") {
                    Some(included) => {
                        headers.extend(included.starts_with('<').then(|| text.to_owned()));
                        body.push('\n');
                    }
                    None => {
                        body.push_str(text);
                        body.push('\n');
                    }
                }
            }
        }
        let _ = writeln!(body, "}}");
        let _ = writeln!(table, "v{at}::main,");
    }
    let headers = Vec::from_iter(headers).join("\n");
    format!(
        "{headers}\n{DECLARATIONS}{}{body}#line 1 \"harness/run.c\"\n{table}}};\n{}",
        include_str!("harness/raw.hpp"),
        include_str!("harness/run.c")
    )
}

/// The text of all chosen programs and of the harness.
fn unite(chosen: &[usize], programs: &[Vec<SourceText>]) -> Result<String, String> {
    let mut headers = BTreeSet::new();
    let mut body = String::new();
    let mut table = String::from("static int (*const variants[])(void) = {\n");
    for &at in chosen {
        let prefix = format!("v{at}_");
        one(&programs[at], at, &prefix, &mut headers, &mut body)?;
        let _ = writeln!(table, "{prefix}main,");
    }
    let headers = Vec::from_iter(headers).join("\n");
    Ok(format!(
        "{headers}\n{DECLARATIONS}{body}#line 1 \"harness/run.c\"\n{table}}};\n{}",
        include_str!("harness/run.c")
    ))
}

/// Writes one program under names of its own.
fn one(
    files: &[SourceText],
    at: usize,
    prefix: &str,
    headers: &mut BTreeSet<String>,
    body: &mut String,
) -> Result<(), String> {
    let mut renamed = BTreeMap::new();
    let mut macros = BTreeSet::new();
    let mut of_file = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let tree = parse(&file.text, Language::C)?;
        let names = FileNames::of(tree.root_node(), &file.text);
        macros.extend(names.macros);
        for name in names.declared {
            let new = format!("{prefix}{name}");
            renamed.insert(name, new);
        }
        let header = file.name.ends_with(".h");
        let hidden = names.hidden.into_iter().filter(|_| !header);
        of_file.push(BTreeMap::from_iter(hidden.map(|name| {
            let new = format!("{prefix}{index}_{name}");
            (name, new)
        })));
    }
    for (file, own) in files.iter().zip(&of_file) {
        if file.name.ends_with(".c") {
            let rename = |text: &str| {
                replace_names(text, |name| {
                    own.get(name).or_else(|| renamed.get(name)).map(String::as_str)
                })
            };
            write_file(file, files, at, &rename, headers, body);
        }
    }
    for name in macros {
        let _ = writeln!(body, "#undef {name}");
    }
    Ok(())
}

fn write_file(
    file: &SourceText,
    files: &[SourceText],
    at: usize,
    rename: &dyn Fn(&str) -> String,
    headers: &mut BTreeSet<String>,
    body: &mut String,
) {
    let _ = writeln!(body, "#line 1 \"{at}/{}\"", file.name);
    // Line by line would lose comments over several lines: names are replaced in the whole text first.
    for (line, text) in (1..).zip(rename(&file.text).lines()) {
        if let Some(included) = text.strip_prefix("#include ") {
            if included.starts_with('<') {
                headers.insert(text.to_owned());
            } else if let Some(other) = files.iter().find(|other| included.contains(&other.name)) {
                write_file(other, files, at, rename, headers, body);
                let _ = writeln!(body, "#line {line} \"{at}/{}\"", file.name);
            }
            body.push('\n');
        } else {
            body.push_str(text);
            body.push('\n');
        }
    }
}

/// Replaces names outside strings, characters and comments.
fn replace_names<'n>(text: &str, new: impl Fn(&str) -> Option<&'n str>) -> String {
    let bytes = text.as_bytes();
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    while at < bytes.len() {
        let from = at;
        let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        match bytes[at] {
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote {
                    at += 1 + usize::from(bytes[at] == b'\\');
                }
                at = (at + 1).min(bytes.len());
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = text[at + 2..]
                    .find("*/")
                    .map_or(text.len(), |end| at + 2 + end + 2);
            }
            b if is_name(b) => {
                while at < bytes.len() && is_name(bytes[at]) {
                    at += 1;
                }
            }
            _ => {
                at += 1;
                while at < bytes.len() && !text.is_char_boundary(at) {
                    at += 1;
                }
            }
        }
        let piece = &text[from..at];
        result.push_str(new(piece).unwrap_or(piece));
    }
    result
}

/// Compiles; the complaints, by program, when gcc refuses.
fn compile(
    text: &str,
    language: Language,
    build: Build,
    scratch: &Path,
) -> Result<BTreeMap<usize, String>, String> {
    let (compiler, standard, name) = match language {
        Language::C => ("gcc", "-std=gnu11", "batch.c"),
        Language::Cxx => ("g++", "-std=gnu++17", "batch.cpp"),
    };
    let source = scratch.join(name);
    std::fs::write(&source, text).map_err(|e| format!("{}: {e}", source.display()))?;
    let flags: &[&str] = match build {
        Build::Sanitised => &[
            "-fsanitize=address,undefined",
            "-fno-sanitize-recover=all",
            "-DTIME_LIMIT=3000000",
        ],
        Build::Poisoned => &["-ftrivial-auto-var-init=pattern"],
    };
    let output = Command::new(compiler)
        .args([standard, "-O0", "-w", "-fmax-errors=0"])
        .args(flags)
        .arg(&source)
        .arg("-o")
        .arg(scratch.join("batch"))
        .output()
        .map_err(|e| format!("{compiler}: {e}"))?;
    let mut complaints = BTreeMap::new();
    if output.status.success() {
        return Ok(complaints);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    for line in said.lines().filter(|line| line.contains("error:")) {
        if let Some((at, what)) = line.split_once('/')
            && let Ok(at) = at.parse::<usize>()
        {
            complaints.entry(at).or_insert_with(|| what.to_owned());
        }
    }
    if complaints.is_empty() {
        return Err(format!("{compiler} refuses {}:\n{said}", source.display()));
    }
    Ok(complaints)
}

/// Runs the batch.
fn execute(count: usize, inputs: usize, scratch: &Path) -> Result<Vec<Vec<Run>>, String> {
    let output = Command::new(scratch.join("batch"))
        .arg(inputs.to_string())
        .env(
            "ASAN_OPTIONS",
            "exitcode=99:detect_leaks=0:allocator_may_return_null=1",
        )
        .env("UBSAN_OPTIONS", "exitcode=99")
        .stderr(Stdio::null())
        .output()
        .map_err(|e| format!("the batch does not start: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut runs = vec![vec![Run::default(); inputs]; count];
    let mut here = (0, 0);
    for line in text.lines() {
        if let Some(header) = line.strip_prefix("= ") {
            let mut numbers = header.split(' ').map_while(|word| word.parse::<usize>().ok());
            here = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(1) - 1);
            continue;
        }
        let Some(run) = runs.get_mut(here.0).and_then(|runs| runs.get_mut(here.1)) else {
            return Err(format!("the batch says '{line}'"));
        };
        if let Some(end) = line.strip_prefix("! ") {
            run.end = match end {
                "exit" => End::Exit,
                other => End::Killed(other.to_owned()),
            };
        } else if let Some((place, value)) = line.split_once('=')
            && let Ok(value) = value.parse()
        {
            run.values.push((place.to_owned(), value));
        }
    }
    if !output.status.success() {
        return Err(format!("the batch ended early: {}", output.status));
    }
    Ok(runs)
}
