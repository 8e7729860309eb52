//! A tree for programs, read: what is shown of a file is what would be shown of the job itself.
//!
//! The document may come from anywhere, so every index in it is checked, and what it needs of memory is in proportion to its size.

use super::TreeJson;
use super::tree::{ChangeJson, NodeJson, SiblingJson, StepJson, TreeClassJson, ValueJson, granularity, kind};
use crate::page::{BadSet, PageSets};
use engine::{
    Granularity, Mark, NodeKind, NodeValue, OrderedTree, RefinementStep, Relation, SampleChange, Sibling,
    TaskNames, TaskSet, TreeClass, TreeNode, Value,
};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Tasks of all sets together that are no single range: a million tasks at twenty levels of a tree, and more.
const MOST_TASKS: u64 = 1 << 27;

/// Why a document is no tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadTree {
    /// It is another document; its schema.
    Schema(String),
    /// It is of a later version.
    Version(u32),
    /// It has no node.
    Empty,
    /// This node does not follow its parent.
    Parent(usize),
    /// Something leads to this node, or class, and there is none of that number.
    Index(usize),
    /// The set of tasks of a node or a class is none.
    Tasks(BadSet),
}

impl fmt::Display for BadTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Schema(schema) => write!(f, "'{schema}' is not the schema of a tree"),
            Self::Version(version) => write!(f, "version {version} of the tree is newer than this program"),
            Self::Empty => f.write_str("the tree has no node"),
            Self::Parent(node) => write!(f, "node {node} of the tree does not follow its parent"),
            Self::Index(number) => write!(
                f,
                "the tree has nothing of the number {number}, to which it leads"
            ),
            Self::Tasks(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BadTree {}

impl TreeJson<'_> {
    /// The tree that it was written from. `sets` are those of the page that it stands in.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn tree(&self, sets: &PageSets) -> Result<OrderedTree, BadTree> {
        if self.schema != "hindmost-tree" {
            return Err(BadTree::Schema(self.schema.clone().into_owned()));
        }
        if self.version != super::VERSION {
            return Err(BadTree::Version(self.version));
        }
        let mut sets = TaskSets::of_page(sets);
        let tree = OrderedTree {
            nodes: nodes(&self.nodes, &mut sets)?,
            classes: (self.classes.iter().map(|class| class_in(class, &mut sets)))
                .collect::<Result<_, _>>()?,
            names: match &*self.tasks_are {
                "ranks" => TaskNames::ranks(),
                _ => TaskNames::numbers(self.names.to_vec()),
            },
            granularity: [
                Granularity::Function,
                Granularity::Line,
                Granularity::Module,
                Granularity::Pc,
            ]
            .into_iter()
            .find(|&each| granularity(each) == self.granularity)
            .unwrap_or(Granularity::Point),
            steps: self.steps.iter().map(step_in).collect(),
            undecided: self.undecided.as_deref().map(str::to_owned),
            changes: (self.changes.iter().map(|change| change_in(change, &mut sets)))
                .collect::<Result<_, _>>()?,
            programs: BTreeSet::new(),
        };
        leads_somewhere(&tree)?;
        Ok(tree)
    }
}

/// Nodes with what follows from their parents, if these are in preorder.
fn nodes(all: &[NodeJson<'_>], sets: &mut TaskSets<'_>) -> Result<Vec<TreeNode>, BadTree> {
    if all.is_empty() {
        return Err(BadTree::Empty);
    }
    let mut nodes: Vec<TreeNode> = Vec::with_capacity(all.len());
    // The way from the root to the node before.
    let mut open: Vec<usize> = Vec::new();
    for (id, said) in all.iter().enumerate() {
        let parent = said.parent.unwrap_or(0);
        while open.last().is_some_and(|&last| last != parent) {
            open.pop();
        }
        if id > 0 && (open.is_empty() || said.parent.is_none()) {
            return Err(BadTree::Parent(id));
        }
        if id > 0 {
            nodes[parent].children.push(id);
        }
        nodes.push(TreeNode {
            parent,
            depth: open.len(),
            ..node_in(said, sets.set(&said.tasks)?)
        });
        open.push(id);
    }
    Ok(nodes)
}

/// A node by itself.
fn node_in(said: &NodeJson<'_>, tasks: TaskSet) -> TreeNode {
    let kinds = [
        NodeKind::Root,
        NodeKind::Here,
        NodeKind::Threads,
        NodeKind::Unreadable,
        NodeKind::Missing,
    ];
    let owned = |text: &Option<Cow<'_, str>>| text.as_deref().map(str::to_owned);
    let pc = said.pc.as_deref().and_then(|pc| pc.strip_prefix("0x"));
    TreeNode {
        parent: 0,
        depth: 0,
        children: Vec::new(),
        kind: kinds
            .into_iter()
            .find(|&each| kind(each) == said.kind)
            .unwrap_or(NodeKind::Frame),
        function: said.function.clone().into_owned(),
        qualified: owned(&said.qualified),
        file: owned(&said.file),
        line: said.line,
        column: said.column,
        module: owned(&said.module),
        pc: pc.and_then(|pc| u64::from_str_radix(pc, 16).ok()),
        inlined: said.inlined,
        values: said.values.iter().map(value_in).collect(),
        points: said.points,
        tasks,
        stacks: said.stacks,
        samples: said.samples.to_vec(),
        temporal: owned(&said.temporal),
        mark: match (&*said.mark, said.rank) {
            ("none", _) => Mark::None,
            ("ranked", Some(rank)) => Mark::Ranked(rank),
            ("incomparable", Some(rank)) => Mark::Incomparable(rank),
            _ => Mark::Unknown,
        },
        siblings: said.siblings.iter().map(sibling_in).collect(),
        progress: said.progress,
        hindmost: said.hindmost,
        class: said.class,
        color: said.same_tasks,
    }
}

fn value_in(said: &ValueJson<'_>) -> NodeValue {
    let value = |json: &serde_json::Value| match json {
        serde_json::Value::Number(number) => {
            let int = number
                .as_i64()
                .map(i128::from)
                .or(number.as_u64().map(i128::from));
            int.map(Value::Int).or_else(|| number.as_f64().map(Value::Float))
        }
        // What JSON's readers would not keep exact.
        serde_json::Value::String(text) => {
            let float = || text.parse().ok().map(Value::Float);
            text.parse().ok().map(Value::Int).or_else(float)
        }
        _ => None,
    };
    NodeValue {
        name: said.name.clone().into_owned(),
        first: said.value.as_ref().and_then(value),
        last: said.last.as_ref().and_then(value),
    }
}

fn sibling_in(said: &SiblingJson<'_>) -> Sibling {
    Sibling {
        node: said.node,
        relation: Relation::of_word(&said.relation).unwrap_or(Relation::Unknown),
        reason: said.reason.clone().into_owned(),
        reason_code: said.reason_code.as_deref().map(|code| code.to_owned().into()),
    }
}

fn class_in(said: &TreeClassJson<'_>, sets: &mut TaskSets<'_>) -> Result<TreeClass, BadTree> {
    let tasks = sets.set(&said.tasks)?;
    let now = match &said.now {
        Some(now) => sets.set(now)?,
        None => tasks.clone(),
    };
    Ok(TreeClass {
        node: said.node,
        tasks,
        now,
        hindmost: said.hindmost,
    })
}

fn step_in(said: &StepJson<'_>) -> RefinementStep {
    RefinementStep {
        class: said.class.clone().into_owned(),
        node: said.node,
        branches: said.branches.to_vec(),
        reasons: said.reasons.to_vec(),
    }
}

fn change_in(said: &ChangeJson, sets: &mut TaskSets<'_>) -> Result<SampleChange, BadTree> {
    Ok(SampleChange {
        moved: sets.set(&said.moved)?,
        came_or_went: sets.set(&said.came_or_went)?,
    })
}

/// That every index leads to something.
fn leads_somewhere(tree: &OrderedTree) -> Result<(), BadTree> {
    let siblings = tree.nodes.iter().flat_map(|node| &node.siblings);
    let mut nodes = siblings
        .map(|sibling| sibling.node)
        .chain(tree.classes.iter().map(|class| class.node))
        .chain(
            tree.steps
                .iter()
                .flat_map(|step| step.branches.iter().copied().chain([step.node])),
        );
    let mut classes = tree.nodes.iter().filter_map(|node| node.class);
    let astray = nodes
        .find(|&node| node >= tree.nodes.len())
        .or_else(|| classes.find(|&class| class >= tree.classes.len()));
    astray.map_or(Ok(()), |number| Err(BadTree::Index(number)))
}

/// The sets of a document, each made once: a few bytes may stand for many tasks, and may be repeated.
struct TaskSets<'s> {
    page: &'s PageSets,
    known: BTreeMap<String, TaskSet>,
    /// How many tasks there may still be.
    left: u64,
}

impl<'s> TaskSets<'s> {
    fn of_page(page: &'s PageSets) -> Self {
        Self {
            page,
            known: BTreeMap::new(),
            left: MOST_TASKS,
        }
    }

    fn set(&mut self, text: &str) -> Result<TaskSet, BadTree> {
        if let Some(known) = self.known.get(text) {
            return Ok(known.clone());
        }
        let ranks = self.page.set(text).map_err(BadTree::Tasks)?;
        if ranks.ranges().len() > 1 {
            let left = self.left.checked_sub(ranks.len());
            self.left = left.ok_or(BadTree::Tasks(BadSet::TooLarge))?;
        }
        let set = TaskSet::from_ranges(ranks.ranges().to_vec());
        self.known.insert(text.to_owned(), set.clone());
        Ok(set)
    }
}
