//! Maps made on the spot, kept for the next time.
//!
//! A map is kept under its build's id, and only when all sources were there and none was newer than the executable:
//! then they were those of the build, and the map stays right whatever happens to them later. One that an older hindmost made is not
//! used. The cache is an optimisation: any trouble with it is a warning.

use crate::files;
use engine::Map;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Where the map of one build is kept.
pub(crate) struct Slot {
    path: PathBuf,
}

impl Slot {
    /// The place for a build, unless the build has no id or there is nowhere to keep anything.
    pub(crate) fn of(build_id: &[u8]) -> Option<Self> {
        if build_id.is_empty() {
            return None;
        }
        let base = match std::env::var_os("XDG_CACHE_HOME").filter(|dir| Path::new(dir).is_absolute()) {
            Some(dir) => PathBuf::from(dir),
            None => PathBuf::from(std::env::var_os("HOME").filter(|dir| !dir.is_empty())?).join(".cache"),
        };
        let name = format!("{}.hmap", engine::build_id_text(build_id));
        Some(Self {
            path: base.join("hindmost").join(name),
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
        files::write_atomically(&self.path, &map.to_bytes())
    }
}

/// When a file was last changed, as far as the file system tells.
pub(crate) fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}
