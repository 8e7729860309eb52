//! What a stop does to a thread that sleeps in a system call, by call: the table of `docs/harmlessness.md`, as measured.
//!
//! A stop wakes the sleeper inside the kernel. Most calls are then begun again by the kernel itself, and the program never knows. Some
//! are not: they return `EINTR`, or a count shorter than what was asked for. Calls are listed here only if they are known to begin
//! again; any other call counts as one that tells its program of the stop.

use crate::state::Call;
use std::fs;

/// Calls that begin again after a stop, whatever their arguments.
const BEGIN_AGAIN: [(u16, &str); 18] = [
    (7, "poll"),
    (23, "select"),
    (34, "pause"),
    (35, "nanosleep"),
    (61, "wait4"),
    (69, "msgsnd"),
    (70, "msgrcv"),
    (73, "flock"),
    (130, "rt_sigsuspend"),
    (202, "futex"),
    // A call that has begun again already.
    (219, "restart_syscall"),
    (230, "clock_nanosleep"),
    (242, "mq_timedsend"),
    (243, "mq_timedreceive"),
    (247, "waitid"),
    (270, "pselect6"),
    (271, "ppoll"),
    (449, "futex_waitv"),
];

/// `read` begins again on a pipe, but not on a socket with a time limit.
const READ: u16 = 0;

/// Calls that move bytes, and where the number of bytes asked for is: a stop in the middle shows as a smaller one.
const TRANSFERS: [(u16, usize); 8] = [
    (0, 2),
    (1, 2),
    (17, 2),
    (18, 2),
    (40, 3),
    (44, 2),
    (45, 2),
    (275, 4),
];
/// Calls that move several buffers, whose sizes are in memory: any count may be a short one.
const SEVERAL: [u16; 10] = [19, 20, 46, 47, 278, 295, 296, 299, 307, 326];

/// Whether a thread that sleeps in `call` may be stopped and never know.
pub(crate) fn begins_again(call: &Call, tid: u32) -> bool {
    if call.number == READ {
        return is_pipe(tid, call.arguments[0]);
    }
    BEGIN_AGAIN
        .binary_search_by_key(&call.number, |&(number, _)| number)
        .is_ok()
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
    let asked = TRANSFERS.iter().find(|&&(call, _)| call == number);
    let short = asked.is_some_and(|&(_, place)| (1..arguments[place].cast_signed()).contains(&result));
    // A read takes what is there; only a read that has to fill its buffer is cut short.
    const WAIT_ALL: u64 = libc::MSG_WAITALL as u64;
    match number {
        READ => false,
        45 => short && arguments[3] & WAIT_ALL != 0,
        47 => result > 0 && arguments[2] & WAIT_ALL != 0,
        _ => short || (SEVERAL.contains(&number) && result > 0 && number != 19 && number != 295),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_named_as_elsewhere() {
        assert!(BEGIN_AGAIN.is_sorted_by_key(|&(number, _)| number));
        for (number, name) in BEGIN_AGAIN {
            assert_eq!(crate::state::name_of(number), name);
        }
    }

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
