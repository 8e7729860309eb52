//! What the kernel says of a process, read from `/proc` without a stop.

use crate::lock;
use crate::procfs::{self, Stat};
use snapshot::{ProcessState, RunState};

/// Clock ticks of `/proc` in a second: the kernel's interface fixes them on x86-64.
const TICKS: u64 = 100;

/// The state of a process as `stat` has it, and what its main thread sleeps in.
pub(crate) fn of(pid: u32, stat: &Stat) -> ProcessState {
    of_thread(pid, pid, stat)
}

/// The state of a thread of a process as `stat` has it, and what it sleeps in.
pub(crate) fn of_thread(pid: u32, tid: u32, stat: &Stat) -> ProcessState {
    let run = RunState::of_letter(stat.state);
    let sleeps = matches!(run, RunState::Sleeping | RunState::Uninterruptible);
    let tracer = || procfs::status_field(tid, "TracerPid")?.parse().ok();
    let call = sleeps.then(|| Call::of(pid, tid)).flatten();
    ProcessState {
        run,
        system_call: call.as_ref().map(Call::name),
        wait_channel: (run == RunState::Uninterruptible)
            .then(|| wait_channel(pid, tid))
            .flatten(),
        tracer: (run == RunState::Traced)
            .then(tracer)
            .flatten()
            .filter(|&tracer: &u32| tracer != 0),
        cpu_ms: Some(stat.spent.saturating_mul(1000 / TICKS)),
        lock: call.and_then(|call| lock::waited_for(pid, tid, &call)),
    }
}

/// A system call that a thread sleeps in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) number: u16,
    pub(crate) arguments: [u64; 6],
    /// The stack pointer and the program counter behind the call.
    pub(crate) registers: [u64; 2],
}

impl Call {
    /// `None` when the thread is in no call, or when that is not ours to know.
    pub(crate) fn of(pid: u32, tid: u32) -> Option<Call> {
        Call::parse(&procfs::text(&format!("/proc/{pid}/task/{tid}/syscall")).ok()?)
    }

    /// The kernel prints "running", or the number of the call, six arguments, stack pointer and program counter; -1 is no call.
    fn parse(text: &str) -> Option<Call> {
        let mut words = text.split_whitespace();
        let number = words.next()?.parse().ok()?;
        let mut hex = || u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok();
        let mut arguments = [0; 6];
        for argument in &mut arguments {
            *argument = hex()?;
        }
        Some(Call {
            number,
            arguments,
            registers: [hex()?, hex()?],
        })
    }

    fn name(&self) -> String {
        name_of(self.number)
    }
}

/// The name of a system call, or its number.
pub(crate) fn name_of(number: u16) -> String {
    let known = NAMES.binary_search_by_key(&number, |&(known, _)| known);
    match known {
        Ok(at) => NAMES[at].1.to_owned(),
        Err(_) => format!("system call {number}"),
    }
}

/// The function of the kernel that a thread sleeps in; "0" when that is hidden.
fn wait_channel(pid: u32, tid: u32) -> Option<String> {
    let text = procfs::text(&format!("/proc/{pid}/task/{tid}/wchan")).ok()?;
    let name = text.trim();
    (!matches!(name, "" | "0")).then(|| name.to_owned())
}

/// System calls of x86-64 that a thread may sleep in, by number.
const NAMES: [(u16, &str); 73] = [
    (0, "read"),
    (1, "write"),
    (2, "open"),
    (3, "close"),
    (4, "stat"),
    (5, "fstat"),
    (7, "poll"),
    (16, "ioctl"),
    (17, "pread64"),
    (18, "pwrite64"),
    (19, "readv"),
    (20, "writev"),
    (23, "select"),
    (26, "msync"),
    (34, "pause"),
    (35, "nanosleep"),
    (40, "sendfile"),
    (42, "connect"),
    (43, "accept"),
    (44, "sendto"),
    (45, "recvfrom"),
    (46, "sendmsg"),
    (47, "recvmsg"),
    (61, "wait4"),
    (65, "semop"),
    (69, "msgsnd"),
    (70, "msgrcv"),
    (72, "fcntl"),
    (73, "flock"),
    (74, "fsync"),
    (75, "fdatasync"),
    (76, "truncate"),
    (77, "ftruncate"),
    (78, "getdents"),
    (82, "rename"),
    (83, "mkdir"),
    (87, "unlink"),
    (128, "rt_sigtimedwait"),
    (130, "rt_sigsuspend"),
    (202, "futex"),
    (208, "io_getevents"),
    (217, "getdents64"),
    (219, "restart_syscall"),
    (220, "semtimedop"),
    (230, "clock_nanosleep"),
    (232, "epoll_wait"),
    (242, "mq_timedsend"),
    (243, "mq_timedreceive"),
    (247, "waitid"),
    (257, "openat"),
    (262, "newfstatat"),
    (270, "pselect6"),
    (271, "ppoll"),
    (275, "splice"),
    (276, "tee"),
    (277, "sync_file_range"),
    (278, "vmsplice"),
    (281, "epoll_pwait"),
    (285, "fallocate"),
    (288, "accept4"),
    (295, "preadv"),
    (296, "pwritev"),
    (299, "recvmmsg"),
    (307, "sendmmsg"),
    (318, "getrandom"),
    (326, "copy_file_range"),
    (327, "preadv2"),
    (328, "pwritev2"),
    (332, "statx"),
    (333, "io_pgetevents"),
    (426, "io_uring_enter"),
    (441, "epoll_pwait2"),
    (449, "futex_waitv"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn numbers_are_sorted_for_the_search() {
        assert!(NAMES.is_sorted_by_key(|&(number, _)| number));
    }

    #[test]
    fn a_call_is_read_whole_or_not_at_all() {
        let call = Call::parse("202 0x10 0x80 0x2 0x0 0x0 0x0 0x7ffc 0x401000\n").unwrap();
        assert_eq!((call.number, call.arguments[2]), (202, 2));
        assert_eq!(call.registers, [0x7ffc, 0x40_1000]);
        assert_eq!(call.name(), "futex");
        for text in [
            "running",
            "-1 0x7ffc 0x401000",
            "202 0x10",
            "0 0x1 0x2 0x3 0x4 0x5 0x6 0x7 8",
            "",
        ] {
            assert_eq!(Call::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_process_that_sleeps_tells_in_what() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        // It is on its way into the call for a moment.
        let seen = loop {
            let stat = procfs::stat(child.id()).unwrap();
            let state = of(child.id(), &stat);
            if state.system_call.as_deref() == Some("read") {
                break state;
            }
            std::thread::yield_now();
        };
        drop(child.stdin.take());
        child.wait().unwrap();
        assert_eq!(seen.run, RunState::Sleeping);
        assert!(seen.cpu_ms.is_some());
    }
}
