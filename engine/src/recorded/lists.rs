//! The ranks of communicators, once for all tasks that have them: files give them as runs, the graph wants lists, and a list for each task would be as many ranks as the square of
//! the job's size.

use super::Rank;
use recording::{Communicator, Members};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Lists of ranks, by what they are made of.
#[derive(Debug, Default)]
pub(super) struct Lists(RefCell<BTreeMap<Key, Option<Arc<[Rank]>>>>);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    first: Members,
    second: Option<Members>,
    is_sorted: bool,
}

impl Lists {
    /// The members of a communicator in their order, and behind them those of the other side; nothing if some are of another world.
    pub(super) fn all(&self, of: &Communicator) -> Option<Arc<[Rank]>> {
        self.list(of.members.as_ref()?, of.remote.as_ref(), false)
    }

    /// These in their order.
    pub(super) fn in_order(&self, of: &Members) -> Option<Arc<[Rank]>> {
        self.list(of, None, false)
    }

    /// These, sorted.
    pub(super) fn sorted(&self, of: &Members) -> Option<Arc<[Rank]>> {
        self.list(of, None, true)
    }

    fn list(&self, first: &Members, second: Option<&Members>, is_sorted: bool) -> Option<Arc<[Rank]>> {
        let key = Key {
            first: first.clone(),
            second: second.cloned(),
            is_sorted,
        };
        let mut lists = self.0.borrow_mut();
        let made = lists.entry(key).or_insert_with(|| {
            let ranks = first.iter().chain(second.into_iter().flat_map(Members::iter));
            let mut ranks = ranks.map(|rank| rank.map(Rank)).collect::<Option<Vec<Rank>>>()?;
            if is_sorted {
                ranks.sort_unstable();
                ranks.dedup();
            }
            Some(ranks.into())
        });
        made.clone()
    }
}
