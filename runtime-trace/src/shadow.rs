//! The functions that a thread is in, with the addresses of their frames.
//!
//! A frame's address is what the stack pointer was when its hook was called: frames of callees have lower ones. So whoever enters a function at an address has left all
//! whose addresses are lower.

use crate::system::memory;

/// A function that the thread is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Entry {
    pub(crate) function: usize,
    pub(crate) frame: usize,
}

/// Functions that are followed at the same time, at most: 16 MiB of memory, of which only what was used is there.
pub(crate) const DEEPEST: usize = 1 << 20;

const BYTES: usize = (DEEPEST + 1) * size_of::<Entry>();

/// What stands before the outermost function: no function, and whatever comes is within it.
const OUTSIDE: Entry = Entry {
    function: 0,
    frame: usize::MAX,
};

/// The functions that a thread is in, outermost first.
#[derive(Debug)]
pub(crate) struct Shadow {
    /// [`OUTSIDE`], with room for [`DEEPEST`] behind it.
    outside: *mut Entry,
    /// The innermost function, or [`OUTSIDE`]. `quick` moves it, too.
    pub(crate) top: *mut Entry,
}

impl Shadow {
    /// A shadow of a thread that is in no function; none if there is no memory.
    pub(crate) fn new() -> Option<Self> {
        let outside: *mut Entry = memory(BYTES)?.cast();
        #[expect(unsafe_code, reason = "the memory is a mapping")]
        // SAFETY: the mapping has room for more than one entry.
        unsafe {
            outside.write(OUTSIDE);
        }
        Some(Self {
            outside,
            top: outside,
        })
    }

    #[inline]
    pub(crate) fn depth(&self) -> usize {
        (self.top.addr() - self.outside.addr()) / size_of::<Entry>()
    }

    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.has_no_room_for(1)
    }

    /// Whether so many functions more would be too many.
    #[inline]
    pub(crate) fn has_no_room_for(&self, more: usize) -> bool {
        self.depth() + more > DEEPEST
    }

    /// The innermost function.
    #[inline]
    pub(crate) fn top(&self) -> Option<Entry> {
        self.get(self.depth().wrapping_sub(1))
    }

    /// A function by its place, from the outermost one, 0.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> Option<Entry> {
        if at >= self.depth() {
            return None;
        }
        #[expect(unsafe_code, reason = "the memory is a mapping")]
        // SAFETY: the mapping has room for `DEEPEST` entries behind the first, and `at` is less than the depth, which is no more.
        Some(unsafe { self.outside.add(at + 1).read() })
    }

    /// Enters a function. Nothing happens if it is full.
    #[inline]
    pub(crate) fn push(&mut self, entry: Entry) {
        if self.is_full() {
            return;
        }
        #[expect(unsafe_code, reason = "the memory is a mapping")]
        // SAFETY: the depth is less than the number of entries that there is room for.
        unsafe {
            let inner = self.top.add(1);
            inner.write(entry);
            self.top = inner;
        }
    }

    /// Leaves the innermost function.
    #[inline]
    pub(crate) fn pop(&mut self) {
        if self.top != self.outside {
            self.top = self.top.wrapping_sub(1);
        }
    }

    /// Gives the memory back.
    pub(crate) fn end(&mut self) {
        self.top = self.outside;
        #[expect(unsafe_code, reason = "the memory is a mapping")]
        // SAFETY: nothing is read or written any more, since the depth is 0 and the thread has ended.
        unsafe {
            crate::system::give_back(self.outside.cast(), BYTES);
        }
    }
}
