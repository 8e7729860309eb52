//! What a call changes in the recording, at its beginning and at its end.

mod call;
mod channels;
mod choices;
mod communicators;
mod divisions;
mod events;
mod matches;
mod requests;

pub use call::{Call, Outcome};
pub use communicators::{NeighbourCounts, NeighbourRanks, New};
pub use divisions::Peers;
pub use events::Teller;
pub(crate) use matches::say;
pub use matches::{First, follows};

use crate::epochs::Epochs;
use crate::file::clock;
use crate::model::Model;
use crate::words::Words;
use call::is_collective;
use events::Tie;
use recording::layout::{
    COMMUNICATORS, EVENT, EVENTS, FREE, NOW, THREAD, THREADS, THREADS_AT, communicator, does, header, now,
    peer, request, state, thread,
};
use recording::ring::Step;
use requests::REQUESTS_TABLE;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What there was no room for: bits of the header's word.
pub mod lost {
    /// A thread.
    pub const THREADS: u64 = 1;
    /// A communicator, window or file.
    pub const COMMUNICATORS: u64 = 2;
    /// The members of one.
    pub const MEMBERS: u64 = 4;
    /// A channel.
    pub const CHANNELS: u64 = 8;
    /// A request.
    pub const REQUESTS: u64 = 16;
    /// A communicator that is freed, whose row another one has taken.
    pub const FREED: u64 = 32;
    /// States, edges or paths of the model.
    pub const MODEL: u64 = 64;
}

/// Rows of communicators by their handles; twice as many as there are, so that searches are short.
const HANDLES: usize = 2 * COMMUNICATORS;

/// Words of a set of serial numbers of communicators that have had channels, by their last bits.
const WITH_CHANNELS: usize = 1 << 10;

/// The recorder of one process.
#[derive(Debug)]
pub struct Recorder {
    words: Words,
    /// Rows of communicators by handle: no business of readers.
    handles: Words,
    /// Several threads may call MPI at the same time.
    is_shared: AtomicBool,
    locked: AtomicBool,
    serials: AtomicU64,
    members: AtomicU64,
    begun: AtomicU64,
    /// Which communicators may have channels.
    with_channels: Words,
    /// How often a row for a communicator was looked for: where to look next.
    rows_taken: AtomicU64,
    model: Model,
    epochs: Epochs,
    divisions: divisions::Used,
    events: Option<events::Ring>,
    /// Who is told of events.
    teller: Option<Teller>,
    open: Option<matches::Open>,
    /// How many communicators were made by the same members alone, without the others of the parent; by what tells these from others.
    made: Mutex<BTreeMap<u64, u64>>,
    /// How many threads the process had when `MPI_Init` was called, or the first session begun; 0 if that is not known.
    threads_before: AtomicU64,
}

impl Recorder {
    /// A recorder that writes to `words`, and keeps what is its own in `own` ([`Self::index_words`] words of zeros).
    #[must_use]
    pub fn new(words: Words, own: Words) -> Self {
        Recorder {
            words,
            handles: own,
            is_shared: AtomicBool::new(true),
            locked: AtomicBool::new(false),
            serials: AtomicU64::new(0),
            members: AtomicU64::new(0),
            begun: AtomicU64::new(0),
            with_channels: own.from(HANDLES * 2),
            rows_taken: AtomicU64::new(0),
            model: Model::new(own.from(HANDLES * 2 + WITH_CHANNELS)),
            epochs: Epochs::default(),
            divisions: divisions::Used::default(),
            events: None,
            teller: None,
            open: None,
            made: Mutex::default(),
            threads_before: AtomicU64::new(0),
        }
    }

    /// The same recorder, which writes events to a ring that `file` has made.
    #[must_use]
    pub fn with_ring(mut self, words: Words) -> Self {
        self.events = Some(events::Ring::new(words));
        self
    }

    /// The same recorder, which tells this one of events.
    #[must_use]
    pub fn with_teller(mut self, teller: Teller) -> Self {
        self.teller = Some(teller);
        self
    }

    pub(crate) fn epochs(&self) -> &Epochs {
        &self.epochs
    }

    pub(crate) fn words(&self) -> Words {
        self.words
    }

    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    /// How many words the private index takes.
    #[must_use]
    pub fn index_words() -> usize {
        HANDLES * 2 + WITH_CHANNELS + Model::words()
    }

    /// Whether several threads may call MPI at the same time, as they may by `MPI_THREAD_MULTIPLE` alone. Until it is said, they may.
    pub fn share(&self, is_shared: bool) {
        self.is_shared.store(is_shared, Ordering::Relaxed);
    }

    /// `MPI_Init`, or the first session, begins in a process with so many threads; 0 if that is not known. What begins later says nothing: by then the program may have made some.
    pub fn begins_with(&self, threads: u64) {
        let order = Ordering::Relaxed;
        let _ = self.threads_before.compare_exchange(0, threads, order, order);
    }

    /// It has begun, threads may call MPI at the same time, and the process has so many threads now: what was added is the library's.
    pub fn shares_with(&self, threads: u64) {
        if self.words.get(header::THREADS_BEHIND) != 0 {
            return;
        }
        let before = self.threads_before.load(Ordering::Relaxed);
        self.words.set(header::THREADS_BEFORE, before);
        // Also where nothing is known it is told that threads may call.
        self.words.publish(header::THREADS_BEHIND, threads.max(1));
    }

    /// Whether threads may call at the same time.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.is_shared.load(Ordering::Relaxed)
    }

    /// Adds to a word, and returns what it was. Nobody else adds at the same time unless threads call MPI at the same time, and an addition that nobody
    /// can disturb takes a tenth of the time of one that others may.
    pub(crate) fn add(&self, index: usize, value: u64) -> u64 {
        if self.is_shared() {
            return self.words.add(index, value);
        }
        let before = self.words.get(index);
        self.words.publish(index, before.wrapping_add(value));
        before
    }

    /// Runs `change` while no other thread adds or removes rows. The lock is held for a few hundred instructions at most.
    pub(crate) fn alone<T>(&self, change: impl FnOnce() -> T) -> T {
        if !self.is_shared() {
            return change();
        }
        while self
            .locked
            .compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed)
            .is_err()
        {
            std::hint::spin_loop();
        }
        let result = change();
        self.locked.store(false, Ordering::Release);
        result
    }

    pub(crate) fn lose(&self, what: u64) {
        self.words.mark(header::LOST, what);
    }

    /// How far the task is in its use of MPI.
    pub fn stage(&self, stage: u64) {
        self.words.publish(header::STAGE, stage);
    }

    /// The task's place in the world, and the stage that makes it count.
    ///
    /// `spawned` is the number of the world, 0 if it is the one that the job began with.
    pub fn world(&self, rank: u32, size: u32, spawned: u64) {
        self.words.set(header::SPAWNED, spawned);
        self.words.set(header::SIZE, u64::from(size));
        self.words.publish(header::RANK, u64::from(rank) + 1);
        self.matches_are_of(rank, size, spawned);
    }

    /// A row for the thread that calls, plus one; 0 if there is none left.
    pub fn thread(&self, tid: u32, is_alive: impl Fn(u64) -> bool) -> u32 {
        let words = self.words;
        let at = |row: usize| THREADS_AT + row * THREAD;
        self.alone(|| {
            let own = |row: &usize| words.get(at(*row) + thread::TID) == u64::from(tid);
            let free = |row: &usize| words.get(at(*row) + thread::TID) == FREE;
            let left = |row: &usize| !is_alive(words.get(at(*row) + thread::TID));
            let found = (0..THREADS)
                .find(own)
                .or_else(|| (0..THREADS).find(free))
                .or_else(|| (0..THREADS).find(left));
            let Some(row) = found else {
                self.lose(lost::THREADS);
                return 0;
            };
            if !own(&row) {
                if row > 0 {
                    // Whatever level MPI was asked for: a session may have another one.
                    self.share(true);
                }
                words.publish(at(row) + thread::TID, FREE);
                (1..THREAD).for_each(|word| words.set(at(row) + word, 0));
                words.publish(at(row) + thread::TID, u64::from(tid));
            }
            row as u32 + 1
        })
    }

    /// This is the stack of the thread in this row: its paths are known from now on.
    pub fn stack_is(&self, thread: u32, stack: Range<u64>) {
        self.model.set_stack(thread, stack);
    }

    /// A call begins. `requests` are those that it completes, or asks about.
    pub fn enter(&self, call: &mut Call, requests: &[u64]) {
        let words = self.words;
        call.entered = clock();
        self.look_up(call);
        self.meet(call, requests);
        if u64::from(call.does) == does::FENCE {
            self.enter_fence(call);
        }
        call.ordinal = if is_collective(call.does) && call.row != 0 {
            self.add(call.row as usize + communicator::BEGUN, 1) + 1
        } else {
            0
        };
        if call.ordinal != 0 {
            words.set(
                call.row as usize + communicator::LAST,
                u64::from(call.operation) + 1,
            );
        }
        let tie = self.count_begun(call);
        call.sent = match tie {
            Tie::Message { ordinal, .. } => ordinal + 1,
            Tie::None | Tie::Part { .. } => 0,
        };
        // Who asks again and again would fill the ring: of questions the answer is written alone.
        if !events::asks(call.does) {
            self.note_event(Step::Begins, call, call.entered, tie);
        }
        let Some(at) = thread_at(call.thread) else {
            return;
        };
        let changes = words.get(at + thread::CHANGES) + 1;
        let before = words.get(at + thread::NOW + ((changes - 1) % 2) as usize * NOW + now::STATE);
        call.state = self.state_of(call);
        // A question that is asked again is the same visit.
        if call.state != before || words.get(at + thread::POLLS) == 0 {
            let outside = call.entered.saturating_sub(words.get(at + thread::LAST));
            self.comes_to(call.state, before, outside);
        }
        let mark = u64::from(call.thread) << 48 | changes & 0xffff_ffff_ffff;
        for handle in requests {
            let active = |row: usize| words.get(row + request::STATE) & state::ACTIVE != 0;
            if let Some(row) = REQUESTS_TABLE.find(words, *handle, *handle, active) {
                words.set(row + request::MARK, mark);
            }
        }
        let values = [
            (now::OPERATION, u64::from(call.operation) + 1),
            (now::SINCE, call.entered),
            (now::COMMUNICATOR, call.serial),
            (now::DESTINATION, call.destination as u64),
            (now::SEND_TAG, call.send_tag as u64),
            (now::SOURCE, call.source as u64),
            (now::RECEIVE_TAG, call.receive_tag as u64),
            (now::COUNT, call.count as u64),
            (now::ROOT, call.root as u64),
            (now::ORDINAL, call.ordinal),
            (now::MARK, if requests.is_empty() { 0 } else { mark }),
            (now::RETURNS_TO, call.returns_to),
            (now::DOES, u64::from(call.does)),
            (now::STATE, call.state),
            (now::BYTES, call.bytes as u64),
            (now::REDUCTION, call.reduction),
        ];
        let copy = at + thread::NOW + (changes % 2) as usize * NOW;
        for (word, value) in values {
            words.set(copy + word, value);
        }
        words.publish(at + thread::CHANGES, changes);
    }

    /// A fence that ends an epoch is left by nobody before all have entered it; another need not be. What the program asserts stands in the count: 1 that
    /// no epoch came before, 2 that none follows.
    fn enter_fence(&self, call: &mut Call) {
        call.does = does::COLLECTIVE as u32;
        let asserted = call.count;
        call.count = 0;
        if call.row == 0 {
            return;
        }
        let fenced = call.row as usize + communicator::FENCED;
        if self.words.get(fenced) == 1 && asserted & 1 == 0 {
            call.does = does::EVERY_PART as u32;
            call.count = 1;
        }
        self.words.set(fenced, u64::from(asserted & 2 == 0));
    }

    /// The call returns. Of what it received, `call` now says from whom and under which tag.
    pub fn leave(&self, call: &Call, outcome: Outcome) {
        let words = self.words;
        let tie = match outcome {
            Outcome::Done => self.count_done(call),
            _ => Tie::None,
        };
        self.met(call, outcome);
        let left = clock();
        if outcome != Outcome::Unanswered {
            self.note_event(Step::Ends, call, left, tie);
        }
        let Some(at) = thread_at(call.thread) else {
            return;
        };
        if outcome == Outcome::Unanswered {
            let same = words.get(at + thread::POLLS) == u64::from(call.operation) + 1;
            let polled = words.get(at + thread::POLLED);
            words.set(at + thread::POLLED, if same { polled + 1 } else { 1 });
            words.set(at + thread::POLLS, u64::from(call.operation) + 1);
        } else {
            words.set(at + thread::POLLS, 0);
            words.set(at + thread::POLLED, 0);
            words.set(at + thread::LAST, left);
            self.ends_in(call.state, left.saturating_sub(call.entered));
            let completed = words.get(at + thread::COMPLETED);
            self.note(at, completed, call, left);
            words.publish(at + thread::COMPLETED, completed + 1);
        }
        let changes = words.get(at + thread::CHANGES);
        let copy = |changes: u64| at + thread::NOW + (changes % 2) as usize * NOW;
        // The task is outside of MPI now. Of who asks again and again it stays what was asked; of others nobody reads more than the state.
        if outcome == Outcome::Unanswered {
            for word in 1..NOW {
                words.set(copy(changes + 1) + word, words.get(copy(changes) + word));
            }
        }
        words.set(copy(changes + 1) + now::STATE, call.state);
        words.set(copy(changes + 1) + now::OPERATION, 0);
        words.set(copy(changes + 1) + now::SINCE, left);
        words.publish(at + thread::CHANGES, changes + 1);
    }

    /// Keeps a call among the last ones of its thread.
    fn note(&self, thread: usize, completed: u64, call: &Call, left: u64) {
        let event = thread + thread::NOW + 2 * NOW + (completed % EVENTS as u64) as usize * EVENT;
        let (peer, tag) = match call.destination {
            peer::NONE => (call.source, call.receive_tag),
            destination => (destination, call.send_tag),
        };
        self.words.publish(event, 0);
        let values = [
            u64::from(call.operation),
            call.serial,
            peer as u64,
            tag as u64,
            call.count as u64,
            call.entered,
            left,
        ];
        for (word, value) in (1..).zip(values) {
            self.words.set(event + word, value);
        }
        self.words.publish(event, completed + 1);
    }
}

fn thread_at(thread: u32) -> Option<usize> {
    Some(THREADS_AT + (thread.checked_sub(1)? as usize) * THREAD)
}
