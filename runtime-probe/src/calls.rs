//! What a stop does to a thread that sleeps in a system call: the table of `docs/harmlessness.md`.
//!
//! [`system_calls`] says which calls begin again by themselves after a stop, and of which a result may be cut short by one. Any other
//! call counts as one that tells its program of the stop.

use crate::state::Call;
use library::system_calls::{self, Count};
use std::fs;

/// `read` begins again on a pipe, but not on a socket with a time limit.
const READ: u16 = 0;

/// Whether a thread that sleeps in `call` may be stopped and never know.
pub(crate) fn begins_again(call: &Call, tid: u32) -> bool {
    if call.number == READ {
        return is_pipe(tid, call.arguments[0]);
    }
    system_calls::by_number(call.number).is_some_and(|known| known.begins_again)
}

fn is_pipe(tid: u32, descriptor: u64) -> bool {
    // The call takes the lower half of it.
    let descriptor = descriptor as u32;
    let target = fs::read_link(format!("/proc/{tid}/fd/{descriptor}"));
    target.is_ok_and(|target| target.as_os_str().as_encoded_bytes().starts_with(b"pipe:["))
}

/// Whether a call that was left at a stop, with `result`, may have told the program of it. What the kernel begins again has a
/// result of its own (`ERESTARTSYS` and its like), which no program sees.
pub(crate) fn may_have_told(number: u16, arguments: [u64; 6], result: i64) -> bool {
    if result == -i64::from(libc::EINTR) {
        return true;
    }
    let Some(call) = system_calls::by_number(number) else {
        return false;
    };
    let is_short = match call.count {
        Count::Nothing => false,
        Count::Bytes(asked) => (1..arguments[asked].cast_signed()).contains(&result),
        Count::Buffers => result > 0,
    };
    const WAIT_ALL: u64 = libc::MSG_WAITALL as u64;
    let asks_for_all = |flags: usize| arguments[flags] & WAIT_ALL != 0;
    is_short && call.flags.is_none_or(asks_for_all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_stop_can_cause_is_counted() {
        let recv = |flags: u64, result| may_have_told(45, [3, 0, 100, flags, 0, 0], result);
        assert!(recv(0x100, 40) && recv(0, -4));
        // All that was asked for, the end of the stream, a recv that takes what is there, a call that begins again.
        assert!(!recv(0x100, 100) && !recv(0x100, 0) && !recv(0, 40) && !recv(0x100, -512));
        assert!(may_have_told(1, [1, 0, 1 << 20, 0, 0, 0], 65536));
        assert!(!may_have_told(0, [1, 0, 1 << 20, 0, 0, 0], 65536));
        assert!(may_have_told(232, [0; 6], -4) && !may_have_told(232, [0; 6], 3));
    }
}
