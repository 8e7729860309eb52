//! What one command of a compiler makes, and the fragments that go into it: what was read of its sources.
//!
//! The command has been run, as it is, before any of this. So whatever is not understood here costs the fragment and nothing else.

use crate::cache::units::Units;
use crate::collect::{Sources, normalise};
use crate::compile_commands::{CompileCommand, CompileCommands};
use crate::compiler_command::{Trust, takes_a_word};
use crate::failure::Failure;
use crate::files;
use crate::listener::Listener;
use crate::preprocess::Preprocessor;
use base::FileKind;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How long the preprocessor may take for one file.
const LIMIT: Duration = Duration::from_secs(60);
/// How far the clock of a file system may be behind.
const CLOCK: Duration = Duration::from_secs(2);
/// Files of options may name further ones, so deep.
const DEEPEST: u32 = 8;

/// A file that a command has written, and the commands for each source that is in it.
#[derive(Debug, PartialEq, Eq)]
pub struct Compilation {
    /// An object file, or a program if the command links as well.
    pub output: PathBuf,
    /// One for each source of C and C++.
    pub commands: Vec<CompileCommand>,
}

/// What `words`, a compiler and its options, have written in `directory`. Nothing where no source of C or C++ is compiled to machine code of a file.
pub fn compilations(words: &[String], directory: &Path) -> Vec<Compilation> {
    let words = with_files_of_options(words, directory, DEEPEST);
    let Some(read) = Options::read(&words) else {
        return Vec::new();
    };
    let command = |source: usize| CompileCommand {
        file: normalise(&directory.join(&words[source])),
        directory: directory.to_owned(),
        arguments: (0..words.len())
            .filter(|word| *word == source || !read.sources.contains(word))
            .map(|word| words[word].clone())
            .collect(),
        output: None,
    };
    let absolute = |path: &Path| normalise(&directory.join(path));
    match (read.only_compiles, read.output) {
        (true, Some(output)) => {
            let commands = read.sources.iter().map(|&source| command(source)).collect();
            vec![Compilation {
                output: absolute(Path::new(output)),
                commands,
            }]
        }
        (true, None) => {
            let object = |&source: &usize| {
                let name = Path::new(Path::new(&words[source]).file_name()?).with_extension("o");
                Some(Compilation {
                    output: absolute(&name),
                    commands: vec![command(source)],
                })
            };
            read.sources.iter().filter_map(object).collect()
        }
        (false, output) => vec![Compilation {
            output: absolute(Path::new(output.unwrap_or("a.out"))),
            commands: read.sources.iter().map(|&source| command(source)).collect(),
        }],
    }
}

/// What the options of a compiler say that matters here.
struct Options<'a> {
    /// `-c`: it does not link.
    only_compiles: bool,
    output: Option<&'a str>,
    /// The places of its sources among the words.
    sources: Vec<usize>,
}

impl<'a> Options<'a> {
    /// Nothing where no machine code is made of a source, or none that could carry a fragment.
    fn read(words: &'a [String]) -> Option<Self> {
        let mut found = Options {
            only_compiles: false,
            output: None,
            sources: Vec::new(),
        };
        // What `-x` says of the files behind it.
        let mut language: Option<&str> = None;
        let mut at = 1;
        while let Some(word) = words.get(at) {
            let value = words.get(at + 1).map(String::as_str);
            match word.as_str() {
                "-"
                | "-E"
                | "-S"
                | "-M"
                | "-MM"
                | "-fsyntax-only"
                | "-emit-llvm"
                | "-###"
                | "--version"
                | "--help"
                | "--precompile"
                | "--preprocess"
                | "--assemble"
                | "--dependencies"
                | "--user-dependencies" => return None,
                "--compile" => found.only_compiles = true,
                "-c" => found.only_compiles = true,
                "-o" | "--output" => found.output = value,
                "-x" => language = value,
                // Linkers look only at what is in the compiler's own form then.
                _ if word.starts_with("-flto") => return None,
                _ if word.starts_with("-dump") || word.starts_with("-print-") => return None,
                _ if word.starts_with("--output=") => {
                    found.output = word.split_once('=').map(|(_, name)| name)
                }
                _ if word.starts_with("-o") => found.output = Some(&word[2..]),
                _ if word.starts_with("-x") => language = Some(&word[2..]),
                _ if !word.starts_with('-') && is_source(word, language) => found.sources.push(at),
                _ => {}
            }
            at += if takes_a_word(word) { 2 } else { 1 };
        }
        let makes_a_file = !found.sources.is_empty() && found.output != Some("-");
        makes_a_file.then_some(found)
    }
}

/// Whether a word names a source of C or C++; the kind of the file is told by its name.
fn is_source(word: &str, language: Option<&str>) -> bool {
    let by_name = FileKind::of(word);
    by_name.is_some_and(FileKind::is_compiled_once) && matches!(language, None | Some("none" | "c" | "c++"))
}

/// The words with those of the files in their place that `@file` names.
fn with_files_of_options(words: &[String], directory: &Path, deepest: u32) -> Vec<String> {
    let of_file = |word: &String| {
        let path = directory.join(word.strip_prefix('@').filter(|_| deepest > 0)?);
        let words = shlex::split(&files::read_text(&path).ok()?)?;
        Some(with_files_of_options(&words, directory, deepest - 1))
    };
    let expanded = words
        .iter()
        .map(|word| of_file(word).unwrap_or_else(|| vec![word.clone()]));
    expanded.flatten().collect()
}

/// Adds to what a command that began at `since` has written the fragments of its sources and their headers.
///
/// # Errors
/// When that cannot be; the file is then as the compiler has left it.
pub fn add_fragments(
    compilation: &Compilation,
    since: SystemTime,
    listener: &dyn Listener,
) -> Result<(), Failure> {
    // A configure script may have it written to `/dev/null`; and what another command has written is none of ours, if this one was misunderstood.
    let written = std::fs::metadata(&compilation.output)
        .ok()
        .filter(std::fs::Metadata::is_file);
    let written = written.and_then(|metadata| metadata.modified().ok());
    if written.is_none_or(|written| written + CLOCK < since) {
        return Ok(());
    }
    let file = files::read(&compilation.output)?;
    let failed = |error| Failure::new(format!("{}: {error}", compilation.output.display()));
    let present = embed::section(&file, embed::UNITS).map_err(failed)?;
    let mut fragments: BTreeSet<Vec<u8>> = present
        .map(embed::fragment::pieces)
        .into_iter()
        .flatten()
        .collect();
    fragments.extend(read(compilation, listener));
    let content = Vec::from_iter(fragments).concat();
    let with =
        embed::with_section(&file, embed::UNITS, &content, embed::Kind::MergedStrings).map_err(failed)?;
    files::write_like(&compilation.output, &with, &compilation.output)
}

/// The fragments of the sources of a command.
fn read(compilation: &Compilation, listener: &dyn Listener) -> Vec<Vec<u8>> {
    let commands = CompileCommands::of(compilation.commands.clone());
    let mut sources = Sources::default();
    sources.add_commands(&commands);
    sources.add_headers();
    sources.warnings.iter().for_each(|warning| listener.warn(warning));
    // These very commands have been run just now.
    let preprocessor = Preprocessor::new(&commands.commands, LIMIT, Trust::Build);
    let kept = Units::open(listener);
    let reuse = kept.as_ref().map(Units::reuse);
    let units = engine::units_of_compilation(sources.files, &|path| preprocessor.outputs(path), reuse);
    preprocessor
        .warnings()
        .iter()
        .for_each(|warning| listener.warn(warning));
    if let Some(kept) = kept {
        kept.make_room();
    }
    units
        .iter()
        .map(|unit| embed::fragment::write(engine::FRAGMENT_LAYOUT, unit))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a command writes, and which sources are in it.
    fn check(command: &str, expected: &[(&str, &[&str])]) {
        let words = shlex::split(command).unwrap();
        let found = compilations(&words, Path::new("/d"));
        let files = |each: &Compilation| {
            let sources = each
                .commands
                .iter()
                .map(|command| command.file.display().to_string());
            (each.output.display().to_string(), Vec::from_iter(sources))
        };
        let expected = expected.iter().map(|(output, sources)| {
            let sources = sources.iter().map(|source| format!("/d/{source}"));
            (format!("/d/{output}"), Vec::from_iter(sources))
        });
        assert_eq!(
            Vec::from_iter(found.iter().map(files)),
            Vec::from_iter(expected),
            "{command}"
        );
    }

    #[test]
    fn outputs_and_sources_of_commands() {
        check("cc -c a.c", &[("a.o", &["a.c"])]);
        check("cc -O2 -c s/a.c -o b/x.o", &[("b/x.o", &["s/a.c"])]);
        check("cc -c s/a.c b.cc", &[("a.o", &["s/a.c"]), ("b.o", &["b.cc"])]);
        check("cc a.c b.c c.o -lm", &[("a.out", &["a.c", "b.c"])]);
        check("cc a.c -oapp", &[("app", &["a.c"])]);
        check("cc --compile a.c --output=x.o", &[("x.o", &["a.c"])]);
        check("cc --compile a.c --output x.o", &[("x.o", &["a.c"])]);
        check("ccache gcc -MD -MF a.d -MT a.o -c a.c", &[("a.o", &["a.c"])]);
        check("cc -D x.c -I y.c -include z.c -c a.c", &[("a.o", &["a.c"])]);
        check("clang -Xclang b.c -c a.c", &[("a.o", &["a.c"])]);
        check("cc -c -x c++ a.c -x none b.f90", &[("a.o", &["a.c"])]);
    }

    #[test]
    fn commands_that_make_no_object_of_a_source() {
        for command in [
            "cc",
            "cc --version",
            "cc a.o -o app",
            "cc -E a.c",
            "cc -S a.c",
            "cc -M a.c",
            "cc -fsyntax-only a.c",
            "cc -c -",
            "cc -c a.c -o -",
            "cc -flto -c a.c",
            "cc -flto=auto -c a.c",
            "clang -emit-llvm -c a.c",
            "cc -c a.f90 b.s",
            "cc -c a.h",
            "cc -x fortran -c a.c",
            "cc -print-file-name=x.c a.c",
        ] {
            check(command, &[]);
        }
    }

    #[test]
    fn a_source_is_preprocessed_without_the_others() {
        let words = shlex::split("cc -DX -c a.c b.c").unwrap();
        let found = compilations(&words, Path::new("/d"));
        assert_eq!(found[1].commands[0].arguments, ["cc", "-DX", "-c", "b.c"]);
    }
}
