//! Whose a directory is. A cache is used only if it belongs to the user who runs, and nobody else can write to it: what is kept in it is
//! believed, and files in it are removed when room is needed. As root with somebody's `HOME` there is none.
//!
//! Each directory is opened once, below the one before and without following a link, checked as it was opened, and everything in it is reached from there: whoever
//! renames a directory on the way meanwhile changes nothing.

use regular_files::Limit;
use rustix::fs::{AtFlags, Dir, Mode, OFlags, Stat, Timespec, Timestamps};
use rustix::io::Errno;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The mode bits by which others than the owner may write.
const OTHERS_WRITE: u32 = 0o022;

/// A directory of the user's own, open.
#[derive(Debug)]
pub(super) struct Directory {
    opened: OwnedFd,
    /// Its name, as it was opened.
    path: PathBuf,
}

impl Directory {
    /// The directory `names`, one below the other, below `base`, which is made where it is missing.
    ///
    /// # Errors
    /// When one of them cannot be made, is a link, somebody else's, or open to others: which, and why.
    pub(super) fn open(base: &Path, names: &[&str]) -> Result<Self, String> {
        let at = |path: &Path, why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
        if user() == 0
            && let Some(theirs) = not_of_root(base)
        {
            return Err(at(&theirs, &"it belongs to somebody else"));
        }
        fs::create_dir_all(base).map_err(|error| at(base, &error))?;
        // The user's own cache directory may be a link, to a larger disk for instance.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut opened = rustix::fs::open(base, flags, Mode::empty()).map_err(|error| at(base, &error))?;
        let owner = rustix::fs::fstat(&opened)
            .map_err(|error| at(base, &error))?
            .st_uid;
        if owner != user() {
            return Err(at(base, &"it belongs to somebody else"));
        }
        let mut path = base.to_owned();
        for &name in names {
            path.push(name);
            match rustix::fs::mkdirat(&opened, name, Mode::RWXU) {
                Err(error) if error != Errno::EXIST => return Err(at(&path, &error)),
                _ => {}
            }
            let found = rustix::fs::openat(&opened, name, flags | OFlags::NOFOLLOW, Mode::empty());
            opened = found.map_err(|error| match error {
                Errno::LOOP | Errno::NOTDIR => at(&path, &"it is a link or a file, and no directory"),
                _ => at(&path, &error),
            })?;
            let found = rustix::fs::fstat(&opened).map_err(|error| at(&path, &error))?;
            if found.st_uid != user() {
                return Err(at(&path, &"it belongs to somebody else"));
            }
            if found.st_mode & OTHERS_WRITE != 0 {
                return Err(at(&path, &"others may write to it"));
            }
        }
        Ok(Self { opened, path })
    }

    /// The name of a file in it, for others: here everything is reached from what is open.
    pub(super) fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The bytes of a file of ours, if there is one.
    pub(super) fn read(&self, name: &str) -> Option<Vec<u8>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.opened, name, flags, Mode::empty()).ok()?;
        if !is_own_file(&rustix::fs::fstat(&file).ok()?) {
            return None;
        }
        regular_files::read_opened(&mut File::from(file), Limit::RECORD).ok()
    }

    /// When a file of ours was written or last used.
    pub(super) fn used(&self, name: &str) -> Option<SystemTime> {
        let found = rustix::fs::statat(&self.opened, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        is_own_file(&found).then(|| modified(&found))
    }

    /// Notes that a file is in use: the oldest go first when room is needed. If that cannot be noted, it goes a little early.
    pub(super) fn note_use(&self, name: &str) {
        let now = Timespec {
            tv_sec: 0,
            tv_nsec: rustix::fs::UTIME_NOW,
        };
        let times = Timestamps {
            last_access: now,
            last_modification: now,
        };
        let _ = rustix::fs::utimensat(&self.opened, name, &times, AtFlags::SYMLINK_NOFOLLOW);
    }

    /// Writes a file as a whole or not at all: under another name, which nobody can foresee, and renamed. It need not survive a loss of power: what is
    /// kept is checked when it is read.
    pub(super) fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let temporary = format!("{:016x}.tmp", crate::files::unforeseeable());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.opened, &temporary, flags, Mode::RUSR | Mode::WUSR)?;
        let renamed = || rustix::fs::renameat(&self.opened, &temporary, &self.opened, name);
        let written = File::from(file).write_all(bytes).and_then(|()| Ok(renamed()?));
        if written.is_err() {
            // Whatever is left of it is of no use; the first error is the one to report.
            let _ = rustix::fs::unlinkat(&self.opened, &temporary, AtFlags::empty());
        }
        written
    }

    /// Whether a file of a name of ours is one of ours: by what it begins with. One of which nothing was written yet may go, too.
    fn is_kept_file(&self, name: &str) -> bool {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(file) = rustix::fs::openat(&self.opened, name, flags, Mode::empty()) else {
            return false;
        };
        let mut head = Vec::new();
        let read = File::from(file).take(8).read_to_end(&mut head);
        read.is_ok() && (head.is_empty() || engine::is_kept_file(&head))
    }

    /// Removes those of our files that were used longest ago, until the rest has no more than `limit` bytes.
    pub(super) fn make_room(&self, limit: u64) -> io::Result<()> {
        let mut files = Vec::new();
        for entry in Dir::read_from(self.opened.as_fd())? {
            let entry = entry?;
            // One that is gone was removed by another run.
            let found = rustix::fs::statat(&self.opened, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW);
            if let (Ok(found), Ok(name)) = (found, entry.file_name().to_str())
                && is_name_of_ours(name)
                && is_own_file(&found)
            {
                let size = u64::try_from(found.st_size).unwrap_or(0);
                files.push((modified(&found), size, name.to_owned()));
            }
        }
        let mut sum: u64 = files.iter().map(|(_, size, _)| size).sum();
        files.sort();
        for (_, size, name) in files {
            if sum <= limit {
                break;
            }
            if !self.is_kept_file(&name) {
                continue;
            }
            match rustix::fs::unlinkat(&self.opened, &name, AtFlags::empty()) {
                Err(error) if error != Errno::NOENT => return Err(error.into()),
                _ => sum -= size,
            }
        }
        Ok(())
    }
}

/// The first on the way to a directory that is not root's, link or directory. Its owner may lead the way anywhere: as root, with somebody's `HOME`, `.cache` would be
/// made for root, or would be a link to a directory of root's that is none to write to.
fn not_of_root(directory: &Path) -> Option<PathBuf> {
    let is_theirs = |path: &Path| {
        let owner = |found: io::Result<fs::Metadata>| found.is_ok_and(|found| found.uid() != 0);
        owner(fs::symlink_metadata(path)) || owner(fs::metadata(path))
    };
    // Where links lead, too; of one that is not there yet the nearest that is.
    let there = directory.ancestors().find_map(|path| path.canonicalize().ok());
    let mut all = directory
        .ancestors()
        .chain(there.iter().flat_map(|path| path.ancestors()));
    all.find(|path| is_theirs(path)).map(Path::to_owned)
}

/// Whether a name is one that hindmost gives: a hash with one of our endings.
fn is_name_of_ours(name: &str) -> bool {
    let Some((hash, ending)) = name.split_once('.') else {
        return false;
    };
    let is_hash = hash.len() >= 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash && matches!(ending, "hmap" | "pmap" | "graph" | "unit" | "tmp")
}

fn is_own_file(found: &Stat) -> bool {
    rustix::fs::FileType::from_raw_mode(found.st_mode).is_file() && found.st_uid == user()
}

fn modified(found: &Stat) -> SystemTime {
    // Before 1970 nobody kept anything.
    let seconds = u64::try_from(found.st_mtime).unwrap_or(0);
    let nanoseconds = u32::try_from(found.st_mtime_nsec).unwrap_or(0);
    SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds)
}

fn user() -> u32 {
    nix::unistd::geteuid().as_raw()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    /// A directory that goes away with this value.
    struct Base(PathBuf);

    impl Base {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("hindmost-own-{}-{name}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(self.0.join("hindmost")).unwrap();
            let mut names = Vec::from_iter(entries.map(|e| e.unwrap().file_name().into_string().unwrap()));
            names.sort();
            names
        }
    }

    impl Drop for Base {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_directory_of_ones_own_is_made() {
        let base = Base::new("made");
        Directory::open(&base.0, &["hindmost", "maps"]).unwrap();
        let made = fs::metadata(base.0.join("hindmost/maps")).unwrap();
        assert_eq!(made.mode() & 0o777, 0o700);
        assert!(Directory::open(&base.0, &["hindmost", "maps"]).is_ok());
    }

    /// Somebody's own directory, whatever is in it, is no way to root's.
    #[test]
    fn root_makes_nothing_in_a_home_of_somebody_else() {
        const NOBODY: u32 = 65534;
        if user() != 0 {
            return;
        }
        let (home, roots) = (Base::new("home"), Base::new("roots"));
        std::os::unix::fs::chown(&home.0, Some(NOBODY), None).unwrap();
        let error = Directory::open(&home.0.join(".cache"), &["hindmost"]).unwrap_err();
        assert!(error.contains("belongs to somebody else"), "{error}");
        assert_eq!(fs::read_dir(&home.0).unwrap().count(), 0);
        symlink(&roots.0, home.0.join(".cache")).unwrap();
        assert!(Directory::open(&home.0.join(".cache"), &["hindmost"]).is_err());
        assert_eq!(fs::read_dir(&roots.0).unwrap().count(), 0);
        // A link of theirs in a directory that all may write to.
        let link = roots.0.join("link");
        symlink(&roots.0, &link).unwrap();
        assert!(Directory::open(&link, &["hindmost"]).is_ok());
        std::os::unix::fs::lchown(&link, Some(NOBODY), None).unwrap();
        assert!(Directory::open(&link, &["hindmost"]).is_err());
    }

    #[test]
    fn a_link_is_not_followed() {
        let (base, other) = (Base::new("link"), Base::new("other"));
        symlink(&other.0, base.0.join("hindmost")).unwrap();
        let error = Directory::open(&base.0, &["hindmost", "maps"]).unwrap_err();
        assert!(error.contains("is a link"), "{error}");
        assert_eq!(fs::read_dir(&other.0).unwrap().count(), 0);
    }

    #[test]
    fn a_directory_that_others_write_to_is_not_used() {
        let base = Base::new("open");
        Directory::open(&base.0, &["hindmost"]).unwrap();
        let path = base.0.join("hindmost");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
        let error = Directory::open(&base.0, &["hindmost", "maps"]).unwrap_err();
        assert!(error.contains("others may write"), "{error}");
    }

    #[test]
    fn what_is_put_away_is_read_again_and_nothing_else_is() {
        let base = Base::new("entries");
        let directory = Directory::open(&base.0, &["hindmost"]).unwrap();
        directory.put("0123456789abcdef.hmap", b"one").unwrap();
        directory.put("0123456789abcdef.hmap", b"two").unwrap();
        assert_eq!(directory.read("0123456789abcdef.hmap").unwrap(), b"two");
        assert_eq!(base.names(), ["0123456789abcdef.hmap"]);
        assert_eq!(directory.read("none.hmap"), None);
        symlink("/etc/passwd", base.0.join("hindmost/a.hmap")).unwrap();
        assert_eq!(directory.read("a.hmap"), None);
        rustix::fs::mkfifoat(&directory.opened, "b.hmap", Mode::RWXU).unwrap();
        assert_eq!(directory.read("b.hmap"), None);
    }

    #[test]
    fn who_moves_the_directory_away_changes_nothing() {
        let base = Base::new("moved");
        let directory = Directory::open(&base.0, &["hindmost"]).unwrap();
        fs::rename(base.0.join("hindmost"), base.0.join("ours")).unwrap();
        fs::create_dir(base.0.join("hindmost")).unwrap();
        directory.put("0123456789abcdef.unit", b"x").unwrap();
        assert!(base.names().is_empty());
        assert!(base.0.join("ours/0123456789abcdef.unit").exists());
    }

    #[test]
    fn the_oldest_files_go_first_and_foreign_ones_never() {
        let base = Base::new("room");
        let directory = Directory::open(&base.0, &["hindmost"]).unwrap();
        let file = |digit: &str| format!("{}.hmap", digit.repeat(64));
        let (new, old, older) = (file("a"), file("b"), file("c"));
        // The oldest of all are not ours: by their names, and one by what it is.
        let foreign = [
            "notes.hmap".to_owned(),
            "precious.img".to_owned(),
            file("d") + ".img",
            file("e"),
        ];
        let sealed = engine::sealed(&[&[0; 60]]);
        assert_eq!(sealed.len(), 100);
        let ages = [(&old, 30), (&older, 40), (&new, 10)];
        for (file, age) in ages.into_iter().chain(foreign.iter().map(|name| (name, 50))) {
            let path = base.0.join("hindmost").join(file);
            let is_foreign = foreign.contains(file);
            fs::write(&path, if is_foreign { vec![7; 100] } else { sealed.clone() }).unwrap();
            let time = SystemTime::now() - Duration::from_secs(age);
            let file = File::options().append(true).open(path).unwrap();
            file.set_modified(time).unwrap();
        }
        directory.note_use(&old);
        // The one that is foreign and has a name of ours counts.
        directory.make_room(200).unwrap();
        let mut left = vec![old];
        left.extend(foreign);
        left.sort();
        assert_eq!(base.names(), left);
    }
}
