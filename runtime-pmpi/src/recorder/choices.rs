//! Which of several requests is complete first, and how often a task asks before a request is: written down beside what receives took, and followed.
//!
//! The n-th call of a thread that completed some of its requests, or was answered, completes the same requests as the n-th of the first run: they are waited for, and others stay, complete or not. A question is answered
//! with no as often as it was in the first run. All that the first run did up to there has been done, so what is waited for comes. A call is written down when it is done: the one that the first run was in at its end stays as it is.

use super::Recorder;
use super::call::Call;
use super::matches::{First, Open, at, follows};
use recording::choices::{Choice, NONE, slot};
use recording::layout::does;
use recording::matches::{BEGUN, MATCHED, header, slot as common};

/// The row of a call's thread; behind the last one if it has none.
pub(super) fn thread(call: &Call) -> usize {
    (call.thread as usize).wrapping_sub(1)
}

impl First {
    /// The choice of this thread behind so many others.
    fn choice(&self, thread: u32, place: u64) -> Option<&Choice> {
        let first = self.choices.partition_point(|each| each.thread < thread);
        let choices = self.choices.get(first..)?;
        let choice = choices.get(usize::try_from(place).ok()?)?;
        (choice.thread == thread).then_some(choice)
    }

    /// Lets a call follow that completes some of these requests, or asks about them, after so many questions without an answer.
    fn lead_choice(&self, call: &mut Call, place: u64, polls: u64, requests: &[u64]) {
        if self.is_over() {
            return;
        }
        let Some(choice) = self.choice(call.thread, place) else {
            return self.may_end_here();
        };
        let asks = u64::from(call.does) != does::COMPLETES_ONE;
        if asks && polls < u64::from(choice.polls) {
            call.follows = follows::NOT_YET;
            return;
        }
        let is_given = |place: &u32| requests.get(*place as usize).is_some_and(|handle| *handle != 0);
        // Who asks about a request that is null is answered at once.
        let names_nothing = choice.chosen.is_empty() || choice.given == 0;
        let fits = choice.does == u64::from(call.does)
            && polls == u64::from(choice.polls)
            && i64::from(choice.given) == call.count
            && (names_nothing || choice.chosen.iter().all(is_given) || is_of_all(call));
        if !fits {
            return self.end();
        }
        if !names_nothing {
            call.follows = follows::NAMED;
        }
    }
}

/// Whether the call completes all of its requests together, or none.
fn is_of_all(call: &Call) -> bool {
    u64::from(call.does) == does::ASKS_ALL
}

impl Open {
    /// A call begins that leaves open which requests it completes.
    pub(super) fn choose(&self, call: &mut Call, requests: &[u64]) {
        let row = thread(call);
        if let Some(first) = self.first.get() {
            first.lead_choice(call, self.chosen.get(row), self.asked.get(row), requests);
        }
    }
}

impl Recorder {
    /// The place of the request that a call of the first run completed as its `number`-th, for a call that follows; `None` if it completed no more.
    #[must_use]
    pub fn choice(&self, call: &Call, number: usize) -> Option<u32> {
        let open = self.open.as_ref()?;
        let choice = open
            .first
            .get()?
            .choice(call.thread, open.chosen.get(thread(call)))?;
        choice.chosen.get(number).copied()
    }

    /// Whether receives that leave open what they take are counted.
    pub(super) fn keeps_matches(&self) -> bool {
        self.open.is_some()
    }

    /// A call has completed these of its requests, or was answered: by their places in its list, none if there was nothing to complete.
    pub fn chose(&self, call: &Call, places: &[u32]) {
        let Some(open) = &self.open else { return };
        let row = thread(call);
        if let Some(first) = open.first.get()
            && first.choice(call.thread, open.chosen.get(row)).is_none()
        {
            first.ends_here();
        }
        let polls = open.asked.get(row).min(u64::from(u32::MAX));
        open.asked.set(row, 0);
        open.chosen.add(row, 1);
        let Some(file) = open.file else { return };
        let count = places.len().max(1);
        let first = file.add(header::BEGUN, count as u64);
        let given = u64::try_from(call.count).unwrap_or(0);
        for later in 0..count {
            let Some(at) = at(file, first + later as u64) else {
                return;
            };
            let index = places.get(later).map_or(NONE, |place| u64::from(*place));
            file.set(at + slot::WHOSE, u64::from(call.thread) | given << 32);
            file.set(at + slot::INDEX, index);
            file.set(at + slot::MORE, (count - 1 - later) as u64);
            let what = BEGUN | MATCHED | u64::from(call.does) << 8 | polls << 32;
            file.publish(at + common::WHAT, what);
        }
    }
}
