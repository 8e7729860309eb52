//! What hooks tell, and how a call waits in the queue of a thread that is busy.

use crate::shadow::Entry;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// What a hook tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// The thread enters a function; the hook's frame is at this address.
    Enter(Entry),
    /// It leaves the function.
    Exit { function: usize },
    /// It leaves all functions whose frames are below this address.
    Jump { to: usize },
    /// It enters a function whose return address stands at the frame's address: no function that it is still in has the same.
    Begin(Entry),
    /// It leaves the function whose return address stands at this address.
    End { frame: usize },
}

impl Call {
    /// Readers see the queue of a handler that stands still; one that went elsewhere within itself is not followed.
    pub(crate) fn is_seen_in_queue(self) -> bool {
        !matches!(self, Self::Jump { .. })
    }
}

/// A call of a hook that came while the thread was busy.
#[derive(Default)]
pub(crate) struct Queued {
    /// 0 as long as the others stand for no call.
    kind: AtomicU32,
    value: AtomicUsize,
    frame: AtomicUsize,
}

impl Queued {
    pub(crate) fn set(&self, call: Call) {
        let (kind, value, frame) = match call {
            Call::Enter(entry) => (1, entry.function, entry.frame),
            Call::Exit { function } => (2, function, 0),
            Call::Jump { to } => (3, to, 0),
            Call::Begin(entry) => (4, entry.function, entry.frame),
            Call::End { frame } => (5, 0, frame),
        };
        self.value.store(value, Ordering::Relaxed);
        self.frame.store(frame, Ordering::Relaxed);
        self.kind.store(kind, Ordering::Relaxed);
    }

    /// Takes the call; `None` if the place was not filled.
    pub(crate) fn take(&self) -> Option<Call> {
        let (function, frame) = (
            self.value.load(Ordering::Relaxed),
            self.frame.load(Ordering::Relaxed),
        );
        Some(match self.kind.swap(0, Ordering::Relaxed) {
            1 => Call::Enter(Entry { function, frame }),
            2 => Call::Exit { function },
            3 => Call::Jump { to: function },
            4 => Call::Begin(Entry { function, frame }),
            5 => Call::End { frame },
            _ => return None,
        })
    }
}
