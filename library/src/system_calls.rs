//! The system calls of Linux that threads sleep in: what ends the sleep, and what a stop of the sleeper does to the call.
//!
//! A stop wakes the sleeper inside the kernel. Most calls are then begun again by the kernel itself, and the program never knows. Some
//! are not: they return `EINTR`, or a count shorter than what was asked for. That is measured (`docs/harmlessness.md`); only calls that are known to begin
//! again say so.

/// A system call that a thread may sleep in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemCall {
    /// Its number on x86-64.
    pub number: u16,
    /// Its name, as `strace` prints it.
    pub name: &'static str,
    /// What ends the sleep.
    pub awaits: Awaits,
    /// It begins again after a stop, whatever its arguments.
    pub begins_again: bool,
    /// What its result counts.
    pub count: Count,
    /// The argument with its flags, if a stop makes the count short only where they ask for all (`MSG_WAITALL`).
    pub flags: Option<usize>,
}

/// What ends the sleep in a system call. Many calls may have a time limit besides, which their number does not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaits {
    /// Another thread of the process.
    Threads,
    /// A signal.
    Signal,
    /// A process that this one has started.
    Child,
    /// Another process that has the same queue or semaphore.
    Process,
    /// The time.
    Time,
    /// A file, a device or a connection.
    InputOutput,
    /// This depends on the arguments.
    Unknown,
}

impl Awaits {
    /// Whether nothing ends the sleep but a thread of the program, or a signal: no timer, no device, no peer.
    pub fn only_the_program(self) -> bool {
        matches!(self, Self::Threads | Self::Signal | Self::Child | Self::Process)
    }
}

/// What the result of a system call counts that a stop can cut short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Nothing, or what there was: fewer than asked for say nothing of a stop.
    Nothing,
    /// Bytes, of which this argument asks for so many.
    Bytes(usize),
    /// What was moved of several buffers, whose sizes are in memory: any count may be a short one.
    Buffers,
}

impl SystemCall {
    const fn begins_again(mut self) -> Self {
        self.begins_again = true;
        self
    }

    const fn bytes(mut self, asked: usize) -> Self {
        self.count = Count::Bytes(asked);
        self
    }

    const fn buffers(mut self) -> Self {
        self.count = Count::Buffers;
        self
    }

    const fn flags(mut self, argument: usize) -> Self {
        self.flags = Some(argument);
        self
    }
}

const fn call(number: u16, name: &'static str, awaits: Awaits) -> SystemCall {
    SystemCall {
        number,
        name,
        awaits,
        begins_again: false,
        count: Count::Nothing,
        flags: None,
    }
}

use Awaits::{Child, InputOutput, Process, Signal, Threads, Time, Unknown};

/// By number.
static CALLS: &[SystemCall] = &[
    // It begins again on a pipe, but not on a socket with a time limit.
    call(0, "read", InputOutput),
    call(1, "write", InputOutput).bytes(2),
    call(2, "open", InputOutput),
    call(3, "close", InputOutput),
    call(4, "stat", InputOutput),
    call(5, "fstat", InputOutput),
    call(7, "poll", InputOutput).begins_again(),
    call(16, "ioctl", Unknown),
    call(17, "pread64", InputOutput).bytes(2),
    call(18, "pwrite64", InputOutput).bytes(2),
    call(19, "readv", InputOutput),
    call(20, "writev", InputOutput).buffers(),
    call(23, "select", InputOutput).begins_again(),
    call(26, "msync", InputOutput),
    call(34, "pause", Signal).begins_again(),
    call(35, "nanosleep", Time).begins_again(),
    call(40, "sendfile", InputOutput).bytes(3),
    call(42, "connect", InputOutput),
    call(43, "accept", InputOutput),
    call(44, "sendto", InputOutput).bytes(2),
    call(45, "recvfrom", InputOutput).bytes(2).flags(3),
    call(46, "sendmsg", InputOutput).buffers(),
    call(47, "recvmsg", InputOutput).buffers().flags(2),
    call(61, "wait4", Child).begins_again(),
    call(65, "semop", Process),
    call(69, "msgsnd", Process).begins_again(),
    call(70, "msgrcv", Process).begins_again(),
    call(72, "fcntl", InputOutput),
    call(73, "flock", InputOutput).begins_again(),
    call(74, "fsync", InputOutput),
    call(75, "fdatasync", InputOutput),
    call(76, "truncate", InputOutput),
    call(77, "ftruncate", InputOutput),
    call(78, "getdents", InputOutput),
    call(82, "rename", InputOutput),
    call(83, "mkdir", InputOutput),
    call(87, "unlink", InputOutput),
    call(128, "rt_sigtimedwait", Signal),
    call(130, "rt_sigsuspend", Signal).begins_again(),
    call(162, "sync", InputOutput),
    call(202, "futex", Threads).begins_again(),
    call(208, "io_getevents", InputOutput),
    call(217, "getdents64", InputOutput),
    // So the kernel calls those with a time limit that it has begun again after a stop.
    call(219, "restart_syscall", Time).begins_again(),
    call(220, "semtimedop", Unknown),
    call(230, "clock_nanosleep", Time).begins_again(),
    call(232, "epoll_wait", InputOutput),
    call(242, "mq_timedsend", Unknown).begins_again(),
    call(243, "mq_timedreceive", Unknown).begins_again(),
    call(247, "waitid", Child).begins_again(),
    call(257, "openat", InputOutput),
    call(262, "newfstatat", InputOutput),
    call(270, "pselect6", InputOutput).begins_again(),
    call(271, "ppoll", InputOutput).begins_again(),
    call(275, "splice", InputOutput).bytes(4),
    call(276, "tee", InputOutput),
    call(277, "sync_file_range", InputOutput),
    call(278, "vmsplice", InputOutput).buffers(),
    call(281, "epoll_pwait", InputOutput),
    call(285, "fallocate", InputOutput),
    call(288, "accept4", InputOutput),
    call(295, "preadv", InputOutput),
    call(296, "pwritev", InputOutput).buffers(),
    call(299, "recvmmsg", InputOutput).buffers(),
    call(306, "syncfs", InputOutput),
    call(307, "sendmmsg", InputOutput).buffers(),
    call(318, "getrandom", Unknown),
    call(326, "copy_file_range", InputOutput).buffers(),
    call(327, "preadv2", InputOutput),
    call(328, "pwritev2", InputOutput).buffers(),
    call(332, "statx", InputOutput),
    call(333, "io_pgetevents", InputOutput),
    call(426, "io_uring_enter", InputOutput),
    call(437, "openat2", InputOutput),
    call(441, "epoll_pwait2", InputOutput),
    call(449, "futex_waitv", Threads).begins_again(),
];

/// The call of this number on x86-64.
pub fn by_number(number: u16) -> Option<&'static SystemCall> {
    let at = CALLS.binary_search_by_key(&number, |call| call.number).ok()?;
    Some(&CALLS[at])
}

/// The call of this name.
pub fn by_name(name: &str) -> Option<&'static SystemCall> {
    CALLS.iter().find(|call| call.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_has_one_row() {
        for pair in CALLS.windows(2) {
            assert!(pair[0].number < pair[1].number, "{}", pair[1].name);
        }
        for call in CALLS {
            assert_eq!(by_number(call.number), Some(call));
            assert_eq!(by_name(call.name), Some(call), "two rows of one name");
        }
        assert_eq!(by_number(6), None);
        assert_eq!(by_name("lstat"), None);
    }

    #[test]
    fn arguments_are_some_that_a_call_has() {
        for call in CALLS {
            let asked = match call.count {
                Count::Bytes(argument) => argument,
                Count::Nothing | Count::Buffers => 0,
            };
            assert!(
                asked < 6 && call.flags.is_none_or(|flags| flags < 6),
                "{}",
                call.name
            );
            assert!(
                call.flags.is_none() || call.count != Count::Nothing,
                "{}",
                call.name
            );
            assert!(
                !call.begins_again || call.count == Count::Nothing,
                "{}",
                call.name
            );
        }
    }

    #[test]
    fn who_waits_for_time_or_devices_goes_on_by_itself() {
        let only_the_program = |name| by_name(name).map(|call| call.awaits.only_the_program());
        assert_eq!(only_the_program("futex_waitv"), Some(true));
        assert_eq!(only_the_program("wait4"), Some(true));
        assert_eq!(only_the_program("poll"), Some(false));
        assert_eq!(only_the_program("restart_syscall"), Some(false));
        assert_eq!(only_the_program("ioctl"), Some(false));
    }
}
