//! The events of tasks, handed to the sort one by one: with ranks of the world for those of communicators, and groups that all members share.

use super::Tie;
use base::Id;
use causal::{Event, EventId, Flow, GroupId, Limits, Link, Message, Operation, Reported, Sorter, StreamId};
use recording::layout::does;
use recording::ring::{self, Numbered, Part, Step};
use recording::{Kind, Recording};
use std::collections::BTreeMap;

/// How long events wait for what comes before them, in nanoseconds: what had been written over will not come.
pub(super) const PATIENCE: u64 = 1_000_000_000;

/// An event in the words of the world, beside what the sort itself knows of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// The place of its task among those that the caller knows.
    pub(super) task: usize,
    pub(super) thread: Option<u32>,
    pub(super) step: Step,
    /// The number of its operation, as the caller counts them.
    pub(super) operation: Option<u32>,
    /// The identity of its communicator. It is looked up as the event comes: the communicator may be freed before the event is put out.
    pub(super) communicator: Option<u64>,
    pub(super) tie: Tie,
}

impl Entry {
    /// An event of a ring.
    fn of_ring(task: usize, event: ring::Event, communicator: Option<&recording::Communicator>) -> Self {
        let world = |peer: u32| communicator.and_then(|communicator| peer_of(communicator, peer));
        let root = |part: Part| part.root.and_then(world);
        let is_window = communicator.is_some_and(|communicator| communicator.kind == Kind::Window);
        let message = |numbered: Numbered, tie: fn(u32, Option<i64>) -> Tie| {
            let tag = (!is_window).then_some(numbered.tag);
            world(numbered.peer).map_or(Tie::None, |rank| tie(rank, tag))
        };
        let tie = match event.tie {
            ring::Tie::Sends(to) => message(to, Tie::To),
            ring::Tie::Receives(from) => message(from, Tie::From),
            ring::Tie::Enters(part) => Tie::Enters(part.ordinal, root(part)),
            ring::Tie::Leaves(part) => Tie::Leaves(part.ordinal, root(part)),
            ring::Tie::None => Tie::None,
        };
        Self {
            task,
            thread: event.thread,
            step: event.step,
            operation: event.operation,
            communicator: communicator.map(|communicator| communicator.identity),
            tie,
        }
    }
}

/// A communicator whose members are known.
#[derive(Debug)]
struct Known {
    group: GroupId,
    ranks: Vec<u32>,
    /// Operations of it may wait for parts of others by what they are alone.
    may_order: bool,
}

/// The groups of the job, as they become known, by the identities of communicators.
#[derive(Debug, Default)]
struct Groups(BTreeMap<u64, Option<Known>>);

impl Groups {
    fn group(
        &mut self,
        sorter: &mut Sorter<Entry>,
        communicator: &recording::Communicator,
    ) -> Option<GroupId> {
        let known = self.0.entry(communicator.identity).or_insert_with(|| {
            let mut ranks = Vec::new();
            for side in [
                communicator.members.as_ref()?,
                communicator
                    .remote
                    .as_ref()
                    .unwrap_or(&recording::Members::default()),
            ] {
                ranks.extend(side.iter().collect::<Option<Vec<u32>>>()?);
            }
            if communicator.remote.is_some() {
                // Both sides name themselves first.
                ranks.sort_unstable();
            }
            let members = Vec::from_iter(ranks.iter().map(|rank| stream(*rank)));
            Some(Known {
                group: sorter.define(&members).ok()?,
                ranks,
                may_order: may_order(communicator),
            })
        });
        known.as_ref().map(|known| known.group)
    }
}

/// How many events the sort remembered at a moment, and how many of them were held: the asynchrony of the job (Figure 3 of the paper).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowPoint {
    /// When, in nanoseconds since the epoch.
    pub time: i64,
    /// Events remembered.
    pub events: usize,
    /// Those of them that were not put out.
    pub held: usize,
}

impl WindowPoint {
    pub(super) fn of<T>(sorter: &Sorter<T>, time: i64) -> Self {
        let window = sorter.window();
        Self {
            time,
            events: window.events,
            held: window.unreported,
        }
    }
}

/// A sort of a job's events.
#[derive(Debug)]
pub(super) struct Sorting {
    pub(super) sorter: Sorter<Entry>,
    groups: Groups,
    /// How large its window was.
    pub(super) points: Vec<WindowPoint>,
    /// What is put out.
    pub(super) out: Vec<Reported<Entry>>,
    /// Events whose tie names what is not known, or does not fit.
    pub(super) untied: usize,
    /// Events that contradict others of their task.
    pub(super) left_out: usize,
}

pub(super) fn stream(rank: u32) -> StreamId {
    StreamId::from_index(rank as usize)
}

impl Sorting {
    /// Of a world of so many ranks.
    pub(super) fn new(size: u32) -> Self {
        Self {
            sorter: Sorter::new(size, Limits::default()),
            groups: Groups::default(),
            points: Vec::new(),
            out: Vec::new(),
            untied: 0,
            left_out: 0,
        }
    }

    /// Takes the next event of a rank's ring that could be read, which came at this moment on a clock of the caller's. `task` is the place of its task among those that the caller knows.
    pub(super) fn take(
        &mut self,
        rank: u32,
        recording: &Recording,
        (task, event): (usize, ring::Event),
        now: u64,
    ) {
        let own = stream(rank);
        let communicator = event
            .communicator
            .and_then(|serial| recording.communicator(serial));
        let link = self.link(communicator, own, event);
        let id = EventId {
            stream: own,
            sequence: event.sequence,
        };
        let time = since_epoch(recording, event.time);
        self.place(id, time, link, Entry::of_ring(task, event, communicator), now);
    }

    /// Takes the next event of a stream. `link` is what ties it to others; `None` if that names what is not known.
    pub(super) fn place(&mut self, id: EventId, time: i64, link: Option<Link>, what: Entry, now: u64) {
        // All that is written is read in its order: what is missing before it is lost.
        self.sorter.lose(id.stream, id.sequence, &mut self.out);
        self.sorter.advance(now);
        self.untied += usize::from(link.is_none());
        let event = Event {
            id,
            time,
            link: link.unwrap_or(Link::None),
            what,
        };
        if let Err(refused) = self.sorter.observe(event, &mut self.out) {
            let is_tied = refused.event.link != Link::None;
            let again = self.sorter.observe(refused.event.unlinked(), &mut self.out);
            self.untied += usize::from(is_tied && again.is_ok());
            self.left_out += usize::from(again.is_err());
        }
    }

    /// The members of the communicators that tie events, by their identities: of those of whose operations it is known who waits for whom.
    pub(super) fn communicators(&self) -> BTreeMap<u64, Vec<u32>> {
        let known = self.groups.0.iter();
        let ordering = known.filter_map(|(identity, known)| {
            let known = known.as_ref().filter(|known| known.may_order)?;
            Some((*identity, known.ranks.clone()))
        });
        ordering.collect()
    }

    /// Gives up what events wait for that came long before now.
    pub(super) fn expire(&mut self, now: u64) {
        self.sorter.expire(now.saturating_sub(PATIENCE), &mut self.out);
    }

    /// What ties an event to others; `None` if it names what is not known.
    fn link(
        &mut self,
        communicator: Option<&recording::Communicator>,
        own: StreamId,
        event: ring::Event,
    ) -> Option<Link> {
        let tie = event.tie;
        if tie == ring::Tie::None {
            return Some(Link::None);
        }
        let communicator = communicator?;
        let group = self.groups.group(&mut self.sorter, communicator)?;
        let message = |numbered: Numbered, is_sent: bool| {
            let peer = stream(peer_of(communicator, numbered.peer)?);
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
            let root = || Some(stream(peer_of(communicator, part.root?)?));
            let flow = match order_of(communicator, event.does).flow(root)? {
                Some(flow) => flow,
                None => return Some(Link::None),
            };
            Some(link(Operation {
                group,
                ordinal: part.ordinal,
                flow,
            }))
        };
        match tie {
            ring::Tie::None => Some(Link::None),
            ring::Tie::Sends(numbered) => message(numbered, true).map(Link::Sends),
            ring::Tie::Receives(numbered) => message(numbered, false).map(Link::Receives),
            ring::Tie::Enters(part) => operation(part, Link::Enters),
            ring::Tie::Leaves(part) => operation(part, Link::Leaves),
        }
    }
}

/// A moment on the monotonic clock of a task's host, as nanoseconds since the epoch by the same host.
#[must_use]
pub fn since_epoch(recording: &Recording, clock: u64) -> i64 {
    let from_start = i128::from(clock) - i128::from(recording.clock);
    i64::try_from(i128::from(recording.started) + from_start).unwrap_or(i64::MAX)
}

/// A rank of a communicator as a rank of the world: of an intercommunicator, peers are those of the other side.
pub(super) fn peer_of(communicator: &recording::Communicator, peer: u32) -> Option<u32> {
    let side = communicator.remote.as_ref().or(communicator.members.as_ref())?;
    side.get(peer as usize)?
}

/// Whose part of a collective operation comes before whose.
pub(super) enum OrderOf {
    /// The library decides: constructors, operations among neighbours, across the sides of an intercommunicator, and of files.
    Nobody,
    All,
    Prefix,
    Root(fn(StreamId) -> Flow),
}

impl OrderOf {
    /// The flow, if there is one; nothing at all if it needs a root that is not known.
    pub(super) fn flow(self, root: impl FnOnce() -> Option<StreamId>) -> Option<Option<Flow>> {
        Some(match self {
            Self::Nobody => None,
            Self::All => Some(Flow::Everyone),
            Self::Prefix => Some(Flow::Prefix),
            Self::Root(flow) => Some(flow(root()?)),
        })
    }
}

/// Whether an operation of a communicator orders its members by what it is alone.
fn may_order(communicator: &recording::Communicator) -> bool {
    communicator.remote.is_none() && communicator.kind != Kind::File
}

/// What the operation itself decides, of which the recorder says what it does.
fn order_of(communicator: &recording::Communicator, what: u64) -> OrderOf {
    if !may_order(communicator) {
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
