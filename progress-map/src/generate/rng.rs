//! Random numbers, and small things made of them.

use base::{Id, Span};
use std::collections::BTreeSet;

/// SplitMix64: the same numbers for the same seed, for ever.
pub struct Rng(pub u64);

impl Rng {
    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.bits() % limit as u64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of `choices`, which are not none.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// A number of any magnitude: each number of bits is as likely as any other.
    pub fn magnitude(&mut self) -> u64 {
        let bits = self.below(65) as u32;
        self.bits().checked_shr(64 - bits).unwrap_or(0)
    }

    pub(super) fn u32(&mut self) -> u32 {
        (self.magnitude() >> 32) as u32 ^ self.below(4) as u32
    }

    pub(super) fn hash(&mut self) -> [u8; 32] {
        std::array::from_fn(|_| self.bits() as u8)
    }

    pub(super) fn some<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.one_in(2) { Some(make(self)) } else { None }
    }

    pub(super) fn list<T>(&mut self, most: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = self.below(most + 1);
        (0..count).map(|_| make(self)).collect()
    }

    pub(super) fn id<I: Id>(&mut self, count: usize) -> I {
        I::from_index(self.below(count))
    }

    /// Up to `most` ids, sorted, none twice.
    pub(super) fn ids<I: Id>(&mut self, most: usize, count: usize) -> Vec<I> {
        let set = BTreeSet::from_iter(self.list(most, |rng| rng.below(count)));
        set.into_iter().map(I::from_index).collect()
    }

    pub(super) fn word(&mut self) -> String {
        let words = [
            "",
            "i",
            "s->step",
            "größe",
            "operator<<",
            "MPI_Allreduce",
            "a\0b \0",
            "x\ny",
            "line 12 at 4294967295, 007, 4294967296 ",
            "0 x2 2nd größe7 7",
        ];
        let mut word = self.pick(&words).to_owned();
        if self.one_in(3) {
            word.push_str(&self.below(1000).to_string());
        }
        word
    }

    pub(super) fn span(&mut self) -> Span {
        let (a, b) = (self.u32(), self.u32());
        Span {
            line: a.min(b),
            column: self.u32(),
            end_line: a.max(b),
            end_column: self.u32(),
        }
    }
}
