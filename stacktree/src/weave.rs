//! Several trees into one: the work behind merging and coarsening.
//!
//! Every node of the result stands for a group of nodes of the sources that have the same path. The result is built in
//! preorder; the children of a group are the children of its members, sorted by label. A group of one member whose
//! siblings stay what they are is copied as it is: where tasks part, most of a tree is such copies. Where very many
//! groups stand side by side, they are dealt out to the processors and the pieces put behind each other: a node knows the
//! size of its subtree and no index, so pieces need no change.

use crate::dictionary::Dictionary;
use crate::label::LabelId;
use crate::set::TaskSet;
use crate::tree::{Ends, NodeId, Tree};
use rayon::prelude::*;

/// So many siblings are worth the work of more than one processor.
const PIECE: usize = 16_384;

/// A tree that takes part.
pub(crate) struct Source<'a> {
    /// The tree.
    pub(crate) tree: &'a Tree,
    /// The labels of its nodes in the result.
    pub(crate) labels: Labels<'a>,
}

/// How the nodes of a source are labelled in the result.
pub(crate) enum Labels<'a> {
    /// The new number of each label: they sort as the old ones do, and no two become one.
    Moved(&'a [LabelId]),
    /// One for each node but the root; siblings may become alike.
    OfNodes(&'a [LabelId]),
}

impl Source<'_> {
    fn label(&self, node: usize) -> LabelId {
        match self.labels {
            // The root's label means nothing and may be of an empty dictionary.
            Labels::Moved(moved) => moved[self.tree.nodes[node].label.index()],
            Labels::OfNodes(labels) => labels[node - 1],
        }
    }

    fn keeps_siblings(&self) -> bool {
        matches!(self.labels, Labels::Moved(_))
    }
}

/// A node of a source, with the label that it will have.
#[derive(Clone, Copy)]
struct Member {
    label: LabelId,
    source: u32,
    node: u32,
}

/// What is still to be added below a node: siblings by label, and how many of them are done.
struct Pending {
    depth: usize,
    siblings: Vec<Member>,
    done: usize,
}

/// The tree of all; `dictionary` holds the labels that the sources give.
pub(crate) fn weave(sources: &[Source<'_>], dictionary: Dictionary) -> Tree {
    let roots = (0..sources.len()).map(|source| Member {
        label: LabelId::default(),
        source: u32::try_from(source).unwrap_or(u32::MAX),
        node: 0,
    });
    let roots = Vec::from_iter(roots);
    let mut result = Tree {
        dictionary,
        ..Tree::default()
    };
    settle(&mut result, sources, &roots);
    add_below(&mut result, sources, &roots, true);
    result.nodes[0].size = u32::try_from(result.len()).unwrap_or(u32::MAX);
    result
}

/// Adds all that is below nodes of the sources that have become the last one of the result.
fn add_below(result: &mut Tree, sources: &[Source<'_>], members: &[Member], in_pieces: bool) {
    let mut open: Vec<usize> = Vec::new();
    let mut todo = vec![Pending {
        depth: 0,
        siblings: children(sources, members),
        done: 0,
    }];
    while let Some(next) = todo.last_mut() {
        let rest = &next.siblings[next.done..];
        let Some(&first) = rest.first() else {
            todo.pop();
            continue;
        };
        let depth = next.depth;
        result.close(&mut open, depth);
        if in_pieces && next.done == 0 && rest.len() > PIECE && first.label != rest[rest.len() - 1].label {
            let siblings = std::mem::take(&mut next.siblings);
            add_pieces(result, sources, &siblings);
            continue;
        }
        let count = rest
            .iter()
            .take_while(|member| member.label == first.label)
            .count();
        next.done += count;
        let source = &sources[first.source as usize];
        if count == 1 && source.keeps_siblings() {
            copy(result, source, first.node as usize);
            continue;
        }
        let members = rest[..count].to_vec();
        open.push(result.len());
        result.push(first.label);
        settle(result, sources, &members);
        let siblings = children(sources, &members);
        if !siblings.is_empty() {
            todo.push(Pending {
                depth: depth + 1,
                siblings,
                done: 0,
            });
        }
    }
    result.close(&mut open, 0);
}

/// Adds siblings and all below them, several pieces at a time.
fn add_pieces(result: &mut Tree, sources: &[Source<'_>], siblings: &[Member]) {
    let mut pieces: Vec<&[Member]> = Vec::new();
    let mut rest = siblings;
    while !rest.is_empty() {
        let at = rest.len().min(PIECE);
        // Members of one label stay together.
        let label = rest[at - 1].label;
        let end = at + rest[at..].partition_point(|member| member.label == label);
        let (piece, more) = rest.split_at(end);
        pieces.push(piece);
        rest = more;
    }
    let piece = |siblings: &&[Member]| {
        let mut part = Tree::empty();
        for group in siblings.chunk_by(|a, b| a.label == b.label) {
            let source = &sources[group[0].source as usize];
            if group.len() == 1 && source.keeps_siblings() {
                copy(&mut part, source, group[0].node as usize);
                continue;
            }
            let at = part.len();
            part.push(group[0].label);
            settle(&mut part, sources, group);
            // One level of pieces is enough, however deep the stacks are.
            add_below(&mut part, sources, group, false);
            part.nodes[at].size = u32::try_from(part.len() - at).unwrap_or(u32::MAX);
        }
        part
    };
    // So many pieces are in memory besides the result.
    let at_once = rayon::current_num_threads() * 2;
    for few in pieces.chunks(at_once.max(1)) {
        let parts: Vec<Tree> = few.par_iter().map(piece).collect();
        for part in parts {
            result.append(part);
        }
    }
}

/// Gives the node that was added last the stacks of its members.
fn settle(result: &mut Tree, sources: &[Source<'_>], members: &[Member]) {
    let all = members.iter().filter_map(|member| {
        let tree = sources[member.source as usize].tree;
        tree.ends_of(NodeId::at(member.node as usize))
    });
    let stacks = |sum: u32, ends: &Ends| sum.saturating_add(ends.stacks);
    result.end_here(Ends {
        tasks: TaskSet::union_of(all.clone().map(|ends| &ends.tasks)),
        stacks: all.fold(0, stacks),
    });
}

/// The children of all members, by label.
fn children(sources: &[Source<'_>], members: &[Member]) -> Vec<Member> {
    let mut children: Vec<Member> = Vec::new();
    for member in members {
        let source = &sources[member.source as usize];
        let below = source.tree.children(NodeId::at(member.node as usize));
        children.extend(below.map(|child| Member {
            label: source.label(child.index()),
            source: member.source,
            node: child.0,
        }));
    }
    // Members of one label may come in any order: their union has none.
    if children.len() > PIECE {
        children.par_sort_unstable_by_key(|member| member.label);
    } else {
        children.sort_unstable_by_key(|member| member.label);
    }
    children
}

/// Adds a whole subtree of one source.
fn copy(result: &mut Tree, source: &Source<'_>, node: usize) {
    result.push_subtree(source.tree, NodeId::at(node), |at| source.label(at));
}
