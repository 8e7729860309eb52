//! Why a task could not be read, in words that say what to do.

use crate::procfs;
use crate::stop::NotStill;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

/// Why `/proc/PID/maps` of a task could not be read or was empty, or the kernel refused to trace it.
pub(crate) fn refused(pid: u32, error: &io::Error) -> String {
    let Ok(stat) = procfs::stat(pid) else {
        return gone(pid);
    };
    if let Some(reason) = ended(pid, &stat) {
        return reason;
    }
    if let Some(tracer) = procfs::status_field(pid, "TracerPid").filter(|tracer| tracer != "0") {
        let name = tracer.parse().map(procfs::command).unwrap_or_default();
        return format!("pid {pid} is already traced by pid {tracer} ({name}): detach that debugger first");
    }
    if !matches!(error.raw_os_error(), Some(libc::EPERM | libc::EACCES)) {
        return format!("pid {pid} cannot be traced: {error}");
    }
    let owner = fs::metadata(format!("/proc/{pid}")).map(|metadata| metadata.uid());
    let own = fs::metadata("/proc/self").map(|metadata| metadata.uid());
    if let (Ok(owner), Ok(own)) = (owner, own)
        && owner != own
    {
        return format!(
            "pid {pid} belongs to user {owner}, not to user {own}: run the probe as that user, or with \
             CAP_SYS_PTRACE"
        );
    }
    let scope = fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    match scope.trim() {
        "1" => format!(
            "pid {pid} may not be traced: kernel.yama.ptrace_scope is 1, which lets a process trace its \
             descendants only; run the probe as root or with CAP_SYS_PTRACE, or set the scope to 0"
        ),
        "2" => format!(
            "pid {pid} may not be traced: kernel.yama.ptrace_scope is 2; run the probe as root or with \
             CAP_SYS_PTRACE"
        ),
        "3" => {
            format!("pid {pid} may not be traced: kernel.yama.ptrace_scope is 3, which forbids all tracing")
        }
        _ => format!(
            "pid {pid} may not be traced ({error}): the process may be protected (set-user-id, not dumpable), or \
             this container lacks CAP_SYS_PTRACE"
        ),
    }
}

/// Why a task could not be copied.
pub(crate) fn not_still(pid: u32, why: &NotStill, patience: Duration) -> String {
    match why {
        NotStill::Seize(error) => refused(pid, error),
        NotStill::Ended => format!("pid {pid} ended while it was read"),
        NotStill::Late => {
            let state = procfs::stat(pid).map(|stat| stat.state);
            let detail = match state {
                Ok('D') => "it is in an uninterruptible system call (state D), often disk or network storage",
                Ok('R') => "it is runnable but was not scheduled: the machine is overloaded",
                Ok(_) => "it was released unread",
                Err(_) => return gone(pid),
            };
            format!(
                "pid {pid} did not stop within {} ms: {detail}",
                patience.as_millis()
            )
        }
        NotStill::ThirtyTwoBit => format!("pid {pid} is a 32-bit process: only x86-64 is supported"),
        NotStill::NoStack { pointer } => {
            format!("pid {pid} has its stack pointer at {pointer:#x}, which is not writable memory")
        }
        NotStill::Read(error) => format!("registers or stack of pid {pid} cannot be read: {error}"),
        NotStill::Setup(error) => format!("the probe could not set up its tracing thread: {error}"),
    }
}

/// The message for a pid that names no process.
pub(crate) fn gone(pid: u32) -> String {
    format!("no process has pid {pid} any more: it has ended")
}

/// The message for a process whose main thread has ended while others run on.
pub(crate) fn main_thread_ended(pid: u32) -> String {
    format!("the main thread of pid {pid} has ended; only other threads are left")
}

/// The message for a task that has ended but is still listed; `None` when it lives.
pub(crate) fn ended(pid: u32, stat: &procfs::Stat) -> Option<String> {
    match stat.state {
        'Z' if stat.threads > 1 => Some(main_thread_ended(pid)),
        'Z' => Some(format!(
            "pid {pid} is a zombie: it has ended, but its parent (pid {}) has not taken note",
            stat.parent
        )),
        'X' | 'x' => Some(gone(pid)),
        _ => None,
    }
}
