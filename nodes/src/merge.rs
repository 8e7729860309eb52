//! The answers of all nodes as one.
//!
//! What comes out depends on the reports alone and not on the order in which they came: a stack is kept once for all nodes, a node's second report of a look counts for nothing, and what two
//! nodes contradict each other in is believed of neither.
//!
//! Memory follows the distinct stacks and a dozen bytes of each task ([`Packed`]). Tasks with all that is of them are made in the end, each once and in its place, and handed over: who does not want a list of
//! them need not keep one. The runs of a node are looked into when the first of their ranks is due, so that no list of all tasks is sorted.

use crate::packed::{At, Packed, RunId};
use crate::report::{Report, SharedStack, key_of};
use base::RankSet;
use serde::{Deserialize, Serialize};
use snapshot::{Name, Own, Task};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::fmt;

/// A node, by its place among those that were asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeId(pub u32);

/// What nodes have said that is not believed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Complaint {
    /// A node has spoken of ranks that another one has.
    NotItsRanks {
        /// The node.
        node: NodeId,
        /// The ranks.
        ranks: RankSet,
    },
    /// Several nodes have spoken of one rank.
    SeveralNodes {
        /// The ranks.
        ranks: RankSet,
        /// The nodes.
        nodes: Vec<NodeId>,
    },
    /// What a node has said of some tasks contradicts itself.
    Contradiction {
        /// The node.
        node: NodeId,
        /// How many tasks.
        tasks: u64,
    },
}

/// Takes the reports of nodes, and what others have merged of them.
#[derive(Debug, Default)]
pub struct Merge {
    pub(crate) heard: BTreeSet<NodeId>,
    pub(crate) stacks: BTreeMap<Vec<u8>, KnownStack>,
    /// Ranks of others that a node has spoken of.
    pub(crate) not_its: BTreeMap<NodeId, RankSet>,
    /// Of how many tasks a node has contradicted itself.
    pub(crate) contradictory: BTreeMap<NodeId, u64>,
    pub(crate) window_us: Option<u64>,
    /// Tasks record their calls of MPI.
    pub(crate) is_recorded: bool,
}

/// A stack that some node has sent.
#[derive(Debug)]
pub(crate) struct KnownStack {
    pub(crate) stack: Task,
    /// Its tasks, each with its node.
    pub(crate) tasks: Packed,
}

/// What all nodes together have seen, each task in the few bytes that it is kept in.
#[derive(Debug)]
pub struct All {
    stacks: Vec<KnownStack>,
    /// Ranks of which several nodes have spoken.
    contested: RankSet,
    /// The longest time between the first task's stop and the last one's release on one node, in microseconds.
    pub window_us: Option<u64>,
    /// Some of the tasks record their calls of MPI, so that their nodes can be asked for that.
    pub is_recorded: bool,
    /// What was not believed.
    pub complaints: Vec<Complaint>,
}

/// What all nodes together have seen.
#[derive(Debug, Default, PartialEq)]
pub struct Merged {
    /// The tasks, by rank, and then those without one by host.
    pub tasks: Vec<Task>,
    /// How many distinct stacks they have.
    pub stacks: usize,
    /// The longest time between the first task's stop and the last one's release on one node, in microseconds.
    pub window_us: Option<u64>,
    /// What was not believed.
    pub complaints: Vec<Complaint>,
}

/// Where a task stands among all: those without a rank last.
type Place = (bool, Option<u32>, NodeId);

fn place(rank: Option<u32>, node: NodeId) -> Place {
    (rank.is_none(), rank, node)
}

/// A task that is not made yet: where it belongs, and where it is found.
type Spot = (Place, StackId, At, RunId);

/// A stack, by its place in the order of their texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct StackId(usize);

impl Merge {
    /// Takes what a node has seen. `own` are the ranks that it has, where the front knows.
    pub fn add(&mut self, node: NodeId, own: Option<&RankSet>, report: Report) {
        if !self.heard.insert(node) {
            return;
        }
        // Nothing else is believed of its header: its clock may be any.
        self.window_us = self.window_us.max(report.header.window_us);
        self.is_recorded |= report.recorded > 0;
        for SharedStack { stack, tasks } in report.stacks {
            let tasks = tasks.into_iter().map(|task| (node, task));
            self.add_stack(stack, tasks, |_| own);
        }
    }

    /// Takes a stack with tasks of nodes that are known. `own` are the ranks of a node, where they are known.
    pub(crate) fn add_stack<'o>(
        &mut self,
        stack: Task,
        tasks: impl Iterator<Item = (NodeId, Own)>,
        own: impl Fn(NodeId) -> Option<&'o RankSet>,
    ) {
        // A node could send what is not in this form, and so keep equal stacks apart.
        let (stack, _) = snapshot::split(stack);
        let mut not_its: BTreeMap<NodeId, Vec<u32>> = BTreeMap::new();
        let is_believed = |(node, task): &(NodeId, Own)| {
            let not_own = task
                .rank
                .filter(|&rank| own(*node).is_some_and(|own| !own.contains(rank)));
            if let Some(rank) = not_own {
                not_its.entry(*node).or_default().push(rank);
            }
            let fits = task.fits(&stack);
            if !fits {
                let known = self.contradictory.entry(*node).or_default();
                *known = known.saturating_add(1);
            }
            not_own.is_none() && fits
        };
        let mut tasks = tasks.filter(is_believed).peekable();
        if tasks.peek().is_some() {
            let known = self.stacks.entry(key_of(&stack)).or_insert_with(|| KnownStack {
                stack: stack.clone(),
                tasks: Packed::default(),
            });
            tasks.for_each(|(node, own)| known.tasks.push(node, &own));
        }
        for (node, ranks) in not_its {
            self.complain_of_ranks(node, &ranks.into_iter().collect());
        }
    }

    /// A node has spoken of these ranks of others.
    pub(crate) fn complain_of_ranks(&mut self, node: NodeId, ranks: &RankSet) {
        let known = self.not_its.entry(node).or_default();
        *known = RankSet::union([&*known, ranks]);
    }

    /// Whether a node was heard.
    pub fn has_heard(&self, node: NodeId) -> bool {
        self.heard.contains(&node)
    }

    /// What all that was taken says; `host` gives the name of a node.
    pub fn finish<'h>(self, host: &dyn Fn(NodeId) -> &'h str) -> Merged {
        let all = self.all();
        Merged {
            tasks: all.tasks(host),
            stacks: all.stacks.len(),
            window_us: all.window_us,
            complaints: all.complaints,
        }
    }

    /// What all that was taken says, before a task is made of it.
    pub fn all(self) -> All {
        let of_nodes = self.ranks();
        let contested = RankSet::in_several(of_nodes.values());
        let complaints = self.complaints(&of_nodes, &contested);
        All {
            stacks: self.stacks.into_values().collect(),
            contested,
            window_us: self.window_us,
            is_recorded: self.is_recorded,
            complaints,
        }
    }

    /// What is not believed, in order.
    fn complaints(&self, of_nodes: &BTreeMap<NodeId, RankSet>, contested: &RankSet) -> Vec<Complaint> {
        let not_its = self.not_its.iter().map(|(&node, ranks)| Complaint::NotItsRanks {
            node,
            ranks: ranks.clone(),
        });
        let contradictory = self
            .contradictory
            .iter()
            .map(|(&node, &tasks)| Complaint::Contradiction { node, tasks });
        not_its
            .chain(quarrels(of_nodes, contested))
            .chain(contradictory)
            .collect()
    }

    /// The ranks of each node.
    fn ranks(&self) -> BTreeMap<NodeId, RankSet> {
        let mut runs: BTreeMap<NodeId, Vec<(&Packed, RunId)>> = BTreeMap::new();
        for known in self.stacks.values() {
            for (run, node) in known.tasks.runs() {
                runs.entry(node).or_default().push((&known.tasks, run));
            }
        }
        let ranks = |runs: Vec<(&Packed, RunId)>| {
            let ranks = runs.into_iter().flat_map(|(tasks, run)| tasks.ranks(run));
            ranks.filter_map(|(_, rank)| rank).collect()
        };
        runs.into_iter().map(|(node, runs)| (node, ranks(runs))).collect()
    }
}

impl All {
    /// Each task that is believed, in its place; `host` gives the name of a node.
    pub fn tasks<'h>(&self, host: &dyn Fn(NodeId) -> &'h str) -> Vec<Task> {
        let most = self.stacks.iter().map(|known| known.tasks.len()).sum();
        let mut tasks = Vec::with_capacity(most);
        self.each(host, &mut |task| tasks.push(task));
        tasks
    }

    /// The same, each made when it is due and handed over.
    pub fn each<'h>(&self, host: &dyn Fn(NodeId) -> &'h str, take: &mut dyn FnMut(Task)) {
        let mut names: BTreeMap<NodeId, Name> = BTreeMap::new();
        let (mut of_one_place, mut last): (Vec<Task>, Option<Place>) = (Vec::new(), None);
        // Two processes of one rank are told apart by their names.
        let mut hand_over = |tasks: &mut Vec<Task>| {
            tasks.sort_by(|a, b| a.task.cmp(&b.task));
            tasks.drain(..).for_each(&mut *take);
        };
        in_order(&self.stacks, |(place, stack, at, run)| {
            let (_, rank, node) = place;
            if rank.is_some_and(|rank| self.contested.contains(rank)) {
                return;
            }
            let known = &self.stacks[stack.0];
            let Some(mut task) = snapshot::join(&known.stack, known.tasks.task(run, at)) else {
                return;
            };
            let name = names.entry(node).or_insert_with(|| host(node).into());
            task.host.clone_from(name);
            if rank.is_none() {
                task.task = format!("{}:{}", task.host, task.task);
            }
            if last != Some(place) {
                hand_over(&mut of_one_place);
                last = Some(place);
            }
            of_one_place.push(task);
        });
        hand_over(&mut of_one_place);
    }
}

/// Hands over where each task is, in the order of their places; of one place those of the first stack first.
fn in_order(stacks: &[KnownStack], mut take: impl FnMut(Spot)) {
    let stacks = stacks.iter().enumerate();
    let runs = stacks.flat_map(|(stack, known)| {
        known.tasks.runs().filter_map(move |(run, node)| {
            let places = known.tasks.ranks(run).map(|(_, rank)| place(rank, node));
            Some((places.min()?, StackId(stack), run, known))
        })
    });
    let mut runs = Vec::from_iter(runs);
    runs.sort_unstable_by_key(|&(first, stack, run, _)| (first, stack, run));
    let mut runs = runs.into_iter().peekable();
    let mut due: BinaryHeap<Reverse<Spot>> = BinaryHeap::new();
    loop {
        // A run that begins at this place or before it may have what comes next.
        while let Some((_, stack, run, known)) =
            runs.next_if(|&(first, ..)| due.peek().is_none_or(|Reverse((place, ..))| first <= *place))
        {
            let node = known.tasks.node(run);
            let spots = known.tasks.ranks(run);
            due.extend(spots.map(|(at, rank)| Reverse((place(rank, node), stack, at, run))));
        }
        match due.pop() {
            Some(Reverse(spot)) => take(spot),
            None => return,
        }
    }
}

/// That nodes speak of the same ranks, if some do.
fn quarrels(of_nodes: &BTreeMap<NodeId, RankSet>, contested: &RankSet) -> Option<Complaint> {
    let involved = of_nodes.iter().filter(|(_, ranks)| ranks.meets(contested));
    let nodes = Vec::from_iter(involved.map(|(&node, _)| node));
    (!contested.is_empty()).then(|| Complaint::SeveralNodes {
        ranks: contested.clone(),
        nodes,
    })
}

impl Complaint {
    /// In words; `host` gives the name of a node.
    pub fn text<'a>(&self, host: &dyn Fn(NodeId) -> &'a str) -> String {
        match self {
            Complaint::NotItsRanks { node, ranks } => format!(
                "host {} spoke of ranks that are not its own ({}): that was left out",
                host(*node),
                ranks.brief()
            ),
            Complaint::SeveralNodes { ranks, nodes } => {
                let names = Vec::from_iter(nodes.iter().map(|&node| host(node)));
                format!(
                    "several hosts ({}) spoke of the same ranks ({}): none of them was believed; are they of one job?",
                    names.join(", "),
                    ranks.brief()
                )
            }
            Complaint::Contradiction { node, tasks } => format!(
                "what host {} said of {tasks} of its tasks contradicts itself: they were left out",
                host(*node)
            ),
        }
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}", self.0)
    }
}
