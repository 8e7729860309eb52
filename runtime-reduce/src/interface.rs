//! What the C shim gives and calls. The shim is made for one MPI (`hindmost build-reducer`), with a static library of this crate that knows none.

use crate::network::Network;
use crate::program;
use std::ffi::{CStr, OsString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStringExt as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The functions of the shim, as `struct hindmost_calls` in `integrations/mpi/hindmost_reducer.c` has them. All are called by one thread.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Calls {
    /// [`VERSION`].
    version: u32,
    /// The number of this process.
    rank: u32,
    /// How many there are.
    size: u32,
    /// Begins to send; the bytes must stay until [`Calls::is_sent`] has said so. Null if that is not possible.
    send: unsafe extern "C" fn(to: u32, bytes: *const u8, length: usize) -> *mut c_void,
    /// Whether what was begun is sent: 1 and -1 (it never will be) end it, and it must not be asked for again; 0 is not yet.
    is_sent: unsafe extern "C" fn(sending: *mut c_void) -> c_int,
    /// How many bytes the next message of a process has; -1 if there is none, -2 if there never will be.
    next: unsafe extern "C" fn(from: u32) -> i64,
    /// Takes that message; 0 if all is well.
    take: unsafe extern "C" fn(from: u32, bytes: *mut u8, length: usize) -> c_int,
}

/// Of the table and what is done with it. A shim of another version is told so, in place of being called.
pub const VERSION: u32 = 1;

/// Runs the process to its end. 0: MPI may be ended as usual. 1: a process was lost, or this one was not understood: the others must be ended without waiting for it.
///
/// # Safety
/// `calls` points to a table whose functions do what it says, and `arguments` to `count` texts that end with NUL.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub unsafe extern "C" fn hindmost_reduce(
    calls: *const Calls,
    count: c_int,
    arguments: *const *const c_char,
) -> c_int {
    let count = usize::try_from(count).unwrap_or(0);
    if calls.is_null() || arguments.is_null() {
        return 1;
    }
    // SAFETY: the caller's promise; it is read once.
    let calls = unsafe { *calls };
    let argument = |at: usize| {
        // SAFETY: the caller's promise, since `at` is below `count`.
        let text = unsafe { CStr::from_ptr(*arguments.add(at)) };
        OsString::from_vec(text.to_bytes().to_vec())
    };
    let arguments = Vec::from_iter((1..count).map(argument));
    if calls.version != VERSION || calls.size == 0 || calls.rank >= calls.size {
        program::say("it was made of a shim of another version: hindmost build-reducer makes it anew");
        return 1;
    }
    match program::run(Mpi { calls }, &arguments) {
        Ok(()) => 0,
        Err(why) => {
            program::say(&why);
            1
        }
    }
}

/// MPI, as far as it is needed.
struct Mpi {
    calls: Calls,
}

/// How long is slept between two looks for a message, at first and at last.
const SHORTEST: Duration = Duration::from_micros(20);
const LONGEST: Duration = Duration::from_millis(4);

/// No frame has more.
const LARGEST: i64 = nodes::frame::LARGEST as i64 + 64;

/// Asks again and again, less and less often, until there is an answer or the time is over.
fn until<T>(end: Instant, mut asked: impl FnMut() -> Option<T>) -> Option<T> {
    let mut pause = SHORTEST;
    loop {
        if let Some(answer) = asked() {
            return Some(answer);
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return None;
        }
        std::thread::sleep(pause.min(left));
        pause = LONGEST.min(pause * 2);
    }
}

/// Something that is being sent. Its bytes stay as long as MPI may read them.
struct Sending {
    to: u32,
    handle: *mut c_void,
    bytes: Arc<[u8]>,
}

#[expect(unsafe_code, reason = "calls C")]
impl Network for Mpi {
    fn rank(&self) -> u32 {
        self.calls.rank
    }

    fn size(&self) -> u32 {
        self.calls.size
    }

    fn send(&mut self, to: &[u32], bytes: &Arc<[u8]>, end: Instant) -> Vec<u32> {
        let mut lost = Vec::new();
        let mut open = Vec::new();
        for &to in to {
            let bytes = bytes.clone();
            // SAFETY: the bytes are kept with the handle.
            let handle = unsafe { (self.calls.send)(to, bytes.as_ptr(), bytes.len()) };
            if handle.is_null() {
                lost.push(to);
            } else {
                open.push(Sending { to, handle, bytes });
            }
        }
        until(end, || {
            open.retain(|sending| {
                // SAFETY: the handle is of `send`, and was not ended: then it would be here no more.
                let state = unsafe { (self.calls.is_sent)(sending.handle) };
                lost.extend((state < 0).then_some(sending.to));
                state == 0
            });
            open.is_empty().then_some(())
        });
        for sending in open {
            lost.push(sending.to);
            // MPI may read them at any time up to the end of the process.
            std::mem::forget(sending.bytes);
        }
        lost
    }

    fn receive(&mut self, from: u32, end: Instant) -> Option<Vec<u8>> {
        // SAFETY: it takes a number.
        let next = || Some(unsafe { (self.calls.next)(from) }).filter(|&length| length != -1);
        let length = until(end, next)?;
        if length > LARGEST {
            return None;
        }
        let mut bytes = vec![0; usize::try_from(length).ok()?];
        // SAFETY: the message has as many bytes as there is room for.
        let taken = unsafe { (self.calls.take)(from, bytes.as_mut_ptr(), bytes.len()) };
        (taken == 0).then_some(bytes)
    }
}
