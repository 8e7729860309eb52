//! The mapped file as atomic words.

use std::sync::atomic::{AtomicU64, Ordering};

/// The words of a recording. Every access is in bounds or does nothing: a wrong index loses a fact and never ends the program.
#[derive(Clone, Copy, Debug)]
pub struct Words(&'static [AtomicU64]);

impl Words {
    /// The words of a mapped file, or of memory that stands for one.
    #[must_use]
    pub fn new(words: &'static [AtomicU64]) -> Self {
        Words(words)
    }

    /// The words from `index` on.
    #[must_use]
    pub fn from(self, index: usize) -> Self {
        Words(self.0.get(index..).unwrap_or_default())
    }

    /// The word at `index`.
    #[must_use]
    pub fn get(self, index: usize) -> u64 {
        self.0.get(index).map_or(0, |word| word.load(Ordering::Acquire))
    }

    /// Stores a word that nobody looks at before another is published.
    pub fn set(self, index: usize, value: u64) {
        if let Some(word) = self.0.get(index) {
            word.store(value, Ordering::Relaxed);
        }
    }

    /// Stores a word that makes those stored before it count.
    pub fn publish(self, index: usize, value: u64) {
        if let Some(word) = self.0.get(index) {
            word.store(value, Ordering::Release);
        }
    }

    /// Adds to a word, and returns what it was.
    pub fn add(self, index: usize, value: u64) -> u64 {
        self.0
            .get(index)
            .map_or(0, |word| word.fetch_add(value, Ordering::AcqRel))
    }

    /// Sets bits of a word.
    pub fn mark(self, index: usize, bits: u64) {
        if let Some(word) = self.0.get(index) {
            word.fetch_or(bits, Ordering::Relaxed);
        }
    }

    /// Takes a word from `from` to `to`, if it is `from`.
    #[must_use]
    pub fn exchange(self, index: usize, from: u64, to: u64) -> bool {
        self.0.get(index).is_some_and(|word| {
            word.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
        })
    }
}
