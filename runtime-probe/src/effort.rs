//! How much work the stacks of a task are worth.
//!
//! Unwind tables come from the target and may be hostile: an entry may have a million instructions, a stack a hundred thousand frames that all need
//! that entry, and a task ten thousand such stacks. Each of these alone is within its bound, but not all together. So the work for all stacks of a task is
//! counted, and the work for all tasks. When a task has used up its share, the rest of its stacks is missing, with that reason. What is
//! counted is work and not time, so that the same target always gives the same stacks.

use std::cell::Cell;

/// What is left to be spent: about the bytes of unwind tables that are read.
#[derive(Debug)]
pub(crate) struct Effort(Cell<u64>);

/// It is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UsedUp;

impl Effort {
    /// For one task, through all rounds of a look: a stack that has overflowed its eight megabytes by recursion is followed to its end. A tenth of a second, or some
    /// seconds if all of it is made to be slow.
    pub(crate) const TASK: u64 = 64 << 20;
    /// For all tasks of a look together. A job of a hundred thousand threads takes a tenth of it.
    pub(crate) const LOOK: u64 = 2 << 30;
    /// A frame costs so much, besides what is read for it: it is kept, with names and values, until the answer is there.
    pub(crate) const FRAME: u64 = 256;
    /// A word of a stack that may be a return address.
    pub(crate) const WORD: u64 = 16;

    pub(crate) fn of(most: u64) -> Effort {
        Effort(Cell::new(most))
    }

    /// Takes away what is about to be done.
    pub(crate) fn spend(&self, amount: u64) -> Result<(), UsedUp> {
        let left = self.0.get().checked_sub(amount);
        self.0.set(left.unwrap_or(0));
        left.map(drop).ok_or(UsedUp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_up_stays_so() {
        let effort = Effort::of(10);
        assert_eq!(effort.spend(10), Ok(()));
        assert_eq!((effort.spend(1), effort.spend(0)), (Err(UsedUp), Ok(())));
        let effort = Effort::of(10);
        assert_eq!((effort.spend(11), effort.spend(1)), (Err(UsedUp), Err(UsedUp)));
    }
}
