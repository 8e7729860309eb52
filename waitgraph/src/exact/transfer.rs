//! Messages that are on their way between two tasks: sent by one, asked for by the other, and not complete on both sides.
//!
//! A large message goes through only while both sides are in the library (rendezvous). Which of the two holds it, or whether the library does, nobody can tell from
//! outside; so neither is said to wait for the other, and neither is said to wait for nobody.

use super::world::{World, sent_to};
use crate::recorded::{Channel, Identity, Item, Presence, Recorded};
use crate::state::Rank;
use std::collections::{BTreeMap, BTreeSet};

/// What a task has to do with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// It sends it.
    Sender,
    /// It receives it.
    Receiver,
}

/// A task stands in a call that completes its side of a message, and the other has not completed its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Transfer {
    /// Who stands in the call.
    pub who: Rank,
    /// Who is on the other side.
    pub other: Rank,
    /// The side of the one that stands in the call.
    pub side: Side,
    /// Over which communicator.
    pub communicator: Identity,
    /// Under which tag.
    pub tag: i64,
}

impl Transfer {
    /// Who sends the message, and who receives it.
    #[must_use]
    pub fn ends(&self) -> (Rank, Rank) {
        match self.side {
            Side::Sender => (self.who, self.other),
            Side::Receiver => (self.other, self.who),
        }
    }
}

/// All messages that are on their way and that somebody stands in a call for, sorted. Whoever waits for somebody by counts, one of `waits`, stands there for that.
pub(super) fn transfers(world: &World<'_>, waits: &BTreeSet<Rank>) -> Vec<Transfer> {
    let mut found = BTreeSet::new();
    let present = world.all().filter(|task| task.presence == Presence::Present);
    let stand = present.filter(|task| !waits.contains(&task.rank));
    for task in stand.filter(|task| !task.is_partial) {
        for item in task.threads.iter().flat_map(|(waits, _)| waits.items()) {
            match item {
                Item::Delivery { channel, number } => found.extend(given(world, task, channel, *number)),
                Item::Message { receive, before } => {
                    let has_come = |sender: &Rank| world.has_come(task, receive, *before, *sender);
                    let of = |sender: Rank| open_sends(world, task, receive.communicator, sender);
                    let senders = world.may_have_sent(task, receive).into_iter();
                    let sends = senders.filter(has_come).flat_map(of);
                    found.extend(sends.filter(|each| receive.tag.is_none_or(|tag| tag == each.tag)));
                }
                _ => {}
            }
        }
    }
    Vec::from_iter(found)
}

/// The message that `sender` stands in a call for, if its receiver has asked for it and has not completed it.
fn given(world: &World<'_>, sender: &Recorded, channel: &Channel, number: u64) -> Option<Transfer> {
    let receiver = world.recorded(channel.peer).filter(|task| !task.is_partial)?;
    let own = Channel {
        peer: sender.rank,
        ..*channel
    };
    let is_asked_for = world
        .taken(sender.rank, channel)
        .is_some_and(|taken| taken >= number);
    // Of several that were taken and not received nobody knows which: it may be this one.
    let is_open = count(&receiver.received, own) < number || receiver.taken.contains_key(&own);
    (is_asked_for && is_open).then_some(Transfer {
        who: sender.rank,
        other: channel.peer,
        side: Side::Sender,
        communicator: channel.communicator,
        tag: channel.tag,
    })
}

/// The messages to `receiver` that the sender has begun to send and not completed, and that were not received.
fn open_sends<'w>(
    world: &'w World<'_>,
    receiver: &'w Recorded,
    over: Identity,
    sender: Rank,
) -> impl Iterator<Item = Transfer> + 'w {
    let task = world.recorded(sender).filter(|task| !task.is_partial);
    let sent = task.into_iter().flat_map(move |task| {
        let of = sent_to(task, receiver.rank, over);
        of.map(move |(tag, begun)| (task, tag, begun))
    });
    let channel = move |peer: Rank, tag: i64| Channel {
        communicator: over,
        peer,
        tag,
    };
    let is_open = move |(task, tag, begun): &(&Recorded, i64, u64)| {
        count(&task.delivered, channel(receiver.rank, *tag)) < *begun
            && count(&receiver.received, channel(sender, *tag)) < *begun
    };
    sent.filter(is_open).map(move |(_, tag, _)| Transfer {
        who: receiver.rank,
        other: sender,
        side: Side::Receiver,
        communicator: over,
        tag,
    })
}

fn count(counts: &BTreeMap<Channel, u64>, channel: Channel) -> u64 {
    counts.get(&channel).copied().unwrap_or(0)
}

/// Those who may hold up what others wait for `awaited` to do: these, and those at the other end of a message that one of them stands in a call for, if they wait for nobody
/// else, and so on.
pub(super) fn with_ends(awaited: Vec<Rank>, transfers: &[Transfer], waits: &BTreeSet<Rank>) -> Vec<Rank> {
    let mut known = BTreeSet::from_iter(awaited.iter().copied());
    let mut open = awaited;
    while let Some(rank) = open.pop() {
        let first = transfers.partition_point(|each| each.who < rank);
        let own = transfers[first..].iter().take_while(|each| each.who == rank);
        let others = own.map(|each| each.other).filter(|other| !waits.contains(other));
        open.extend(others.filter(|other| known.insert(*other)));
    }
    Vec::from_iter(known)
}
