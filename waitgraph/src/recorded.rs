//! What tasks are known to do when each of them keeps a record of its calls of MPI: exactly, where stacks alone tell only where they stand.
//!
//! Everything here is about one moment. Ranks are those of `MPI_COMM_WORLD`; communicators are known by an identity that is equal on all of
//! their members.

use crate::state::Rank;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A communicator, equal on all of its members and for no other communicator of the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity(pub u64);

/// A direction of messages: from one task to another over a communicator, under a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Channel {
    /// The communicator.
    pub communicator: Identity,
    /// The other task.
    pub peer: Rank,
    /// The tag.
    pub tag: i64,
}

/// What one task tells another over a window (MPI 4.0, section 12.5.2), each time once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Signal {
    /// That its window is open to the other: `MPI_Win_post`.
    Post,
    /// That it is done with the other's window: `MPI_Win_complete`.
    Complete,
}

/// Signals of one kind between this task and another over a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Signals {
    /// The window.
    pub window: Identity,
    /// The other task.
    pub peer: Rank,
    /// Which.
    pub signal: Signal,
}

/// How a part of a window is locked (MPI 4.0, section 12.5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LockKind {
    /// With others that share it.
    Shared,
    /// Alone.
    Exclusive,
}

/// The access to a part of a window that a task has asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lock {
    /// The window.
    pub window: Identity,
    /// Whose part of it; `None` for those of all.
    pub target: Option<Rank>,
    /// How.
    pub access: LockKind,
}

impl Lock {
    /// Whether both are about a part of a window.
    pub(crate) fn meets(&self, other: &Lock) -> bool {
        let same_target = self.target.is_none() || other.target.is_none() || self.target == other.target;
        self.window == other.window && same_target
    }

    /// Whether no two tasks can have them at a time.
    pub(crate) fn excludes(&self, other: &Lock) -> bool {
        self.meets(other) && (self.access == LockKind::Exclusive || other.access == LockKind::Exclusive)
    }
}

/// How far a task is in its use of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It takes part.
    Present,
    /// It has ended its use of MPI, or its process is gone: it does nothing for others any more.
    Gone,
}

/// Whom a receive takes its message from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum From {
    /// This task.
    Rank(Rank),
    /// Any of these, which are sorted; one list for all receives that name it. The task itself may be among them, and counts only where another thread of it sends.
    AnyOf(Arc<[Rank]>),
}

/// A receive that is posted and under way, or a message that is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receive {
    /// Over which communicator.
    pub communicator: Identity,
    /// From whom.
    pub from: From,
    /// Under which tag; `None` for any.
    pub tag: Option<i64>,
}

/// What a collective operation needs of others before a member may return.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Needs {
    /// That all have entered.
    All,
    /// That the root has; how data comes from there is the library's business.
    Root(Rank),
    /// Nothing by itself: a library may let it wait all the same.
    Nothing,
    /// That those of lower rank in the communicator have.
    Lower,
    /// That some neighbours of the task have.
    Neighbours(Arc<Neighbours>),
}

/// The neighbours of a task in an operation among them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Neighbours {
    /// Those of whom it takes data; sorted.
    pub sources: Vec<Rank>,
    /// Those to whom it gives alone, or of whom nobody knows whether there is anything to take: a library may let it wait for them all the same. Sorted.
    pub others: Vec<Rank>,
}

/// A collective operation that a task has entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collective {
    /// On which communicator.
    pub communicator: Identity,
    /// Its members, in their order; one list for all tasks that name it, where the caller can tell that it is the same.
    pub members: Arc<[Rank]>,
    /// Which collective operation of the communicator it is, counted from 1.
    pub ordinal: u64,
    /// Which operation, by a number that is the same on all tasks.
    pub operation: u32,
    /// The root.
    pub root: Option<Rank>,
    /// The bytes that it gives or takes, where all members have to say the same, and as far as its arguments tell.
    pub bytes: Option<u64>,
    /// By what it reduces, by a number that is the same on all tasks.
    pub reduction: Option<u32>,
    /// What it needs.
    pub needs: Needs,
}

/// The portions of what a task gives or takes in a collective operation, in bytes; `None` for those that are not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Portions {
    /// One for each peer, in their order; empty if there are none.
    OfMembers(Vec<Option<u64>>),
    /// One for the root, the peer in this place.
    OfRoot(usize, Option<u64>),
}

impl Portions {
    /// The portion of the peer in this place; `None` if it has none, or it is not known.
    pub(crate) fn of(&self, place: usize) -> Option<u64> {
        match self {
            Portions::OfMembers(portions) => portions.get(place).copied().flatten(),
            Portions::OfRoot(root, portion) => portion.filter(|_| *root == place),
        }
    }
}

/// With whom a task gives and takes in a collective operation in which each pair has to say the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Peers {
    /// All members in their order, or those of the other side where there are two.
    All {
        /// Who they are.
        ranks: Arc<[Rank]>,
        /// The place that the task has among the peers of each of these.
        place: usize,
    },
    /// The task's neighbours, sorted; each of them has neighbours of its own. A portion is all that goes from one to the other, also where they are neighbours several times.
    Neighbours(Arc<[Rank]>),
}

impl Peers {
    /// The peers, in the order of their portions.
    #[must_use]
    pub fn ranks(&self) -> &[Rank] {
        match self {
            Peers::All { ranks, .. } | Peers::Neighbours(ranks) => ranks,
        }
    }

    /// The place that `task`, whose peers these are, has among the peers of another; `None` if it is none of them.
    pub(crate) fn place_among(&self, task: Rank, others: &Peers) -> Option<usize> {
        match (self, others) {
            (Peers::All { place, .. }, Peers::All { ranks, .. }) => {
                (ranks.get(*place) == Some(&task)).then_some(*place)
            }
            (Peers::Neighbours(_), Peers::Neighbours(ranks)) => ranks.binary_search(&task).ok(),
            _ => None,
        }
    }
}

/// How a task divides what it gives and takes in a collective operation in which each pair of members has to say the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Division {
    /// On which communicator.
    pub communicator: Identity,
    /// Which collective operation of the communicator it is, counted from 1.
    pub ordinal: u64,
    /// Which operation, by a number that is the same on all tasks.
    pub operation: u32,
    /// With whom it gives and takes.
    pub peers: Peers,
    /// What it gives, in the order of the peers.
    pub gives: Portions,
    /// What it takes.
    pub takes: Portions,
}

/// One thing that a thread waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A message.
    Message {
        /// What would take it.
        receive: Receive,
        /// How many of the task's posted receives, the first ones, were posted earlier, and take what comes before.
        before: usize,
    },
    /// That its message is taken.
    Delivery {
        /// Where it goes.
        channel: Channel,
        /// Which message of the channel it is, counted from 1.
        number: u64,
    },
    /// A signal over a window that has not been used by an earlier epoch.
    Signal(Signals),
    /// Access to a part of a window, or that what is done with it is complete. A library may ask for it when the program does, or at any time up to the end of its use:
    /// so who has it is never certain, and nothing that rests on it is proven.
    Lock(Lock),
    /// A collective operation.
    Collective(Collective),
    /// Something of which nothing is known.
    Unknown,
}

/// What a thread that calls MPI waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waits {
    /// Nothing: it is outside of MPI, or in a call that waits for nobody.
    Nothing,
    /// All of these.
    All(Vec<Item>),
    /// One of these.
    One(Vec<Item>),
    /// At least one of these that have not happened, and nobody knows which: it may have been let off the others.
    Some(Vec<Item>),
}

impl Recorded {
    /// Whether what it did over a communicator is not listed any more, or never was anything.
    pub(crate) fn may_have_forgotten(&self, communicator: Identity) -> bool {
        self.has_freed && !self.entered.contains_key(&communicator)
    }

    /// How many collective operations of a communicator it has begun.
    pub(crate) fn entered(&self, communicator: Identity) -> u64 {
        let unlisted = if self.has_freed { u64::MAX } else { 0 };
        self.entered.get(&communicator).copied().unwrap_or(unlisted)
    }
}

impl Waits {
    /// The things that it waits for.
    pub(crate) fn items(&self) -> &[Item] {
        match self {
            Waits::Nothing => &[],
            Waits::All(items) | Waits::One(items) | Waits::Some(items) => items,
        }
    }
}

/// How a thread waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Inside a call that returns when what it waits for has happened.
    Blocked,
    /// By asking again and again: it may do other things between.
    Polling,
}

/// What one task is recorded to have done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Who it is.
    pub rank: Rank,
    /// Whether it takes part any more.
    pub presence: Presence,
    /// What its threads wait for that have called MPI: each for itself. The task goes on if one of them does.
    pub threads: Vec<(Waits, How)>,
    /// It may have further threads that have not called MPI yet and may do so at any time: then it may go on by these, so that nothing is proven of its being stuck.
    pub may_be_joined: bool,
    /// Messages sent, by channel: sends that were called, complete or not.
    pub sent: BTreeMap<Channel, u64>,
    /// Sends that are complete, by channel.
    pub delivered: BTreeMap<Channel, u64>,
    /// Messages received, by channel.
    pub received: BTreeMap<Channel, u64>,
    /// Messages that are among those received, and that were only taken by a matched probe until now: their senders may have to wait until the program receives them.
    pub taken: BTreeMap<Channel, u64>,
    /// Signals given, by the other task, window and kind: those included that a call is about to give.
    pub given: BTreeMap<Signals, u64>,
    /// Signals of others that an epoch has used.
    pub used: BTreeMap<Signals, u64>,
    /// Locks that the task has asked for, by a call that has returned, and has not given back.
    pub locks: Vec<Lock>,
    /// Receives that are posted and under way, in their order.
    pub posted: Vec<Receive>,
    /// Collective operations begun, by communicator.
    pub entered: BTreeMap<Identity, u64>,
    /// It has freed communicators that are not among these any more, and had taken part in all of their operations. Messages over these are not counted any more.
    pub has_freed: bool,
    /// The collective operation that it is in, on each communicator.
    pub inside: Vec<Collective>,
    /// How it divides what it gives and takes in the last collective operations that have such, also of those that it has left.
    pub divisions: Vec<Division>,
    /// Some of what it did was not recorded for lack of room: nothing that rests on counts is proven of it.
    pub is_partial: bool,
}

impl Receive {
    /// Whether it could take a message of this task, communicator and tag.
    pub(crate) fn takes(&self, communicator: Identity, sender: Rank, tag: i64) -> bool {
        let from = match &self.from {
            From::Rank(rank) => *rank == sender,
            From::AnyOf(ranks) => ranks.binary_search(&sender).is_ok(),
        };
        self.communicator == communicator && from && self.tag.is_none_or(|wanted| wanted == tag)
    }
}
