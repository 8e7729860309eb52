//! The ring of events that a task writes beside its recording if it is asked to: the last ones, while it runs.
//!
//! The file is an array of 64-bit words, little endian: [`HEADER`] words, then slots of [`SLOT`] words. Event `n`, counted from 0, stands in slot `n % capacity`. *Publication.* The writer stores 0 as a slot's number, then its words, then the
//! event's number plus one. A reader that copies the slots and then sees the same number again has the whole event; one that is written over meanwhile is lost, which the numbers tell.

mod copied;

pub use copied::{Copied, CopyError, Wanted};

use crate::layout::word;
use std::fmt;
use std::ops::Range;

/// What a ring begins with: `hindmEVT` in ASCII.
pub const MAGIC: u64 = u64::from_le_bytes(*b"hindmEVT");
/// The version of this layout.
pub const VERSION: u64 = 1;
/// How the names of these files end.
pub const EXTENSION: &str = "events";
/// The fewest events that a ring has room for.
pub const LEAST: u64 = 1 << 6;
/// The most.
pub const MOST: u64 = 1 << 22;

/// Words of the header.
pub const HEADER: usize = 8;
/// Words of the header, by their index.
pub mod header {
    /// [`MAGIC`](super::MAGIC); stored last.
    pub const MAGIC: usize = 0;
    /// [`VERSION`](super::VERSION).
    pub const VERSION: usize = 1;
    /// The process.
    pub const PID: usize = 2;
    /// When it began, as in a recording.
    pub const BIRTH: usize = 3;
    /// How many events there is room for.
    pub const CAPACITY: usize = 4;
    /// How many events were begun to be written.
    pub const WRITTEN: usize = 5;
    /// Of a copy of a part ([`Copied`](super::Copied)): how many were begun to be written in the whole.
    pub const TOTAL: usize = 6;
}

/// Words of a slot.
pub const SLOT: usize = 8;
/// Words of a slot, by their index.
pub mod slot {
    /// The event's number plus one; 0 while it is written.
    pub const SEQUENCE: usize = 0;
    /// When, on the monotonic clock in nanoseconds.
    pub const TIME: usize = 1;
    /// From the lowest byte: a [`Step`](super::Step), a word of [`tie`](super::tie), one of [`does`](crate::layout::does); in the upper half the number of the operation.
    pub const WHAT: usize = 2;
    /// In the lower half the serial number of the communicator, in the upper one the row of the thread plus one.
    pub const WHERE: usize = 3;
    /// The peer as a rank of the communicator; of a collective operation the root plus one.
    pub const PEER: usize = 4;
    /// The tag, or the kind of the signal.
    pub const TAG: usize = 5;
    /// The number of the message in its channel, counted from 0, or of the collective operation, from 1.
    pub const ORDINAL: usize = 6;
    /// How many elements.
    pub const COUNT: usize = 7;
}

/// What ties an event to others.
pub mod tie {
    /// Nothing.
    pub const NONE: u64 = 0;
    /// The beginning of a send.
    pub const SENDS: u64 = 1;
    /// The end of a receive.
    pub const RECEIVES: u64 = 2;
    /// The beginning of a part of a collective operation.
    pub const ENTERS: u64 = 3;
    /// The end of one.
    pub const LEAVES: u64 = 4;
}

/// What happens to an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A call begins.
    Begins = 1,
    /// A call ends. Of a question that is asked again and again, the call that was answered.
    Ends = 2,
    /// A prepared operation is started.
    Starts = 3,
    /// The operation of a request is complete.
    Completes = 4,
    /// A signal is given over a window.
    Signals = 5,
}

impl Step {
    const ALL: [Self; 5] = [
        Self::Begins,
        Self::Ends,
        Self::Starts,
        Self::Completes,
        Self::Signals,
    ];
}

/// What ties an event to events of other tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// Nothing.
    None,
    /// A message is sent to this rank of the communicator.
    Sends(Numbered),
    /// One was received from it.
    Receives(Numbered),
    /// A part of a collective operation begins.
    Enters(Part),
    /// One has ended.
    Leaves(Part),
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// The other end, as a rank of the communicator.
    pub peer: u32,
    /// The tag, or of a window the kind of the signal ([`crate::layout::signal`]).
    pub tag: i64,
    /// Its number in its channel, counted from 0.
    pub ordinal: u64,
}

/// A part of a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The root, as a rank of the communicator.
    pub root: Option<u32>,
    /// The number of the operation on its communicator, counted from 1.
    pub ordinal: u64,
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its number in the task, counted from 0.
    pub sequence: u64,
    /// When, on the monotonic clock of the host in nanoseconds.
    pub time: u64,
    /// What happens.
    pub step: Step,
    /// To which operation: its number among the recording's; none of a signal.
    pub operation: Option<u32>,
    /// What that does, a word of [`crate::layout::does`].
    pub does: u64,
    /// The thread's row in the recording.
    pub thread: Option<u32>,
    /// The serial number of its communicator in this task.
    pub communicator: Option<u64>,
    /// How many elements or requests.
    pub count: i64,
    /// What it gives others, or takes.
    pub tie: Tie,
}

/// Why a file is no ring of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// It does not begin as rings do.
    NoRing,
    /// It is of a version that this reader does not know.
    Version(u64),
    /// It is shorter than it says, by these bytes in all.
    CutOff(usize),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRing => f.write_str("it has no events, or the recorder did not get to begin it"),
            Self::Version(version) => {
                write!(
                    f,
                    "its events are of version {version}, and this hindmost reads version {VERSION}"
                )
            }
            Self::CutOff(bytes) => write!(f, "its events are cut off: it has {bytes} bytes"),
        }
    }
}

impl std::error::Error for Error {}

/// What could be read of a ring from a certain event on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// The process.
    pub pid: u32,
    /// When it began, as in its recording.
    pub birth: u64,
    /// The events, in their order.
    pub events: Vec<Event>,
    /// Events that were written over before they were read, by their numbers: they are lost.
    pub lost: Vec<Range<u64>>,
    /// Where the next reading goes on: what is behind it is not written yet.
    pub next: u64,
}

/// The words of a whole file.
#[must_use]
pub const fn words(capacity: u64) -> usize {
    HEADER + capacity as usize * SLOT
}

/// How many events were begun to be written, by the first [`HEADER`] words of a file.
#[must_use]
pub fn written(head: &[u8]) -> u64 {
    word(head, header::WRITTEN)
}

impl Events {
    /// Reads the events from number `from` on, out of two copies of the file, `again` taken after `first`: of a task that runs, what changed between them is not believed. Of one that
    /// has ended the same copy does.
    ///
    /// # Errors
    ///
    /// Bytes that are no ring of this version, or not the whole of one.
    pub fn read(first: &[u8], again: &[u8], from: u64) -> Result<Self, Error> {
        if word(first, header::MAGIC) != MAGIC {
            return Err(Error::NoRing);
        }
        match word(first, header::VERSION) {
            VERSION => {}
            other => return Err(Error::Version(other)),
        }
        let capacity = word(first, header::CAPACITY);
        if !(1..=MOST).contains(&capacity) {
            return Err(Error::NoRing);
        }
        let least = first.len().min(again.len());
        if least < words(capacity) * 8 {
            return Err(Error::CutOff(least));
        }
        let written = written(first);
        let mut events = Self {
            pid: word(first, header::PID) as u32,
            birth: word(first, header::BIRTH),
            next: from,
            ..Self::default()
        };
        let oldest = written.saturating_sub(capacity).max(from);
        events.lose(from..oldest);
        for sequence in oldest..written {
            let at = HEADER + (sequence % capacity) as usize * SLOT;
            let stamp = sequence.wrapping_add(1);
            let number = |bytes| word(bytes, at + slot::SEQUENCE);
            match number(first) {
                // Not yet written to the end: nor is what follows read, so that it is read in order next time.
                0 => break,
                here if here < stamp => break,
                here if here > stamp || number(again) != stamp => events.lose(sequence..sequence + 1),
                _ => match event(first, at, sequence) {
                    Some(event) => events.events.push(event),
                    None => events.lose(sequence..sequence + 1),
                },
            }
            events.next = sequence + 1;
        }
        Ok(events)
    }

    fn lose(&mut self, numbers: Range<u64>) {
        if numbers.is_empty() {
            return;
        }
        self.next = numbers.end;
        match self.lost.last_mut() {
            Some(last) if last.end == numbers.start => last.end = numbers.end,
            _ => self.lost.push(numbers),
        }
    }

    /// How many are lost.
    #[must_use]
    pub fn lost_count(&self) -> u64 {
        self.lost.iter().map(|range| range.end - range.start).sum()
    }
}

/// The event in a slot; none that no recorder writes.
fn event(bytes: &[u8], at: usize, sequence: u64) -> Option<Event> {
    let word = |index: usize| word(bytes, at + index);
    let what = word(slot::WHAT);
    let step = *Step::ALL.iter().find(|step| **step as u64 == what & 0xff)?;
    let ordinal = word(slot::ORDINAL);
    let message = || {
        Some(Numbered {
            peer: u32::try_from(word(slot::PEER)).ok()?,
            tag: word(slot::TAG) as i64,
            ordinal,
        })
    };
    let part = || {
        let root = u32::try_from(word(slot::PEER)).ok()?.checked_sub(1);
        Some(Part { root, ordinal })
    };
    let tie = match what >> 8 & 0xff {
        tie::NONE => Tie::None,
        tie::SENDS => Tie::Sends(message()?),
        tie::RECEIVES => Tie::Receives(message()?),
        tie::ENTERS => Tie::Enters(part()?),
        tie::LEAVES => Tie::Leaves(part()?),
        _ => return None,
    };
    let operation = (what >> 32) as u32;
    let place = word(slot::WHERE);
    Some(Event {
        sequence,
        time: word(slot::TIME),
        step,
        operation: (operation != u32::MAX).then_some(operation),
        does: what >> 16 & 0xff,
        thread: ((place >> 32) as u32).checked_sub(1),
        communicator: Some(place & 0xffff_ffff).filter(|serial| *serial != 0),
        count: word(slot::COUNT) as i64,
        tie,
    })
}
