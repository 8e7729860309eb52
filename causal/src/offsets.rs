//! How far clocks are apart, from messages both ways.
//!
//! A message from a to b is received after it was sent. If clock b is ahead of clock a by o, the receive at t(b) and the send at t(a) say t(b) - t(a) ≥ o; a
//! message from b to a bounds o from below. All messages together are a system of difference constraints, whose tightest bounds are shortest paths. The rule of
//! section 2.6 only ever puts clocks forward, and only once a message contradicts them: times adjusted by it are in order, and these are near the truth, too.

use crate::event::{Reported, StreamId};
use base::Id;
use std::collections::BTreeMap;

/// By how much a clock is ahead of the first stream's, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offset {
    /// At least.
    pub least: i64,
    /// At most.
    pub most: i64,
}

impl Offset {
    /// What to add to the clock ([`crate::Sorter::set_offset`]): the middle of the bounds is off by half of their distance at most.
    #[must_use]
    pub fn correction(self) -> i64 {
        let middle = (i128::from(self.least) + i128::from(self.most)) / 2;
        i64::try_from(-middle).unwrap_or(i64::MAX)
    }
}

/// The least differences seen between the times of sends and of their receives.
#[derive(Clone, Debug, Default)]
pub struct Offsets {
    /// By sender and receiver, by how much the receiver's clock may be ahead.
    most_ahead: BTreeMap<(StreamId, StreamId), i64>,
}

impl Offsets {
    /// Takes what an event says that was put out: an end with its cause in another stream.
    pub fn observe<T>(&mut self, reported: &Reported<T>) {
        let Some(cause) = reported.cause else { return };
        let (from, to) = (cause.id.stream, reported.event.id.stream);
        if from != to {
            let difference = reported.event.time.saturating_sub(cause.local);
            let known = self.most_ahead.entry((from, to)).or_insert(difference);
            *known = difference.min(*known);
        }
    }

    /// The offset of each of so many streams; `None` where messages do not lead there and back. Nothing at all if the messages contradict each other:
    /// clocks do not only differ, they run at different speeds, or jump.
    #[must_use]
    pub fn bounds(&self, streams: u32) -> Option<Vec<Option<Offset>>> {
        let there = self.distances(streams, |(from, to)| (from, to))?;
        let back = self.distances(streams, |(from, to)| (to, from))?;
        let bound = |(most, least): (Option<i64>, Option<i64>)| {
            let (most, least) = (most?, least?.saturating_neg());
            Some(Offset { least, most })
        };
        Some(there.into_iter().zip(back).map(bound).collect())
    }

    /// The shortest paths from the first stream (Bellman and Ford), unless a cycle gets shorter for ever.
    fn distances(
        &self,
        streams: u32,
        direction: impl Fn((StreamId, StreamId)) -> (StreamId, StreamId),
    ) -> Option<Vec<Option<i64>>> {
        let mut distances = vec![None; streams as usize];
        *distances.first_mut()? = Some(0_i64);
        // A path that goes nowhere twice has no more steps than there are streams, or pairs: one record may claim a million ranks.
        for _ in 0..=self.most_ahead.len().min(streams as usize) {
            let mut has_changed = false;
            for (&pair, &most) in &self.most_ahead {
                let (from, to) = direction(pair);
                let Some(Some(start)) = distances.get(from.index()).copied() else {
                    continue;
                };
                let (Some(known), length) = (distances.get_mut(to.index()), start.saturating_add(most))
                else {
                    continue;
                };
                if known.is_none_or(|known| length < known) {
                    *known = Some(length);
                    has_changed = true;
                }
            }
            if !has_changed {
                return Some(distances);
            }
        }
        None
    }
}
