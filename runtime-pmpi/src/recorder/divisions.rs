//! How the task divides what it gives and takes in a collective operation among its members ([`recording::division`]).

use super::Recorder;
use super::call::Call;
use recording::division::{
    DIVISION, DIVISIONS, DIVISIONS_AT, MOST_PORTIONS, PORTIONS, PORTIONS_AT, part, sum,
};
use recording::layout::FREE;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many rows, and how many words of the ring, were used.
#[derive(Debug, Default)]
pub(super) struct Used {
    rows: AtomicU64,
    portions: AtomicU64,
}

impl Recorder {
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
}
