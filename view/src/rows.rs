//! The lines of the tree, from what is kept and open.

use crate::job::Job;
use crate::state::ViewState;
use engine::NodeKind;
use report::tree::FoldedRounds;

/// A line: a node, or several that are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The innermost of the joined nodes.
    pub(crate) id: usize,
    /// All of them, outermost first.
    pub(crate) ids: Vec<usize>,
    pub(crate) level: usize,
    /// The line above which it hangs.
    pub(crate) parent: Option<usize>,
    pub(crate) is_last: bool,
    /// There is something below it.
    pub(crate) has_more: bool,
    pub(crate) is_open: bool,
    /// It stands for so many rounds of calls that call themselves.
    pub(crate) rounds: Option<FoldedRounds>,
}

/// All lines of a state.
pub(crate) fn rows(job: &Job, state: &ViewState) -> Vec<Row> {
    let shown = |id: usize| -> Vec<usize> {
        let children = job.tree.nodes[id].children.iter().copied();
        children.filter(|&child| state.keeps(child)).collect()
    };
    let mut rows: Vec<Row> = Vec::new();
    // Not by recursion: a stack of a target may be deeper than ours.
    let mut work: Vec<(usize, usize, Option<usize>, bool)> = Vec::new();
    let push = |work: &mut Vec<_>, children: &[usize], level: usize, parent: Option<usize>| {
        let last = children.len();
        work.extend(
            children
                .iter()
                .enumerate()
                .rev()
                .map(|(at, &child)| (child, level, parent, at + 1 == last)),
        );
    };
    push(&mut work, &shown(0), 0, None);
    while let Some((first, level, parent, is_last)) = work.pop() {
        let mut id = first;
        let mut ids = vec![id];
        let mut children = shown(id);
        let rounds = folded(job, state, id, &shown).filter(|_| !state.shown.joined);
        if let Some((below, _)) = &rounds {
            ids.extend(below);
            id = ids[ids.len() - 1];
            children = shown(id);
        }
        while let [only] = children[..]
            && state.shown.joined
            && state.is_open(id)
            && joins(job, id, only)
        {
            id = only;
            ids.push(id);
            children = shown(id);
        }
        let is_open = state.is_open(id);
        if is_open {
            push(&mut work, &children, level + 1, Some(rows.len()));
        }
        rows.push(Row {
            id,
            ids,
            level,
            parent,
            is_last,
            has_more: !children.is_empty(),
            is_open,
            rounds: rounds.map(|(_, rounds)| rounds),
        });
    }
    rows
}

/// The rounds that a node begins, with the nodes below it that are parts of them. Where one of these is closed or not shown, none is folded.
fn folded(
    job: &Job,
    state: &ViewState,
    first: usize,
    shown: &dyn Fn(usize) -> Vec<usize>,
) -> Option<(Vec<usize>, FoldedRounds)> {
    let rounds = job.rounds[first]?;
    let mut below = Vec::new();
    let mut at = first;
    while below.len() + 1 < rounds.calls * rounds.times {
        at = match shown(at)[..] {
            [only] if state.is_open(at) => only,
            _ => return None,
        };
        below.push(at);
    }
    Some((below, rounds))
}

fn joins(job: &Job, upper: usize, lower: usize) -> bool {
    let [upper, lower] = [upper, lower].map(|id| &job.tree.nodes[id]);
    upper.kind == NodeKind::Frame
        && lower.kind == NodeKind::Frame
        && upper.color == lower.color
        && upper.stacks == lower.stacks
}
