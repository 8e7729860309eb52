//! Who waits for whom, from what each task has recorded.
//!
//! A thread waits for things ([`Item`]); each thing becomes a formula over tasks: it comes when all of some tasks, or one of some, do
//! something first. From these the greatest set of tasks is found in which nobody can ever go on, by the least fixpoint of its
//! complement:
//!
//! ```text
//! free(t)  =  t takes part, and some thread of it waits for nothing, or for things that come if all free tasks do what they can
//! stuck    =  the tasks that take part and are not free
//! ```
//!
//! A task of which nothing is recorded is free: it may do anything. So whoever is stuck stays so whatever the unrecorded do, as long as the
//! record is right and MPI delivers what was sent.
//!
//! Messages of one channel arrive in their order (MPI 4.0, section 3.5), so counts decide: the n-th receive of a channel takes the n-th message.

use crate::certainty_of;
use crate::recorded::{
    Channel, Collective, From, How, Identity, Item, Needs, Presence, Receive, Recorded, Waits,
};
use crate::state::Rank;
use crate::{Certainty, scc};
use std::collections::{BTreeMap, BTreeSet};

/// Why one task waits for another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// For a message that the other has not sent.
    Message {
        /// The communicator.
        communicator: Identity,
        /// The tag that is asked for; `None` for any.
        tag: Option<i64>,
        /// Which message of the channel it would be, counted from 1; `None` for a receive that takes any tag, or from anybody.
        number: Option<u64>,
        /// How many the other has sent that fit.
        sent: u64,
        /// Messages of the other to the waiting task, over the same communicator, that no receive has asked for: tag and number.
        unwanted: Vec<(i64, u64)>,
        /// Others could send it as well.
        alternatives: bool,
    },
    /// For the other to take a message.
    Delivery {
        /// The channel.
        channel: Channel,
        /// Which message of the channel, counted from 1.
        number: u64,
        /// How many of these the other has received, or is ready to.
        taken: u64,
    },
    /// For the other to enter a collective operation.
    Entry {
        /// The operation that the waiting task is in.
        collective: Collective,
        /// How many of the communicator's collective operations the other has entered.
        entered: u64,
    },
}

/// One task waits for another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Who waits.
    pub waiter: Rank,
    /// For whom.
    pub on: Rank,
    /// For what.
    pub why: Why,
    /// How it waits.
    pub how: How,
    /// Proven if the other alone can end the wait, or is one of several that all have to do something; probable if it depends on how
    /// the library works, or if the waiting task polls and may do other things.
    pub certainty: Certainty,
}

/// Two tasks are in the same collective operation by number, and it is not the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// One of the two; the one with the smallest rank.
    pub one: (Rank, Collective),
    /// The other.
    pub other: (Rank, Collective),
}

/// What the records prove.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WaitGraph {
    /// Who waits for whom, by waiter.
    pub edges: Vec<Edge>,
    /// Tasks that can never go on, sorted; those among them that ask again and again, only if they do nothing else between.
    pub stuck: Vec<Rank>,
    /// Those of `stuck` that cannot go on even if all that poll can; sorted.
    pub proven: Vec<Rank>,
    /// Groups of stuck tasks in which each waits for another of the group, each sorted: what holds all other stuck ones.
    pub cycles: Vec<Vec<Rank>>,
    /// Stuck tasks that wait for one that is gone, with whom.
    pub orphans: Vec<(Rank, Rank)>,
    /// Tasks that wait for nobody and that somebody waits for, directly or through others; sorted.
    pub awaited: Vec<Rank>,
    /// Tasks that are somebody's peers and have no record; sorted.
    pub missing: Vec<Rank>,
    /// Collective operations that do not fit together.
    pub mismatches: Vec<Mismatch>,
}

/// The wait graph of the tasks, of which each is given once.
#[must_use]
pub fn wait_graph(tasks: &[Recorded]) -> WaitGraph {
    let world = World {
        tasks: tasks.iter().map(|task| (task.rank, task)).collect(),
    };
    let needs: BTreeMap<Rank, Vec<Need>> = tasks
        .iter()
        .filter(|task| task.presence == Presence::Present)
        .map(|task| {
            (
                task.rank,
                task.threads
                    .iter()
                    .map(|(waits, _)| world.need(task, waits))
                    .collect(),
            )
        })
        .collect();
    let mut graph = WaitGraph {
        edges: tasks.iter().flat_map(|task| world.edges(task)).collect(),
        ..WaitGraph::default()
    };
    let stuck = |needs: &BTreeMap<Rank, Vec<Need>>| -> Vec<Rank> {
        let free = world.free(needs);
        needs
            .keys()
            .copied()
            .filter(|rank| !free.contains(rank))
            .collect()
    };
    graph.stuck = stuck(&needs);
    let polls = |rank: &Rank| {
        world.tasks[rank]
            .threads
            .iter()
            .any(|(_, how)| *how == How::Polling)
    };
    let mut needs = needs;
    for (rank, needs) in &mut needs {
        if polls(rank) {
            needs.push(Need::Nothing);
        }
    }
    graph.proven = stuck(&needs);
    graph.orphans = world.orphans(&graph);
    graph.cycles = cycles(&graph);
    let waits: BTreeSet<Rank> = graph.edges.iter().map(|edge| edge.waiter).collect();
    let on: BTreeSet<Rank> = graph.edges.iter().map(|edge| edge.on).collect();
    graph.missing = on
        .iter()
        .copied()
        .filter(|rank| !world.tasks.contains_key(rank))
        .collect();
    let is_awaited = |rank: &Rank| !waits.contains(rank) && world.is_present(*rank);
    graph.awaited = on.into_iter().filter(is_awaited).collect();
    graph.mismatches = mismatches(tasks);
    graph
}

/// What has to happen before a wait ends.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Need {
    /// Nothing that others have to do: it ends by itself, or nobody knows.
    Nothing,
    /// It never ends.
    Never,
    /// The task does something.
    Rank(Rank),
    /// All of these.
    All(Vec<Need>),
    /// One of these.
    One(Vec<Need>),
}

impl Need {
    fn is_met(&self, free: &dyn Fn(Rank) -> bool) -> bool {
        match self {
            Need::Nothing => true,
            Need::Never => false,
            Need::Rank(rank) => free(*rank),
            Need::All(needs) => needs.iter().all(|need| need.is_met(free)),
            Need::One(needs) => needs.iter().any(|need| need.is_met(free)),
        }
    }
}

struct World<'t> {
    tasks: BTreeMap<Rank, &'t Recorded>,
}

impl World<'_> {
    fn is_present(&self, rank: Rank) -> bool {
        self.tasks
            .get(&rank)
            .is_none_or(|task| task.presence == Presence::Present)
    }

    /// Whether counts of the task can be relied on.
    fn is_counted(&self, rank: Rank) -> bool {
        self.tasks.get(&rank).is_some_and(|task| !task.is_partial)
    }

    fn free(&self, needs: &BTreeMap<Rank, Vec<Need>>) -> BTreeSet<Rank> {
        let mut free: BTreeSet<Rank> = BTreeSet::new();
        loop {
            let may = |rank: Rank| {
                let is_recorded = self.tasks.contains_key(&rank);
                !is_recorded || free.contains(&rank)
            };
            let goes_on = |needs: &Vec<Need>| needs.is_empty() || needs.iter().any(|need| need.is_met(&may));
            let added: Vec<Rank> = needs
                .iter()
                .filter(|(rank, needs)| !free.contains(rank) && goes_on(needs))
                .map(|(rank, _)| *rank)
                .collect();
            if added.is_empty() {
                return free;
            }
            free.extend(added);
        }
    }

    fn need(&self, task: &Recorded, waits: &Waits) -> Need {
        let of = |items: &[Item]| items.iter().map(|item| self.need_of(task, item)).collect();
        match waits {
            Waits::Nothing => Need::Nothing,
            Waits::All(items) => Need::All(of(items)),
            // Nothing to wait for is no wait.
            Waits::One(items) if items.is_empty() => Need::Nothing,
            Waits::One(items) => Need::One(of(items)),
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
            Item::Collective(collective) => {
                let absent = self.certainly_awaited(task.rank, collective);
                Need::All(absent.into_iter().map(|rank| self.of_rank(rank)).collect())
            }
        }
    }

    /// Whether a message of `sender` that `receive` would take has been sent, so that it is on its way. Where counts do not tell, it may have been.
    fn has_come(&self, task: &Recorded, receive: &Receive, before: &[Receive], sender: Rank) -> bool {
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
    fn taken(&self, sender: Rank, channel: &Channel) -> Option<u64> {
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

    /// Members that have not entered the collective operation that `waiter` is in.
    fn absent(&self, waiter: Rank, collective: &Collective) -> Vec<(Rank, u64)> {
        let others = collective.members.iter().filter(|rank| **rank != waiter);
        others
            .filter_map(|rank| {
                let task = self.tasks.get(rank)?;
                let entered = task.entered.get(&collective.communicator).copied().unwrap_or(0);
                (!task.is_partial && entered < collective.ordinal).then_some((*rank, entered))
            })
            .collect()
    }

    /// Those without whom the operation cannot let `waiter` go.
    fn certainly_awaited(&self, waiter: Rank, collective: &Collective) -> Vec<Rank> {
        let absent = self.absent(waiter, collective);
        let absent = absent.into_iter().map(|(rank, _)| rank);
        absent
            .filter(|rank| is_needed(waiter, *rank, collective) == Certainty::Proven)
            .collect()
    }

    fn edges(&self, task: &Recorded) -> Vec<Edge> {
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
                Waits::One(items) => {
                    let open = |item: &&Item| self.need_of(task, item) != Need::Nothing;
                    (items, items.iter().filter(open).count() > 1)
                }
            };
            for item in items {
                self.edges_of(task, item, *how, several, &mut edges);
            }
        }
        edges
    }

    fn edges_of(&self, task: &Recorded, item: &Item, how: How, several: bool, edges: &mut Vec<Edge>) {
        let mut push = |on: Rank, why: Why, certainty: Certainty| {
            edges.push(Edge {
                waiter: task.rank,
                on,
                why,
                how,
                certainty: certainty.min(certainty_of(how)),
            });
        };
        if matches!(item, Item::Message { .. } | Item::Delivery { .. })
            && self.need_of(task, item) == Need::Nothing
        {
            return;
        }
        match item {
            Item::Unknown => {}
            Item::Message { receive, before } => {
                let senders = receive.senders();
                for sender in senders {
                    let named = senders.len() == 1 && receive.tag.is_some();
                    let why = Why::Message {
                        communicator: receive.communicator,
                        tag: receive.tag,
                        number: receive.tag.filter(|_| named).map(|tag| {
                            let earlier = before
                                .iter()
                                .filter(|each| each.takes(receive.communicator, *sender, tag));
                            received(task, receive.communicator, *sender, tag) + earlier.count() as u64 + 1
                        }),
                        sent: self.sent_that_fit(task.rank, receive, *sender),
                        unwanted: self.unwanted(task, receive, *sender),
                        alternatives: several || senders.len() > 1,
                    };
                    push(*sender, why, Certainty::Proven);
                }
            }
            Item::Delivery { channel, number } => {
                let taken = self.taken(task.rank, channel).unwrap_or(0);
                let why = Why::Delivery {
                    channel: *channel,
                    number: *number,
                    taken,
                };
                // Of several one is enough, or one at least is missing: nobody knows which.
                let certainty = if several {
                    Certainty::Probable
                } else {
                    Certainty::Proven
                };
                push(channel.peer, why, certainty);
            }
            Item::Collective(collective) => {
                for (rank, entered) in self.absent(task.rank, collective) {
                    let certainty = is_needed(task.rank, rank, collective);
                    let collective = collective.clone();
                    push(rank, Why::Entry { collective, entered }, certainty);
                }
            }
        }
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

    fn orphans(&self, graph: &WaitGraph) -> Vec<(Rank, Rank)> {
        let mut orphans: Vec<(Rank, Rank)> = graph
            .edges
            .iter()
            .filter(|edge| !self.is_present(edge.on) && graph.stuck.binary_search(&edge.waiter).is_ok())
            .map(|edge| (edge.waiter, edge.on))
            .collect();
        orphans.sort_unstable();
        orphans.dedup();
        orphans
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
fn sent_to(sender: &Recorded, to: Rank, communicator: Identity) -> impl Iterator<Item = (i64, u64)> + '_ {
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

/// Whether `waiter` cannot leave the operation before `absent` has entered it.
fn is_needed(waiter: Rank, absent: Rank, collective: &Collective) -> Certainty {
    let place = |rank: Rank| collective.members.iter().position(|member| *member == rank);
    let certain = match collective.needs {
        Needs::All => true,
        Needs::Root(root) => absent == root,
        Needs::Nothing => false,
        Needs::Lower => place(absent) < place(waiter),
    };
    if certain {
        Certainty::Proven
    } else {
        Certainty::Probable
    }
}

/// Groups of stuck tasks in which each waits for another, or for itself.
fn cycles(graph: &WaitGraph) -> Vec<Vec<Rank>> {
    let index = |rank: Rank| graph.stuck.binary_search(&rank).ok();
    let mut targets: Vec<Vec<usize>> = vec![Vec::new(); graph.stuck.len()];
    for edge in &graph.edges {
        if let (Some(from), Some(to)) = (index(edge.waiter), index(edge.on)) {
            targets[from].push(to);
        }
    }
    let mut groups: Vec<Vec<Rank>> = scc::components(&targets)
        .into_iter()
        .filter(|group| match group[..] {
            [only] => targets[only].contains(&only),
            _ => true,
        })
        .map(|group| group.into_iter().map(|index| graph.stuck[index]).collect())
        .collect();
    groups
        .iter_mut()
        .for_each(|group: &mut Vec<Rank>| group.sort_unstable());
    groups.sort_unstable();
    groups
}

/// Tasks in the same collective operation of a communicator, by number, that called different ones, or gave different roots.
fn mismatches(tasks: &[Recorded]) -> Vec<Mismatch> {
    let mut first: BTreeMap<(Identity, u64), (Rank, &Collective)> = BTreeMap::new();
    let mut found = Vec::new();
    let mut inside: Vec<(Rank, &Collective)> = Vec::new();
    for task in tasks {
        inside.extend(task.inside.iter().map(|collective| (task.rank, collective)));
    }
    inside.sort_by_key(|(rank, _)| *rank);
    for (rank, collective) in inside {
        let (known, of_known) = *first
            .entry((collective.communicator, collective.ordinal))
            .or_insert((rank, collective));
        if (of_known.operation, of_known.root) != (collective.operation, collective.root) {
            found.push(Mismatch {
                one: (known, of_known.clone()),
                other: (rank, collective.clone()),
            });
        }
    }
    found
}
