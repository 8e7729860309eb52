//! What a call changes in the recording, at its beginning and at its end.

use crate::epochs::Epochs;
use crate::file::clock;
use crate::model::Model;
use crate::tables::{Table, mix};
use crate::words::Words;
use recording::layout::{
    CHANNEL, CHANNELS, CHANNELS_AT, COMMUNICATOR, COMMUNICATORS, COMMUNICATORS_AT, EVENT, EVENTS, FREE,
    MEMBERS, MEMBERS_AT, NOW, REQUEST, REQUESTS, REQUESTS_AT, RETIRED, THREAD, THREADS, THREADS_AT,
    UNKNOWN_MEMBER, channel, communicator, does, header, now, peer, request, state, thread,
};
use std::ops::Range;
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

const CHANNELS_TABLE: Table = Table {
    at: CHANNELS_AT,
    rows: CHANNELS,
    width: CHANNEL,
};
const REQUESTS_TABLE: Table = Table {
    at: REQUESTS_AT,
    rows: REQUESTS,
    width: REQUEST,
};
/// Rows of communicators by their handles; twice as many as there are, so that searches are short.
const HANDLES: usize = 2 * COMMUNICATORS;
const HANDLES_TABLE: Table = Table {
    at: 0,
    rows: HANDLES,
    width: 2,
};

/// Words of a set of serial numbers of communicators that have had channels, by their last bits.
const WITH_CHANNELS: usize = 1 << 10;

/// One call, as the shim describes it. The part behind `returns_to` is the recorder's own.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Call {
    /// The number of the function.
    pub operation: u32,
    /// What it does: a word of `recording::layout::does`.
    pub does: u32,
    /// The handle of the communicator, window or file; 0 if there is none.
    pub communicator: u64,
    /// What that is: 0 a communicator, 1 a window, 2 a file.
    pub kind: u32,
    /// The row of the thread plus one; 0 if it has none yet.
    pub thread: u32,
    /// To whom is sent.
    pub destination: i64,
    /// The tag of what is sent.
    pub send_tag: i64,
    /// From whom is received; at the end of the call, who sent.
    pub source: i64,
    /// The tag of what is received.
    pub receive_tag: i64,
    /// How many elements or requests.
    pub count: i64,
    /// The root plus one.
    pub root: i64,
    /// The bytes that all members have to give alike, plus one; 0 if they are not known.
    pub bytes: i64,
    /// The number of a reduction of MPI's own, as `recording::layout::REDUCTIONS` counts them, plus one.
    pub reduction: u64,
    /// Where the call returns to.
    pub returns_to: u64,
    /// The row of the communicator in the file, 0 if it is not known.
    pub row: u64,
    /// Its serial number.
    pub serial: u64,
    /// Which collective operation of the communicator it is.
    pub ordinal: u64,
    /// When it was entered.
    pub entered: u64,
    /// Where its frame on the stack begins; 0 if that is not known.
    pub frame: u64,
    /// The row of its state in the model plus one; 0 if it has none.
    pub state: u64,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It did what it is for.
    Done,
    /// It asked, and the answer was no.
    Unanswered,
    /// It returned an error.
    Failed,
    /// It has started an operation, which a request completes later.
    Started,
}

/// A new communicator, window or file.
#[derive(Clone, Copy, Debug)]
pub struct New<'a> {
    /// Its handle.
    pub handle: u64,
    /// What it is, as in [`Call::kind`].
    pub kind: u32,
    /// The handle of the communicator that it was made from; 0 if there is none.
    pub parent: u64,
    /// It was made by all members of the parent together, so that the parent's count of collective operations tells it from others.
    pub by_all: bool,
    /// The operation that made it, plus one; 0 for those that MPI begins with.
    pub made_by: u64,
    /// Which collective operation of the parent made it.
    pub ordinal: u64,
    /// The rank of this task in it.
    pub rank: u32,
    /// Its members as ranks of the world, in their order.
    pub members: &'a [u32],
    /// The members of the remote group.
    pub remote: &'a [u32],
}

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
        }
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
    pub fn world(&self, rank: u32, size: u32) {
        self.words.set(header::SIZE, u64::from(size));
        self.words.publish(header::RANK, u64::from(rank) + 1);
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
        self.count_begun(call);
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
        if outcome == Outcome::Done {
            self.count_done(call);
        }
        let Some(at) = thread_at(call.thread) else {
            return;
        };
        let left = clock();
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

    /// A call has started an operation, whose request has this handle.
    pub fn start(&self, call: &Call, handle: u64) {
        self.add_request(call, handle, state::ACTIVE);
    }

    /// A call has prepared an operation that can be started again and again.
    pub fn prepare(&self, call: &Call, handle: u64) {
        self.add_request(call, handle, state::PERSISTENT);
    }

    fn add_request(&self, call: &Call, handle: u64, state: u64) {
        if matches!(handle, FREE | RETIRED) {
            return;
        }
        let words = self.words;
        let running = self.begun.fetch_add(1, Ordering::Relaxed) + 1;
        self.alone(|| {
            let Some(row) = REQUESTS_TABLE.vacant(words, handle) else {
                self.lose(lost::REQUESTS);
                return;
            };
            // A collective operation has no peers; what all say alike stands in their place.
            let [a, b, c, d] = if is_collective(call.does) {
                [
                    (request::ROOT, call.root as u64),
                    (request::BYTES, call.bytes as u64),
                    (request::REDUCTION, call.reduction),
                    (request::COUNT, call.count as u64),
                ]
            } else {
                [
                    (request::DESTINATION, call.destination as u64),
                    (request::SEND_TAG, call.send_tag as u64),
                    (request::SOURCE, call.source as u64),
                    (request::RECEIVE_TAG, call.receive_tag as u64),
                ]
            };
            let values = [
                (request::OPERATION, u64::from(call.operation) + 1),
                (request::COMMUNICATOR, call.serial),
                a,
                b,
                c,
                d,
                (request::ORDINAL, call.ordinal),
                (
                    request::STATE,
                    state | u64::from(call.does) << state::DOES | running << 32,
                ),
                (request::MARK, 0),
            ];
            for (word, value) in values {
                words.set(row + word, value);
            }
            words.publish(row + request::HANDLE, handle);
        });
    }

    /// A prepared operation is started.
    pub fn activate(&self, handle: u64) {
        let words = self.words;
        let prepared = |row: usize| words.get(row + request::STATE) & state::ACTIVE == 0;
        let Some(row) = REQUESTS_TABLE.find(words, handle, handle, prepared) else {
            return;
        };
        let mut call = self.call_of(row);
        if is_collective(call.does) {
            self.row_of_serial(&mut call);
            if call.row != 0 {
                let ordinal = self.add(call.row as usize + communicator::BEGUN, 1) + 1;
                words.set(row + request::ORDINAL, ordinal);
            }
        }
        self.count_begun(&call);
        let running = self.begun.fetch_add(1, Ordering::Relaxed) + 1;
        let kept = words.get(row + request::STATE) & 0xffff_ffff;
        words.publish(row + request::STATE, kept | state::ACTIVE | running << 32);
    }

    /// The operation of a request is complete; of a receive, `source` and `tag` say what came, if they are known.
    pub fn complete(&self, handle: u64, received: Option<(i64, i64)>) {
        let words = self.words;
        let active = |row: usize| words.get(row + request::STATE) & state::ACTIVE != 0;
        let Some(row) = REQUESTS_TABLE.find(words, handle, handle, active) else {
            return;
        };
        let mut call = self.call_of(row);
        if let Some((source, tag)) = received {
            (call.source, call.receive_tag) = (source, tag);
        }
        if is_collective(call.does) {
            self.row_of_serial(&mut call);
        }
        self.count_done(&call);
        let state = words.get(row + request::STATE);
        if state & state::PERSISTENT != 0 {
            words.publish(row + request::STATE, state & !state::ACTIVE);
        } else {
            self.alone(|| REQUESTS_TABLE.remove(words, row));
        }
    }

    /// A request is freed: nobody can wait for it any more.
    pub fn free(&self, handle: u64) {
        let words = self.words;
        self.alone(|| {
            if let Some(row) = REQUESTS_TABLE.find(words, handle, handle, |_| true) {
                REQUESTS_TABLE.remove(words, row);
            }
        });
    }

    /// Whether one of these requests receives from anybody, or under any tag, so that only a status tells what it received.
    #[must_use]
    pub fn any_open(&self, handles: &[u64]) -> bool {
        let words = self.words;
        let does = |row: usize| (words.get(row + request::STATE) >> state::DOES) as u32 & 0xff;
        let open = |handle: &u64| {
            let found = REQUESTS_TABLE.find(words, *handle, *handle, |_| true);
            found.filter(|&row| !is_collective(does(row))).is_some_and(|row| {
                let source = words.get(row + request::SOURCE) as i64;
                let tag = words.get(row + request::RECEIVE_TAG) as i64;
                source == peer::ANYBODY || source >= 0 && tag < 0
            })
        };
        handles.iter().any(open)
    }

    fn call_of(&self, row: usize) -> Call {
        let word = |word: usize| self.words.get(row + word);
        let does = (word(request::STATE) >> state::DOES) as u32 & 0xff;
        let peer = |word_of: usize| {
            if is_collective(does) {
                peer::NONE
            } else {
                word(word_of) as i64
            }
        };
        Call {
            operation: word(request::OPERATION).wrapping_sub(1) as u32,
            does,
            destination: peer(request::DESTINATION),
            send_tag: peer(request::SEND_TAG),
            source: peer(request::SOURCE),
            receive_tag: peer(request::RECEIVE_TAG),
            serial: word(request::COMMUNICATOR),
            ordinal: word(request::ORDINAL),
            ..Call::default()
        }
    }

    /// What it sends, and what it receives from somebody named, is begun.
    fn count_begun(&self, call: &Call) {
        if sends(call.does) {
            self.count(
                call.serial,
                false,
                (call.destination, call.send_tag),
                channel::BEGUN,
            );
        }
        if receives(call.does) && call.receive_tag >= 0 {
            self.count(call.serial, true, (call.source, call.receive_tag), channel::BEGUN);
        }
    }

    fn count_done(&self, call: &Call) {
        if sends(call.does) {
            self.count(
                call.serial,
                false,
                (call.destination, call.send_tag),
                channel::DONE,
            );
        }
        if receives(call.does) {
            self.count(call.serial, true, (call.source, call.receive_tag), channel::DONE);
        }
        if is_collective(call.does) && call.row != 0 {
            self.add(call.row as usize + communicator::DONE, 1);
        }
    }

    pub(crate) fn count(&self, serial: u64, received: bool, (peer, tag): (i64, i64), what: usize) {
        if serial == 0 || peer < 0 || tag < 0 {
            return;
        }
        let words = self.words;
        let (key, hash) = channel_key(serial, received, (peer, tag));
        let same_tag = |row: usize| words.get(row + channel::TAG) == tag as u64;
        let find = || CHANNELS_TABLE.find(words, hash, key, same_tag);
        let row = find().or_else(|| {
            self.alone(|| {
                if let Some(row) = find() {
                    return Some(row);
                }
                let Some(row) = CHANNELS_TABLE.vacant(words, hash) else {
                    self.lose(lost::CHANNELS);
                    return None;
                };
                words.set(row + channel::TAG, tag as u64);
                words.set(row + channel::BEGUN, 0);
                words.set(row + channel::DONE, 0);
                let (word, bit) = mark_of(serial);
                self.with_channels.mark(word, bit);
                words.publish(row + channel::KEY, key);
                Some(row)
            })
        });
        if let Some(row) = row {
            self.add(row + what, 1);
        }
    }

    /// Whether more was begun in a channel that is not one of received messages than was done.
    pub(crate) fn is_open(&self, serial: u64, (peer, tag): (i64, i64)) -> bool {
        let (key, hash) = channel_key(serial, false, (peer, tag));
        let same_tag = |row: usize| self.words.get(row + channel::TAG) == tag as u64;
        let row = CHANNELS_TABLE.find(self.words, hash, key, same_tag);
        row.is_some_and(|row| self.words.get(row + channel::BEGUN) > self.words.get(row + channel::DONE))
    }

    /// A communicator, window or file is there.
    pub fn add_communicator(&self, new: &New<'_>) {
        let words = self.words;
        let parent = self.row_of(new.parent, 0).unwrap_or(0);
        let parent_word = |word: usize| if parent == 0 { 0 } else { words.get(parent + word) };
        let mut identity = chain(chain(1, new.made_by), u64::from(new.kind));
        match (new.by_all, new.made_by) {
            // `MPI_COMM_WORLD` and `MPI_COMM_SELF`: of all, or of one.
            (_, 0) => identity = both(new, identity),
            (true, _) => {
                identity = chain(chain(identity, parent_word(communicator::IDENTITY)), new.ordinal);
                identity = both(new, identity);
            }
            (false, _) => {
                identity = both(new, identity);
                identity = chain(identity, self.made_before(identity));
            }
        }
        self.alone(|| {
            let at = |index: usize| COMMUNICATORS_AT + index * COMMUNICATOR;
            let Some(index) = self.row_to_take() else {
                self.lose(lost::COMMUNICATORS);
                return;
            };
            let row = at(index);
            if words.get(row) != FREE {
                self.lose(lost::FREED);
            }
            self.forget_channels(words.get(row));
            words.publish(row + communicator::SERIAL, FREE);
            let members = self.store_members(new.members);
            let remote = if new.remote.is_empty() {
                0
            } else {
                self.store_members(new.remote)
            };
            let values = [
                (communicator::IDENTITY, identity),
                (communicator::HANDLE, new.handle),
                (communicator::PARENT, parent_word(communicator::SERIAL)),
                (communicator::MADE_BY, new.made_by),
                (communicator::RANK, u64::from(new.rank)),
                (communicator::MEMBERS, members),
                (communicator::REMOTE, remote),
                (communicator::BEGUN, 0),
                (communicator::DONE, 0),
                (communicator::KIND, u64::from(new.kind)),
                (communicator::LAST, 0),
                (communicator::FENCED, 0),
            ];
            for (word, value) in values {
                words.set(row + word, value);
            }
            let serial = self.serials.fetch_add(1, Ordering::Relaxed) + 1;
            words.publish(row + communicator::SERIAL, serial & 0x7fff_ffff);
            let key = handle_key(new.handle, new.kind);
            // A handle that is used again without having been freed here stands for the new one.
            if let Some(old) = HANDLES_TABLE.find(self.handles, key, key, |_| true) {
                HANDLES_TABLE.remove(self.handles, old);
            }
            if let Some(entry) = HANDLES_TABLE.vacant(self.handles, key) {
                self.handles.set(entry + 1, row as u64);
                self.handles.publish(entry, key);
            }
        });
    }

    /// A row that was never used, or else one of a communicator that is freed: programs that make and free communicators for ever find the next one at once.
    fn row_to_take(&self) -> Option<usize> {
        let at = |index: usize| COMMUNICATORS_AT + index * COMMUNICATOR;
        let taken = self.rows_taken.load(Ordering::Relaxed) as usize;
        let is_vacant = |index: &usize| {
            let row = at(*index);
            self.words.get(row) == FREE || self.words.get(row + communicator::HANDLE) == 0
        };
        // Rows are taken one after the other, so that the first round finds those that were never used.
        let (step, index) = (0..COMMUNICATORS)
            .map(|step| (step, (taken + step) % COMMUNICATORS))
            .find(|(_, index)| is_vacant(index))?;
        self.rows_taken
            .store((taken + step + 1) as u64, Ordering::Relaxed);
        Some(index)
    }

    /// How many communicators of this kind and these members were made before, from what is still there.
    fn made_before(&self, identity: u64) -> u64 {
        let at = |index: usize| COMMUNICATORS_AT + index * COMMUNICATOR;
        let mut count = 0;
        while (0..COMMUNICATORS)
            .take_while(|&index| self.words.get(at(index)) != FREE)
            .any(|index| self.words.get(at(index) + communicator::IDENTITY) == chain(identity, count))
        {
            count += 1;
        }
        count
    }

    /// Freed communicators give their channels back when their row is needed.
    fn forget_channels(&self, serial: u64) {
        let (word, bit) = mark_of(serial);
        if serial == FREE || self.with_channels.get(word) & bit == 0 {
            return;
        }
        for index in 0..CHANNELS {
            let row = CHANNELS_TABLE.row(index);
            let key = self.words.get(row);
            if key != RETIRED && key != FREE && key >> 33 == serial {
                CHANNELS_TABLE.remove(self.words, row);
            }
        }
    }

    /// Stores ranks as runs; where they begin, and in the upper half how many words they are.
    fn store_members(&self, ranks: &[u32]) -> u64 {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for &rank in ranks {
            match runs.last_mut() {
                Some((first, count))
                    if rank != UNKNOWN_MEMBER
                        && *first != UNKNOWN_MEMBER
                        && first.wrapping_add(*count) == rank =>
                {
                    *count += 1;
                }
                Some((UNKNOWN_MEMBER, count)) if rank == UNKNOWN_MEMBER => *count += 1,
                _ => runs.push((rank, 1)),
            }
        }
        let packed = |(first, count): (u32, u32)| u64::from(count) << 32 | u64::from(first);
        // Duplicates of a communicator have the same members: these are stored once.
        let used = self.members.load(Ordering::Relaxed) as usize;
        let stored = |at: usize| {
            let mut pairs = runs.iter().enumerate();
            pairs.all(|(index, run)| self.words.get(MEMBERS_AT + at + index) == packed(*run))
        };
        let place = |at: usize| (runs.len() as u64) << 32 | at as u64;
        if let Some(at) = (0..used.saturating_sub(runs.len() - 1)).find(|&at| stored(at)) {
            return place(at);
        }
        if used + runs.len() > MEMBERS {
            self.lose(lost::MEMBERS);
            return 0;
        }
        for (index, run) in runs.iter().enumerate() {
            self.words.set(MEMBERS_AT + used + index, packed(*run));
        }
        self.members.store((used + runs.len()) as u64, Ordering::Relaxed);
        place(used)
    }

    /// A communicator, window or file is freed.
    pub fn remove_communicator(&self, handle: u64, kind: u32) {
        let key = handle_key(handle, kind);
        self.alone(|| {
            let Some(entry) = HANDLES_TABLE.find(self.handles, key, key, |_| true) else {
                return;
            };
            let row = self.handles.get(entry + 1) as usize;
            HANDLES_TABLE.remove(self.handles, entry);
            self.words.publish(row + communicator::HANDLE, 0);
        });
    }

    fn row_of(&self, handle: u64, kind: u32) -> Option<usize> {
        let key = handle_key(handle, kind);
        let entry = HANDLES_TABLE.find(self.handles, key, key, |_| true)?;
        Some(self.handles.get(entry + 1) as usize)
    }

    pub(crate) fn serial_of_window(&self, handle: u64) -> Option<u64> {
        const WINDOW: u32 = 1;
        Some(
            self.words
                .get(self.row_of(handle, WINDOW)? + communicator::SERIAL),
        )
    }

    fn look_up(&self, call: &mut Call) {
        (call.row, call.serial) = (0, 0);
        if call.communicator == 0 {
            return;
        }
        if let Some(row) = self.row_of(call.communicator, call.kind) {
            call.row = row as u64;
            call.serial = self.words.get(row + communicator::SERIAL);
        }
    }

    /// The row of the communicator that a request belongs to.
    fn row_of_serial(&self, call: &mut Call) {
        let at = |index: usize| COMMUNICATORS_AT + index * COMMUNICATOR;
        let mut rows = (0..COMMUNICATORS).map(at);
        let found = rows.find(|&row| call.serial != 0 && self.words.get(row) == call.serial);
        call.row = found.unwrap_or(0) as u64;
    }
}

/// The key of a channel, and the hash by which its row is found.
fn channel_key(serial: u64, received: bool, (peer, tag): (i64, i64)) -> (u64, u64) {
    let key = serial << 33 | u64::from(received) << 32 | peer as u64 & 0xffff_ffff;
    (key, key ^ (tag as u64).rotate_left(20))
}

/// Where the set of those with channels has this serial number.
fn mark_of(serial: u64) -> (usize, u64) {
    ((serial / 64) as usize % WITH_CHANNELS, 1 << (serial % 64))
}

fn thread_at(thread: u32) -> Option<usize> {
    Some(THREADS_AT + (thread.checked_sub(1)? as usize) * THREAD)
}

fn handle_key(handle: u64, kind: u32) -> u64 {
    handle ^ u64::from(kind) << 62
}

fn chain(hash: u64, value: u64) -> u64 {
    mix(hash.rotate_left(23) ^ mix(value.wrapping_add(0x1234_5678_9abc_def1)))
}

/// The hash with all members. Both sides of an intercommunicator come to the same.
fn both(new: &New<'_>, hash: u64) -> u64 {
    let of = |members: &[u32]| members.iter().fold(7, |hash, rank| chain(hash, u64::from(*rank)));
    let (one, other) = (of(new.members), of(new.remote));
    let identity = chain(chain(hash, one.min(other)), one.max(other));
    identity.max(1)
}

fn is_collective(what: u32) -> bool {
    does::is_collective(what.into())
}

fn sends(what: u32) -> bool {
    matches!(u64::from(what), does::SENDS | does::BUFFERS | does::EXCHANGES)
}

fn receives(what: u32) -> bool {
    matches!(u64::from(what), does::RECEIVES | does::EXCHANGES)
}
