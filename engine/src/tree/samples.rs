//! Several samples of one job (STAT's 3D trees): which tasks were where in each, and who moved in between.

use super::JobTree;
use stacktree::{LabelKind, NodeId, TaskSet, Tree};
use std::collections::BTreeMap;

/// What changed from one sample to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleChange {
    /// The tasks that ended at another program point, or in another iteration, than in the sample before.
    pub moved: TaskSet,
    /// Those that were seen in only one of the two.
    pub came_or_went: TaskSet,
}

/// The tasks that end at each node of the whole tree, by sample; nodes at which none ends are left out.
pub(crate) type SampleEnds = Vec<BTreeMap<NodeId, TaskSet>>;

/// Where the tasks of each sample end in the tree of all.
pub(crate) fn ends(job: &JobTree) -> SampleEnds {
    let of_one = |sample: &Tree| {
        let places = sample.places_in(&job.tree);
        let nodes = sample.nodes().filter(|&node| !sample.ends(node).is_empty());
        nodes
            .filter_map(|node| Some((places[node.index()]?, sample.ends(node).clone())))
            .collect()
    };
    job.samples.iter().map(of_one).collect()
}

/// What changed between the samples. Threads besides the main ones say nothing: which is which is not known.
pub(crate) fn changes(job: &JobTree, ends: &SampleEnds) -> Vec<SampleChange> {
    let threads: Vec<std::ops::Range<usize>> = job
        .tree
        .children(NodeId::ROOT)
        .filter(|&node| {
            job.tree
                .label(node)
                .is_some_and(|label| label.kind == LabelKind::Threads)
        })
        .map(|node| job.tree.subtree(node))
        .collect();
    let main = |node: &NodeId| !threads.iter().any(|range| range.contains(&node.index()));
    let empty = TaskSet::default();
    let pairs = ends.windows(2).map(|pair| {
        let (earlier, later) = (&pair[0], &pair[1]);
        let all = |sample: &BTreeMap<NodeId, TaskSet>| {
            TaskSet::union_of(
                sample
                    .iter()
                    .filter(|(node, _)| main(node))
                    .map(|(_, tasks)| tasks),
            )
        };
        let (before, after) = (all(earlier), all(later));
        let left: Vec<TaskSet> = earlier
            .iter()
            .filter(|(node, _)| main(node))
            .map(|(node, tasks)| tasks.difference(later.get(node).unwrap_or(&empty)))
            .collect();
        let both = before.intersection(&after);
        SampleChange {
            moved: TaskSet::union_of(&left).intersection(&both),
            came_or_went: TaskSet::union_of([&before.difference(&after), &after.difference(&before)]),
        }
    });
    pairs.collect()
}
