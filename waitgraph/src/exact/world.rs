//! What the counts of all tasks together say about what one of them waits for.

use super::absence::{Absences, Absent};
use super::lock::waits_for_any;
use super::need::{Need, Needs};
use super::{Edge, WaitGraph, Why};
use crate::recorded::{
    Channel, Collective, From, How, Identity, Item, Presence, Receive, Recorded, Signals, Waits,
};
use crate::state::Rank;
use crate::{Certainty, certainty_of};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many messages that fit somebody has sent, and which that nobody asks for: tags, and how many.
type Sent = (u64, Vec<(i64, u64)>);

/// The records of a job.
pub(super) struct World<'t> {
    tasks: BTreeMap<Rank, &'t Recorded>,
    /// Those that have locks of windows.
    with_locks: Vec<&'t Recorded>,
    absences: RefCell<Absences>,
}

impl<'t> World<'t> {
    /// The world of these tasks, of which each is given once.
    pub(super) fn new(tasks: &'t [Recorded]) -> Self {
        World {
            tasks: tasks.iter().map(|task| (task.rank, task)).collect(),
            with_locks: sorted(tasks.iter().filter(|task| !task.locks.is_empty())),
            absences: RefCell::default(),
        }
    }

    /// The record of a task.
    pub(super) fn recorded(&self, rank: Rank) -> Option<&Recorded> {
        self.tasks.get(&rank).copied()
    }

    /// All records.
    pub(super) fn all(&self) -> impl Iterator<Item = &Recorded> {
        self.tasks.values().copied()
    }

    /// Those that have locks of windows, by rank.
    pub(super) fn with_locks(&self) -> impl Iterator<Item = &&Recorded> {
        self.with_locks.iter()
    }

    /// Whether there is a record of it.
    pub(super) fn is_recorded(&self, rank: Rank) -> bool {
        self.tasks.contains_key(&rank)
    }

    /// The tasks that can never go on; those that can if all that poll can as well.
    pub(super) fn stuck(&self) -> (Vec<Rank>, Vec<Rank>) {
        let present = self.tasks.values().filter(|task| self.is_present(task.rank));
        let of_task = |task: &&Recorded| {
            let threads = task.threads.iter();
            let needs: Vec<Need> = threads.map(|(waits, _)| self.need(task, waits)).collect();
            (task.rank, needs)
        };
        let mut tasks: Vec<(Rank, Vec<Need>)> = present.map(of_task).collect();
        let of_set = |set: &Arc<[Rank]>| Need::All(set.iter().map(|rank| self.of_rank(*rank)).collect());
        let sets: Vec<Need> = self.absences.borrow().sets.iter().map(of_set).collect();
        let needs = |tasks: &[(Rank, Vec<Need>)]| Needs { tasks, sets: &sets }.stuck();
        let stuck = needs(&tasks);
        for (rank, needs) in &mut tasks {
            let task = self.tasks[rank];
            let polls = task.threads.iter().any(|(_, how)| *how == How::Polling);
            if polls || waits_for_any(task) {
                needs.push(Need::Nothing);
            }
        }
        (stuck, needs(&tasks))
    }

    /// Whether it takes part, or nobody knows.
    pub(super) fn is_present(&self, rank: Rank) -> bool {
        self.tasks
            .get(&rank)
            .is_none_or(|task| task.presence == Presence::Present)
    }

    /// Whether counts of the task can be relied on.
    fn is_counted(&self, rank: Rank) -> bool {
        self.tasks.get(&rank).is_some_and(|task| !task.is_partial)
    }

    fn need(&self, task: &Recorded, waits: &Waits) -> Need {
        let of = |items: &[Item]| items.iter().map(|item| self.need_of(task, item)).collect();
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

    fn need_of(&self, task: &Recorded, item: &Item) -> Need {
        match item {
            Item::Unknown => Need::Nothing,
            Item::Message { receive, before } => {
                let senders = receive.senders();
                let is_there = |sender: &Rank| self.has_come(task, receive, before, *sender);
                if senders.iter().any(is_there) {
                    return Need::Nothing;
                }
                let mut needs: Vec<Need> = senders.iter().map(|sender| self.of_rank(*sender)).collect();
                match needs.len() {
                    1 => needs.remove(0),
                    _ => Need::One(needs),
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
                let needed = absent.iter().filter(|group| group.certainty == Certainty::Proven);
                Need::All(needed.map(|group| Need::Set(group.set)).collect())
            }
        }
    }

    /// Whether a message of `sender` that `receive` would take has been sent, so that it is on its way. Where counts do not tell, it may have been.
    pub(super) fn has_come(
        &self,
        task: &Recorded,
        receive: &Receive,
        before: &[Receive],
        sender: Rank,
    ) -> bool {
        let Some(other) = self.tasks.get(&sender) else {
            return false;
        };
        if !self.is_counted(sender) || task.is_partial {
            return true;
        }
        // Receives that were posted earlier take what comes first, if it fits; one that takes from several may take any.
        let earlier = |tag: i64| {
            before
                .iter()
                .filter(|each| each.takes(receive.communicator, sender, tag))
                .count() as u64
        };
        let left = |tag: i64, sent: u64| {
            let channel = Channel {
                communicator: receive.communicator,
                peer: sender,
                tag,
            };
            sent.saturating_sub(task.received.get(&channel).copied().unwrap_or(0))
        };
        let fitting = sent_to(other, task.rank, receive.communicator)
            .filter(|(tag, _)| receive.tag.is_none_or(|wanted| wanted == *tag));
        let is_exact = |tag: i64| {
            let takers = || {
                before
                    .iter()
                    .filter(|each| each.takes(receive.communicator, sender, tag))
            };
            takers().all(|each| matches!(each.from, From::Rank(_)) && each.tag.is_some())
        };
        fitting
            .map(|(tag, sent)| (tag, left(tag, sent)))
            .any(|(tag, left)| left > if is_exact(tag) { earlier(tag) } else { 0 })
    }

    /// How many messages of the channel from `sender` its receiver has taken, or is ready to take; `None` if nobody knows.
    pub(super) fn taken(&self, sender: Rank, channel: &Channel) -> Option<u64> {
        let receiver = self.tasks.get(&channel.peer)?;
        if receiver.is_partial {
            return None;
        }
        let own = Channel {
            peer: sender,
            ..*channel
        };
        let received = receiver.received.get(&own).copied().unwrap_or(0);
        let ready = receiver.posted.iter();
        let ready = ready
            .filter(|each| each.takes(channel.communicator, sender, channel.tag))
            .count() as u64;
        Some(received + ready)
    }

    /// How many of these signals the other has given to the task, and how many of them it has used; `None` if nobody knows.
    fn signals(&self, task: &Recorded, signals: &Signals) -> Option<(u64, u64)> {
        let giver = self.tasks.get(&signals.peer).filter(|giver| !giver.is_partial)?;
        let own = Signals {
            peer: task.rank,
            ..*signals
        };
        let count = |map: &BTreeMap<Signals, u64>, key| map.get(key).copied().unwrap_or(0);
        (!task.is_partial).then(|| (count(&giver.given, &own), count(&task.used, signals)))
    }

    /// Members that have not entered the collective operation that `waiter` is in.
    fn absent(&self, waiter: Rank, collective: &Collective) -> Arc<[Absent]> {
        let entered = |rank: Rank| {
            let task = self.tasks.get(&rank).filter(|task| !task.is_partial)?;
            Some(task.entered.get(&collective.communicator).copied().unwrap_or(0))
        };
        self.absences.borrow_mut().of(waiter, collective, entered)
    }

    /// For whom a task waits, if it does.
    pub(super) fn edges(&self, task: &Recorded) -> Vec<Edge> {
        if task.presence == Presence::Gone {
            return Vec::new();
        }
        // A task goes on if one of its threads does.
        let goes_on = task
            .threads
            .iter()
            .any(|(waits, _)| self.need(task, waits) == Need::Nothing);
        if goes_on || task.threads.is_empty() {
            return Vec::new();
        }
        let mut edges = Vec::new();
        for (waits, how) in &task.threads {
            let (items, several) = match waits {
                Waits::Nothing => continue,
                Waits::All(items) => (items, false),
                Waits::One(items) | Waits::Some(items) => {
                    let open = |item: &&Item| self.need_of(task, item) != Need::Nothing;
                    (items, items.iter().filter(open).count() > 1)
                }
            };
            for item in items {
                let found = self.edges_of(task, item, several).into_iter();
                edges.extend(found.map(|(on, why, certainty)| Edge {
                    waiter: task.rank,
                    on,
                    why,
                    how: *how,
                    certainty: certainty.min(certainty_of(*how)),
                }));
            }
        }
        edges
    }

    fn edges_of(&self, task: &Recorded, item: &Item, several: bool) -> Vec<(Arc<[Rank]>, Why, Certainty)> {
        if matches!(
            item,
            Item::Message { .. } | Item::Delivery { .. } | Item::Signal(_) | Item::Lock(_)
        ) && self.need_of(task, item) == Need::Nothing
        {
            return Vec::new();
        }
        match item {
            Item::Unknown => Vec::new(),
            Item::Message { receive, before } => {
                let messages = self.messages(task, receive, before, several);
                let edge = |(on, why)| (on, why, Certainty::Proven);
                messages.into_iter().map(edge).collect()
            }
            Item::Delivery { channel, number } => {
                let taken = self.taken(task.rank, channel).unwrap_or(0);
                let why = Why::Delivery {
                    channel: *channel,
                    number: *number,
                    taken,
                };
                vec![([channel.peer].into(), why, one_of(several))]
            }
            Item::Signal(signals) => {
                let (given, used) = self.signals(task, signals).unwrap_or((0, 0));
                let why = Why::Signal {
                    window: signals.window,
                    signal: signals.signal,
                    number: used + 1,
                    given,
                };
                vec![([signals.peer].into(), why, one_of(several))]
            }
            Item::Lock(lock) => {
                let holders: Arc<[Rank]> = self.holders(task, lock).into();
                vec![(holders, Why::Lock(*lock), Certainty::Probable)]
            }
            Item::Collective(collective) => {
                let absent = self.absent(task.rank, collective);
                let edge = |group: &Absent| {
                    let (collective, entered) = (collective.clone(), group.entered);
                    let why = Why::Entry { collective, entered };
                    (Arc::clone(&group.ranks), why, group.certainty)
                };
                absent.iter().map(edge).collect()
            }
        }
    }

    /// Whose messages a receive waits for; those who have sent the same together.
    fn messages(
        &self,
        task: &Recorded,
        receive: &Receive,
        before: &[Receive],
        several: bool,
    ) -> Vec<(Arc<[Rank]>, Why)> {
        let senders = receive.senders();
        let number = |tag: i64, sender: Rank| {
            let earlier = before
                .iter()
                .filter(|each| each.takes(receive.communicator, sender, tag));
            received(task, receive.communicator, sender, tag) + earlier.count() as u64 + 1
        };
        let number = match (receive.tag, senders) {
            (Some(tag), [only]) => Some(number(tag, *only)),
            _ => None,
        };
        let mut alike: BTreeMap<Sent, Vec<Rank>> = BTreeMap::new();
        for &sender in senders {
            let sent = self.sent_that_fit(task.rank, receive, sender);
            let unwanted = self.unwanted(task, receive, sender);
            alike.entry((sent, unwanted)).or_default().push(sender);
        }
        let edge = |((sent, unwanted), mut on): (_, Vec<Rank>)| {
            on.sort_unstable();
            let why = Why::Message {
                communicator: receive.communicator,
                tag: receive.tag,
                number,
                sent,
                unwanted,
                alternatives: several || senders.len() > 1,
            };
            (on.into(), why)
        };
        alike.into_iter().map(edge).collect()
    }

    fn sent_that_fit(&self, to: Rank, receive: &Receive, sender: Rank) -> u64 {
        self.tasks.get(&sender).map_or(0, |other| {
            sent_to(other, to, receive.communicator)
                .filter(|(tag, _)| receive.tag.is_none_or(|wanted| wanted == *tag))
                .map(|(_, sent)| sent)
                .sum()
        })
    }

    /// What the sender has sent over the communicator that was not received and that no posted receive takes.
    fn unwanted(&self, task: &Recorded, receive: &Receive, sender: Rank) -> Vec<(i64, u64)> {
        let Some(other) = self.tasks.get(&sender) else {
            return Vec::new();
        };
        sent_to(other, task.rank, receive.communicator)
            .filter_map(|(tag, sent)| {
                let posted = task
                    .posted
                    .iter()
                    .filter(|each| each.takes(receive.communicator, sender, tag))
                    .count() as u64;
                let left = sent.saturating_sub(received(task, receive.communicator, sender, tag) + posted);
                (left > 0 && !receive.takes(receive.communicator, sender, tag)).then_some((tag, left))
            })
            .collect()
    }

    /// Stuck tasks that wait for one that is gone, with the first such.
    pub(super) fn orphans(&self, graph: &WaitGraph) -> Vec<(Rank, Rank)> {
        let gone: BTreeSet<Rank> = self
            .tasks
            .keys()
            .copied()
            .filter(|rank| !self.is_present(*rank))
            .collect();
        let mut orphans: Vec<(Rank, Rank)> = Vec::new();
        for edge in &graph.edges {
            let found = gone.iter().find(|gone| edge.on.binary_search(gone).is_ok());
            if let Some(gone) = found
                && graph.stuck.binary_search(&edge.waiter).is_ok()
            {
                orphans.push((edge.waiter, *gone));
            }
        }
        orphans.sort_unstable();
        orphans.dedup_by_key(|(waiter, _)| *waiter);
        orphans
    }
}

fn sorted<'t>(tasks: impl Iterator<Item = &'t Recorded>) -> Vec<&'t Recorded> {
    let mut tasks = Vec::from_iter(tasks);
    tasks.sort_by_key(|task| task.rank);
    tasks
}

/// How certain it is that a task waits for this one thing. Of several one is enough, or one at least is missing: nobody knows which.
fn one_of(several: bool) -> Certainty {
    if several {
        Certainty::Probable
    } else {
        Certainty::Proven
    }
}

fn received(task: &Recorded, communicator: Identity, peer: Rank, tag: i64) -> u64 {
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
