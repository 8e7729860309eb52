//! Who keeps another task from access to a part of a window, as far as calls tell.
//!
//! A library may ask for a lock when the program does, or at any time up to the call that ends its use. So whoever has returned from asking may have it or not.
//! But of those who have asked for one that excludes the waiting task's, whoever stands in a call that waits for the same part itself has it not, or is served by
//! the library alone. If a task stands still all the same, and the one whose part it is can serve it, one of the others has it.

use super::need::Need;
use super::world::World;
use crate::recorded::{Identity, Item, Lock, LockKind, Presence, Recorded, Waits};
use crate::state::Rank;
use std::collections::BTreeMap;

/// Who has asked for locks, by window: those that exclude all others, and those that are shared. One who only wants to share has nothing to do with the latter, of which
/// there may be as many as tasks.
pub(super) struct Locks<'t> {
    exclusive: BTreeMap<Identity, Vec<&'t Recorded>>,
    shared: BTreeMap<Identity, Vec<&'t Recorded>>,
    /// A task is outside of MPI.
    is_one_outside: bool,
}

impl<'t> Locks<'t> {
    /// The locks of the tasks, which are given by rank.
    pub(super) fn of(tasks: &[&'t Recorded]) -> Self {
        let (mut exclusive, mut shared) = (BTreeMap::new(), BTreeMap::new());
        let takes_part = |task: &&&Recorded| task.presence == Presence::Present && !task.is_partial;
        for task in tasks.iter().filter(takes_part) {
            for lock in &task.locks {
                let of_kind: &mut BTreeMap<_, Vec<&'t Recorded>> = match lock.access {
                    LockKind::Exclusive => &mut exclusive,
                    LockKind::Shared => &mut shared,
                };
                let known = of_kind.entry(lock.window).or_default();
                if known.last().is_none_or(|last| last.rank != task.rank) {
                    known.push(task);
                }
            }
        }
        Locks {
            exclusive,
            shared,
            is_one_outside: tasks.iter().any(|task| is_outside(task)),
        }
    }

    /// Those who may have what excludes this one.
    fn against(&self, lock: &Lock) -> impl Iterator<Item = &'t Recorded> {
        let shared = match lock.access {
            LockKind::Exclusive => self.shared.get(&lock.window),
            LockKind::Shared => None,
        };
        let all = [self.exclusive.get(&lock.window), shared];
        all.into_iter().flatten().flatten().copied()
    }
}

impl World<'_> {
    /// The tasks one of which keeps this one from the lock, sorted; none if nobody does.
    pub(super) fn holders(&self, task: &Recorded, lock: &Lock) -> Vec<Rank> {
        let has_it = |other: &&Recorded| {
            other.rank != task.rank
                && other.locks.iter().any(|held| held.excludes(lock))
                && !waits_for_part(other, lock)
        };
        let holders = self.locks().against(lock).filter(has_it);
        let mut holders = Vec::from_iter(holders.map(|other| other.rank));
        holders.sort_unstable();
        holders.dedup();
        holders
    }

    /// What has to happen before the task has what it wants of a part of a window.
    pub(super) fn need_of_lock(&self, task: &Recorded, lock: &Lock) -> Need {
        let holders = self.holders(task, lock);
        if holders.is_empty() {
            return Need::Nothing;
        }
        let mut needs: Vec<Need> = holders.into_iter().map(Need::Rank).collect();
        // A library may need a call of the task whose part it is, or of any of them.
        needs.extend(lock.target.map(Need::Rank).filter(|_| self.may_serve_later(lock)));
        if lock.target.is_none() && self.may_serve_later(lock) {
            needs.push(Need::Nothing);
        }
        Need::One(needs)
    }

    /// Whether a task whose part is locked is outside of MPI, or nobody knows.
    fn may_serve_later(&self, lock: &Lock) -> bool {
        match lock.target {
            Some(target) => self.recorded(target).is_none_or(is_outside),
            None => self.locks().is_one_outside,
        }
    }
}

fn is_outside(task: &Recorded) -> bool {
    task.threads.iter().all(|(waits, _)| *waits == Waits::Nothing)
}

/// Whether it stands in a call that waits for this part of the window itself.
fn waits_for_part(task: &Recorded, lock: &Lock) -> bool {
    waits_for(task, |item| matches!(item, Item::Lock(own) if own.meets(lock)))
}

/// Whether a task waits for a lock: nothing that rests on it is proven.
pub(super) fn waits_for_any(task: &Recorded) -> bool {
    waits_for(task, |item| matches!(item, Item::Lock(_)))
}

fn waits_for(task: &Recorded, is_it: impl Fn(&Item) -> bool) -> bool {
    let mut threads = task.threads.iter();
    threads.any(|(waits, _)| waits.items().iter().any(&is_it))
}
