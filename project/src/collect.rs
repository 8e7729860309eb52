//! Which source files a map is made of: what the user names, what a directory holds, what the build compiles, and
//! the headers that these include.

use crate::compile_commands::CompileCommands;
use crate::executable::Executable;
use crate::failure::Failure;
use crate::headers;
use base::FileKind;
use engine::SourceFile;
use rayon::prelude::*;
use regular_files::{Limit, Reader};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use walkdir::{DirEntry, WalkDir};

/// Files read for a map, and what could not be.
#[derive(Debug, Default)]
pub struct Sources {
    /// The files, each once.
    pub files: Vec<SourceFile>,
    /// What was left out, and why.
    pub warnings: Vec<String>,
    /// Where the build looks for headers.
    pub include_dirs: Vec<PathBuf>,
    /// Where files were read that the map is to know under another name, by that name.
    elsewhere: BTreeMap<String, PathBuf>,
    /// Real paths of `files`: two spellings of one file would make each of its functions ambiguous.
    known: BTreeSet<PathBuf>,
    room: Room,
    /// The root of the processes that run the program, if that is not ours.
    root: Option<PathBuf>,
    /// With whose rights they are read.
    pub(crate) reader: Reader,
}

/// How many bytes all sources together may still have: each of a thousand holes of 256 MB is within the limit of one. The largest trees that we know of have half a
/// gigabyte.
#[derive(Debug)]
struct Room(AtomicU64);

impl Default for Room {
    fn default() -> Self {
        Room(AtomicU64::new(2 << 30))
    }
}

impl Room {
    /// The bytes of a source, if there is room for them.
    fn read(&self, path: &Path, reader: &Reader) -> std::io::Result<Vec<u8>> {
        let mut file = reader.open(path)?;
        // The room is taken before the file is read, since others are read at the same time.
        let size = file.metadata()?.len();
        if size > Limit::SOURCE.bytes() {
            // It says so.
            return regular_files::read_opened(&mut file, Limit::SOURCE);
        }
        let taken = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            left.checked_sub(size)
        });
        taken.map_err(|_| {
            let text = "all sources together have more bytes than are read";
            std::io::Error::new(std::io::ErrorKind::FileTooLarge, text)
        })?;
        // No more than was taken, even if it grows.
        regular_files::read_opened(&mut file, Limit::of(size))
    }
}

/// What a process sees files by.
#[derive(Debug)]
pub struct Sight {
    /// The root of its files, if that is not ours: it is in a container, where a path is another file's.
    pub root: Option<PathBuf>,
    /// Its working directory.
    pub directory: PathBuf,
}

impl Sight {
    /// Where it sees the file of a path; `None` if that is where we see it.
    fn path_of(&self, path: &Path) -> Option<PathBuf> {
        match path.strip_prefix("/") {
            Ok(below) => Some(self.root.as_ref()?.join(below)),
            Err(_) => Some(self.directory.join(path)),
        }
    }
}

impl Sources {
    /// None yet, to be read with these rights.
    pub(crate) fn read_by(reader: &Reader) -> Self {
        Sources {
            reader: reader.clone(),
            ..Sources::default()
        }
    }

    /// Adds what the user names: files as they are, directories with all C and C++ files and headers below them.
    pub fn add_paths(&mut self, paths: &[PathBuf]) {
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
    pub fn add_commands(&mut self, commands: &CompileCommands) {
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

    /// Adds the sources that the debug info of an executable names, where a process sees them that runs it, if there is one, or else where we do.
    pub fn add_sources_of(&mut self, executable: &Executable, sight: Option<&Sight>) -> Result<(), Failure> {
        let engine::ProgramSources {
            units, directories, ..
        } = executable.program_sources()?;
        let candidates = |path: &str| {
            let path = Path::new(path);
            let seen = sight.and_then(|sight| sight.path_of(path));
            Vec::from_iter(seen.into_iter().chain([path.to_owned()]))
        };
        self.root = sight.and_then(|sight| sight.root.clone());
        let mut missing: Vec<&str> = Vec::new();
        for unit in units {
            match candidates(&unit.path)
                .into_iter()
                .find(|path| self.reader.is_file(path))
            {
                // The path in the map is the debug info's, wherever the bytes come from.
                Some(found) => self.add_as(&found, &unit.path),
                // Headers of the system hold code too, but none of the program's.
                None if unit.is_header => {}
                None => missing.push(&unit.path),
            }
        }
        // Macros of headers without code matter as well. What MPI's own mean is known by their names.
        let reader = &self.reader;
        let is_ours =
            |directory: &PathBuf| reader.is_dir(directory) && !reader.is_file(&directory.join("mpi.h"));
        let headers = directories.iter();
        let headers = headers.filter_map(|directory| candidates(directory).into_iter().find(is_ours));
        self.include_dirs.extend(headers);
        if !missing.is_empty() {
            let some = missing.iter().take(3).copied().collect::<Vec<_>>().join(", ");
            let more = if missing.len() > 3 { ", …" } else { "" };
            self.warnings.push(format!(
                "{} of {} sources that {} was built from are not here ({some}{more}): their functions are not in the map",
                missing.len(),
                units.len(),
                executable.path.display()
            ));
        }
        Ok(())
    }

    /// Adds the headers that the files include and that are part of the program: quoted ones, and those below the
    /// build's own include directories.
    pub fn add_headers(&mut self) {
        let mut next = 0;
        while let Some(file) = self.files.get(next) {
            for path in self.included_by(file) {
                self.add_quietly(&path);
            }
            next += 1;
        }
    }

    /// The headers of the program that a file includes.
    pub(crate) fn included_by(&self, file: &SourceFile) -> Vec<PathBuf> {
        headers::included_by(&file.bytes, self.place_of(file), &self.include_dirs, &self.reader)
    }

    /// Where a file was read.
    pub(crate) fn place_of<'a>(&'a self, file: &'a SourceFile) -> &'a Path {
        let name = Path::new(&file.path);
        self.elsewhere.get(&file.path).map_or(name, PathBuf::as_path)
    }

    /// Reads one file; says so when it cannot be read.
    pub fn add(&mut self, path: &Path) {
        self.add_as(path, &plain(path));
    }

    /// Reads one file that the map is to know under another name.
    pub fn add_as(&mut self, path: &Path, name: &str) {
        if path != Path::new(name) {
            self.elsewhere.insert(name.to_owned(), path.to_owned());
        }
        if let Err(error) = self.try_add(path, name) {
            self.warnings
                .push(format!("cannot read {}: {error}", path.display()));
        }
    }

    /// Reads one file if it is there. Headers of the system need not be.
    fn add_quietly(&mut self, path: &Path) {
        // As with the sources themselves, its name is the one that the processes have for it.
        let below = self.root.as_ref().and_then(|root| path.strip_prefix(root).ok());
        let name = below.map_or_else(|| plain(path), |below| plain(&Path::new("/").join(below)));
        if name != path.to_string_lossy() {
            self.elsewhere.insert(name.clone(), path.to_owned());
        }
        if let Err(error) = self.try_add(path, &name)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            self.warnings
                .push(format!("cannot read {}: {error}", path.display()));
        }
    }

    fn try_add(&mut self, path: &Path, name: &str) -> std::io::Result<()> {
        let real = self.reader.canonicalize(path)?;
        if self.known.insert(real) {
            let bytes = self.room.read(path, &self.reader)?;
            self.files.push(SourceFile {
                path: name.to_owned(),
                bytes,
            });
        }
        Ok(())
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
        // Before they are read: a thousand links to one file would all be in memory. One that cannot be read is not tried again either, though a file that can
        // may include it.
        found.retain(|path| {
            self.reader
                .canonicalize(path)
                .map_or(true, |real| self.known.insert(real))
        });
        let (room, reader) = (&self.room, &self.reader);
        let read: Vec<std::io::Result<Vec<u8>>> =
            found.par_iter().map(|path| room.read(path, reader)).collect();
        for (path, read) in found.iter().zip(read) {
            match read {
                Ok(bytes) => self.files.push(SourceFile {
                    path: plain(path),
                    bytes,
                }),
                Err(error) => self
                    .warnings
                    .push(format!("cannot read {}: {error}", path.display())),
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

/// What a file is by its ending.
fn kind(path: &Path) -> Option<FileKind> {
    FileKind::of(&path.to_string_lossy())
}

/// Whether a file is C or C++ by its ending.
fn is_source(path: &Path) -> bool {
    kind(path).is_some_and(FileKind::is_c_or_cxx)
}

/// The language of a file that is certainly neither C nor C++.
fn other_language(path: &Path) -> Option<&'static str> {
    match kind(path)? {
        FileKind::Fortran => Some("Fortran"),
        FileKind::Assembly => Some("assembly"),
        FileKind::C | FileKind::Cxx | FileKind::Header | FileKind::CxxHeader => None,
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
pub fn normalise(path: &Path) -> PathBuf {
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
    use std::fs;

    #[test]
    fn all_sources_together_have_a_limit_and_links_are_one_file() {
        let root = std::env::temp_dir().join(format!("hindmost-room-{}", std::process::id()));
        fs::create_dir_all(&root).unwrap();
        for name in ["a.c", "b.c", "c.c"] {
            fs::write(root.join(name), "int x;\nint y").unwrap();
        }
        for link in 0..5 {
            std::os::unix::fs::symlink("a.c", root.join(format!("a{link}.c"))).unwrap();
        }
        let mut sources = Sources {
            room: Room(AtomicU64::new(30)),
            ..Sources::default()
        };
        sources.add_paths(std::slice::from_ref(&root));
        assert_eq!(
            (sources.files.len(), sources.warnings.len()),
            (2, 1),
            "{sources:?}"
        );
        assert!(
            sources.warnings[0].contains("all sources together"),
            "{sources:?}"
        );
        // What is known takes no room, and what is left out is not read after all.
        sources.add(&root.join("a.c"));
        assert_eq!(sources.files.len(), 2);
        fs::remove_dir_all(root).unwrap();
    }

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
