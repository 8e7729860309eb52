//! Folded stacks, one per line (`main;solve;MPI_Allreduce 31`), as flame graph tools read them; least progressed first.

use super::{name, place};
use crate::names::Names;
use engine::{NodeKind, OrderedTree};

/// A tree as folded stacks. The number is that of stacks.
pub fn tree_folded(tree: &OrderedTree) -> String {
    let mut out = String::new();
    let mut path: Vec<String> = Vec::new();
    for node in tree.nodes.iter().skip(1) {
        path.truncate(node.depth - 1);
        let mut frame = name(tree, node, Names::Whole);
        let at = place(node);
        if node.kind == NodeKind::Frame && node.line.is_some() {
            frame = format!("{frame} {at}");
        }
        // A semicolon parts frames.
        path.push(frame.replace(';', ","));
        let below: u64 = node.children.iter().map(|&child| tree.nodes[child].stacks).sum();
        let own = node.stacks.saturating_sub(below);
        if own > 0 {
            out.push_str(&format!("{} {own}\n", path.join(";")));
        }
    }
    out
}
