//! What one thread of one rank did: its events, and the calls that they make up.

use engine::timeline::{Happening, Step, Tie};
use std::collections::VecDeque;

/// A thread of a rank; threads by the order in which they first called MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LaneId {
    pub(super) rank: u32,
    pub(super) thread: u32,
}

impl LaneId {
    pub(super) fn of(happening: &Happening<'_>) -> Self {
        Self {
            rank: happening.rank,
            thread: happening.thread.unwrap_or(0),
        }
    }
}

/// What kind of call a thread is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Sends,
    Receives,
    Waits,
    Together,
    Other,
}

impl Kind {
    pub(super) const ALL: [(Self, char, &'static str); 5] = [
        (Self::Sends, 's', "sends"),
        (Self::Receives, 'r', "receives"),
        (Self::Waits, 'w', "waits, tests"),
        (Self::Together, '#', "collective"),
        (Self::Other, 'o', "other MPI"),
    ];

    fn of(happening: &Happening<'_>) -> Self {
        let name = happening.operation.as_deref().unwrap_or_default();
        let has = |part: &str| name.contains(part);
        match happening.tie {
            Tie::Enters(..) => Self::Together,
            _ if has("Wait") || has("Test") || name.ends_with("_wait") || name.ends_with("_test") => {
                Self::Waits
            }
            _ if has("recv") || has("Recv") || has("robe") => Self::Receives,
            _ if has("send") || has("Send") => Self::Sends,
            _ => Self::Other,
        }
    }
}

/// A call, from its beginning to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) begun: i64,
    /// None while it lasts.
    pub(super) ended: Option<i64>,
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) communicator: Option<u64>,
}

/// The calls of a thread, none within another, in their order, and its events.
#[derive(Debug, Default)]
pub(super) struct Lane {
    pub(super) calls: VecDeque<Call>,
    pub(super) events: VecDeque<Happening<'static>>,
}

impl Lane {
    /// The next event.
    pub(super) fn add(&mut self, happening: Happening<'static>) {
        let time = happening.time;
        let name = happening.operation.as_deref().unwrap_or_default();
        if happening.standing.lost_before > 0 {
            self.end(time);
        }
        match happening.step {
            Step::Begins => {
                // The end of the one before was not recorded.
                self.end(time);
                self.calls.push_back(Call {
                    begun: time,
                    ended: None,
                    kind: Kind::of(&happening),
                    name: name.to_owned(),
                    communicator: happening.communicator,
                });
            }
            Step::Ends => match self.calls.back_mut() {
                Some(call) if call.ended.is_none() => call.ended = Some(time),
                // Of an answered question only the end is an event.
                _ => self.calls.push_back(Call {
                    begun: time,
                    ended: Some(time),
                    kind: Kind::of(&happening),
                    name: name.to_owned(),
                    communicator: happening.communicator,
                }),
            },
            Step::Starts | Step::Completes | Step::Signals => {}
        }
        self.events.push_back(happening);
    }

    fn end(&mut self, time: i64) {
        if let Some(call) = self.calls.back_mut() {
            call.ended.get_or_insert(time);
        }
    }

    /// The call that it is in at a moment.
    pub(super) fn at(&self, time: i64) -> Option<&Call> {
        let behind = self.calls.partition_point(|call| call.begun <= time);
        let call = self.calls.get(behind.checked_sub(1)?)?;
        call.ended.is_none_or(|ended| time < ended).then_some(call)
    }

    pub(super) fn call_at(&self, time: i64) -> Option<&str> {
        self.at(time).map(|call| call.name.as_str())
    }

    /// Of a stretch of time, what it was in for longest; `None` if that is outside of all calls that `shows` is true of.
    pub(super) fn mostly(&self, from: i64, to: i64, shows: &dyn Fn(&Call) -> bool) -> Option<Kind> {
        let mut spent = [0_i64; Kind::ALL.len()];
        let mut inside = 0;
        let first = self
            .calls
            .partition_point(|call| call.ended.is_some_and(|ended| ended < from));
        for call in self.calls.iter().skip(first) {
            if call.begun >= to {
                break;
            }
            if !shows(call) {
                continue;
            }
            let until = call.ended.unwrap_or(i64::MAX).min(to);
            // A call that is over at once is to be seen where nothing else is.
            let time = until.saturating_sub(call.begun.max(from)).max(1);
            inside += time;
            spent[call.kind as usize] += time;
        }
        let (most, time) = Kind::ALL.iter().zip(spent).max_by_key(|(_, time)| *time)?;
        let outside = to.saturating_sub(from).saturating_sub(inside);
        (time > 0 && (time >= outside || inside >= outside)).then_some(most.0)
    }

    /// The last events up to a moment, at most so many.
    pub(super) fn before(&self, time: i64, most: usize) -> impl Iterator<Item = &Happening<'static>> {
        let behind = self.events.partition_point(|event| event.time <= time);
        self.events.range(behind.saturating_sub(most)..behind)
    }

    pub(super) fn first(&self) -> Option<i64> {
        self.events.front().map(|event| event.time)
    }

    pub(super) fn times(&self) -> impl Iterator<Item = i64> {
        self.events.iter().map(|event| event.time)
    }

    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    /// Forgets what was over before a moment.
    pub(super) fn forget(&mut self, until: i64) {
        let behind = self.events.partition_point(|event| event.time < until);
        self.events.drain(..behind);
        let is_over = |call: &Call| call.ended.is_some_and(|ended| ended < until);
        let behind = self.calls.partition_point(is_over);
        self.calls.drain(..behind);
    }
}
