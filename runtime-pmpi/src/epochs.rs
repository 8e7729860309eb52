//! Epochs of windows between some tasks: post and start, complete and wait.
//!
//! What tasks tell each other there is counted as messages are, in channels of the window ([`recording::layout::signal`]). What an epoch waits for stands among the
//! requests, one row for each peer, under handles that no library has; so a call that waits for them marks them as it marks other requests. Who the
//! peers of an open epoch are is remembered here, because the calls that end it do not say.

use crate::recorder::{Call, Recorder};
use recording::layout::{channel, does, peer};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An epoch that is open.
#[derive(Debug)]
struct Epoch {
    /// The window's handle.
    window: u64,
    /// Its serial number when the epoch began.
    serial: u64,
    /// What the epoch waits for.
    signal: i64,
    /// From whom, as ranks of the window.
    peers: Vec<u32>,
    /// It is known that all of them have come.
    is_met: bool,
}

impl Epoch {
    /// Handles of no library: pointers have no such bits, and numbers are smaller.
    fn handles(&self) -> impl Iterator<Item = u64> + '_ {
        let of = 1 << 63 | (self.signal as u64) << 62 | self.serial << 31;
        self.peers.iter().map(move |peer| of | u64::from(*peer))
    }
}

/// The open epochs of a task.
#[derive(Debug, Default)]
pub(crate) struct Epochs(Mutex<Vec<Epoch>>);

impl Epochs {
    /// A panic in another thread, which there is none of, would change nothing.
    fn open(&self) -> MutexGuard<'_, Vec<Epoch>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recorder {
    /// The task gives a signal to these peers over a window.
    pub fn signal(&self, window: u64, signal: i64, peers: &[u32]) {
        let Some(serial) = self.serial_of_window(window) else {
            return;
        };
        for &peer in peers {
            let to = (i64::from(peer), signal);
            let ordinal = self.count(serial, false, to, channel::BEGUN);
            self.note_signal(serial, to, ordinal);
        }
    }

    /// The task gives a signal to the peers of its open epoch that waits for `of`.
    pub fn signal_epoch(&self, window: u64, of: i64, signal: i64) {
        let peers = self.epochs().open().iter().find_map(|epoch| {
            let is_it = (epoch.window, epoch.signal) == (window, of);
            is_it.then(|| epoch.peers.clone())
        });
        self.signal(window, signal, &peers.unwrap_or_default());
    }

    /// An epoch begins, which waits for this signal of each peer.
    pub fn begin_epoch(&self, call: &Call, signal: i64, peers: &[u32]) {
        let Some(serial) = self.serial_of_window(call.communicator) else {
            return;
        };
        let epoch = Epoch {
            window: call.communicator,
            serial,
            signal,
            peers: peers.to_vec(),
            is_met: false,
        };
        for (handle, &peer) in epoch.handles().zip(peers) {
            let awaited = Call {
                operation: call.operation,
                does: does::RECEIVES as u32,
                destination: peer::NONE,
                send_tag: peer::NONE,
                source: i64::from(peer),
                receive_tag: signal,
                serial,
                ..Call::default()
            };
            self.start(&awaited, handle);
        }
        self.epochs().open().push(epoch);
    }

    /// The handles of what the open epoch still waits for.
    #[must_use]
    pub fn epoch_handles(&self, window: u64, signal: i64) -> Vec<u64> {
        let open = self.epochs().open();
        let is_it = |epoch: &&Epoch| (epoch.window, epoch.signal) == (window, signal) && !epoch.is_met;
        open.iter()
            .find(is_it)
            .map_or_else(Vec::new, |epoch| epoch.handles().collect())
    }

    /// All signals that the open epoch waits for have come; its peers are still known.
    pub fn epoch_is_met(&self, window: u64, signal: i64) {
        let handles = self.epoch_handles(window, signal);
        handles.iter().for_each(|handle| self.complete(*handle, None));
        let mut open = self.epochs().open();
        let mut own = open
            .iter_mut()
            .filter(|epoch| (epoch.window, epoch.signal) == (window, signal));
        own.by_ref().for_each(|epoch| epoch.is_met = true);
    }

    /// The open epoch ends: with what it waited for, or after an error.
    pub fn end_epoch(&self, window: u64, signal: i64, is_met: bool) {
        for handle in self.epoch_handles(window, signal) {
            if is_met {
                self.complete(handle, None);
            } else {
                self.free(handle);
            }
        }
        self.epochs()
            .open()
            .retain(|epoch| (epoch.window, epoch.signal) != (window, signal));
    }
}
