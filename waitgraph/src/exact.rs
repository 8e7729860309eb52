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
mod lock;
mod need;
mod world;
mod transfer;

use crate::recorded::{Channel, Collective, How, Identity, Lock, Recorded, Signal};
use crate::state::Rank;
use crate::{Certainty, scc};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use world::World;

/// Why one task waits for another.
pub use transfer::{Side, Transfer};

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

/// One task waits for others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Who waits.
    pub waiter: Rank,
    /// For whom: for each of these, or for one of them where there are alternatives; sorted, and never empty. Those who wait for the same share the list.
    pub on: Arc<[Rank]>,
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
    /// Tasks that can never go on, sorted; those among them that ask again and again, only if they do nothing else between, and those that wait for a
    /// lock, if those have it who have asked for it.
    pub stuck: Vec<Rank>,
    /// Those of `stuck` that cannot go on even if all that poll, or wait for locks, can; sorted.
    pub proven: Vec<Rank>,
    /// Groups of stuck tasks in which each waits for another of the group, each sorted; those first that wait for no other stuck task.
    pub cycles: Vec<Vec<Rank>>,
    /// How many of these wait for no other stuck task: they hold the rest.
    pub closed: usize,
    /// Stuck tasks that wait for one that is gone, each with the first such.
    pub orphans: Vec<(Rank, Rank)>,
    /// Messages that are on their way, and that somebody stands in a call for; sorted.
    pub transfers: Vec<Transfer>,
    /// Tasks that wait for nobody and that somebody waits for, directly or through others, and those at the other end of a message that is on its way and may be what such
    /// a task stands for; sorted.
    pub awaited: Vec<Rank>,
    /// Tasks that are somebody's peers and have no record; sorted.
    pub missing: Vec<Rank>,
    /// Collective operations that do not fit together.
    pub mismatches: Vec<Mismatch>,
}

/// The wait graph of the tasks, of which each is given once.
#[must_use]
pub fn wait_graph(tasks: &[Recorded]) -> WaitGraph {
    let world = World::new(tasks);
    let mut graph = WaitGraph {
        edges: tasks.iter().flat_map(|task| world.edges(task)).collect(),
        ..WaitGraph::default()
    };
    (graph.stuck, graph.proven) = world.stuck();
    graph.orphans = world.orphans(&graph);
    (graph.cycles, graph.closed) = cycles(&graph);
    let waits: BTreeSet<Rank> = graph.edges.iter().map(|edge| edge.waiter).collect();
    // Many wait for one set of tasks.
    let mut sets: Vec<&Arc<[Rank]>> = graph.edges.iter().map(|edge| &edge.on).collect();
    sets.sort_by_key(|set| set.as_ptr());
    sets.dedup_by_key(|set| set.as_ptr());
    let on: BTreeSet<Rank> = sets.into_iter().flat_map(|set| set.iter().copied()).collect();
    graph.missing = on
        .iter()
        .copied()
        .filter(|rank| !world.is_recorded(*rank))
        .collect();
    let is_awaited = |rank: &Rank| !waits.contains(rank) && world.is_present(*rank);
    graph.transfers = transfer::transfers(&world);
    graph.awaited = transfer::with_ends(
        on.into_iter().filter(is_awaited).collect(),
        &graph.transfers,
        &waits,
    );
    graph.mismatches = mismatches(tasks);
    graph
}

/// Groups of stuck tasks in which each waits for another, or for itself. A set that several wait for is a node of its own: they wait for it, and it for
/// its members. With how many of them, the first ones, lead to no other stuck task.
fn cycles(graph: &WaitGraph) -> (Vec<Vec<Rank>>, usize) {
    let tasks = graph.stuck.len();
    let index = |rank: &Rank| graph.stuck.binary_search(rank).ok();
    let mut targets: Vec<Vec<usize>> = vec![Vec::new(); tasks];
    let mut nodes: BTreeMap<*const Rank, usize> = BTreeMap::new();
    for edge in &graph.edges {
        let Some(waiter) = index(&edge.waiter) else {
            continue;
        };
        let node = *nodes.entry(edge.on.as_ptr()).or_insert_with(|| {
            targets.push(edge.on.iter().filter_map(index).collect());
            targets.len() - 1
        });
        if !targets[node].is_empty() {
            targets[waiter].push(node);
        }
    }
    let mut groups: Vec<(bool, Vec<Rank>)> = Vec::new();
    for mut group in scc::components(&targets) {
        group.sort_unstable();
        let is_outside = |target: &usize| group.binary_search(target).is_err();
        let leads_out = group.iter().flat_map(|&node| &targets[node]).any(is_outside);
        let ranks = group.iter().filter_map(|&node| graph.stuck.get(node));
        if group.len() > 1 {
            groups.push((leads_out, ranks.copied().collect()));
        }
    }
    groups.sort_unstable();
    let closed = groups.iter().filter(|(leads_out, _)| !leads_out).count();
    (groups.into_iter().map(|(_, ranks)| ranks).collect(), closed)
}

/// In which respect two tasks are not in the same collective operation, the gravest first. What one of them does not tell is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Differ {
    /// They have called different functions.
    Operation,
    /// They have given different roots.
    Root,
    /// They give or take different numbers of bytes.
    Bytes,
    /// They reduce by different operations.
    Reduction,
}

impl Mismatch {
    /// In which respect the two differ.
    #[must_use]
    pub fn differ(&self) -> Option<Differ> {
        differ(&self.one.1, &self.other.1)
    }
}

fn differ(one: &Collective, other: &Collective) -> Option<Differ> {
    let both = |one: Option<u64>, other: Option<u64>| one.zip(other).is_some_and(|(one, other)| one != other);
    if one.operation != other.operation {
        Some(Differ::Operation)
    } else if one.root != other.root {
        Some(Differ::Root)
    } else if both(one.bytes, other.bytes) {
        Some(Differ::Bytes)
    } else if both(one.reduction.map(u64::from), other.reduction.map(u64::from)) {
        Some(Differ::Reduction)
    } else {
        None
    }
}

/// Tasks in the same collective operation of a communicator, by number, that called different ones, or gave different arguments where all have to give the same.
fn mismatches(tasks: &[Recorded]) -> Vec<Mismatch> {
    let mut first: BTreeMap<(Identity, u64), Vec<(Rank, &Collective)>> = BTreeMap::new();
    let mut found = Vec::new();
    let mut inside: Vec<(Rank, &Collective)> = Vec::new();
    for task in tasks {
        inside.extend(task.inside.iter().map(|collective| (task.rank, collective)));
    }
    inside.sort_by_key(|(rank, _)| *rank);
    for (rank, collective) in inside {
        let known = first
            .entry((collective.communicator, collective.ordinal))
            .or_default();
        let differs = known
            .iter()
            .find(|(_, other)| differ(other, collective).is_some());
        match differs {
            Some((one, of_one)) => found.push(Mismatch {
                one: (*one, (*of_one).clone()),
                other: (rank, collective.clone()),
            }),
            // The first, and those who tell what it does not.
            None if known.iter().all(|(_, other)| {
                (other.bytes, other.reduction) != (collective.bytes, collective.reduction)
            }) =>
            {
                known.push((rank, collective));
            }
            None => {}
        }
    }
    found
}
