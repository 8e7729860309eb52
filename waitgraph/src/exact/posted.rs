//! The receives of one task that are posted and under way, so that those that could take a message are found without looking at all of them.

use crate::recorded::{From, Identity, Recorded};
use crate::state::Rank;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Receives that take of the same list under one tag: the list, and their places among all that are posted.
type Group = (Arc<[Rank]>, Vec<usize>);

/// The posted receives of a task, by what they take. Places are in order.
#[derive(Debug, Default)]
pub(super) struct Posted {
    named: BTreeMap<(Identity, Rank, Option<i64>), Vec<usize>>,
    open: BTreeMap<(Identity, Option<i64>), Vec<Group>>,
}

/// Those that could take a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Takers {
    /// How many they are.
    pub(super) count: u64,
    /// All of them take messages of this channel alone.
    pub(super) is_exact: bool,
}

impl Posted {
    /// Those of a task.
    pub(super) fn of(task: &Recorded) -> Self {
        let mut posted = Posted::default();
        for (place, each) in task.posted.iter().enumerate() {
            match &each.from {
                From::Rank(rank) => {
                    let same = posted.named.entry((each.communicator, *rank, each.tag));
                    same.or_default().push(place);
                }
                From::AnyOf(list) => {
                    let groups = posted.open.entry((each.communicator, each.tag)).or_default();
                    match groups.iter_mut().find(|(of, _)| Arc::ptr_eq(of, list)) {
                        Some((_, places)) => places.push(place),
                        None => groups.push((Arc::clone(list), vec![place])),
                    }
                }
            }
        }
        posted
    }

    /// Those of the first `before` that could take a message of this sender and tag.
    pub(super) fn takers(&self, before: usize, over: Identity, sender: Rank, tag: i64) -> Takers {
        let among = |places: &Vec<usize>| places.partition_point(|place| *place < before) as u64;
        let named = |tag: Option<i64>| self.named.get(&(over, sender, tag)).map_or(0, among);
        let open = |tag: Option<i64>| -> u64 {
            let groups = self.open.get(&(over, tag)).into_iter().flatten();
            let fitting = groups.filter(|(list, _)| list.binary_search(&sender).is_ok());
            fitting.map(|(_, places)| among(places)).sum()
        };
        let others = named(None) + open(Some(tag)) + open(None);
        Takers {
            count: named(Some(tag)) + others,
            is_exact: others == 0,
        }
    }
}
