//! What all readers of events make their traces with.

use super::{Event, Lane, NameId, Trace};
use base::IdVec;
use std::collections::BTreeMap;

/// Names, each once.
#[derive(Debug, Default)]
pub(super) struct Names {
    all: IdVec<NameId, String>,
    ids: BTreeMap<String, NameId>,
}

impl Names {
    pub(super) fn id(&mut self, name: &str) -> NameId {
        if let Some(known) = self.ids.get(name) {
            return *known;
        }
        let id = self.all.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        id
    }

    pub(super) fn name(&self, id: NameId) -> &str {
        &self.all[id]
    }

    pub(super) fn into_all(self) -> IdVec<NameId, String> {
        self.all
    }
}

/// Things that are alike by their key, each once.
#[derive(Debug)]
pub(super) struct Numbers<K>(BTreeMap<K, u64>);

impl<K> Default for Numbers<K> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord> Numbers<K> {
    /// How often this key was asked for before.
    pub(super) fn next(&mut self, key: K) -> u64 {
        let number = self.0.entry(key).or_default();
        *number += 1;
        *number - 1
    }
}

impl Trace {
    /// Counts the events of each rank, in the order in which they stand, and names the ranks that have none of a lane's.
    pub(super) fn count(mut self, hosts: &BTreeMap<u32, String>) -> Self {
        let mut next = Numbers::default();
        for event in &mut self.events {
            event.sequence = next.next(event.rank);
        }
        self.lanes = lanes(&self.events, hosts);
        self
    }
}

/// A lane for each rank that has events, or is named.
pub(super) fn lanes(events: &[Event], hosts: &BTreeMap<u32, String>) -> Vec<Lane> {
    let mut all: BTreeMap<u32, &str> = events.iter().map(|event| (event.rank, "")).collect();
    all.extend(hosts.iter().map(|(rank, host)| (*rank, &**host)));
    let lanes = all.into_iter().map(|(rank, host)| Lane {
        rank,
        host: host.to_owned(),
    });
    lanes.collect()
}

/// Whether a name is that of a function of MPI.
pub(super) fn is_of_mpi(name: &str) -> bool {
    name.starts_with("MPI_")
}

/// The beginning of a text, for an error.
pub(super) fn short(text: &str) -> String {
    text.chars().take(40).collect()
}
