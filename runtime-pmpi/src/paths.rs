//! Which call path a call of MPI stands on, without unwinding it at each call.
//!
//! Unwinding a stack takes microseconds, so each path is unwound once. What was found is kept under the address that the call returns to and the place of its
//! frame, together with every place on the stack that holds a return address, and that address. The path is the same as long as all of these places hold
//! what they held: one word to compare for each frame. Nothing outside of the thread's own stack is read: the caller says where that ends, and paths on
//! other stacks, of coroutines and signal handlers, are the return address alone, because such a stack may be gone when another one stands at its place.

use crate::tables::{as_key, mix};
use crate::words::Words;
use recording::model::DEPTH;
use std::ops::Range;

/// Paths that are kept, a power of two.
const ROWS: usize = 1 << 13;
/// Paths with the same hash; of more the others are unwound at each call, up to [`MOST_UNWOUND`] times.
const WAYS: usize = 8;
/// Words of a kept path: its key, the place of its frame, the state that it is, how many places, and the places with their addresses.
const ROW: usize = 4 + 2 * DEPTH;
const KEY: usize = 0;
const PLACE: usize = 1;
const STATE: usize = 2;
const COUNT: usize = 3;
const PAIRS: usize = 4;

/// A program that makes new paths for ever is not slowed for ever.
const MOST_UNWOUND: u64 = 50_000;

/// A place on the stack, and the return address that it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// The place.
    pub at: u64,
    /// The address.
    pub returns_to: u64,
}

/// A path of a call.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    slots: [Slot; DEPTH],
    count: usize,
}

impl Path {
    /// Innermost first.
    #[must_use]
    pub fn slots(&self) -> &[Slot] {
        &self.slots[..self.count]
    }

    fn push(&mut self, slot: Slot) -> bool {
        if let Some(free) = self.slots.get_mut(self.count) {
            *free = slot;
            self.count += 1;
        }
        self.count < DEPTH
    }
}

/// The paths that were unwound.
#[derive(Debug)]
pub struct Paths {
    kept: Words,
}

impl Paths {
    /// Paths that are kept in `words` ([`Self::words`] words of zeros).
    #[must_use]
    pub fn new(words: Words) -> Self {
        Paths { kept: words }
    }

    /// How many words that takes: one more, which counts.
    #[must_use]
    pub fn words() -> usize {
        ROWS * ROW + 1
    }

    fn key(operation: u32, returns_to: u64, frame: u64) -> u64 {
        as_key(mix(returns_to
            ^ mix(frame)
            ^ u64::from(operation).rotate_left(40)))
    }

    fn rows(key: u64) -> impl Iterator<Item = usize> {
        (0..WAYS).map(move |way| ((key as usize).wrapping_add(way) & (ROWS - 1)) * ROW)
    }

    /// The state that was kept for the path of the call whose frame begins at `frame`, on a stack that ends at `end`.
    pub fn find(&self, operation: u32, returns_to: u64, frame: u64, end: u64) -> Option<u64> {
        let key = Self::key(operation, returns_to, frame);
        let word = |at: usize| self.kept.get(at);
        for row in Self::rows(key) {
            if word(row + KEY) == 0 {
                return None;
            }
            if word(row + KEY) != key || word(row + PLACE) != frame {
                continue;
            }
            let mut pairs = (0..word(row + COUNT) as usize).map(|pair| row + PAIRS + 2 * pair);
            let holds = |pair: usize| {
                let at = word(pair);
                at >= frame.wrapping_sub(8) && at.saturating_add(8) <= end && on_stack(at) == word(pair + 1)
            };
            if pairs.all(holds) {
                return Some(word(row + STATE));
            }
        }
        None
    }

    /// Keeps a path. Only one thread at a time may keep.
    pub fn keep(&self, operation: u32, returns_to: u64, frame: u64, path: &Path, state: u64) {
        let key = Self::key(operation, returns_to, frame);
        let Some(row) = Self::rows(key).find(|row| self.kept.get(row + KEY) == 0) else {
            return;
        };
        for (pair, slot) in path.slots().iter().enumerate() {
            self.kept.set(row + PAIRS + 2 * pair, slot.at);
            self.kept.set(row + PAIRS + 2 * pair + 1, slot.returns_to);
        }
        self.kept.set(row + PLACE, frame);
        self.kept.set(row + STATE, state);
        self.kept.set(row + COUNT, path.slots().len() as u64);
        self.kept.publish(row + KEY, key);
    }

    /// Unwinds the path of a call, whose frame begins at `frame` on a stack that ends at `end`; `None` if that was done too often.
    pub fn unwind(&self, returns_to: u64, frame: u64, end: u64) -> Option<Path> {
        if self.kept.add(ROWS * ROW, 1) >= MOST_UNWOUND {
            return None;
        }
        let mut walk = Walk {
            path: Path {
                slots: [Slot::default(); DEPTH],
                count: 0,
            },
            frame,
            end,
        };
        let is_own_stack = frame < end && frame >= here();
        if is_own_stack && frame.is_multiple_of(8) {
            walk_stack(&mut walk);
        }
        if walk.path.count == 0 {
            walk.path.push(Slot {
                at: frame.wrapping_sub(8),
                returns_to,
            });
        }
        Some(walk.path)
    }
}

/// The stack of the calling thread; empty if that is not known.
#[must_use]
#[expect(unsafe_code, reason = "only the C library knows its threads' stacks")]
pub fn own_stack() -> Range<u64> {
    let (mut start, mut size) = (std::ptr::null_mut(), 0);
    // SAFETY: the attributes are made by the first call and ended by the last; all pointers are valid for the calls.
    unsafe {
        let mut attributes = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) != 0 {
            return 0..0;
        }
        let known = libc::pthread_attr_getstack(&raw const attributes, &raw mut start, &raw mut size);
        libc::pthread_attr_destroy(&raw mut attributes);
        if known != 0 {
            return 0..0;
        }
    }
    start as u64..(start as u64).saturating_add(size as u64)
}

/// An address within the frame of this function's caller, or below.
fn here() -> u64 {
    let place = 0_u8;
    std::ptr::from_ref(&place) as u64
}

struct Walk {
    path: Path,
    frame: u64,
    end: u64,
}

impl Walk {
    /// Takes in the next frame: where it goes on, and where the frame of what it called began. Whether to go on.
    fn take(&mut self, returns_to: u64, begins: u64) -> bool {
        if begins < self.frame {
            // Our own functions.
            return true;
        }
        let at = begins.wrapping_sub(8);
        // Only what can be looked at again is part of the path.
        if begins > self.end || !at.is_multiple_of(8) || on_stack(at) != returns_to {
            return false;
        }
        self.path.push(Slot { at, returns_to })
    }
}

/// The word at an address of this thread's stack, at or above the frame of the call that is recorded.
#[expect(unsafe_code, reason = "return addresses stand on the stack")]
fn on_stack(at: u64) -> u64 {
    // SAFETY: callers have checked that the eight aligned bytes lie between the frame of a call that has not returned and the end of this thread's
    // stack, which is mapped and readable as a whole. Nobody else writes there while the call lasts.
    unsafe { std::ptr::read_volatile(at as *const u64) }
}

type Context = libc::c_void;

#[expect(unsafe_code, reason = "the unwinder of C")]
unsafe extern "C" {
    fn _Unwind_Backtrace(
        trace: extern "C" fn(*mut Context, *mut libc::c_void) -> i32,
        argument: *mut libc::c_void,
    ) -> i32;
    fn _Unwind_GetIP(context: *mut Context) -> usize;
    fn _Unwind_GetCFA(context: *mut Context) -> usize;
}

/// `_URC_NO_REASON` and `_URC_END_OF_STACK` of the unwinder's interface.
const GO_ON: i32 = 0;
const ENOUGH: i32 = 5;

#[expect(unsafe_code, reason = "the unwinder of C")]
extern "C" fn take(context: *mut Context, walk: *mut libc::c_void) -> i32 {
    // SAFETY: the unwinder gives its own context, and the argument of `walk_stack`, which nobody else uses meanwhile.
    let (walk, returns_to, begins) = unsafe {
        (
            &mut *walk.cast::<Walk>(),
            _Unwind_GetIP(context) as u64,
            _Unwind_GetCFA(context) as u64,
        )
    };
    if returns_to != 0 && walk.take(returns_to, begins) {
        GO_ON
    } else {
        ENOUGH
    }
}

#[expect(unsafe_code, reason = "the unwinder of C")]
fn walk_stack(walk: &mut Walk) {
    // SAFETY: `take` does not unwind, and `walk` outlives the call.
    unsafe {
        _Unwind_Backtrace(take, std::ptr::from_mut(walk).cast());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    fn paths() -> Paths {
        let words: Vec<AtomicU64> = (0..Paths::words()).map(|_| AtomicU64::new(0)).collect();
        Paths::new(Words::new(Vec::leak(words)))
    }

    #[test]
    fn on_its_own_stack_a_path_is_found_until_it_changes() {
        let (paths, stack) = (paths(), own_stack());
        // What lies above this place are the callers of this function, which do not return meanwhile.
        let place = 0_u64;
        let frame = std::ptr::from_ref(&place) as u64;
        assert!(stack.contains(&frame));
        let path = paths.unwind(77, frame, stack.end).expect("it is the first");
        assert!(path.slots().len() > 2, "{path:?}");
        assert!(
            path.slots()
                .iter()
                .all(|slot| stack.contains(&slot.at) && slot.at >= frame - 8)
        );
        paths.keep(1, 77, frame, &path, 5);
        assert_eq!(paths.find(1, 77, frame, stack.end), Some(5));
        assert_eq!(paths.find(2, 77, frame, stack.end), None);
        let mut other = path;
        other.slots[other.count - 1].returns_to ^= 16;
        paths.keep(3, 77, frame, &other, 6);
        assert_eq!(
            paths.find(3, 77, frame, stack.end),
            None,
            "another address stands there"
        );
    }

    #[test]
    fn of_another_stack_nothing_but_the_frame_is_read() {
        let paths = paths();
        // A stack that ends where its page does: whoever read on would be killed.
        let coroutine = vec![0_u64; 64].leak();
        let frame = coroutine.as_ptr_range().end as u64;
        let path = paths.unwind(77, frame, frame).expect("it is the first");
        assert_eq!(
            path.slots(),
            [Slot {
                at: frame - 8,
                returns_to: 77
            }]
        );
        coroutine[63] = 77;
        paths.keep(1, 77, frame, &path, 5);
        assert_eq!(paths.find(1, 77, frame, frame), Some(5));
    }
}
