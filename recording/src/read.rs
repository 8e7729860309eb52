//! Reads a recording: any bytes give what can be believed of them, or an error.

use crate::layout::{
    self, ANY_TAG, CHANNEL, CHANNELS, CHANNELS_AT, COMMUNICATOR, COMMUNICATORS, COMMUNICATORS_AT,
    FIRST_VERSION, FREE, HEADER, MAGIC, MEMBERS, MEMBERS_AT, NAMES, NAMES_AT, NOW, REQUEST, REQUESTS,
    REQUESTS_AT, RETIRED, THREAD, THREADS, THREADS_AT, UNKNOWN_MEMBER, VERSION, WORDS, WORDS_OF_FIRST,
    channel, communicator, does, header, now, peer, request, state, thread,
};
use crate::model::{self, Model};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Ranks of one communicator that are laid out, at most: what is longer is no job of this machine's, or damage.
const MEMBERS_LIMIT: u64 = 1 << 24;

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

/// The ranks of a group as ranks of the world, in their order; `None` for one of another world. Those who have the same members share one list.
pub type Members = Arc<[Option<u32>]>;

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
    /// How far it is.
    pub stage: Stage,
    /// The names of the operations, by number.
    pub operations: Vec<String>,
    /// The threads that have called MPI.
    pub threads: Vec<Thread>,
    /// Communicators, windows and files that are not freed, or whose row was not needed again.
    pub communicators: Vec<Communicator>,
    /// Messages by channel.
    pub channels: Vec<Channel>,
    /// Requests under way, and persistent ones.
    pub requests: Vec<Pending>,
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
}

/// A communicator, window or file.
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
    /// Reads a recording, while its task writes it or later.
    ///
    /// # Errors
    ///
    /// Bytes that are no recording of this version, or not the whole of one.
    pub fn read(bytes: &[u8]) -> Result<Recording, Error> {
        if bytes.len() < HEADER * 8 {
            return Err(Error::CutOff(bytes.len()));
        }
        let file = File(bytes);
        if file.word(header::MAGIC) != MAGIC {
            return Err(Error::NoRecording);
        }
        let words = match file.word(header::VERSION) {
            FIRST_VERSION => WORDS_OF_FIRST,
            VERSION => WORDS,
            other => return Err(Error::Version(other)),
        };
        match bytes.get(..words * 8) {
            Some(bytes) => Ok(File(bytes).read()),
            None => Err(Error::CutOff(bytes.len())),
        }
    }

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
        self.communicators.iter().find(|each| each.serial == serial)
    }
}

/// Lists of members by their place in the file: duplicates of a communicator have the same, which is laid out once.
#[derive(Default)]
struct Lists(RefCell<BTreeMap<u64, Option<Members>>>);

impl Lists {
    fn at(&self, place: u64, read: impl FnOnce() -> Option<Members>) -> Option<Members> {
        self.0.borrow_mut().entry(place).or_insert_with(read).clone()
    }
}

/// The bytes of a file, as words.
#[derive(Clone, Copy)]
struct File<'b>(&'b [u8]);

impl File<'_> {
    fn word(self, index: usize) -> u64 {
        let bytes = self.0.get(index * 8..index * 8 + 8);
        let bytes: Option<[u8; 8]> = bytes.and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u64::from_le_bytes)
    }

    fn text(self, at: usize, words: usize) -> String {
        let bytes = self.0.get(at * 8..(at + words) * 8).unwrap_or_default();
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned()
    }

    fn read(self) -> Recording {
        let mut damaged = 0;
        let rank = self.word(header::RANK);
        let size = self.word(header::SIZE);
        let world = match (rank.checked_sub(1), u32::try_from(size)) {
            (Some(rank), Ok(size)) if rank < u64::from(size) => Some((rank as u32, size)),
            (None, _) => None,
            _ => {
                damaged += 1;
                None
            }
        };
        let stage = match self.word(header::STAGE) {
            0 | 1 => Stage::Starting,
            2 => Stage::Running,
            3 => Stage::Ending,
            4 => Stage::Ended,
            5 => Stage::Aborted,
            _ => {
                damaged += 1;
                Stage::Running
            }
        };
        let lost = self.word(header::LOST);
        let names = self.word(header::NAMES).min((NAMES * 8) as u64) as usize;
        let names = self.0.get(NAMES_AT * 8..NAMES_AT * 8 + names).unwrap_or_default();
        let operations = String::from_utf8_lossy(names)
            .lines()
            .map(str::to_owned)
            .collect();
        let entries = |at: usize, width: usize, rows: usize| -> Vec<usize> {
            (0..rows)
                .map(|row| at + row * width)
                .filter(|&row| !matches!(self.word(row), FREE | RETIRED))
                .collect()
        };
        let thread_rows = entries(THREADS_AT, THREAD, THREADS);
        let communicator_rows = entries(COMMUNICATORS_AT, COMMUNICATOR, COMMUNICATORS);
        let channel_rows = entries(CHANNELS_AT, CHANNEL, CHANNELS);
        let request_rows = entries(REQUESTS_AT, REQUEST, REQUESTS);
        let threads = kept(thread_rows, |row| self.thread(row), &mut damaged);
        let lists = Lists::default();
        let communicator = |row| self.communicator(row, &lists);
        let communicators = kept(communicator_rows, communicator, &mut damaged);
        let mut channels = kept(channel_rows, |row| self.channel(row), &mut damaged);
        let mut requests = kept(request_rows, |row| self.request(row), &mut damaged);
        requests.sort_by_key(|request| request.begun);
        let name = |at: usize| self.text(at, model::MODULE - 1);
        let model = Model::read(&|at| self.word(at), &name, &mut damaged);
        channels.sort_by_key(|each| (each.communicator, each.received, each.peer, each.tag));
        Recording {
            pid: self.word(header::PID) as u32,
            birth: self.word(header::BIRTH),
            started: self.word(header::STARTED),
            clock: self.word(header::CLOCK),
            host: self.text(header::HOST, header::HOST_WORDS),
            job: self.text(header::JOB, header::HOST_WORDS),
            world,
            stage,
            operations,
            threads,
            communicators,
            channels,
            requests,
            model,
            lost: Lost {
                threads: lost & 1 != 0,
                communicators: lost & 2 != 0,
                members: lost & 4 != 0,
                channels: lost & 8 != 0,
                requests: lost & 16 != 0,
                freed: lost & 32 != 0,
                model: lost & 64 != 0,
            },
            damaged,
        }
    }

    fn thread(self, row: usize) -> Option<Thread> {
        let word = |word: usize| self.word(row + word);
        let copy = row + thread::NOW + (word(thread::CHANGES) % 2) as usize * NOW;
        let operation = self.word(copy + now::OPERATION);
        let polls = word(thread::POLLS);
        let call = |operation: u64| {
            let word = |word: usize| self.word(copy + word);
            Some(Call {
                operation: u32::try_from(operation.checked_sub(1)?).ok()?,
                does: word(now::DOES),
                since: word(now::SINCE),
                communicator: some(word(now::COMMUNICATOR)),
                destination: peer_and_tag(word(now::DESTINATION), word(now::SEND_TAG))?,
                source: peer_and_tag(word(now::SOURCE), word(now::RECEIVE_TAG))?,
                count: word(now::COUNT) as i64,
                root: root(word(now::ROOT))?,
                bytes: word(now::BYTES).checked_sub(1),
                reduction: reduction(word(now::REDUCTION))?,
                ordinal: some(word(now::ORDINAL)),
                mark: some(word(now::MARK)),
            })
        };
        Some(Thread {
            tid: u32::try_from(word(thread::TID)).ok()?,
            completed: word(thread::COMPLETED),
            last: word(thread::LAST),
            call: match operation {
                0 => None,
                operation => Some(call(operation)?),
            },
            polling: match polls {
                0 => None,
                polls => Some(Polling {
                    call: call(polls)?,
                    times: word(thread::POLLED),
                }),
            },
            state: self.state_at(self.word(copy + now::STATE)),
        })
    }

    /// The key of the state in this row, counted from 1.
    fn state_at(self, row: u64) -> Option<u64> {
        let row = usize::try_from(row.checked_sub(1)?).ok()?;
        let key = (row < model::STATES).then(|| self.word(model::STATES_AT + row * model::STATE))?;
        (!matches!(key, FREE | RETIRED)).then_some(key)
    }

    fn communicator(self, row: usize, lists: &Lists) -> Option<Communicator> {
        let word = |word: usize| self.word(row + word);
        Some(Communicator {
            kind: match word(communicator::KIND) {
                0 => Kind::Communicator,
                1 => Kind::Window,
                2 => Kind::File,
                _ => return None,
            },
            serial: word(communicator::SERIAL),
            identity: some(word(communicator::IDENTITY))?,
            parent: some(word(communicator::PARENT)),
            made_by: match word(communicator::MADE_BY) {
                0 => None,
                operation => Some(u32::try_from(operation - 1).ok()?),
            },
            rank: u32::try_from(word(communicator::RANK)).ok()?,
            members: match word(communicator::MEMBERS) {
                0 => None,
                place => Some(lists.at(place, || self.members(place))?),
            },
            remote: match word(communicator::REMOTE) {
                0 => None,
                place => Some(lists.at(place, || self.members(place))?),
            },
            begun: word(communicator::BEGUN),
            done: word(communicator::DONE),
            last: word(communicator::LAST)
                .checked_sub(1)
                .map(|operation| operation as u32),
            freed: word(communicator::HANDLE) == 0,
        })
    }

    fn members(self, place: u64) -> Option<Members> {
        let (first, words) = (place as u32 as usize, (place >> 32) as usize);
        if words == 0 || first.checked_add(words)? > MEMBERS {
            return None;
        }
        let mut members = Vec::new();
        for index in first..first + words {
            let run = self.word(MEMBERS_AT + index);
            let (start, count) = (run as u32, run >> 32);
            if members.len() as u64 + count > MEMBERS_LIMIT {
                return None;
            }
            if start == UNKNOWN_MEMBER {
                members.extend((0..count).map(|_| None));
            } else {
                let last = u64::from(start).checked_add(count.checked_sub(1)?)?;
                let last = u32::try_from(last).ok()?;
                members.extend((start..=last).map(Some));
            }
        }
        Some(members.into())
    }

    fn channel(self, row: usize) -> Option<Channel> {
        let word = |word: usize| self.word(row + word);
        let key = word(channel::KEY);
        Some(Channel {
            communicator: some(key >> 33)?,
            received: key >> 32 & 1 == 1,
            peer: key as u32,
            tag: i64::try_from(word(channel::TAG)).ok()?,
            begun: word(channel::BEGUN),
            done: word(channel::DONE),
        })
    }

    fn request(self, row: usize) -> Option<Pending> {
        let word = |word: usize| self.word(row + word);
        let bits = word(request::STATE);
        let is_collective = does::is_collective(bits >> state::DOES & 0xff);
        let partner = |rank: usize, tag: usize| {
            if is_collective {
                return Some((peer::NONE, ANY_TAG));
            }
            peer_and_tag(word(rank), word(tag))
        };
        // Recorders of before wrote there that it has no peers.
        let amount = |of: usize| match word(of) as i64 {
            peer::NONE => 0,
            amount => amount as u64,
        };
        Some(Pending {
            operation: u32::try_from(word(request::OPERATION).checked_sub(1)?).ok()?,
            does: bits >> state::DOES & 0xff,
            communicator: some(word(request::COMMUNICATOR)),
            destination: partner(request::DESTINATION, request::SEND_TAG)?,
            source: partner(request::SOURCE, request::RECEIVE_TAG)?,
            amount: if is_collective {
                Amount {
                    count: amount(request::COUNT) as i64,
                    root: root(amount(request::ROOT))?,
                    bytes: amount(request::BYTES).checked_sub(1),
                    reduction: reduction(amount(request::REDUCTION))?,
                }
            } else {
                Amount::default()
            },
            ordinal: some(word(request::ORDINAL)),
            state: match bits & state::ACTIVE {
                0 => RequestState::Prepared,
                _ => RequestState::UnderWay,
            },
            begun: bits >> 32,
            mark: some(word(request::MARK)),
        })
    }
}

/// What `read` makes of these rows; those of which it makes nothing are counted as damaged.
fn kept<T>(rows: Vec<usize>, read: impl Fn(usize) -> Option<T>, damaged: &mut usize) -> Vec<T> {
    let count = rows.len();
    let kept = Vec::from_iter(rows.into_iter().filter_map(read));
    *damaged += count - kept.len();
    kept
}

/// A root that may be absent; `None` if the word is damaged.
fn root(word: u64) -> Option<Option<u32>> {
    match word.checked_sub(1) {
        None => Some(None),
        Some(root) => u32::try_from(root).ok().map(Some),
    }
}

/// A reduction that may be unknown; `None` if the word is damaged.
fn reduction(word: u64) -> Option<Option<u32>> {
    match word {
        0 => Some(None),
        number if number > layout::REDUCTIONS.len() as u64 => None,
        number => Some(Some(number as u32 - 1)),
    }
}

fn some(word: u64) -> Option<u64> {
    (word != 0).then_some(word)
}

fn peer_and_tag(rank: u64, tag: u64) -> Option<(i64, i64)> {
    let (rank, tag) = (rank as i64, tag as i64);
    let is_peer = (peer::ANYBODY..=i64::from(u32::MAX)).contains(&rank);
    (is_peer && tag >= ANY_TAG).then_some((rank, tag))
}

const _: () = assert!(layout::HEADER > layout::header::JOB + layout::header::HOST_WORDS);
