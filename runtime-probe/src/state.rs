//! What the kernel says of a process, read from `/proc` without a stop.

use crate::lock;
use crate::procfs::{self, Stat};
use library::system_calls;
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
    match system_calls::by_number(number) {
        Some(call) => call.name.to_owned(),
        None => format!("system call {number}"),
    }
}

/// The function of the kernel that a thread sleeps in; "0" when that is hidden.
fn wait_channel(pid: u32, tid: u32) -> Option<String> {
    let text = procfs::text(&format!("/proc/{pid}/task/{tid}/wchan")).ok()?;
    let name = text.trim();
    (!matches!(name, "" | "0")).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

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
