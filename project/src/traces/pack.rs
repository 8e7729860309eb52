//! Packs what threads have written, behind them.
//!
//! A thread that is traced has no time, so its blocks are as its hooks have made them. Here those that are full are packed into a second file, and their room in the first one given back; when
//! the thread has ended, or its process is gone, all are, and the first file goes. At every instant what was written is in one of the two: a frame is on the disk before
//! its blocks are given up, and a frame that was broken off is written anew. Two that pack the same file take turns.

use super::{STAMPS, TRACE, threads};
use crate::failure::Failure;
use crate::recordings::host;
use calltrace::layout::{BLOCK, HEADER};
use calltrace::packed::{self, MOST_BLOCKS, Packed};
use calltrace::task;
use engine::traces::Task;
use regular_files::Limit;
use rustix::fs::{FallocateFlags, FlockOperation, fallocate, flock};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// What was packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackedTraces {
    /// Files that are packed to their end.
    pub whole: usize,
    /// Files that are written to by now, or may be.
    pub open: usize,
    /// Processes of other hosts, which are left as they are.
    pub elsewhere: usize,
}

/// Which processes may still write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writers {
    /// Those of this host that are there; of other hosts nobody can tell, and their files are left as they are.
    AsThisHostTells,
    /// None, on any host: whoever says so knows that the job is over.
    Over,
}

/// Packs the traces of a directory, as often as it is asked to.
#[derive(Debug, Default)]
pub struct TracePacker {
    /// How many blocks of a file were packed when it was looked at last.
    packed: BTreeMap<PathBuf, usize>,
    /// Processes that were met, by the names of their files.
    processes: BTreeMap<PathBuf, Known>,
}

/// What is to be known of a process.
#[derive(Clone, Debug)]
struct Known {
    pid: u32,
    started: u64,
    host: String,
}

impl TracePacker {
    /// Packs the traces in a directory as far as their threads have come.
    ///
    /// # Errors
    /// The directory cannot be read. Files that cannot be written or read are left as they are, and told as `open`.
    pub fn pack(&mut self, directory: &Path, writers: Writers) -> Result<PackedTraces, Failure> {
        let cannot = |error| Failure::new(format!("cannot read {}: {error}", directory.display()));
        let entries = fs::read_dir(directory).map_err(cannot)?;
        let files = entries.collect::<Result<Vec<_>, _>>().map_err(cannot)?;
        let files = Vec::from_iter(files.iter().map(fs::DirEntry::path));
        let here = host();
        let mut found = PackedTraces::default();
        for (process, numbers) in threads::threads(files.iter().map(PathBuf::as_path)) {
            let own = directory.join(format!("{process}.{}", super::PROCESS));
            let Some(task) = self.known(&own) else { continue };
            if writers == Writers::AsThisHostTells && task.host != here {
                found.elsewhere += 1;
                continue;
            }
            // Looked at before its files are: nobody writes to them afterwards.
            let is_gone = writers == Writers::Over || is_gone(task.pid);
            for number in numbers {
                for extension in [TRACE, STAMPS] {
                    let plain = threads::name(directory, &process, number, extension);
                    let before = self.packed.get(&plain).copied().unwrap_or(0);
                    match pack(&plain, task.started, is_gone, before) {
                        Ok(State::None) => {}
                        Ok(State::Whole) => found.whole += 1,
                        Ok(State::Open(packed)) => {
                            found.open += 1;
                            self.packed.insert(plain, packed);
                        }
                        Err(_) => found.open += 1,
                    }
                }
            }
            if is_gone {
                // What nobody has written to need not be there. Where it cannot be given back it stays.
                let _ = give_rest_back(&own);
            }
        }
        Ok(found)
    }

    /// What a process says of itself; `None` if its file is not there, or not ready.
    fn known(&mut self, path: &Path) -> Option<Known> {
        if let Some(known) = self.processes.get(path) {
            return Some(known.clone());
        }
        let file = regular_files::open(path).ok()?;
        let task = Task::read(&super::plain::process(&file).ok()?).ok()?;
        let known = Known {
            pid: task.pid,
            started: task.started,
            host: task.host,
        };
        self.processes.insert(path.to_owned(), known.clone());
        Some(known)
    }
}

/// Whether nothing of this process runs on this host. The first thread of one that runs may have ended.
fn is_gone(pid: u32) -> bool {
    let Ok(stat) = regular_files::read_of_kernel(&format!("/proc/{pid}/stat")) else {
        return !Path::new(&format!("/proc/{pid}")).exists();
    };
    let stat = String::from_utf8_lossy(&stat);
    let has_ended = stat
        .rsplit_once(')')
        .is_some_and(|(_, rest)| matches!(rest.trim_start().chars().next(), Some('Z' | 'X')));
    has_ended && fs::read_dir(format!("/proc/{pid}/task")).is_ok_and(|threads| threads.count() <= 1)
}

/// How far a file is packed.
enum State {
    /// There is none.
    None,
    /// To its end.
    Whole,
    /// So many blocks; the thread may write more.
    Open(usize),
}

/// Packs one file, of which so many blocks were packed before.
fn pack(plain: &Path, started: u64, is_gone: bool, before: usize) -> io::Result<State> {
    let packed_path = threads::packed_name(plain);
    let trace = match open(plain) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let is_packed = packed_path.exists();
            return Ok(if is_packed { State::Whole } else { State::None });
        }
        trace => trace?,
    };
    let header = read_at(&trace, 0..HEADER * 8)?;
    let is_over = is_gone || packed::has_ended(&header);
    let ready = begun_blocks(&trace)?;
    // Blocks are packed many at once, as long as more come.
    let full = ready.saturating_sub(1);
    if !is_over && full < before + MOST_BLOCKS {
        return Ok(State::Open(before));
    }
    let mut packed = Target::open(&packed_path, started)?;
    if !packed.is_whole {
        let end = if is_over { ready.max(packed.blocks) } else { full };
        while packed.blocks < end && (is_over || end - packed.blocks >= MOST_BLOCKS) {
            let count = MOST_BLOCKS.min(end - packed.blocks);
            packed.add_blocks(&trace, count)?;
            packed.file.sync_data()?;
            give_back(&trace, packed.blocks)?;
        }
        if is_over {
            let last = packed::last_frame(&header).ok_or(io::ErrorKind::InvalidData)?;
            packed.add(&last)?;
            packed.is_whole = true;
        }
    }
    if !packed.is_whole {
        return Ok(State::Open(packed.blocks));
    }
    packed.file.sync_data()?;
    fs::remove_file(plain)?;
    Ok(State::Whole)
}

/// How many blocks have begun, of which the first ones may have been packed and given back.
fn begun_blocks(trace: &File) -> io::Result<usize> {
    let length = usize::try_from(trace.metadata()?.len()).map_err(|_| io::ErrorKind::InvalidData)?;
    let room = (length / 8).saturating_sub(HEADER) / BLOCK;
    for number in (0..room).rev() {
        let head = read_at(trace, packed::head_of(number))?;
        if packed::is_begun(&head, number) {
            return Ok(number + 1);
        }
    }
    Ok(0)
}

/// The file that is packed into.
struct Target {
    file: File,
    length: u64,
    blocks: usize,
    is_whole: bool,
}

impl Target {
    /// Opens it or makes it; what was broken off, or is of an earlier process, is written over.
    fn open(path: &Path, started: u64) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).mode(0o600);
        options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32);
        #[allow(
            clippy::disallowed_methods,
            reason = "made in a directory of traces, where no link is followed; what is there is looked at before it is read"
        )]
        let mut file = options.open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            // A file system without locks: whoever packs there packs alone.
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::NOLCK) => {}
            Err(error) => return Err(error.into()),
        }
        let bytes = regular_files::read_opened(&mut file, Limit::RECORD)?;
        let known = packed::started(&bytes) == Some(started);
        let read = Packed::read(if known { &bytes } else { &[] });
        let (length, blocks, is_whole) = (read.length as u64, read.blocks(), read.is_whole());
        let mut target = Self {
            file,
            length,
            blocks,
            is_whole,
        };
        target.file.set_len(length)?;
        if !known {
            target.add(&packed::file_head(started))?;
        }
        Ok(target)
    }

    fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, self.length)?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    fn add_blocks(&mut self, trace: &File, count: usize) -> io::Result<()> {
        let numbers = self.blocks..self.blocks + count;
        let blocks = numbers.map(|number| read_at(trace, packed::place(number)));
        let blocks = blocks.collect::<io::Result<Vec<_>>>()?;
        let blocks = Vec::from_iter(blocks.iter().map(Vec::as_slice));
        let frame = packed::frame(self.blocks, &blocks).ok_or(io::ErrorKind::InvalidData)?;
        self.add(&frame)?;
        self.blocks += count;
        Ok(())
    }
}

/// Gives the room of the first blocks back. Where the file system cannot, they stay until the thread has ended.
fn give_back(trace: &File, blocks: usize) -> io::Result<()> {
    let (from, to) = (packed::place(0).start as u64, packed::place(blocks).start as u64);
    punch(trace, from, to)
}

/// Gives back the pages of the file of a process that hold nothing: those between its modules and its functions, and those behind.
fn give_rest_back(path: &Path) -> io::Result<()> {
    const PAGE: u64 = 4096;
    let file = open(path)?;
    let [modules, functions] = task::counted(&read_at(&file, 0..task::HEADER * 8)?);
    let used_to = |end: usize| (end as u64).next_multiple_of(PAGE);
    let functions_from = functions.start as u64 / PAGE * PAGE;
    punch(&file, used_to(modules.end), functions_from)?;
    punch(&file, used_to(functions.end), file.metadata()?.len())
}

fn punch(file: &File, from: u64, to: u64) -> io::Result<()> {
    if from >= to {
        return Ok(());
    }
    match fallocate(
        file,
        FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE,
        from,
        to - from,
    ) {
        Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// A regular file of traces, to be read and to give parts of it back.
fn open(path: &Path) -> io::Result<File> {
    // What the name leads to is looked at without opening it.
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut options = OpenOptions::new();
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    options.read(true).write(true).custom_flags(flags.bits() as i32);
    #[allow(clippy::disallowed_methods, reason = "a regular file, which no link leads to")]
    let file = options.open(path)?;
    Ok(file)
}

fn read_at(file: &File, bytes: std::ops::Range<usize>) -> io::Result<Vec<u8>> {
    let mut read = vec![0; bytes.len()];
    file.read_exact_at(&mut read, bytes.start as u64)?;
    Ok(read)
}
