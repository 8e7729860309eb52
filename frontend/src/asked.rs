//! What the reading of one file asked about all files together: the names, and the headers it took to be included.
//!
//! Reading a file is a function of its path, its bytes, and the answers to the questions that it asks [`Macros`]. Each question
//! is about one name and the set of included files. So a result may be used again as long as those files, and what all files
//! say of those names, are the same ([`SaidByAll`]); whatever else changes elsewhere.
//!
//! Names are kept by a hash of 19 bits: two names that share it count as one. That can make a result seem out of date that
//! is not; never the other way, because what all files say of both is compared.
//!
//! [`Macros`]: crate::Macros

use base::{put_number, take_number};
use std::cell::Cell;
use std::collections::BTreeSet;

/// Names are told apart by so many bits.
const BITS: u32 = 19;
const BUCKETS: usize = 1 << BITS;

/// The group of names that `name` belongs to: FNV-1a, multiplied once more so that its last byte reaches the bits that are
/// taken.
pub fn bucket(name: &[u8]) -> u32 {
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    let hash = name.iter().fold(0xcbf2_9ce4_8422_2325, mix);
    (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS)) as u32
}

/// A set of names that may err on the large side. Most identifiers are no macros, and are dismissed by one bit.
#[derive(Clone, Debug, Default)]
pub struct NameFilter {
    bits: Vec<u64>,
}

impl NameFilter {
    /// Adds a name.
    pub fn insert(&mut self, name: &[u8]) {
        self.bits.resize(BUCKETS / 64, 0);
        let bit = bucket(name) as usize;
        self.bits[bit / 64] |= 1 << (bit % 64);
    }

    /// Whether a name of this bucket was added.
    pub fn may_contain(&self, bucket: u32) -> bool {
        let bit = bucket as usize;
        self.bits
            .get(bit / 64)
            .is_some_and(|word| word & (1 << (bit % 64)) != 0)
    }
}

/// Notes names while a file is read.
#[derive(Debug)]
pub struct Recorder {
    bits: Box<[Cell<u64>]>,
}

impl Default for Recorder {
    fn default() -> Self {
        Self {
            bits: vec![Cell::new(0); BUCKETS / 64].into(),
        }
    }
}

impl Recorder {
    /// Notes that the answer to a question about `name` matters. Says the bucket.
    pub fn note(&self, name: &[u8]) -> u32 {
        let bucket = bucket(name);
        if let Some(word) = self.bits.get(bucket as usize / 64) {
            word.set(word.get() | 1 << (bucket % 64));
        }
        bucket
    }

    /// Notes what `other` has noted.
    pub fn join(&self, other: &Self) {
        for (word, more) in self.bits.iter().zip(&other.bits) {
            word.set(word.get() | more.get());
        }
    }

    /// All that was noted.
    pub fn asked(&self) -> Asked {
        let mut buckets = Vec::new();
        for (word, bits) in (0u32..).zip(&self.bits) {
            let mut bits = bits.get();
            while bits != 0 {
                buckets.push(word * 64 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
        Asked { buckets }
    }
}

/// The names that the reading of one file asked about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Sorted.
    buckets: Vec<u32>,
}

impl Asked {
    /// The same as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(2 * self.buckets.len());
        let mut last = 0;
        for &bucket in &self.buckets {
            put_number(&mut bytes, u64::from(bucket - last));
            last = bucket;
        }
        bytes
    }

    /// From [`to_bytes`](Self::to_bytes); `None` when the bytes are others.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (mut buckets, mut last, mut at) = (Vec::new(), 0u64, 0);
        while at < bytes.len() {
            last = last.checked_add(take_number(bytes, &mut at).ok()?)?;
            let bucket = u32::try_from(last).ok()?;
            if bucket as usize >= BUCKETS {
                return None;
            }
            buckets.push(bucket);
        }
        Some(Self { buckets })
    }
}

/// What all files say, by name and by file.
#[derive(Debug, Default)]
pub struct SaidByAll {
    /// A hash of each thing said, with the bucket of the name that it is said of, and the file if only those hear it that
    /// include the file; sorted.
    said: Vec<(u32, Option<u32>, [u8; 32])>,
}

impl SaidByAll {
    /// From all that is said.
    pub fn new(mut said: Vec<(u32, Option<u32>, [u8; 32])>) -> Self {
        said.sort_unstable();
        said.dedup();
        Self { said }
    }

    /// Adds what a file that includes `included` hears of the names of `asked`.
    pub fn add_to(&self, hasher: &mut blake3::Hasher, asked: &Asked, included: &BTreeSet<u32>) {
        let mut rest = self.said.as_slice();
        for bucket in &asked.buckets {
            rest = &rest[rest.partition_point(|(other, ..)| other < bucket)..];
            for (_, file, hash) in rest.iter().take_while(|(other, ..)| other == bucket) {
                if file.is_none_or(|file| included.contains(&file)) {
                    hasher.update(hash);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_being_bytes_and_nothing_else_does() {
        let recorder = Recorder::default();
        for name in ["", "a", "PetscCall", "x1", "operator()"] {
            recorder.note(name.as_bytes());
        }
        let asked = recorder.asked();
        assert_eq!(asked.buckets.len(), 5);
        let bytes = asked.to_bytes();
        assert_eq!(Asked::from_bytes(&bytes), Some(asked));
        assert_eq!(Asked::from_bytes(&[0x80]), None, "cut short");
        assert_eq!(Asked::from_bytes(&[0xff, 0xff, 0x7f]), None, "too large a number");
        assert_eq!(
            Asked::from_bytes(&[0xff, 0xff, 0xff, 0x7f]),
            None,
            "too long a number"
        );
        assert_eq!(Asked::from_bytes(&[]), Some(Asked::default()));
    }

    #[test]
    fn only_what_was_asked_about_matters() {
        let hash = |state: &SaidByAll, asked: &Asked| {
            let mut hasher = blake3::Hasher::new();
            state.add_to(&mut hasher, asked, &BTreeSet::from([7]));
            *hasher.finalize().as_bytes()
        };
        let recorder = Recorder::default();
        recorder.note(b"a");
        recorder.note(b"b");
        let asked = recorder.asked();
        let said = |a: u8, c: u8| {
            SaidByAll::new(vec![
                (bucket(b"c"), None, [c; 32]),
                (bucket(b"a"), Some(7), [a; 32]),
                (bucket(b"a"), Some(8), [c; 32]),
            ])
        };
        assert_eq!(hash(&said(1, 1), &asked), hash(&said(1, 2), &asked));
        assert_ne!(hash(&said(1, 1), &asked), hash(&said(2, 1), &asked));
        let none = SaidByAll::default();
        assert_ne!(hash(&said(1, 1), &asked), hash(&none, &asked));
        let b = SaidByAll::new(vec![
            (bucket(b"a"), Some(7), [1; 32]),
            (bucket(b"b"), None, [1; 32]),
        ]);
        assert_ne!(
            hash(&said(1, 1), &asked),
            hash(&b, &asked),
            "a name that was asked for in vain"
        );
    }
}
