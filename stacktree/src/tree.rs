//! The tree, in columns.
//!
//! Nodes stand in preorder, parents before children, siblings by label; node 0 is the root and has no label of its own.
//! A node holds the tasks of the stacks that *end* there; the tasks that pass through it are those of its subtree.
//! So a node costs 16 bytes besides its label, and a million stacks that differ stay small.

use crate::label::{Dictionary, Granularity, Label, LabelId};
use crate::set::TaskSet;
use crate::weave::{self, Source};
use std::ops::Range;

/// A node of a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The node above all others.
    pub const ROOT: NodeId = NodeId(0);

    /// The place in a column of the tree.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The node of that place in the columns.
    pub fn at(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

/// Stacks that were seen, as [`Tree::new`] takes them.
#[derive(Clone, Debug, Default)]
pub struct Stack<'a> {
    /// The task's number.
    pub task: u32,
    /// Outermost first.
    pub frames: Vec<Label<&'a str>>,
}

/// A prefix tree of stacks.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    pub(crate) dictionary: Dictionary,
    /// The label of each node; the root's means nothing.
    pub(crate) labels: Vec<LabelId>,
    /// How many nodes each subtree has, with its root.
    pub(crate) sizes: Vec<u32>,
    /// The tasks of the stacks that end at each node.
    pub(crate) ends: Vec<TaskSet>,
    /// How many stacks end at each node: more than tasks when threads were read.
    pub(crate) stacks: Vec<u32>,
}

impl Default for Tree {
    fn default() -> Self {
        Self {
            dictionary: Dictionary::default(),
            labels: vec![LabelId(0)],
            sizes: vec![1],
            ends: vec![TaskSet::default()],
            stacks: vec![0],
        }
    }
}

impl Tree {
    /// The tree of these stacks, at the finest granularity.
    pub fn new(stacks: &[Stack<'_>]) -> Self {
        let (dictionary, ids) = Dictionary::new(stacks.iter().flat_map(|stack| &stack.frames));
        let mut rest = &ids[..];
        let mut paths: Vec<(&[LabelId], u32)> = Vec::with_capacity(stacks.len());
        for stack in stacks {
            let (path, more) = rest.split_at(stack.frames.len());
            paths.push((path, stack.task));
            rest = more;
        }
        paths.sort_unstable();
        let mut tree = Tree {
            dictionary,
            ..Tree::default()
        };
        // The nodes from the root to the one that was added last.
        let mut open: Vec<usize> = vec![0];
        let mut last: &[LabelId] = &[];
        for group in paths.chunk_by(|a, b| a.0 == b.0) {
            let path = group[0].0;
            let shared = path.iter().zip(last).take_while(|(a, b)| a == b).count();
            tree.close(&mut open, shared + 1);
            for &label in &path[shared..] {
                open.push(tree.labels.len());
                tree.push(label);
            }
            let at = open[open.len() - 1];
            tree.ends[at] = group.iter().map(|&(_, task)| task).collect();
            tree.stacks[at] = u32::try_from(group.len()).unwrap_or(u32::MAX);
            last = path;
        }
        tree.close(&mut open, 1);
        tree.sizes[0] = u32::try_from(tree.labels.len()).unwrap_or(u32::MAX);
        tree
    }

    /// Adds a node behind all others; its size follows when its subtree is complete.
    pub(crate) fn push(&mut self, label: LabelId) {
        self.labels.push(label);
        self.sizes.push(0);
        self.ends.push(TaskSet::default());
        self.stacks.push(0);
    }

    /// Nothing more will be added below all but the outermost `keep` of the open nodes.
    pub(crate) fn close(&mut self, open: &mut Vec<usize>, keep: usize) {
        for node in open.drain(keep.min(open.len())..) {
            self.sizes[node] = u32::try_from(self.labels.len() - node).unwrap_or(u32::MAX);
        }
    }

    /// How many nodes there are, the root included.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether no stack is in the tree.
    pub fn is_empty(&self) -> bool {
        self.labels.len() == 1 && self.stacks[0] == 0
    }

    /// All nodes, parents before children.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.labels.len()).map(NodeId::at)
    }

    /// The strings and labels.
    pub fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }

    /// The number of a node's label; `None` for the root.
    pub fn label_id(&self, node: NodeId) -> Option<LabelId> {
        (node != NodeId::ROOT).then(|| self.labels[node.index()])
    }

    /// A node's label; `None` for the root.
    pub fn label(&self, node: NodeId) -> Option<Label<&str>> {
        self.label_id(node).map(|id| self.dictionary.label(id))
    }

    /// The children of a node, by label.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.subtree(node).end;
        let mut next = node.index() + 1;
        std::iter::from_fn(move || {
            let child = next;
            (child < end).then(|| {
                next += self.sizes[child] as usize;
                NodeId::at(child)
            })
        })
    }

    /// The places in the columns of a node and all below it.
    pub fn subtree(&self, node: NodeId) -> Range<usize> {
        node.index()..node.index() + self.sizes[node.index()] as usize
    }

    /// The parent of each node, by place; the root is its own.
    pub fn parents(&self) -> Vec<NodeId> {
        let mut parents = vec![NodeId::ROOT; self.len()];
        for node in self.nodes() {
            for child in self.children(node) {
                parents[child.index()] = node;
            }
        }
        parents
    }

    /// The tasks of the stacks that end at a node.
    pub fn ends(&self, node: NodeId) -> &TaskSet {
        &self.ends[node.index()]
    }

    /// The tasks that pass through a node or end there.
    pub fn tasks(&self, node: NodeId) -> TaskSet {
        TaskSet::union_of(&self.ends[self.subtree(node)])
    }

    /// How many stacks end at a node.
    pub fn stacks_ending(&self, node: NodeId) -> u64 {
        self.stacks[node.index()].into()
    }

    /// How many stacks pass through a node or end there.
    pub fn stacks(&self, node: NodeId) -> u64 {
        self.stacks[self.subtree(node)]
            .iter()
            .map(|&count| u64::from(count))
            .sum()
    }

    /// The labels from the outermost frame to a node.
    pub fn path(&self, node: NodeId) -> Vec<NodeId> {
        let mut path = Vec::new();
        let mut at = NodeId::ROOT;
        while at != node {
            let below = self
                .children(at)
                .find(|&child| self.subtree(child).contains(&node.index()));
            let Some(child) = below else { break };
            path.push(child);
            at = child;
        }
        path
    }

    /// Where each node of this tree is in another that holds all its stacks.
    pub fn places_in(&self, whole: &Tree) -> Vec<Option<NodeId>> {
        let labels: Vec<Option<LabelId>> = (0..self.dictionary.len())
            .map(|at| whole.dictionary.find(&self.dictionary.label(LabelId::new(at))))
            .collect();
        let mut places = vec![None; self.len()];
        places[0] = Some(NodeId::ROOT);
        for node in self.nodes() {
            let Some(place) = places[node.index()] else {
                continue;
            };
            let mut theirs = whole.children(place).peekable();
            // Labels of both sort alike, so one pass finds them all.
            for child in self.children(node) {
                let wanted = labels[self.labels[child.index()].index()];
                while theirs
                    .peek()
                    .is_some_and(|&other| Some(whole.labels[other.index()]) < wanted)
                {
                    theirs.next();
                }
                places[child.index()] = theirs
                    .peek()
                    .copied()
                    .filter(|&other| Some(whole.labels[other.index()]) == wanted);
            }
        }
        places
    }

    /// The tree as a granularity sees it.
    pub fn coarsened(&self, granularity: Granularity) -> Tree {
        self.relabelled(|_, label| label.at(granularity))
    }

    /// The tree with other labels; siblings that become alike become one. With the node comes its label.
    pub fn relabelled<'a>(&'a self, mut label: impl FnMut(NodeId, Label<&'a str>) -> Label<&'a str>) -> Tree {
        let labels: Vec<Label<&str>> = self
            .nodes()
            .skip(1)
            .map(|node| label(node, self.dictionary.label(self.labels[node.index()])))
            .collect();
        let (dictionary, ids) = Dictionary::new(&labels);
        let source = Source {
            tree: self,
            label: &|node| ids[node - 1],
            keeps_siblings: false,
        };
        weave::weave(&[source], dictionary)
    }
}
