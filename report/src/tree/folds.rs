//! What the text of a tree does not spell out: the rounds of calls that call themselves, and the threads of libraries.

use crate::recursion::rounds;
use engine::{Mark, NodeKind, NodeValue, OrderedTree, TreeNode};

/// Which nodes take no line of their own, or a shorter one.
pub(super) struct Folds {
    nodes: Vec<Fold>,
}

/// How a node is shown.
#[derive(Clone, Default)]
struct Fold {
    /// It is a further round of a call that is shown, or a helper's.
    hidden: bool,
    /// The node whose children follow it, where that is another one.
    next: Option<usize>,
    /// Of what calls itself: the rounds that it stands for.
    rounds: Option<Nodes>,
    /// A branch of threads that only a library has code in.
    helper: bool,
    /// How many lines are above it.
    level: usize,
}

/// Nodes of all rounds that stand where one does.
#[derive(Clone)]
struct Nodes {
    alike: Vec<usize>,
    calls: usize,
}

impl Folds {
    /// What is folded of a tree; `helpers` if threads of libraries are shown.
    pub(super) fn of(tree: &OrderedTree, helpers: bool) -> Self {
        let mut folds = Self {
            nodes: vec![Fold::default(); tree.nodes.len()],
        };
        for at in 1..tree.nodes.len() {
            if !goes_on(tree, tree.nodes[at].parent, at) {
                stretches(tree, &chain(tree, at), &mut |stretch| folds.fold(stretch));
            }
        }
        let threads = tree
            .nodes
            .iter()
            .filter(|node| node.kind == NodeKind::Threads && !helpers);
        for branch in threads.flat_map(|node| &node.children) {
            folds.nodes[*branch].helper = is_of_library(tree, *branch);
        }
        for at in 1..tree.nodes.len() {
            let parent = tree.nodes[at].parent;
            let (above, of_helper) = (folds.nodes[parent].level, folds.nodes[parent].helper);
            let own = &mut folds.nodes[at];
            own.helper |= of_helper;
            own.hidden |= own.helper;
            own.level = above + usize::from(!own.hidden);
        }
        folds
    }

    fn fold(&mut self, Stretch { nodes, calls }: Stretch<'_>) {
        for (at, &node) in nodes[..calls].iter().enumerate() {
            self.nodes[node].rounds = Some(Nodes {
                alike: nodes[at..].iter().step_by(calls).copied().collect(),
                calls,
            });
        }
        for &node in &nodes[calls..] {
            self.nodes[node].hidden = true;
        }
        self.nodes[nodes[calls - 1]].next = nodes.last().copied();
    }

    pub(super) fn hides(&self, node: usize) -> bool {
        self.nodes[node].hidden
    }

    pub(super) fn level(&self, node: usize) -> usize {
        self.nodes[node].level
    }

    /// The nodes that stand below one, without helpers.
    pub(super) fn children<'t>(
        &'t self,
        tree: &'t OrderedTree,
        node: usize,
    ) -> impl Iterator<Item = usize> + 't {
        let from = self.nodes[node].next.unwrap_or(node);
        let all = tree.nodes[from].children.iter().copied();
        all.filter(|&child| !self.nodes[child].helper)
    }

    /// How many helper threads are below a node, and in which libraries; nothing where there are none.
    pub(super) fn helpers(&self, tree: &OrderedTree, node: usize) -> Option<String> {
        let children = tree.nodes[node].children.iter();
        let branches = Vec::from_iter(children.filter(|&&child| self.nodes[child].helper));
        let threads: u64 = branches.iter().map(|&&branch| tree.nodes[branch].stacks).sum();
        let library = |&&branch: &&usize| {
            let module = tree.nodes[branch].module.as_deref().unwrap_or_default();
            module.split(".so").next().unwrap_or(module).to_owned()
        };
        let mut libraries = Vec::from_iter(branches.iter().map(library));
        libraries.sort_unstable();
        libraries.dedup();
        let threads = match threads {
            0 => return None,
            1 => "1 helper thread".to_owned(),
            threads => format!("{threads} helper threads"),
        };
        Some(format!("{threads} in {}", libraries.join(", ")))
    }

    /// The rounds that a line stands for, and values of the first and the last of them.
    pub(super) fn rounds(&self, node: usize) -> Option<String> {
        let rounds = self.nodes[node].rounds.as_ref()?;
        let turn = match rounds.calls {
            1 => String::new(),
            calls => format!(", {calls} in turn"),
        };
        Some(format!("×{}{turn}", rounds.alike.len()))
    }

    /// The lines of source of all rounds; of a node that is shown once, its own.
    pub(super) fn lines(&self, tree: &OrderedTree, node: usize) -> Option<(u32, u32)> {
        let alike = self.alike(node);
        let lines = Vec::from_iter(alike.iter().filter_map(|&at| tree.nodes[at].line));
        Some((*lines.iter().min()?, *lines.iter().max()?))
    }

    /// The value of a variable in the last round, where it is another one.
    pub(super) fn last_value<'t>(
        &self,
        tree: &'t OrderedTree,
        node: usize,
        value: &NodeValue,
    ) -> Option<&'t NodeValue> {
        let last = *self.alike(node).last()?;
        let of_last = tree.nodes[last]
            .values
            .iter()
            .find(|other| other.name == value.name)?;
        (of_last != value).then_some(of_last)
    }

    fn alike(&self, node: usize) -> Vec<usize> {
        let rounds = self.nodes[node].rounds.as_ref();
        rounds.map_or_else(|| vec![node], |rounds| rounds.alike.clone())
    }
}

/// Whether all that passes through a node goes on to this child, without a branch.
fn goes_on(tree: &OrderedTree, parent: usize, child: usize) -> bool {
    let [above, below] = [parent, child].map(|at| &tree.nodes[at]);
    let is_call = |node: &TreeNode| node.kind == NodeKind::Frame;
    is_call(above)
        && is_call(below)
        && above.children.len() == 1
        && (above.color, above.stacks) == (below.color, below.stacks)
        && below.mark == Mark::None
}

/// The nodes from one on, down to where stacks part.
fn chain(tree: &OrderedTree, from: usize) -> Vec<usize> {
    let mut chain = vec![from];
    let mut at = from;
    while let [only] = tree.nodes[at].children[..]
        && goes_on(tree, at, only)
    {
        chain.push(only);
        at = only;
    }
    chain
}

/// Nodes of a call that calls itself, or of a few in turn, which are shown as one round: `calls` of them are one. The last round, which made the
/// call below, is none of them: it is shown by itself.
#[derive(Clone, Copy)]
struct Stretch<'n> {
    nodes: &'n [usize],
    calls: usize,
}

/// Hands over the stretches of a chain of calls that are folded.
fn stretches(tree: &OrderedTree, chain: &[usize], found: &mut dyn FnMut(Stretch<'_>)) {
    let same = |a: usize, b: usize| {
        let [a, b] = [a, b].map(|at| &tree.nodes[chain[at]]);
        (&a.function, &a.file, &a.module, &a.qualified) == (&b.function, &b.file, &b.module, &b.qualified)
    };
    for each in rounds(chain.len(), &same) {
        let end = each.end() - each.calls;
        found(Stretch {
            nodes: &chain[each.start..end],
            calls: each.calls,
        });
    }
}

/// By node: the rounds that begin with it, of which the nodes below it are parts, if they are folded.
pub fn folded_rounds(tree: &OrderedTree) -> Vec<Option<FoldedRounds>> {
    let mut found = vec![None; tree.nodes.len()];
    for at in 1..tree.nodes.len() {
        if !goes_on(tree, tree.nodes[at].parent, at) {
            stretches(tree, &chain(tree, at), &mut |stretch| {
                found[stretch.nodes[0]] = Some(FoldedRounds {
                    calls: stretch.calls,
                    times: stretch.nodes.len() / stretch.calls,
                });
            });
        }
    }
    found
}

/// Rounds of calls that call themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoldedRounds {
    /// How many calls one round has.
    pub calls: usize,
    /// How many rounds there are besides the last one.
    pub times: usize,
}

/// Whether no call of a branch is in the program's code.
fn is_of_library(tree: &OrderedTree, branch: usize) -> bool {
    let mut open = vec![branch];
    while let Some(at) = open.pop() {
        let node = &tree.nodes[at];
        let in_library = node
            .module
            .as_deref()
            .is_some_and(|module| module.contains(".so") || module == "[vdso]");
        if node.kind == NodeKind::Unreadable || node.kind == NodeKind::Frame && !in_library {
            return false;
        }
        open.extend(&node.children);
    }
    true
}
