//! An executable and its debug info, wherever the system keeps that.

use crate::failure::Failure;
use crate::files;
use engine::{BindError, DebugHints, Identity, Map};
use std::fs;
use std::path::{Path, PathBuf};

/// An executable in memory.
pub(crate) struct Executable {
    /// Its path, for messages and for what lies beside it.
    pub(crate) path: PathBuf,
    bytes: Vec<u8>,
    debug: Option<Vec<u8>>,
    pub(crate) identity: Identity,
}

impl Executable {
    /// Reads an executable and looks for its separate debug file.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        Self::from_bytes(path, files::read(path)?)
    }

    /// The executable of a process: its bytes are those that run, even when the file has been replaced since.
    pub(crate) fn of_process(pid: u32, path: &Path) -> anyhow::Result<Self> {
        Self::from_bytes(path, files::read(Path::new(&format!("/proc/{pid}/exe")))?)
    }

    fn from_bytes(path: &Path, bytes: Vec<u8>) -> anyhow::Result<Self> {
        let identity =
            engine::identity(&bytes).map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
        let debug = if identity.has_debug_info {
            None
        } else {
            find_debug_file(path, &identity.hints)
        };
        Ok(Self {
            path: path.to_owned(),
            bytes,
            debug,
            identity,
        })
    }

    /// The C and C++ sources that it was built from, but for the headers of compilers and systems.
    pub(crate) fn program_sources(&self) -> Result<Vec<engine::SourceUnit>, Failure> {
        let all = engine::executable_sources(&self.bytes, self.debug.as_deref())
            .map_err(|error| self.failure(&error))?;
        let of_system = |unit: &engine::SourceUnit| {
            unit.is_header
                && SYSTEM_HEADERS
                    .iter()
                    .any(|directory| unit.path.starts_with(directory))
        };
        Ok(all.into_iter().filter(|unit| !of_system(unit)).collect())
    }

    /// Binds `map` to this build; returns what could not be bound.
    pub(crate) fn bind(&self, map: &mut Map) -> Result<Vec<base::Diagnostic>, Failure> {
        let path = self.path.to_string_lossy();
        engine::bind_map(map, &self.bytes, self.debug.as_deref(), &path).map_err(|error| self.failure(&error))
    }

    /// Whether `map` is bound to this build.
    pub(crate) fn fits(&self, map: &Map) -> Result<(), engine::Mismatch> {
        engine::check_map(map, &self.bytes)
    }

    fn failure(&self, error: &BindError) -> Failure {
        let failure = Failure::new(format!("{}: {error}", self.path.display()));
        match error {
            BindError::NoDebugInfo(_) => failure.hint(
                "a map that was bound before the program was stripped (hindmost map --exe PROGRAM) needs no debug info: \
                 give it with --map",
            ),
            _ => failure,
        }
    }
}

/// Where compilers and distributions keep headers. Those of C++ hold code, which is none of the program's.
const SYSTEM_HEADERS: [&str; 3] = ["/usr/include/", "/usr/lib/", "/usr/local/include/c++/"];

/// Where distributions and build systems put separate debug info.
const DEBUG_ROOT: &str = "/usr/lib/debug";

fn find_debug_file(executable: &Path, hints: &DebugHints) -> Option<Vec<u8>> {
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
    candidates
        .iter()
        .filter(|path| path.as_path() != executable)
        .find_map(|path| fs::read(path).ok())
}
