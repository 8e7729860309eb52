//! The answers of all nodes as one.
//!
//! What comes out depends on the reports alone and not on the order in which they came: a stack is kept once for all nodes, a node's second report of a look counts for nothing, and what two
//! nodes contradict each other in is believed of neither.

use crate::report::{Report, SharedStack, key_of};
use base::RankSet;
use snapshot::{Own, Task};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A node, by its place among those that were asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
        tasks: usize,
    },
}

/// Takes the reports of nodes.
#[derive(Debug, Default)]
pub struct Merge {
    nodes: BTreeMap<NodeId, String>,
    stacks: BTreeMap<Vec<u8>, KnownStack>,
    complaints: BTreeSet<Complaint>,
}

/// A stack that some node has sent.
#[derive(Debug)]
struct KnownStack {
    stack: Task,
    /// Its tasks, each with its node.
    tasks: Vec<(NodeId, Own)>,
}

/// What all nodes together have seen.
#[derive(Debug, Default, PartialEq)]
pub struct Merged {
    /// The tasks, by rank, and then those without one by host.
    pub tasks: Vec<Task>,
    /// How many distinct stacks they have.
    pub stacks: usize,
    /// What was not believed.
    pub complaints: Vec<Complaint>,
}

impl Merge {
    /// Takes what a node of the name `host` has seen. `own` are the ranks that it has, where the front knows.
    pub fn add(&mut self, node: NodeId, host: &str, own: Option<&RankSet>, report: Report) {
        if self.nodes.contains_key(&node) {
            return;
        }
        self.nodes.insert(node, host.to_owned());
        let mut not_its = Vec::new();
        let mut contradictory = 0;
        for SharedStack { stack, tasks } in report.stacks {
            // A node could send what is not in this form, and so keep equal stacks apart.
            let (stack, _) = snapshot::split(stack);
            let tasks = tasks.into_iter().filter(|task| {
                let is_its = task
                    .rank
                    .is_none_or(|rank| own.is_none_or(|own| own.contains(rank)));
                let fits = snapshot::join(&stack, task).is_some();
                not_its.extend(task.rank.filter(|_| !is_its));
                contradictory += usize::from(!fits);
                is_its && fits
            });
            let tasks = Vec::from_iter(tasks.map(|task| (node, task)));
            if !tasks.is_empty() {
                let key = key_of(&stack);
                let new = || KnownStack {
                    stack,
                    tasks: Vec::new(),
                };
                self.stacks.entry(key).or_insert_with(new).tasks.extend(tasks);
            }
        }
        if !not_its.is_empty() {
            let ranks = not_its.into_iter().collect();
            self.complaints.insert(Complaint::NotItsRanks { node, ranks });
        }
        if contradictory > 0 {
            let tasks = contradictory;
            self.complaints.insert(Complaint::Contradiction { node, tasks });
        }
    }

    /// What all that was taken says.
    pub fn finish(mut self) -> Merged {
        let contested = self.contested();
        let stacks = self.stacks.len();
        let nodes = &self.nodes;
        let is_believed = |own: &Own| own.rank.is_none_or(|rank| !contested.contains(rank));
        let tasks = self.stacks.values().flat_map(|KnownStack { stack, tasks }| {
            let believed = tasks.iter().filter(|(_, own)| is_believed(own));
            believed.filter_map(move |(node, own)| {
                let mut task = snapshot::join(stack, own)?;
                task.host = nodes.get(node).cloned().unwrap_or_default();
                if task.rank.is_none() {
                    task.task = format!("{}:{}", task.host, task.task);
                }
                Some((task.rank.is_none(), task.rank, *node, task))
            })
        });
        let mut tasks = Vec::from_iter(tasks);
        // Two processes of one rank are told apart by their names.
        tasks.sort_by(|a, b| (a.0, a.1, a.2, &a.3.task).cmp(&(b.0, b.1, b.2, &b.3.task)));
        let tasks = tasks.into_iter().map(|(.., task)| task).collect();
        self.complaints.extend(self.quarrels(&contested));
        Merged {
            tasks,
            stacks,
            complaints: self.complaints.into_iter().collect(),
        }
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
