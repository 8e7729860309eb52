//! The tree as STAT writes it: STATview opens the file, Graphviz lays it out.
//!
//! One statement per line, all values quoted, absent ones `(null)`; nodes and edges carry STAT's attributes in STAT's
//! order, and a few of our own behind them, which STATview keeps. What STATview's parser cannot take is written
//! differently: `"` becomes `'`, `|` parts the fields of a record, a backslash before a brace keeps the file from opening.
//!
//! What STATview shows of a node it puts together itself: the function and the place in the source; without a file the module and the
//! offset alone, even where there is none; of `vars` nothing. It does so whatever `label` says, so that is for Graphviz. So a file without a line and a module without an offset stand in attributes
//! of our own, and temporal ranks and values in the function's name: `solve@[T1 it=7]`.

use super::{ClassWaits, DotColors, fill, fill_by_tasks, members, name, own_name, short_members, value};
use crate::names::{Names, shortened};
use engine::recorded::Waiting;
use engine::{NodeKind, OrderedTree, TreeNode};
use std::fmt::Write as _;

/// How many characters of a set of tasks stand at an edge.
const RANKS_AT_EDGE: usize = 24;

/// How many characters of a function's name stand in a node.
const NAME_IN_NODE: usize = 60;

/// A tree as a `.dot` file.
pub fn tree_dot(tree: &OrderedTree, waiting: Option<&Waiting>, colors: DotColors) -> String {
    let waits = ClassWaits::of(tree, waiting);
    let mut out = String::from("digraph G {\n\tgraph [type=\"stat_4_2\"];\n");
    out.push_str("\tnode [shape=record,style=filled,labeljust=c,height=0.2];\n");
    for (id, node) in tree.nodes.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "\t{id} [{}];",
            attributes(&of_node(tree, node, &waits, colors))
        );
    }
    for (id, node) in tree.nodes.iter().enumerate().skip(1) {
        let _ = writeln!(
            out,
            "\t{} -> {id} [{}]",
            node.parent,
            attributes(&of_edge(tree, node, colors))
        );
    }
    out.push_str("}\n");
    out
}

const ABSENT: &str = "(null)";

fn of_node(
    tree: &OrderedTree,
    node: &TreeNode,
    waits: &ClassWaits,
    colors: DotColors,
) -> Vec<(&'static str, String)> {
    let is_root = node.kind == NodeKind::Root;
    let or_absent = |text: Option<String>| text.unwrap_or_else(|| ABSENT.to_owned());
    let vars: String = node
        .values
        .iter()
        .map(|each| format!("${}", value(each)))
        .collect();
    let mut all = vec![
        ("pos", "0,0".to_owned()),
        (
            "label",
            if is_root {
                "/".to_owned()
            } else {
                label(tree, node)
            },
        ),
        ("fillcolor", color(node, colors)),
        ("fontcolor", "#000000".to_owned()),
        ("function", function(tree, node)),
        (
            "source",
            or_absent(node.file.clone().filter(|_| node.line.is_some())),
        ),
        ("line", or_absent(node.line.map(|line| line.to_string()))),
        (
            "module",
            or_absent(node.module.clone().filter(|_| node.pc.is_some())),
        ),
        (
            "offset",
            or_absent(
                node.pc
                    .filter(|_| node.module.is_some())
                    .map(|pc| format!("+{pc:#x}")),
            ),
        ),
        ("vars", or_absent(Some(vars).filter(|vars| !vars.is_empty()))),
        ("pc", or_absent(node.pc.map(|pc| format!("@{pc:#x}")))),
    ];
    let kind = match node.kind {
        NodeKind::Root | NodeKind::Frame => None,
        NodeKind::Here => Some("here"),
        NodeKind::Threads => Some("threads"),
        NodeKind::Unreadable => Some("unreadable"),
        NodeKind::Missing => Some("missing"),
    };
    all.extend(kind.map(|kind| ("kind", kind.to_owned())));
    let is_unreadable = node.kind == NodeKind::Unreadable;
    all.extend(is_unreadable.then(|| ("reason", node.function.clone())));
    let library = node.module.clone().filter(|_| node.pc.is_none());
    all.extend(library.map(|library| ("library", library)));
    let file = node.file.clone().filter(|_| node.line.is_none());
    all.extend(file.map(|file| ("file", file)));
    all.extend(node.temporal.clone().map(|temporal| ("temporal", temporal)));
    all.extend(
        node.progress
            .map(|progress| ("progress", format!("{progress:.4}"))),
    );
    let why: Vec<&str> = node
        .siblings
        .iter()
        .map(|sibling| sibling.reason.as_str())
        .collect();
    all.extend((!why.is_empty()).then(|| ("why", why.join("; "))));
    // An edge would be one of the tree to STATview; so waits are text beside the node, and what does not fit there is in an attribute of our own.
    if let Some(class) = node.class
        && let [first, ..] = waits.of_class(class)
    {
        let waits = Vec::from_iter(waits.of_class(class).iter().map(ToString::to_string));
        all.push(("waits", waits.join("; ")));
        all.push(("xlabel", first.to_string()));
    }
    all
}

fn color(node: &TreeNode, colors: DotColors) -> String {
    match colors {
        DotColors::Progress => fill(node),
        DotColors::Tasks => fill_by_tasks(node),
    }
}

/// What Graphviz draws in a node: the function and its place, on one line. The braces of a record would turn it.
fn label(tree: &OrderedTree, node: &TreeNode) -> String {
    let named = with_values(name(tree, node, Names::Short), node);
    let mut label = shortened(&named, NAME_IN_NODE);
    let short = |path: &String| base::last_component(path).to_owned();
    match (&node.file, node.line, &node.module) {
        (Some(file), Some(line), _) => label.push_str(&format!(" {}:{line}", short(file))),
        (_, _, Some(module)) => label.push_str(&format!(" {}", short(module))),
        _ => {}
    }
    label.replace('{', "(").replace('}', ")")
}

/// What Graphviz draws at an edge: `30:[0-7,10-31]`.
fn at_edge(tree: &OrderedTree, node: &TreeNode) -> String {
    let members = short_members(&tree.names, &node.tasks, RANKS_AT_EDGE);
    format!("{}:[{members}]", node.tasks.len())
}

/// The name with what tells the node from its siblings.
fn function(tree: &OrderedTree, node: &TreeNode) -> String {
    with_values(own_name(tree, node), node)
}

fn with_values(name: String, node: &TreeNode) -> String {
    let values: Vec<String> = node.values.iter().map(value).collect();
    let values = values.join(" ");
    match (name.strip_suffix(']'), values.is_empty()) {
        (_, true) => name,
        (Some(open), false) if name.contains("@[T") => format!("{open} {values}]"),
        _ => format!("{name}@[{values}]"),
    }
}

fn of_edge(tree: &OrderedTree, node: &TreeNode, colors: DotColors) -> Vec<(&'static str, String)> {
    let has_threads = node.stacks > node.tasks.len();
    // STAT's checksum of a set adds up its ranks, each plus one.
    let sum: u64 = node
        .tasks
        .ranges()
        .iter()
        .map(|&(first, last)| {
            let (first, last) = (u64::from(first) + 1, u64::from(last) + 1);
            (first + last) * (last - first + 1) / 2
        })
        .sum();
    let in_samples = node
        .samples
        .iter()
        .map(u64::to_string)
        .collect::<Vec<_>>()
        .join(",");
    let mut all = vec![
        ("label", at_edge(tree, node)),
        ("bv", format!("[{}]", ranks(tree, node))),
        ("count", node.tasks.len().to_string()),
        ("rep", node.tasks.first().unwrap_or(0).to_string()),
        ("sum", sum.to_string()),
        ("tbv", ABSENT.to_owned()),
        (
            "tcount",
            if has_threads {
                node.stacks.to_string()
            } else {
                ABSENT.to_owned()
            },
        ),
        (
            "tbvsum",
            if has_threads {
                sum.to_string()
            } else {
                ABSENT.to_owned()
            },
        ),
        ("color", color(node, colors)),
    ];
    all.extend((!in_samples.is_empty()).then_some(("samples", in_samples)));
    all
}

/// The tasks by number: STATview reads nothing else. Where numbers are no ranks, names are in the node's own list.
fn ranks(tree: &OrderedTree, node: &TreeNode) -> String {
    if tree.names.are_ranks() {
        members(&tree.names, &node.tasks)
    } else {
        base::RankSet::from(&node.tasks).to_string()
    }
}

fn attributes(all: &[(&str, String)]) -> String {
    let written = all
        .iter()
        .map(|(name, value)| format!("{name}={}", in_pieces(&quoted(value))));
    written.collect::<Vec<_>>().join(", ")
}

/// Graphviz reads no longer text (16,384 bytes), but joins what `+` stands between.
const PIECE: usize = 16_000;

pub(crate) fn in_pieces(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    let (mut length, mut is_escaped) = (0, false);
    for c in text.chars() {
        if length > PIECE && !is_escaped {
            out.push_str("\" + \"");
            length = 0;
        }
        out.push(c);
        length += c.len_utf8();
        is_escaped = c == '\\' && !is_escaped;
    }
    out.push('"');
    out
}

/// A value that Graphviz and STATview both read back.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in crate::clean(text).chars() {
        match c {
            '"' => out.push('\''),
            // Only what stands here below is escaped, so no other backslash may stay.
            '\\' => out.push('/'),
            '<' | '>' | '|' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{in_pieces, quoted};

    #[test]
    fn a_text_that_graphviz_would_not_read_is_written_in_pieces() {
        assert_eq!(in_pieces("a\\<"), "\"a\\<\"");
        for shift in 0..3 {
            let text = "x".repeat(shift) + &quoted("Grid<int>").repeat(4_000);
            let written = in_pieces(&text);
            let pieces = Vec::from_iter(written[1..written.len() - 1].split("\" + \""));
            assert_eq!(pieces.concat(), text);
            assert_eq!(pieces.len(), 3);
            for piece in pieces {
                assert!(piece.len() < 16_384 && !piece.ends_with('\\'), "{shift}");
            }
        }
    }

    #[test]
    fn what_statview_cannot_read_is_written_differently() {
        assert_eq!(quoted("std::vector<int>::at"), "std::vector\\<int\\>::at");
        assert_eq!(quoted("a|b"), "a\\|b");
        assert_eq!(quoted("operator\"\" _x"), "operator'' _x");
        assert_eq!(quoted("\\{x}\n"), "/{x}/n", "no backslash stands before a brace");
    }
}
