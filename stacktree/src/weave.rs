//! Several trees into one: the work behind merging and coarsening.
//!
//! Every node of the result stands for a group of nodes of the sources that have the same path. The result is built in
//! preorder; the children of a group are the children of its members, sorted by label. A group of one member whose
//! siblings stay what they are is copied as it is: where tasks part, most of a tree is such copies.

use crate::label::{Dictionary, LabelId};
use crate::set::TaskSet;
use crate::tree::{NodeId, Tree};

/// A tree that takes part.
pub(crate) struct Source<'a> {
    /// The tree.
    pub(crate) tree: &'a Tree,
    /// The label that the node at a place has in the result.
    pub(crate) label: &'a dyn Fn(usize) -> LabelId,
    /// The new labels sort as the old ones do, and no two become one.
    pub(crate) keeps_siblings: bool,
}

/// A node of a source.
#[derive(Clone, Copy)]
struct Member {
    source: u32,
    node: u32,
}

/// The tree of all; `dictionary` holds the labels that the sources give.
pub(crate) fn weave(sources: &[Source<'_>], dictionary: Dictionary) -> Tree {
    let mut result = Tree {
        dictionary,
        ..Tree::default()
    };
    let roots = (0..sources.len()).map(|source| Member {
        source: u32::try_from(source).unwrap_or(u32::MAX),
        node: 0,
    });
    let mut open = vec![0];
    // What is still to be added: siblings by label, the next one last, with the number of nodes above them.
    let mut todo: Vec<(usize, Vec<(LabelId, Member)>)> = Vec::new();
    settle(&mut result, sources, Vec::from_iter(roots), 1, &mut todo);
    while let Some((depth, siblings)) = todo.last_mut() {
        let depth = *depth;
        let Some(&(label, first)) = siblings.last() else {
            todo.pop();
            continue;
        };
        let mut members = Vec::new();
        while let Some(&(next, member)) = siblings.last()
            && next == label
        {
            members.push(member);
            siblings.pop();
        }
        result.close(&mut open, depth);
        if members.len() == 1 && sources[first.source as usize].keeps_siblings {
            copy(&mut result, &sources[first.source as usize], first.node as usize);
            continue;
        }
        open.push(result.labels.len());
        result.push(label);
        settle(&mut result, sources, members, depth + 1, &mut todo);
    }
    result.close(&mut open, 0);
    result
}

/// Gives the node that was added last what its members have, and lists their children.
fn settle(
    result: &mut Tree,
    sources: &[Source<'_>],
    members: Vec<Member>,
    depth: usize,
    todo: &mut Vec<(usize, Vec<(LabelId, Member)>)>,
) {
    let of = |member: &Member| (&sources[member.source as usize], member.node as usize);
    let last = result.labels.len() - 1;
    result.ends[last] = TaskSet::union_of(members.iter().map(|member| {
        let (source, node) = of(member);
        &source.tree.ends[node]
    }));
    result.stacks[last] = members.iter().fold(0, |sum: u32, member| {
        let (source, node) = of(member);
        sum.saturating_add(source.tree.stacks[node])
    });
    let mut children: Vec<(LabelId, Member)> = Vec::new();
    for member in &members {
        let (source, node) = of(member);
        children.extend(source.tree.children(NodeId::at(node)).map(|child| {
            let member = Member {
                source: member.source,
                node: child.0,
            };
            ((source.label)(child.index()), member)
        }));
    }
    // The next one is taken from the end. Members of one label may come in any order: their union has none.
    children.sort_unstable_by_key(|&(label, _)| std::cmp::Reverse(label));
    if !children.is_empty() {
        todo.push((depth, children));
    }
}

/// Adds a whole subtree of one source.
fn copy(result: &mut Tree, source: &Source<'_>, node: usize) {
    let range = source.tree.subtree(NodeId::at(node));
    result.labels.extend(range.clone().map(|at| (source.label)(at)));
    result.sizes.extend_from_slice(&source.tree.sizes[range.clone()]);
    result.ends.extend_from_slice(&source.tree.ends[range.clone()]);
    result.stacks.extend_from_slice(&source.tree.stacks[range]);
}
