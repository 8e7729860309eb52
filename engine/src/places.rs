//! Where tasks are by their call paths, as their models tell: those at one place together, as AutomaDeD's states are.

use crate::recorded::{Record, Waiting};
use base::RankSet;
use std::collections::BTreeMap;
use waitgraph::Rank;

/// Tasks at one place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Who they are.
    pub ranks: RankSet,
    /// The operation that they are in, or were in last; `None` if nothing was recorded.
    pub operation: Option<String>,
    /// They are behind it, in the computation that follows.
    pub is_computing: bool,
    /// The return addresses of the call, innermost first: the file that the code is in, if that is known, and the address in it.
    pub path: Vec<(Option<String>, u64)>,
}

/// What tasks at one place share: the key of the state, the operation, and whether the call is over.
type Key<'r> = (Option<u64>, Option<&'r str>, bool);

/// The places of all tasks of a wait graph that these records made, the lowest rank first. Of a task with several threads the first counts that is in a call.
#[must_use]
pub fn places(records: &[Record], waiting: &Waiting) -> Vec<Place> {
    let mut by_rank: BTreeMap<u32, &Record> = BTreeMap::new();
    for record in records {
        if let Some((rank, _)) = record.recording.world {
            by_rank.entry(rank).or_insert(record);
        }
    }
    let mut groups: BTreeMap<Key<'_>, Vec<u32>> = BTreeMap::new();
    for (&rank, record) in &by_rank {
        let threads = &record.recording.threads;
        let thread = threads
            .iter()
            .find(|thread| thread.call.is_some())
            .or(threads.first());
        let operation = waiting
            .task(Rank(rank))
            .and_then(|task| task.operation.as_deref());
        let is_computing = thread.is_none_or(|thread| thread.call.is_none());
        let state = thread.and_then(|thread| thread.state);
        groups
            .entry((state, operation, is_computing))
            .or_default()
            .push(rank);
    }
    let mut places: Vec<Place> = groups
        .into_iter()
        .filter_map(|((state, operation, is_computing), ranks)| {
            let recording = &by_rank.get(ranks.first()?)?.recording;
            let state = state.and_then(|key| recording.model.state(key));
            let own = state.map(|state| recording.operation(state.operation).to_owned());
            let file = |module: Option<usize>| recording.model.modules.get(module?).cloned();
            let path = state.iter().flat_map(|state| &state.path);
            Some(Place {
                operation: own.or_else(|| operation.map(str::to_owned)),
                is_computing,
                path: path.map(|&(module, address)| (file(module), address)).collect(),
                ranks: ranks.into_iter().collect(),
            })
        })
        .collect();
    places.sort_by_key(|place| place.ranks.iter().next());
    places
}
