//! The execution points of a tree: the nodes where stacks end, and which of them differ in values alone.

use super::numbers::value_of;
use progress::{Located, Order};
use stacktree::{LabelKind, NodeId, Number, PlaceId, Text, Tree};
use std::collections::BTreeMap;

/// The execution points of a tree, in the order of their nodes.
pub(crate) struct Leaves {
    /// The node of each.
    pub(crate) nodes: Vec<NodeId>,
    /// The nodes from the root to each, all in one vector; the root itself is left out.
    paths: Vec<NodeId>,
    /// Where each leaf's path is in `paths`.
    path_ends: Vec<usize>,
    /// The kind of each: leaves of one kind differ in values alone.
    kinds: Vec<u32>,
}

impl Leaves {
    /// All nodes at which stacks of main threads end that could be read.
    pub(crate) fn of(tree: &Tree) -> Self {
        let mut leaves = Self {
            nodes: Vec::new(),
            paths: Vec::new(),
            path_ends: Vec::new(),
            kinds: Vec::new(),
        };
        let mut shapes = Shapes::of(tree);
        let mut open: Vec<(NodeId, usize)> = Vec::new();
        for node in tree.nodes().skip(1) {
            while open.last().is_some_and(|&(_, end)| end <= node.index()) {
                open.pop();
            }
            let shape = shapes.of_node(tree, node, open.len());
            open.push((node, tree.subtree(node).end));
            let outermost = tree
                .label_id(open[0].0)
                .map(|id| tree.dictionary().place(id).kind);
            if tree.ends(node).is_empty() || outermost != Some(LabelKind::Frame) {
                continue;
            }
            leaves.nodes.push(node);
            leaves.paths.extend(open.iter().map(|&(node, _)| node));
            leaves.path_ends.push(leaves.paths.len());
            leaves.kinds.push(shape);
        }
        leaves
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The nodes from the outermost frame to a leaf.
    pub(crate) fn path(&self, leaf: usize) -> &[NodeId] {
        let start = leaf.checked_sub(1).map_or(0, |before| self.path_ends[before]);
        &self.paths[start..self.path_ends[leaf]]
    }

    /// The leaves of each kind, in their order.
    pub(crate) fn by_kind(&self) -> Vec<Vec<usize>> {
        let mut place: Vec<Option<usize>> = Vec::new();
        let mut kinds: Vec<Vec<usize>> = Vec::new();
        for (leaf, &shape) in self.kinds.iter().enumerate() {
            let shape = shape as usize;
            place.resize(place.len().max(shape + 1), None);
            let kind = *place[shape].get_or_insert(kinds.len());
            if kind == kinds.len() {
                kinds.push(Vec::new());
            }
            kinds[kind].push(leaf);
        }
        kinds
    }

    /// A leaf as the order compares it.
    pub(crate) fn locate(&self, order: &Order<'_>, tree: &Tree, leaf: usize, name: &str) -> Located {
        let frames = self
            .path(leaf)
            .iter()
            .filter_map(|&node| tree.label(node))
            .map(|label| {
                let values = label.values.iter();
                let values = values.filter_map(|&(name, value)| Some((name.to_owned(), value_of(value)?)));
                progress::Frame {
                    function: label.function.to_owned(),
                    file: label.file.map(str::to_owned),
                    line: (label.line > 0).then_some(label.line),
                    column: (label.column > 0).then_some(label.column),
                    inexact: label.inexact,
                    straight: label.straight,
                    values: values.collect(),
                    ..progress::Frame::default()
                }
            });
        order.locate(&progress::ExecutionPoint {
            task: name.to_owned(),
            // One leaf stands for many tasks: two leaves are never two moments of one.
            rank: None,
            pid: None,
            frames: frames.collect(),
            beneath: None,
            incomplete: None,
        })
    }
}

/// What a path looks like but for its values, as a number.
struct Shapes {
    /// The place of each label, and which of its values were read.
    labels: Vec<u32>,
    /// The number of a path, by that of the path above it and its last label's.
    known: BTreeMap<(u32, u32), u32>,
    /// Of the last node at each depth: its parent's number and its label's, and its own. Neighbours are mostly alike.
    last: Vec<((u32, u32), u32)>,
}

impl Shapes {
    fn of(tree: &Tree) -> Self {
        type Looks = (PlaceId, Vec<(Text, bool)>);
        let mut known: BTreeMap<Looks, u32> = BTreeMap::new();
        let mut last: Option<(Looks, u32)> = None;
        let dictionary = tree.dictionary();
        let number = |id| {
            let values = || dictionary.values(id).iter();
            let looks = || values().map(|&(name, value)| (name, value == Number::Unread));
            // Labels that differ in values alone stand behind each other.
            if let Some(((place, before), number)) = &last
                && *place == dictionary.place_id(id)
                && looks().eq(before.iter().copied())
            {
                return *number;
            }
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            let key: Looks = (dictionary.place_id(id), looks().collect());
            let number = *known.entry(key.clone()).or_insert(next);
            last = Some((key, number));
            number
        };
        Self {
            labels: dictionary.ids().map(number).collect(),
            known: BTreeMap::new(),
            last: Vec::new(),
        }
    }

    /// The number of the path to a node; of the nodes above it, that of the last one at each depth must be known.
    fn of_node(&mut self, tree: &Tree, node: NodeId, depth: usize) -> u32 {
        let above = depth
            .checked_sub(1)
            .map_or(u32::MAX, |parent| self.last[parent].1);
        let label = tree.label_id(node).map_or(u32::MAX, |id| self.labels[id.index()]);
        let key = (above, label);
        match self.last.get(depth) {
            Some(&(last, number)) if last == key => number,
            _ => {
                let next = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
                let number = *self.known.entry(key).or_insert(next);
                self.last.truncate(depth);
                self.last.push((key, number));
                number
            }
        }
    }
}
