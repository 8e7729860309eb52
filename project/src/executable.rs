//! An executable and its debug info, wherever the system keeps that.

use crate::cache;
use crate::contents::Contents;
use crate::debuginfod;
use crate::embedded;
use crate::failure::Failure;
use crate::files;
use engine::{BindError, DebugHints, Identity, Map};
use regular_files::{Limit, Reader};
use runtime_probe::Library;
use std::cell::OnceCell;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// An executable, as much of it in memory as was asked for.
pub struct Executable {
    /// Its path, for messages and for what lies beside it.
    pub path: PathBuf,
    /// When it was last changed: what was changed later is not what it was built from. `None` where the system does not tell.
    pub(crate) modified: Option<SystemTime>,
    contents: Contents,
    /// Looked for when something asks for it: with a map that is bound already, nothing does.
    debug: OnceCell<DebugInfo>,
    compiled: OnceCell<engine::CompiledFiles>,
    sources: OnceCell<engine::ProgramSources>,
    /// What tells its build from all others.
    pub identity: Identity,
    /// With whose rights files are read that it names.
    reader: Reader,
}

/// Debug info that is not in the executable.
#[derive(Default)]
struct DebugInfo {
    separate: Option<Vec<u8>>,
    supplementary: Option<Vec<u8>>,
    package: Option<Vec<u8>>,
    split: Vec<(String, Vec<u8>)>,
}

impl Executable {
    /// Reads an executable that the user names. Its debug info may be in other files, which are looked for when they are needed.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        Self::of_file(path, path, open_named(path), &Reader::default())
    }

    /// Reads an executable that others name.
    pub(crate) fn read_by(reader: &Reader, path: &Path) -> Result<Self, Failure> {
        Self::of_file(path, path, open_by(reader, path), reader)
    }

    /// The executable of a process: its bytes are those that run, and its time is theirs, even when the file has been replaced since.
    pub fn of_process(pid: u32, path: &Path, reader: &Reader) -> Result<Self, Failure> {
        // Who runs a program need not be allowed to read it, and the link is the kernel's: no name of his leads us there.
        let itself = PathBuf::from(format!("/proc/{pid}/exe"));
        Self::of_file(path, &itself, open_named(&itself), reader)
    }

    /// A shared object of a process: its bytes are those that run, even when the file has been replaced since.
    pub(crate) fn library_of_process(library: &Library, reader: &Reader) -> Result<Self, Failure> {
        let path = &library.path;
        let (seen, file) = match &library.replaced {
            // As with the program, no name of the task's leads there.
            Some(link) => (link.clone(), open_named(link).map_err(|_| replaced(path))),
            None => {
                let seen = PathBuf::from(format!("/proc/{}/root{}", library.pid, path.display()));
                let file = open_by(reader, &seen);
                (seen, file)
            }
        };
        Self::of_file(path, &seen, file, reader)
    }

    /// `seen` is the name under which `file` was opened.
    fn of_file(
        path: &Path,
        seen: &Path,
        file: Result<File, Failure>,
        reader: &Reader,
    ) -> Result<Self, Failure> {
        let contents =
            Contents::of(file?, Limit::PROGRAM).map_err(|error| files::unreadable(seen, &error))?;
        let identity = engine::identity(contents.outline())
            .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
        Ok(Self {
            path: path.to_owned(),
            modified: cache::modified(seen),
            contents,
            debug: OnceCell::new(),
            compiled: OnceCell::new(),
            sources: OnceCell::new(),
            identity,
            reader: reader.clone(),
        })
    }

    /// The same with all bytes in memory and its file closed, for one of very many.
    pub(crate) fn at_once(self) -> Result<Self, Failure> {
        let contents = self.contents.at_once();
        let contents = contents.map_err(|error| files::unreadable(&self.path, &error))?;
        Ok(Self { contents, ..self })
    }

    /// The executable with all its debug info, as the engine takes it.
    fn program(&self) -> Result<engine::Program<'_>, Failure> {
        let executable = self.bytes()?;
        let debug = self.debug.get_or_init(|| find_debug_info(self, executable));
        Ok(engine::Program {
            executable,
            debug: debug.separate.as_deref(),
            supplementary: debug.supplementary.as_deref(),
            package: debug.package.as_deref(),
            split: &debug.split,
        })
    }

    /// The C and C++ sources that it was built from, and where the compiler found headers, but for those of compilers and
    /// systems.
    pub(crate) fn program_sources(&self) -> Result<&engine::ProgramSources, Failure> {
        if let Some(known) = self.sources.get() {
            return Ok(known);
        }
        let mut all = engine::executable_sources(&self.program()?).map_err(|error| self.failure(&error))?;
        all.units
            .retain(|unit| !unit.is_header || !is_of_system(&unit.path));
        all.directories
            .retain(|directory| !is_of_system(&format!("{directory}/")));
        Ok(self.sources.get_or_init(|| all))
    }

    /// The functions and lines of addresses of code, as linked; nothing where there is no debug info.
    pub fn code_lines(&self, addresses: &[u64]) -> Vec<Vec<engine::CodeLine>> {
        let program = self.program().ok();
        let lines = program.and_then(|program| engine::code_lines(&program, addresses).ok());
        lines.unwrap_or_default()
    }

    /// The lines that it has code of, by the path of the source as its debug info names it; nothing where there is none to tell.
    pub(crate) fn compiled_files(&self) -> &engine::CompiledFiles {
        self.compiled.get_or_init(|| {
            let program = self.program().ok();
            let files = program.and_then(|program| engine::compiled_files(&program).ok());
            files.unwrap_or_default()
        })
    }

    /// Binds `map` to this build; returns what could not be bound.
    pub fn bind(&self, map: &mut Map) -> Result<Vec<base::Diagnostic>, Failure> {
        let path = self.path.to_string_lossy();
        engine::bind_program(map, &self.program()?, &path).map_err(|error| self.failure(&error))
    }

    /// Adds to `map` what the code alone of this build tells.
    pub fn bind_code(&self, map: &mut Map) -> Result<(), Failure> {
        let path = self.path.to_string_lossy();
        engine::bind_code(map, self.bytes()?, &path).map_err(|error| self.failure(&error))
    }

    /// All its bytes.
    pub(crate) fn bytes(&self) -> Result<&[u8], Failure> {
        let bytes = self.contents.whole();
        bytes.map_err(|error| files::unreadable(&self.path, &error))
    }

    /// Where a map of this build lies that is stored as debug files are: below the directories of `HINDMOST_MAP_PATH`, which has colons between
    /// them, and below the system's.
    pub(crate) fn by_build_id(&self) -> Vec<PathBuf> {
        let Some(name) = self.stored_name() else {
            return Vec::new();
        };
        let named = std::env::var_os("HINDMOST_MAP_PATH").unwrap_or_default();
        let named = std::env::split_paths(&named).filter(|root| root.is_absolute());
        named
            .chain([PathBuf::from(DEBUG_ROOT)])
            .map(|root| root.join(&name))
            .collect()
    }

    /// The path of its map below a directory of debug files, `.build-id/ab/cdef.hmap`; none of a program without a build-id.
    pub fn stored_name(&self) -> Option<PathBuf> {
        let name = self.identity.hints.build_id_path.as_ref()?;
        Some(Path::new(name).with_extension("hmap"))
    }

    /// Where its map lies below a directory that a web server shows to debuginfod's clients; nowhere without a build-id.
    pub fn served_name(&self) -> Option<PathBuf> {
        let build_id = &self.identity.build_id;
        (!build_id.is_empty()).then(|| debuginfod::served_name(build_id))
    }

    /// The map that it carries, if there is one that can be found; whether it is one is not looked at.
    pub(crate) fn embedded_map(&self) -> Option<&[u8]> {
        let outline = self.contents.outline();
        let section = embed::section(outline, embed::MAP).ok()??;
        Some(embedded::own_record(section, outline))
    }

    /// The fragments of its compilations, one behind the other; nothing if it carries none that can be found.
    pub(crate) fn fragments(&self) -> &[u8] {
        let found = embed::section(self.contents.outline(), embed::UNITS);
        found.ok().flatten().unwrap_or_default()
    }

    /// Whether it carries fragments.
    pub fn has_fragments(&self) -> bool {
        !self.fragments().is_empty()
    }

    /// How many bytes it has.
    pub fn length(&self) -> usize {
        self.contents.outline().len()
    }

    /// Which loops of `map`, which is bound to this build, keep a readable variable in it.
    pub fn check(&self, map: &Map) -> Result<engine::Check, Failure> {
        engine::check(map, &self.program()?).map_err(|error| self.failure(&error))
    }

    /// Binds `map`, which is bound to a program, to this shared object too; returns what could not be bound.
    pub fn bind_as_library(&self, map: &mut Map) -> Result<Vec<base::Diagnostic>, Failure> {
        let path = self.path.to_string_lossy();
        engine::bind_library(map, &self.program()?, &path).map_err(|error| self.failure(&error))
    }

    /// The same of a shared object that a job has loaded, whatever that may be: without debug info it holds nothing of the map's sources.
    pub fn bind_as_loaded(&self, map: &mut Map) -> Result<Vec<base::Diagnostic>, Failure> {
        let path = self.path.to_string_lossy();
        match engine::bind_library(map, &self.program()?, &path) {
            Err(BindError::NoDebugInfo(_)) => Ok(Vec::new()),
            found => found.map_err(|error| self.failure(&error)),
        }
    }

    /// Whether `map` is bound to this build.
    pub fn fits(&self, map: &Map) -> Result<(), engine::Mismatch> {
        engine::check_map(map, self.contents.outline())
    }

    fn failure(&self, error: &BindError) -> Failure {
        let failure = Failure::new(format!("{}: {error}", self.path.display()));
        match error {
            BindError::NoDebugInfo(_) => failure.hint(
                "rebuild with -g; or give with --map a map that was bound before the program was stripped (hindmost map --exe PROGRAM)",
            ),
            _ => failure,
        }
    }
}

/// Where compilers and distributions keep headers. Those of C++ hold code, which is none of the program's.
const SYSTEM_HEADERS: [&str; 3] = ["/usr/include/", "/usr/lib/", "/usr/local/include/c++/"];

fn is_of_system(path: &str) -> bool {
    SYSTEM_HEADERS.iter().any(|directory| path.starts_with(directory))
}

/// Where distributions and build systems put separate debug info.
const DEBUG_ROOT: &str = "/usr/lib/debug";

fn open_named(path: &Path) -> Result<File, Failure> {
    regular_files::open_named(path).map_err(|error| files::unreadable(path, &error))
}

fn open_by(reader: &Reader, path: &Path) -> Result<File, Failure> {
    reader.open(path).map_err(|error| files::unreadable(path, &error))
}

/// The file that a process runs is no longer there, and only root may follow the kernel's link to it.
fn replaced(path: &Path) -> Failure {
    let path = path.display();
    Failure::new(format!("{path} was replaced or removed since the job started"))
        .hint("root may still read what runs; or put the build that runs back in its place")
}

/// Finds what the executable's debug info is spread over.
fn find_debug_info(executable: &Executable, bytes: &[u8]) -> DebugInfo {
    let Executable {
        path,
        identity,
        reader,
        ..
    } = executable;
    let mut files = DebugFiles {
        left: ALL_DEBUG_FILES,
        reader: reader.clone(),
    };
    let mut found = DebugInfo::default();
    // What names a supplementary file, and so what a relative name starts from.
    let mut naming = path.clone();
    if !identity.has_debug_info
        && let Some((file, bytes)) = find_debug_file(path, &identity.hints, &mut files)
    {
        naming = file;
        found.separate = Some(bytes);
    }
    let Ok(needs) = engine::needs(bytes, found.separate.as_deref()) else {
        return found;
    };
    let directory = |path: &Path| path.parent().unwrap_or(Path::new("")).to_owned();
    if let Some(name) = &needs.supplementary {
        let beside = directory(&naming).join(name);
        let in_root = Path::new(DEBUG_ROOT)
            .join(".dwz")
            .join(beside.file_name().unwrap_or_default());
        found.supplementary = [beside, in_root].iter().find_map(|path| files.read(path));
    }
    if needs.split.is_empty() {
        return found;
    }
    let mut package = |path: &Path| {
        let mut name = path.as_os_str().to_owned();
        name.push(".dwp");
        files.read(Path::new(&name))
    };
    found.package = package(path).or_else(|| package(&naming));
    if found.package.is_some() {
        return found;
    }
    for name in needs.split {
        // As the build left it, or moved along with the program.
        let moved = directory(path).join(Path::new(&name).file_name().unwrap_or_default());
        let bytes = [PathBuf::from(&name), moved]
            .iter()
            .find_map(|path| files.read(path));
        found.split.extend(bytes.map(|bytes| (name, bytes)));
    }
    found
}

/// How many bytes the files of one program's debug info may have together.
const ALL_DEBUG_FILES: u64 = 8 << 30;

/// Reads files that may hold debug info. Their names come from the executable and may lead anywhere, and there may be a hundred thousand of them, all for one
/// large file.
struct DebugFiles {
    /// How many bytes may still be read.
    left: u64,
    reader: Reader,
}

impl DebugFiles {
    fn read(&mut self, path: &Path) -> Option<Vec<u8>> {
        let bytes = self.reader.read(path, Limit::of(self.left)).ok()?;
        self.left = self.left.saturating_sub(bytes.len() as u64);
        Some(bytes)
    }
}

fn find_debug_file(
    executable: &Path,
    hints: &DebugHints,
    files: &mut DebugFiles,
) -> Option<(PathBuf, Vec<u8>)> {
    let directory = executable.parent().unwrap_or(Path::new(""));
    let mut candidates: Vec<PathBuf> = Vec::new();
    if let Some(path) = &hints.build_id_path {
        candidates.push(Path::new(DEBUG_ROOT).join(path));
    }
    if let Some(name) = &hints.debuglink {
        candidates.push(directory.join(name));
        candidates.push(directory.join(".debug").join(name));
        let below_root = directory.strip_prefix("/").unwrap_or(directory);
        candidates.push(Path::new(DEBUG_ROOT).join(below_root).join(name));
    }
    // The link may name the executable itself, when the debug file bears its name in another directory.
    candidates.retain(|path| path.as_path() != executable);
    candidates
        .into_iter()
        .find_map(|path| files.read(&path).map(|bytes| (path, bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_debug_files_together_have_a_limit() {
        let path = std::env::temp_dir().join(format!("hindmost-debug-files-{}", std::process::id()));
        std::fs::write(&path, [7; 10]).unwrap();
        let mut files = DebugFiles {
            left: 25,
            reader: Reader::default(),
        };
        let lengths = [0; 3].map(|_| files.read(&path).map(|bytes| bytes.len()));
        assert_eq!(lengths, [Some(10), Some(10), None]);
        std::fs::remove_file(path).unwrap();
    }
}
