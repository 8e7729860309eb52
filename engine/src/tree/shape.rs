//! The shape of the tree that is shown: execution points grouped by what their frames look like at the granularity that
//! the user asked for.

use super::points::Points;
use super::samples::SampleEnds;
use stacktree::{Granularity, Label, LabelId, LabelKind, NodeId, Number, TaskSet, Text, Tree};
use std::collections::BTreeMap;

/// A frame as it is shown: its label, and the values that differ within what was taken together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Look<'a> {
    pub(crate) label: Label<&'a str>,
    /// For values that differ, the one on the last execution point.
    pub(crate) last: Vec<Option<Number>>,
}

/// Stacks that are shown as one.
#[derive(Debug)]
pub(crate) struct Strand<'a> {
    /// Outermost first.
    pub(crate) path: Vec<Look<'a>>,
    /// The unit of the order that it is, if it takes part.
    pub(crate) unit: Option<usize>,
    pub(crate) tasks: TaskSet,
    pub(crate) stacks: u64,
    /// How many execution points it stands for.
    pub(crate) points: usize,
    /// Its tasks in each sample.
    pub(crate) samples: Vec<TaskSet>,
}

/// How finely the frame at a depth of a strand is shown: decided by the caller for each strand.
pub(crate) type Fineness<'a> = dyn Fn(Option<usize>, usize) -> Granularity + 'a;

/// All strands of a tree: one for each unit, and one for each place where other stacks end. Of a unit of many kinds each
/// execution point is a strand that takes no part in the order: its stacks have nothing in common that one strand could show.
pub(crate) fn strands<'a>(
    tree: &'a Tree,
    points: &Points<'_>,
    ends: &SampleEnds,
    fineness: &Fineness<'_>,
) -> Vec<Strand<'a>> {
    let mut strands = Vec::new();
    for (number, unit) in points.units.iter().enumerate() {
        if unit.is_mixed {
            strands.extend(unit.leaves.iter().map(|&leaf| {
                let path = points.leaves.path(leaf);
                let looks = looks(tree, &[path], &|depth| {
                    fineness(None, depth).min(Granularity::Line)
                });
                strand(tree, ends, looks, None, &[points.leaves.nodes[leaf]])
            }));
            continue;
        }
        let paths: Vec<&[NodeId]> = unit.leaves.iter().map(|&leaf| points.leaves.path(leaf)).collect();
        let path = looks(tree, &paths, &|depth| fineness(Some(number), depth));
        let nodes: Vec<NodeId> = unit
            .leaves
            .iter()
            .map(|&leaf| points.leaves.nodes[leaf])
            .collect();
        strands.push(strand(tree, ends, path, Some(number), &nodes));
    }
    strands.extend(others(tree, ends, fineness));
    strands
}

fn strand<'a>(
    tree: &'a Tree,
    ends: &SampleEnds,
    path: Vec<Look<'a>>,
    unit: Option<usize>,
    nodes: &[NodeId],
) -> Strand<'a> {
    let count = |&node: &NodeId| tree.stacks_ending(node);
    let in_sample = |sample: &BTreeMap<NodeId, TaskSet>| {
        TaskSet::union_of(nodes.iter().filter_map(|node| sample.get(node)))
    };
    Strand {
        path,
        unit,
        tasks: TaskSet::union_of(nodes.iter().map(|&node| tree.ends(node))),
        stacks: nodes.iter().map(count).sum(),
        points: nodes.len(),
        samples: ends.iter().map(in_sample).collect(),
    }
}

/// The stacks of other threads, and tasks that could not be read.
fn others<'a>(tree: &'a Tree, ends: &SampleEnds, fineness: &Fineness<'_>) -> Vec<Strand<'a>> {
    let mut strands = Vec::new();
    let mut open: Vec<(NodeId, usize)> = Vec::new();
    let aside = |&node: &NodeId| {
        tree.label(node)
            .is_some_and(|label| label.kind != LabelKind::Frame)
    };
    for outermost in tree.children(NodeId::ROOT).filter(aside) {
        for node in tree.subtree(outermost).map(NodeId::at) {
            while open.last().is_some_and(|&(_, end)| end <= node.index()) {
                open.pop();
            }
            open.push((node, tree.subtree(node).end));
            if tree.ends(node).is_empty() {
                continue;
            }
            let path: Vec<NodeId> = open.iter().map(|&(node, _)| node).collect();
            // Values do not order these: telling them apart by values would help nobody.
            let looks = looks(tree, &[&path], &|depth| {
                fineness(None, depth).min(Granularity::Line)
            });
            strands.push(strand(tree, ends, looks, None, &[node]));
        }
        open.clear();
    }
    strands
}

/// The frames of paths that differ in values alone.
fn looks<'a>(
    tree: &'a Tree,
    paths: &[&[NodeId]],
    granularity: &dyn Fn(usize) -> Granularity,
) -> Vec<Look<'a>> {
    let [first, ..] = paths else { return Vec::new() };
    let values = |node: NodeId| {
        tree.label_id(node)
            .map(|id: LabelId| tree.dictionary().values(id))
    };
    let look = |(depth, &node): (usize, &NodeId)| {
        let granularity = granularity(depth);
        let label = tree.label(node)?.at(granularity);
        let mut last = vec![None; label.values.len()];
        let own: &[(Text, Number)] = values(node)?;
        for path in &paths[1..] {
            let Some(&other) = path.get(depth) else { continue };
            if tree.label_id(other) == tree.label_id(node) {
                continue;
            }
            let theirs = values(other)?;
            for (at, place) in last.iter_mut().enumerate() {
                if let (Some(mine), Some(theirs)) = (own.get(at), theirs.get(at))
                    && mine.1 != theirs.1
                {
                    *place = Some(theirs.1);
                }
            }
        }
        Some(Look { label, last })
    };
    first.iter().enumerate().filter_map(look).collect()
}
