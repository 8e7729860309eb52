//! `compile_commands.json`, as CMake, Meson and Bear write it: which files a build compiles, and where it looks for
//! headers.

use crate::collect::normalise;
use crate::failure::Failure;
use crate::files;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What a map needs of a build's commands.
#[derive(Debug, Default)]
pub(crate) struct CompileCommands {
    /// Compiled files, absolute, each once, in the order of the file.
    pub(crate) files: Vec<PathBuf>,
    /// `-I` and `-iquote` directories, absolute, each once, in order.
    pub(crate) include_dirs: Vec<PathBuf>,
}

/// One entry, as the format defines it; other fields do not matter here.
#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

/// Reads the commands at `path`, a file or the directory that holds it.
pub(crate) fn read(path: &Path) -> anyhow::Result<CompileCommands> {
    let file = if path.is_dir() {
        path.join("compile_commands.json")
    } else {
        path.to_owned()
    };
    if !file.exists() {
        return Err(Failure::new(format!("{} does not exist", file.display()))
            .hint("CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; for make, use `bear -- make`")
            .into());
    }
    let entries: Vec<Entry> = serde_json::from_slice(&files::read(&file)?).map_err(|error| {
        Failure::new(format!("{}: not a compilation database: {error}", file.display()))
            .hint("it is a JSON array of objects with directory, file, and command or arguments")
    })?;
    let absolute = std::path::absolute(&file)?;
    let base = absolute.parent().unwrap_or(Path::new("/"));
    let mut commands = CompileCommands::default();
    let (mut seen_files, mut seen_dirs) = (BTreeSet::new(), BTreeSet::new());
    for entry in entries {
        let directory = base.join(&entry.directory);
        let path = normalise(&directory.join(&entry.file));
        if seen_files.insert(path.clone()) {
            commands.files.push(path);
        }
        let words = match (entry.arguments, entry.command) {
            (Some(words), _) => words,
            // A command that a shell could not read either names no directories.
            (None, Some(command)) => shlex::split(&command).unwrap_or_default(),
            (None, None) => Vec::new(),
        };
        for include in include_dirs(&words) {
            let path = normalise(&directory.join(include));
            if seen_dirs.insert(path.clone()) {
                commands.include_dirs.push(path);
            }
        }
    }
    Ok(commands)
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
    use super::include_dirs;

    #[test]
    fn include_directories_in_both_spellings() {
        let words = [
            "cc", "-Iinc", "-I", "../x", "-iquote", "q", "-isystem", "/usr", "-c", "-I",
        ]
        .map(str::to_owned);
        assert_eq!(include_dirs(&words), ["inc", "../x", "q"]);
    }
}
