//! Windows of a task: the signals that open and close epochs, and the locks that it holds and asks for.

use super::task::Task;
use super::{Identity, Lock, LockKind, Rank, Signal};
use recording::layout::{does, peer, signal};
use recording::{Call, Communicator, Kind};
use waitgraph::recorded::{Item, Signals};

impl Task<'_> {
    /// The signals of this kind that go between the task and a peer over a window, given by its serial number.
    pub(super) fn signals(&self, window: Option<u64>, rank: i64, tag: i64) -> Option<Signals> {
        let known = self.recording().communicator(window?)?;
        let peer = known.members.as_ref()?.get(usize::try_from(rank).ok()?)??;
        let signal = match (known.kind, tag) {
            (Kind::Window, signal::POSTS) => Signal::Post,
            (Kind::Window, signal::COMPLETES) => Signal::Complete,
            _ => return None,
        };
        Some(Signals {
            window: Identity(known.identity),
            peer: Rank(peer),
            signal,
        })
    }

    /// The window of this serial number.
    fn window(&self, serial: Option<u64>) -> Option<&Communicator> {
        let known = self.recording().communicator(serial?)?;
        (known.kind == Kind::Window).then_some(known)
    }

    /// The locks that it has asked for and not given back.
    pub(super) fn locks(&self) -> Vec<Lock> {
        let rows = self.recording().channels.iter();
        let open = rows.filter(|row| !row.received && row.begun > row.done);
        open.filter_map(|row| self.lock(Some(row.communicator), i64::from(row.peer), row.tag))
            .collect()
    }

    fn lock(&self, window: Option<u64>, rank: i64, how: i64) -> Option<Lock> {
        let known = self.window(window)?;
        let access = match how {
            signal::SHARES | signal::SHARES_ALL => LockKind::Shared,
            signal::EXCLUDES => LockKind::Exclusive,
            _ => return None,
        };
        let target = match how {
            signal::SHARES_ALL => None,
            _ => Some(Rank(known.members.as_ref()?.get(usize::try_from(rank).ok()?)??)),
        };
        let window = Identity(known.identity);
        Some(Lock {
            window,
            target,
            access,
        })
    }

    /// What a call waits for that asks for a lock, or completes what was done under one. Of several locks nobody knows which holds it up.
    pub(super) fn lock_of(&self, call: &Call) -> Item {
        let (rank, how) = call.destination;
        if call.does == does::LOCKS {
            return self
                .lock(call.communicator, rank, how)
                .map_or(Item::Unknown, Item::Lock);
        }
        let Some(known) = self.window(call.communicator) else {
            return Item::Unknown;
        };
        let member = |rank: usize| Some(Rank(known.members.as_ref()?.get(rank)??));
        let target = usize::try_from(rank).ok().and_then(member);
        if rank >= 0 && target.is_none() || rank == peer::NOBODY {
            return Item::Unknown;
        }
        let of_window = |lock: &Lock| lock.window == Identity(known.identity);
        let is_it = |lock: &Lock| target.is_none() || lock.target.is_none() || lock.target == target;
        let own = self.locks();
        let mut own = own.iter().filter(|lock| of_window(lock) && is_it(lock));
        match (own.next(), own.next()) {
            (Some(only), None) => Item::Lock(Lock {
                target: target.or(only.target),
                ..*only
            }),
            _ => Item::Unknown,
        }
    }
}
