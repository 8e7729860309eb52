//! How many messages were begun and done in each channel: to or from one peer, with one tag, in one communicator.

use super::call::{Call, is_collective, receives, sends};
use super::events::Tie;
use super::{Recorder, WITH_CHANNELS, lost};
use crate::tables::Table;
use recording::layout::{CHANNEL, CHANNELS, CHANNELS_AT, FREE, RETIRED, channel, communicator};

const CHANNELS_TABLE: Table = Table {
    at: CHANNELS_AT,
    rows: CHANNELS,
    width: CHANNEL,
};

impl Recorder {
    /// What it sends, and what it receives from somebody named, is begun. What that ties it to.
    pub(super) fn count_begun(&self, call: &Call) -> Tie {
        let mut tie = Tie::None;
        if sends(call.does) {
            let to = (call.destination, call.send_tag);
            tie = Tie::message(true, to, self.count(call.serial, false, to, channel::BEGUN));
        }
        if receives(call.does) && call.receive_tag >= 0 {
            self.count(call.serial, true, (call.source, call.receive_tag), channel::BEGUN);
        }
        if is_collective(call.does) {
            tie = Tie::part(true, call);
        }
        tie
    }

    /// What it has sent or received, or its part, is done. What that ties it to.
    pub(super) fn count_done(&self, call: &Call) -> Tie {
        let mut tie = Tie::None;
        if sends(call.does) {
            self.count(
                call.serial,
                false,
                (call.destination, call.send_tag),
                channel::DONE,
            );
        }
        if receives(call.does) {
            let from = (call.source, call.receive_tag);
            tie = Tie::message(false, from, self.count(call.serial, true, from, channel::DONE));
        }
        if is_collective(call.does) {
            tie = Tie::part(false, call);
            if call.row != 0 {
                self.add(call.row as usize + communicator::DONE, 1);
            }
        }
        tie
    }

    /// Adds one to a channel; how many there were before.
    pub(crate) fn count(
        &self,
        serial: u64,
        received: bool,
        (peer, tag): (i64, i64),
        what: usize,
    ) -> Option<u64> {
        if serial == 0 || peer < 0 || tag < 0 {
            return None;
        }
        let words = self.words;
        let (key, hash) = channel_key(serial, received, (peer, tag));
        let same_tag = |row: usize| words.get(row + channel::TAG) == tag as u64;
        let find = || CHANNELS_TABLE.find(words, hash, key, same_tag);
        let row = find().or_else(|| {
            self.alone(|| {
                if let Some(row) = find() {
                    return Some(row);
                }
                let Some(row) = CHANNELS_TABLE.vacant(words, hash) else {
                    self.lose(lost::CHANNELS);
                    return None;
                };
                words.set(row + channel::TAG, tag as u64);
                words.set(row + channel::BEGUN, 0);
                words.set(row + channel::DONE, 0);
                let (word, bit) = mark_of(serial);
                self.with_channels.mark(word, bit);
                words.publish(row + channel::KEY, key);
                Some(row)
            })
        });
        row.map(|row| self.add(row + what, 1))
    }

    /// Whether more was begun in a channel that is not one of received messages than was done.
    pub(crate) fn is_open(&self, serial: u64, (peer, tag): (i64, i64)) -> bool {
        let (key, hash) = channel_key(serial, false, (peer, tag));
        let same_tag = |row: usize| self.words.get(row + channel::TAG) == tag as u64;
        let row = CHANNELS_TABLE.find(self.words, hash, key, same_tag);
        row.is_some_and(|row| self.words.get(row + channel::BEGUN) > self.words.get(row + channel::DONE))
    }

    /// Freed communicators give their channels back when their row is needed.
    pub(super) fn forget_channels(&self, serial: u64) {
        let (word, bit) = mark_of(serial);
        if serial == FREE || self.with_channels.get(word) & bit == 0 {
            return;
        }
        for index in 0..CHANNELS {
            let row = CHANNELS_TABLE.row(index);
            let key = self.words.get(row);
            if key != RETIRED && key != FREE && key >> 33 == serial {
                CHANNELS_TABLE.remove(self.words, row);
            }
        }
    }
}

/// The key of a channel, and the hash by which its row is found.
fn channel_key(serial: u64, received: bool, (peer, tag): (i64, i64)) -> (u64, u64) {
    let key = serial << 33 | u64::from(received) << 32 | peer as u64 & 0xffff_ffff;
    (key, key ^ (tag as u64).rotate_left(20))
}

/// Where the set of those with channels has this serial number.
fn mark_of(serial: u64) -> (usize, u64) {
    ((serial / 64) as usize % WITH_CHANNELS, 1 << (serial % 64))
}
