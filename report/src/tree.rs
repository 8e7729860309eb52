//! The prefix tree of a job as text, `.dot` for STATview and Graphviz, and folded stacks for flame graphs; and what its nodes are called
//! wherever it is shown. The page for a browser (`crate::page`) holds its JSON.

mod dot;
mod folded;
mod folds;
mod text;
mod waits;

pub use dot::tree_dot;
pub(crate) use dot::{in_pieces, quoted};
pub use folded::tree_folded;
pub use folds::{FoldedRounds, folded_rounds};
pub use text::{TreeText, tree_text};
pub use waits::waits_of_classes;
pub(crate) use waits::{ClassWaits, Wait};

use crate::clean;
use crate::names::Names;
use engine::{NodeKind, NodeValue, OrderedTree, TaskNames, TaskSet, TreeNode};

/// A set of tasks as STAT writes it, without its brackets: ranges, or names where tasks have no ranks.
pub(crate) fn members(names: &TaskNames, tasks: &TaskSet) -> String {
    if names.are_ranks() {
        return base::RankSet::from(tasks).to_string();
    }
    let name = |task: u32| {
        names
            .name(task)
            .map_or_else(|| task.to_string(), |name| clean(name).into_owned())
    };
    tasks.iter().map(name).collect::<Vec<_>>().join(",")
}

/// The same, cut where it gets long: `0-7,9,11,… (1,000)`.
pub(crate) fn short_members(names: &TaskNames, tasks: &TaskSet, width: usize) -> String {
    // Nobody reads more pieces than fit; asking for them all would take long for a million tasks.
    let mut text = String::new();
    let ranges = tasks.ranges();
    for (at, &(first, last)) in ranges.iter().enumerate() {
        let piece = members(names, &TaskSet::range(first, last));
        if at > 0 && text.chars().count() + piece.chars().count() + 1 > width {
            text.push_str(",…");
            break;
        }
        if at > 0 {
            text.push(',');
        }
        text.extend(piece.chars().take(width.max(1)));
    }
    text
}

/// A variable with its value, or values.
pub fn value(value: &NodeValue) -> String {
    let name = clean(&value.name);
    match (value.first, value.last) {
        (Some(first), Some(last)) => format!("{name}={first}..{last}"),
        (Some(first), None) => format!("{name}={first}"),
        (None, _) => format!("{name}=?"),
    }
}

/// What a node is called: the function with its temporal ranks, as in SC'09 Figure 5 (`get_norm@[T1.2]`).
pub fn name(tree: &OrderedTree, node: &TreeNode, names: Names) -> String {
    with_ranks(tree, node, bare_name(node, names))
}

/// The same by the function's own name alone, for tools that look functions up by it.
pub(crate) fn own_name(tree: &OrderedTree, node: &TreeNode) -> String {
    with_ranks(tree, node, named(node, &node.function))
}

/// What a node is called, without its temporal ranks.
pub fn bare_name(node: &TreeNode, names: Names) -> String {
    named(node, &names.of(&node.function, node.qualified.as_deref()))
}

/// The temporal ranks of a node, if it does not only pass its parent's class on.
pub fn own_ranks<'t>(tree: &'t OrderedTree, node: &'t TreeNode) -> Option<&'t str> {
    let above = tree.nodes[node.parent].temporal.as_deref();
    node.temporal
        .as_deref()
        .filter(|&temporal| above != Some(temporal))
}

fn with_ranks(tree: &OrderedTree, node: &TreeNode, name: String) -> String {
    match own_ranks(tree, node) {
        Some(temporal) => format!("{name}@[{temporal}]"),
        None => name,
    }
}

fn named(node: &TreeNode, function: &str) -> String {
    match node.kind {
        NodeKind::Root => "/".to_owned(),
        NodeKind::Frame => clean(function).into_owned(),
        NodeKind::Here => "(here)".to_owned(),
        NodeKind::Threads => "[other threads]".to_owned(),
        NodeKind::Unreadable if node.children.is_empty() => format!("[not read: {}]", clean(&node.function)),
        NodeKind::Unreadable => format!("[not ordered: {}]", clean(&node.function)),
        NodeKind::Missing => "[missing]".to_owned(),
    }
}

/// The file's last path component and the line, or the module.
pub fn place(node: &TreeNode) -> String {
    let base_name = |path: &str| base::last_component(path).to_owned();
    let place = match (&node.file, node.line, &node.module, node.pc) {
        (_, _, Some(module), Some(pc)) => format!("{}+{pc:#x}", base_name(module)),
        (Some(file), Some(line), ..) => format!("{}:{line}", base_name(file)),
        (_, _, Some(module), None) => base_name(module),
        (Some(file), None, None, _) => base_name(file),
        (None, _, None, Some(pc)) => format!("{pc:#x}"),
        _ => String::new(),
    };
    clean(&place).into_owned()
}

/// What the colours of a `.dot` file stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DotColors {
    /// How far a node is: red is hindmost, blue foremost.
    #[default]
    Progress,
    /// Which tasks pass through it: nodes with the same tasks have the same colour, as in STAT.
    Tasks,
}

/// A colour for each set of tasks, light enough for black text. Hues that follow one another are far apart.
pub(crate) fn fill_by_tasks(node: &TreeNode) -> String {
    const GOLDEN: f64 = 0.618_033_988_75;
    let hue = (node.color as f64 * GOLDEN).fract() * 6.0;
    let channel = |shift: f64| {
        let at = (hue + shift) % 6.0;
        let full = (at - 3.0).abs() - 1.0;
        (135.0 + 110.0 * full.clamp(0.0, 1.0)).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", channel(0.0), channel(4.0), channel(2.0))
}

/// The colour of a node, as documents write it.
pub(crate) fn fill(node: &TreeNode) -> String {
    let [red, green, blue] = color(node);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The colour of a node (red, green, blue), from hindmost (red) to foremost (blue); grey where its place is not known.
pub fn color(node: &TreeNode) -> [u8; 3] {
    let Some(progress) = node.progress else {
        return [200; 3];
    };
    // Red, orange, yellow, green, blue: a straight line from red to blue would pass through a purple that says nothing.
    const STOPS: [[f64; 3]; 5] = [
        [227.0, 74.0, 51.0],
        [253.0, 174.0, 97.0],
        [254.0, 240.0, 150.0],
        [140.0, 205.0, 160.0],
        [90.0, 150.0, 220.0],
    ];
    let at = progress.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let low = (at.floor() as usize).min(STOPS.len() - 2);
    let part = at - low as f64;
    let mix = |channel: usize| {
        let (from, to) = (STOPS[low][channel], STOPS[low + 1][channel]);
        (from + (to - from) * part).round() as u8
    };
    [mix(0), mix(1), mix(2)]
}
