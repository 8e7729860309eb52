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

use crate::files;
use crate::inputs::Inputs;
use crate::output;
use crate::preprocess::Preprocessor;
use engine::{Fingerprint, Identity, Map, SourceFile};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Once};
use std::time::SystemTime;

/// How many bytes of maps of sources are kept; the largest tree that we know of takes three million.
const LIMIT: u64 = 256 << 20;

/// Where the map of one build is kept.
pub(crate) struct Slot {
    path: PathBuf,
}

impl Slot {
    /// The place for a build of a program (and its libraries), unless a part has no id or there is nowhere to keep
    /// anything.
    ///
    /// The code belongs to the name as well: a build-id that was set by hand is that of many builds.
    pub(crate) fn of(parts: &[&Identity]) -> Option<Self> {
        if parts.is_empty() || parts.iter().any(|part| part.build_id.is_empty()) {
            return None;
        }
        let mut fingerprint = Fingerprint::new(env!("CARGO_PKG_VERSION"));
        for part in parts {
            fingerprint.add(&part.build_id);
            fingerprint.add(&part.text_hash);
        }
        let name = fingerprint.text();
        let name = format!("{name}.hmap");
        Some(Self {
            path: directory(&[])?.join(name),
        })
    }

    /// The map kept here, if it is sound and of this hindmost.
    pub(crate) fn read(&self) -> Option<Map> {
        let made = modified(&self.path)?;
        let installed = modified(&std::env::current_exe().ok()?)?;
        if made < installed {
            return None;
        }
        Map::from_bytes(&fs::read(&self.path).ok()?).ok()
    }

    /// Keeps a map.
    pub(crate) fn write(&self, map: &Map) -> anyhow::Result<()> {
        if let Some(directory) = self.path.parent() {
            fs::create_dir_all(directory)?;
        }
        files::write_atomically(&self.path, &map.to_bytes_by(rayon::current_num_threads()))
    }
}

/// Where the map of one set of sources is kept.
pub(crate) struct Kept {
    path: PathBuf,
    /// A preprocessor takes part.
    preprocessed: bool,
}

impl Kept {
    /// The place for the map that this program makes of `sources` with the help of `preprocessor`, unless there is
    /// nowhere to keep anything, or nobody can tell what a preprocessor depends on.
    pub(crate) fn of(sources: &[SourceFile], preprocessor: &Preprocessor) -> Option<Self> {
        // A program that is wrong on request must not leave its maps to one that is right.
        if cfg!(feature = "mutants") {
            return None;
        }
        let mut fingerprint = Fingerprint::new(env!("CARGO_PKG_VERSION"));
        fingerprint.add(&hash_of_this_program()?);
        fingerprint.add_sources(sources);
        let preprocessed = !preprocessor.is_empty();
        if preprocessed {
            preprocessor.identify(&mut fingerprint, sources)?;
        }
        let ending = if preprocessed { "pmap" } else { "hmap" };
        let name = format!("{}.{ending}", fingerprint.text());
        Some(Self {
            path: directory(&["maps"])?.join(name),
            preprocessed,
        })
    }

    /// The map kept here, with its bytes, if it is sound and what it was made from is still there.
    pub(crate) fn read(&self) -> Option<(Map, Vec<u8>)> {
        let mut bytes = fs::read(&self.path).ok()?;
        if self.preprocessed {
            let (inputs, map) = unpacked(&bytes)?;
            if !inputs.hold() {
                return None;
            }
            bytes = map.to_vec();
        }
        let map = Map::from_bytes(&bytes).ok()?;
        // The oldest go first when room is needed: this one is in use. If that cannot be noted, it goes a little early.
        if let Ok(file) = File::options().append(true).open(&self.path) {
            let _ = file.set_modified(SystemTime::now());
        }
        Some((map, bytes))
    }

    /// Keeps a map's bytes, and makes room. `preprocessor` is the one that took part, if any did.
    pub(crate) fn write(&self, bytes: &[u8], preprocessor: &Preprocessor) -> io::Result<()> {
        let Some(directory) = self.path.parent() else {
            return Ok(());
        };
        let packed = match self.preprocessed {
            true => preprocessor.inputs().and_then(|inputs| packed(&inputs, bytes)),
            false => None,
        };
        // What was read cannot be told, or has changed meanwhile.
        if self.preprocessed && packed.is_none() {
            return Ok(());
        }
        let bytes = packed.as_deref().unwrap_or(bytes);
        fs::create_dir_all(directory)?;
        put(&self.path, bytes)?;
        make_room(directory, LIMIT)
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

/// Writes a file under another name and renames it. Nothing is lost with the power: what is kept is checked when it is read.
fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let written = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // Whatever is left of it is of no use; the first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Removes the files of a directory that were used longest ago, until the rest is small enough.
fn make_room(directory: &Path, limit: u64) -> io::Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        // One that is gone was removed by another run.
        let Ok(metadata) = fs::symlink_metadata(entry.path()) else {
            continue;
        };
        if own::is_kept(&entry.path(), &metadata) {
            let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            files.push((used, metadata.len(), entry.path()));
        }
    }
    let mut sum: u64 = files.iter().map(|(_, size, _)| size).sum();
    files.sort();
    for (_, size, path) in files {
        if sum <= limit {
            break;
        }
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => sum -= size,
        }
    }
    Ok(())
}

/// The directory of all that is kept, or the one of these names in it; made where it is missing, and nothing if it is not safe to use.
fn directory(names: &[&str]) -> Option<PathBuf> {
    let base = match std::env::var_os("XDG_CACHE_HOME").filter(|dir| Path::new(dir).is_absolute()) {
        Some(dir) => PathBuf::from(dir),
        None => PathBuf::from(std::env::var_os("HOME").filter(|dir| !dir.is_empty())?).join(".cache"),
    };
    own::directory(&base, &[&["hindmost"], names].concat())
        .map_err(|reason| {
            // Every part of the cache has the same reason.
            static SAID: Once = Once::new();
            SAID.call_once(|| {
                output::warn(&format!(
                    "what is made could not be kept for the next time: {reason}"
                ))
            });
        })
        .ok()
}

/// A version number does not change with every build, and neither does a file's time: only the program's bytes tell.
fn hash_of_this_program() -> Option<[u8; 32]> {
    static HASH: LazyLock<Option<[u8; 32]>> = LazyLock::new(|| {
        let mut file = File::open(std::env::current_exe().ok()?).ok()?;
        let mut hasher = engine::ContentHasher::default();
        let mut buffer = vec![0; 1 << 20];
        loop {
            match file.read(&mut buffer).ok()? {
                0 => return Some(hasher.finish()),
                read => hasher.add(&buffer[..read]),
            }
        }
    });
    *HASH
}

/// When a file was last changed, as far as the file system tells.
pub(crate) fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

#[cfg(test)]
mod tests {
    use super::make_room;
    use std::fs::{self, File};
    use std::time::{Duration, SystemTime};

    #[test]
    fn the_oldest_files_go_first() {
        let directory = std::env::temp_dir().join(format!("hindmost-room-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let file = |digit: &str| format!("{}.hmap", digit.repeat(64));
        let (new, old, older) = (file("a"), file("b"), file("c"));
        // The oldest of all is not ours.
        let foreign = "precious.img".to_owned();
        for (file, age) in [(&old, 30), (&older, 40), (&new, 10), (&foreign, 50)] {
            let path = directory.join(file);
            fs::write(&path, [0; 100]).unwrap();
            let time = SystemTime::now() - Duration::from_secs(age);
            File::options()
                .append(true)
                .open(path)
                .unwrap()
                .set_modified(time)
                .unwrap();
        }
        make_room(&directory, 250).unwrap();
        let mut left = Vec::from_iter(fs::read_dir(&directory).unwrap().map(|e| e.unwrap().file_name()));
        left.sort();
        fs::remove_dir_all(&directory).unwrap();
        assert_eq!(left, [new, old, foreign].map(std::ffi::OsString::from));
    }
}
