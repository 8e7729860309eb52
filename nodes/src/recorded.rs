//! What the tasks of a node have recorded of their calls of MPI, as it travels: the files as they are, without the room in them that was never used, of their rings of events a part, and what only their own host
//! knows of their processes.
//!
//! ```text
//! all  = left out, count, each…
//! each = flags, now, [count, thread…], length, count, run…, [rows]
//! run  = zeros before it, length, bytes
//! ```
//!
//! Numbers are LEB128. Files are read by who answers; here they are bytes. Any bytes give files of bounded size, or an error. How all nodes' become one: each stays as its node has sent it, by the number of
//! the node, so that whoever adds up what others have comes to the same, in whatever order.

use crate::merge::NodeId;
use crate::rows::{ROW, RingPart};
use base::{put_number, take_number};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// No file of a task is larger: most of one is room that was never used.
pub const LARGEST_FILE: usize = 16 << 20;

/// A node sends no more bytes than this before they are compressed; what there is beyond it is left out, and counted.
pub const MOST_OF_NODE: usize = 64 << 20;

/// No node has more tasks.
const MOST_TASKS: u64 = 1 << 12;

/// A node sends no more events than this at one time: what there is beyond them is sent the next time.
pub const MOST_EVENTS_OF_NODE: usize = 1 << 18;

/// A ring has a row in front of its events, and one at least behind that.
const MOST_ROWS_OF_NODE: usize = MOST_EVENTS_OF_NODE + 2 * MOST_TASKS as usize;

/// So many zeros are told rather than sent.
const GAP: usize = 16;

/// What one task has recorded, and what its host knows of its process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskRecording<'f> {
    /// The process still runs.
    pub is_alive: bool,
    /// It completed a call between two looks.
    pub moves: bool,
    /// Its threads, by their numbers in the system, if they can be told.
    pub threads: Option<Vec<u32>>,
    /// The monotonic clock of its host when it was read, in nanoseconds.
    pub now: u64,
    /// The file; empty where who asks has it, and it says nothing new.
    pub file: Cow<'f, [u8]>,
    /// Events, if any were asked for and there is a ring.
    pub events: Option<RingPart<'f>>,
}

/// What all tasks of a node have recorded, as it is sent: of a file there is no more here than what was written to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeRecordings {
    /// So many files were left out: they could not be read, or there was too much of them.
    left_out: u64,
    count: u64,
    /// Bytes of the events in it, before they were written down.
    rows: usize,
    /// Each of the others.
    bodies: Vec<u8>,
}

/// What a node has recorded, on its way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedPart {
    /// The node, where several answer together.
    pub node: NodeId,
    /// Its [`NodeRecordings`] as bytes; none where only the end is told.
    pub bytes: Vec<u8>,
    /// No other part follows.
    pub last: bool,
}

/// Bytes are no recordings of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what its tasks have recorded is damaged")
    }
}

impl std::error::Error for Damaged {}

mod flag {
    pub(super) const ALIVE: u64 = 1;
    pub(super) const MOVES: u64 = 1 << 1;
    pub(super) const THREADS: u64 = 1 << 2;
    pub(super) const EVENTS: u64 = 1 << 3;
    pub(super) const ALL: u64 = ALIVE | MOVES | THREADS | EVENTS;
}

impl NodeRecordings {
    /// Adds what a task has recorded, unless there is too much of it: then it is counted, and `false`.
    pub fn add(&mut self, task: &TaskRecording<'_>) -> bool {
        let begin = self.bodies.len();
        let events = task.events.as_ref();
        let rows = events.map_or(0, |events| events.rows.len());
        let has_room = self.count < MOST_TASKS && self.rows + rows <= MOST_ROWS_OF_NODE * ROW;
        let fits = task.file.len() <= LARGEST_FILE && events.is_none_or(RingPart::fits);
        if has_room && fits {
            task.write(&mut self.bodies);
        }
        if self.bodies.len() == begin || self.bodies.len() > MOST_OF_NODE {
            self.bodies.truncate(begin);
            self.leave_out(1);
            return false;
        }
        self.count += 1;
        self.rows += rows;
        true
    }

    /// So many files more are left out.
    pub fn leave_out(&mut self, files: u64) {
        self.left_out = self.left_out.saturating_add(files);
    }

    /// So many of those that were left out are not.
    pub fn take_back(&mut self, files: u64) {
        self.left_out = self.left_out.saturating_sub(files);
    }

    /// As they are sent.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bodies.len() + 16);
        put_number(&mut out, self.left_out);
        put_number(&mut out, self.count);
        out.extend(&self.bodies);
        out
    }

    /// Reads what a node has sent, and hands over each task's, so that no more than one file stands in memory; how many files the node has left out.
    ///
    /// # Errors
    /// It is nothing that [`NodeRecordings::to_bytes`] writes. What was handed over before was whole.
    pub fn each(bytes: &[u8], mut take: impl FnMut(TaskRecording<'static>)) -> Result<u64, Damaged> {
        let mut rest = Rest {
            bytes,
            at: 0,
            rows: 0,
        };
        let left_out = rest.number()?;
        let count = rest.number()?;
        if count > MOST_TASKS {
            return Err(Damaged);
        }
        for _ in 0..count {
            take(rest.task()?);
        }
        if rest.at == bytes.len() {
            Ok(left_out)
        } else {
            Err(Damaged)
        }
    }
}

impl TaskRecording<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        let flag = |is_so: bool, flag: u64| if is_so { flag } else { 0 };
        put_number(
            out,
            flag(self.is_alive, flag::ALIVE)
                | flag(self.moves, flag::MOVES)
                | flag(self.threads.is_some(), flag::THREADS)
                | flag(self.events.is_some(), flag::EVENTS),
        );
        put_number(out, self.now);
        if let Some(threads) = &self.threads {
            put_number(out, threads.len() as u64);
            threads.iter().for_each(|&thread| put_number(out, thread));
        }
        put_number(out, self.file.len() as u64);
        let runs = runs(&self.file);
        put_number(out, runs.len() as u64);
        let mut end = 0;
        for (from, to) in runs {
            put_number(out, (from - end) as u64);
            put_number(out, (to - from) as u64);
            out.extend(&self.file[from..to]);
            end = to;
        }
        if let Some(events) = &self.events {
            events.write(out);
        }
    }
}

/// The stretches of a file that are not zero, as far as those between them are worth telling.
fn runs(file: &[u8]) -> Vec<(usize, usize)> {
    const PAGE: usize = 4096;
    static ZEROS: [u8; PAGE] = [0; PAGE];
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (page, bytes) in file.chunks(PAGE).enumerate() {
        if *bytes == ZEROS[..bytes.len()] {
            continue;
        }
        for (at, _) in (page * PAGE..).zip(bytes).filter(|(_, byte)| **byte != 0) {
            match runs.last_mut() {
                Some((_, end)) if at - *end < GAP => *end = at + 1,
                _ => runs.push((at, at + 1)),
            }
        }
    }
    runs
}

/// What is yet to be read.
struct Rest<'b> {
    bytes: &'b [u8],
    at: usize,
    /// Bytes of the events that were read.
    rows: usize,
}

impl Rest<'_> {
    fn number(&mut self) -> Result<u64, Damaged> {
        take_number(self.bytes, &mut self.at).map_err(|_| Damaged)
    }

    fn length(&mut self) -> Result<usize, Damaged> {
        usize::try_from(self.number()?).map_err(|_| Damaged)
    }

    fn task(&mut self) -> Result<TaskRecording<'static>, Damaged> {
        let flags = self.number()?;
        if flags & !flag::ALL != 0 {
            return Err(Damaged);
        }
        let now = self.number()?;
        let threads = (flags & flag::THREADS != 0).then(|| {
            let count = self.length()?;
            // Each takes a byte at least: no more are made room for than can follow.
            if count > self.bytes.len() - self.at {
                return Err(Damaged);
            }
            let number = |_| take_number(self.bytes, &mut self.at).map_err(|_| Damaged);
            (0..count).map(number).collect::<Result<Vec<u32>, Damaged>>()
        });
        let length = self.length()?;
        if length > LARGEST_FILE {
            return Err(Damaged);
        }
        let (threads, mut file) = (threads.transpose()?, vec![0; length]);
        let mut end = 0_usize;
        for _ in 0..self.number()? {
            let from = end.checked_add(self.length()?).ok_or(Damaged)?;
            let to = from.checked_add(self.length()?).ok_or(Damaged)?;
            let place = file.get_mut(from..to).ok_or(Damaged)?;
            let sent = self.bytes.get(self.at..self.at + place.len()).ok_or(Damaged)?;
            place.copy_from_slice(sent);
            self.at += sent.len();
            end = to;
        }
        let has_events = flags & flag::EVENTS != 0;
        let events = has_events
            .then(|| RingPart::read(self.bytes, &mut self.at))
            .transpose()?;
        self.rows += events.as_ref().map_or(0, |events| events.rows.len());
        if self.rows > MOST_ROWS_OF_NODE * ROW {
            return Err(Damaged);
        }
        Ok(TaskRecording {
            is_alive: flags & flag::ALIVE != 0,
            moves: flags & flag::MOVES != 0,
            threads,
            now,
            file: file.into(),
            events,
        })
    }
}

impl RecordedPart {
    /// What nodes have recorded, by node, as messages; at least one.
    pub fn messages(nodes: BTreeMap<NodeId, Vec<u8>>) -> Vec<RecordedPart> {
        let mut parts = Vec::from_iter(nodes.into_iter().map(|(node, bytes)| RecordedPart {
            node,
            bytes,
            last: false,
        }));
        match parts.last_mut() {
            Some(part) => part.last = true,
            None => parts.push(RecordedPart {
                last: true,
                ..RecordedPart::default()
            }),
        }
        parts
    }

    /// As a message has it.
    pub(crate) fn to_plain(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes.len() + 8);
        put_number(&mut out, u64::from(self.last));
        put_number(&mut out, self.node.0);
        out.extend(&self.bytes);
        out
    }

    /// What a message has; `None` if it is none of these.
    pub(crate) fn of_plain(mut bytes: Vec<u8>) -> Option<Self> {
        let mut at = 0;
        let last: u64 = take_number(&bytes, &mut at).ok().filter(|&last| last < 2)?;
        let node = NodeId(take_number(&bytes, &mut at).ok()?);
        bytes.drain(..at);
        Some(RecordedPart {
            node,
            bytes,
            last: last == 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::MOST_ROWS;
    use base::Random;

    fn recording(random: &mut Random) -> TaskRecording<'static> {
        let mut file = vec![0; random.below(30_000)];
        for _ in 0..random.below(40) {
            if !file.is_empty() {
                let at = random.below(file.len());
                let end = (at + random.below(60)).min(file.len());
                file[at..end].fill_with(|| random.below(256) as u8);
            }
        }
        TaskRecording {
            is_alive: random.below(2) == 0,
            moves: random.below(2) == 0,
            threads: (random.below(3) > 0).then(|| {
                (0..random.below(4))
                    .map(|_| random.below(1 << 30) as u32)
                    .collect()
            }),
            now: random.below(1 << 30) as u64,
            file: file.into(),
            events: (random.below(2) == 0).then(|| RingPart {
                from: random.below(9) as u64,
                rows: vec![random.below(256) as u8; ROW * random.below(9)].into(),
            }),
        }
    }

    fn read(bytes: &[u8]) -> Result<(u64, Vec<TaskRecording<'static>>), Damaged> {
        let mut tasks = Vec::new();
        let left_out = NodeRecordings::each(bytes, |task| tasks.push(task))?;
        Ok((left_out, tasks))
    }

    #[test]
    fn what_is_sent_comes_back_and_what_is_cut_or_altered_is_no_more_than_that() {
        let mut random = Random(29);
        for round in 0..200 {
            let tasks = Vec::from_iter((0..random.below(5)).map(|_| recording(&mut random)));
            let left_out = random.below(3) as u64;
            let mut all = NodeRecordings::default();
            all.leave_out(left_out);
            assert!(tasks.iter().all(|task| all.add(task)));
            let bytes = all.to_bytes();
            assert_eq!(read(&bytes), Ok((left_out, tasks)), "round {round}");
            let end = random.below(bytes.len());
            assert_eq!(read(&bytes[..end]), Err(Damaged), "round {round}");
            let mut altered = bytes.clone();
            altered[end] = altered[end].wrapping_add(1 + random.below(255) as u8);
            // Whatever it is then, it is read to its end.
            let _ = read(&altered);
            let part = RecordedPart {
                node: NodeId(random.below(1 << 20) as u32),
                bytes,
                last: random.below(2) == 0,
            };
            assert_eq!(RecordedPart::of_plain(part.to_plain()), Some(part));
        }
        assert_eq!(RecordedPart::of_plain(vec![2, 0]), None);
        assert_eq!(RecordedPart::of_plain(vec![1]), None);
    }

    #[test]
    fn what_says_that_it_is_larger_than_any_is_not_made_room_for() {
        let with = |numbers: &[u64]| {
            let mut bytes = Vec::new();
            numbers.iter().for_each(|&number| put_number(&mut bytes, number));
            read(&bytes)
        };
        assert_eq!(with(&[0, 1, 0, 7, LARGEST_FILE as u64 + 1, 0]), Err(Damaged));
        assert_eq!(with(&[0, 1, flag::THREADS, 7, 1 << 40]), Err(Damaged));
        assert_eq!(with(&[0, u64::MAX]), Err(Damaged));
        assert_eq!(with(&[0, 1, 0, 7, 8, 1, u64::MAX, u64::MAX]), Err(Damaged));
    }

    #[test]
    fn room_that_was_never_used_is_not_sent() {
        let mut file = vec![0; 4 << 20];
        file[70] = 1;
        file[3 << 20] = 1;
        let mut all = NodeRecordings::default();
        let with = |file: Vec<u8>| TaskRecording {
            file: file.into(),
            ..TaskRecording::default()
        };
        assert!(all.add(&with(file)));
        assert!(all.to_bytes().len() < 40);
        // What is too large is counted, and nothing else of it is sent.
        assert!(!all.add(&with(vec![1; LARGEST_FILE + 1])));
        assert!(all.add(&with(vec![2; 100])));
        let (left_out, tasks) = read(&all.to_bytes()).unwrap();
        assert_eq!((left_out, tasks.len(), tasks[1].file[99]), (1, 2, 2));
    }

    #[test]
    fn more_events_than_a_node_may_send_are_neither_written_nor_read() {
        let most = TaskRecording {
            events: Some(RingPart {
                from: 0,
                rows: vec![0; MOST_ROWS * ROW].into(),
            }),
            ..TaskRecording::default()
        };
        let mut all = NodeRecordings::default();
        let added = (0..6).filter(|_| all.add(&most)).count();
        assert_eq!((added, all.left_out), (4, 2));
        // One who writes all the same.
        most.write(&mut all.bodies);
        all.count += 1;
        let mut read = 0;
        assert_eq!(NodeRecordings::each(&all.to_bytes(), |_| read += 1), Err(Damaged));
        assert_eq!(read, 4);
    }
}
