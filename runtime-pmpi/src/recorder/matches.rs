//! Receives and probes that leave open what they take: which message each took is written down (`recording::matches`), and a second run is made to follow what a first one has written.
//!
//! # Following
//!
//! The n-th such operation of a communicator is made to name what the n-th of the first run took. Messages of one sender under one tag do not overtake each other, so that it takes the same one, if all before it did. A
//! question (`MPI_Iprobe`) is answered with no as often as it was in the first run, and then with what came, which is waited for: all that the first run did up to the answer has been done, so it comes.
//!
//! What does not fit (another operation, sender or tag than the record has) ends this for the task, and so does the record's end, in one line on standard error. An operation that took nothing in the first run stays as it
//! is: whatever came there was taken by others, which are named. So does a call that the first run was in when it ended, of which nothing is written: only once it comes to something the second run has got further than the first. Of cancelled receives, one that took its message all the same in the first run is named and not cancelled, and one that did not can take none.
//!
//! Which of several requests is complete first is followed, too ([`choices`](super::choices)).

use super::Recorder;
use super::call::{Call, Outcome};
use crate::words::Words;
use recording::choices::Choice;
use recording::layout::{
    COMMUNICATOR, COMMUNICATORS, COMMUNICATORS_AT, REQUESTS, THREADS, communicator, does,
};
use recording::matches::{self, HEADER, Match, SLOT, Took, header, slot};
use std::io::Write as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What [`Call::wildcard`] is of a question, which is written down once it is answered.
const ASKED: u64 = u64::MAX;

/// What the shim does about a call ([`Call::follows`]).
pub mod follows {
    /// The call as it is.
    pub const NOTHING: u64 = 0;
    /// The call with the source and tag that stand in it now; a question waits.
    pub const NAMED: u64 = 1;
    /// A question is answered with no.
    pub const NOT_YET: u64 = 2;
    /// A receive that takes nothing and is cancelled.
    pub const NEVER: u64 = 3;
}

/// What a first run has written of a task.
#[derive(Debug)]
pub struct First {
    /// By communicator, and there in their order.
    matches: Vec<Match>,
    /// By thread, and there in their order.
    pub(super) choices: Vec<Choice>,
    /// Of how much there was no room for.
    lost: u64,
    /// Nothing fits any more.
    is_over: AtomicBool,
    has_said: AtomicBool,
}

impl First {
    /// What was written in this order, all that the task did.
    #[must_use]
    pub fn new(mut matches: Vec<Match>, mut choices: Vec<Choice>) -> Self {
        matches.sort_by_key(|each| each.communicator);
        choices.sort_by_key(|each| each.thread);
        Self {
            matches,
            choices,
            lost: 0,
            is_over: AtomicBool::new(false),
            has_said: AtomicBool::new(false),
        }
    }

    /// The same, with so much more that was not written, for want of room.
    #[must_use]
    pub fn without(self, lost: u64) -> Self {
        Self { lost, ..self }
    }

    fn of(&self, communicator: u64) -> &[Match] {
        let first = self
            .matches
            .partition_point(|each| each.communicator < communicator);
        let behind = self
            .matches
            .partition_point(|each| each.communicator <= communicator);
        self.matches.get(first..behind).unwrap_or_default()
    }

    /// What the operation of a communicator took that came behind so many others.
    fn at(&self, communicator: u64, place: u64) -> Option<&Match> {
        self.of(communicator).get(usize::try_from(place).ok()?)
    }

    /// Lets a call of this communicator follow: the one behind so many, after so many questions without an answer.
    fn lead(&self, call: &mut Call, communicator: u64, place: u64, polls: u64) {
        if self.is_over() {
            return;
        }
        let asks = u64::from(call.does) == does::ASKS_MESSAGE;
        let Some(first) = self.at(communicator, place) else {
            // The first run may have asked to its end, without an answer.
            return if asks {
                self.may_end_here()
            } else {
                self.ends_here()
            };
        };
        if asks && polls < u64::from(first.polls) {
            call.follows = follows::NOT_YET;
            return;
        }
        let is_alike = first.does == u64::from(call.does);
        let (source, tag) = match first.took {
            Took::Message(source, tag) => (i64::from(source), tag),
            Took::Cancelled if is_alike => {
                call.follows = follows::NEVER;
                return;
            }
            Took::Unknown if is_alike => return,
            Took::Cancelled | Took::Unknown => return self.end(),
        };
        let fits = is_alike
            && (call.source < 0 || call.source == source)
            && (call.receive_tag < 0 || call.receive_tag == tag);
        if !fits {
            return self.end();
        }
        call.follows = follows::NAMED;
        (call.source, call.receive_tag) = (source, tag);
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// What the task does does not fit.
    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.say("it does other than the first run did; from now on whatever comes first is taken");
    }

    /// No more was written.
    pub(super) fn ends_here(&self) {
        self.say(match self.lost {
            0 => "the first run came no further; from now on whatever comes first is taken",
            _ => "its record ends here, where it was full; from now on whatever comes first is taken",
        });
    }

    /// No more was written, as of a call that the first run was in when it ended: nothing is said unless it comes to something.
    pub(super) fn may_end_here(&self) {
        if self.lost > 0 {
            self.ends_here();
        }
    }

    /// Says why nothing is followed any more, once.
    fn say(&self, why: &str) {
        if !self.has_said.swap(true, Ordering::Relaxed) {
            say(why);
        }
    }
}

/// One line about what is followed, on the program's standard error.
pub(crate) fn say(why: &str) {
    let line = format!(
        "hindmost: process {} follows no further: {why}\n",
        std::process::id()
    );
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// What is known of operations that leave open what they take.
#[derive(Debug)]
pub(super) struct Open {
    /// The file, if it is written.
    pub(super) file: Option<Words>,
    pub(super) first: OnceLock<First>,
    /// Of each row of communicators: questions without an answer since its last such operation.
    polls: Words,
    /// And how many there were.
    next: Words,
    /// Of each row of requests: the slot of its operation plus one.
    requests: Words,
    /// And 1 if its operation names what the first run's took.
    named: Words,
    /// Of each thread: how many choices it has made.
    pub(super) chosen: Words,
    /// And how many questions were not answered since its last one.
    pub(super) asked: Words,
}

impl Open {
    fn new(file: Option<Words>) -> Self {
        let words = |count: usize| {
            let words: Vec<AtomicU64> = (0..count).map(|_| AtomicU64::new(0)).collect();
            Words::new(Vec::leak(words))
        };
        Self {
            file,
            first: OnceLock::new(),
            polls: words(COMMUNICATORS),
            next: words(COMMUNICATORS),
            requests: words(REQUESTS),
            named: words(REQUESTS),
            chosen: words(THREADS),
            asked: words(THREADS),
        }
    }

    /// One more operation of a communicator: its slot plus one, if it has one.
    fn begin(&self, row: usize, identity: u64, what: u64) -> u64 {
        let polls = self.polls.get(row).min(u64::from(u32::MAX));
        self.polls.set(row, 0);
        self.next.add(row, 1);
        let Some(file) = self.file else { return 0 };
        let number = file.add(header::BEGUN, 1);
        let Some(at) = at(file, number) else { return 0 };
        file.set(at + slot::COMMUNICATOR, identity);
        file.publish(at + slot::WHAT, matches::BEGUN | what << 8 | polls << 32);
        number + 1
    }

    /// An operation was cancelled.
    fn took_nothing(&self, slot_behind: u64) {
        let number = self.file.zip(slot_behind.checked_sub(1));
        if let Some((file, at)) = number.and_then(|(file, number)| Some((file, at(file, number)?))) {
            file.publish(at + slot::WHAT, file.get(at + slot::WHAT) | matches::CANCELLED);
        }
    }

    /// What an operation took.
    fn took(&self, slot_behind: u64, source: i64, tag: i64) {
        let Some((file, number)) = self.file.zip(slot_behind.checked_sub(1)) else {
            return;
        };
        if source < 0 || tag < 0 {
            return;
        }
        if let Some(at) = at(file, number) {
            file.set(at + slot::SOURCE, source as u64);
            file.set(at + slot::TAG, tag as u64);
            file.publish(at + slot::WHAT, file.get(at + slot::WHAT) | matches::MATCHED);
        }
    }
}

/// Where a slot begins, if there is one.
pub(super) fn at(file: Words, number: u64) -> Option<usize> {
    (number < file.get(header::CAPACITY)).then(|| HEADER + number as usize * SLOT)
}

/// The number of a communicator's row.
fn index(row: u64) -> usize {
    (row as usize).saturating_sub(COMMUNICATORS_AT) / COMMUNICATOR
}

impl Recorder {
    /// The same recorder, which writes down what was taken, to a file that `file` has made.
    #[must_use]
    pub fn with_matches(mut self, file: Words) -> Self {
        self.open = Some(Open::new(Some(file)));
        self
    }

    /// The same recorder, which can [follow](Self::follow).
    #[must_use]
    pub fn able_to_follow(mut self) -> Self {
        self.open.get_or_insert_with(|| Open::new(None));
        self
    }

    /// Follows from now on what a first run has written.
    pub fn follow(&self, first: First) {
        if let Some(open) = &self.open {
            let _ = open.first.set(first);
        }
    }

    /// The rank and size of the world, for the file.
    pub(super) fn matches_are_of(&self, rank: u32, size: u32, spawned: u64) {
        if let Some(file) = self.open.as_ref().and_then(|open| open.file) {
            file.set(header::SIZE, u64::from(size));
            file.set(header::SPAWNED, spawned);
            file.publish(header::RANK, u64::from(rank) + 1);
        }
    }

    /// A row of communicators has another one now.
    pub(super) fn forget_matches(&self, row: usize) {
        if let Some(open) = &self.open {
            open.polls.set(index(row as u64), 0);
            open.next.set(index(row as u64), 0);
        }
    }

    /// A call begins, with these requests: if it leaves open what it takes, it is counted, and made to follow.
    pub(super) fn meet(&self, call: &mut Call, requests: &[u64]) {
        let Some(open) = &self.open else { return };
        let what = u64::from(call.does);
        if recording::choices::chooses(what) {
            return open.choose(call, requests);
        }
        if call.row == 0 || !matches::is_open(what, call.source, call.receive_tag) {
            return;
        }
        let row = index(call.row);
        let identity = self.words.get(call.row as usize + communicator::IDENTITY);
        if let Some(first) = open.first.get() {
            first.lead(call, identity, open.next.get(row), open.polls.get(row));
        }
        call.wildcard = match what {
            does::ASKS_MESSAGE => ASKED,
            what => open.begin(row, identity, what),
        };
    }

    /// The call returns.
    pub(super) fn met(&self, call: &Call, outcome: Outcome) {
        let Some(open) = &self.open else { return };
        if outcome == Outcome::Unanswered && recording::choices::chooses(call.does.into()) {
            open.asked.add(super::choices::thread(call), 1);
        }
        if call.wildcard == 0 {
            return;
        }
        match (call.wildcard, outcome) {
            (ASKED, Outcome::Unanswered) => {
                open.polls.add(index(call.row), 1);
            }
            (ASKED, Outcome::Done) => {
                let (row, identity) = (
                    index(call.row),
                    self.words.get(call.row as usize + communicator::IDENTITY),
                );
                if let Some(first) = open.first.get()
                    && first.at(identity, open.next.get(row)).is_none()
                {
                    first.ends_here();
                }
                let slot = open.begin(row, identity, does::ASKS_MESSAGE);
                open.took(slot, call.source, call.receive_tag);
            }
            (slot, Outcome::Done) => open.took(slot, call.source, call.receive_tag),
            _ => {}
        }
    }

    /// The operation of a call goes on under a request: which slot it has, and whether it follows.
    pub(super) fn meets_later(&self, request: usize, call: &Call) {
        if let Some(open) = &self.open {
            open.requests.set(request, call.wildcard);
            open.named.set(request, u64::from(call.follows == follows::NAMED));
        }
    }

    /// Whether the operation of a request takes what the first run's took, so that it is not cancelled.
    pub(super) fn is_named(&self, request: usize) -> bool {
        self.open
            .as_ref()
            .is_some_and(|open| open.named.get(request) != 0)
    }

    /// Whether a first run is followed.
    #[must_use]
    pub fn is_following(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.first.get().is_some())
    }

    /// The operation of a request was cancelled.
    pub(super) fn met_never(&self, request: usize) {
        if let Some(open) = &self.open {
            open.took_nothing(open.requests.get(request));
            open.requests.set(request, 0);
        }
    }

    /// The operation of a request is complete.
    pub(super) fn met_later(&self, request: usize, source: i64, tag: i64) {
        if let Some(open) = &self.open {
            open.took(open.requests.get(request), source, tag);
            open.requests.set(request, 0);
            open.named.set(request, 0);
        }
    }
}
