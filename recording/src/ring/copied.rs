//! A copy of a part of a ring: a ring of just so many slots, which is read as the whole is, on this host or on another.

use super::{Events, HEADER, MAGIC, MOST, SLOT, header, slot, words};
use crate::layout::word;
use std::ops::Range;

/// What is copied of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The last events, at most so many.
    Last(u64),
    /// From event `from` on at most `most`, the oldest of them: what follows is copied the next time.
    From {
        /// The first event.
        from: u64,
        /// How many, at most.
        most: u64,
    },
}

/// A part of a ring.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// The first event that was asked for. Where the copy begins later than that, what is between them was written over.
    pub from: u64,
    /// A ring with these events alone.
    pub bytes: Vec<u8>,
}

/// Why nothing was copied.
#[derive(Debug)]
pub enum CopyError<E> {
    /// It is no ring.
    NoRing,
    /// It could not be read.
    Unread(E),
}

/// The events of a ring that are copied.
struct Stretch {
    /// The first event that was asked for.
    asked: u64,
    events: Range<u64>,
    capacity: u64,
}

impl Stretch {
    fn of(head: &[u8], wanted: Wanted) -> Option<Self> {
        let capacity = word(head, header::CAPACITY);
        if word(head, header::MAGIC) != MAGIC || !(1..=MOST).contains(&capacity) {
            return None;
        }
        let written = super::written(head);
        let oldest = written.saturating_sub(capacity);
        let (asked, events) = match wanted {
            Wanted::Last(most) => {
                let first = written.saturating_sub(most).max(oldest);
                (first, first..written)
            }
            Wanted::From { from, most } => {
                let first = from.clamp(oldest, written);
                (from, first..written.min(first.saturating_add(most)))
            }
        };
        Some(Stretch {
            asked,
            events,
            capacity,
        })
    }

    /// The bytes of the file that hold them.
    fn parts(&self) -> [Range<usize>; 2] {
        let byte = |slot: u64| (HEADER + slot as usize * SLOT) * 8;
        let first = self.events.start % self.capacity;
        let behind = first + (self.events.end - self.events.start);
        [
            byte(first)..byte(behind.min(self.capacity)),
            byte(0)..byte(behind.saturating_sub(self.capacity)),
        ]
    }
}

impl Copied {
    /// Copies a part of a ring that begins with `head`, its first [`HEADER`] words. `read_at` reads bytes from a place of the file on; it is asked twice for each, so that what a task writes over
    /// meanwhile is known to be lost.
    ///
    /// # Errors
    /// It is no ring, or cannot be read.
    pub fn of<E>(
        head: &[u8; HEADER * 8],
        wanted: Wanted,
        mut read_at: impl FnMut(&mut [u8], usize) -> Result<(), E>,
    ) -> Result<Self, CopyError<E>> {
        let stretch = Stretch::of(head, wanted).ok_or(CopyError::NoRing)?;
        // A ring of just so many slots. The whole, most of which nobody looks at, would be cleared in memory each time.
        let count = (stretch.events.end - stretch.events.start).max(1);
        let mut slots_twice = || -> Result<[Vec<u8>; 2], E> {
            let mut both = [(); 2].map(|()| vec![0; count as usize * SLOT * 8]);
            for slots in &mut both {
                let mut at = 0;
                for part in stretch.parts().into_iter().filter(|part| !part.is_empty()) {
                    read_at(&mut slots[at..at + part.len()], part.start)?;
                    at += part.len();
                }
            }
            Ok(both)
        };
        let [mut slots, again] = slots_twice().map_err(CopyError::Unread)?;
        for (number, (one, other)) in stretch
            .events
            .clone()
            .zip(slots.chunks_exact_mut(SLOT * 8).zip(again.chunks_exact(SLOT * 8)))
        {
            let stamp = number.wrapping_add(1);
            if word(one, slot::SEQUENCE) == stamp && word(other, slot::SEQUENCE) != stamp {
                // As of an event behind all others: this one is written over.
                one[slot::SEQUENCE * 8..][..8].copy_from_slice(&u64::MAX.to_le_bytes());
            }
        }
        // The first is where its number has it.
        slots.rotate_right((stretch.events.start % count) as usize * SLOT * 8);
        let mut bytes = Vec::with_capacity(words(count) * 8);
        bytes.extend_from_slice(head);
        for (index, value) in [
            (header::CAPACITY, count),
            (header::WRITTEN, stretch.events.end),
            (header::TOTAL, super::written(head)),
        ] {
            bytes[index * 8..][..8].copy_from_slice(&value.to_le_bytes());
        }
        bytes.extend(slots);
        Ok(Copied {
            from: stretch.asked,
            bytes,
        })
    }

    /// Whether there was more in the ring behind what was copied.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        word(&self.bytes, header::TOTAL) > super::written(&self.bytes)
    }

    /// The events in it.
    ///
    /// # Errors
    /// As of [`Events::read`].
    pub fn events(&self) -> Result<Events, super::Error> {
        Events::read(&self.bytes, &self.bytes, self.from)
    }
}
