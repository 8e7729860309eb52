//! Whose rights a file is opened with.
//!
//! Root can read everything, and what a target names is not what its owner may read: debug info that names somebody's private source would have root
//! print lines of it into an answer that is passed on. So whatever a process or a file of another user names is opened as that user would open it:
//! with his user and group ids for files, which Linux keeps for each thread, and without the capabilities that pass by permissions. They are taken for
//! one opening and given back; whoever needs other rights at the same time, in another thread, is not concerned.

use crate::{Limit, SparseBuffer, open, read_opened};
use nix::unistd::{Gid, Uid, setfsgid, setfsuid};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A user as files see him.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct User {
    /// User id.
    pub uid: u32,
    /// Group id.
    pub gid: u32,
    /// Further groups.
    pub groups: Vec<u32>,
}

impl User {
    /// Who owns nothing and is in no group: he reads what everybody may read.
    fn nobody() -> User {
        const NOBODY: u32 = 65534;
        User {
            uid: NOBODY,
            gid: NOBODY,
            groups: Vec::new(),
        }
    }

    /// Who owns what is open, as far as a file tells: his further groups are not known.
    fn owner(file: &fs::Metadata) -> User {
        User {
            uid: file.uid(),
            gid: file.gid(),
            groups: Vec::new(),
        }
    }
}

/// Opens files with the rights of whoever named them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reader {
    /// Everybody who had a part in the names, but for root and ourselves; sorted.
    users: Vec<User>,
}

impl Reader {
    /// Reads what these users may read. Whoever is not root reads with his own rights, since he has no more to lend; and so does root for himself. What several users
    /// name must be open to everybody.
    pub fn of(users: impl IntoIterator<Item = User>) -> Reader {
        let mut reader = Reader::default();
        if rustix::process::geteuid().is_root() {
            reader.users = users.into_iter().filter(|user| user.uid != 0).collect();
            reader.users.sort_unstable();
            reader.users.dedup();
        }
        reader
    }

    /// Reads what the owners of these files may read. A file that is not there names nothing.
    pub fn of_owners<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Reader {
        let files = paths.into_iter().filter_map(|path| fs::metadata(path).ok());
        Reader::of(files.map(|file| User::owner(&file)))
    }

    /// Reads what nobody in particular may read, if we are root.
    pub fn of_nobody() -> Reader {
        Reader::of([User::nobody()])
    }

    /// Reads what both may read.
    #[must_use]
    pub fn and(&self, other: &Reader) -> Reader {
        Reader::of(self.users.iter().chain(&other.users).cloned())
    }

    /// As [`open`](crate::open).
    ///
    /// # Errors
    /// The same, and the rights cannot be had.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        self.lend(|| open(path))
    }

    /// As [`read`](crate::read).
    ///
    /// # Errors
    /// The same, and the rights cannot be had.
    pub fn read(&self, path: &Path, most: Limit) -> io::Result<Vec<u8>> {
        read_opened(&mut self.open(path)?, most)
    }

    /// As [`read`](crate::read), of a file with large parts that nobody has written to, into a buffer that is there already.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn read_sparse_into<'b>(
        &self,
        path: &Path,
        most: Limit,
        buffer: &'b mut SparseBuffer,
    ) -> io::Result<&'b [u8]> {
        buffer.read(&self.open(path)?, most)
    }

    /// Whether there is a file of this name, as far as the users can tell.
    pub fn is_file(&self, path: &Path) -> bool {
        self.lend(|| fs::metadata(path))
            .is_ok_and(|found| found.is_file())
    }

    /// Whether there is a directory of this name, as far as the users can tell.
    pub fn is_dir(&self, path: &Path) -> bool {
        self.lend(|| fs::metadata(path)).is_ok_and(|found| found.is_dir())
    }

    /// A path without links and dots.
    ///
    /// # Errors
    /// As [`fs::canonicalize`] for these users.
    pub fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        self.lend(|| fs::canonicalize(path))
    }

    /// Does something with the users' rights.
    fn lend<T>(&self, act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let nobody;
        let user = match &self.users[..] {
            [] => return act(),
            [only] => only,
            _ => {
                nobody = User::nobody();
                &nobody
            }
        };
        let _lent = Lent::take(user)?;
        act()
    }
}

/// Somebody else's rights, given back when this is dropped. They are this thread's alone.
struct Lent {
    groups: Vec<rustix::fs::Gid>,
    gid: Gid,
    uid: Uid,
}

impl Lent {
    fn take(user: &User) -> io::Result<Lent> {
        let groups: Vec<rustix::fs::Gid> = user
            .groups
            .iter()
            .map(|&group| rustix::fs::Gid::from_raw(group))
            .collect();
        let own = rustix::process::getgroups()?;
        rustix::thread::set_thread_groups(&groups)?;
        // From here on what was changed is given back, whatever fails. They return what was there before, also when they change nothing.
        let lent = Lent {
            groups: own,
            gid: setfsgid(Gid::from_raw(user.gid)),
            uid: setfsuid(Uid::from_raw(user.uid)),
        };
        if lent.is_there(user) {
            Ok(lent)
        } else {
            Err(io::ErrorKind::PermissionDenied.into())
        }
    }

    /// Whether the ids are what they were to be: an id that no user has changes nothing, and tells what is there.
    fn is_there(&self, user: &User) -> bool {
        let none = u32::MAX;
        setfsgid(Gid::from_raw(none)).as_raw() == user.gid
            && setfsuid(Uid::from_raw(none)).as_raw() == user.uid
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        setfsuid(self.uid);
        setfsgid(self.gid);
        // Should it fail, we have fewer rights than before, and files that we could read are closed to us.
        let _ = rustix::thread::set_thread_groups(&self.groups);
    }
}
