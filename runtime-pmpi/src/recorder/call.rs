//! A call, as the shim describes it, and how it ended.

use recording::layout::does;

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
    /// What that is: 0 a communicator, 1 a window, 2 a file, 3 a prepared collective operation, under its request's handle.
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
    /// The number in its channel of the message that it sends, from 1; 0 if it was not counted.
    pub sent: u64,
    /// The slot of its match plus one, if it leaves open what it takes; 0 if it does not, or nobody writes that down.
    pub wildcard: u64,
    /// What the shim does about it, as a first run did: a word of [`follows`](super::follows).
    pub follows: u64,
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

pub(super) fn is_collective(what: u32) -> bool {
    does::is_collective(what.into())
}

pub(super) fn sends(what: u32) -> bool {
    matches!(u64::from(what), does::SENDS | does::BUFFERS | does::EXCHANGES)
}

pub(super) fn receives(what: u32) -> bool {
    matches!(u64::from(what), does::RECEIVES | does::EXCHANGES)
}
