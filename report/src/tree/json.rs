//! The tree for programs (`hindmost-tree` in `docs/json-schema.md`).

use super::fill;
use crate::json::{VERSION, document, value};
use engine::{Granularity, Mark, NodeKind, OrderedTree, TreeNode};
use serde::Serialize;

/// A tree as JSON; `warnings` are what else the reader should know.
pub fn tree_json(tree: &OrderedTree, warnings: &[String]) -> String {
    document(&tree_out(tree, warnings))
}

/// The wire form, for documents that hold a tree among other things.
pub(crate) fn tree_out<'a>(tree: &'a OrderedTree, warnings: &'a [String]) -> TreeOut<'a> {
    TreeOut {
        schema: "hindmost-tree",
        version: VERSION,
        granularity: match tree.granularity {
            Granularity::Function => "function",
            Granularity::Line => "line",
            Granularity::Module => "module",
            Granularity::Pc => "pc",
            Granularity::Point => "point",
        },
        tasks: tree.nodes.first().map_or(0, |root| root.tasks.len()),
        tasks_are: if tree.names.are_ranks() {
            "ranks"
        } else {
            "numbers"
        },
        names: tree.names.all(),
        decided: tree.undecided.is_none(),
        undecided: tree.undecided.as_deref(),
        nodes: tree
            .nodes
            .iter()
            .enumerate()
            .map(|(id, node)| node_out(tree, id, node))
            .collect(),
        classes: tree
            .classes
            .iter()
            .enumerate()
            .map(|(id, class)| ClassOut {
                id,
                node: class.node,
                temporal: tree.nodes[class.node].temporal.as_deref(),
                tasks: base::RankSet::from(&class.tasks).to_string(),
                count: class.tasks.len(),
                now: (class.now != class.tasks).then(|| base::RankSet::from(&class.now).to_string()),
                hindmost: class.hindmost,
            })
            .collect(),
        steps: tree
            .steps
            .iter()
            .map(|step| StepOut {
                class: &step.class,
                node: step.node,
                branches: &step.branches,
                reasons: &step.reasons,
            })
            .collect(),
        changes: tree
            .changes
            .iter()
            .map(|change| ChangeOut {
                moved: base::RankSet::from(&change.moved).to_string(),
                moved_count: change.moved.len(),
                came_or_went: base::RankSet::from(&change.came_or_went).to_string(),
            })
            .collect(),
        warnings,
    }
}

fn node_out<'a>(tree: &'a OrderedTree, id: usize, node: &'a TreeNode) -> NodeOut<'a> {
    NodeOut {
        id,
        parent: (id > 0).then_some(node.parent),
        children: &node.children,
        kind: match node.kind {
            NodeKind::Root => "root",
            NodeKind::Frame => "frame",
            NodeKind::Here => "here",
            NodeKind::Threads => "threads",
            NodeKind::Unreadable => "unreadable",
            NodeKind::Missing => "missing",
        },
        label: super::name(tree, node),
        function: &node.function,
        file: node.file.as_deref(),
        line: node.line,
        column: node.column,
        module: node.module.as_deref(),
        pc: node.pc.map(|pc| format!("{pc:#x}")),
        inlined: node.inlined,
        values: node
            .values
            .iter()
            .map(|each| ValueOut {
                name: &each.name,
                value: each.first.map(value),
                last: each.last.map(value),
            })
            .collect(),
        points: node.points,
        tasks: base::RankSet::from(&node.tasks).to_string(),
        count: node.tasks.len(),
        stacks: node.stacks,
        samples: &node.samples,
        temporal: node.temporal.as_deref(),
        mark: match node.mark {
            Mark::None => "none",
            Mark::Ranked(_) => "ranked",
            Mark::Incomparable(_) => "incomparable",
            Mark::Unknown => "unknown",
        },
        rank: match node.mark {
            Mark::Ranked(rank) | Mark::Incomparable(rank) => Some(rank),
            _ => None,
        },
        siblings: node
            .siblings
            .iter()
            .map(|sibling| SiblingOut {
                node: sibling.node,
                relation: sibling.relation.word(),
                reason: &sibling.reason,
            })
            .collect(),
        progress: node.progress,
        color: fill(node),
        hindmost: node.hindmost,
        class: node.class,
        same_tasks: node.color,
    }
}

#[derive(Serialize)]
pub(crate) struct TreeOut<'a> {
    schema: &'static str,
    version: u32,
    granularity: &'static str,
    tasks: u64,
    tasks_are: &'static str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    names: &'a [String],
    decided: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    undecided: Option<&'a str>,
    nodes: Vec<NodeOut<'a>>,
    classes: Vec<ClassOut<'a>>,
    steps: Vec<StepOut<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<ChangeOut>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct NodeOut<'a> {
    id: usize,
    parent: Option<usize>,
    children: &'a [usize],
    kind: &'static str,
    label: String,
    function: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pc: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    inlined: bool,
    values: Vec<ValueOut<'a>>,
    points: usize,
    tasks: String,
    count: u64,
    stacks: u64,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    samples: &'a [u64],
    temporal: Option<&'a str>,
    mark: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<u32>,
    siblings: Vec<SiblingOut<'a>>,
    progress: Option<f64>,
    color: String,
    hindmost: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<usize>,
    same_tasks: usize,
}

#[derive(Serialize)]
struct ValueOut<'a> {
    name: &'a str,
    value: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<serde_json::Value>,
}

#[derive(Serialize)]
struct SiblingOut<'a> {
    node: usize,
    relation: &'static str,
    reason: &'a str,
}

#[derive(Serialize)]
struct ClassOut<'a> {
    id: usize,
    node: usize,
    temporal: Option<&'a str>,
    tasks: String,
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    now: Option<String>,
    hindmost: bool,
}

#[derive(Serialize)]
struct StepOut<'a> {
    class: &'a str,
    node: usize,
    branches: &'a [usize],
    reasons: &'a [String],
}

#[derive(Serialize)]
struct ChangeOut {
    moved: String,
    moved_count: u64,
    came_or_went: String,
}
