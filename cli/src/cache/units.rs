//! What was read of single files, kept for the next run: `engine` says what fits, here it is put away.
//!
//! One small file each, because a run changes few of them, and because runs at the same time then need no agreement: each
//! file is written under another name and renamed. A file that cannot be read or written is one that is not kept.

use super::{directory, hash_of_this_program, make_room, put};
use engine::{Reuse, Shelf};
use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

/// How many bytes are kept; the largest tree that we know of takes a tenth.
const LIMIT: u64 = 512 << 20;
/// The oldest go first when room is needed; that a file is in use is noted this often.
const NOTED: Duration = Duration::from_secs(3600);

/// The shelf of this user.
pub(crate) struct Units {
    directory: PathBuf,
    program: [u8; 32],
    /// Something was put there.
    grown: AtomicBool,
}

impl Units {
    /// The shelf, unless there is nowhere to keep anything.
    pub(crate) fn open() -> Option<Self> {
        // A program that is wrong on request must not leave what it read to one that is right.
        if cfg!(feature = "mutants") {
            return None;
        }
        let directory = directory(&["units"])?;
        Some(Self {
            directory,
            program: hash_of_this_program()?,
            grown: AtomicBool::new(false),
        })
    }

    /// How `engine` may use it.
    pub(crate) fn reuse(&self) -> Reuse<'_> {
        Reuse {
            shelf: self,
            program: self.program,
        }
    }

    /// Removes what was used longest ago, if there is too much. When that fails, the next run tries again.
    pub(crate) fn make_room(&self) {
        if self.grown.load(Ordering::Relaxed) {
            let _ = make_room(&self.directory, LIMIT);
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name).with_extension("unit")
    }
}

impl Shelf for Units {
    fn take(&self, name: &str) -> Option<Vec<u8>> {
        let path = self.path(name);
        let bytes = fs::read(&path).ok()?;
        let now = SystemTime::now();
        let used = super::modified(&path).and_then(|used| now.duration_since(used).ok());
        if used.is_some_and(|age| age > NOTED)
            && let Ok(file) = File::options().append(true).open(&path)
        {
            // If that cannot be noted, it goes a little early.
            let _ = file.set_modified(now);
        }
        Some(bytes)
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        if put(&self.path(name), bytes).is_ok() {
            self.grown.store(true, Ordering::Relaxed);
        }
    }
}
