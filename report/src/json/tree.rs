//! The tree for programs (`hindmost-tree` in `docs/json-schema.md`).

use super::waits::{WaitsJson, waits_out};
use super::{VERSION, document, value};
use crate::names::Names;
use crate::tree::{ClassWaits, FoldedRounds, Wait, fill, folded_rounds, name};
use engine::recorded::{Certainty, Waiting};
use engine::{Granularity, Mark, NodeKind, OrderedTree, TaskSet, TreeNode};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A tree as JSON; `waiting` is who waits for whom in a recorded job, `hosts` have the tasks of each as far as they are known, `warnings` are what else the reader should know.
pub fn tree_json(
    tree: &OrderedTree,
    waiting: Option<&Waiting>,
    hosts: &[(String, TaskSet)],
    warnings: &[String],
) -> String {
    let waits = ClassWaits::of(tree, waiting);
    let say = |tasks: &TaskSet| base::RankSet::from(tasks).to_string();
    let mut out = tree_out(tree, &|class| waits.of_class(class), warnings, &say);
    out.hosts = hosts_out(hosts, &say);
    out.waits = waiting.map(|waiting| waits_out(waiting, &waiting.involved()));
    document(&out)
}

/// The wire form, for documents that hold a tree among other things; `waits` gives the waits of a class, `say` writes sets of tasks. Who waits for whom in the
/// whole job is left to the caller.
pub(crate) fn tree_out<'a>(
    tree: &'a OrderedTree,
    waits: &dyn Fn(usize) -> &'a [Wait],
    warnings: &'a [String],
    say: &dyn Fn(&TaskSet) -> String,
) -> TreeJson<'a> {
    let rounds = folded_rounds(tree);
    TreeJson {
        schema: "hindmost-tree".into(),
        version: VERSION,
        granularity: granularity(tree.granularity).into(),
        tasks: tree.nodes.first().map_or(0, |root| root.tasks.len()),
        tasks_are: if tree.names.are_ranks() {
            "ranks"
        } else {
            "numbers"
        }
        .into(),
        names: tree.names.all().into(),
        decided: tree.undecided.is_none(),
        undecided: tree.undecided.as_deref().map(Into::into),
        nodes: tree
            .nodes
            .iter()
            .enumerate()
            .map(|(id, node)| node_out(tree, id, node, rounds[id], say))
            .collect(),
        classes: tree
            .classes
            .iter()
            .enumerate()
            .map(|(id, class)| TreeClassJson {
                id,
                node: class.node,
                temporal: tree.nodes[class.node].temporal.as_deref().map(Into::into),
                tasks: say(&class.tasks),
                count: class.tasks.len(),
                now: (class.now != class.tasks).then(|| say(&class.now)),
                hindmost: class.hindmost,
                waits: waits(id).iter().map(wait_out).collect(),
            })
            .collect(),
        steps: tree
            .steps
            .iter()
            .map(|step| StepJson {
                class: (&step.class).into(),
                node: step.node,
                branches: (&step.branches).into(),
                reasons: (&step.reasons).into(),
            })
            .collect(),
        changes: tree
            .changes
            .iter()
            .map(|change| ChangeJson {
                moved: say(&change.moved),
                moved_count: change.moved.len(),
                came_or_went: say(&change.came_or_went),
            })
            .collect(),
        waits: None,
        hosts: Vec::new(),
        warnings: warnings.into(),
    }
}

/// The tasks of each host; `say` writes sets of tasks.
pub(crate) fn hosts_out<'a>(
    hosts: &'a [(String, TaskSet)],
    say: &dyn Fn(&TaskSet) -> String,
) -> Vec<HostJson<'a>> {
    let host = |(host, tasks): &'a (String, TaskSet)| HostJson {
        host: host.into(),
        tasks: say(tasks),
    };
    hosts.iter().map(host).collect()
}

fn wait_out(wait: &Wait) -> ClassWaitJson<'_> {
    ClassWaitJson {
        on: wait.on.to_string(),
        classes: (&wait.classes).into(),
        proven: wait.certainty == Certainty::Proven,
        polling: wait.asks,
        label: (&wait.label).into(),
        sentence: wait.to_string(),
    }
}

fn node_out<'a>(
    tree: &'a OrderedTree,
    id: usize,
    node: &'a TreeNode,
    rounds: Option<FoldedRounds>,
    say: &dyn Fn(&TaskSet) -> String,
) -> NodeJson<'a> {
    NodeJson {
        id,
        parent: (id > 0).then_some(node.parent),
        children: (&node.children).into(),
        kind: kind(node.kind).into(),
        label: name(tree, node, Names::Short),
        function: (&node.function).into(),
        qualified: node.qualified.as_deref().map(Into::into),
        file: node.file.as_deref().map(Into::into),
        line: node.line,
        column: node.column,
        module: node.module.as_deref().map(Into::into),
        pc: node.pc.map(|pc| format!("{pc:#x}")),
        inlined: node.inlined,
        values: node
            .values
            .iter()
            .map(|each| ValueJson {
                name: (&each.name).into(),
                value: each.first.map(value),
                last: each.last.map(value),
            })
            .collect(),
        points: node.points,
        tasks: say(&node.tasks),
        count: node.tasks.len(),
        stacks: node.stacks,
        samples: (&node.samples).into(),
        temporal: node.temporal.as_deref().map(Into::into),
        mark: match node.mark {
            Mark::None => "none",
            Mark::Ranked(_) => "ranked",
            Mark::Incomparable(_) => "incomparable",
            Mark::Unknown => "unknown",
        }
        .into(),
        rank: match node.mark {
            Mark::Ranked(rank) | Mark::Incomparable(rank) => Some(rank),
            _ => None,
        },
        siblings: node
            .siblings
            .iter()
            .map(|sibling| SiblingJson {
                node: sibling.node,
                relation: sibling.relation.word().into(),
                reason: (&sibling.reason).into(),
                reason_code: sibling.reason_code.as_deref().map(Into::into),
            })
            .collect(),
        progress: node.progress,
        color: fill(node),
        hindmost: node.hindmost,
        class: node.class,
        same_tasks: node.color,
        rounds: rounds.map(|FoldedRounds { calls, times }| RoundsJson { calls, times }),
    }
}

/// The word for how finely nodes are told apart.
pub(super) fn granularity(of: Granularity) -> &'static str {
    match of {
        Granularity::Function => "function",
        Granularity::Line => "line",
        Granularity::Module => "module",
        Granularity::Pc => "pc",
        Granularity::Point => "point",
    }
}

/// The word for what a node stands for.
pub(super) fn kind(of: NodeKind) -> &'static str {
    match of {
        NodeKind::Root => "root",
        NodeKind::Frame => "frame",
        NodeKind::Here => "here",
        NodeKind::Threads => "threads",
        NodeKind::Unreadable => "unreadable",
        NodeKind::Missing => "missing",
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TreeJson<'a> {
    pub schema: Cow<'a, str>,
    pub version: u32,
    pub granularity: Cow<'a, str>,
    pub tasks: u64,
    pub tasks_are: Cow<'a, str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub names: Cow<'a, [String]>,
    pub decided: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undecided: Option<Cow<'a, str>>,
    pub nodes: Vec<NodeJson<'a>>,
    pub classes: Vec<TreeClassJson<'a>>,
    pub steps: Vec<StepJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ChangeJson>,
    /// As `hindmost-waits`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits: Option<WaitsJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostJson<'a>>,
    pub warnings: Cow<'a, [String]>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HostJson<'a> {
    pub host: Cow<'a, str>,
    pub tasks: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeJson<'a> {
    pub id: usize,
    pub parent: Option<usize>,
    pub children: Cow<'a, [usize]>,
    pub kind: Cow<'a, str>,
    pub label: String,
    pub function: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qualified: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pc: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub inlined: bool,
    pub values: Vec<ValueJson<'a>>,
    pub points: usize,
    pub tasks: String,
    pub count: u64,
    pub stacks: u64,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub samples: Cow<'a, [u64]>,
    pub temporal: Option<Cow<'a, str>>,
    pub mark: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    pub siblings: Vec<SiblingJson<'a>>,
    pub progress: Option<f64>,
    pub color: String,
    pub hindmost: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<usize>,
    pub same_tasks: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<RoundsJson>,
}

/// Calls that call themselves begin at a node: so many of its line of descendants are one round, and so many rounds are shown as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RoundsJson {
    pub calls: usize,
    pub times: usize,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ValueJson<'a> {
    pub name: Cow<'a, str>,
    pub value: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<serde_json::Value>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SiblingJson<'a> {
    pub node: usize,
    pub relation: Cow<'a, str>,
    pub reason: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason_code: Option<Cow<'a, str>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TreeClassJson<'a> {
    pub id: usize,
    pub node: usize,
    pub temporal: Option<Cow<'a, str>>,
    pub tasks: String,
    pub count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
    pub hindmost: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<ClassWaitJson<'a>>,
}

/// What some tasks of a class wait for.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ClassWaitJson<'a> {
    pub on: String,
    pub classes: Cow<'a, [usize]>,
    pub proven: bool,
    pub polling: bool,
    pub label: Cow<'a, str>,
    pub sentence: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StepJson<'a> {
    pub class: Cow<'a, str>,
    pub node: usize,
    pub branches: Cow<'a, [usize]>,
    pub reasons: Cow<'a, [String]>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ChangeJson {
    pub moved: String,
    pub moved_count: u64,
    pub came_or_went: String,
}
