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
mod mismatch;
mod need;
mod transfer;
mod world;

use crate::recorded::{Channel, Collective, How, Identity, Lock, Recorded, Signal};
use crate::state::Rank;
use crate::{Certainty, scc};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
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
    graph.transfers = transfer::transfers(&world, &waits);
    graph.awaited = transfer::with_ends(
        on.into_iter().filter(is_awaited).collect(),
        &graph.transfers,
        &waits,
    );
    graph.mismatches = mismatch::mismatches(tasks);
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
