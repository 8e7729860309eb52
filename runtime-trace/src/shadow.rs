//! The functions that a thread is in, with the addresses of their frames.
//!
//! A frame's address is what the stack pointer was when its hook was called: frames of callees have lower ones. So whoever enters a function at an address has left all
//! whose addresses are lower.

use crate::system::memory;

/// A function that the thread is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) function: usize,
    pub(crate) frame: usize,
}

/// Functions that are followed at the same time, at most: 16 MiB of memory, of which only what was used is there.
pub(crate) const DEEPEST: usize = 1 << 20;

/// The functions that a thread is in, outermost first.
#[derive(Debug)]
pub(crate) struct Shadow {
    entries: *mut Entry,
    depth: usize,
}

impl Shadow {
    /// A shadow of a thread that is in no function; none if there is no memory.
    pub(crate) fn new() -> Option<Self> {
        let entries = memory(DEEPEST * size_of::<Entry>())?;
        Some(Self {
            entries: entries.cast(),
            depth: 0,
        })
    }

    #[inline]
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.depth == DEEPEST
    }

    /// The innermost function.
    #[inline]
    pub(crate) fn top(&self) -> Option<Entry> {
        self.get(self.depth.wrapping_sub(1))
    }

    /// A function by its place, from the outermost one, 0.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> Option<Entry> {
        if at >= self.depth {
            return None;
        }
        #[expect(unsafe_code, reason = "the memory is a mapping")]
        // SAFETY: the mapping has room for `DEEPEST` entries, and `at` is less than the depth, which is no more.
        Some(unsafe { self.entries.add(at).read() })
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
            self.entries.add(self.depth).write(entry);
        }
        self.depth += 1;
    }

    /// Leaves the innermost function.
    #[inline]
    pub(crate) fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Gives the memory back.
    pub(crate) fn end(&mut self) {
        self.depth = 0;
        #[expect(unsafe_code, reason = "the memory is a mapping")]
        // SAFETY: nothing is read or written any more, since the depth is 0 and the thread has ended.
        unsafe {
            crate::system::give_back(self.entries.cast(), DEEPEST * size_of::<Entry>());
        }
    }
}
