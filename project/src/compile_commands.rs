//! `compile_commands.json`, as CMake, Meson and Bear write it: which files a build compiles, with which commands, and
//! where it looks for headers.

use crate::collect::normalise;
use crate::failure::Failure;
use crate::files;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What a map needs of a build's commands.
#[derive(Debug, Default)]
pub struct CompileCommands {
    /// Compiled files, absolute, each once, in the order of the file.
    pub files: Vec<PathBuf>,
    /// `-I` and `-iquote` directories, absolute, each once, in order.
    pub include_dirs: Vec<PathBuf>,
    /// The commands, in the order of the file. A file that is compiled twice has two.
    pub commands: Vec<CompileCommand>,
}

/// How one file is compiled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CompileCommand {
    /// The file, absolute.
    pub file: PathBuf,
    /// Where the command runs.
    pub directory: PathBuf,
    /// The compiler and its arguments; empty when the entry names none that a shell could read.
    pub arguments: Vec<String>,
    /// What it writes, if the entry says so: two commands for one file differ in it.
    pub output: Option<PathBuf>,
}

/// One entry, as the format defines it; other fields do not matter here.
#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
    output: Option<PathBuf>,
}

/// Reads the commands at `path`, a file or the directory that holds it.
pub fn read(path: &Path) -> Result<CompileCommands, Failure> {
    let file = if path.is_dir() {
        path.join("compile_commands.json")
    } else {
        path.to_owned()
    };
    if !file.exists() {
        return Err(Failure::new(format!("{} does not exist", file.display()))
            .hint("CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; for make, use `bear -- make`"));
    }
    let bytes = files::read(&file)?;
    let absolute =
        std::path::absolute(&file).map_err(|error| Failure::new(format!("{}: {error}", file.display())))?;
    let base = absolute.parent().unwrap_or(Path::new("/"));
    parse(&bytes, base).map_err(|error| {
        Failure::new(format!("{}: not a compilation database: {error}", file.display()))
            .hint("it is a JSON array of objects with directory, file, and command or arguments")
    })
}

/// The commands in the text of a database that lies in the directory `base`.
///
/// # Errors
/// When it is none.
pub fn parse(text: &[u8], base: &Path) -> Result<CompileCommands, serde_json::Error> {
    Ok(collect(serde_json::from_slice(text)?, base))
}

impl CompileCommands {
    /// Those of single commands.
    pub(crate) fn of(all: Vec<CompileCommand>) -> Self {
        let mut commands = CompileCommands::default();
        let (mut seen_files, mut seen_dirs) = (BTreeSet::new(), BTreeSet::new());
        for command in all {
            if seen_files.insert(command.file.clone()) {
                commands.files.push(command.file.clone());
            }
            for include in include_dirs(&command.arguments) {
                let path = normalise(&command.directory.join(include));
                if seen_dirs.insert(path.clone()) {
                    commands.include_dirs.push(path);
                }
            }
            commands.commands.push(command);
        }
        commands
    }
}

fn collect(entries: Vec<Entry>, base: &Path) -> CompileCommands {
    let commands = entries.into_iter().map(|entry| {
        let directory = base.join(&entry.directory);
        CompileCommand {
            file: normalise(&directory.join(&entry.file)),
            output: entry.output.map(|output| normalise(&directory.join(output))),
            arguments: match (entry.arguments, entry.command) {
                (Some(words), _) => words,
                // A command that a shell could not read either names no directories.
                (None, Some(command)) => shlex::split(&command).unwrap_or_default(),
                (None, None) => Vec::new(),
            },
            directory,
        }
    });
    CompileCommands::of(commands.collect())
}

fn include_dirs(words: &[String]) -> Vec<&str> {
    let mut found = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        for option in ["-I", "-iquote"] {
            match word.strip_prefix(option) {
                Some("") => found.extend(words.next().map(String::as_str)),
                Some(directory) => found.push(directory),
                None => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Entry, collect, include_dirs};
    use std::path::Path;

    #[test]
    fn include_directories_in_both_spellings() {
        let words = [
            "cc", "-Iinc", "-I", "../x", "-iquote", "q", "-isystem", "/usr", "-c", "-I",
        ]
        .map(str::to_owned);
        assert_eq!(include_dirs(&words), ["inc", "../x", "q"]);
    }

    #[test]
    fn both_forms_of_commands_and_two_for_one_file() {
        let entries: Vec<Entry> = serde_json::from_str(
            r#"[
              {"directory": "/b", "file": "../s/a.c", "command": "cc -DX=\"1 2\" -c ../s/a.c", "output": "a.o"},
              {"directory": "b", "file": "/s/a.c", "arguments": ["cc", "-fPIC", "-c", "/s/a.c"]},
              {"directory": "/b", "file": "c.c"}
            ]"#,
        )
        .unwrap();
        let found = collect(entries, Path::new("/base"));
        assert_eq!(found.files, [Path::new("/s/a.c"), Path::new("/b/c.c")]);
        let [first, second, third] = found.commands.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!(first.arguments, ["cc", "-DX=1 2", "-c", "../s/a.c"]);
        assert_eq!(first.output.as_deref(), Some(Path::new("/b/a.o")));
        assert_eq!((&first.file, &second.file), (&found.files[0], &found.files[0]));
        assert_eq!(
            (second.directory.as_path(), &second.output),
            (Path::new("/base/b"), &None)
        );
        assert!(third.arguments.is_empty());
    }
}
