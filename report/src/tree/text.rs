//! The tree as text: pastes into a ticket, fits a screen however many tasks there are.
//!
//! One line per node. The tasks stand where they differ from the parent's. When the tree has more nodes than lines are
//! wanted, branches in the middle are counted instead of shown: the hindmost and the foremost stay.

use super::folds::Folds;
use super::{ClassWaits, name, place, short_members, value};
use crate::names::Names;
use crate::style::{DOUBT, FAINT, HINDMOST, TITLE, VALUE, paint};
use crate::{clean, counted, hosts, waits};
use base::RankSet;
use engine::recorded::Waiting;
use engine::{HostRanks, Mark, NodeKind, OrderedTree, TaskSet, TreeNode};

/// How a tree is printed.
#[derive(Clone, Copy, Debug)]
pub struct TreeText {
    /// So many lines of tree at most.
    pub lines: usize,
    /// So many columns for a list of tasks.
    pub members: usize,
    /// An answer stands above it, so that it does not say itself who is behind.
    pub below_answer: bool,
    /// How much of long names is shown.
    pub names: Names,
    /// Threads that only a library has code in are shown with their stacks; otherwise they are counted.
    pub helpers: bool,
}

impl Default for TreeText {
    fn default() -> Self {
        Self {
            lines: 60,
            members: 32,
            below_answer: false,
            names: Names::Short,
            helpers: false,
        }
    }
}

/// A tree as text, with its legend and the reasons for its order. Of a recorded job, who waits for whom stands beside each class, and in full below the tree. Of a job on several
/// `hosts`, a branch that is on some of them says on which.
pub fn tree_text(
    tree: &OrderedTree,
    waiting: Option<&Waiting>,
    hosts: &[(String, TaskSet)],
    options: TreeText,
) -> String {
    let mut out = if options.below_answer {
        paint(TITLE, "The tree of their stacks:\n")
    } else {
        headline(tree)
    };
    out.push('\n');
    let folds = Folds::of(tree, options.helpers);
    let shown = choose(tree, &folds, options.lines);
    let mut rails: Vec<bool> = Vec::new();
    let printed = Printed {
        tree,
        folds: &folds,
        waits: ClassWaits::of(tree, waiting),
        hosts: Vec::from_iter(hosts.iter().map(|(host, tasks)| HostRanks {
            host: host.clone(),
            ranks: tasks.into(),
        })),
        options,
    };
    print_children(&printed, &shown, &mut rails, &mut out);
    out.push_str(&legend(tree, &shown));
    out.push_str(&changes(tree, options));
    out.push_str(&reasons(tree, &shown));
    // An answer above has it already.
    if let Some(waiting) = waiting.filter(|_| !options.below_answer) {
        out.push('\n');
        out.push_str(&waits::waits_text(waiting, false));
    }
    out
}

/// What a node's line is made of.
struct Printed<'t> {
    tree: &'t OrderedTree,
    folds: &'t Folds,
    waits: ClassWaits,
    hosts: Vec<HostRanks>,
    options: TreeText,
}

fn headline(tree: &OrderedTree) -> String {
    let total = tree.nodes.first().map_or(0, |root| root.tasks.len());
    let mut out = paint(TITLE, format!("{}\n", counted(total as usize, "task", "tasks")));
    let mut hindmost = tree.classes.iter().filter(|class| class.hindmost).peekable();
    if hindmost.peek().is_none() {
        if let Some(reason) = &tree.undecided {
            out.push_str(&format!(
                "{}\n",
                paint(DOUBT, format!("no hindmost is named: {}", clean(reason)))
            ));
        }
        return out;
    }
    for class in hindmost.take(3) {
        let mut at = &tree.nodes[class.node];
        // The innermost frame of the program tells more than the library's name.
        while at.depth > 1 && (at.line.is_none() || at.kind == NodeKind::Here) {
            at = &tree.nodes[at.parent];
        }
        let who = format!(
            "{}:[{}]",
            class.now.len(),
            short_members(&tree.names, &class.now, 40)
        );
        let temporal = tree.nodes[class.node].temporal.as_deref().unwrap_or("T1");
        let said = format!(
            "hindmost: {who} at {temporal}, in {} ({})",
            clean(&Names::Short.of(&at.function, at.qualified.as_deref())),
            place(at)
        );
        out.push_str(&format!("{}\n", paint(HINDMOST, said)));
    }
    out
}

/// For each node whether it is shown, and how many of the children are left out.
struct Shown {
    nodes: Vec<bool>,
}

/// Shows as many siblings everywhere as fit into the lines.
fn choose(tree: &OrderedTree, folds: &Folds, lines: usize) -> Shown {
    let mut most = tree
        .nodes
        .iter()
        .map(|node| node.children.len())
        .max()
        .unwrap_or(0)
        .min(lines.max(4));
    loop {
        let shown = with_siblings(tree, most);
        let is_line = |&at: &usize| shown.nodes[at] && !folds.hides(at);
        let count = (0..tree.nodes.len()).filter(is_line).count();
        if count <= lines.max(1) + 1 || most <= 2 {
            return cut_depth(tree, folds, shown, lines);
        }
        most -= (most / 4).max(1);
    }
}

/// Shows at most so many children of each node: the first ones and the last, the hindmost and what is not a frame in any case.
fn with_siblings(tree: &OrderedTree, most: usize) -> Shown {
    let mut nodes = vec![false; tree.nodes.len()];
    if let Some(root) = nodes.first_mut() {
        *root = true;
    }
    for (at, node) in tree.nodes.iter().enumerate() {
        if !nodes[at] {
            continue;
        }
        let count = node.children.len();
        for (place, &child) in node.children.iter().enumerate() {
            let is_edge = count <= most || place + 1 < most || place + 1 == count;
            nodes[child] = is_edge || tree.nodes[child].kind == NodeKind::Missing;
        }
    }
    Shown { nodes }
}

/// Leaves out the deepest frames if there are still too many lines.
fn cut_depth(tree: &OrderedTree, folds: &Folds, mut shown: Shown, lines: usize) -> Shown {
    let mut at_depth: Vec<usize> = Vec::new();
    for at in (0..tree.nodes.len()).filter(|&at| shown.nodes[at] && !folds.hides(at)) {
        let level = folds.level(at);
        at_depth.resize(at_depth.len().max(level + 1), 0);
        at_depth[level] += 1;
    }
    let mut sum = 0;
    let fits = |&&count: &&usize| {
        sum += count;
        sum <= lines + 1
    };
    let depth = at_depth.iter().take_while(fits).count().max(2);
    for (at, shown) in shown.nodes.iter_mut().enumerate() {
        *shown &= folds.level(at) < depth;
    }
    shown
}

fn print_children(printed: &Printed<'_>, shown: &Shown, rails: &mut Vec<bool>, out: &mut String) {
    let Printed {
        tree, folds, options, ..
    } = *printed;
    // Not by recursion: a stack of a target may be deeper than ours.
    enum Work {
        Node(usize, bool),
        Hidden(Vec<usize>),
        Helpers(String),
        Close,
    }
    let children = |node: usize, is_top: bool| -> Vec<Work> {
        let all = Vec::from_iter(folds.children(tree, node));
        let mut work: Vec<Work> = Vec::new();
        let mut hidden: Vec<usize> = Vec::new();
        let is_only = all.len() == 1 && is_top;
        for child in all {
            if shown.nodes[child] {
                if !hidden.is_empty() {
                    work.push(Work::Hidden(std::mem::take(&mut hidden)));
                }
                work.push(Work::Node(child, is_only));
            } else {
                hidden.push(child);
            }
        }
        if !hidden.is_empty() {
            work.push(Work::Hidden(hidden));
        }
        work.extend(folds.helpers(tree, node).map(Work::Helpers));
        work
    };
    let mut stack: Vec<Work> = children(0, true);
    stack.reverse();
    while let Some(work) = stack.pop() {
        let is_last = !matches!(
            stack.last(),
            Some(Work::Node(..) | Work::Hidden(_) | Work::Helpers(_))
        );
        match work {
            Work::Close => {
                rails.pop();
            }
            Work::Hidden(nodes) => {
                let line = hidden_line(tree, &nodes, options);
                out.push_str(&format!("{}{line}\n", paint(FAINT, prefix(rails, is_last))));
            }
            Work::Helpers(who) => {
                let text = format!("{}{who}", prefix(rails, is_last));
                out.push_str(&format!("{}\n", paint(FAINT, clean(&text))));
            }
            Work::Node(node, is_only) => {
                out.push_str(&paint(FAINT, prefix(rails, is_last)));
                out.push_str(&line(printed, node, is_only));
                out.push('\n');
                rails.push(!is_last);
                stack.push(Work::Close);
                let mut below = children(node, false);
                below.reverse();
                stack.extend(below);
            }
        }
    }
}

/// The lines that lead down to a node. Deep in, they would leave no room: the middle is left out.
fn prefix(rails: &[bool], is_last: bool) -> String {
    const MOST: usize = 24;
    let mut out = String::new();
    let skipped = rails.len().saturating_sub(MOST);
    if skipped > 0 {
        out.push_str(&format!("({skipped} deeper) "));
    }
    for &open in &rails[skipped..] {
        out.push_str(if open { "│ " } else { "  " });
    }
    out.push_str(if is_last { "└ " } else { "├ " });
    out
}

fn line(printed: &Printed<'_>, at: usize, is_only: bool) -> String {
    let Printed {
        tree, folds, options, ..
    } = *printed;
    let node = &tree.nodes[at];
    let parent = &tree.nodes[node.parent];
    let label = name(tree, node, options.names);
    let label = match options.names {
        Names::Short => shorten(&label, 96),
        Names::Whole => label,
    };
    let mut out = if node.hindmost && node.class.is_some() {
        paint(HINDMOST, label)
    } else if matches!(node.mark, Mark::Unknown) {
        paint(DOUBT, label)
    } else {
        label
    };
    let mut place = place(node);
    if let Some((first, last)) = folds.lines(tree, at)
        && first != last
        && let Some((file, _)) = place.rsplit_once(':')
    {
        place = format!("{file}:{first}-{last}");
    }
    if !place.is_empty() {
        out.push_str(&format!(" {}", shorten(&place, 64)));
    }
    for each in &node.values {
        let mut text = value(each);
        if let Some(last) = folds.last_value(tree, at, each) {
            let last = value(last);
            text.push_str(&format!(
                " … {}",
                last.split_once('=').map_or(last.as_str(), |(_, last)| last)
            ));
        }
        out.push_str(&format!(" {}", paint(VALUE, shorten(&text, 48))));
    }
    if let Some(rounds) = folds.rounds(at) {
        out.push_str(&format!("  {}", paint(FAINT, rounds)));
    }
    if node.points > 1 && node.children.is_empty() {
        out.push_str(&paint(
            FAINT,
            format!(" ({} program points)", grouped(node.points)),
        ));
    }
    let same = node.color == parent.color && node.stacks == parent.stacks && !is_only && node.parent != 0;
    if !same {
        out.push_str(&format!("  {}", edge(tree, node, options)));
        let on_hosts = |node: &TreeNode| hosts::of_class(&printed.hosts, &RankSet::from(&node.tasks));
        if let Some(words) = on_hosts(node)
            && on_hosts(parent).as_ref() != Some(&words)
        {
            out.push_str(&format!(" {}", paint(FAINT, clean(&words))));
        }
    }
    if node.samples.windows(2).any(|pair| pair[0] != pair[1]) {
        let counts: Vec<String> = node.samples.iter().map(u64::to_string).collect();
        out.push_str(&paint(FAINT, format!("  samples {}", counts.join(" "))));
    }
    if node.hindmost && node.children.is_empty() {
        let said = match node.class {
            Some(_) => "  <- hindmost",
            None => "  <- the hindmost are among these",
        };
        out.push_str(&paint(HINDMOST, said));
    }
    let waits = node.class.map_or(&[][..], |class| printed.waits.of_class(class));
    if let Some(wait) = waits.first().filter(|_| node.children.is_empty()) {
        let more = match waits.len() {
            1 => String::new(),
            all => format!(" and {} more", all - 1),
        };
        out.push_str(&paint(FAINT, format!("  {wait}{more}")));
    }
    out
}

/// The tasks of a node as STAT labels the edge to it: `31:[0-7,9-31]`, with threads `31(62):[…]`.
fn edge(tree: &OrderedTree, node: &TreeNode, options: TreeText) -> String {
    let count = node.tasks.len();
    // Of several samples each has stacks of its own.
    let threads = if node.stacks > count && node.samples.is_empty() {
        format!("({})", node.stacks)
    } else {
        String::new()
    };
    format!(
        "{count}{threads}:[{}]",
        short_members(&tree.names, &node.tasks, options.members)
    )
}

fn hidden_line(tree: &OrderedTree, nodes: &[usize], options: TreeText) -> String {
    let sets: Vec<_> = nodes.iter().map(|&node| &tree.nodes[node].tasks).collect();
    let tasks = engine::TaskSet::union_of(sets);
    let what = match nodes {
        [only] => match tree.nodes[*only].depth {
            0 => String::new(),
            _ => format!("… {} below", name(tree, &tree.nodes[*only], Names::Short)),
        },
        _ => format!("… {} more branches", grouped(nodes.len())),
    };
    let members = short_members(&tree.names, &tasks, options.members);
    paint(FAINT, format!("{what}  {}:[{members}]", tasks.len()))
}

fn legend(tree: &OrderedTree, shown: &Shown) -> String {
    let visible = || {
        tree.nodes
            .iter()
            .zip(&shown.nodes)
            .filter(|(_, shown)| **shown)
            .map(|(node, _)| node)
    };
    let mut parts: Vec<&str> = Vec::new();
    if visible().any(|node| matches!(node.mark, Mark::Ranked(_))) {
        parts.push("@[T1.2] temporal ranks: lower is behind");
    }
    if visible().any(|node| matches!(node.mark, Mark::Incomparable(_))) {
        parts.push("~ the program gives it no order with some sibling");
    }
    if visible().any(|node| node.mark == Mark::Unknown) {
        parts.push("? its order with some sibling is not known");
    }
    if parts.is_empty() {
        String::new()
    } else {
        format!("\n{}\n", paint(FAINT, parts.join("; ")))
    }
}

fn changes(tree: &OrderedTree, options: TreeText) -> String {
    let mut out = String::new();
    for (at, change) in tree.changes.iter().enumerate() {
        let moved = match change.moved.len() {
            0 => "no task moved".to_owned(),
            count => format!(
                "{} moved: [{}]",
                counted(count as usize, "task", "tasks"),
                short_members(&tree.names, &change.moved, options.members)
            ),
        };
        out.push_str(&format!("sample {} to {}: {moved}\n", at + 1, at + 2));
        if !change.came_or_went.is_empty() {
            let who = short_members(&tree.names, &change.came_or_went, options.members);
            out.push_str(&format!("  seen in one of them only: [{who}]\n"));
        }
    }
    if out.is_empty() {
        out
    } else {
        format!("\n{}\n{out}", paint(TITLE, "Over time"))
    }
}

/// Why the branches stand so, step by step.
fn reasons(tree: &OrderedTree, shown: &Shown) -> String {
    const STEPS: usize = 12;
    const PER_STEP: usize = 6;
    let mut out = String::new();
    let steps: Vec<_> = tree.steps.iter().filter(|step| shown.nodes[step.node]).collect();
    for step in steps.iter().take(STEPS) {
        let visible: Vec<usize> = (0..step.reasons.len())
            .filter(|&at| shown.nodes[step.branches[at]] || shown.nodes[step.branches[at + 1]])
            .collect();
        for &at in visible.iter().take(PER_STEP) {
            let [a, b] = [step.branches[at], step.branches[at + 1]].map(|node| &tree.nodes[node]);
            let relation = match a.siblings.first().map(|sibling| sibling.relation) {
                Some(engine::Relation::Before) => "is behind",
                Some(engine::Relation::After) => "is ahead of",
                Some(engine::Relation::Equal) => "is as far as",
                Some(engine::Relation::Incomparable) => "has no order with",
                _ => "has no known order with",
            };
            let [first, second] = [a, b].map(|node| name(tree, node, Names::Short));
            out.push_str(&format!(
                "  {first} {relation} {second}: {}\n",
                clean(&step.reasons[at])
            ));
        }
        if visible.len() > PER_STEP {
            out.push_str(&format!("  … {} more\n", visible.len() - PER_STEP));
        }
    }
    if steps.len() > STEPS {
        out.push_str(&format!("  … {} more steps\n", steps.len() - STEPS));
    }
    if out.is_empty() {
        out
    } else {
        format!("\n{}\n{out}", paint(TITLE, "Order"))
    }
}

/// A number with its thousands parted.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn shorten(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{kept}…")
}
