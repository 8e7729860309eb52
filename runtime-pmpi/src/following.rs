//! What the C shim calls to follow a first run, and to write down what a second one has to follow.

use crate::interface::{list, recorder};
use crate::recorder::Call;

/// Whether a first run is followed.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub extern "C" fn hindmost_is_following() -> u32 {
    recorder().map_or(0, |recorder| u32::from(recorder.is_following()))
}

/// A prepared request is about to be started. Returns a word of [`follows`](crate::recorder::follows): if it is a receive that has to take what the first run's took, from `source`, under `tag`.
///
/// # Safety
///
/// `source` and `tag` point to a number each that may be written.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub unsafe extern "C" fn hindmost_starts(handle: u64, source: *mut i64, tag: *mut i64) -> u64 {
    let Some(recorder) = recorder() else {
        return 0;
    };
    let (follows, from, under) = recorder.meet_start(handle);
    // SAFETY: the caller's promise.
    unsafe { (*source, *tag) = (from, under) };
    follows
}

/// The place in its list of the request that a call, which follows, has to complete as its `number`-th, counted from 0; -1 if there is none.
///
/// # Safety
///
/// `call` points to the call that `hindmost_enter` has filled.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub unsafe extern "C" fn hindmost_choice(call: *const Call, number: usize) -> i32 {
    // SAFETY: the caller's promise.
    let choice = recorder().and_then(|recorder| recorder.choice(unsafe { &*call }, number));
    choice.and_then(|place| i32::try_from(place).ok()).unwrap_or(-1)
}

/// The call, which leaves open which requests it completes, has completed these: by their places in its list.
///
/// # Safety
///
/// `call` points to the call that `hindmost_enter` has filled; `places` is null, or points to `count` numbers, none of them negative.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub unsafe extern "C" fn hindmost_chose(call: *const Call, places: *const i32, count: usize) {
    if let Some(recorder) = recorder() {
        // SAFETY: the caller's promise.
        let (call, places) = unsafe { (&*call, list(places.cast::<u32>(), count)) };
        recorder.chose(call, places);
    }
}
