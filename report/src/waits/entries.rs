//! Waits in collective operations that are told in one line.

use engine::recorded::{Certainty, Edge, Identity, ListId, Rank, Why};
use std::collections::BTreeMap;

/// Which collective operation a task waits in, how far those have come for whom it waits, and how certain that is.
type Entry = (Identity, u64, u32, u64, Certainty);

/// Those who wait for the same tasks, which have come as far, in the same collective operation.
#[derive(Default)]
pub(super) struct Entries<'w> {
    /// An edge of each, with the tasks that wait.
    pub(super) alike: Vec<(&'w Edge, Vec<Rank>)>,
    /// Where they stand. Many share one long list, which is looked through once.
    by_list: BTreeMap<(Entry, ListId), usize>,
    by_ranks: BTreeMap<(Entry, &'w [Rank]), usize>,
}

impl<'w> Entries<'w> {
    pub(super) fn add(&mut self, edge: &'w Edge) {
        let Why::Entry { collective, entered } = &edge.why else {
            return;
        };
        let entry = (
            collective.communicator,
            collective.ordinal,
            collective.operation,
            *entered,
            edge.certainty,
        );
        let (alike, by_ranks) = (&mut self.alike, &mut self.by_ranks);
        let at = *self.by_list.entry((entry, edge.on.id())).or_insert_with(|| {
            *by_ranks.entry((entry, &edge.on.list()[..])).or_insert_with(|| {
                alike.push((edge, Vec::new()));
                alike.len() - 1
            })
        });
        if let Some((_, waiters)) = self.alike.get_mut(at) {
            waiters.push(edge.waiter);
        }
    }
}
