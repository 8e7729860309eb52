//! The system calls that std has no safe form of: ptrace, waitid, process_vm_readv, queries of memory maps, a timer. The only file with
//! `unsafe` besides `contents`, which maps files.
//!
//! Everything here is a thin wrapper: no policy, no loops beyond retrying on `EINTR`.
#![allow(unsafe_code)]

use crate::procfs::Mapping;
use std::fs::File;
use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::fd::AsRawFd;
use std::time::Duration;

/// What [`wait_any`] saw of a tracee. The event is left in place: detaching consumes a stop, [`reap`] an exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// It is stopped.
    Stopped {
        /// Which.
        pid: u32,
        /// The signal that it was about to receive, to be passed on when it is released; 0 for a stop that carries
        /// none (our interrupt, or a group stop, which the kernel restores by itself).
        signal: i32,
    },
    /// It has ended.
    Ended {
        /// Which.
        pid: u32,
    },
}

/// `PTRACE_EVENT_STOP` (128): what a seized task reports for an interrupt or a group stop.
const EVENT_STOP: i32 = libc::PTRACE_EVENT_STOP;

/// Becomes the tracer of `pid` without stopping it. No options: above all not `EXITKILL`, so that our death
/// releases the task.
pub(crate) fn seize(pid: u32) -> io::Result<()> {
    // SAFETY: PTRACE_SEIZE takes no pointers; address and data are zero as it demands.
    check(unsafe { libc::ptrace(libc::PTRACE_SEIZE, pid as libc::pid_t, 0usize, 0usize) })
}

/// Asks a seized task to stop; it is reported by [`wait_any`].
pub(crate) fn interrupt(pid: u32) -> io::Result<()> {
    // SAFETY: PTRACE_INTERRUPT takes no pointers.
    check(unsafe { libc::ptrace(libc::PTRACE_INTERRUPT, pid as libc::pid_t, 0usize, 0usize) })
}

/// Releases a stopped task, delivering `signal` unless it is 0.
pub(crate) fn detach(pid: u32, signal: i32) -> io::Result<()> {
    // SAFETY: PTRACE_DETACH takes the signal number by value and no pointers.
    check(unsafe { libc::ptrace(libc::PTRACE_DETACH, pid as libc::pid_t, 0usize, signal as usize) })
}

/// The general registers of a stopped task; `None` when it runs in 32-bit mode.
pub(crate) fn general_registers(pid: u32) -> io::Result<Option<libc::user_regs_struct>> {
    const USER_CODE_64: u64 = 0x33;
    let (registers, length) = register_set::<libc::user_regs_struct>(pid, libc::NT_PRSTATUS)?;
    // The kernel writes the shorter 32-bit layout for a 32-bit task.
    let full = length == size_of::<libc::user_regs_struct>() && registers.cs == USER_CODE_64;
    Ok(full.then_some(registers))
}

/// The SSE registers of a stopped task: xmm0 to xmm15, 16 bytes each.
pub(crate) fn vector_registers(pid: u32) -> io::Result<[u8; 256]> {
    let (set, _) = register_set::<libc::user_fpregs_struct>(pid, libc::NT_PRFPREG)?;
    let mut bytes = [0; 256];
    for (word, place) in set.xmm_space.iter().zip(bytes.chunks_exact_mut(4)) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    Ok(bytes)
}

fn register_set<T>(pid: u32, kind: libc::c_int) -> io::Result<(T, usize)> {
    let mut set = MaybeUninit::<T>::zeroed();
    let mut vector = libc::iovec {
        iov_base: set.as_mut_ptr().cast(),
        iov_len: size_of::<T>(),
    };
    // SAFETY: the iovec describes `set`, which lives across the call; the kernel writes at most `iov_len` bytes.
    check(unsafe {
        libc::ptrace(
            libc::PTRACE_GETREGSET,
            pid as libc::pid_t,
            kind as usize,
            &raw mut vector,
        )
    })?;
    // SAFETY: `T` is one of two structures of plain integers (see the callers), for which every bit pattern,
    // the zeros of a short write included, is valid.
    Ok((unsafe { set.assume_init() }, vector.iov_len))
}

/// Copies `remote` address ranges of a process one after the other into `local`, which must be as long as all of
/// them together. Returns how many bytes were copied before the first unreadable one.
pub(crate) fn read_memory(pid: u32, remote: &[(u64, usize)], local: &mut [u8]) -> io::Result<usize> {
    let wanted: usize = remote.iter().map(|&(_, length)| length).sum();
    assert!(wanted <= local.len(), "the buffer holds what is asked for");
    let to = libc::iovec {
        iov_base: local.as_mut_ptr().cast(),
        iov_len: wanted,
    };
    // The kernel takes 1024 vectors at most; what lies beyond is reported as not copied.
    const MOST_VECTORS: usize = 1024;
    let vector = |&(address, length): &(u64, usize)| libc::iovec {
        iov_base: address as usize as *mut libc::c_void,
        iov_len: length,
    };
    let from: Vec<libc::iovec> = remote.iter().take(MOST_VECTORS).map(vector).collect();
    // SAFETY: `to` describes `local`, exclusively borrowed and at least `wanted` long (asserted above); the remote
    // addresses are resolved by the kernel in the other process, which fails on those that are not mapped.
    let copied = unsafe {
        libc::process_vm_readv(
            pid as libc::pid_t,
            &raw const to,
            1,
            from.as_ptr(),
            from.len() as u64,
            0,
        )
    };
    usize::try_from(copied).map_err(|_| io::Error::last_os_error())
}

/// What `PROCMAP_QUERY` takes and gives: the kernel's `struct procmap_query`.
#[repr(C)]
#[derive(Default)]
struct MappingQuery {
    size: u64,
    flags: u64,
    address: u64,
    start: u64,
    end: u64,
    permissions: u64,
    page_size: u64,
    offset: u64,
    inode: u64,
    device_major: u32,
    device_minor: u32,
    name_size: u32,
    build_id_size: u32,
    name: u64,
    build_id: u64,
}

/// `PROCMAP_QUERY_VMA_READABLE`: only mappings that can be read.
pub(crate) const READABLE: u64 = 1;
/// `PROCMAP_QUERY_VMA_WRITABLE`: only mappings that can be written.
pub(crate) const WRITABLE: u64 = 2;
/// `PROCMAP_QUERY_VMA_EXECUTABLE`: only mappings that hold code.
pub(crate) const EXECUTABLE: u64 = 4;

/// The first mapping that ends behind `address` and has all of `permissions`, in the process whose open
/// `/proc/PID/maps` this is; `None` behind the last one. `name` is room for its path.
///
/// # Errors
/// `ENOTTY` from kernels before Linux 6.11, which know no such request.
pub(crate) fn next_mapping(
    maps: &File,
    address: u64,
    permissions: u64,
    name: &mut [u8],
) -> io::Result<Option<Mapping>> {
    // _IOWR('f', 17, struct procmap_query)
    const PROCMAP_QUERY: u64 = (3 << 30) | ((size_of::<MappingQuery>() as u64) << 16) | (0x66 << 8) | 17;
    const COVERING_OR_NEXT: u64 = 0x10;
    let mut query = MappingQuery {
        size: size_of::<MappingQuery>() as u64,
        flags: COVERING_OR_NEXT | permissions,
        address,
        name_size: u32::try_from(name.len()).unwrap_or(u32::MAX),
        name: name.as_mut_ptr() as u64,
        ..MappingQuery::default()
    };
    // SAFETY: the request reads and writes one `MappingQuery`, which lives across the call, and writes at most
    // `name_size` bytes to `name`, which does too.
    let result = unsafe { libc::ioctl(maps.as_raw_fd(), PROCMAP_QUERY as _, &raw mut query) };
    if let Err(error) = check(result.into()) {
        return match error.raw_os_error() {
            Some(libc::ENOENT) => Ok(None),
            _ => Err(error),
        };
    }
    // The size counts the zero at the end; 0 for what has no name.
    let length = (query.name_size as usize).saturating_sub(1).min(name.len());
    Ok(Some(Mapping {
        start: query.start,
        end: query.end,
        offset: query.offset,
        file: (
            format!("{:02x}:{:02x}", query.device_major, query.device_minor),
            query.inode,
        ),
        path: String::from_utf8_lossy(&name[..length]).into_owned(),
    }))
}

/// Waits until a tracee of this thread stops or ends. `None` when a signal ended the wait: see [`Alarm`].
pub(crate) fn wait_any() -> io::Result<Option<Event>> {
    // Of this thread only: other threads' children are none of our business.
    wait(libc::P_ALL, 0, libc::__WNOTHREAD)
}

/// Whether the tracee `pid` has stopped or ended; does not wait.
pub(crate) fn poll_one(pid: u32) -> io::Result<Option<Event>> {
    wait(libc::P_PID, pid, libc::__WNOTHREAD | libc::WNOHANG)
}

/// Takes note of the end of a tracee, so that it is not reported again and its own parent hears of it.
///
/// Not to be used on a child of this process, whose exit status it would take away from the code that waits for it.
pub(crate) fn reap(pid: u32) {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    let flags = libc::WEXITED | libc::WNOHANG | libc::__WALL | libc::__WNOTHREAD;
    // SAFETY: `info` is large enough for what waitid writes, and is not read.
    let _ = unsafe { libc::waitid(libc::P_PID, pid, info.as_mut_ptr(), flags) };
}

fn wait(which: libc::idtype_t, id: u32, flags: i32) -> io::Result<Option<Event>> {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    let flags = flags | libc::WEXITED | libc::WSTOPPED | libc::WNOWAIT | libc::__WALL;
    // SAFETY: `info` is a siginfo_t that lives across the call.
    if let Err(error) = check(i64::from(unsafe {
        libc::waitid(which, id, info.as_mut_ptr(), flags)
    })) {
        return match error.kind() {
            io::ErrorKind::Interrupted => Ok(None),
            _ => Err(error),
        };
    }
    // SAFETY: zeroed and then possibly overwritten by the kernel; siginfo_t is plain data.
    let info = unsafe { info.assume_init() };
    // SAFETY: after a successful waitid the SIGCHLD fields are set, or zero if nothing was there to report.
    let (pid, status) = unsafe { (info.si_pid(), info.si_status()) };
    let Some(pid) = u32::try_from(pid).ok().filter(|&pid| pid != 0) else {
        return Ok(None);
    };
    Ok(Some(match info.si_code {
        libc::CLD_EXITED | libc::CLD_KILLED | libc::CLD_DUMPED => Event::Ended { pid },
        // The high byte of a ptrace stop is its event; without one it is a signal on its way to the task.
        _ if status >> 8 == EVENT_STOP => Event::Stopped { pid, signal: 0 },
        _ => Event::Stopped {
            pid,
            signal: status & 0x7f,
        },
    }))
}

/// A timer that ends every wait of the thread that made it, from its deadline on until it is dropped.
///
/// waitid has no time limit of its own, and a wait that polled would find a stopped task later than one that
/// sleeps. So a real-time signal (`SIGRTMAX - 1`), sent to this thread alone, interrupts it. Its empty handler stays
/// installed: taking it away could let the signal of another thread's alarm end the process.
pub(crate) struct Alarm {
    timer: libc::timer_t,
}

impl Alarm {
    /// Starts the timer.
    pub(crate) fn after(delay: Duration) -> io::Result<Alarm> {
        extern "C" fn nothing(_: libc::c_int) {}
        let signal = libc::SIGRTMAX() - 1;
        // SAFETY: sigaction is plain data for which zeros are valid: no flags (so no SA_RESTART), an empty mask.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = nothing as extern "C" fn(libc::c_int) as usize;
        // SAFETY: the handler does nothing, so it may run at any point; `action` lives across the call.
        check(i64::from(unsafe {
            libc::sigaction(signal, &raw const action, std::ptr::null_mut())
        }))?;

        // SAFETY: sigevent is plain data for which zeros are valid.
        let mut event: libc::sigevent = unsafe { std::mem::zeroed() };
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = signal;
        // SAFETY: gettid has no preconditions.
        event.sigev_notify_thread_id = unsafe { libc::gettid() };
        let mut timer: libc::timer_t = std::ptr::null_mut();
        // SAFETY: both structures live across the call.
        check(i64::from(unsafe {
            libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, &raw mut timer)
        }))?;
        let alarm = Alarm { timer };
        let times = libc::itimerspec {
            it_value: timespec(delay.max(Duration::from_nanos(1))),
            // Again and again: a signal that comes just before the wait begins would be lost.
            it_interval: timespec(Duration::from_millis(1)),
        };
        // SAFETY: the timer is ours and `times` lives across the call.
        check(i64::from(unsafe {
            libc::timer_settime(timer, 0, &raw const times, std::ptr::null_mut())
        }))?;
        Ok(alarm)
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        // SAFETY: the timer was made by `after` and is deleted once.
        unsafe { libc::timer_delete(self.timer) };
    }
}

/// Lets this process die, and none other, where memory runs out. With `RUST_BACKTRACE` set the standard library would first print the way there, for
/// which it needs memory, and without that wait for itself for ever, perhaps while a task is stopped: so the variable is taken away.
///
/// To be called first of all: once there are several threads nothing is changed.
pub fn die_without_memory() {
    // If the machine or the job's control group runs out of memory, the kernel is to end the probe and not a task of the job. Where this is not
    // permitted, nothing is lost.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    if crate::procfs::stat(std::process::id()).is_ok_and(|own| own.threads == 1) {
        // SAFETY: no other thread is there that could read the environment meanwhile.
        unsafe { std::env::remove_var("RUST_BACKTRACE") };
    }
}

/// Asks for real-time scheduling of this thread. Without the right to it nothing changes. It ends with the thread.
pub(crate) fn hurry() {
    // The kernel's `struct sched_param` is this one number; musl's function of the name only fails.
    let priority: libc::c_int = 1;
    // SAFETY: 0 is the calling thread; the number lives across the call.
    let _ = unsafe {
        libc::syscall(
            libc::SYS_sched_setscheduler,
            0,
            libc::SCHED_FIFO,
            &raw const priority,
        )
    };
}

fn timespec(duration: Duration) -> libc::timespec {
    libc::timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(duration.subsec_nanos()),
    }
}

fn check(result: libc::c_long) -> io::Result<()> {
    if result == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
