//! Who waits for whom in a few words, for pictures that have little room.

use super::headline;
use base::RankSet;
use engine::recorded::{Verdict, Waiting};
use std::collections::BTreeMap;

/// What is said of a job as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WaitsSaid {
    /// The headline: who waits for whom.
    pub headline: String,
    /// Whom it names as those to look at.
    pub named: RankSet,
    /// For whom a rank waits, by rank.
    pub waits: BTreeMap<u32, RankSet>,
    /// Nobody has gone on between two looks, and some wait: the last event is the moment of the hang.
    pub hangs: bool,
}

impl WaitsSaid {
    /// Of who waits for whom.
    #[must_use]
    pub fn of(waiting: &Waiting) -> Self {
        let verdict = waiting.verdict();
        let named = waiting.named(&verdict);
        let mut waits: BTreeMap<u32, RankSet> = BTreeMap::new();
        for edge in &waiting.graph.edges {
            let runs = || edge.on.runs().map(|(first, last)| (first.0, last.0));
            let on = || RankSet::from_ranges(runs());
            waits.entry(edge.waiter.0).or_insert_with(on);
        }
        Self {
            headline: headline(waiting),
            named: named
                .iter()
                .flat_map(|named| &named.ranks)
                .map(|rank| rank.0)
                .collect(),
            waits,
            hangs: verdict != Verdict::Nobody && !waiting.tasks.iter().any(|task| task.moves),
        }
    }
}
