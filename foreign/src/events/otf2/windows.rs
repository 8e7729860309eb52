//! What an archive tells of one-sided operations, as far as MPI says who comes before whom.
//!
//! *Fences.* `RMA_COLLECTIVE_BEGIN` and `RMA_COLLECTIVE_END` in `MPI_Win_fence` are a part of an operation of the window. Nobody leaves a fence that ends an epoch before all have entered it (MPI 4.1, section 12.5.1), and
//! one ends an epoch if anybody has put, got or accumulated since the fence before (`RMA_PUT`, `RMA_GET`, `RMA_ATOMIC`): whoever asserts otherwise is in error. Other fences tie nothing, nor do the constructors of windows.
//!
//! *Epochs.* `RMA_GROUP_SYNC` in `MPI_Win_complete` tells each member of the group that the access is over; in `MPI_Win_wait` that has come from each. The start of an epoch need not wait for its post, so that nothing is
//! tied there. Who asks by `MPI_Win_test` may have been answered or not: from there on nothing is tied of that rank's window.
//!
//! What else there is of windows is not used: nothing tells whose lock a lock waited for, nor whose change a change was.

use super::super::definitions::{Among, last_reference};
use super::super::{Event, Step, Tie};
use super::{Ended, Here, Reader, Ties};
use std::collections::BTreeSet;

/// What ranks have done with windows: pairs of window and rank.
#[derive(Debug, Default)]
pub(super) struct Windows {
    /// They have put, got or accumulated since their last fence.
    accessed: BTreeSet<(u64, u32)>,
    /// It is not known how many accesses to them are over.
    uncertain: BTreeSet<(u64, u32)>,
}

impl Reader {
    /// Takes a record of one-sided operations; `None` if it does not say what it has to.
    pub(super) fn take_of_window(&mut self, word: &str, here: Here, rest: &str) -> Option<()> {
        if word == "RMA_COLLECTIVE_BEGIN" {
            let at = self.beginning(here, None);
            self.locations.entry(here.location).or_default().begun.push(at);
            return Some(());
        }
        // Names of windows may hold whatever they like: the reference behind them counts.
        let window = || last_reference(window_in(word, rest)?);
        let rank = here.place.rank;
        match word {
            "RMA_PUT" | "RMA_GET" | "RMA_ATOMIC" => {
                self.windows.accessed.insert((window()?, rank));
            }
            "RMA_COLLECTIVE_END" => {
                let window = window()?;
                let begun = self.locations.entry(here.location).or_default().begun.pop();
                let begins = begun.unwrap_or_else(|| self.beginning(here, None));
                let is_accessed = self.windows.accessed.remove(&(window, rank));
                let ties = if is_accessed {
                    Ties::Always
                } else {
                    Ties::IfAnother
                };
                let fence = self.names.id("MPI_Win_fence");
                let (part, group) = self.took(here, Among::Window(window), fence, None, ties, begins);
                self.end(here, Ended::Took(part), "MPI_Win_fence", group);
            }
            "RMA_GROUP_SYNC" => {
                let window = window()?;
                let group = last_reference(rest)?;
                let peers = self.definitions.members(group).unwrap_or_default();
                self.synchronise(here, window, &peers);
            }
            _ => {}
        }
        Some(())
    }

    /// A call synchronises this rank's access to a window, or that to its own, with these others.
    fn synchronise(&mut self, here: Here, window: u64, peers: &[u32]) {
        let Some(call) = self.call_around(here) else {
            return;
        };
        let rank = here.place.rank;
        let (is_sent, step, time) = match call.name.map(|name| self.names.name(name)) {
            // It is over from the beginning of the call on.
            Some("MPI_Win_complete") => (true, Step::Signals, call.time),
            Some("MPI_Win_wait") => (false, Step::Completes, here.time),
            Some("MPI_Win_test") => {
                self.windows.uncertain.insert((window, rank));
                return;
            }
            _ => return,
        };
        let group = self.group(Among::Window(window));
        for &peer in peers {
            let message = self.numbered(Among::Window(window), rank, peer, None, is_sent);
            let at = self.push(Here { time, ..here }, step, call.name);
            let is_known = !self.windows.uncertain.contains(&(window, rank));
            let event = &mut self.trace.events[at];
            event.group = Some(group);
            if is_sent {
                event.tie = Tie::Sends(message);
            } else if is_known {
                event.tie = Tie::Receives(message);
            }
        }
    }

    /// The call that a location is in, if nothing else has happened in it but signals.
    fn call_around(&self, here: Here) -> Option<Event> {
        let last = self.locations.get(&here.location)?.last?;
        self.trace
            .events
            .get(last)
            .filter(|event| event.step == Step::Begins)
            .copied()
    }
}

/// The part of a record that ends with its window.
fn window_in<'t>(word: &str, rest: &'t str) -> Option<&'t str> {
    let follows = match word {
        "RMA_COLLECTIVE_END" => ", Level of Synchronicity: ",
        "RMA_GROUP_SYNC" => ", Group: ",
        "RMA_PUT" | "RMA_GET" | "RMA_ATOMIC" => ", Remote: ",
        _ => return None,
    };
    Some(rest.rsplit_once(follows)?.0)
}
