//! For whom the tasks of each class of a tree wait, where the job is recorded: the wait graph beside the order.

use crate::waits::link_label;
use base::RankSet;
use engine::OrderedTree;
use engine::recorded::{Certainty, Waiting};
use std::fmt;

/// How many columns a list of ranks takes.
const RANKS: usize = 32;

/// What some tasks of a class wait for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wait {
    /// For whom.
    pub(crate) on: RankSet,
    /// The classes that these are in, in order.
    pub(crate) classes: Vec<usize>,
    /// For what, in a few words.
    pub(crate) label: String,
    /// Whether it is certain of all of them.
    pub(crate) certainty: Certainty,
    /// They only ask again and again.
    pub(crate) asks: bool,
}

impl fmt::Display for Wait {
    /// `waits for rank 3 (message, tag 7, MPI_COMM_WORLD)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.asks { "asks for" } else { "waits for" };
        let noun = if self.on.len() == 1 { "rank" } else { "ranks" };
        let doubt = match self.certainty {
            Certainty::Proven => "",
            Certainty::Probable => "; not certainly",
        };
        let on = crate::names::shortened(&self.on.to_string(), RANKS);
        write!(f, "{how} {noun} {on} ({}{doubt})", self.label)
    }
}

/// For whom the tasks of each class of a tree wait, one sentence for each wait.
pub fn waits_of_classes(tree: &OrderedTree, waiting: Option<&Waiting>) -> Vec<Vec<String>> {
    let waits = ClassWaits::of(tree, waiting);
    let sentences = |class| waits.of_class(class).iter().map(Wait::to_string).collect();
    (0..tree.classes.len()).map(sentences).collect()
}

/// The waits of each class of a tree, by its index; empty where nothing is recorded, or the tree's tasks are no ranks.
#[derive(Debug, Default)]
pub(crate) struct ClassWaits(Vec<Vec<Wait>>);

impl ClassWaits {
    /// Those of a tree's classes.
    pub(crate) fn of(tree: &OrderedTree, waiting: Option<&Waiting>) -> Self {
        let Some(waiting) = waiting.filter(|_| tree.names.are_ranks()) else {
            return Self::default();
        };
        let groups = Vec::from_iter(tree.classes.iter().map(|class| RankSet::from(&class.now)));
        let mut waits: Vec<Vec<Wait>> = vec![Vec::new(); groups.len()];
        for link in waiting.between(&groups) {
            let Some(own) = waits.get_mut(link.from) else {
                continue;
            };
            let (label, asks) = (link_label(waiting, &link), link.asks(waiting));
            let class = (link.to < groups.len()).then_some(link.to);
            match own
                .iter_mut()
                .find(|wait| wait.label == label && wait.asks == asks)
            {
                Some(wait) => {
                    wait.on = wait.on.iter().chain(link.on.iter()).collect();
                    wait.classes.extend(class);
                    wait.certainty = wait.certainty.min(link.certainty);
                }
                None => own.push(Wait {
                    on: link.on,
                    classes: class.into_iter().collect(),
                    label,
                    certainty: link.certainty,
                    asks,
                }),
            }
        }
        Self(waits)
    }

    /// The waits of a class.
    pub(crate) fn of_class(&self, class: usize) -> &[Wait] {
        self.0.get(class).map_or(&[], Vec::as_slice)
    }
}
