//! Events that are foretold.
//!
//! Where a match is believed, not the next event alone is known but many. As long as what comes is what was foretold, an event is one more in the run that the published word counts, and
//! all else that it changes can wait: the next event that comes another way, or behind the last that was foretold, goes through all of them ([`crate::Encoder::record`]). So whoever
//! records has little to do for each, and a reader sees each at once.

use crate::event::{Event, Symbol};
use crate::layout::{BLOCK, head};
use crate::model::UNTOLD;
use std::sync::atomic::{AtomicU64, Ordering};

/// Events that are expected, one after the other.
///
/// Whoever records compares an event with `expected[upper half of published - run]`: its number if it enters a function, 0 if it leaves one. If it is the same, and not
/// [`crate::UNTOLD`], adding 1 to the upper half of the word has recorded the event ([`Lane::count`]; the tracer does it by hand). Else it is for [`crate::Encoder::record`], which ends the lane.
#[derive(Debug, Clone, Copy)]
pub struct Lane<'a> {
    /// The word that tells of events.
    pub published: &'a AtomicU64,
    /// Its upper half when the lane began.
    pub run: u32,
    /// What is expected, and [`crate::UNTOLD`] behind it.
    pub expected: &'a [u32],
}

impl Lane<'_> {
    /// Records the event, if it is the one that is expected. Whether it is.
    pub fn count(&self, event: Event) -> bool {
        let run = (self.published.load(Ordering::Relaxed) >> 32) as u32;
        let symbol = Symbol::from(event).0;
        let expected = self.expected.get(run.wrapping_sub(self.run) as usize);
        let is_expected = symbol != UNTOLD && expected == Some(&symbol);
        if is_expected {
            self.published.fetch_add(1 << 32, Ordering::Release);
        }
        is_expected
    }
}

/// A lane that was begun and not ended.
#[derive(Debug)]
pub(crate) struct Open {
    /// The run when it began.
    pub(crate) run: u32,
    /// How many events were foretold.
    pub(crate) count: u32,
}

impl Open {
    /// How many of the events have come.
    #[inline]
    pub(crate) fn passed(&self, block: &[AtomicU64; BLOCK]) -> u32 {
        let run = (block[head::PUBLISHED].load(Ordering::Relaxed) >> 32) as u32;
        // Somebody else may have changed the file.
        run.wrapping_sub(self.run).min(self.count)
    }

    /// How many functions the thread is in behind these events, if it was in so many before.
    #[inline(never)]
    pub(crate) fn depth(before: u64, passed: &[u32]) -> u64 {
        let exits = passed.iter().filter(|&&symbol| symbol == 0).count() as u64;
        (before + passed.len() as u64).saturating_sub(2 * exits)
    }
}
