//! Reading a thread that sleeps in a system call without stopping it: nothing wakes it, and no call of it ends early.
//!
//! `/proc/TID/syscall` shows the call, the stack pointer and the program counter of a thread that does not run; the kernel prints
//! "running" when it ran while these were read. Memory is read from outside. The thread did not run in between if it sleeps in
//! the same call afterwards and its count of context switches is unchanged: a thread that ran and fell asleep again has one more.
//!
//! The stack is read twice. Other threads may write to it (so they may while this one is stopped); it is read again until two
//! copies agree, a few times.

use crate::procfs;
use crate::registers::Registers;
use crate::state::Call;
use crate::stop::{NotStill, Ranges, Request, Still};
use std::io::Read;

/// What came of it.
#[derive(Debug)]
pub(crate) enum Look {
    /// It slept all the while.
    Asleep(Box<Still>),
    /// It runs, or the kernel does not show what it sleeps in.
    Awake,
    /// It slept each time, but not through a reading.
    Restless,
    /// It sleeps, but cannot be read.
    Failed(NotStill),
}

/// So often a thread that wakes and sleeps again is tried.
const ATTEMPTS: usize = 32;
/// So often a stack that other threads write to is read.
const COPIES: usize = 4;

/// Reads a thread that sleeps.
pub(crate) fn read(request: &Request<'_>) -> Look {
    let tid = request.pid;
    let mut disagreed = 0;
    for _ in 0..ATTEMPTS {
        let Some(call) = Call::of(tid, tid) else {
            return Look::Awake;
        };
        let Some(before) = turns(tid) else {
            return Look::Awake;
        };
        if is_32_bit(tid, &call) {
            return Look::Failed(NotStill::ThirtyTwoBit);
        }
        let registers = Registers::of_sleeper(&call);
        let copies = Ranges::of(&registers, request).and_then(|mut ranges| {
            let mut first = ranges.room();
            let lengths = ranges.read(tid, &mut first)?;
            let stack = lengths.first().copied().unwrap_or(0);
            let second = ranges.read_stack(tid, stack)?;
            let agree = first.get(..stack) == Some(&second[..]);
            Ok((ranges, lengths, first, agree))
        });
        let slept = Call::of(tid, tid).as_ref() == Some(&call) && turns(tid) == Some(before);
        match copies {
            _ if !slept => {}
            Ok((ranges, lengths, bytes, agree)) => {
                disagreed += usize::from(!agree);
                if agree || disagreed == COPIES {
                    let mut still = ranges.keep(registers, &lengths, &bytes);
                    still.sleeps_in = Some(call);
                    return Look::Asleep(Box::new(still));
                }
            }
            Err(error) => return Look::Failed(error),
        }
    }
    Look::Restless
}

/// How often a thread has left the processor, by itself and not; `None` when it has ended.
fn turns(tid: u32) -> Option<(u64, u64)> {
    // Of a thread, by its own id.
    let mut text = String::with_capacity(2048);
    let mut file = regular_files::open_of_kernel(&format!("/proc/{tid}/task/{tid}/status")).ok()?;
    file.read_to_string(&mut text).ok()?;
    let field = |name| procfs::field(&text, name)?.parse().ok();
    Some((
        field("voluntary_ctxt_switches")?,
        field("nonvoluntary_ctxt_switches")?,
    ))
}

/// Whether the program is a 32-bit one, whose calls have other numbers.
fn is_32_bit(tid: u32, call: &Call) -> bool {
    let [stack_pointer, program_counter] = call.registers;
    if stack_pointer.max(program_counter) > u64::from(u32::MAX) {
        return false;
    }
    // The fifth byte of an ELF file is its class.
    let mut head = [0; 5];
    let read = regular_files::open_of_kernel(&format!("/proc/{tid}/exe"))
        .and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == [0x7f, b'E', b'L', b'F', 1]
}
