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

mod absence;
mod edges;
mod lock;
mod mismatch;
mod need;
mod posted;
mod transfer;
mod world;

use crate::recorded::{Channel, Collective, How, Identity, Item, Lock, Recorded, Signal};
use crate::state::Rank;
use crate::whom::{ListId, Union, Whom};
use crate::{Certainty, scc};
use std::collections::{BTreeMap, BTreeSet};
use world::World;

pub use mismatch::{Differ, Mismatch};
pub use transfer::{Side, Transfer};

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
    /// For a signal of the other over a window.
    Signal {
        /// The window.
        window: Identity,
        /// Which.
        signal: Signal,
        /// Which of the signals of this kind it would be, counted from 1.
        number: u64,
        /// How many the other has given.
        given: u64,
    },
    /// For the other to give back a lock, as far as calls tell: it, or another that has asked for it, has it.
    Lock(Lock),
    /// For the other to enter a collective operation.
    Entry {
        /// The operation that the waiting task is in.
        collective: Collective,
        /// How many of the communicator's collective operations the other has entered.
        entered: u64,
    },
}

/// One thread of a task waits for others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Who waits.
    pub waiter: Rank,
    /// Which of its threads, by its place among those that have called MPI.
    pub thread: usize,
    /// For whom: for each of these, or for one of them where there are alternatives; never empty. Those who wait for the same share the list.
    pub on: Whom,
    /// For what.
    pub why: Why,
    /// How it waits.
    pub how: How,
    /// Proven if the other alone can end the wait, or is one of several that all have to do something; probable if it depends on how
    /// the library works, or if the waiting task polls and may do other things.
    pub certainty: Certainty,
}

impl Edge {
    /// Whether the wait holds the waiter up, or may be the one of several that does, whatever the library: not in a collective operation in which it may let it go on.
    fn is_sure(&self) -> bool {
        let is_entry = matches!(self.why, Why::Entry { .. });
        !is_entry || self.certainty == Certainty::Proven || self.how == How::Polling
    }
}

/// What probably holds tasks: it depends on how the library works.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Likely {
    /// As [`WaitGraph::cycles`].
    pub cycles: Vec<Vec<Rank>>,
    /// As [`WaitGraph::closed`].
    pub closed: usize,
    /// As [`WaitGraph::orphans`].
    pub orphans: Vec<(Rank, Rank)>,
}

/// What the records prove.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WaitGraph {
    /// Who waits for whom, by waiter and thread.
    pub edges: Vec<Edge>,
    /// Tasks one of whose threads waits, while another waits for nobody and may do something; sorted.
    pub partly: Vec<Rank>,
    /// Tasks that can never go on, sorted; those among them that ask again and again, only if they do nothing else between; those that wait for a
    /// lock, if those have it who have asked for it; and those that may have threads that have not called MPI yet, if these never do.
    pub stuck: Vec<Rank>,
    /// Those of `stuck` that cannot go on even if all can that poll, wait for locks, or may have such threads; sorted.
    pub proven: Vec<Rank>,
    /// Groups of stuck tasks in which each waits for another of the group, each sorted; those first that wait for no other stuck task.
    pub cycles: Vec<Vec<Rank>>,
    /// How many of these wait for no other stuck task: they hold the rest.
    pub closed: usize,
    /// Stuck tasks that wait for one that is gone, each with the first such.
    pub orphans: Vec<(Rank, Rank)>,
    /// What holds tasks that cannot go on if the library holds up who is in a collective operation until all have come for whom it may wait. Empty where somebody is stuck for certain.
    pub likely: Likely,
    /// Messages that are on their way, and that somebody stands in a call for; sorted.
    pub transfers: Vec<Transfer>,
    /// Tasks of which all threads, or one, wait for nobody and that somebody waits for, directly or through others, and those at the other end of a message that is on its way and may be what such
    /// a task stands for; sorted.
    pub awaited: Vec<Rank>,
    /// Those of `awaited` that stand in a call of which nobody knows for whom it waits, if for anybody; sorted.
    pub unclear: Vec<Rank>,
    /// Tasks that are somebody's peers and have no record; sorted.
    pub missing: Vec<Rank>,
    /// Collective operations that do not fit together.
    pub mismatches: Vec<Mismatch>,
}

/// The wait graph of the tasks, of which each is given once.
#[must_use]
pub fn wait_graph(tasks: &[Recorded]) -> WaitGraph {
    wait_graph_and_work(tasks).0
}

/// The same, with how many records were looked up for it: a few for each task, each wait and each member of a list that waits share, however many wait alike.
#[must_use]
pub fn wait_graph_and_work(tasks: &[Recorded]) -> (WaitGraph, u64) {
    let world = World::new(tasks);
    let mut graph = WaitGraph {
        edges: world.all().flat_map(|task| world.edges(task)).collect(),
        ..WaitGraph::default()
    };
    (graph.stuck, graph.proven) = world.stuck();
    let sure = || graph.edges.iter().filter(|edge| edge.is_sure());
    (graph.cycles, graph.closed) = cycles(sure(), &graph.stuck);
    graph.orphans = orphans(&world, sure(), &graph.stuck);
    let mut waits: BTreeSet<Rank> = graph.edges.iter().map(|edge| edge.waiter).collect();
    let goes_on = |rank: &Rank| world.recorded(*rank).is_some_and(|task| world.goes_on(task));
    graph.partly = waits.iter().copied().filter(goes_on).collect();
    graph.partly.iter().for_each(|rank| {
        waits.remove(rank);
    });
    let on: Union = graph.edges.iter().map(|edge| &edge.on).collect();
    let on: BTreeSet<Rank> = on.iter().collect();
    graph.missing = on
        .iter()
        .copied()
        .filter(|rank| world.recorded(*rank).is_none())
        .collect();
    let is_awaited = |rank: &Rank| !waits.contains(rank) && world.is_present(*rank);
    graph.transfers = transfer::transfers(&world, &waits);
    graph.awaited = transfer::with_ends(
        on.into_iter().filter(is_awaited).collect(),
        &graph.transfers,
        &waits,
    );
    let is_unclear = |rank: &Rank| world.recorded(*rank).is_some_and(waits_for_something_unknown);
    graph.unclear = graph.awaited.iter().copied().filter(is_unclear).collect();
    if graph.stuck.is_empty() {
        let held = world.likely_stuck();
        (graph.likely.cycles, graph.likely.closed) = cycles(&graph.edges, &held);
        graph.likely.orphans = orphans(&world, &graph.edges, &held);
    }
    graph.mismatches = mismatch::mismatches(tasks);
    (graph, world.looked_up())
}

fn waits_for_something_unknown(task: &Recorded) -> bool {
    let mut threads = task.threads.iter();
    threads.any(|(waits, _)| waits.items().contains(&Item::Unknown))
}

/// Stuck tasks that wait for one that is gone, with the first such.
fn orphans<'e>(
    world: &World<'_>,
    edges: impl IntoIterator<Item = &'e Edge>,
    stuck: &[Rank],
) -> Vec<(Rank, Rank)> {
    let mut gone: BTreeMap<ListId, Vec<Rank>> = BTreeMap::new();
    let mut orphans: Vec<(Rank, Rank)> = Vec::new();
    for edge in edges {
        if stuck.binary_search(&edge.waiter).is_err() {
            continue;
        }
        let of_list = gone.entry(edge.on.id()).or_insert_with(|| {
            let ranks = edge.on.list().iter().copied();
            ranks.filter(|rank| !world.is_present(*rank)).collect()
        });
        let first = of_list.iter().find(|rank| edge.on.contains(**rank));
        orphans.extend(first.map(|gone| (edge.waiter, *gone)));
    }
    orphans.sort_unstable();
    orphans.dedup_by_key(|(waiter, _)| *waiter);
    orphans
}

/// Groups of stuck tasks in which each waits for another, or for itself. A list that several share is a node of its own: they wait for it, and it for
/// its members. With how many of them, the first ones, lead to no other stuck task.
fn cycles<'e>(edges: impl IntoIterator<Item = &'e Edge>, stuck: &[Rank]) -> (Vec<Vec<Rank>>, usize) {
    let tasks = stuck.len();
    let index = |rank: &Rank| stuck.binary_search(rank).ok();
    let mut targets: Vec<Vec<usize>> = vec![Vec::new(); tasks];
    let mut nodes: BTreeMap<ListId, usize> = BTreeMap::new();
    let mut wait_for_themselves: BTreeSet<usize> = BTreeSet::new();
    for edge in edges {
        let Some(waiter) = index(&edge.waiter) else {
            continue;
        };
        let node = *nodes.entry(edge.on.id()).or_insert_with(|| {
            targets.push(edge.on.list().iter().filter_map(index).collect());
            targets.len() - 1
        });
        if !targets[node].is_empty() {
            targets[waiter].push(node);
        }
        if edge.on.contains(edge.waiter) {
            wait_for_themselves.insert(waiter);
        }
    }
    let mut groups: Vec<(bool, Vec<Rank>)> = Vec::new();
    for mut group in scc::components(&targets) {
        group.sort_unstable();
        let is_outside = |target: &usize| group.binary_search(target).is_err();
        let leads_out = group.iter().flat_map(|&node| &targets[node]).any(is_outside);
        let members = Vec::from_iter(group.iter().copied().filter(|&node| node < tasks));
        // A list may have the waiter on it, who does not wait for itself by that.
        let is_cycle = match members[..] {
            [] => false,
            [only] => wait_for_themselves.contains(&only),
            _ => true,
        };
        if is_cycle {
            let ranks = members.iter().filter_map(|&node| stuck.get(node));
            groups.push((leads_out, ranks.copied().collect()));
        }
    }
    groups.sort_unstable();
    let closed = groups.iter().filter(|(leads_out, _)| !leads_out).count();
    (groups.into_iter().map(|(_, ranks)| ranks).collect(), closed)
}
