//! How a member of a collective operation divides what it gives and takes among the members, where each pair of them has to say the same and no two pairs need say the
//! same: `MPI_Alltoallv`, `MPI_Alltoallw`, `MPI_Gatherv`, `MPI_Scatterv`.
//!
//! The last [`DIVISIONS`] of these stand in a table, also when the task has left the operation: a member that got less than it wants stands alone in it. Their portions
//! stand in a ring that is written over and over. A sum tells a reader whether a row and its portions belong together.

use crate::layout::FREE;
use crate::model;

/// Operations whose division is kept.
pub const DIVISIONS: usize = 128;
/// Words of one.
pub const DIVISION: usize = 8;
/// Words of a division, by their index.
pub mod part {
    /// The communicator's serial number; [`FREE`](super::FREE) while the row is written.
    pub const COMMUNICATOR: usize = 0;
    /// Which collective operation of the communicator it is, counted from 1.
    pub const ORDINAL: usize = 1;
    /// The operation's number plus one.
    pub const OPERATION: usize = 2;
    /// The root plus one; 0 if there is none.
    pub const ROOT: usize = 3;
    /// Where its portions begin: how many words of the ring were used before.
    pub const AT: usize = 4;
    /// How many portions are given in the lower half, and taken, which stand behind these, in the upper.
    pub const PORTIONS: usize = 5;
    /// The [`sum`](super::sum) of the words before and of the portions.
    pub const SUM: usize = 6;
}
/// Words of the ring of portions: the bytes of each plus one, 0 if they are not known.
pub const PORTIONS: usize = 1 << 14;
/// The most portions of one division: those of larger ones are not kept.
pub const MOST_PORTIONS: usize = PORTIONS / 2;

/// Where the table begins.
pub const DIVISIONS_AT: usize = model::END;
/// Where the ring begins.
pub const PORTIONS_AT: usize = DIVISIONS_AT + DIVISIONS * DIVISION;
/// The first word behind it.
pub const END: usize = PORTIONS_AT + PORTIONS;

/// A sum that changes with each word and with their order.
#[must_use]
pub fn sum(words: impl Iterator<Item = u64>) -> u64 {
    words.fold(1, |sum, word| {
        (sum.rotate_left(7) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

/// The portions of one kind, in bytes; `None` for those that are not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Portions {
    /// One for each member, by its rank in the communicator; empty if there are none.
    OfMembers(Vec<Option<u64>>),
    /// One for the root.
    OfRoot(u32, Option<u64>),
}

impl Portions {
    fn new(root: Option<u32>, portions: &[u64]) -> Self {
        match (root, portions) {
            (Some(root), [only]) => Portions::OfRoot(root, only.checked_sub(1)),
            _ => Portions::OfMembers(portions.iter().map(|portion| portion.checked_sub(1)).collect()),
        }
    }
}

/// What a task gives and takes in a collective operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Division {
    /// The serial number of the communicator.
    pub communicator: u64,
    /// Which collective operation of the communicator it is, counted from 1.
    pub ordinal: u64,
    /// The number of its operation.
    pub operation: u32,
    /// What it gives.
    pub gives: Portions,
    /// What it takes.
    pub takes: Portions,
}

impl Division {
    /// All whose rows and portions belong together: others are being written, or were written over.
    pub(crate) fn all(word: &impl Fn(usize) -> u64) -> Vec<Division> {
        let rows = (0..DIVISIONS).map(|row| DIVISIONS_AT + row * DIVISION);
        rows.filter_map(|row| Self::read(word, row)).collect()
    }

    fn read(word: &impl Fn(usize) -> u64, row: usize) -> Option<Division> {
        let of = |index: usize| word(row + index);
        let given = of(part::PORTIONS) as u32 as usize;
        let taken = (of(part::PORTIONS) >> 32) as usize;
        if of(part::COMMUNICATOR) == FREE || given + taken > MOST_PORTIONS {
            return None;
        }
        let first = of(part::AT) as usize % PORTIONS;
        let portions = (0..given + taken).map(|index| word(PORTIONS_AT + (first + index) % PORTIONS));
        let portions = Vec::from_iter(portions);
        let words = (0..part::SUM).map(of).chain(portions.iter().copied());
        if sum(words) != of(part::SUM) {
            return None;
        }
        let root = match of(part::ROOT).checked_sub(1) {
            None => None,
            Some(root) => Some(u32::try_from(root).ok()?),
        };
        let (gives, takes) = portions.split_at(given);
        Some(Division {
            communicator: of(part::COMMUNICATOR),
            ordinal: of(part::ORDINAL),
            operation: u32::try_from(of(part::OPERATION).checked_sub(1)?).ok()?,
            gives: Portions::new(root, gives),
            takes: Portions::new(root, takes),
        })
    }
}
