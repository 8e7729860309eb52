//! Messages of a task: what it waits to receive, and which of what it has sent is not delivered.

use super::task::Task;
use super::{Identity, Rank};
use recording::layout::{does, peer};
use recording::{Communicator, Kind, Members, Pending};
use waitgraph::recorded::{Channel, From, Item, Receive};

impl Task<'_> {
    pub(super) fn receive_of(&self, request: &Pending) -> Option<Receive> {
        let receives = matches!(request.does, does::RECEIVES | does::EXCHANGES);
        receives.then(|| self.receive(request.communicator, request.source))?
    }

    pub(super) fn receive(&self, communicator: Option<u64>, (source, tag): (i64, i64)) -> Option<Receive> {
        let known = self.with_messages(communicator)?;
        let senders = peers(known)?;
        let from = match source {
            peer::ANYBODY => From::AnyOf(self.lists.sorted(senders)?),
            source => From::Rank(Rank(senders.get(usize::try_from(source).ok()?)??)),
        };
        Some(Receive {
            communicator: Identity(known.identity),
            from,
            tag: (tag >= 0).then_some(tag),
        })
    }

    /// The communicator of this serial number, if it is one over which messages go.
    fn with_messages(&self, communicator: Option<u64>) -> Option<&Communicator> {
        let known = self.recording().communicator(communicator?)?;
        (known.kind == Kind::Communicator).then_some(known)
    }

    pub(super) fn channel(&self, communicator: Option<u64>, rank: i64, tag: i64) -> Option<Channel> {
        let known = self.with_messages(communicator)?;
        let peer = peers(known)?.get(usize::try_from(rank).ok()?)??;
        Some(Channel {
            communicator: Identity(known.identity),
            peer: Rank(peer),
            tag,
        })
    }

    /// The send that was begun as the `begun`-th operation of the task: which message of its channel it is.
    pub(super) fn delivery(
        &self,
        communicator: Option<u64>,
        (destination, tag): (i64, i64),
        begun: u64,
    ) -> Item {
        let Some(channel) = self.channel(communicator, destination, tag) else {
            return Item::Unknown;
        };
        let row = self.recording().channel_to(communicator, destination, tag);
        let later = self.sends_after(begun, communicator, (destination, tag));
        match row {
            Some(row) => Item::Delivery {
                channel,
                number: row.begun.saturating_sub(later),
            },
            None => Item::Unknown,
        }
    }
}

/// Whom messages over a communicator go to and come from, by rank in it.
fn peers(communicator: &Communicator) -> Option<&Members> {
    communicator.remote.as_ref().or(communicator.members.as_ref())
}
