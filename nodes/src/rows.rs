//! Rows of eight words, of which each differs little from the one before it, as they travel: a copy of a part of a ring of events, whose meaning is its reader's.
//!
//! ```text
//! rows = count, word… of each row
//! ```
//!
//! A word is the difference to the same word of the row before, zigzag, LEB128: of an event of 64 bytes a dozen are left.

use crate::recorded::Damaged;
use base::{Number, put_number, take_number};
use std::borrow::Cow;

/// Words of a row.
const WORDS: usize = 8;

/// Bytes of a row.
pub const ROW: usize = 8 * WORDS;

/// No task has more rows in one answer: some megabytes.
pub const MOST_ROWS: usize = (1 << 16) + 1;

/// What is new in a ring.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RingPart<'r> {
    /// The number of the first event that was asked for.
    pub from: u64,
    /// A ring with what there is of these: as many bytes as some rows have.
    pub rows: Cow<'r, [u8]>,
}

fn words(row: &[u8]) -> [u64; WORDS] {
    let mut words = [0; WORDS];
    for (word, bytes) in words.iter_mut().zip(row.chunks_exact(8)) {
        // It has eight bytes, so that no byte is without its place.
        let mut number = [0; 8];
        number.copy_from_slice(bytes);
        *word = u64::from_le_bytes(number);
    }
    words
}

impl RingPart<'_> {
    /// Whether it can be sent: whole rows, and no more than a reader takes.
    pub(crate) fn fits(&self) -> bool {
        self.rows.len().is_multiple_of(ROW) && self.rows.len() / ROW <= MOST_ROWS
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        put_number(out, self.from);
        put_number(out, (self.rows.len() / ROW) as u64);
        let mut before = [0; WORDS];
        for row in self.rows.chunks_exact(ROW) {
            let now = words(row);
            for (now, before) in now.iter().zip(before) {
                put_number(out, u64::zigzag(now.wrapping_sub(before).cast_signed()));
            }
            before = now;
        }
    }

    pub(crate) fn read(bytes: &[u8], at: &mut usize) -> Result<RingPart<'static>, Damaged> {
        let mut number = || take_number::<u64>(bytes, at).map_err(|_| Damaged);
        let from = number()?;
        let count = usize::try_from(number()?).map_err(|_| Damaged)?;
        // Each word takes a byte at least: no more are made room for than can follow.
        if count > MOST_ROWS || count > bytes.len() / WORDS {
            return Err(Damaged);
        }
        let mut rows = Vec::with_capacity(count * ROW);
        let mut row = [0_u64; WORDS];
        for _ in 0..count {
            for word in &mut row {
                let difference = take_number::<u64>(bytes, at).map_err(|_| Damaged)?.unzigzag();
                *word = word.wrapping_add(difference.cast_unsigned());
                rows.extend(word.to_le_bytes());
            }
        }
        Ok(RingPart {
            from,
            rows: rows.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Random;

    /// Rows as a ring has them, and rows of anything.
    fn part(random: &mut Random) -> RingPart<'static> {
        let is_wild = random.below(4) == 0;
        let mut rows = Vec::new();
        let mut row = [0_u64; WORDS];
        for _ in 0..random.below(40) {
            for (at, word) in row.iter_mut().enumerate() {
                let step = if is_wild {
                    u64::MAX >> random.below(64)
                } else {
                    at as u64 * 700
                };
                *word = word.wrapping_add(step);
                rows.extend(word.to_le_bytes());
            }
        }
        RingPart {
            from: random.below(1 << 40) as u64,
            rows: rows.into(),
        }
    }

    #[test]
    fn rows_come_back_as_they_were_and_damaged_ones_are_bounded() {
        let mut random = Random(28);
        for _ in 0..300 {
            let part = part(&mut random);
            let mut bytes = Vec::new();
            part.write(&mut bytes);
            let mut at = 0;
            assert_eq!(RingPart::read(&bytes, &mut at), Ok(part.clone()));
            assert_eq!(at, bytes.len());
            let cut = random.below(bytes.len());
            assert_eq!(RingPart::read(&bytes[..cut], &mut 0), Err(Damaged));
            bytes[cut] ^= 1 << random.below(8);
            if let Ok(other) = RingPart::read(&bytes, &mut 0) {
                assert!(other.fits());
            }
        }
    }

    #[test]
    fn an_event_takes_a_dozen_bytes_and_too_many_are_refused() {
        let mut rows = vec![0; ROW];
        for event in 1..=1000_u64 {
            let [time, place] = [event * 40_000 + event % 7, 1 << 32 | 1];
            for word in [event, time, 0x1_0000_0102, place, 3, 5, event / 2, 1] {
                rows.extend(word.to_le_bytes());
            }
        }
        let mut part = RingPart {
            from: 0,
            rows: rows.into(),
        };
        let mut bytes = Vec::new();
        part.write(&mut bytes);
        assert!(bytes.len() < 1000 * 12, "{}", bytes.len());
        assert!(part.fits());
        part.rows = vec![0; (MOST_ROWS + 1) * ROW].into();
        assert!(!part.fits());
        bytes.clear();
        part.write(&mut bytes);
        assert_eq!(RingPart::read(&bytes, &mut 0), Err(Damaged));
        // One that says so and has none.
        assert_eq!(RingPart::read(&[0, 0xff, 0xff, 3, 0, 0], &mut 0), Err(Damaged));
    }
}
