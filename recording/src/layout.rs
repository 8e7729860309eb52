//! Where everything stands in a recording.
//!
//! The file is an array of 64-bit words in the byte order of the machine (x86-64: little endian). The first [`HEADER`] words are the header; then
//! come tables of fixed size, one behind the other:
//!
//! ```text
//! header | names | threads | communicators | members | channels | requests | states | edges | frames | modules | divisions | portions
//! ```
//!
//! *Publication.* A row of a table counts only if its first word is not 0 ([`FREE`]) nor [`RETIRED`]; the writer stores that word last. What a thread
//! does is kept in two copies, and one word says how often it has changed: copy `changes % 2` is valid, the other is being written.

/// What a recording begins with: `hindmREC` in ASCII.
pub const MAGIC: u64 = u64::from_le_bytes(*b"hindmREC");
/// The version of this layout. Files of later versions are refused.
pub const VERSION: u64 = 3;
/// The first version; its files end behind the requests ([`WORDS_OF_FIRST`]).
pub const FIRST_VERSION: u64 = 1;
/// The second version; its files end behind the modules ([`WORDS_OF_SECOND`]).
pub const SECOND_VERSION: u64 = 2;

/// Words of the header.
pub const HEADER: usize = 64;
/// Words of the header, by their index.
pub mod header {
    /// [`MAGIC`](super::MAGIC); stored last, so that a file without it was not ready.
    pub const MAGIC: usize = 0;
    /// [`VERSION`](super::VERSION).
    pub const VERSION: usize = 1;
    /// The process.
    pub const PID: usize = 2;
    /// Nanoseconds since the epoch when the file was made.
    pub const STARTED: usize = 3;
    /// The monotonic clock, in nanoseconds, at the same moment.
    pub const CLOCK: usize = 4;
    /// The rank in `MPI_COMM_WORLD` plus one; 0 before `MPI_Init`.
    pub const RANK: usize = 5;
    /// The size of `MPI_COMM_WORLD`; 0 before `MPI_Init`.
    pub const SIZE: usize = 6;
    /// How far the task is in its use of MPI, a [`Stage`](crate::Stage).
    pub const STAGE: usize = 7;
    /// What there was no room for, a bit for each kind: see [`Lost`](crate::Lost).
    pub const LOST: usize = 8;
    /// How many bytes of the table of names are used.
    pub const NAMES: usize = 9;
    /// When the process began, in clock ticks since the machine started, as `/proc/PID/stat` says it: tells a process from a later one of
    /// its number.
    pub const BIRTH: usize = 10;
    /// The name of the host, 64 bytes, filled up with zeros.
    pub const HOST: usize = 16;
    /// The words of [`HOST`].
    pub const HOST_WORDS: usize = 8;
    /// The job, as the launcher names it: 64 bytes, filled up with zeros.
    pub const JOB: usize = 24;
    /// 0 if the task's `MPI_COMM_WORLD` is the one that the job began with; of a world that was spawned, a number that its tasks have alike and those of another world, as far as the launcher
    /// names them, have not.
    pub const SPAWNED: usize = 32;
    /// If threads may call MPI at the same time: how many threads the process had when `MPI_Init` was called; 0 if they may not, or if it is not known.
    pub const THREADS_BEFORE: usize = 33;
    /// How many it had when `MPI_Init` had returned, if threads may call MPI at the same time; else 0.
    pub const THREADS_BEHIND: usize = 34;
}

/// Words for the names of operations: the functions of MPI, in the order of their numbers, each ended by a newline.
pub const NAMES: usize = 2048;

/// Threads that call MPI, at most.
pub const THREADS: usize = 64;
/// Words of a thread: a header, two copies of what it does, and its last calls.
pub const THREAD: usize = 8 + 2 * NOW + EVENTS * EVENT;
/// Words of a thread, by their index.
pub mod thread {
    /// The thread's number in the system; 0 if the row is free.
    pub const TID: usize = 0;
    /// How often what it does has changed: copy `CHANGES % 2` is valid.
    pub const CHANGES: usize = 1;
    /// How many calls it has completed.
    pub const COMPLETED: usize = 2;
    /// The operation that asks without waiting and was not answered yet, plus one; 0 if the last call was another.
    pub const POLLS: usize = 3;
    /// How often it has asked since.
    pub const POLLED: usize = 4;
    /// When the last call ended that was no unanswered question, on the monotonic clock.
    pub const LAST: usize = 5;
    /// The first copy.
    pub const NOW: usize = 8;
}

/// Words of one copy of what a thread does.
pub const NOW: usize = 16;
/// Words of what a thread does, by their index.
pub mod now {
    /// The operation's number plus one; 0 outside of MPI.
    pub const OPERATION: usize = 0;
    /// Since when, on the monotonic clock in nanoseconds.
    pub const SINCE: usize = 1;
    /// The serial number of the communicator or window; 0 if there is none, or it is not known.
    pub const COMMUNICATOR: usize = 2;
    /// To whom is sent: a rank of the communicator, or one of [`peer`](super::peer).
    pub const DESTINATION: usize = 3;
    /// The tag of what is sent.
    pub const SEND_TAG: usize = 4;
    /// From whom is received.
    pub const SOURCE: usize = 5;
    /// The tag of what is received; [`ANY_TAG`](super::ANY_TAG) for any.
    pub const RECEIVE_TAG: usize = 6;
    /// How many elements; of a completing call, how many requests.
    pub const COUNT: usize = 7;
    /// The root of a collective operation plus one; 0 if it has none.
    pub const ROOT: usize = 8;
    /// Which collective operation of the communicator it is, counted from 1; 0 if it is none.
    pub const ORDINAL: usize = 9;
    /// The mark of the requests that the call completes; see [`request::MARK`](super::request::MARK).
    pub const MARK: usize = 10;
    /// Where the call returns to.
    pub const RETURNS_TO: usize = 11;
    /// What the operation does, a word of [`does`](super::does).
    pub const DOES: usize = 12;
    /// The row of the state of the task's model that it is in, or was in last, plus one; 0 if it is not known.
    pub const STATE: usize = 13;
    /// How many bytes each task gives or takes in a collective operation in which all have to say the same, plus one; 0 if that is not known.
    pub const BYTES: usize = 14;
    /// By what a collective operation reduces: the number of one of [`REDUCTIONS`](super::REDUCTIONS) plus one; 0 if it is none of MPI's own, or not known.
    pub const REDUCTION: usize = 15;
}

/// The reductions of MPI, by their numbers.
pub const REDUCTIONS: [&str; 12] = [
    "MPI_MAX",
    "MPI_MIN",
    "MPI_SUM",
    "MPI_PROD",
    "MPI_LAND",
    "MPI_BAND",
    "MPI_LOR",
    "MPI_BOR",
    "MPI_LXOR",
    "MPI_BXOR",
    "MPI_MINLOC",
    "MPI_MAXLOC",
];

/// The last calls that a thread keeps.
pub const EVENTS: usize = 128;
/// Words of one of them, in the order: number of the call counted from 1 (stored last), operation, communicator, peer, tag, count, when it was entered, when
/// it was left.
pub const EVENT: usize = 8;

/// Communicators, windows, files and prepared collective operations at one time, at most.
pub const COMMUNICATORS: usize = 2048;
/// Words of one.
pub const COMMUNICATOR: usize = 16;
/// Words of a communicator, by their index.
pub mod communicator {
    /// Its serial number in this task; never used again. 0 if the row is free.
    pub const SERIAL: usize = 0;
    /// Its identity: equal on all of its members, and for no other communicator of the job.
    pub const IDENTITY: usize = 1;
    /// Its handle; 0 once it is freed.
    pub const HANDLE: usize = 2;
    /// The serial number of the communicator that it was made from.
    pub const PARENT: usize = 3;
    /// The operation that made it, plus one; 0 for those that MPI begins with.
    pub const MADE_BY: usize = 4;
    /// The rank of the task in it.
    pub const RANK: usize = 5;
    /// Where its members begin in the table of members, and in the upper half how many words they are.
    pub const MEMBERS: usize = 6;
    /// The same for the remote group of an intercommunicator; 0 if it is none.
    pub const REMOTE: usize = 7;
    /// Collective operations begun.
    pub const BEGUN: usize = 8;
    /// Collective operations that have returned, or whose request is complete.
    pub const DONE: usize = 9;
    /// What it is: 0 a communicator, 1 a window, 2 a file, 3 a collective operation that is prepared (its handle is the request's, and each start is one operation of it).
    pub const KIND: usize = 10;
    /// The operation of the last collective that was begun, plus one.
    pub const LAST: usize = 11;
    /// Of a window: 1 if its last fence has begun an epoch.
    pub const FENCED: usize = 12;
    /// With how many a member divides what it gives: all members or, of an intercommunicator, the remote group. For the recorder alone.
    pub const PEERS: usize = 13;
    /// Of one with a topology: of whom the task takes in operations among neighbours, stored as [`MEMBERS`] is, in their order, and beside it the bit
    /// [`HAS_NEIGHBOURS`](super::HAS_NEIGHBOURS). 0 if there is none, or there was no room.
    pub const SOURCES: usize = 14;
    /// To whom it gives in these.
    pub const DESTINATIONS: usize = 15;
}
/// Tells a list of neighbours that is empty from one that is not known.
pub const HAS_NEIGHBOURS: u64 = 1 << 63;

/// Words for the members of communicators: runs of consecutive world ranks, in the order of the communicator's ranks; the first in the
/// lower half, their number in the upper. [`UNKNOWN_MEMBER`] stands for one of another world.
pub const MEMBERS: usize = 1 << 17;
/// A member that is in no relation to this task's world; in a list of neighbours also `MPI_PROC_NULL`.
pub const UNKNOWN_MEMBER: u32 = u32::MAX;

/// Channels: (communicator, direction, peer, tag), at most.
pub const CHANNELS: usize = 1 << 14;
/// Words of a channel.
pub const CHANNEL: usize = 4;
/// Words of a channel, by their index.
pub mod channel {
    /// The communicator's serial number in the upper 31 bits, one bit for the direction (1: received), the peer's rank in the lower 32.
    pub const KEY: usize = 0;
    /// The tag.
    pub const TAG: usize = 1;
    /// Messages begun: calls of sends, posted receives that named peer and tag.
    pub const BEGUN: usize = 2;
    /// Messages done: sends that are complete, messages received.
    pub const DONE: usize = 3;
}

/// Requests that are under way or persistent, at most.
pub const REQUESTS: usize = 1 << 13;
/// Words of a request.
pub const REQUEST: usize = 10;
/// Words of a request, by their index.
pub mod request {
    /// Its handle; [`FREE`](super::FREE) or [`RETIRED`](super::RETIRED) if there is none here.
    pub const HANDLE: usize = 0;
    /// The operation that made it, plus one.
    pub const OPERATION: usize = 1;
    /// The communicator's serial number.
    pub const COMMUNICATOR: usize = 2;
    /// To whom is sent.
    pub const DESTINATION: usize = 3;
    /// The tag of what is sent.
    pub const SEND_TAG: usize = 4;
    /// From whom is received.
    pub const SOURCE: usize = 5;
    /// The tag of what is received.
    pub const RECEIVE_TAG: usize = 6;
    /// The number of a collective operation on its communicator, counted from 1; 0 for messages.
    pub const ORDINAL: usize = 7;
    /// Of a collective operation, which has no peers: the root as in [`now::ROOT`](super::now::ROOT), in the place of [`DESTINATION`].
    pub const ROOT: usize = DESTINATION;
    /// The bytes as in [`now::BYTES`](super::now::BYTES), in the place of [`SEND_TAG`].
    pub const BYTES: usize = SEND_TAG;
    /// The reduction as in [`now::REDUCTION`](super::now::REDUCTION), in the place of [`SOURCE`].
    pub const REDUCTION: usize = SOURCE;
    /// How many elements, in the place of [`RECEIVE_TAG`].
    pub const COUNT: usize = RECEIVE_TAG;
    /// In the lower 32 bits [`state`](super::state) of the request, above them when it was begun (a running number).
    pub const STATE: usize = 8;
    /// The call that completes it: the thread's row plus one in the upper 16 bits, the lower 48 bits of its number of changes below. Equal to
    /// [`now::MARK`](super::now::MARK) of that call.
    pub const MARK: usize = 9;
}
/// States of requests.
pub mod state {
    /// It is under way.
    pub const ACTIVE: u64 = 1;
    /// It is persistent; with [`ACTIVE`], it is started.
    pub const PERSISTENT: u64 = 2;
    /// The program has asked for it to be cancelled; with what came of that, nobody knows before it is complete.
    pub const CANCELS: u64 = 4;
    /// What it does: a word of [`does`](super::does), shifted by this.
    pub const DOES: u32 = 8;
}

/// What an operation does, as far as it decides what a task in it waits for.
pub mod does {
    /// Anything else.
    pub const OTHER: u64 = 0;
    /// It sends.
    pub const SENDS: u64 = 1;
    /// It sends, and is complete whether or not anybody receives.
    pub const BUFFERS: u64 = 2;
    /// It receives.
    pub const RECEIVES: u64 = 3;
    /// It sends and receives.
    pub const EXCHANGES: u64 = 4;
    /// It waits for a message that it leaves where it is.
    pub const PROBES: u64 = 5;
    /// A collective operation from which nobody returns before all have entered.
    pub const EVERY_PART: u64 = 6;
    /// A collective operation that gives data of the root to all.
    pub const FROM_ROOT: u64 = 7;
    /// A collective operation that gives data of all to the root.
    pub const TO_ROOT: u64 = 8;
    /// A collective operation in which each task needs those of lower rank.
    pub const PREFIX: u64 = 9;
    /// Another collective operation: with neighbours, or of the library's own.
    pub const COLLECTIVE: u64 = 10;
    /// It completes all of its requests.
    pub const COMPLETES_ALL: u64 = 11;
    /// It completes one of its requests, or some.
    pub const COMPLETES_ONE: u64 = 12;
    /// It asks whether requests are complete, all together.
    pub const ASKS_ALL: u64 = 13;
    /// It asks whether one of its requests is complete.
    pub const ASKS_ONE: u64 = 14;
    /// It asks whether a message is there.
    pub const ASKS_MESSAGE: u64 = 15;
    /// It synchronises the users of a window.
    pub const EPOCH: u64 = 16;
    /// It waits for some of its requests, of which nobody knows which: a library may do without the others.
    pub const HELD: u64 = 17;
    /// It asks for the lock of a part of a window, or of all parts.
    pub const LOCKS: u64 = 19;
    /// It completes what was done to locked parts of a window; some such calls give the lock back.
    pub const SYNCHRONISES: u64 = 20;
    /// A message that a matched probe has taken, and that is not received yet; among the requests, under its own handle.
    pub const TAKEN: u64 = 21;
    /// A fence, until the recorder knows which kind of collective operation it is; in no file.
    pub const FENCE: u64 = 18;

    /// Whether it is a part of a collective operation.
    #[must_use]
    pub fn is_collective(what: u64) -> bool {
        matches!(what, EVERY_PART..=COLLECTIVE)
    }
}

/// What tasks tell each other over a window: the tags of its channels.
pub mod signal {
    /// A window is open for the access of a peer: `MPI_Win_post`.
    pub const POSTS: i64 = 0;
    /// The access to a peer's window is over: `MPI_Win_complete`.
    pub const COMPLETES: i64 = 1;
    /// The peer's part is locked together with others: begun when it was asked for, done when it was given back.
    pub const SHARES: i64 = 2;
    /// The peer's part is locked alone.
    pub const EXCLUDES: i64 = 3;
    /// The parts of all are locked together with others; the peer is the first of the window.
    pub const SHARES_ALL: i64 = 4;
}

/// Peers that are no ranks, as signed numbers.
pub mod peer {
    /// The argument does not exist.
    pub const NONE: i64 = -1;
    /// `MPI_PROC_NULL`.
    pub const NOBODY: i64 = -2;
    /// `MPI_ANY_SOURCE`.
    pub const ANYBODY: i64 = -3;
}
/// `MPI_ANY_TAG`.
pub const ANY_TAG: i64 = -1;

/// The first word of a row that was never used.
pub const FREE: u64 = 0;
/// The first word of a row whose entry is gone: a search goes on behind it.
pub const RETIRED: u64 = u64::MAX;

/// Where each table begins.
pub const NAMES_AT: usize = HEADER;
/// Where the threads begin.
pub const THREADS_AT: usize = NAMES_AT + NAMES;
/// Where the communicators begin.
pub const COMMUNICATORS_AT: usize = THREADS_AT + THREADS * THREAD;
/// Where the members begin.
pub const MEMBERS_AT: usize = COMMUNICATORS_AT + COMMUNICATORS * COMMUNICATOR;
/// Where the channels begin.
pub const CHANNELS_AT: usize = MEMBERS_AT + MEMBERS;
/// Where the requests begin.
pub const REQUESTS_AT: usize = CHANNELS_AT + CHANNELS * CHANNEL;
/// The words of a whole file of the first version.
pub const WORDS_OF_FIRST: usize = REQUESTS_AT + REQUESTS * REQUEST;
/// The words of a whole file of the second version.
pub const WORDS_OF_SECOND: usize = crate::model::END;
/// The words of the whole file.
pub const WORDS: usize = crate::division::END;

const _: () = assert!(WORDS * 8 <= 8 << 20, "a recording takes at most 8 MB");

/// A word of a file; 0 behind its end.
pub(crate) fn word(bytes: &[u8], index: usize) -> u64 {
    let bytes = index.checked_mul(8).and_then(|at| bytes.get(at..at + 8));
    let bytes: Option<[u8; 8]> = bytes.and_then(|bytes| bytes.try_into().ok());
    bytes.map_or(0, u64::from_le_bytes)
}
