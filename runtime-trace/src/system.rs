//! What the kernel is asked for, without the C library's heap.

#![expect(unsafe_code, reason = "memory is mapped, and the C library asked")]

use crate::vectors::Vectors;
use std::ffi::CStr;
use std::sync::atomic::AtomicU64;

/// Bytes of a page.
pub(crate) const PAGE: usize = 4096;

/// Restores the calling thread's `errno`: programs look at it behind calls that know nothing of us.
pub(crate) struct Errno(i32);

impl Errno {
    pub(crate) fn keep() -> Self {
        // SAFETY: the C library gives the place of the thread's own word.
        Self(unsafe { *libc::__errno_location() })
    }
}

impl Drop for Errno {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { *libc::__errno_location() = self.0 };
    }
}

/// Blocks all signals of the thread until it is dropped: what changes under it is never met half done by a handler.
pub(crate) struct Undisturbed {
    before: libc::sigset_t,
    _vectors: Vectors,
    _errno: Errno,
}

impl Undisturbed {
    pub(crate) fn begin() -> Self {
        let errno = Errno::keep();
        // SAFETY: both sets are valid for the length of the calls, and any bits are a set.
        let before = unsafe {
            let mut all: libc::sigset_t = std::mem::zeroed();
            let mut before: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&raw mut all);
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, &raw mut before);
            before
        };
        Self {
            before,
            _vectors: Vectors::keep(),
            _errno: errno,
        }
    }
}

impl Drop for Undisturbed {
    fn drop(&mut self) {
        // SAFETY: the set is the one that was in force.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, std::ptr::null_mut());
        }
    }
}

/// New memory of zeros, whole pages; `None` if there is none.
pub(crate) fn memory(bytes: usize) -> Option<*mut u8> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping, at an address that the kernel chooses.
    let mapped = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            flags,
            -1,
            0,
        )
    };
    (mapped != libc::MAP_FAILED).then_some(mapped.cast())
}

/// Gives memory back.
///
/// # Safety
///
/// The bytes are a mapping of this file's, or the end of one, and nobody uses them any more.
pub(crate) unsafe fn give_back(memory: *mut u8, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { libc::munmap(memory.cast(), bytes) };
}

/// Memory at a place that was asked for.
pub(crate) struct MemoryAt {
    start: *mut u8,
    bytes: usize,
}

/// New memory of zeros at this address, whole pages; none if it is taken or forbidden.
pub(crate) fn memory_at(address: usize, bytes: usize) -> Option<MemoryAt> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    let wanted = address as *mut libc::c_void;
    // SAFETY: a new mapping, which replaces none.
    let mapped = unsafe { libc::mmap(wanted, bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    if mapped == libc::MAP_FAILED {
        return None;
    }
    if mapped != wanted {
        // SAFETY: a kernel that does not know the flag has mapped it elsewhere, and nobody knows it.
        unsafe { give_back(mapped.cast(), bytes) };
        return None;
    }
    Some(MemoryAt {
        start: mapped.cast(),
        bytes,
    })
}

impl MemoryAt {
    /// Where it begins.
    pub(crate) fn start(&self) -> usize {
        self.start as usize
    }

    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the memory is mapped, writable, and nobody else's.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes) }
    }

    /// Makes code of it, for ever. Whether that is allowed.
    pub(crate) fn make_code(self) -> bool {
        // SAFETY: nobody has its bytes any more.
        unsafe { protect(self.start(), self.bytes, libc::PROT_READ | libc::PROT_EXEC) }
    }
}

/// Says what may be done with whole pages. Whether the system lets that be.
///
/// # Safety
///
/// The pages are mapped, and nobody does with them meanwhile what is not allowed any more.
pub(crate) unsafe fn protect(start: usize, bytes: usize, what: i32) -> bool {
    // SAFETY: the caller's promise.
    unsafe { libc::mprotect(start as *mut libc::c_void, bytes, what) == 0 }
}

/// Whether this thread is the only one of its process.
pub(crate) fn has_one_thread() -> bool {
    std::fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1)
}

/// Whether the processor keeps a second stack of the thread's return addresses (`ARCH_SHSTK_STATUS` of arch_prctl(2)). Kernels that know nothing of that refuse.
pub(crate) fn has_shadow_stack() -> bool {
    const STATUS: i32 = 0x5005;
    let mut features = 0_u64;
    // SAFETY: nothing is changed; the kernel writes one word.
    let known = unsafe { libc::syscall(libc::SYS_arch_prctl, STATUS, &raw mut features) };
    known == 0 && features & 1 != 0
}

/// Makes a page of zeros that is zero again in a child that is forked.
pub(crate) fn wipe_on_fork(page: *mut u8) {
    // SAFETY: the page is a mapping of this file's. A kernel that knows no such advice refuses.
    unsafe { libc::madvise(page.cast(), PAGE, libc::MADV_WIPEONFORK) };
}

/// A file that was made: by name alone. An open descriptor would be the program's to close, and its number another file's afterwards.
#[derive(Clone, Copy)]
pub(crate) struct File {
    /// The path, which ends with a zero.
    path: [u8; PATH],
    device: u64,
    inode: u64,
}

/// Bytes of a path with its zero, at most.
pub(crate) const PATH: usize = 512;

/// Why a file cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoFile {
    /// There is one of this name.
    IsThere,
    /// It is not to be had.
    Refused,
}

impl File {
    /// Makes a file that is not there yet.
    pub(crate) fn create(path: [u8; PATH]) -> Result<Self, NoFile> {
        let name = CStr::from_bytes_until_nul(&path).map_err(|_| NoFile::Refused)?;
        let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW | libc::O_CLOEXEC;
        // SAFETY: the name ends with a zero.
        let file = unsafe { libc::open(name.as_ptr(), flags, 0o600) };
        if file < 0 {
            let error = std::io::Error::last_os_error().raw_os_error();
            return Err(if error == Some(libc::EEXIST) {
                NoFile::IsThere
            } else {
                NoFile::Refused
            });
        }
        let identity = identity(file);
        // SAFETY: the descriptor is ours and used no more.
        unsafe { libc::close(file) };
        let (device, inode) = identity.ok_or(NoFile::Refused)?;
        Ok(Self { path, device, inode })
    }

    /// Maps words of the file, which are whole pages of it, and reserves their room on the disk: one that is full later would end the program by a signal.
    pub(crate) fn map(&self, from: usize, words: usize) -> Option<&'static [AtomicU64]> {
        let (offset, bytes) = (from * 8, words * 8);
        if !may_grow_to(offset + bytes) {
            return None;
        }
        let name = CStr::from_bytes_until_nul(&self.path).ok()?;
        // SAFETY: the name ends with a zero.
        let file = unsafe {
            libc::open(
                name.as_ptr(),
                libc::O_RDWR | libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NONBLOCK,
            )
        };
        if file < 0 {
            return None;
        }
        let is_same = identity(file) == Some((self.device, self.inode));
        // SAFETY: the file is open; no memory is touched.
        let has_room = is_same && unsafe { libc::posix_fallocate(file, offset as i64, bytes as i64) } == 0;
        let mapped = if has_room {
            // SAFETY: a new mapping, at an address that the kernel chooses. Pages are touched beforehand, so that no event has to wait for them.
            unsafe {
                libc::mmap(
                    std::ptr::null_mut(),
                    bytes,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_SHARED | libc::MAP_POPULATE,
                    file,
                    offset as i64,
                )
            }
        } else {
            libc::MAP_FAILED
        };
        // SAFETY: the descriptor is ours and used no more; the mapping stays.
        unsafe { libc::close(file) };
        if mapped == libc::MAP_FAILED {
            return None;
        }
        // SAFETY: the mapping is so long, page aligned, and made of integers that any bits are valid for. Others may change it: all access is atomic. Who
        // gives it back sees to it that nobody uses it any more.
        Some(unsafe { std::slice::from_raw_parts(mapped.cast::<AtomicU64>(), words) })
    }

    /// Removes it.
    pub(crate) fn remove(&self) {
        if let Ok(name) = CStr::from_bytes_until_nul(&self.path) {
            // SAFETY: the name ends with a zero.
            unsafe { libc::unlink(name.as_ptr()) };
        }
    }
}

fn identity(file: i32) -> Option<(u64, u64)> {
    // SAFETY: any bits are such a structure, and it is valid for writes for the length of the call.
    unsafe {
        let mut found: libc::stat = std::mem::zeroed();
        (libc::fstat(file, &raw mut found) == 0).then_some((found.st_dev, found.st_ino))
    }
}

/// Whether this process may have files of that size: one that makes a larger file is ended by a signal (`ulimit -f`, setrlimit(2)).
fn may_grow_to(bytes: usize) -> bool {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` is valid for writes for the length of the call.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) } == 0;
    !known || limit.rlim_cur >= bytes as u64
}

/// A variable of the environment; `None` if it is missing or empty.
pub(crate) fn variable(name: &CStr) -> Option<&'static [u8]> {
    // SAFETY: the name ends with a zero, and so does what is found. The program may change its environment; what is found is copied at once.
    let found = unsafe {
        let value = libc::getenv(name.as_ptr());
        (!value.is_null()).then(|| CStr::from_ptr(value))?
    };
    Some(found.to_bytes()).filter(|value| !value.is_empty())
}

/// A number of the environment.
pub(crate) fn number(name: &CStr) -> Option<u32> {
    std::str::from_utf8(variable(name)?).ok()?.parse().ok()
}

/// The path of the program that this process executes; empty if it cannot be told.
pub(crate) fn path_of_program(room: &mut [u8; 4096]) -> &[u8] {
    // SAFETY: the room is so long, and valid for writes for the length of the call.
    let length = unsafe { libc::readlink(c"/proc/self/exe".as_ptr(), room.as_mut_ptr().cast(), room.len()) };
    let length = usize::try_from(length).unwrap_or(0);
    room.get(..length).unwrap_or_default()
}

/// The process.
pub(crate) fn pid() -> u32 {
    // SAFETY: it has no arguments.
    unsafe { libc::getpid() as u32 }
}

/// The thread's number in the kernel.
pub(crate) fn tid() -> u32 {
    // SAFETY: it has no arguments.
    unsafe { libc::syscall(libc::SYS_gettid) as u32 }
}

/// Nanoseconds since the epoch.
pub(crate) fn now() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is valid for writes for the length of the call.
    unsafe { libc::clock_gettime(libc::CLOCK_REALTIME, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The monotonic clock, in nanoseconds.
pub(crate) fn monotonic() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is valid for writes for the length of the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The processor's counter of cycles, which changes no register but two that calls may change.
#[inline]
pub(crate) fn cycles() -> u64 {
    // SAFETY: every x86-64 has the instruction. A process that has forbidden it to itself (PR_SET_TSC) could not ask what time it is either.
    unsafe { std::arch::x86_64::_rdtsc() }
}

/// The range of the alternative stack for signals, and whether the thread is on it.
pub(crate) fn signal_stack() -> Option<(std::ops::Range<usize>, bool)> {
    // SAFETY: nothing is set; `stack` is valid for writes for the length of the call.
    let stack = unsafe {
        let mut stack: libc::stack_t = std::mem::zeroed();
        (libc::sigaltstack(std::ptr::null(), &raw mut stack) == 0).then_some(stack)?
    };
    let start = stack.ss_sp as usize;
    let is_there = stack.ss_flags & libc::SS_DISABLE == 0;
    is_there.then_some((
        start..start.saturating_add(stack.ss_size),
        stack.ss_flags & libc::SS_ONSTACK != 0,
    ))
}
