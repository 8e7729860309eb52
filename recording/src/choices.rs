//! Which of several requests the calls of a task completed, and which questions were answered: beside what its receives took ([`matches`](crate::matches)), this is what a second run has to follow to go the same way.
//!
//! Each such call has a slot for each request that it completed, one behind the other, or one slot if there was none to complete. They stand in the same file as the matches. Calls are told apart by the thread that made
//! them, and counted there.

use crate::layout::{does, word};
use crate::matches::{BEGUN, HEADER, SLOT};

/// Words of a slot, by their index; [`matches::slot`](crate::matches::slot) has the first.
pub mod slot {
    /// The row of the thread plus one, and in the upper half how many requests were given that are not null.
    pub const WHOSE: usize = 1;
    /// The request's place in the list; all bits if there was none to complete.
    pub const INDEX: usize = 2;
    /// How many slots of the same call follow.
    pub const MORE: usize = 3;
}

/// There was no request to complete.
pub const NONE: u64 = u64::MAX;

/// A call that completed some of its requests, or whose question was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The row of the thread plus one.
    pub thread: u32,
    /// What it does, a word of [`does`].
    pub does: u64,
    /// How many questions of the thread about requests were not answered since its choice before this one.
    pub polls: u32,
    /// How many requests were given that are not null.
    pub given: u32,
    /// Which were completed, by their place in the list and in the order in which the call told them; of a call that completes all together, the first stands for them.
    pub chosen: Vec<u32>,
}

/// Whether a call that does this leaves open which requests it completes, or what its answer is.
#[must_use]
pub fn chooses(what: u64) -> bool {
    matches!(what, does::COMPLETES_ONE | does::ASKS_ALL | does::ASKS_ONE)
}

/// The choices in the first `slots` of a file. One that was not written to its end is left out.
pub(crate) fn read(bytes: &[u8], slots: usize) -> Vec<Choice> {
    let mut choices = Vec::new();
    let mut index = 0;
    while index < slots {
        let at = HEADER + index * SLOT;
        let what = word(bytes, at);
        if what & BEGUN == 0 {
            break;
        }
        index += 1;
        if !chooses(what >> 8 & 0xff) {
            continue;
        }
        let more = usize::try_from(word(bytes, at + slot::MORE)).unwrap_or(usize::MAX);
        if more > slots - index {
            break;
        }
        let places = (0..=more).map(|later| word(bytes, at + later * SLOT + slot::INDEX));
        // A list of requests has no more places than an `int` counts.
        let chosen = places.map_while(|place| u32::try_from(place).ok());
        let whose = word(bytes, at + slot::WHOSE);
        choices.push(Choice {
            thread: whose as u32,
            does: what >> 8 & 0xff,
            polls: (what >> 32) as u32,
            given: (whose >> 32) as u32,
            chosen: chosen.collect(),
        });
        index += more;
    }
    choices
}
