//! What was read of single files, kept for the next run: `engine` says what fits, here it is put away.
//!
//! One small file each, because a run changes few of them, and because runs at the same time then need no agreement: each
//! file is written under another name and renamed. A file that cannot be read or written is one that is not kept.

use super::own::Directory;
use super::{directory, hash_of_this_program};
use crate::listener::Listener;
use engine::{Reuse, Shelf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

/// How many bytes are kept; the largest tree that we know of takes a tenth.
const LIMIT: u64 = 512 << 20;
/// The oldest go first when room is needed; that a file is in use is noted this often.
const NOTED: Duration = Duration::from_secs(3600);

/// The shelf of this user.
pub struct Units {
    directory: Directory,
    program: [u8; 32],
    /// Something was put there.
    grown: AtomicBool,
}

impl Units {
    /// The shelf, unless there is nowhere to keep anything.
    pub fn open(listener: &dyn Listener) -> Option<Self> {
        // A program that is wrong on request must not leave what it read to one that is right.
        if base::mutant::any_is_on() {
            return None;
        }
        let directory = directory(&["units"], listener)?;
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
            let _ = self.directory.make_room(LIMIT);
        }
    }
}

/// The name of the file of one unit.
fn file_of(name: &str) -> String {
    format!("{name}.unit")
}

impl Shelf for Units {
    fn take(&self, name: &str) -> Option<Vec<u8>> {
        let file = file_of(name);
        let bytes = self.directory.read(&file)?;
        let used = self.directory.used(&file);
        let age = used.and_then(|used| SystemTime::now().duration_since(used).ok());
        if age.is_some_and(|age| age > NOTED) {
            self.directory.note_use(&file);
        }
        Some(bytes)
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        if self.directory.put(&file_of(name), bytes).is_ok() {
            self.grown.store(true, Ordering::Relaxed);
        }
    }
}
