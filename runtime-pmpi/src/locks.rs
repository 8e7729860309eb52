//! Locks of windows: which parts a task has asked for and not given back, counted like messages, in channels of the window ([`recording::layout::signal`]).

use crate::recorder::Recorder;
use recording::layout::{channel, signal};

/// The peer under which the parts of all are counted.
const FIRST: i64 = 0;

impl Recorder {
    /// A call has returned that asked for the lock of a part of a window, as `how` says, a word of [`recording::layout::signal`].
    pub fn lock(&self, window: u64, target: i64, how: i64) {
        let peer = if how == signal::SHARES_ALL { FIRST } else { target };
        if let Some(serial) = self.serial_of_window(window) {
            self.count(serial, false, (peer, how), channel::BEGUN);
        }
    }

    /// The lock of a part of a window is given back; of all parts, if `target` is no rank.
    pub fn unlock(&self, window: u64, target: i64) {
        let Some(serial) = self.serial_of_window(window) else {
            return;
        };
        let one = [signal::EXCLUDES, signal::SHARES].map(|how| (target, how));
        let all = [(FIRST, signal::SHARES_ALL)];
        let kinds = if target < 0 { &all[..] } else { &one[..] };
        if let Some(open) = kinds.iter().find(|kind| self.is_open(serial, **kind)) {
            self.count(serial, false, *open, channel::DONE);
        }
    }
}
