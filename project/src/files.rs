//! Reading what the user names, writing what the user gets.

use crate::embedded::map_bytes;
use crate::executable::Executable;
use crate::failure::Failure;
use crate::listener::Listener;
use crate::program::Program;
use engine::{CompiledUnits, Excerpt, Findings, Map, MapOrigin, MapUsed};
use regular_files::{Limit, Reader};
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Reads a file that the user names; the error names it too.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    read_within(path, Limit::RECORD)
}

/// Reads a file that the user names, if it has no more than `most` bytes; the error names it too.
pub fn read_within(path: &Path, most: Limit) -> Result<Vec<u8>, Failure> {
    regular_files::read_named(path, most).map_err(|error| unreadable(path, &error))
}

/// Reads a text file; the error names it.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    text_of(path, read(path)?)
}

/// Opens a file that the user names, to be read piece by piece; `-` is standard input.
pub(crate) fn open(path: &Path) -> Result<File, Failure> {
    let is_input = path == Path::new("-");
    let named = if is_input { Path::new("/dev/stdin") } else { path };
    regular_files::open_named(named).map_err(|error| unreadable(path, &error))
}

/// Whether a regular file begins with these bytes.
pub fn begins_with(path: &Path, bytes: &[u8]) -> bool {
    let mut start = vec![0; bytes.len()];
    regular_files::open(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok() && start == bytes)
}

pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("cannot read {}: {error}", path.display()))
}

/// What is wrong in a file of another tool; the error names it.
pub(crate) fn of_foreign(path: &Path, error: &foreign::Error) -> Failure {
    let failure = Failure::new(format!("{}:{}: {}", path.display(), error.line, error.reason));
    match error.hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// The bytes of a file as text; the error names it.
pub(crate) fn text_of(path: &Path, bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..good]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count()
            + 1;
        Failure::new(format!("{}:{line}: not UTF-8 text", path.display()))
    })
}

/// Reads a map; the error names the file and says what to do.
pub fn read_map(path: &Path) -> Result<Map, Failure> {
    map_in(path, Map::from_bytes(&map_bytes(path)?))
}

/// Reads a map, and tells which it is.
pub(crate) fn read_map_used(path: &Path) -> Result<(Map, MapUsed), Failure> {
    let bytes = map_bytes(path)?;
    let map = map_in(path, Map::from_bytes(&bytes))?;
    let used = map_used(path, &map, &bytes);
    Ok((map, used))
}

/// Which map a file is, or a program has inside, that was read as these bytes.
pub fn map_used(path: &Path, map: &Map, bytes: &[u8]) -> MapUsed {
    let is_program = begins_with(path, b"\x7fELF");
    let from = if is_program {
        MapOrigin::Program
    } else {
        MapOrigin::File
    };
    MapUsed::new(from(path.to_owned()), map, bytes)
}

/// What was read of a map file; the error names it.
pub fn map_in<E: std::fmt::Display>(path: &Path, read: Result<Map, E>) -> Result<Map, Failure> {
    read.map_err(|error| Failure::new(format!("{}: {error}", path.display())))
}

/// Writes a file as a whole or not at all: readers see the old file or the new one. Through a symbolic link the file is written that
/// it leads to, and what is no file (`/dev/null`, a pipe) is written to as it is: it must not become one.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    write_with(path, bytes, None)
}

/// A number that nobody else can foresee. std has it from the kernel, whatever the kernel's age: the system call for it came with Linux 3.17.
pub(crate) fn unforeseeable() -> u64 {
    use std::hash::{BuildHasher as _, Hasher as _, RandomState};
    RandomState::new().build_hasher().finish()
}

fn write_with(path: &Path, bytes: &[u8], permissions: Option<fs::Permissions>) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::new(format!("cannot write {}: {error}", path.display()));
    let target = match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            return Err(Failure::new(format!(
                "{} is a directory, not a file",
                path.display()
            )));
        }
        Ok(metadata) if !metadata.is_file() => {
            #[allow(
                clippy::disallowed_methods,
                reason = "written to, and named by whoever runs us: `-o /dev/null`"
            )]
            let mut special = OpenOptions::new().write(true).open(path).map_err(failed)?;
            return special.write_all(bytes).map_err(failed);
        }
        Ok(_) => fs::canonicalize(path).map_err(failed)?,
        Err(_) => path.to_owned(),
    };
    let path = target.as_path();
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let name = path
        .file_name()
        .ok_or_else(|| Failure::new(format!("{} does not name a file", path.display())))?;
    let cannot = |error: io::Error| Failure::new(format!("cannot write {}: {error}", path.display()));
    // A name that nobody can foresee: in a directory that all may write to, somebody could have taken it.
    let mut temporary_name = std::ffi::OsString::from(".");
    temporary_name.push(name);
    temporary_name.push(format!(".{:016x}.tmp", unforeseeable()));
    let temporary = directory.unwrap_or(Path::new(".")).join(temporary_name);
    let file = made(&temporary).map_err(cannot)?;
    let permitted = permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions));
    let written = permitted
        .and_then(|()| write_all(file, bytes))
        .and_then(|()| fs::rename(&temporary, path));
    written
        .inspect_err(|_| {
            // Whatever is left of it is of no use; the first error is the one to report.
            let _ = fs::remove_file(&temporary);
        })
        .map_err(cannot)
}

/// The same, with the permissions of `like`: what runs is to run afterwards, and what is secret to stay so.
pub fn write_like(path: &Path, bytes: &[u8], like: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt as _;
    // The new file may have another owner, whose rights nobody is to get by running it.
    const WITHOUT_SET_ID: u32 = 0o777;
    let mode = fs::metadata(like)
        .ok()
        .map(|metadata| metadata.permissions().mode() & WITHOUT_SET_ID);
    write_with(path, bytes, mode.map(fs::Permissions::from_mode))
}

#[allow(
    clippy::disallowed_methods,
    reason = "made anew, whatever else may have the name"
)]
fn made(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

fn write_all(mut file: File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

/// Finds the files that a map names, which may be relative to where the map was made.
pub struct SourceFinder {
    roots: Vec<PathBuf>,
    reader: Reader,
    /// The map, which may stand in a program.
    map: Option<PathBuf>,
    compiled: CompiledUnits,
}

impl SourceFinder {
    /// Relative paths are tried below the current directory, then beside the map. Files are read with the rights of the map's owner, and of whoever else
    /// had a part in their names.
    pub fn new(map: Option<&Path>, others: &Reader) -> Self {
        let mut roots = vec![PathBuf::new()];
        roots.extend(map.and_then(Path::parent).map(Path::to_owned));
        Self {
            roots,
            reader: others.and(&Reader::of_owners(map)),
            map: map.map(Path::to_owned),
            compiled: CompiledUnits::default(),
        }
    }

    /// The same, where it is known what was compiled of files that no front end reads.
    #[must_use]
    pub fn with_compiled(self, compiled: CompiledUnits) -> Self {
        Self { compiled, ..self }
    }

    /// What was compiled of the files of `map` that no front end reads: as it was given, or what the program carries that the map stands in, or that
    /// it was bound to, if that is here.
    pub fn compiled(&self, map: &Map, listener: &dyn Listener) -> CompiledUnits {
        let has_some = map.files.iter().any(|file| engine::is_unread(&file.path));
        if !has_some || !self.compiled.is_empty() {
            return self.compiled.clone();
        }
        let around = self
            .map
            .iter()
            .filter(|path| begins_with(path, b"\x7fELF"))
            .cloned();
        let bound = map.binding.iter().chain(&map.libraries);
        let bound = bound.filter_map(|binding| self.find(&binding.executable));
        // Programs that were built anew since have fragments of other sources, which are told by their hashes.
        let programs = around.chain(bound).collect::<BTreeSet<_>>().into_iter();
        let programs = programs.filter_map(|path| Executable::read_by(&self.reader, &path).ok());
        let programs = Vec::from_iter(programs);
        Program::new(Vec::new(), &Vec::from_iter(&programs), listener).compiled
    }

    /// The bytes of a file that a map names, if it is here.
    pub fn read(&self, path: &str) -> Option<Vec<u8>> {
        let read = |root: &PathBuf| self.reader.read(&root.join(path), Limit::SOURCE).ok();
        self.roots.iter().find_map(read)
    }

    /// Where a file is that can be read, without links and dots.
    pub fn find(&self, path: &str) -> Option<PathBuf> {
        let there = self
            .roots
            .iter()
            .filter_map(|root| self.reader.canonicalize(&root.join(path)).ok());
        there.into_iter().find(|path| self.reader.is_file(path))
    }

    /// As [`Self::read`], of a regular file of at most so many bytes: the name may come from anywhere.
    pub fn read_regular(&self, path: &str, most: u64) -> Option<Vec<u8>> {
        let read = |root: &PathBuf| self.reader.read(&root.join(path), Limit::of(most)).ok();
        self.roots.iter().find_map(read)
    }

    /// Fills in the source lines of an answer and warns of sources that are no longer the mapped ones.
    pub fn fill(&self, findings: &mut Findings<'_>) {
        let Some(answer) = &mut findings.answer else {
            return;
        };
        let mut excerpts: Vec<&mut Excerpt> = answer.excerpts.iter_mut().collect();
        if let Some(explanation) = &mut findings.explanation {
            excerpts.extend(explanation.a.source.as_mut());
            excerpts.extend(explanation.b.source.as_mut());
        }
        for excerpt in excerpts {
            if let Some(bytes) = self.read(&excerpt.path) {
                excerpt.fill(&bytes);
            }
        }
        let mut on_stacks: Vec<&str> = answer
            .classes
            .iter()
            .flat_map(|class| class.frames.iter().filter(|frame| frame.in_map))
            .filter_map(|frame| frame.file.as_deref())
            .collect();
        on_stacks.sort_unstable();
        on_stacks.dedup();
        for path in on_stacks {
            let mut mapped = findings.map.files.iter();
            let Some(mapped) = mapped.find(|file| file.path == path) else {
                continue;
            };
            let changed = |bytes: Vec<u8>| engine::content_hash(&bytes) != mapped.hash;
            if self.read(path).is_some_and(changed) {
                answer.warnings.push(format!(
                    "{path} has changed since the map was made: what an editor shows on its lines may be something else"
                ));
            }
        }
    }
}
