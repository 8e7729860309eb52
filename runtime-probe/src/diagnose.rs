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
    format!("{}; {}", why_not(pid, error), still_known(pid, &stat))
}

/// What the kernel tells of a process that may not be traced.
fn still_known(pid: u32, stat: &procfs::Stat) -> String {
    let state = match stat.state {
        'R' => "it runs or waits for a processor",
        'S' => "it sleeps",
        'D' => "it is in an uninterruptible system call",
        'T' => "it is stopped by a signal",
        't' => "a tracer has stopped it",
        _ => "its state is unknown",
    };
    // Which kernel function it sleeps in; "0" when it does not, or when that is hidden.
    let place = procfs::text(&format!("/proc/{pid}/wchan")).unwrap_or_default();
    let place = match place.trim() {
        "" | "0" => String::new(),
        function => format!(" in {function}"),
    };
    let threads = match stat.threads {
        1 => String::new(),
        count => format!(", {count} threads"),
    };
    let command = procfs::command(pid);
    format!(
        "/proc still tells of {command}: state {} ({state}{place}){threads}",
        stat.state
    )
}

/// `CAP_SYS_PTRACE` among the capabilities of `/proc/PID/status`.
const SYS_PTRACE: u32 = 19;

/// Which rule of the kernel forbids tracing, as far as it can be told.
fn why_not(pid: u32, error: &io::Error) -> String {
    let user = |pid: u32| procfs::owner(pid).map(|(real, _)| real);
    let own_pid = std::process::id();
    if let (Some(owner), Some(own)) = (user(pid), user(own_pid))
        && owner != own
    {
        return format!(
            "pid {pid} belongs to user {owner}, not to user {own}: run the probe as that user, or with \
             CAP_SYS_PTRACE"
        );
    }
    let has_capability = procfs::status_field(own_pid, "CapEff")
        .and_then(|mask| u64::from_str_radix(&mask, 16).ok())
        .is_some_and(|mask| mask >> SYS_PTRACE & 1 == 1);
    // For a protected process, the files in /proc that show its memory belong to root, whichever user runs it.
    let listed = fs::metadata(format!("/proc/{pid}/maps"))
        .map(|metadata| metadata.uid())
        .ok();
    if !has_capability && listed.is_some() && listed != user(pid) {
        return format!(
            "pid {pid} is protected (not dumpable: its program sets user ids, has file capabilities, or asked for \
             it by prctl(PR_SET_DUMPABLE)): run the probe with CAP_SYS_PTRACE"
        );
    }
    let namespace = |pid: u32| fs::read_link(format!("/proc/{pid}/ns/user")).ok();
    let (theirs, ours) = (namespace(pid), namespace(own_pid));
    if theirs.is_some() && theirs != ours && has_capability {
        return format!(
            "pid {pid} is in another user namespace, where this one has no CAP_SYS_PTRACE: run the probe in the \
             container of the process, or outside of any"
        );
    }
    let scope = procfs::text("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
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
        // 2 is a filter of system calls; that of containers lets ptrace pass with the capability alone.
        _ if procfs::status_field(own_pid, "Seccomp").as_deref() == Some("2") && !has_capability => format!(
            "pid {pid} may not be traced ({error}): the probe runs under a seccomp filter and without \
             CAP_SYS_PTRACE, as in a container; start that with --cap-add=SYS_PTRACE"
        ),
        _ if !has_capability => format!(
            "pid {pid} may not be traced ({error}): a security module (AppArmor, SELinux) may forbid it, or \
             the process has capabilities that the probe has not; run the probe with CAP_SYS_PTRACE"
        ),
        _ => format!(
            "pid {pid} may not be traced ({error}), though the probe has CAP_SYS_PTRACE: a security module \
             (AppArmor, SELinux) or a seccomp filter forbids it"
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
        NotStill::LeftAsleep => format!(
            "pid {pid} slept in a system call whenever it was to be stopped, which a stop would have ended early, and ran whenever it was \
             to be read asleep: try again, or --stop"
        ),
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
