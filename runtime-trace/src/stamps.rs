//! When things happened: the stamps of one thread, in a file of their own.
//!
//! A clock costs as much as several events, so that most have none. What the flight recorder tells of calls of MPI, which has read its clock anyway, is written as it comes; between, one event
//! in many looks at the processor's counter of cycles, and where enough of these have passed, the clock is read.

use crate::blocks::Blocks;
use crate::process;
use crate::system::{self, Undisturbed};
use calltrace::layout::{ended, header};
use calltrace::stamps::{self, Stamp, StampEncoder, Tie};
use std::sync::atomic::Ordering;

/// So many events lie between two that look at the counter of cycles; more, where events are foretold.
const LOOKS: u64 = 64;
/// Cycles from one stamp to the next: some ten milliseconds.
const CYCLES: u64 = 1 << 25;

/// The stamps of a thread.
pub(crate) struct Stamps {
    /// The number in the name of its file.
    thread: u32,
    encoder: StampEncoder<'static>,
    file: File,
    /// The event that looks next.
    looks: u64,
    /// The counter of cycles when the next one is due.
    due: u64,
}

#[expect(
    clippy::large_enum_variant,
    reason = "a thread has one, in memory of its own that never moves"
)]
enum File {
    NotYet,
    Open(Blocks),
    /// There is no room, or it cannot be opened.
    None,
}

impl Stamps {
    /// Those of the thread with this number.
    pub(crate) fn new(thread: u32) -> Self {
        Self {
            thread,
            encoder: StampEncoder::new(),
            file: File::NotYet,
            looks: 1,
            due: 0,
        }
    }

    /// Looks whether a stamp is due behind so many events.
    #[inline]
    pub(crate) fn look(&mut self, behind: u64) {
        if behind >= self.looks {
            self.looks = behind + LOOKS;
            self.look_at_counter(behind);
        }
    }

    #[inline(never)]
    fn look_at_counter(&mut self, behind: u64) {
        let now = system::cycles();
        // Processors need not count alike: one that is far ahead does not hold up the others for ever.
        if self.due.wrapping_sub(now) <= CYCLES {
            return;
        }
        self.due = now.wrapping_add(CYCLES);
        let _undisturbed = Undisturbed::begin();
        self.record(Stamp {
            behind,
            time: system::monotonic(),
            tie: Tie::None,
        });
    }

    /// Records one.
    pub(crate) fn record(&mut self, stamp: Stamp) {
        if self.encoder.record(stamp).is_err() {
            self.record_in_new_block(stamp);
        }
    }

    #[cold]
    fn record_in_new_block(&mut self, stamp: Stamp) {
        if matches!(self.file, File::None) {
            return;
        }
        let _undisturbed = Undisturbed::begin();
        if matches!(self.file, File::NotYet) {
            let describe = |words: &_| stamps::describe(words, system::monotonic(), system::now());
            let blocks = process::stamps_name(self.thread).and_then(|name| Blocks::create(name, describe));
            self.file = blocks.map_or(File::None, File::Open);
        }
        let File::Open(blocks) = &mut self.file else {
            return;
        };
        let block = blocks.next();
        let is_recorded = block.is_some_and(|block| {
            self.encoder.begin(block, stamp.behind, stamp.time) && self.encoder.record(stamp).is_ok()
        });
        if !is_recorded {
            // The header stays mapped: that nothing comes any more is rare.
            blocks.header()[header::ENDED].store(ended::NO_ROOM, Ordering::Release);
            self.file = File::None;
        }
    }

    /// Gives all memory back; the file stays. `has_ended` says that it is complete.
    ///
    /// # Safety
    ///
    /// Nobody records a stamp any more.
    #[expect(unsafe_code, reason = "the file's memory is given back")]
    pub(crate) unsafe fn end(&mut self, has_ended: bool) {
        if let File::Open(blocks) = &mut self.file {
            if has_ended {
                blocks.header()[header::ENDED].store(ended::THREAD, Ordering::Release);
            }
            // SAFETY: the caller's promise.
            unsafe { blocks.end() };
        }
        self.file = File::None;
    }
}
