//! What runs on when its call has returned: requests, from the call that starts them to the one that completes them.

use super::call::{Call, is_collective, receives, sends};
use super::matches::follows;
use super::{Recorder, lost};
use crate::tables::Table;
use recording::layout::{
    FREE, REQUEST, REQUESTS, REQUESTS_AT, RETIRED, channel, communicator, does, peer, request, state,
};
use recording::matches;
use recording::ring::Step;
use std::sync::atomic::Ordering;

pub(super) const REQUESTS_TABLE: Table = Table {
    at: REQUESTS_AT,
    rows: REQUESTS,
    width: REQUEST,
};

/// The number of a request's row, counted from 0.
fn index(row: usize) -> usize {
    REQUESTS_TABLE.number(row) as usize - 1
}

/// The kind of what is there under a persistent request's handle ([`Call::kind`]).
const PREPARED: u32 = 3;

impl Recorder {
    /// A call has started an operation, whose request has this handle.
    pub fn start(&self, call: &Call, handle: u64) {
        self.add_request(call, handle, state::ACTIVE);
    }

    /// A call has prepared an operation that can be started again and again. One that is collective is there under its own handle by now ([`Call::kind`]).
    pub fn prepare(&self, call: &Call, handle: u64) {
        let mut call = *call;
        self.look_up(&mut call);
        self.add_request(&call, handle, state::PERSISTENT);
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
            if receives(call.does) {
                self.meets_later(index(row), call);
            } else {
                self.meets_later(index(row), &Call::default());
            }
            words.publish(row + request::HANDLE, handle);
        });
    }

    /// A prepared operation is about to be started: if it leaves open what it takes, it is counted, and what a first run did is told: a word of [`follows`], and from whom and under which tag a message was taken.
    pub fn meet_start(&self, handle: u64) -> (u64, i64, i64) {
        let words = self.words;
        let prepared = |row: usize| words.get(row + request::STATE) & state::ACTIVE == 0;
        let as_it_is = (follows::NOTHING, peer::NONE, peer::NONE);
        if !self.keeps_matches() {
            return as_it_is;
        }
        let Some(row) = REQUESTS_TABLE.find(words, handle, handle, prepared) else {
            return as_it_is;
        };
        let mut call = self.call_of(row);
        if !matches::is_open(call.does.into(), call.source, call.receive_tag) {
            return as_it_is;
        }
        self.row_of_serial(&mut call);
        // A communicator that is freed has no handle any more under which another receive could be started.
        if call.row == 0 || words.get(call.row as usize + communicator::HANDLE) == 0 {
            return as_it_is;
        }
        self.meet(&mut call, &[]);
        self.meets_later(index(row), &call);
        (call.follows, call.source, call.receive_tag)
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
            call.row = self.row_of(handle, PREPARED).unwrap_or(0) as u64;
            if call.row != 0 {
                call.ordinal = self.add(call.row as usize + communicator::BEGUN, 1) + 1;
                words.set(row + request::ORDINAL, call.ordinal);
                self.divide_started(handle, &call);
            }
        }
        let tie = self.count_begun(&call);
        self.note_event_now(Step::Starts, &call, tie);
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
        let state = words.get(row + request::STATE);
        let is_persistent = state & state::PERSISTENT != 0;
        if is_collective(call.does) && is_persistent {
            call.row = self.row_of(handle, PREPARED).unwrap_or(0) as u64;
        } else if is_collective(call.does) {
            self.row_of_serial(&mut call);
        }
        self.met_later(index(row), call.source, call.receive_tag);
        let tie = self.count_done(&call);
        self.note_event_now(Step::Completes, &call, tie);
        if is_persistent {
            words.publish(row + request::STATE, state & !(state::ACTIVE | state::CANCELS));
        } else {
            self.alone(|| REQUESTS_TABLE.remove(words, row));
        }
    }

    /// A matched probe has taken a message, which has this handle until it is received.
    pub fn take(&self, call: &Call, message: u64) {
        let taken = Call {
            does: does::TAKEN as u32,
            ..*call
        };
        self.add_request(&taken, message, state::ACTIVE);
    }

    /// The program asks for an operation to be cancelled. Whether it was is told when it is complete. Returns whether MPI is asked, too: not of one that took its message in the first run.
    pub fn cancel(&self, handle: u64) -> bool {
        let active = |row: usize| self.words.get(row + request::STATE) & state::ACTIVE != 0;
        let Some(row) = REQUESTS_TABLE.find(self.words, handle, handle, active) else {
            return true;
        };
        if self.is_named(index(row)) {
            return false;
        }
        self.words.mark(row + request::STATE, state::CANCELS);
        true
    }

    /// The operation of a request was cancelled: it has taken no message. Whether what is sent no more was counted by its receiver is not known.
    pub fn cancelled(&self, handle: u64) {
        let words = self.words;
        let active = |row: usize| words.get(row + request::STATE) & state::ACTIVE != 0;
        let Some(row) = REQUESTS_TABLE.find(words, handle, handle, active) else {
            return;
        };
        if sends(self.call_of(row).does) {
            self.lose(lost::REQUESTS);
        }
        self.met_never(index(row));
        let state = words.get(row + request::STATE);
        if state & state::PERSISTENT != 0 {
            words.publish(row + request::STATE, state & !(state::ACTIVE | state::CANCELS));
        } else {
            self.alone(|| REQUESTS_TABLE.remove(words, row));
        }
    }

    /// A request is freed: nobody can wait for it any more. A receive that is under way takes its message all the same, and nobody is told when.
    pub fn free(&self, handle: u64) {
        let words = self.words;
        if let Some(row) = REQUESTS_TABLE.find(words, handle, handle, |_| true) {
            let call = self.call_of(row);
            let state = words.get(row + request::STATE);
            if state & state::ACTIVE != 0 && state & state::CANCELS != 0 {
                // Whether it was cancelled its status would have told.
                self.lose(lost::REQUESTS);
            } else if state & state::ACTIVE != 0 && receives(call.does) {
                if call.source >= 0 && call.receive_tag >= 0 {
                    let from = (call.source, call.receive_tag);
                    self.count(call.serial, true, from, channel::DONE);
                } else if call.source != peer::NOBODY {
                    self.lose(lost::REQUESTS);
                }
            }
            self.alone(|| REQUESTS_TABLE.remove(words, row));
        }
        self.forget_division(handle);
        self.remove_communicator(handle, PREPARED);
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
            root: if is_collective(does) {
                word(request::ROOT) as i64
            } else {
                0
            },
            bytes: if is_collective(does) {
                word(request::BYTES) as i64
            } else {
                0
            },
            serial: word(request::COMMUNICATOR),
            ordinal: word(request::ORDINAL),
            ..Call::default()
        }
    }
}
