//! Reading files whose names come from elsewhere: from debug info, a target's memory map, a build database, a snapshot.
//!
//! Such a name may by now lead to a pipe that nobody writes to, to a device that never ends or that does something when it is
//! opened (`/dev/watchdog` restarts the machine), or to a file larger than memory. So a name is first resolved without opening what it leads to
//! (`O_PATH`), only a regular file is then opened, by that very descriptor, and never more is read than a [`Limit`] allows. What the kernel makes up calls itself
//! a regular file too, but reading it may take messages away from others (`/proc/kmsg`), never end, or tell what belongs to another process: it is none here.
//! Root opens what others name with their rights ([`Reader`]).
//! Shipped code opens files by this crate alone; `.ci/run` forbids it other ways.
//!
//! # How it works
//!
//! How files are opened whose names come from elsewhere: debug info, memory maps, build databases, what a user
//! types. A name is resolved without opening what it leads to; only a regular file is then opened, and read within
//! a `Limit`. What a shell has passed (`/dev/stdin`, `/dev/fd/N`) may be a pipe. `clippy.toml` names the functions
//! of std and memmap2 that do otherwise; `cargo xtask test` forbids them in everything that users run.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod reader;

pub use reader::{Reader, User};

use rustix::fs::{Mode, OFlags, SeekFrom, seek};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Range;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// How many bytes of a file are read at most; a larger one is an error. Far above anything real, so that only a mistake or malice meets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit(u64);

impl Limit {
    /// A source file. The largest that we know of, an amalgamation of SQLite or generated tables, have some ten million bytes.
    pub const SOURCE: Limit = Limit(256 << 20);
    /// What hindmost or another tool has recorded: a map, a snapshot, a tree, a build database.
    pub const RECORD: Limit = Limit(4 << 30);
    /// A program, a library or its debug info.
    pub const PROGRAM: Limit = Limit(8 << 30);
    /// What the kernel prints about a process or itself.
    pub const KERNEL: Limit = Limit(256 << 20);

    /// How many bytes that is.
    pub const fn bytes(self) -> u64 {
        self.0
    }

    /// At most so many bytes.
    pub const fn of(bytes: u64) -> Limit {
        Limit(bytes)
    }
}

/// Opens a regular file for reading, and nothing else; links are followed. What the kernel makes up is none, but for its links to files.
///
/// # Errors
/// As [`File::open`], and [`io::ErrorKind::InvalidInput`] with a text that says what is there instead when it is no regular file.
pub fn open(path: &Path) -> io::Result<File> {
    let found = resolve(path)?;
    let kind = found.metadata()?.file_type();
    if !kind.is_file() {
        return Err(not_regular(kind));
    }
    if is_made_up(&found)? {
        return Err(refused("made up by the kernel"));
    }
    reopen(&found)
}

/// Whether a file is on a file system of the kernel's own.
fn is_made_up(found: &File) -> io::Result<bool> {
    // As `linux/magic.h` and the file systems themselves have them: proc, sysfs, debugfs, tracefs, securityfs, configfs, cgroup and cgroup2, bpf, pstore, efivarfs, selinuxfs,
    // smackfs, binfmt_misc, nsfs, mqueue, resctrl, fusectl, nfsd, rpc_pipefs, xenfs, devpts.
    const KINDS: [u32; 22] = [
        0x9fa0,
        0x6265_6572,
        0x6462_6720,
        0x7472_6163,
        0x7363_6673,
        0x6265_6570,
        0x0027_e0eb,
        0x6367_7270,
        0xcafe_4a11,
        0x6165_676c,
        0xde5e_81e4,
        0xf97c_ff8c,
        0x4341_5d53,
        0x4249_4e4d,
        0x6e73_6673,
        0x1980_0202,
        0x0765_5821,
        0x6573_5543,
        0x6e66_7364,
        0x6759_6969,
        0xabba_1974,
        0x1cd1,
    ];
    // The kernel's type is a signed word.
    let kind = rustix::fs::fstatfs(found)?.f_type as u32;
    Ok(KINDS.contains(&kind))
}

/// All bytes of a regular file.
///
/// # Errors
/// As [`open`]; the file cannot be read, is larger than `most`, or memory does not suffice.
pub fn read(path: &Path, most: Limit) -> io::Result<Vec<u8>> {
    read_opened(&mut open(path)?, most)
}

/// As [`read`], of a file that a user names: it may also be a pipe that his shell has opened for us (`/dev/stdin`, `<(command)`), since
/// whoever wrote that command line holds its other end. A named pipe is none.
///
/// # Errors
/// As [`read`].
pub fn read_named(path: &Path, most: Limit) -> io::Result<Vec<u8>> {
    read_opened(&mut open_named(path)?, most)
}

/// Opens what [`read_named`] reads, for whoever reads it piece by piece.
///
/// # Errors
/// As [`open`].
pub fn open_named(path: &Path) -> io::Result<File> {
    if is_own_descriptor(path) {
        passed(path)
    } else {
        open(path)
    }
}

/// As [`read`], of text.
///
/// # Errors
/// As [`read`]; [`io::ErrorKind::InvalidData`] if it is not UTF-8.
pub fn read_text(path: &Path, most: Limit) -> io::Result<String> {
    let bytes = read(path, most)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Opens a file that the kernel makes up (below `/proc` and `/sys`), by a name that we have built ourselves: nothing else can be there. Cheaper than
/// [`open`], for what is read many times in a look.
///
/// # Errors
/// As [`File::open`]; the name is not below those directories.
#[allow(
    clippy::disallowed_methods,
    reason = "names below these directories are those of the kernel"
)]
pub fn open_of_kernel(path: &str) -> io::Result<File> {
    if path.starts_with("/proc/") || path.starts_with("/sys/") {
        File::open(path)
    } else {
        Err(io::ErrorKind::InvalidInput.into())
    }
}

/// All that the kernel prints in a file of its own, which has no size beforehand.
///
/// # Errors
/// As [`open_of_kernel`]; it cannot be read, or never ends.
pub fn read_of_kernel(path: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(KERNEL_TEXT);
    let read = open_of_kernel(path)?
        .take(Limit::KERNEL.0 + 1)
        .read_to_end(&mut bytes)?;
    if read as u64 > Limit::KERNEL.0 {
        Err(too_large(Limit::KERNEL))
    } else {
        Ok(bytes)
    }
}

/// What most of the kernel's files about a process hold.
const KERNEL_TEXT: usize = 2048;

/// What is left of an open file, if that is no more than `most` bytes, even while it grows.
///
/// # Errors
/// It cannot be read, holds more, or memory does not suffice.
pub fn read_opened(file: &mut File, most: Limit) -> io::Result<Vec<u8>> {
    let size = file.metadata()?.len();
    if size > most.0 {
        return Err(too_large(most));
    }
    let mut bytes = Vec::new();
    // One more, so that reading notices the end without growing.
    let expected = usize::try_from(size.saturating_add(1)).map_err(|_| too_large(most))?;
    bytes.try_reserve_exact(expected)?;
    file.take(most.0.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most.0 {
        Err(too_large(most))
    } else {
        Ok(bytes)
    }
}

/// A file of which only those parts are read that are asked for. All else is zero, and takes no memory as long as nobody looks at it.
#[derive(Debug)]
pub struct Parts<'f> {
    file: &'f File,
    bytes: Vec<u8>,
}

impl<'f> Parts<'f> {
    /// None of it yet. It is as long as it is now.
    ///
    /// # Errors
    /// It is larger than `most`, or nobody can tell how large it is.
    pub fn of(file: &'f File, most: Limit) -> io::Result<Self> {
        let bytes = vec![0; length_of(file, most)?];
        Ok(Self { file, bytes })
    }

    /// Reads a part, as far as the file goes, and gives back what is there of it.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(&mut self, part: Range<usize>) -> io::Result<&[u8]> {
        let part = part.start.min(self.bytes.len())..part.end.min(self.bytes.len());
        let from = part.start as u64;
        let Some(bytes) = self.bytes.get_mut(part) else {
            return Ok(&[]);
        };
        read_part(self.file, bytes, from)?;
        Ok(bytes)
    }

    /// The whole file with what was read of it so far.
    #[must_use]
    pub fn so_far(&self) -> &[u8] {
        &self.bytes
    }

    /// The same, when nothing more is read.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

fn length_of(file: &File, most: Limit) -> io::Result<usize> {
    let size = file.metadata()?.len();
    let length = usize::try_from(size).ok().filter(|_| size <= most.0);
    length.ok_or_else(|| too_large(most))
}

/// Room for one file with large parts that nobody has written to, after the other: these are zeros, and not read. Only what was written is ever cleared.
///
/// Not for files of which parts are given back to the file system meanwhile: Linux then tells now and then that nothing was written where something was (seen with ext4, 6.18). For those, [`Parts`].
#[derive(Debug, Default)]
pub struct SparseBuffer {
    bytes: Vec<u8>,
    /// The parts of it that may be other than zero.
    written: Vec<Range<usize>>,
}

impl SparseBuffer {
    /// As [`read_opened`]. The file is as long as it was when the reading began, and whoever writes to it meanwhile is seen as by one who reads it from its beginning to its end.
    ///
    /// # Errors
    /// As [`open`]; the file cannot be read, or is larger than `most`.
    pub fn read(&mut self, file: &File, most: Limit) -> io::Result<&[u8]> {
        self.fill(file, most)?;
        Ok(&self.bytes)
    }

    fn fill(&mut self, file: &File, most: Limit) -> io::Result<()> {
        let length = length_of(file, most)?;
        let size = length as u64;
        for part in self.written.drain(..) {
            self.bytes[part].fill(0);
        }
        if self.bytes.is_empty() {
            // Zeros that nobody looks at take no memory.
            self.bytes = vec![0; length];
        }
        self.bytes.resize(length, 0);
        let mut at = 0;
        while let Some((from, to)) = written_behind(file, at, size)? {
            let range = from as usize..to as usize;
            let Some(part) = self.bytes.get_mut(range.clone()) else {
                break;
            };
            self.written.push(range);
            read_part(file, part, from)?;
            at = to;
        }
        Ok(())
    }
}

/// The next part of a file that was written to, from `at` on; all of it where the file system does not tell.
fn written_behind(file: &File, at: u64, size: u64) -> io::Result<Option<(u64, u64)>> {
    if at >= size {
        return Ok(None);
    }
    let from = match seek(file, SeekFrom::Data(at)) {
        Ok(from) => from,
        Err(Errno::NXIO) => return Ok(None),
        Err(Errno::INVAL | Errno::OPNOTSUPP) => return Ok(Some((at, size))),
        Err(error) => return Err(error.into()),
    };
    let to = seek(file, SeekFrom::Hole(from)).unwrap_or(size).min(size);
    Ok((from < to).then_some((from, to)))
}

/// Fills `part` with what stands at `from`; what a file that was cut off meanwhile has no more stays zero.
fn read_part(file: &File, part: &mut [u8], from: u64) -> io::Result<()> {
    let mut done = 0;
    while let Some(rest) = part.get_mut(done..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, from + done as u64) {
            Ok(0) => break,
            Ok(read) => done += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn too_large(most: Limit) -> io::Error {
    let text = format!("it has more than {} bytes, as many as are read", most.0);
    io::Error::new(io::ErrorKind::FileTooLarge, text)
}

/// What a name leads to, without opening it: nothing can be read from it yet, but asked about it.
fn resolve(path: &Path) -> io::Result<File> {
    let found: OwnedFd = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    Ok(File::from(found))
}

/// Opens the very file that `found` stands for, whatever its name leads to by now.
fn reopen(found: &File) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let itself = format!("/proc/self/fd/{}", found.as_raw_fd());
    match rustix::fs::open(itself, flags, Mode::empty()) {
        // The file is there, but nothing of the kernel's: as in the root directory of a container that is being built.
        Err(Errno::NOENT) => Err(io::Error::other(
            "/proc is not mounted, and files are opened by it",
        )),
        opened => Ok(File::from(opened?)),
    }
}

/// Opens what a shell has passed on. Waiting for its writer is what is wanted, so it blocks; a device is refused all the same.
fn passed(path: &Path) -> io::Result<File> {
    let kind = resolve(path)?.metadata()?.file_type();
    use std::os::unix::fs::FileTypeExt as _;
    if !kind.is_file() && !kind.is_fifo() {
        return Err(not_regular(kind));
    }
    let flags = OFlags::RDONLY | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

/// Whether a path names one of our own open files.
fn is_own_descriptor(path: &Path) -> bool {
    path == Path::new("/dev/stdin") || path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd")
}

fn not_regular(kind: std::fs::FileType) -> io::Error {
    use std::os::unix::fs::FileTypeExt as _;
    let what = if kind.is_dir() {
        "a directory"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_char_device() || kind.is_block_device() {
        "a device"
    } else {
        "something else"
    };
    refused(what)
}

fn refused(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("it is {what}, not a regular file"),
    )
}

#[cfg(test)]
mod tests;
