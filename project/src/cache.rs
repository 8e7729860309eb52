//! Maps made before, kept for the next time.
//!
//! Two kinds. A map made on the spot for a job is kept under its build's id and code ([`Slot`]), and only when all sources were there
//! and none was newer than the executable: then they were those of the build, and the map stays right whatever
//! happens to them later. The map of a set of sources is kept under a fingerprint of all that it was made from ([`Kept`]):
//! this very program, and the path and the bytes of every file. Where a build's preprocessor had a part in it, its commands
//! belong to the fingerprint, and beside the map stands what it read ([`Inputs`]), which must still be the same.
//!
//! Of the files of a tree that is not wholly the same, those are kept that are ([`units`]). Dependence graphs stand beside
//! the maps ([`graphs`]).
//!
//! The cache is an optimisation: what is damaged is made anew, and what cannot be kept is not. Files are written under
//! another name and renamed, so that runs at the same time see whole files or none. The oldest ones go when the
//! directory holds more than [`LIMIT`].

pub(crate) mod graphs;
mod own;
pub(crate) mod units;

use crate::inputs::Inputs;
use crate::listener::Listener;
use crate::preprocess::Preprocessor;
use crate::program::Program;
use engine::{Fingerprint, Identity, Map, MapOrigin, MapUsed};
use own::Directory;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Once};
use std::time::SystemTime;

/// How many bytes of maps of sources are kept; the largest tree that we know of takes three million.
const LIMIT: u64 = 256 << 20;

/// Where the map of one build is kept.
pub(crate) struct Slot {
    directory: Directory,
    name: String,
}

impl Slot {
    /// The place for a build of a program (and its libraries), unless a part has no id or there is nowhere to keep
    /// anything.
    ///
    /// The code belongs to the name as well: a build-id that was set by hand is that of many builds.
    pub(crate) fn of(parts: &[&Identity], listener: &dyn Listener) -> Option<Self> {
        Self::named(parts, "hmap", listener)
    }

    /// The place for what the code alone of a build tells.
    pub(crate) fn of_code(parts: &[&Identity], listener: &dyn Listener) -> Option<Self> {
        Self::named(parts, "code.hmap", listener)
    }

    fn named(parts: &[&Identity], ending: &str, listener: &dyn Listener) -> Option<Self> {
        if parts.is_empty() || parts.iter().any(|part| part.build_id.is_empty()) {
            return None;
        }
        let mut fingerprint = Fingerprint::new(env!("CARGO_PKG_VERSION"));
        for part in parts {
            fingerprint.add(&part.build_id);
            fingerprint.add(&part.text_hash);
        }
        Some(Self {
            directory: directory(&[], listener)?,
            name: format!("{}.{ending}", fingerprint.text()),
        })
    }

    /// The map kept here, if it is sound and of this hindmost, and which it is.
    pub(crate) fn read(&self, from: MapOrigin) -> Option<(Map, MapUsed)> {
        let made = self.directory.used(&self.name)?;
        let installed = modified(&std::env::current_exe().ok()?)?;
        if made < installed {
            return None;
        }
        let bytes = self.directory.read(&self.name)?;
        let map = Map::from_bytes(&bytes).ok()?;
        let used = MapUsed::new(from, &map, &bytes);
        Some((map, used))
    }

    /// The file of what is kept here.
    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path_of(&self.name)
    }

    /// Keeps a map, as the bytes that it is written as.
    pub(crate) fn write(&self, map: &[u8]) -> io::Result<()> {
        self.directory.put(&self.name, map)
    }
}

/// Where the map of one set of sources is kept.
pub struct Kept {
    directory: Directory,
    name: String,
    /// A preprocessor takes part.
    preprocessed: bool,
}

impl Kept {
    /// The place for the map that this program makes of `sources` with the help of `preprocessor`, unless there is
    /// nowhere to keep anything, or nobody can tell what a preprocessor depends on.
    pub fn of(program: &Program, preprocessor: &Preprocessor, listener: &dyn Listener) -> Option<Self> {
        let sources = &program.files;
        // A program that is wrong on request must not leave its maps to one that is right.
        if base::mutant::any_is_on() {
            return None;
        }
        let mut fingerprint = Fingerprint::new(env!("CARGO_PKG_VERSION"));
        fingerprint.add(&hash_of_this_program()?);
        fingerprint.add_sources(sources);
        let compiled = program.compiled.packed();
        compiled.iter().for_each(|unit| fingerprint.add(unit));
        let preprocessed = !preprocessor.is_empty();
        if preprocessed {
            preprocessor.identify(&mut fingerprint, sources).ok()?;
        }
        let ending = if preprocessed { "pmap" } else { "hmap" };
        let name = format!("{}.{ending}", fingerprint.text());
        Some(Self {
            directory: directory(&["maps"], listener)?,
            name,
            preprocessed,
        })
    }

    /// The map kept here, with its bytes, if it is sound and what it was made from is still there.
    pub fn read(&self) -> Option<(Map, Vec<u8>)> {
        let mut bytes = self.directory.read(&self.name)?;
        if self.preprocessed {
            let (inputs, map) = unpacked(&bytes)?;
            if !inputs.hold() {
                return None;
            }
            bytes = map.to_vec();
        }
        let map = Map::from_bytes(&bytes).ok()?;
        self.directory.note_use(&self.name);
        Some((map, bytes))
    }

    /// Keeps a map's bytes, and makes room. `preprocessor` is the one that took part, if any did.
    pub fn write(&self, bytes: &[u8], preprocessor: &Preprocessor) -> io::Result<()> {
        let packed = if self.preprocessed {
            preprocessor.inputs().and_then(|inputs| packed(&inputs, bytes))
        } else {
            None
        };
        // What was read cannot be told, or has changed meanwhile.
        if self.preprocessed && packed.is_none() {
            return Ok(());
        }
        let bytes = packed.as_deref().unwrap_or(bytes);
        self.directory.put(&self.name, bytes)?;
        self.directory.make_room(LIMIT)
    }
}

/// The length of the inputs' text, that text, and the map; sealed.
fn packed(inputs: &Inputs, map: &[u8]) -> Option<Vec<u8>> {
    // Paths that are no text are not written.
    let inputs = serde_json::to_vec(inputs).ok()?;
    Some(engine::sealed(&[
        &(inputs.len() as u64).to_le_bytes(),
        &inputs,
        map,
    ]))
}

/// The parts of what [`packed`] made; nothing when a byte is another.
fn unpacked(bytes: &[u8]) -> Option<(Inputs, &[u8])> {
    let (length, rest) = engine::unsealed(bytes)?.split_first_chunk::<8>()?;
    let (inputs, map) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    Some((serde_json::from_slice(inputs).ok()?, map))
}

/// The directory of all that is kept, or the one of these names in it; made where it is missing, and nothing if it is not safe to use.
fn directory(names: &[&str], listener: &dyn Listener) -> Option<Directory> {
    let base = match std::env::var_os("XDG_CACHE_HOME").filter(|dir| Path::new(dir).is_absolute()) {
        Some(dir) => PathBuf::from(dir),
        None => {
            PathBuf::from(std::env::var_os("HOME").filter(|dir| Path::new(dir).is_absolute())?).join(".cache")
        }
    };
    Directory::open(&base, &[&["hindmost"], names].concat())
        .map_err(|reason| {
            // Every part of the cache has the same reason.
            static SAID: Once = Once::new();
            SAID.call_once(|| {
                listener.warn(&format!(
                    "what is made could not be kept for the next time: {reason}"
                ))
            });
        })
        .ok()
}

/// A version number does not change with every build, and neither does a file's time: only the program's bytes tell, or the build-id that its linker made of them.
fn hash_of_this_program() -> Option<[u8; 32]> {
    /// Where linkers put the build-id.
    const HEAD: usize = 1 << 12;
    static HASH: LazyLock<Option<[u8; 32]>> = LazyLock::new(|| {
        let mut file = regular_files::open(&std::env::current_exe().ok()?).ok()?;
        let mut hasher = engine::ContentHasher::default();
        let mut buffer = vec![0; 1 << 20];
        let mut read = file.read(&mut buffer).ok()?;
        // It is a hash already, of everything but itself.
        if let Some(build_id) = engine::build_id_at_head(&buffer[..read.min(HEAD)]) {
            return Some(engine::content_hash(build_id));
        }
        while read != 0 {
            hasher.add(&buffer[..read]);
            read = file.read(&mut buffer).ok()?;
        }
        Some(hasher.finish())
    });
    *HASH
}

/// When a file was last changed, as far as the file system tells.
pub(crate) fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}
