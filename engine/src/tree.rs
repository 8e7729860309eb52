//! The prefix tree of a job's stacks, with the order on it (SC'09 section 4.3 and Figure 5).
//!
//! [`crate::Analysis::tree`] turns recorded stacks into a tree of program points. [`JobTree::ordered`] orders the branches below each branching point
//! and labels them with temporal ranks: `T1.2` is the second of the branches within the first. One branch is before another
//! only if every execution point below it is before every one below the other; the order of two points comes from
//! `progress` alone. A branch that has no such relation to some sibling is marked: `1~` says that the program
//! gives the two no order (other branches of a conditional), `?` that there may be one that is not known.

mod build;
mod leaves;
mod models;
mod naming;
mod numbers;
mod operations;
mod partial;
mod points;
mod rank;
mod runs;
mod samples;
mod shape;
mod stacks;
#[cfg(test)]
mod tests;
mod view;
mod ways;

pub use models::{Model, ModelError};
pub use naming::QualifiedNames;
pub use operations::{Extreme, NothingLeft, Operation};
pub use samples::SampleChange;

use crate::{Relation, Value};
use stacktree::{Granularity, TaskSet, Tree};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What the user wants of a tree.
#[derive(Clone, Debug)]
pub struct TreeOptions {
    /// How finely nodes are told apart.
    pub granularity: Granularity,
    /// Frames inside libraries are kept; otherwise a library is its entry point.
    pub library: bool,
    /// Threads besides the main ones are read.
    pub threads: bool,
    /// Which branching points are ordered.
    pub refine: Refine,
}

impl Default for TreeOptions {
    fn default() -> Self {
        Self {
            granularity: Granularity::Point,
            library: false,
            threads: true,
            refine: Refine::All,
        }
    }
}

/// Which branching points are ordered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refine {
    /// None: the tree as STAT shows it.
    Nothing,
    /// All.
    All,
    /// The first one, and those on the way to (and the next one within) these classes (`T1.2`).
    Classes(Vec<String>),
}

/// A job's stacks as a tree.
#[derive(Clone, Debug)]
pub struct JobTree {
    /// The stacks of all samples.
    pub tree: Tree,
    /// What the numbers of tasks mean.
    pub names: TaskNames,
    /// The stacks of each sample, when there are several.
    pub samples: Vec<Tree>,
    /// The names of functions in full, as far as they were recorded.
    pub qualified: QualifiedNames,
    /// The paths of the programs that the tasks run, as far as they were recorded.
    pub programs: BTreeSet<String>,
}

impl JobTree {
    /// A tree whose task numbers are ranks.
    pub fn ranked(tree: Tree) -> Self {
        Self {
            tree,
            names: TaskNames::ranks(),
            samples: Vec::new(),
            qualified: QualifiedNames::default(),
            programs: BTreeSet::new(),
        }
    }
}

/// What the numbers of tasks mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskNames {
    by_rank: bool,
    names: Vec<String>,
    /// Numbers by name.
    sorted: Vec<u32>,
}

impl TaskNames {
    /// Numbers that are ranks.
    pub fn ranks() -> Self {
        Self {
            by_rank: true,
            ..Self::default()
        }
    }

    /// Numbers that stand for these names, in their order.
    pub fn numbers(names: Vec<String>) -> Self {
        let mut sorted: Vec<u32> = (0..u32::try_from(names.len()).unwrap_or(u32::MAX)).collect();
        sorted.sort_by(|&a, &b| names[a as usize].cmp(&names[b as usize]));
        Self {
            by_rank: false,
            names,
            sorted,
        }
    }

    /// Whether the numbers are ranks of the job.
    pub fn are_ranks(&self) -> bool {
        self.by_rank
    }

    /// The name of a task whose number is no rank.
    pub fn name(&self, number: u32) -> Option<&str> {
        self.names.get(number as usize).map(String::as_str)
    }

    /// The number of a task: its rank, or that of its recorded name.
    pub fn find(&self, name: &str) -> Option<u32> {
        if self.by_rank {
            return name.parse().ok();
        }
        let found = self
            .sorted
            .binary_search_by(|&at| self.names[at as usize].as_str().cmp(name));
        found.ok().map(|at| self.sorted[at])
    }

    /// All names, by number; empty when the numbers are ranks.
    pub fn all(&self) -> &[String] {
        &self.names
    }
}

/// A tree with its order, ready to be shown.
#[derive(Clone, Debug)]
pub struct OrderedTree {
    /// Nodes in preorder, siblings least progressed first; the first is the root.
    pub nodes: Vec<TreeNode>,
    /// The execution points that are told apart, least progressed first as far as they are ordered.
    pub classes: Vec<TreeClass>,
    /// What the numbers of tasks mean.
    pub names: TaskNames,
    /// How finely nodes are told apart.
    pub granularity: Granularity,
    /// The steps that ordered it, outermost first.
    pub steps: Vec<RefinementStep>,
    /// Whether the hindmost classes are named; why not, if not.
    pub undecided: Option<String>,
    /// Several samples: which tasks were elsewhere in the next one.
    pub changes: Vec<SampleChange>,
    /// The paths of the programs that the tasks run, as far as they were recorded.
    pub programs: BTreeSet<String>,
}

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// All stacks.
    Root,
    /// A call.
    Frame,
    /// The tasks that are at the parent's place itself, in no further call.
    Here,
    /// Above the stacks of threads besides the main ones.
    Threads,
    /// Tasks whose stack could not be read.
    Unreadable,
    /// Ranks of which nothing was seen.
    Missing,
}

/// A node of an [`OrderedTree`].
#[derive(Clone, Debug)]
pub struct TreeNode {
    /// Index of the parent; the root has itself.
    pub parent: usize,
    /// How many nodes are above it.
    pub depth: usize,
    /// Indices of the children, least progressed first.
    pub children: Vec<usize>,
    /// What it stands for.
    pub kind: NodeKind,
    /// The function's name; the reason of unreadable tasks.
    pub function: String,
    /// Its name with its namespaces, classes and template arguments, where that is more and the same for all stacks at the node.
    pub qualified: Option<String>,
    /// The source file as the map spells it.
    pub file: Option<String>,
    /// The line.
    pub line: Option<u32>,
    /// The column.
    pub column: Option<u32>,
    /// The shared object or program, by its base name.
    pub module: Option<String>,
    /// The program counter, relative to the module.
    pub pc: Option<u64>,
    /// The call was inlined into the frame before.
    pub inlined: bool,
    /// Variables that order the loops around it.
    pub values: Vec<NodeValue>,
    /// How many execution points end at or below it, where several were taken together.
    pub points: usize,
    /// The tasks that pass through it.
    pub tasks: TaskSet,
    /// How many stacks pass through it: more than tasks when several threads do.
    pub stacks: u64,
    /// The tasks that pass through it, in each sample, when there are several.
    pub samples: Vec<u64>,
    /// Its temporal ranks (`T1.2`); `None` above the first branching point and where nothing was ordered.
    pub temporal: Option<String>,
    /// How it stands among its siblings.
    pub mark: Mark,
    /// How it stands to siblings that follow it here.
    pub siblings: Vec<Sibling>,
    /// How far it is, from 0 (hindmost) to 1 (foremost); `None` when that is not decided.
    pub progress: Option<f64>,
    /// A hindmost class is at or below it.
    pub hindmost: bool,
    /// The class that ends here (an index into [`OrderedTree::classes`]).
    pub class: Option<usize>,
    /// Nodes with the same tasks have the same number: STAT's equivalence classes.
    pub color: usize,
}

/// A variable in a node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeValue {
    /// Its name.
    pub name: String,
    /// Its value, on the first of several execution points; `None` if it could not be read.
    pub first: Option<Value>,
    /// Its value on the last of several that were taken together, where it differs.
    pub last: Option<Value>,
}

/// How a node stands among its siblings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Nothing to be told: it has no siblings, or they were not ordered.
    None,
    /// Its temporal rank, from 1. Of two ranked siblings the lower rank is behind, and equal ranks are equally far.
    Ranked(u32),
    /// The program gives it no order with some sibling. The number is one more than that of the last sibling that is
    /// known to be behind it.
    Incomparable(u32),
    /// Its order with some sibling is not known.
    Unknown,
}

/// How a node stands to a sibling.
#[derive(Clone, Debug, PartialEq)]
pub struct Sibling {
    /// The sibling's index.
    pub node: usize,
    /// How this node stands to it.
    pub relation: Relation,
    /// Why, as a sentence without its full stop.
    pub reason: String,
    /// A word for what decided, or for why nothing did, if one comparison shows it; it stays the same from version to version.
    pub reason_code: Option<Cow<'static, str>>,
}

/// Tasks at one execution point, or at several that were taken together.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeClass {
    /// The node at which it ends.
    pub node: usize,
    /// Its tasks, of all samples.
    pub tasks: TaskSet,
    /// Those that were there in the last sample; with a single one, all.
    pub now: TaskSet,
    /// It is one of the hindmost, in the last sample.
    pub hindmost: bool,
}

/// A branching point that was ordered.
#[derive(Clone, Debug, PartialEq)]
pub struct RefinementStep {
    /// The class that it refines (`T1.2`); empty for the first.
    pub class: String,
    /// The branching point.
    pub node: usize,
    /// The branches, least progressed first.
    pub branches: Vec<usize>,
    /// Why they stand so: one sentence for each with the one after it.
    pub reasons: Vec<String>,
}
