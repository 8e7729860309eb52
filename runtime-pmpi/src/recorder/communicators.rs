//! Communicators, windows and files: which there are, who their members are, and what tells one from all others in every task.

use super::call::Call;
use super::{HANDLES, Recorder, lost};
use crate::tables::{Table, mix};
use recording::layout::{
    COMMUNICATOR, COMMUNICATORS, COMMUNICATORS_AT, FREE, MEMBERS, MEMBERS_AT, UNKNOWN_MEMBER, communicator,
};
use std::sync::atomic::Ordering;

const HANDLES_TABLE: Table = Table {
    at: 0,
    rows: HANDLES,
    width: 2,
};

/// A new communicator, window, file or prepared collective operation.
#[derive(Clone, Copy, Debug)]
pub struct New<'a> {
    /// Its handle.
    pub handle: u64,
    /// What it is, as in [`Call::kind`].
    pub kind: u32,
    /// The handle of the communicator that it was made from; 0 if there is none.
    pub parent: u64,
    /// It was made by all members of the parent together, so that the parent's count of collective operations tells it from others.
    pub by_all: bool,
    /// The operation that made it, plus one; 0 for those that MPI begins with.
    pub made_by: u64,
    /// Which collective operation of the parent made it.
    pub ordinal: u64,
    /// The rank of this task in it.
    pub rank: u32,
    /// Its members as ranks of the world, in their order.
    pub members: &'a [u32],
    /// The members of the remote group.
    pub remote: &'a [u32],
}

impl Recorder {
    /// A communicator, window or file is there.
    pub fn add_communicator(&self, new: &New<'_>) {
        let words = self.words;
        let parent = self.row_of(new.parent, 0).unwrap_or(0);
        let parent_word = |word: usize| if parent == 0 { 0 } else { words.get(parent + word) };
        let mut identity = chain(chain(1, new.made_by), u64::from(new.kind));
        match (new.by_all, new.made_by) {
            // `MPI_COMM_WORLD` and `MPI_COMM_SELF`: of all, or of one.
            (_, 0) => identity = both(new, identity),
            (true, _) => {
                identity = chain(chain(identity, parent_word(communicator::IDENTITY)), new.ordinal);
                identity = both(new, identity);
            }
            (false, _) => {
                identity = both(new, identity);
                identity = chain(identity, self.made_before(identity));
            }
        }
        self.alone(|| {
            let at = |index: usize| COMMUNICATORS_AT + index * COMMUNICATOR;
            let Some(index) = self.row_to_take() else {
                self.lose(lost::COMMUNICATORS);
                return;
            };
            let row = at(index);
            if words.get(row) != FREE {
                self.lose(lost::FREED);
            }
            self.forget_channels(words.get(row));
            words.publish(row + communicator::SERIAL, FREE);
            let members = self.store_members(new.members);
            let (peers, remote) = if new.remote.is_empty() {
                (new.members.len(), 0)
            } else {
                (new.remote.len(), self.store_members(new.remote))
            };
            let values = [
                (communicator::IDENTITY, identity),
                (communicator::HANDLE, new.handle),
                (communicator::PARENT, parent_word(communicator::SERIAL)),
                (communicator::MADE_BY, new.made_by),
                (communicator::RANK, u64::from(new.rank)),
                (communicator::MEMBERS, members),
                (communicator::REMOTE, remote),
                (communicator::BEGUN, 0),
                (communicator::DONE, 0),
                (communicator::KIND, u64::from(new.kind)),
                (communicator::LAST, 0),
                (communicator::FENCED, 0),
                (communicator::PEERS, peers as u64),
            ];
            for (word, value) in values {
                words.set(row + word, value);
            }
            let serial = self.serials.fetch_add(1, Ordering::Relaxed) + 1;
            words.publish(row + communicator::SERIAL, serial & 0x7fff_ffff);
            let key = handle_key(new.handle, new.kind);
            // A handle that is used again without having been freed here stands for the new one.
            if let Some(old) = HANDLES_TABLE.find(self.handles, key, key, |_| true) {
                HANDLES_TABLE.remove(self.handles, old);
            }
            if let Some(entry) = HANDLES_TABLE.vacant(self.handles, key) {
                self.handles.set(entry + 1, row as u64);
                self.handles.publish(entry, key);
            }
        });
    }

    /// A row that was never used, or else one of a communicator that is freed: programs that make and free communicators for ever find the next one at once.
    fn row_to_take(&self) -> Option<usize> {
        let at = |index: usize| COMMUNICATORS_AT + index * COMMUNICATOR;
        let taken = self.rows_taken.load(Ordering::Relaxed) as usize;
        let is_vacant = |index: &usize| {
            let row = at(*index);
            self.words.get(row) == FREE || self.words.get(row + communicator::HANDLE) == 0
        };
        // Rows are taken one after the other, so that the first round finds those that were never used.
        let (step, index) = (0..COMMUNICATORS)
            .map(|step| (step, (taken + step) % COMMUNICATORS))
            .find(|(_, index)| is_vacant(index))?;
        self.rows_taken
            .store((taken + step + 1) as u64, Ordering::Relaxed);
        Some(index)
    }

    /// How many communicators of this kind and these members were made before, from what is still there.
    fn made_before(&self, identity: u64) -> u64 {
        let at = |index: usize| COMMUNICATORS_AT + index * COMMUNICATOR;
        let mut count = 0;
        while (0..COMMUNICATORS)
            .take_while(|&index| self.words.get(at(index)) != FREE)
            .any(|index| self.words.get(at(index) + communicator::IDENTITY) == chain(identity, count))
        {
            count += 1;
        }
        count
    }

    /// Stores ranks as runs; where they begin, and in the upper half how many words they are.
    fn store_members(&self, ranks: &[u32]) -> u64 {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for &rank in ranks {
            match runs.last_mut() {
                Some((first, count))
                    if rank != UNKNOWN_MEMBER
                        && *first != UNKNOWN_MEMBER
                        && first.wrapping_add(*count) == rank =>
                {
                    *count += 1;
                }
                Some((UNKNOWN_MEMBER, count)) if rank == UNKNOWN_MEMBER => *count += 1,
                _ => runs.push((rank, 1)),
            }
        }
        let packed = |(first, count): (u32, u32)| u64::from(count) << 32 | u64::from(first);
        // Duplicates of a communicator have the same members: these are stored once.
        let used = self.members.load(Ordering::Relaxed) as usize;
        let stored = |at: usize| {
            let mut pairs = runs.iter().enumerate();
            pairs.all(|(index, run)| self.words.get(MEMBERS_AT + at + index) == packed(*run))
        };
        let place = |at: usize| (runs.len() as u64) << 32 | at as u64;
        if let Some(at) = (0..used.saturating_sub(runs.len() - 1)).find(|&at| stored(at)) {
            return place(at);
        }
        if used + runs.len() > MEMBERS {
            self.lose(lost::MEMBERS);
            return 0;
        }
        for (index, run) in runs.iter().enumerate() {
            self.words.set(MEMBERS_AT + used + index, packed(*run));
        }
        self.members.store((used + runs.len()) as u64, Ordering::Relaxed);
        place(used)
    }

    /// A communicator, window or file is freed.
    pub fn remove_communicator(&self, handle: u64, kind: u32) {
        let key = handle_key(handle, kind);
        self.alone(|| {
            let Some(entry) = HANDLES_TABLE.find(self.handles, key, key, |_| true) else {
                return;
            };
            let row = self.handles.get(entry + 1) as usize;
            HANDLES_TABLE.remove(self.handles, entry);
            self.words.publish(row + communicator::HANDLE, 0);
        });
    }

    pub(super) fn row_of(&self, handle: u64, kind: u32) -> Option<usize> {
        let key = handle_key(handle, kind);
        let entry = HANDLES_TABLE.find(self.handles, key, key, |_| true)?;
        Some(self.handles.get(entry + 1) as usize)
    }

    pub(crate) fn serial_of_window(&self, handle: u64) -> Option<u64> {
        const WINDOW: u32 = 1;
        Some(
            self.words
                .get(self.row_of(handle, WINDOW)? + communicator::SERIAL),
        )
    }

    pub(super) fn look_up(&self, call: &mut Call) {
        (call.row, call.serial) = (0, 0);
        if call.communicator == 0 {
            return;
        }
        if let Some(row) = self.row_of(call.communicator, call.kind) {
            call.row = row as u64;
            call.serial = self.words.get(row + communicator::SERIAL);
        }
    }

    /// The row of the communicator that a request belongs to.
    pub(super) fn row_of_serial(&self, call: &mut Call) {
        let at = |index: usize| COMMUNICATORS_AT + index * COMMUNICATOR;
        let mut rows = (0..COMMUNICATORS).map(at);
        let found = rows.find(|&row| call.serial != 0 && self.words.get(row) == call.serial);
        call.row = found.unwrap_or(0) as u64;
    }
}

fn handle_key(handle: u64, kind: u32) -> u64 {
    handle ^ u64::from(kind) << 62
}

fn chain(hash: u64, value: u64) -> u64 {
    mix(hash.rotate_left(23) ^ mix(value.wrapping_add(0x1234_5678_9abc_def1)))
}

/// The hash with all members. Both sides of an intercommunicator come to the same.
fn both(new: &New<'_>, hash: u64) -> u64 {
    let of = |members: &[u32]| members.iter().fold(7, |hash, rank| chain(hash, u64::from(*rank)));
    let (one, other) = (of(new.members), of(new.remote));
    let identity = chain(chain(hash, one.min(other)), one.max(other));
    identity.max(1)
}
