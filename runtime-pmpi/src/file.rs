//! The file of a task: made, sized and mapped once, at the first call that needs it.

use crate::words::Words;
use recording::layout::{MAGIC, NAMES, NAMES_AT, VERSION, WORDS, header};
use recording::matches::{self, Matches};
use recording::ring;
use std::ffi::{CStr, CString};
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::atomic::AtomicU64;

/// Makes the file of this process in `directory`, and that if it is not there, and maps it. The file must not be there: whoever prepares names for others
/// gets nothing written.
///
/// # Errors
///
/// What could not be done, in a few words for one line on the program's standard error.
pub fn create(directory: &Path, names: &[u8]) -> Result<Words, &'static str> {
    // Another host of the job than the one that started it has no such directory yet. Whatever fails here fails again below.
    let _ = std::fs::DirBuilder::new().mode(0o700).create(directory);
    let words = new_file(directory, "recording", WORDS)?;
    describe(words, names);
    words.publish(header::MAGIC, MAGIC);
    Ok(words)
}

/// Makes the ring of events of this process beside its recording, with room for so many of the last ones.
///
/// # Errors
///
/// As [`create`].
pub fn create_ring(directory: &Path, events: u64) -> Result<Words, &'static str> {
    let capacity = events.clamp(ring::LEAST, ring::MOST).next_power_of_two();
    let words = new_file(directory, ring::EXTENSION, ring::words(capacity))?;
    describe_ring(words, capacity);
    Ok(words)
}

/// Makes the file of this process beside its recording in which receives that leave open what they take are written down, with room for so many of them.
///
/// # Errors
///
/// As [`create`].
pub fn create_matches(directory: &Path, count: u64) -> Result<Words, &'static str> {
    let capacity = count.clamp(ring::LEAST, ring::MOST).min(matches::MOST);
    let words = new_file(directory, matches::EXTENSION, matches::words(capacity))?;
    describe_matches(words, capacity);
    Ok(words)
}

/// Fills the header of such a file with room for so many matches.
pub fn describe_matches(words: Words, capacity: u64) {
    words.set(matches::header::VERSION, matches::VERSION);
    words.set(matches::header::PID, u64::from(std::process::id()));
    words.set(matches::header::BIRTH, birth().unwrap_or(0));
    words.set(matches::header::CAPACITY, capacity);
    words.publish(matches::header::MAGIC, matches::MAGIC);
}

/// What the task of this rank, in a world of this size, took in a first run, whose recordings are in this directory.
///
/// # Errors
///
/// Why that is not known, in a few words for one line on the program's standard error.
pub fn matches_of(directory: &Path, rank: u32, size: u32) -> Result<Matches, String> {
    let entries =
        std::fs::read_dir(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let mut other_size = None;
    for entry in entries.flatten() {
        let path = entry.path();
        // A pipe of that name would keep the task waiting.
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if !is_file
            || path
                .extension()
                .is_none_or(|extension| extension != matches::EXTENSION)
        {
            continue;
        }
        let mut head = [0; matches::HEADER * 8];
        let read = std::fs::File::open(&path).and_then(|mut file| file.read_exact(&mut head));
        let Some(whose) = read.ok().and_then(|()| matches::whose(&head).ok()) else {
            continue;
        };
        match whose.world.filter(|_| !whose.is_spawned) {
            Some((of, among)) if (of, among) == (rank, size) => {
                let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                return Matches::read(&bytes).map_err(|error| format!("{}: {error}", path.display()));
            }
            Some((_, among)) if among != size => other_size = Some(among),
            _ => {}
        }
    }
    Err(match other_size {
        Some(among) => format!("the first run had {among} ranks, and this one has {size}"),
        None => format!("{} has no record of rank {rank}", directory.display()),
    })
}

/// Fills the header of a ring with room for so many events.
pub fn describe_ring(words: Words, capacity: u64) {
    words.set(ring::header::VERSION, ring::VERSION);
    words.set(ring::header::PID, u64::from(std::process::id()));
    words.set(ring::header::BIRTH, birth().unwrap_or(0));
    words.set(ring::header::CAPACITY, capacity);
    words.publish(ring::header::MAGIC, ring::MAGIC);
}

fn new_file(directory: &Path, extension: &str, words: usize) -> Result<Words, &'static str> {
    let path = directory.join(format!("hindmost-{}.{extension}", std::process::id()));
    let path =
        CString::new(path.as_os_str().as_bytes()).map_err(|_| "its directory's name has a zero in it")?;
    map(&path, words)
}

/// Whether this process may make files of that size: one that makes a larger file is ended by a signal (`ulimit -f`, setrlimit(2)).
#[expect(unsafe_code, reason = "limits are asked of the C library")]
fn may_be_made(words: usize) -> bool {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` is valid for writes for the length of the call.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) } == 0;
    !known || limit.rlim_cur >= (words * 8) as u64
}

/// Files are named by process alone, so that one is there already where two recorders are loaded, where an earlier job left its files, and where processes
/// that do not see each other share a directory.
fn why_not_made(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            "its file is there already (a second recorder in LD_PRELOAD, or another job's directory in HINDMOST_RECORD)"
        }
        _ => "its file could not be made (does HINDMOST_RECORD name a directory that can be written?)",
    }
}

#[expect(unsafe_code, reason = "the file is mapped to memory")]
fn map(path: &CStr, words: usize) -> Result<Words, &'static str> {
    if !may_be_made(words) {
        return Err("it may not make a file that large (ulimit -f)");
    }
    let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW | libc::O_CLOEXEC;
    // SAFETY: `path` ends with a zero; open reads nothing else.
    let file = unsafe { libc::open(path.as_ptr(), flags, 0o600) };
    if file < 0 {
        return Err(why_not_made(&std::io::Error::last_os_error()));
    }
    // Blocks are reserved at once: a disk that is full later would end the program by SIGBUS.
    // SAFETY: `file` is open; no memory is touched.
    let room = unsafe { libc::posix_fallocate(file, 0, (words * 8) as libc::off_t) };
    let mapped = match room {
        0 => {
            let (read_write, shared) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
            // SAFETY: a new mapping, at an address that the kernel chooses.
            unsafe { libc::mmap(std::ptr::null_mut(), words * 8, read_write, shared, file, 0) }
        }
        _ => libc::MAP_FAILED,
    };
    // SAFETY: `file` is open and used no more; the mapping stays.
    unsafe { libc::close(file) };
    if mapped == libc::MAP_FAILED {
        // SAFETY: `path` ends with a zero.
        unsafe { libc::unlink(path.as_ptr()) };
        return Err("there is no room for its file");
    }
    // Without this each page that is touched brings some thirty of its neighbours to memory, and most of the file is room that is never used: it takes memory then,
    // and whoever reads the file reads it whole. Should the kernel not hear of it, nothing else is lost.
    // SAFETY: the mapping is as long as that, and what it holds does not change.
    unsafe { libc::madvise(mapped, words * 8, libc::MADV_RANDOM) };
    // SAFETY: the mapping is `words` words long, page aligned, never unmapped, and made of integers that any bits are valid for. Others may
    // change it; all access is atomic.
    let mapped: &'static [AtomicU64] =
        unsafe { std::slice::from_raw_parts(mapped.cast::<AtomicU64>(), words) };
    Ok(Words::new(mapped))
}

/// Fills the header but for the word that makes it count. `names` are the operations, each ended by a newline.
pub fn describe(words: Words, names: &[u8]) {
    let names = names.get(..NAMES * 8).unwrap_or(names);
    text(words, NAMES_AT, NAMES, names);
    words.set(header::NAMES, names.len() as u64);
    words.set(header::VERSION, VERSION);
    words.set(header::PID, u64::from(std::process::id()));
    let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    words.set(
        header::STARTED,
        since_epoch.map_or(0, |time| time.as_nanos() as u64),
    );
    words.set(header::CLOCK, clock());
    words.set(header::BIRTH, birth().unwrap_or(0));
    let host = std::fs::read("/proc/sys/kernel/hostname").unwrap_or_default();
    text(words, header::HOST, header::HOST_WORDS, host.trim_ascii());
    // As `hindmost run`, Open MPI, Slurm and Hydra name jobs.
    let job = [
        "HINDMOST_RECORD_JOB",
        "PMIX_NAMESPACE",
        "SLURM_JOB_ID",
        "PMI_JOBID",
    ];
    let job = job.iter().find_map(std::env::var_os).unwrap_or_default();
    text(words, header::JOB, header::HOST_WORDS, job.as_bytes());
}

/// A number for a world that was spawned, by the name that the launcher has given it.
pub(crate) fn number_of_world() -> u64 {
    let names = ["PMIX_NAMESPACE", "PMI_JOBID"];
    let name = names.iter().find_map(std::env::var_os).unwrap_or_default();
    let bytes = name.as_bytes().iter();
    bytes
        .fold(1, |number, byte| crate::tables::mix(number ^ u64::from(*byte)))
        .max(1)
}

/// Stores text in at most `room` words.
pub(crate) fn text(words: Words, at: usize, room: usize, text: &[u8]) {
    for (index, part) in text.chunks(8).take(room).enumerate() {
        let mut bytes = [0; 8];
        bytes.iter_mut().zip(part).for_each(|(to, from)| *to = *from);
        words.set(at + index, u64::from_le_bytes(bytes));
    }
}

/// When this process began, as `/proc` says it: field 22 of its `stat`, counted behind the name in parentheses.
fn birth() -> Option<u64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let behind = stat.rsplit_once(')')?.1;
    behind.split_ascii_whitespace().nth(19)?.parse().ok()
}

/// The monotonic clock in nanoseconds.
#[must_use]
pub fn clock() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    #[expect(unsafe_code, reason = "std's Instant does not tell its number")]
    // SAFETY: `time` is valid for writes for the length of the call.
    unsafe {
        libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time)
    };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
