//! Which source files a map is made of: what the user names, what a directory holds, what the build compiles, and
//! the headers that these include.

use crate::compile_commands::CompileCommands;
use crate::headers;
use engine::SourceFile;
use rayon::prelude::*;
use regular_files::Limit;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// Files read for a map, and what could not be.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// The files, each once.
    pub(crate) files: Vec<SourceFile>,
    /// What was left out, and why.
    pub(crate) warnings: Vec<String>,
    /// Where the build looks for headers.
    pub(crate) include_dirs: Vec<PathBuf>,
    /// Real paths of `files`: two spellings of one file would make each of its functions ambiguous.
    known: BTreeSet<PathBuf>,
}

impl Sources {
    /// Adds what the user names: files as they are, directories with all C and C++ files and headers below them.
    pub(crate) fn add_paths(&mut self, paths: &[PathBuf]) {
        for path in paths {
            if path.is_dir() {
                self.add_directory(path);
            } else if let Some(language) = other_language(path) {
                self.warnings
                    .push(format!("{}: {language} is not supported yet", path.display()));
            } else {
                self.add(path);
            }
        }
    }

    /// Adds the C and C++ files that a build compiles.
    pub(crate) fn add_commands(&mut self, commands: &CompileCommands) {
        let mut others = 0;
        for path in &commands.files {
            if other_language(path).is_some() {
                others += 1;
            } else {
                self.add(path);
            }
        }
        if others > 0 {
            self.warnings.push(format!(
                "{others} compile commands are for neither C nor C++ and were left out"
            ));
        }
        self.include_dirs.extend(commands.include_dirs.iter().cloned());
    }

    /// Adds the headers that the files include and that are part of the program: quoted ones, and those below the
    /// build's own include directories.
    pub(crate) fn add_headers(&mut self) {
        let mut next = 0;
        while let Some(file) = self.files.get(next) {
            let found = headers::included_by(file, &self.include_dirs);
            for path in found {
                self.add_quietly(&path);
            }
            next += 1;
        }
    }

    /// Reads one file; says so when it cannot be read.
    pub(crate) fn add(&mut self, path: &Path) {
        self.add_as(path, &plain(path));
    }

    /// Reads one file that the map is to know under another name.
    pub(crate) fn add_as(&mut self, path: &Path, name: &str) {
        if let Err(error) = self.try_add(path, name) {
            self.warnings
                .push(format!("cannot read {}: {error}", path.display()));
        }
    }

    /// Reads one file if it is there. Headers of the system need not be.
    fn add_quietly(&mut self, path: &Path) {
        if let Err(error) = self.try_add(path, &plain(path))
            && error.kind() != std::io::ErrorKind::NotFound
        {
            self.warnings
                .push(format!("cannot read {}: {error}", path.display()));
        }
    }

    fn try_add(&mut self, path: &Path, name: &str) -> std::io::Result<()> {
        let real = fs::canonicalize(path)?;
        if !self.known.contains(&real) {
            let bytes = regular_files::read(path, Limit::SOURCE)?;
            self.insert(real, name.to_owned(), bytes);
        }
        Ok(())
    }

    fn insert(&mut self, real: PathBuf, path: String, bytes: Vec<u8>) {
        if self.known.insert(real) {
            self.files.push(SourceFile { path, bytes });
        }
    }

    fn add_directory(&mut self, root: &Path) {
        let walk = WalkDir::new(root).follow_links(true).sort_by_file_name();
        let mut found: Vec<PathBuf> = Vec::new();
        for entry in walk
            .into_iter()
            .filter_entry(|entry| entry.depth() == 0 || is_source_tree(entry))
        {
            match entry {
                Ok(entry) if entry.file_type().is_file() && is_source(entry.path()) => {
                    found.push(entry.into_path());
                }
                Ok(_) => {}
                // Everything below the link's target is visited anyway.
                Err(error) if error.loop_ancestor().is_some() => {}
                Err(error) => self.warnings.push(error.to_string()),
            }
        }
        let read = |path: &PathBuf| {
            let bytes = regular_files::read(path, Limit::SOURCE)?;
            Ok((fs::canonicalize(path)?, bytes))
        };
        let read: Vec<std::io::Result<(PathBuf, Vec<u8>)>> = found.par_iter().map(read).collect();
        for (path, read) in found.iter().zip(read) {
            match read {
                Ok((real, bytes)) => self.insert(real, plain(path), bytes),
                Err(error) => {
                    self.warnings
                        .push(format!("cannot read {}: {error}", path.display()));
                    // Once is enough, though a file that can be read may include it.
                    self.known.extend(fs::canonicalize(path));
                }
            }
        }
    }
}

/// Whether an entry below the root of a search is worth entering: not hidden, not the output of a build.
fn is_source_tree(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    if name.starts_with('.') {
        return false;
    }
    let made_by_a_build = || {
        // What the common build systems leave at the top of a build directory.
        matches!(&*name, "CMakeFiles" | "node_modules")
            || ["CMakeCache.txt", "build.ninja", "meson-private"]
                .iter()
                .any(|mark| entry.path().join(mark).exists())
    };
    !(entry.file_type().is_dir() && made_by_a_build())
}

fn extension(path: &Path) -> &str {
    path.extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or_default()
}

/// Whether a file is C or C++ by its ending.
fn is_source(path: &Path) -> bool {
    matches!(
        extension(path),
        "c" | "h"
            | "cc"
            | "cpp"
            | "cxx"
            | "c++"
            | "C"
            | "cu"
            | "cuh"
            | "hip"
            | "hpp"
            | "hh"
            | "hxx"
            | "H"
            | "h++"
            | "ipp"
            | "tpp"
            | "txx"
            | "inl"
    )
}

/// The language of a file that is certainly neither C nor C++.
fn other_language(path: &Path) -> Option<&'static str> {
    match extension(path) {
        "f" | "F" | "f90" | "F90" | "f95" | "F95" | "f03" | "f08" => Some("Fortran"),
        "s" | "S" | "asm" => Some("assembly"),
        _ => None,
    }
}

/// A path as the map keeps it: as given, without `.` components and a leading `./`.
fn plain(path: &Path) -> String {
    let kept: PathBuf = path
        .components()
        .filter(|part| *part != Component::CurDir)
        .collect();
    kept.to_string_lossy().into_owned()
}

/// A path without `.` and `..` components, as compilers and debug info spell it. Symbolic links are not looked at.
pub(crate) fn normalise(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                let above = matches!(result.components().next_back(), Some(Component::Normal(_)));
                if above {
                    result.pop();
                } else if !result.has_root() {
                    result.push("..");
                }
            }
            other => result.push(other),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_spelt_as_debug_info_spells_them() {
        let check = |path: &str, expected: &str| assert_eq!(normalise(Path::new(path)), Path::new(expected));
        check("/a/./b/../c.c", "/a/c.c");
        check("../x/../y.c", "../y.c");
        check("../../y.c", "../../y.c");
        check("/../y.c", "/y.c");
        assert_eq!(plain(Path::new("./src/./a.c")), "src/a.c");
    }
}
