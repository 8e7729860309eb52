//! What a recording holds, by the numbers of the task that wrote it: its threads, communicators, channels and requests.

use crate::division::Division;
use crate::layout::{VERSION, WORDS};
use crate::members::Members;
use crate::model::Model;
use std::fmt;

/// Why a file is no recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// It does not begin as recordings do; the recorder may have been stopped while it made the file.
    NoRecording,
    /// It is of a version that this reader does not know.
    Version(u64),
    /// It is shorter than recordings are, by these bytes in all.
    CutOff(usize),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRecording => f.write_str("it is no recording, or the recorder did not get to begin it"),
            Self::Version(version) => {
                write!(
                    f,
                    "it is a recording of version {version}, and this hindmost reads version {VERSION}"
                )
            }
            Self::CutOff(bytes) => write!(f, "it is cut off: it has {bytes} bytes of {}", WORDS * 8),
        }
    }
}

impl std::error::Error for Error {}

/// How far a task is in its use of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// In `MPI_Init`, or before it.
    Starting,
    /// Between `MPI_Init` and `MPI_Finalize`.
    Running,
    /// In `MPI_Finalize`.
    Ending,
    /// Behind it.
    Ended,
    /// It has called `MPI_Abort`.
    Aborted,
}

/// What the recorder had no room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Threads.
    pub threads: bool,
    /// Communicators, windows or files.
    pub communicators: bool,
    /// Members of communicators.
    pub members: bool,
    /// Channels, so that messages were not counted.
    pub channels: bool,
    /// Requests, so that what a task waits for may not be known.
    pub requests: bool,
    /// Communicators that are freed: of those that it does not list, the task may have been a member.
    pub freed: bool,
    /// States, edges or paths of the model.
    pub model: bool,
}

impl Lost {
    /// Whether anything is missing that counts and waits rest on.
    #[must_use]
    pub fn anything(self) -> bool {
        let Lost { freed, model, .. } = self;
        self != Lost {
            freed,
            model,
            ..Lost::default()
        }
    }
}

/// With whom a task exchanges in operations among neighbours, in the order of its portions; `None` for nobody. One may be there several times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbours {
    /// Of whom it takes.
    pub sources: Members,
    /// To whom it gives.
    pub destinations: Members,
}

/// How many threads a process had around `MPI_Init`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadsAtInit {
    /// When it was called; 0 if that is not known.
    pub before: u32,
    /// When it had returned: those that were added are the library's.
    pub behind: u32,
}

/// What one task has recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// The process.
    pub pid: u32,
    /// When the process began, in clock ticks since its machine started.
    pub birth: u64,
    /// Nanoseconds since the epoch when the recording was begun.
    pub started: u64,
    /// The monotonic clock of the host, by which all other times are, at that moment.
    pub clock: u64,
    /// The name of the host.
    pub host: String,
    /// The job, as its launcher names it.
    pub job: String,
    /// The rank and the size of `MPI_COMM_WORLD`, once they are known.
    pub world: Option<(u32, u32)>,
    /// The number of its world, if that was spawned: its ranks are others than those of the world that the job began with.
    pub spawned: Option<u64>,
    /// Its threads around `MPI_Init`, if threads may call MPI at the same time (`MPI_THREAD_MULTIPLE`).
    pub threads_at_init: Option<ThreadsAtInit>,
    /// How far it is.
    pub stage: Stage,
    /// The names of the operations, by number.
    pub operations: Vec<String>,
    /// The threads that have called MPI.
    pub threads: Vec<Thread>,
    /// Communicators, windows and files that are not freed, or whose row was not needed again; by serial number.
    pub communicators: Vec<Communicator>,
    /// Messages by channel.
    pub channels: Vec<Channel>,
    /// Requests under way, and persistent ones.
    pub requests: Vec<Pending>,
    /// How it divides what it gives and takes in the last collective operations that have such.
    pub divisions: Vec<Division>,
    /// What it did before; empty in files of the first version.
    pub model: Model,
    /// What there was no room for.
    pub lost: Lost,
    /// How many entries contradict themselves and are left out; 0 unless the file was damaged.
    pub damaged: usize,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its number in the system.
    pub tid: u32,
    /// The calls that it has completed, unanswered questions left out.
    pub completed: u64,
    /// When the last of them ended.
    pub last: u64,
    /// The call that it is in.
    pub call: Option<Call>,
    /// What it asks again and again, outside of calls or between them.
    pub polling: Option<Polling>,
    /// The key of the state of the model that it is in, or was in last: outside of calls it is in the computation behind that.
    pub state: Option<u64>,
}

/// A question that a thread has asked without being answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polling {
    /// The question.
    pub call: Call,
    /// How often in a row.
    pub times: u64,
}

/// A call of MPI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The number of its operation.
    pub operation: u32,
    /// What it does, a word of [`layout::does`].
    pub does: u64,
    /// Since when, on the task's clock.
    pub since: u64,
    /// The serial number of its communicator in this task, if it is known.
    pub communicator: Option<u64>,
    /// To whom is sent, with the tag.
    pub destination: (i64, i64),
    /// From whom is received, with the tag.
    pub source: (i64, i64),
    /// How many elements or requests.
    pub count: i64,
    /// The root of a collective operation.
    pub root: Option<u32>,
    /// The bytes of a collective operation in which all members have to say the same, as far as this task's arguments tell.
    pub bytes: Option<u64>,
    /// By what it reduces: a number of [`layout::REDUCTIONS`].
    pub reduction: Option<u32>,
    /// Which collective operation of its communicator it is, counted from 1.
    pub ordinal: Option<u64>,
    /// The mark of the requests that it completes or asks about.
    pub mark: Option<u64>,
}

/// What has members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A communicator.
    Communicator,
    /// A window; its channels are signals of epochs ([`layout::signal`]).
    Window,
    /// A file.
    File,
    /// A collective operation that is prepared (`MPI_Allreduce_init`): each start of its request is one operation of it. Members may start what they have prepared in different orders
    /// (MPI 4.1, section 6.12), so these operations have no place among those of the communicator.
    Prepared,
}

/// A communicator, window, file or prepared operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Communicator {
    /// Which of these.
    pub kind: Kind,
    /// Its number in this task.
    pub serial: u64,
    /// Equal on all of its members, and for no other communicator of the job.
    pub identity: u64,
    /// The serial number of the one that it was made from.
    pub parent: Option<u64>,
    /// The operation that made it; `None` for those that MPI begins with.
    pub made_by: Option<u32>,
    /// The rank of the task in it.
    pub rank: u32,
    /// Its members; `None` if there was no room for them.
    pub members: Option<Members>,
    /// The remote group of an intercommunicator.
    pub remote: Option<Members>,
    /// Its neighbours in the communicator's topology; `None` if it has none, or there was no room for them.
    pub neighbours: Option<Neighbours>,
    /// Collective operations begun.
    pub begun: u64,
    /// Collective operations done.
    pub done: u64,
    /// The last that was begun.
    pub last: Option<u32>,
    /// It is freed.
    pub freed: bool,
}

/// The messages that a task has sent to, or received from, a peer over a communicator under a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The communicator's serial number.
    pub communicator: u64,
    /// Received; else sent.
    pub received: bool,
    /// The peer's rank in the communicator.
    pub peer: u32,
    /// The tag.
    pub tag: i64,
    /// Begun: sends called, receives posted that name peer and tag.
    pub begun: u64,
    /// Done: sends complete, messages received.
    pub done: u64,
}

/// Whether a request is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestState {
    /// It is.
    UnderWay,
    /// It is prepared, and not started.
    Prepared,
}

/// What the members of a collective operation have to say alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// How many elements.
    pub count: i64,
    /// The root.
    pub root: Option<u32>,
    /// The bytes, as far as the task's arguments tell.
    pub bytes: Option<u64>,
    /// By what it reduces: a number of [`layout::REDUCTIONS`].
    pub reduction: Option<u32>,
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The number of the operation that made it.
    pub operation: u32,
    /// What it does, a word of [`layout::does`].
    pub does: u64,
    /// Its communicator's serial number.
    pub communicator: Option<u64>,
    /// To whom is sent, with the tag.
    pub destination: (i64, i64),
    /// From whom is received, with the tag.
    pub source: (i64, i64),
    /// What a collective operation gives or takes.
    pub amount: Amount,
    /// Which collective operation of its communicator.
    pub ordinal: Option<u64>,
    /// Whether it is under way.
    pub state: RequestState,
    /// When it was begun, among all of the task.
    pub begun: u64,
    /// The mark of the call that completes it, or asked last.
    pub mark: Option<u64>,
}

impl Recording {
    /// The name of an operation.
    #[must_use]
    pub fn operation(&self, number: u32) -> &str {
        self.operations
            .get(number as usize)
            .map_or("an operation of MPI", String::as_str)
    }

    /// The communicator of this serial number.
    #[must_use]
    pub fn communicator(&self, serial: u64) -> Option<&Communicator> {
        let at = self
            .communicators
            .binary_search_by_key(&serial, |each| each.serial)
            .ok()?;
        self.communicators.get(at)
    }

    /// What the task sent over a communicator, given by its serial number there, to a rank of it under a tag.
    #[must_use]
    pub fn channel_to(&self, communicator: Option<u64>, destination: i64, tag: i64) -> Option<&Channel> {
        let key = (communicator?, false, u32::try_from(destination).ok()?, tag);
        let key_of = |each: &Channel| (each.communicator, each.received, each.peer, each.tag);
        let at = self.channels.binary_search_by_key(&key, key_of).ok()?;
        self.channels.get(at)
    }
}
