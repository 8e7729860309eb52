//! The bytes of a file: copied, or mapped so that it may be cut off meanwhile without killing us.
//!
//! If a mapped file is truncated, or its disk fails, a read beyond the new end raises `SIGBUS`. The probe must not die of that while it has
//! tasks stopped. So the handler here puts zeros in the place of the whole file and marks the mapping; readers check bounds anyway,
//! and what was read of a marked file is thrown away in the end ([`Contents::is_torn`]). To replace only the missing page would not do:
//! a file that is read here and there would end up as thousands of mappings, one for each page, and Linux allows a process
//! some ten thousand. Any other `SIGBUS` is left to the handler that was there before.
#![allow(unsafe_code)]

use crate::memory::PAGE;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The bytes of a file.
#[derive(Debug)]
pub(crate) enum Contents {
    Copied(Vec<u8>),
    Mapped(FileMapping),
}

impl Contents {
    /// Maps a whole file.
    ///
    /// # Errors
    /// The file cannot be mapped; an empty one cannot.
    pub(crate) fn map(file: &File) -> io::Result<Contents> {
        FileMapping::new(file).map(Contents::Mapped)
    }

    /// Whether bytes were asked for that the file no longer had, so that what was read may be zeros.
    pub(crate) fn is_torn(&self) -> bool {
        match self {
            Contents::Copied(_) => false,
            Contents::Mapped(mapping) => mapping.watched.torn.load(Ordering::Relaxed),
        }
    }
}

impl Deref for Contents {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Contents::Copied(bytes) => bytes,
            Contents::Mapped(mapping) => &mapping.bytes,
        }
    }
}

/// A mapped file under watch.
#[derive(Debug)]
pub(crate) struct FileMapping {
    bytes: memmap2::Mmap,
    watched: &'static Watched,
}

impl FileMapping {
    #[allow(clippy::disallowed_methods, reason = "here is where a fault is mended")]
    fn new(file: &File) -> io::Result<Self> {
        watch_faults()?;
        // SAFETY: the map is read-only and private. Bytes that change while we look (a file being overwritten) give
        // wrong tables, which are bounds-checked like any input; pages that vanish become zeros (see above).
        let bytes = unsafe { memmap2::Mmap::map(file)? };
        let watched = Watched::of(bytes.as_ptr() as usize, bytes.len());
        Ok(Self { bytes, watched })
    }
}

impl Drop for FileMapping {
    fn drop(&mut self) {
        // Before the pages go: they may be somebody else's in the next moment.
        self.watched.end.store(0, Ordering::Release);
        self.watched.start.store(0, Ordering::Release);
        free_entries().push(self.watched);
    }
}

/// A range of addresses that the handler mends. Entries are never freed but used again: the handler may walk over them at any time.
#[derive(Debug)]
struct Watched {
    /// 0 when the entry is free.
    start: AtomicUsize,
    /// 0 while the entry is not to be used.
    end: AtomicUsize,
    torn: AtomicBool,
    next: Option<&'static Watched>,
}

/// The entry that was added last.
static WATCHED: AtomicPtr<Watched> = AtomicPtr::new(std::ptr::null_mut());

/// Entries that are free, kept so that none has to be searched for among thousands. The signal handler does not use this list.
static FREE: Mutex<Vec<&'static Watched>> = Mutex::new(Vec::new());

fn free_entries() -> MutexGuard<'static, Vec<&'static Watched>> {
    FREE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watched {
    fn of(start: usize, length: usize) -> &'static Watched {
        let mut free = free_entries();
        if let Some(entry) = free.pop() {
            entry.torn.store(false, Ordering::Relaxed);
            entry.start.store(start, Ordering::Release);
            entry.end.store(start + length, Ordering::Release);
            return entry;
        }
        let entry: &'static Watched = Box::leak(Box::new(Watched {
            start: AtomicUsize::new(start),
            end: AtomicUsize::new(start + length),
            torn: AtomicBool::new(false),
            next: all().next(),
        }));
        // Entries are added one at a time: `free` is still locked.
        WATCHED.store(std::ptr::from_ref(entry).cast_mut(), Ordering::Release);
        entry
    }
}

/// All entries, free ones too.
fn all() -> impl Iterator<Item = &'static Watched> {
    // SAFETY: what is in the list was leaked, and never changes but by its atomics.
    let first = unsafe { WATCHED.load(Ordering::Acquire).as_ref() };
    std::iter::successors(first, |entry| entry.next)
}

/// What handled `SIGBUS` before us: std's handler for stacks that overflow, or nothing.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

/// Has faults in mapped files mended from now on.
fn watch_faults() -> io::Result<()> {
    static INSTALLING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    if BEFORE.get().is_some() {
        return Ok(());
    }
    let mut before = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: only the old action is asked for, and there is room for it.
    check(unsafe { libc::sigaction(libc::SIGBUS, std::ptr::null(), before.as_mut_ptr()) })?;
    // SAFETY: the call succeeded, so it was written; all zeros were a valid value before that.
    let _ = BEFORE.set(unsafe { before.assume_init() });
    let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = on_fault;
    // SAFETY: a `sigaction` of zeros is a valid value: no flags, an empty mask.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    action.sa_sigaction = handler as libc::sighandler_t;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
    // SAFETY: the handler has the signature that SA_SIGINFO demands, and uses only atomics and system calls.
    check(unsafe { libc::sigaction(libc::SIGBUS, &raw const action, std::ptr::null_mut()) })
}

extern "C" fn on_fault(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid `siginfo_t` to a handler with SA_SIGINFO.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr() as usize) };
    let range = |each: &Watched| {
        let (start, end) = (
            each.start.load(Ordering::Acquire),
            each.end.load(Ordering::Acquire),
        );
        // The last page of a mapping is a whole one.
        start..end.next_multiple_of(PAGE as usize)
    };
    let holds = |each: &&Watched| {
        let range = range(each);
        range.start != 0 && range.contains(&address)
    };
    // A positive code is the kernel's own; others are signals that somebody has sent.
    if code > 0
        && let Some(watched) = all().find(holds)
    {
        let range = range(watched);
        let start = range.start as *mut libc::c_void;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;
        // SAFETY: the pages are those of a mapping of ours that is watched. It is not unmapped yet, because the thread that faulted is reading it. It
        // can be read only, before as after.
        let mended = unsafe { libc::mmap(start, range.len(), libc::PROT_READ, flags, -1, 0) };
        if mended != libc::MAP_FAILED {
            watched.torn.store(true, Ordering::Relaxed);
            return;
        }
    }
    if let Some(before) = BEFORE.get() {
        // SAFETY: it is what the kernel gave us. A fault comes again once we return, and finds the earlier handler.
        unsafe { libc::sigaction(signal, before, std::ptr::null_mut()) };
    }
    if code <= 0 {
        // SAFETY: raising a signal takes no pointers; it is blocked until we return.
        unsafe { libc::raise(signal) };
    }
}

fn check(result: libc::c_int) -> io::Result<()> {
    match result {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A file of this many pages of sevens, mapped; it has no name any more.
    fn mapped(pages: usize, name: &str) -> (File, Contents) {
        let path = std::env::temp_dir().join(format!("hindmost-torn-{}-{name}", std::process::id()));
        fs::write(&path, vec![7; pages * 4096 - 100]).unwrap();
        let file = File::options().read(true).write(true).open(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let contents = Contents::map(&file).unwrap();
        (file, contents)
    }

    #[test]
    fn a_file_that_is_cut_off_reads_as_zeros_and_says_so() {
        let (file, contents) = mapped(5, "cut");
        let (_, other) = mapped(2, "other");
        assert_eq!((contents[0], contents[4 * 4096]), (7, 7));
        file.set_len(4096).unwrap();
        assert!(!contents.is_torn());
        assert_eq!(
            (contents[100], contents[2 * 4096], contents[4 * 4096 + 5]),
            (7, 0, 0)
        );
        assert!(contents.is_torn() && !other.is_torn());
        drop(contents);
        // Its entry is used again, and begins anew.
        let (file, contents) = mapped(3, "again");
        assert!(!contents.is_torn());
        file.set_len(0).unwrap();
        assert_eq!(contents.iter().map(|&byte| u32::from(byte)).sum::<u32>(), 0);
        assert!(contents.is_torn());
    }

    /// More pages, none beside another, than Linux lets a process have mappings.
    #[test]
    fn a_large_file_that_is_cut_off_is_read_here_and_there() {
        const PAGES: usize = 160_000;
        let path = std::env::temp_dir().join(format!("hindmost-torn-{}-large", std::process::id()));
        let file = File::options()
            .create_new(true)
            .read(true)
            .write(true)
            .open(&path)
            .unwrap();
        fs::remove_file(&path).unwrap();
        file.set_len(PAGES as u64 * 4096).unwrap();
        let contents = Contents::map(&file).unwrap();
        file.set_len(0).unwrap();
        assert!((0..PAGES).step_by(2).all(|page| contents[page * 4096] == 0));
        assert!(contents.is_torn());
    }
}
