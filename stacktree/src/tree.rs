//! The tree, in columns.
//!
//! Nodes stand in preorder, parents before children, siblings by label; node 0 is the root and has no label of its own.
//! A node holds the tasks of the stacks that *end* there; the tasks that pass through it are those of its subtree.
//! So a node costs 12 bytes, a place where stacks end 24 more, and a million stacks that differ stay small.

use crate::dictionary::Dictionary;
use crate::label::{Label, LabelId};
use crate::set::TaskSet;
use crate::weave::{self, Labels, Source};
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
    pub(crate) nodes: Vec<Node>,
    /// The stacks that end at nodes, in the order of these.
    pub(crate) ends: Vec<Ends>,
}

/// A node, as small as can be: of a million stacks that differ there are many millions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Node {
    /// The root's means nothing.
    pub(crate) label: LabelId,
    /// How many nodes the subtree has, with its root.
    pub(crate) size: u32,
    /// How many of the nodes before it have stacks that end there.
    pub(crate) ends_before: u32,
}

/// The stacks that end at a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ends {
    /// Whose they are.
    pub(crate) tasks: TaskSet,
    /// How many they are: more than tasks when threads were read.
    pub(crate) stacks: u32,
}

/// Where no stack ends.
static NOBODY: TaskSet = TaskSet::EMPTY;

impl Default for Tree {
    fn default() -> Self {
        let mut tree = Self::empty();
        tree.push(LabelId::default());
        tree.nodes[0].size = 1;
        tree
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
                open.push(tree.len());
                tree.push(label);
            }
            tree.end_here(Ends {
                tasks: group.iter().map(|&(_, task)| task).collect(),
                stacks: u32::try_from(group.len()).unwrap_or(u32::MAX),
            });
            last = path;
        }
        tree.close(&mut open, 1);
        tree.nodes[0].size = u32::try_from(tree.len()).unwrap_or(u32::MAX);
        tree
    }

    /// No nodes at all, not even a root.
    pub(crate) fn empty() -> Self {
        Self {
            dictionary: Dictionary::default(),
            nodes: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Adds a node behind all others; its size follows when its subtree is complete.
    pub(crate) fn push(&mut self, label: LabelId) {
        self.nodes.push(Node {
            label,
            size: 0,
            ends_before: u32::try_from(self.ends.len()).unwrap_or(u32::MAX),
        });
    }

    /// Stacks end at the node that was added last.
    pub(crate) fn end_here(&mut self, ends: Ends) {
        if ends != Ends::default() {
            self.ends.push(ends);
        }
    }

    /// Adds a whole subtree of another tree, its labels as `label` gives them.
    pub(crate) fn push_subtree(&mut self, other: &Tree, node: NodeId, label: impl Fn(usize) -> LabelId) {
        let range = other.subtree(node);
        let ends = other.ends_in(range.clone());
        let base = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        let start = u32::try_from(ends.start).unwrap_or(u32::MAX);
        let nodes = other.nodes[range.clone()].iter().zip(range);
        self.nodes.extend(nodes.map(|(node, at)| Node {
            label: label(at),
            ends_before: node.ends_before - start + base,
            ..*node
        }));
        self.ends.extend_from_slice(&other.ends[ends]);
    }

    /// Adds all nodes of a tree without a root.
    pub(crate) fn append(&mut self, part: Tree) {
        let base = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        self.nodes.extend(part.nodes.iter().map(|node| Node {
            ends_before: node.ends_before + base,
            ..*node
        }));
        self.ends.extend(part.ends);
    }

    /// Nothing more will be added below all but the outermost `keep` of the open nodes.
    pub(crate) fn close(&mut self, open: &mut Vec<usize>, keep: usize) {
        for node in open.drain(keep.min(open.len())..) {
            self.nodes[node].size = u32::try_from(self.nodes.len() - node).unwrap_or(u32::MAX);
        }
    }

    /// Where the stacks that end at some nodes are.
    fn ends_in(&self, nodes: Range<usize>) -> Range<usize> {
        let before = |at: usize| {
            let node = self.nodes.get(at);
            node.map_or(self.ends.len(), |node| node.ends_before as usize)
        };
        before(nodes.start)..before(nodes.end)
    }

    pub(crate) fn ends_of(&self, node: NodeId) -> Option<&Ends> {
        self.ends[self.ends_in(node.index()..node.index() + 1)].first()
    }

    /// How many nodes there are, the root included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no stack is in the tree.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1 && self.ends.is_empty()
    }

    /// All nodes, parents before children.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId::at)
    }

    /// The strings and labels.
    pub fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }

    /// The number of a node's label; `None` for the root.
    pub fn label_id(&self, node: NodeId) -> Option<LabelId> {
        (node != NodeId::ROOT).then(|| self.nodes[node.index()].label)
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
                next += self.nodes[child].size as usize;
                NodeId::at(child)
            })
        })
    }

    /// The places in the columns of a node and all below it.
    pub fn subtree(&self, node: NodeId) -> Range<usize> {
        node.index()..node.index() + self.nodes[node.index()].size as usize
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
        self.ends_of(node).map_or(&NOBODY, |ends| &ends.tasks)
    }

    /// The tasks that pass through a node or end there.
    pub fn tasks(&self, node: NodeId) -> TaskSet {
        let ends = &self.ends[self.ends_in(self.subtree(node))];
        TaskSet::union_of(ends.iter().map(|ends| &ends.tasks))
    }

    /// How many stacks end at a node.
    pub fn stacks_ending(&self, node: NodeId) -> u64 {
        self.ends_of(node).map_or(0, |ends| ends.stacks.into())
    }

    /// How many stacks pass through a node or end there.
    pub fn stacks(&self, node: NodeId) -> u64 {
        let ends = &self.ends[self.ends_in(self.subtree(node))];
        ends.iter().map(|ends| u64::from(ends.stacks)).sum()
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
        let labels = self.dictionary.found_in(&whole.dictionary);
        let mut places = vec![None; self.len()];
        places[0] = Some(NodeId::ROOT);
        for node in self.nodes() {
            let Some(place) = places[node.index()] else {
                continue;
            };
            let mut theirs = whole.children(place).peekable();
            // Labels of both sort alike, so one pass finds them all.
            for child in self.children(node) {
                let wanted = labels[self.nodes[child.index()].label.index()];
                while theirs
                    .peek()
                    .is_some_and(|&other| Some(whole.nodes[other.index()].label) < wanted)
                {
                    theirs.next();
                }
                places[child.index()] = theirs
                    .peek()
                    .copied()
                    .filter(|&other| Some(whole.nodes[other.index()].label) == wanted);
            }
        }
        places
    }

    /// The tree with other tasks in place of each: where one stack stands for many. Every one of them has that one stack.
    #[must_use]
    pub fn with_tasks(mut self, of: impl Fn(u32) -> TaskSet) -> Tree {
        for ends in &mut self.ends {
            let all: Vec<TaskSet> = ends.tasks.iter().map(&of).collect();
            let count: u64 = all.iter().map(TaskSet::len).sum();
            ends.stacks = u32::try_from(count).unwrap_or(u32::MAX);
            ends.tasks = TaskSet::union_of(&all);
        }
        self
    }

    /// The tree with other labels; siblings that become alike become one. With the node comes its label.
    pub fn relabelled<'a>(&'a self, mut label: impl FnMut(NodeId, Label<&'a str>) -> Label<&'a str>) -> Tree {
        let labels: Vec<Label<&str>> = self
            .nodes()
            .skip(1)
            .map(|node| label(node, self.dictionary.label(self.nodes[node.index()].label)))
            .collect();
        let (dictionary, ids) = Dictionary::new(&labels);
        let source = Source {
            tree: self,
            labels: Labels::OfNodes(&ids),
        };
        weave::weave(&[source], dictionary)
    }
}
