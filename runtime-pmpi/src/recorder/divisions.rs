//! How the task divides what it gives and takes in a collective operation among its members ([`recording::division`]).

use super::Recorder;
use super::call::Call;
use recording::division::{
    DIVISION, DIVISIONS, DIVISIONS_AT, MOST_PORTIONS, PORTIONS, PORTIONS_AT, part, sum,
};
use recording::layout::{FREE, communicator};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many rows, and how many words of the ring, were used; and what is to be written when prepared operations are started.
#[derive(Debug, Default)]
pub(super) struct Used {
    rows: AtomicU64,
    portions: AtomicU64,
    /// By the request's handle.
    at_start: Mutex<BTreeMap<u64, AtStart>>,
}

/// The portions of a prepared operation, which its program may not change before the request is freed.
#[derive(Debug)]
struct AtStart {
    portions: Vec<u64>,
    given: usize,
}

impl Used {
    /// A panic in another thread, which there is none of, would change nothing.
    fn at_start(&self) -> MutexGuard<'_, BTreeMap<u64, AtStart>> {
        self.at_start.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Among whom a task divides what it gives in a communicator.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Peers {
    /// How many; 0 if it is not known.
    pub count: u32,
    /// They are the remote group of an intercommunicator, if it is not 0.
    pub is_inter: u32,
    /// The rank of the task in the communicator.
    pub rank: u32,
}

impl Recorder {
    /// Among whom a call that has begun divides what it gives.
    #[must_use]
    pub fn peers(&self, call: &Call) -> Peers {
        if call.row == 0 {
            return Peers::default();
        }
        let word = |word: usize| self.words.get(call.row as usize + word);
        Peers {
            count: word(communicator::PEERS) as u32,
            is_inter: u32::from(word(communicator::REMOTE) != 0),
            rank: word(communicator::RANK) as u32,
        }
    }

    /// The call, which has begun, gives the first `given` of these portions and takes the others: the bytes of each plus one, 0 if they are not known.
    pub fn divide(&self, call: &Call, portions: &[u64], given: usize) {
        let is_too_large = portions.len() > MOST_PORTIONS;
        let Some(taken) = portions.len().checked_sub(given).filter(|_| !is_too_large) else {
            return;
        };
        if call.serial == FREE || call.ordinal == 0 {
            return;
        }
        let words = self.words;
        self.alone(|| {
            let next = |used: &AtomicU64, more: u64| {
                let before = used.load(Ordering::Relaxed);
                used.store(before + more, Ordering::Relaxed);
                before
            };
            let number = next(&self.divisions.rows, 1);
            let row = DIVISIONS_AT + (number % DIVISIONS as u64) as usize * DIVISION;
            let at = next(&self.divisions.portions, portions.len() as u64);
            words.publish(row + part::COMMUNICATOR, FREE);
            for (index, portion) in (at..).zip(portions) {
                words.set(PORTIONS_AT + (index % PORTIONS as u64) as usize, *portion);
            }
            let values = [
                call.serial,
                call.ordinal,
                u64::from(call.operation) + 1,
                call.root as u64,
                at,
                (taken as u64) << 32 | given as u64,
            ];
            let sum = sum(values.into_iter().chain(portions.iter().copied()));
            for (index, value) in values.into_iter().enumerate().skip(1) {
                words.set(row + index, value);
            }
            words.set(row + part::SUM, sum);
            words.publish(row + part::COMMUNICATOR, call.serial);
        });
    }

    /// The same, each time that the operation of this request is started.
    pub fn divide_at_start(&self, request: u64, portions: &[u64], given: usize) {
        let portions = portions.to_vec();
        self.divisions
            .at_start()
            .insert(request, AtStart { portions, given });
    }

    /// The operation of this request is started, as `call` says.
    pub(super) fn divide_started(&self, request: u64, call: &Call) {
        if let Some(AtStart { portions, given }) = self.divisions.at_start().get(&request) {
            self.divide(call, portions, *given);
        }
    }

    /// This request is freed.
    pub(super) fn forget_division(&self, request: u64) {
        self.divisions.at_start().remove(&request);
    }
}
