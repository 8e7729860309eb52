//! The answers of all nodes as one.
//!
//! What comes out depends on the reports alone and not on the order in which they came: a stack is kept once for all nodes, a node's second report of a look counts for nothing, and what two
//! nodes contradict each other in is believed of neither.

use crate::report::{Report, SharedStack, key_of};
use base::RankSet;
use serde::{Deserialize, Serialize};
use snapshot::{Own, Task};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A node, by its place among those that were asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
}

/// A stack that some node has sent.
#[derive(Debug)]
pub(crate) struct KnownStack {
    pub(crate) stack: Task,
    /// Its tasks, each with its node.
    pub(crate) tasks: Vec<(NodeId, Own)>,
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

impl Merge {
    /// Takes what a node has seen. `own` are the ranks that it has, where the front knows.
    pub fn add(&mut self, node: NodeId, own: Option<&RankSet>, report: Report) {
        if !self.heard.insert(node) {
            return;
        }
        // Nothing else is believed of its header: its clock may be any.
        self.window_us = self.window_us.max(report.header.window_us);
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
        let tasks = tasks.filter(|(node, task)| {
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
        });
        let tasks = Vec::from_iter(tasks);
        for (node, ranks) in not_its {
            self.complain_of_ranks(node, &ranks.into_iter().collect());
        }
        if !tasks.is_empty() {
            let key = key_of(&stack);
            let new = || KnownStack {
                stack,
                tasks: Vec::new(),
            };
            self.stacks.entry(key).or_insert_with(new).tasks.extend(tasks);
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
        let contested = self.contested();
        let stacks = self.stacks.len();
        let is_believed = |own: &Own| own.rank.is_none_or(|rank| !contested.contains(rank));
        let (complaints, window_us) = (self.complaints(&contested), self.window_us);
        let mut placed: Vec<(Place, Task)> = Vec::new();
        for KnownStack { stack, tasks } in self.stacks.into_values() {
            let believed = tasks.into_iter().filter(|(_, own)| is_believed(own));
            placed.extend(believed.filter_map(|(node, own)| {
                let mut task = snapshot::join(&stack, own)?;
                host(node).clone_into(&mut task.host);
                if task.rank.is_none() {
                    task.task = format!("{}:{}", task.host, task.task);
                }
                Some(((task.rank.is_none(), task.rank, node), task))
            }));
        }
        // Two processes of one rank are told apart by their names.
        placed.sort_by(|a, b| (a.0, &a.1.task).cmp(&(b.0, &b.1.task)));
        Merged {
            tasks: placed.into_iter().map(|(_, task)| task).collect(),
            stacks,
            window_us,
            complaints,
        }
    }

    /// What is not believed, in order.
    fn complaints(&self, contested: &RankSet) -> Vec<Complaint> {
        let not_its = self.not_its.iter().map(|(&node, ranks)| Complaint::NotItsRanks {
            node,
            ranks: ranks.clone(),
        });
        let contradictory = self
            .contradictory
            .iter()
            .map(|(&node, &tasks)| Complaint::Contradiction { node, tasks });
        not_its
            .chain(self.quarrels(contested))
            .chain(contradictory)
            .collect()
    }

    /// The ranks of each node.
    fn ranks(&self) -> BTreeMap<NodeId, RankSet> {
        let mut by_node: BTreeMap<NodeId, Vec<u32>> = BTreeMap::new();
        for (node, own) in self.stacks.values().flat_map(|known| &known.tasks) {
            by_node.entry(*node).or_default().extend(own.rank);
        }
        let by_node = by_node.into_iter();
        by_node
            .map(|(node, ranks)| (node, ranks.into_iter().collect()))
            .collect()
    }

    /// The ranks of which several nodes speak.
    fn contested(&self) -> RankSet {
        RankSet::in_several(self.ranks().values())
    }

    fn quarrels(&self, contested: &RankSet) -> Option<Complaint> {
        let of_nodes = self.ranks();
        let involved = of_nodes.iter().filter(|(_, ranks)| ranks.meets(contested));
        let nodes = Vec::from_iter(involved.map(|(&node, _)| node));
        (!contested.is_empty()).then(|| Complaint::SeveralNodes {
            ranks: contested.clone(),
            nodes,
        })
    }
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
