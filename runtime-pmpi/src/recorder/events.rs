//! Events: what the task does, one behind the other, in a ring that is read while it runs (`recording::ring`). Only where this was asked for.

use super::Recorder;
use super::call::{Call, is_collective};
use crate::file::clock;
use crate::words::Words;
use recording::layout::{communicator, does, peer};
use recording::ring::{self, HEADER, SLOT, Step, header, slot, tie};
use std::sync::atomic::{Ordering, fence};

/// What an event gives others, or takes from them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tie {
    None,
    /// A message to a peer, or from one: with the tag, and the number in its channel.
    Message {
        is_sent: bool,
        peer: i64,
        tag: i64,
        ordinal: u64,
    },
    /// The beginning of a part of a collective operation, or its end.
    Part {
        begins: bool,
        root: i64,
        ordinal: u64,
    },
}

impl Tie {
    /// A message, unless it was not counted: to nobody, or in a channel for which there was no room.
    pub(super) fn message(is_sent: bool, (peer, tag): (i64, i64), ordinal: Option<u64>) -> Self {
        ordinal.map_or(Self::None, |ordinal| Self::Message {
            is_sent,
            peer,
            tag,
            ordinal,
        })
    }

    /// A part of an operation; none if the communicator is not known, or if nothing is given: then a library need not wait.
    pub(super) fn part(begins: bool, call: &Call) -> Self {
        const NO_BYTES: i64 = 1;
        if call.ordinal == 0 || call.bytes == NO_BYTES {
            return Self::None;
        }
        Self::Part {
            begins,
            root: call.root,
            ordinal: call.ordinal,
        }
    }

    /// The word that says which, and the words of a slot from [`slot::PEER`] on.
    fn words(self) -> (u64, [u64; 3]) {
        match self {
            Self::None => (tie::NONE, [peer::NONE as u64, 0, 0]),
            Self::Message {
                is_sent,
                peer,
                tag,
                ordinal,
            } => (
                if is_sent { tie::SENDS } else { tie::RECEIVES },
                [peer as u64, tag as u64, ordinal],
            ),
            Self::Part {
                begins,
                root,
                ordinal,
            } => (
                if begins { tie::ENTERS } else { tie::LEAVES },
                [root as u64, 0, ordinal],
            ),
        }
    }
}

/// The ring, and how many events fit into it.
#[derive(Debug)]
pub(super) struct Ring {
    words: Words,
    capacity: u64,
}

impl Ring {
    pub(super) fn new(words: Words) -> Self {
        Self {
            words,
            capacity: words.get(header::CAPACITY).clamp(1, ring::MOST),
        }
    }
}

/// Whether a call asks, and may ask again and again.
pub(super) fn asks(what: u32) -> bool {
    matches!(
        u64::from(what),
        does::ASKS_ALL | does::ASKS_ONE | does::ASKS_MESSAGE
    )
}

/// The shim describes `MPI_COMM_WORLD` before any other.
const SERIAL_OF_WORLD: u64 = 1;
/// As which it is told, for who has no recording to look its identity up in.
const TOLD_AS_WORLD: u64 = 1;

/// Who is told what happens, when, and what it is tied to: the tracer of calls, where the program is started with it, too. After the time, the word that says which tie ([`tie`]), the identity of
/// the communicator, the peer or the root plus one, the tag, and the number.
pub type Teller = extern "C" fn(u64, u32, u64, u64, i64, u64);

impl Recorder {
    /// What comes after the call has begun is told as it is noted; that it has begun is told here, when the tracer knows of the call.
    pub fn tell_begun(&self, call: &Call) {
        if self.teller.is_none() || asks(call.does) {
            return;
        }
        let tie = if is_collective(call.does) {
            Tie::part(true, call)
        } else {
            let to = (call.destination, call.send_tag);
            Tie::message(true, to, call.sent.checked_sub(1))
        };
        self.tell(call, call.entered, tie);
    }

    fn tell(&self, call: &Call, time: u64, tie: Tie) {
        let Some(teller) = self.teller else { return };
        let (kind, [peer, tag, ordinal]) = tie.words();
        let mut call = *call;
        if kind != tie::NONE && call.row == 0 {
            self.row_of_serial(&mut call);
        }
        let word = |word: usize| self.words.get(call.row as usize + word);
        let identity = match call.row {
            0 => 0,
            _ if word(communicator::SERIAL) == SERIAL_OF_WORLD && word(communicator::MADE_BY) == 0 => {
                TOLD_AS_WORLD
            }
            _ => word(communicator::IDENTITY),
        };
        // Of a communicator that is not known nothing can be told but the time.
        let kind = if identity == 0 { tie::NONE } else { kind };
        teller(time, kind as u32, identity, peer, tag as i64, ordinal);
    }

    /// Notes an event, and tells of it unless it is the beginning of a call.
    pub(super) fn note_event(&self, step: Step, call: &Call, time: u64, tie: Tie) {
        if step != Step::Begins {
            self.tell(call, time, tie);
        }
        self.write_event(step, call, time, tie);
    }

    /// Writes an event, over the oldest one if there is no room. A reader sees the whole of it, or that it is being written.
    fn write_event(&self, step: Step, call: &Call, time: u64, tie: Tie) {
        let Some(ring) = &self.events else { return };
        let words = ring.words;
        let sequence = if self.is_shared() {
            words.add(header::WRITTEN, 1)
        } else {
            let written = words.get(header::WRITTEN);
            words.publish(header::WRITTEN, written.wrapping_add(1));
            written
        };
        let at = HEADER + (sequence % ring.capacity) as usize * SLOT;
        words.set(at + slot::SEQUENCE, 0);
        // Nobody sees a word of the new event behind the number of the old one.
        fence(Ordering::Release);
        let (kind, [peer, tag, ordinal]) = tie.words();
        let does = u64::from(call.does) & 0xff;
        let values = [
            (slot::TIME, time),
            (
                slot::WHAT,
                step as u64 | kind << 8 | does << 16 | u64::from(call.operation) << 32,
            ),
            (
                slot::WHERE,
                call.serial & 0xffff_ffff | u64::from(call.thread) << 32,
            ),
            (slot::PEER, peer),
            (slot::TAG, tag),
            (slot::ORDINAL, ordinal),
            (slot::COUNT, call.count as u64),
        ];
        for (word, value) in values {
            words.set(at + word, value);
        }
        words.publish(at + slot::SEQUENCE, sequence + 1);
    }

    /// Writes an event of this moment.
    pub(super) fn note_event_now(&self, step: Step, call: &Call, tie: Tie) {
        if self.events.is_some() || self.teller.is_some() {
            self.note_event(step, call, clock(), tie);
        }
    }

    /// Writes that a signal is given over a window.
    pub(crate) fn note_signal(&self, serial: u64, to: (i64, i64), ordinal: Option<u64>) {
        let call = Call {
            operation: u32::MAX,
            serial,
            ..Call::default()
        };
        self.note_event_now(Step::Signals, &call, Tie::message(true, to, ordinal));
    }
}
