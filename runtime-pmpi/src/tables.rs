//! Rows that are found by a key, in a table of fixed size: open addressing, linear search.
//!
//! Reading needs no lock; who adds or removes rows holds the recorder's.

use crate::words::Words;
use recording::layout::{FREE, RETIRED};

/// A table of `rows` rows of `width` words from the word `at` on. Word 0 of a row is its key, [`FREE`] or [`RETIRED`].
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// Its first word.
    pub at: usize,
    /// Rows, a power of two.
    pub rows: usize,
    /// Words of each.
    pub width: usize,
}

impl Table {
    /// Where row `index` begins.
    #[must_use]
    pub fn row(self, index: usize) -> usize {
        self.at + (index & (self.rows - 1)) * self.width
    }

    /// The number of the row that begins at this word, counted from 1.
    #[must_use]
    pub fn number(self, row: usize) -> u64 {
        ((row - self.at) / self.width) as u64 + 1
    }

    /// The row of this number, counted from 1.
    #[must_use]
    pub fn numbered(self, number: u64) -> Option<usize> {
        let index = number.checked_sub(1)? as usize;
        (index < self.rows).then(|| self.row(index))
    }

    fn first(self, hash: u64) -> usize {
        (mix(hash) as usize) & (self.rows - 1)
    }

    /// The row with this key for which `is_it` holds.
    pub fn find(self, words: Words, hash: u64, key: u64, is_it: impl Fn(usize) -> bool) -> Option<usize> {
        let first = self.first(hash);
        for step in 0..self.rows {
            let row = self.row(first + step);
            match words.get(row) {
                FREE => return None,
                found if found == key && is_it(row) => return Some(row),
                _ => {}
            }
        }
        None
    }

    /// A row in which an entry of this key may be written; its word 0 must be published last. `None` if the table is full.
    pub fn vacant(self, words: Words, hash: u64) -> Option<usize> {
        let first = self.first(hash);
        // A full table is not searched to its end at every call.
        let reach = self.rows.min(4_096);
        let mut rows = (0..reach).map(|step| self.row(first + step));
        rows.find(|&row| matches!(words.get(row), FREE | RETIRED))
    }

    /// Removes the entry of a row. Rows that no search has to pass any more become free again.
    pub fn remove(self, words: Words, row: usize) {
        words.publish(row, RETIRED);
        let mut index = (row - self.at) / self.width;
        if words.get(self.row(index + 1)) != FREE {
            return;
        }
        for _ in 0..self.rows {
            if words.get(self.row(index)) != RETIRED {
                return;
            }
            words.publish(self.row(index), FREE);
            index = index.wrapping_add(self.rows - 1) & (self.rows - 1);
        }
    }
}

/// A hash as a key: neither [`FREE`] nor [`RETIRED`].
#[must_use]
pub fn as_key(hash: u64) -> u64 {
    hash.clamp(FREE + 1, RETIRED - 1)
}

/// Spreads the bits of a number: handles are addresses, or small numbers that differ in few bits.
#[must_use]
pub fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    value ^ (value >> 29)
}
