//! Reads a recording: any bytes give what can be believed of them, or an error.

use crate::division::Division;
use crate::layout::{
    self, ANY_TAG, CHANNEL, CHANNELS, CHANNELS_AT, COMMUNICATOR, COMMUNICATORS, COMMUNICATORS_AT,
    FIRST_VERSION, FREE, HAS_NEIGHBOURS, HEADER, MAGIC, MEMBERS, MEMBERS_AT, NAMES, NAMES_AT, NOW, REQUEST,
    REQUESTS, REQUESTS_AT, RETIRED, SECOND_VERSION, THREAD, THREADS, THREADS_AT, UNKNOWN_MEMBER, VERSION,
    WORDS, WORDS_OF_FIRST, WORDS_OF_SECOND, channel, communicator, does, header, now, peer, request, state,
    thread,
};
use crate::members::{Members, Runs};
use crate::model::{self, Model};
use crate::record::{
    Amount, Call, Channel, Communicator, Error, Kind, Lost, Neighbours, Pending, Polling, Recording,
    RequestState, Stage, Thread, ThreadsAtInit,
};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// Ranks of all lists of a file, at most: what is longer is no job of this machine's, or damage, and whoever goes through a list ends.
const MEMBERS_LIMIT: u64 = 1 << 25;

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
            SECOND_VERSION => WORDS_OF_SECOND,
            VERSION => WORDS,
            other => return Err(Error::Version(other)),
        };
        match bytes.get(..words * 8) {
            Some(bytes) => Ok(File(bytes).read()),
            None => Err(Error::CutOff(bytes.len())),
        }
    }
}

/// Lists of members by their place in the file: duplicates of a communicator have the same, which is read once.
#[derive(Default)]
struct Lists {
    known: RefCell<BTreeMap<u64, Option<Members>>>,
    /// The ranks of all of these.
    ranks: Cell<u64>,
}

impl Lists {
    /// The list in this place; `read` is told how many ranks it may have.
    fn at(&self, place: u64, read: impl FnOnce(u64) -> Option<Members>) -> Option<Members> {
        let mut known = self.known.borrow_mut();
        let found = known.entry(place).or_insert_with(|| {
            let list = read(MEMBERS_LIMIT - self.ranks.get())?;
            self.ranks.set(self.ranks.get() + list.len() as u64);
            Some(list)
        });
        found.clone()
    }
}

/// No recorder writes what stands there.
struct Impossible;

/// A page that nobody wrote to.
static ZEROS: [u8; 4096] = [0; 4096];

/// The bytes of a file, as words.
#[derive(Clone, Copy)]
struct File<'b>(&'b [u8]);

impl File<'_> {
    fn word(self, index: usize) -> u64 {
        layout::word(self.0, index)
    }

    fn text(self, at: usize, words: usize) -> String {
        let bytes = self.0.get(at * 8..(at + words) * 8).unwrap_or_default();
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned()
    }

    /// Where the rows of a table stand that are used. Most of a table is room that was never used, and zero: what is zero as a whole is passed by as a whole.
    fn used(self, at: usize, width: usize, rows: usize) -> Vec<usize> {
        let at_once = (ZEROS.len() / (width * 8)).max(1);
        let is_zero = |first: usize, count: usize| {
            let bytes = self.0.get(first * 8..(first + count * width) * 8);
            bytes.is_none_or(|bytes| ZEROS.get(..bytes.len()) == Some(bytes))
        };
        let mut used = Vec::new();
        for first in (0..rows).step_by(at_once) {
            let count = at_once.min(rows - first);
            if !is_zero(at + first * width, count) {
                let rows = (first..first + count).map(|row| at + row * width);
                used.extend(rows.filter(|&row| !matches!(self.word(row), FREE | RETIRED)));
            }
        }
        used
    }

    fn threads_at_init(self) -> Option<ThreadsAtInit> {
        let count = |word: usize| u32::try_from(self.word(word)).unwrap_or(u32::MAX);
        let behind = count(header::THREADS_BEHIND);
        (behind > 0).then(|| ThreadsAtInit {
            before: count(header::THREADS_BEFORE),
            behind,
        })
    }

    fn read(self) -> Recording {
        let mut damaged = 0;
        let world = self.world().unwrap_or_else(|Impossible| {
            damaged += 1;
            None
        });
        let stage = self.stage().unwrap_or_else(|| {
            damaged += 1;
            Stage::Running
        });
        let lost = self.word(header::LOST);
        let names = self.word(header::NAMES).min((NAMES * 8) as u64) as usize;
        let names = self.0.get(NAMES_AT * 8..NAMES_AT * 8 + names).unwrap_or_default();
        let operations = String::from_utf8_lossy(names)
            .lines()
            .map(str::to_owned)
            .collect();
        let thread_rows = self.used(THREADS_AT, THREAD, THREADS);
        let communicator_rows = self.used(COMMUNICATORS_AT, COMMUNICATOR, COMMUNICATORS);
        let channel_rows = self.used(CHANNELS_AT, CHANNEL, CHANNELS);
        let request_rows = self.used(REQUESTS_AT, REQUEST, REQUESTS);
        let threads = kept(thread_rows, |row| self.thread(row), &mut damaged);
        let lists = Lists::default();
        let communicator = |row| self.communicator(row, &lists);
        let mut communicators = kept(communicator_rows, communicator, &mut damaged);
        communicators.sort_by_key(|each| each.serial);
        let mut channels = kept(channel_rows, |row| self.channel(row), &mut damaged);
        let mut requests = kept(request_rows, |row| self.request(row), &mut damaged);
        requests.sort_by_key(|request| request.begun);
        let name = |at: usize| self.text(at, model::MODULE - 1);
        let used = |at: usize, width: usize, rows: usize| self.used(at, width, rows);
        let model = Model::read(&|at| self.word(at), &used, &name, &mut damaged);
        channels.sort_by_key(|each| (each.communicator, each.received, each.peer, each.tag));
        Recording {
            pid: self.word(header::PID) as u32,
            birth: self.word(header::BIRTH),
            started: self.word(header::STARTED),
            clock: self.word(header::CLOCK),
            host: self.text(header::HOST, header::HOST_WORDS),
            job: self.text(header::JOB, header::HOST_WORDS),
            world,
            spawned: some(self.word(header::SPAWNED)),
            threads_at_init: self.threads_at_init(),
            stage,
            operations,
            threads,
            communicators,
            channels,
            requests,
            divisions: Division::all(&|at| self.word(at)),
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

    /// The rank and the size of the job, once the task knows them.
    fn world(self) -> Result<Option<(u32, u32)>, Impossible> {
        let (rank, size) = (self.word(header::RANK), self.word(header::SIZE));
        match (rank.checked_sub(1), u32::try_from(size)) {
            (Some(rank), Ok(size)) if rank < u64::from(size) => Ok(Some((rank as u32, size))),
            (None, _) => Ok(None),
            _ => Err(Impossible),
        }
    }

    fn stage(self) -> Option<Stage> {
        match self.word(header::STAGE) {
            0 | 1 => Some(Stage::Starting),
            2 => Some(Stage::Running),
            3 => Some(Stage::Ending),
            4 => Some(Stage::Ended),
            5 => Some(Stage::Aborted),
            _ => None,
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
                3 => Kind::Prepared,
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
                place => Some(lists.at(place, |most| self.members(place, most))?),
            },
            remote: match word(communicator::REMOTE) {
                0 => None,
                place => Some(lists.at(place, |most| self.members(place, most))?),
            },
            neighbours: match [communicator::SOURCES, communicator::DESTINATIONS].map(word) {
                [0, 0] => None,
                [sources, destinations] => Some(Neighbours {
                    sources: self.neighbours(sources, lists)?,
                    destinations: self.neighbours(destinations, lists)?,
                }),
            },
            begun: word(communicator::BEGUN),
            done: word(communicator::DONE),
            last: word(communicator::LAST)
                .checked_sub(1)
                .map(|operation| operation as u32),
            freed: word(communicator::HANDLE) == 0,
        })
    }

    /// A list of neighbours; `None` if the word is damaged.
    fn neighbours(self, word: u64, lists: &Lists) -> Option<Members> {
        let place = word ^ HAS_NEIGHBOURS;
        match place >> 32 {
            0 => Some(Members::default()),
            _ => lists.at(place, |most| self.members(place, most)),
        }
    }

    fn members(self, place: u64, most: u64) -> Option<Members> {
        let (first, words) = (place as u32 as usize, (place >> 32) as usize);
        if words == 0 || first.checked_add(words)? > MEMBERS {
            return None;
        }
        let mut runs = Runs::default();
        for index in first..first + words {
            let run = self.word(MEMBERS_AT + index);
            let (start, count) = (run as u32, (run >> 32) as u32);
            if u64::from(runs.members) + u64::from(count) > most {
                return None;
            }
            runs.add((start != UNKNOWN_MEMBER).then_some(start), count)?;
        }
        Some(runs.finish())
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
