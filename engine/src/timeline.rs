//! What the tasks of a job did, one event behind the other: the rings of the flight recorder, sorted into causal order.
//!
//! A ring names ranks of communicators, serial numbers and clocks of its own task. Here these become ranks of the world, groups that all members share and times since the
//! epoch; `causal` does the rest. What a file does not tell for certain ties nothing: a communicator whose members are not known, an operation whose flow the library decides.

use base::Id;
use causal::{
    Event, EventId, Flow, GroupId, Limits, Link, Message, Offsets, Operation, Reported, Sorter, StreamId,
};
use recording::layout::does;
use recording::ring::{self, Numbered, Part, Tie};
use recording::{Kind, Recording};
use std::collections::BTreeMap;

pub use causal::{Cause, Missing, Standing};
pub use recording::ring::{EXTENSION, Events, Step};

/// Ranks of a world, at most: a file that claims more is damaged.
const MOST_RANKS: u32 = 1 << 20;

/// How long events wait for what comes before them, in nanoseconds of the job's time: what had been written over will not come.
const PATIENCE: u64 = 1_000_000_000;

/// After so many events it is looked whether any wait for longer.
const LOOK_EACH: usize = 4096;

/// What one task has written.
#[derive(Clone, Copy, Debug)]
pub struct Source<'r> {
    /// Its recording, read after its events.
    pub recording: &'r Recording,
    /// Its events.
    pub events: &'r Events,
}

/// One end of a message, or a part of a collective operation, in the words of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// Nothing.
    None,
    /// A message to this rank.
    To(u32, i64),
    /// One from this rank.
    From(u32, i64),
    /// A part of the operation of this number, with its root.
    Enters(u64, Option<u32>),
    /// The end of one.
    Leaves(u64, Option<u32>),
}

/// An event of the job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happening<'r> {
    /// The rank in the world.
    pub rank: u32,
    /// Its number in its task, counted from 0.
    pub sequence: u64,
    /// The thread, by the order in which threads first called MPI.
    pub thread: Option<u32>,
    /// When, in nanoseconds since the epoch: adjusted so that nothing is before what it depends on.
    pub time: i64,
    /// The same by the clock of its host.
    pub local: i64,
    /// What happens.
    pub step: Step,
    /// To which operation of MPI; none of a signal over a window.
    pub operation: Option<&'r str>,
    /// The identity of its communicator, which its members share.
    pub communicator: Option<u64>,
    /// With whom it has to do.
    pub touch: Touch,
    /// The latest event that it depends on in another rank: its rank, number and adjusted time.
    pub cause: Option<(u32, u64, i64)>,
    /// How far the order around it holds.
    pub standing: Standing,
}

/// A task whose events are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane<'r> {
    /// Its rank.
    pub rank: u32,
    /// Its host.
    pub host: &'r str,
    /// Events that were written over before they were read.
    pub lost: u64,
}

/// The events of a job in causal order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline<'r> {
    /// The tasks, by rank.
    pub lanes: Vec<Lane<'r>>,
    /// The events.
    pub happenings: Vec<Happening<'r>>,
    /// Events whose tie contradicts others, or names what is not known: they stand by their own rank's order alone.
    pub untied: usize,
    /// Events that contradict others of their own rank and are left out.
    pub left_out: usize,
}

/// Sorts what tasks of one job have written. Tasks without a rank, and second ones of a rank, are left out.
#[must_use]
pub fn timeline<'r>(sources: &[Source<'r>]) -> Timeline<'r> {
    let mut tasks = Vec::from_iter(sources.iter().filter_map(|source| {
        let (rank, size) = source.recording.world?;
        (rank < size && rank < MOST_RANKS).then_some((rank, *source))
    }));
    tasks.sort_by_key(|(rank, _)| *rank);
    tasks.dedup_by_key(|(rank, _)| *rank);
    let size = tasks.iter().filter_map(|(_, source)| source.recording.world);
    let job = Job {
        size: size.map(|(_, size)| size).max().unwrap_or(0).min(MOST_RANKS),
        order: in_order_of_time(&tasks),
        tasks,
    };
    let first = job.sorted(&[]);
    let mut offsets = Offsets::default();
    first.out.iter().for_each(|reported| offsets.observe(reported));
    let corrections = job.corrections(&offsets);
    // Tasks of one host have one clock: mostly there is nothing to correct.
    let sorted = if corrections.is_empty() {
        first
    } else {
        job.sorted(&corrections)
    };
    job.timeline(sorted)
}

/// One event of one of the tasks.
#[derive(Clone, Copy)]
struct Entry {
    task: usize,
    event: ring::Event,
}

struct Job<'r> {
    size: u32,
    tasks: Vec<(u32, Source<'r>)>,
    /// All events: by the time at which they were written, each task's in their order.
    order: Vec<(i64, Entry)>,
}

struct Sorted {
    out: Vec<Reported<Entry>>,
    untied: usize,
    left_out: usize,
}

/// The clock of a task's host, as time since the epoch.
fn since_epoch(recording: &Recording, clock: u64) -> i64 {
    let from_start = i128::from(clock) - i128::from(recording.clock);
    i64::try_from(i128::from(recording.started) + from_start).unwrap_or(i64::MAX)
}

fn in_order_of_time(tasks: &[(u32, Source<'_>)]) -> Vec<(i64, Entry)> {
    let mut order = Vec::new();
    for (task, (_, source)) in tasks.iter().enumerate() {
        let mut latest = i64::MIN;
        for &event in &source.events.events {
            // Of threads that write at the same time the numbers decide.
            latest = latest.max(since_epoch(source.recording, event.time));
            order.push((latest, Entry { task, event }));
        }
    }
    order.sort_by_key(|(time, entry)| (*time, entry.task, entry.event.sequence));
    order
}

/// The groups of the job, as they become known, by the identities of communicators.
#[derive(Default)]
struct Groups(BTreeMap<u64, Option<GroupId>>);

impl Groups {
    fn group(
        &mut self,
        sorter: &mut Sorter<Entry>,
        communicator: &recording::Communicator,
    ) -> Option<GroupId> {
        *self.0.entry(communicator.identity).or_insert_with(|| {
            let mut ranks = Vec::new();
            for side in [
                communicator.members.as_ref()?,
                communicator.remote.as_ref().unwrap_or(&[].into()),
            ] {
                ranks.extend(side.iter().copied().collect::<Option<Vec<u32>>>()?);
            }
            if communicator.remote.is_some() {
                // Both sides name themselves first.
                ranks.sort_unstable();
            }
            let members = Vec::from_iter(ranks.into_iter().map(|rank| StreamId::from_index(rank as usize)));
            sorter.define(&members).ok()
        })
    }
}

impl<'r> Job<'r> {
    fn communicator(&self, entry: Entry) -> Option<&'r recording::Communicator> {
        self.tasks[entry.task]
            .1
            .recording
            .communicator(entry.event.communicator?)
    }

    /// How much the clocks of ranks are put forward; nothing of those whose clocks may be right.
    fn corrections(&self, offsets: &Offsets) -> Vec<(u32, i64)> {
        let bounds = offsets.bounds(self.size).unwrap_or_default();
        let known = (0..).zip(bounds).filter_map(|(rank, bound)| Some((rank, bound?)));
        let wrong = known.filter(|(_, bound)| !(bound.least..=bound.most).contains(&0));
        wrong.map(|(rank, bound)| (rank, bound.correction())).collect()
    }

    fn sorted(&self, corrections: &[(u32, i64)]) -> Sorted {
        let mut sorter = Sorter::new(self.size, Limits::default());
        let (mut groups, mut out) = (Groups::default(), Vec::new());
        for &(rank, correction) in corrections {
            sorter.set_offset(StreamId::from_index(rank as usize), correction);
        }
        let mut recorded = self.tasks.iter().map(|(rank, _)| *rank).peekable();
        for rank in 0..self.size {
            if recorded.next_if_eq(&rank).is_none() {
                sorter.end(StreamId::from_index(rank as usize), &mut out);
            }
        }
        let (mut untied, mut left_out) = (0, 0);
        let begun = self.order.first().map_or(0, |(time, _)| *time);
        for (index, &(time, entry)) in self.order.iter().enumerate() {
            let stream = StreamId::from_index(self.tasks[entry.task].0 as usize);
            // All that is written is read in its order: what is missing before it is lost.
            sorter.lose(stream, entry.event.sequence, &mut out);
            let now = u64::try_from(time.saturating_sub(begun)).unwrap_or(0);
            sorter.advance(now);
            let link = self.link(&mut groups, &mut sorter, stream, entry);
            untied += usize::from(link.is_none());
            let link = link.unwrap_or(Link::None);
            let event = Event {
                id: EventId {
                    stream,
                    sequence: entry.event.sequence,
                },
                time: since_epoch(self.tasks[entry.task].1.recording, entry.event.time),
                link,
                what: entry,
            };
            if let Err(refused) = sorter.observe(event, &mut out) {
                let is_tied = refused.event.link != Link::None;
                let again = sorter.observe(refused.event.unlinked(), &mut out);
                untied += usize::from(is_tied && again.is_ok());
                left_out += usize::from(again.is_err());
            }
            if index % LOOK_EACH == 0 {
                sorter.expire(now.saturating_sub(PATIENCE), &mut out);
            }
        }
        sorter.finish(&mut out);
        Sorted {
            out,
            untied,
            left_out,
        }
    }

    /// What ties an event to others; `None` if it names what is not known.
    fn link(
        &self,
        groups: &mut Groups,
        sorter: &mut Sorter<Entry>,
        own: StreamId,
        entry: Entry,
    ) -> Option<Link> {
        let tie = entry.event.tie;
        if tie == Tie::None {
            return Some(Link::None);
        }
        let communicator = self.communicator(entry)?;
        let group = groups.group(sorter, communicator)?;
        let message = |numbered: Numbered, is_sent: bool| {
            let peer = StreamId::from_index(peer_of(communicator, numbered.peer)? as usize);
            let (from, to) = if is_sent { (own, peer) } else { (peer, own) };
            // Signals of windows and messages of communicators have groups of their own.
            Some(Message {
                group,
                from,
                to,
                tag: numbered.tag,
                ordinal: numbered.ordinal,
            })
        };
        let operation = |part: Part, link: fn(Operation) -> Link| {
            let operation = |flow| Operation {
                group,
                ordinal: part.ordinal,
                flow,
            };
            Some(match order_of(communicator, entry.event.does) {
                OrderOf::Nobody => Link::None,
                OrderOf::All => link(operation(Flow::Everyone)),
                OrderOf::Prefix => link(operation(Flow::Prefix)),
                OrderOf::Root(flow) => {
                    let root = peer_of(communicator, part.root?)?;
                    link(operation(flow(StreamId::from_index(root as usize))))
                }
            })
        };
        match tie {
            Tie::None => Some(Link::None),
            Tie::Sends(numbered) => message(numbered, true).map(Link::Sends),
            Tie::Receives(numbered) => message(numbered, false).map(Link::Receives),
            Tie::Enters(part) => operation(part, Link::Enters),
            Tie::Leaves(part) => operation(part, Link::Leaves),
        }
    }

    fn timeline(&self, sorted: Sorted) -> Timeline<'r> {
        let lanes = self.tasks.iter().map(|(rank, source)| Lane {
            rank: *rank,
            host: &source.recording.host,
            lost: source.events.lost_count(),
        });
        Timeline {
            lanes: lanes.collect(),
            happenings: sorted
                .out
                .iter()
                .map(|reported| self.happening(reported))
                .collect(),
            untied: sorted.untied,
            left_out: sorted.left_out,
        }
    }

    fn happening(&self, reported: &Reported<Entry>) -> Happening<'r> {
        let entry = reported.event.what;
        let (rank, source) = self.tasks[entry.task];
        let communicator = self.communicator(entry);
        let world = |peer: u32| communicator.and_then(|communicator| peer_of(communicator, peer));
        let root = |part: Part| part.root.and_then(world);
        let touch = match entry.event.tie {
            Tie::Sends(to) => world(to.peer).map_or(Touch::None, |rank| Touch::To(rank, to.tag)),
            Tie::Receives(from) => world(from.peer).map_or(Touch::None, |rank| Touch::From(rank, from.tag)),
            Tie::Enters(part) => Touch::Enters(part.ordinal, root(part)),
            Tie::Leaves(part) => Touch::Leaves(part.ordinal, root(part)),
            Tie::None => Touch::None,
        };
        Happening {
            rank,
            sequence: entry.event.sequence,
            thread: entry.event.thread,
            time: reported.time,
            local: reported.event.time,
            step: entry.event.step,
            operation: entry
                .event
                .operation
                .map(|number| source.recording.operation(number)),
            communicator: communicator.map(|communicator| communicator.identity),
            touch,
            cause: reported.cause.map(|cause| {
                let rank = cause.id.stream.index() as u32;
                (rank, cause.id.sequence, cause.time)
            }),
            standing: reported.standing,
        }
    }
}

/// A rank of a communicator as a rank of the world: of an intercommunicator, peers are those of the other side.
fn peer_of(communicator: &recording::Communicator, peer: u32) -> Option<u32> {
    let side = communicator.remote.as_ref().or(communicator.members.as_ref())?;
    *side.get(peer as usize)?
}

/// Whose part of a collective operation comes before whose.
enum OrderOf {
    /// The library decides: constructors, operations among neighbours, across the sides of an intercommunicator, and of files.
    Nobody,
    All,
    Prefix,
    Root(fn(StreamId) -> Flow),
}

/// What the operation itself decides, of which the recorder says what it does.
fn order_of(communicator: &recording::Communicator, what: u64) -> OrderOf {
    if communicator.remote.is_some() || communicator.kind == Kind::File {
        return OrderOf::Nobody;
    }
    match what {
        does::EVERY_PART => OrderOf::All,
        does::FROM_ROOT => OrderOf::Root(Flow::FromRoot),
        does::TO_ROOT => OrderOf::Root(Flow::ToRoot),
        does::PREFIX => OrderOf::Prefix,
        _ => OrderOf::Nobody,
    }
}
