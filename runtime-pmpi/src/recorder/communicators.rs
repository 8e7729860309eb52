//! Communicators, windows and files: which there are, who their members are, and what tells one from all others in every task.

use super::call::Call;
use super::{HANDLES, Recorder, lost};
use crate::tables::{Table, mix};
use recording::layout::{
    COMMUNICATOR, COMMUNICATORS, COMMUNICATORS_AT, FREE, HAS_NEIGHBOURS, MEMBERS, MEMBERS_AT, UNKNOWN_MEMBER,
    communicator,
};
use std::sync::PoisonError;
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
    /// Its neighbours in the communicator's topology; `None` if it has none.
    pub neighbours: Option<NeighbourRanks<'a>>,
}

/// With whom a task exchanges in operations among neighbours, as ranks of the world in the order of its portions; [`UNKNOWN_MEMBER`] stands for `MPI_PROC_NULL`.
#[derive(Clone, Copy, Debug)]
pub struct NeighbourRanks<'a> {
    /// Of whom it takes.
    pub sources: &'a [u32],
    /// To whom it gives.
    pub destinations: &'a [u32],
}

/// How many neighbours a task has in a topology.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NeighbourCounts {
    /// Of whom it takes; `MPI_PROC_NULL` counts.
    pub sources: u32,
    /// To whom it gives.
    pub destinations: u32,
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
            self.forget_matches(row);
            words.publish(row + communicator::SERIAL, FREE);
            let members = self.store_members(new.members);
            let neighbours = new.neighbours.and_then(|of| self.store_neighbours(of));
            let [sources, destinations] = neighbours.unwrap_or([0, 0]);
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
                (communicator::SOURCES, sources),
                (communicator::DESTINATIONS, destinations),
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

    /// How many communicators of this kind and these members were made before, also those that are gone: all members count alike, whatever else they made. Where there are too many
    /// to remember, nothing rests on the task's counts any more.
    fn made_before(&self, identity: u64) -> u64 {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if made.len() >= COMMUNICATORS && !made.contains_key(&identity) {
            self.lose(lost::COMMUNICATORS);
            return 0;
        }
        let count = made.entry(identity).or_default();
        *count += 1;
        *count - 1
    }

    /// Stores the members; where they begin, and in the upper half how many words they are, or 0 if there is no room.
    fn store_members(&self, ranks: &[u32]) -> u64 {
        self.store_ranks(ranks, MEMBERS).unwrap_or_else(|| {
            self.lose(lost::MEMBERS);
            0
        })
    }

    /// Stores sources and destinations, if there is room. Programs that refine their mesh for ever have other neighbours each time: they leave half of the table
    /// to the members of communicators, which more rests on.
    fn store_neighbours(&self, of: NeighbourRanks<'_>) -> Option<[u64; 2]> {
        let sources = self.store_ranks(of.sources, MEMBERS / 2)?;
        let destinations = self.store_ranks(of.destinations, MEMBERS / 2)?;
        Some([sources | HAS_NEIGHBOURS, destinations | HAS_NEIGHBOURS])
    }

    /// How many neighbours the task has in the topology of a call's communicator; none if they are not known.
    #[must_use]
    pub fn neighbour_counts(&self, call: &Call) -> NeighbourCounts {
        if call.row == 0 {
            return NeighbourCounts::default();
        }
        let count = |word: usize| {
            let place = self.words.get(call.row as usize + word) & !HAS_NEIGHBOURS;
            let (first, words) = (place as u32 as usize, (place >> 32) as usize);
            let runs = (first..first + words).map(|index| self.words.get(MEMBERS_AT + index) >> 32);
            u32::try_from(runs.sum::<u64>()).unwrap_or(0)
        };
        NeighbourCounts {
            sources: count(communicator::SOURCES),
            destinations: count(communicator::DESTINATIONS),
        }
    }

    /// Stores ranks as runs, if not more than so many words of the table are in use then; their place.
    fn store_ranks(&self, ranks: &[u32], most: usize) -> Option<u64> {
        if ranks.is_empty() {
            return Some(0);
        }
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
            return Some(place(at));
        }
        if used + runs.len() > most {
            return None;
        }
        for (index, run) in runs.iter().enumerate() {
            self.words.set(MEMBERS_AT + used + index, packed(*run));
        }
        self.members.store((used + runs.len()) as u64, Ordering::Relaxed);
        Some(place(used))
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
