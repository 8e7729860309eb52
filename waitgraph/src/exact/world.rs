//! What the counts of all tasks together say about what one of them waits for.
//!
//! A job has many tasks that wait alike, and one task may have thousands of receives and channels: whatever several need is found once, and nothing goes through all tasks for
//! each of them.

use super::absence::{Absences, Absent};
use super::lock::{Locks, waits_for_any};
use super::need::{HowMany, Need, Needs, Sets};
use super::posted::{Posted, Takers};
use crate::Certainty;
use crate::recorded::{
    Channel, Collective, From, How, Identity, Item, Presence, Receive, Recorded, Signals, Waits,
};
use crate::state::Rank;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// The records of a job.
pub(super) struct World<'t> {
    /// By rank.
    tasks: Vec<&'t Recorded>,
    /// Those whose counts cannot be relied on, sorted.
    uncounted: Vec<Rank>,
    /// By communicator those who may have sent messages over it that are not counted any more, sorted.
    forgetful: RefCell<BTreeMap<Identity, Rc<[Rank]>>>,
    locks: Locks<'t>,
    absences: RefCell<Absences>,
    sets: RefCell<Sets>,
    posted: RefCell<BTreeMap<Rank, Rc<Posted>>>,
    /// Who has sent to a task over a communicator.
    senders: OnceCell<BTreeMap<(Rank, Identity), Vec<Rank>>>,
    /// How many records were looked up.
    looked_up: Cell<u64>,
}

impl<'t> World<'t> {
    /// The world of these tasks, of which each is given once.
    pub(super) fn new(tasks: &'t [Recorded]) -> Self {
        let mut tasks = Vec::from_iter(tasks);
        tasks.sort_by_key(|task| task.rank);
        let uncounted = tasks.iter().filter(|task| task.is_partial);
        World {
            uncounted: uncounted.map(|task| task.rank).collect(),
            forgetful: RefCell::default(),
            locks: Locks::of(&tasks),
            tasks,
            absences: RefCell::default(),
            sets: RefCell::default(),
            posted: RefCell::default(),
            senders: OnceCell::new(),
            looked_up: Cell::new(0),
        }
    }

    /// How many records were looked up until now.
    pub(super) fn looked_up(&self) -> u64 {
        self.looked_up.get()
    }

    /// The record of a task.
    pub(super) fn recorded(&self, rank: Rank) -> Option<&'t Recorded> {
        self.looked_up.set(self.looked_up.get() + 1);
        let at = self.tasks.binary_search_by_key(&rank, |task| task.rank).ok()?;
        self.tasks.get(at).copied()
    }

    /// The same, if its counts can be relied on.
    fn counted(&self, rank: Rank) -> Option<&'t Recorded> {
        self.recorded(rank).filter(|task| !task.is_partial)
    }

    /// All records, by rank.
    pub(super) fn all(&self) -> impl Iterator<Item = &'t Recorded> {
        self.tasks.iter().copied()
    }

    /// What is known of locks.
    pub(super) fn locks(&self) -> &Locks<'t> {
        &self.locks
    }

    /// What each thread of each task needs that takes part, by rank.
    fn needs(&self, least: Certainty) -> Vec<(Rank, Vec<Need>)> {
        let present = self.all().filter(|task| task.presence == Presence::Present);
        let of_task = |task: &Recorded| {
            let threads = task.threads.iter();
            let needs = threads.map(|(waits, _)| self.need(task, waits, least)).collect();
            (task.rank, needs)
        };
        present.map(of_task).collect()
    }

    /// The tasks that can never go on if the library holds up who is in a collective operation until all have come for whom it may wait.
    pub(super) fn likely_stuck(&self) -> Vec<Rank> {
        let tasks = self.needs(Certainty::Probable);
        let sets = self.sets.borrow().needs(|rank| self.of_rank(rank));
        Needs {
            tasks: &tasks,
            sets: &sets,
        }
        .stuck()
    }

    /// The tasks that can never go on; and those among them that cannot even if all can that poll, wait for locks, or may have threads that have called nothing yet.
    pub(super) fn stuck(&self) -> (Vec<Rank>, Vec<Rank>) {
        let mut tasks = self.needs(Certainty::Proven);
        let sets = self.sets.borrow().needs(|rank| self.of_rank(rank));
        let needs = |tasks: &[(Rank, Vec<Need>)]| Needs { tasks, sets: &sets }.stuck();
        let stuck = needs(&tasks);
        for (rank, needs) in &mut tasks {
            let unsure = |task: &Recorded| {
                let mut threads = task.threads.iter();
                threads.any(|(_, how)| *how == How::Polling) || waits_for_any(task) || task.may_be_joined
            };
            if self.recorded(*rank).is_some_and(unsure) {
                needs.push(Need::Nothing);
            }
        }
        (stuck, needs(&tasks))
    }

    /// Whether it takes part, or nobody knows.
    pub(super) fn is_present(&self, rank: Rank) -> bool {
        self.recorded(rank)
            .is_none_or(|task| task.presence == Presence::Present)
    }

    /// What has to happen before a thread of the task goes on that waits for this, as far as that is so certain at least.
    pub(super) fn need(&self, task: &Recorded, waits: &Waits, least: Certainty) -> Need {
        let of = |items: &[Item]| items.iter().map(|item| self.need_of(task, item, least)).collect();
        match waits {
            Waits::Nothing => Need::Nothing,
            Waits::All(items) => Need::All(of(items)),
            // Nothing to wait for is no wait.
            Waits::One(items) if items.is_empty() => Need::Nothing,
            Waits::One(items) => Need::One(of(items)),
            Waits::Some(items) if items.contains(&Item::Unknown) => Need::Nothing,
            Waits::Some(items) => {
                let open: Vec<Need> = of(items);
                let open = Vec::from_iter(open.into_iter().filter(|need| *need != Need::Nothing));
                if open.is_empty() {
                    Need::Nothing
                } else {
                    Need::One(open)
                }
            }
        }
    }

    fn of_rank(&self, rank: Rank) -> Need {
        if self.is_present(rank) {
            Need::Rank(rank)
        } else {
            Need::Never
        }
    }

    /// What has to happen before this comes to the task, as far as that is so certain at least.
    pub(super) fn need_of(&self, task: &Recorded, item: &Item, least: Certainty) -> Need {
        match item {
            Item::Unknown => Need::Nothing,
            Item::Message { receive, before } => {
                let mut senders = self.may_have_sent(task, receive).into_iter();
                if senders.any(|sender| self.has_come(task, receive, *before, sender)) {
                    return Need::Nothing;
                }
                match &receive.from {
                    From::Rank(sender) => self.of_rank(*sender),
                    From::AnyOf(list) => Need::Set(self.sets.borrow_mut().id(HowMany::One, list)),
                }
            }
            Item::Delivery { channel, number } => {
                if self
                    .taken(task.rank, channel)
                    .is_some_and(|taken| taken < *number)
                {
                    self.of_rank(channel.peer)
                } else {
                    Need::Nothing
                }
            }
            Item::Signal(signals) => match self.signals(task, signals) {
                Some((given, used)) if given <= used => self.of_rank(signals.peer),
                _ => Need::Nothing,
            },
            Item::Lock(lock) => self.need_of_lock(task, lock),
            Item::Collective(collective) => {
                let absent = self.absent(task.rank, collective);
                let needed = absent.iter().filter(|group| group.certainty >= least);
                Need::All(needed.map(|group| Need::Set(group.set)).collect())
            }
        }
    }

    /// Of those of whom a receive takes, the ones of which a message may be on its way: of all others none is.
    pub(super) fn may_have_sent(&self, task: &Recorded, receive: &Receive) -> Vec<Rank> {
        let list = match &receive.from {
            From::Rank(sender) => return vec![*sender],
            From::AnyOf(list) => list,
        };
        let mut found = Vec::from_iter(self.senders_among(task.rank, receive.communicator, list));
        let is_on = |rank: &&Rank| list.binary_search(rank).is_ok();
        found.extend(self.uncounted.iter().filter(is_on));
        found.extend(self.forgetful(receive.communicator).iter().filter(is_on));
        if task.is_partial {
            // Nobody knows what it has received: one that is recorded stands for all.
            found.extend(list.iter().find(|rank| self.recorded(**rank).is_some()));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Those who may have sent messages over a communicator that are not counted any more.
    fn forgetful(&self, over: Identity) -> Rc<[Rank]> {
        let mut known = self.forgetful.borrow_mut();
        let found = known.entry(over).or_insert_with(|| {
            let all = self.all().filter(|task| task.may_have_forgotten(over));
            all.map(|task| task.rank).collect()
        });
        Rc::clone(found)
    }

    /// Those of a sorted list who have sent to a task over a communicator, in order.
    pub(super) fn senders_among<'w>(
        &'w self,
        to: Rank,
        over: Identity,
        list: &'w [Rank],
    ) -> impl Iterator<Item = Rank> + 'w {
        let senders = self.senders.get_or_init(|| {
            let mut senders: BTreeMap<(Rank, Identity), Vec<Rank>> = BTreeMap::new();
            for task in self.all() {
                for channel in task.sent.keys() {
                    let known = senders.entry((channel.peer, channel.communicator)).or_default();
                    if known.last() != Some(&task.rank) {
                        known.push(task.rank);
                    }
                }
            }
            senders
        });
        let senders = senders.get(&(to, over)).map_or(&[][..], Vec::as_slice);
        senders
            .iter()
            .copied()
            .filter(|rank| list.binary_search(rank).is_ok())
    }

    /// Whether a message of `sender` that `receive` would take has been sent, so that it is on its way. Where counts do not tell, it may have been.
    pub(super) fn has_come(&self, task: &Recorded, receive: &Receive, before: usize, sender: Rank) -> bool {
        let Some(other) = self.recorded(sender) else {
            return false;
        };
        if other.is_partial || task.is_partial || other.may_have_forgotten(receive.communicator) {
            return true;
        }
        let mut fitting = sent_to(other, task.rank, receive.communicator)
            .filter(|(tag, _)| receive.tag.is_none_or(|wanted| wanted == *tag));
        // Receives that were posted earlier take what comes first, if it fits; one that takes from several may take any.
        let is_left = |(tag, sent): (i64, u64)| {
            let left = sent.saturating_sub(received(task, receive.communicator, sender, tag));
            let earlier = self.takers(task, before, receive.communicator, sender, tag);
            left > if earlier.is_exact { earlier.count } else { 0 }
        };
        fitting.any(is_left)
    }

    /// Those of the first `before` posted receives of a task that could take a message of this sender and tag.
    pub(super) fn takers(
        &self,
        task: &Recorded,
        before: usize,
        over: Identity,
        sender: Rank,
        tag: i64,
    ) -> Takers {
        let mut all = self.posted.borrow_mut();
        let posted = all.entry(task.rank).or_insert_with(|| Rc::new(Posted::of(task)));
        posted.takers(before, over, sender, tag)
    }

    /// How many messages of the channel from `sender` its receiver has taken, or is ready to take; `None` if nobody knows.
    pub(super) fn taken(&self, sender: Rank, channel: &Channel) -> Option<u64> {
        let receiver = self.counted(channel.peer)?;
        let (over, tag) = (channel.communicator, channel.tag);
        if receiver.may_have_forgotten(over) {
            return None;
        }
        let ready = self.takers(receiver, usize::MAX, over, sender, tag).count;
        Some(received(receiver, over, sender, tag) + ready)
    }

    /// How many of these signals the other has given to the task, and how many of them it has used; `None` if nobody knows.
    pub(super) fn signals(&self, task: &Recorded, signals: &Signals) -> Option<(u64, u64)> {
        let giver = self.counted(signals.peer)?;
        let own = Signals {
            peer: task.rank,
            ..*signals
        };
        let count = |map: &BTreeMap<Signals, u64>, key| map.get(key).copied().unwrap_or(0);
        (!task.is_partial).then(|| (count(&giver.given, &own), count(&task.used, signals)))
    }

    /// Members that have not entered the collective operation that `waiter` is in.
    pub(super) fn absent(&self, waiter: Rank, collective: &Collective) -> Arc<[Absent]> {
        let entered = |rank: Rank| Some(self.counted(rank)?.entered(collective.communicator));
        let (mut absences, mut sets) = (self.absences.borrow_mut(), self.sets.borrow_mut());
        absences.of(&mut sets, waiter, collective, entered)
    }
}

/// How many messages of a channel a task has received.
pub(super) fn received(task: &Recorded, communicator: Identity, peer: Rank, tag: i64) -> u64 {
    let channel = Channel {
        communicator,
        peer,
        tag,
    };
    task.received.get(&channel).copied().unwrap_or(0)
}

/// What `sender` has sent to a task over a communicator: tags, and how many.
pub(super) fn sent_to(
    sender: &Recorded,
    to: Rank,
    communicator: Identity,
) -> impl Iterator<Item = (i64, u64)> + '_ {
    let channel = move |tag| Channel {
        communicator,
        peer: to,
        tag,
    };
    sender
        .sent
        .range(channel(i64::MIN)..=channel(i64::MAX))
        .map(|(channel, count)| (channel.tag, *count))
}
