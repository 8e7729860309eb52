//! Whether the operation that one task stands in is the one that another task waits for.
//!
//! A task that waits for a message may wait for a task that stands in the very operation that sends it, though that one seems to wait as
//! well: a send waits for its receiver. Who stands in matching operations is kept there by nobody: MPI completes both, as soon as it gets to it
//! (MPI 4.0, section 3.5, progress: of two that match one completes at least). If they stand all the same, one of the two does not go on for a
//! reason of its own.
//!
//! Messages of one sender are received in their order (the same section, order), so whoever stands still in a receive has nothing under
//! way to it that fits, and the next that fits is the one that the sender stands in.

use crate::state::{Communicator, Rank};

/// What an operation does with messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// It sends one.
    Sends,
    /// It takes one.
    Receives,
    /// It waits until one is there, and leaves it to another operation.
    Probes,
}

/// Whom a half of an operation exchanges its message with; ranks are those of `MPI_COMM_WORLD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// This task.
    Rank(Rank),
    /// Whoever sends one (`MPI_ANY_SOURCE`).
    Anybody,
    /// No process (`MPI_PROC_NULL`): that half is done at once.
    Nobody,
    /// Nothing is known.
    Unknown,
}

/// The tag of a message, or what a receive asks of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// This number.
    Is(i64),
    /// Any (`MPI_ANY_TAG`).
    Any,
    /// Nothing is known.
    Unknown,
}

/// One message of a point-to-point operation that blocks. `MPI_Sendrecv` has two of them, which go on at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Half {
    /// What is done with it.
    pub does: Does,
    /// With whom.
    pub peer: Peer,
    /// Under which tag.
    pub tag: Tag,
    /// In which communicator.
    pub communicator: Communicator,
}

/// Whether something is so, as far as that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// It is not.
    No,
    /// It is not known.
    Perhaps,
    /// It is.
    Yes,
}

/// Whether `other`, by the operation that it stands in, does what `one` waits for in its own: all the messages that `one` exchanges with
/// it, or the one that it takes from anybody. `Yes` means that nothing but one of the two themselves, or MPI, keeps `one` from going on
/// with them; `No` that `other` has to do something else first, or after. Of a task with which `one` exchanges nothing it waits for nothing: `No`.
#[must_use]
pub fn serves(other: (Rank, &[Half]), one: (Rank, &[Half])) -> Truth {
    let met = |half: &Half| {
        let offers = other.1.iter().map(|offer| meets((other.0, offer), (one.0, half)));
        offers.fold(Truth::No, most)
    };
    // Nothing is known yet of messages between the two.
    let mut served: Option<Truth> = None;
    let with = |served: Option<Truth>, met: Truth| least(served.unwrap_or(Truth::Yes), met);
    for half in one.1 {
        let met = met(half);
        served = match half.peer {
            Peer::Rank(named) if named == other.0 => Some(with(served, met)),
            // Somebody else may send it as well.
            Peer::Anybody if met != Truth::No => Some(with(served, met)),
            Peer::Rank(_) | Peer::Nobody | Peer::Anybody => served,
            Peer::Unknown => {
                let (if_not, if_so) = (served.unwrap_or(Truth::No), with(served, met));
                if if_not == if_so {
                    served
                } else {
                    Some(Truth::Perhaps)
                }
            }
        };
    }
    // Of two halves one may be done, with a message before or after that of the other task's operation.
    let several = |halves: &[Half]| halves.iter().filter(|half| half.peer != Peer::Nobody).count() > 1;
    match served.unwrap_or(Truth::No) {
        Truth::Yes if several(one.1) || several(other.1) => Truth::Perhaps,
        known => known,
    }
}

/// Whether `offer` is what completes `half`: of a receive and a probe the send of its message, of a send the receive.
fn meets((giver, offer): (Rank, &Half), (taker, half): (Rank, &Half)) -> Truth {
    // Who looks for a message does not take it.
    let (send, receive) = match (offer.does, half.does) {
        (Does::Sends, Does::Receives | Does::Probes) => ((giver, offer), (taker, half)),
        (Does::Receives, Does::Sends) => ((taker, half), (giver, offer)),
        _ => return Truth::No,
    };
    let peers = least(
        is_with(send.1.peer, receive.0),
        match receive.1.peer {
            Peer::Anybody => Truth::Yes,
            peer => is_with(peer, send.0),
        },
    );
    let tags = match (send.1.tag, receive.1.tag) {
        (_, Tag::Any) => Truth::Yes,
        (Tag::Is(sent), Tag::Is(wanted)) if sent == wanted => Truth::Yes,
        (Tag::Is(_), Tag::Is(_)) => Truth::No,
        _ => Truth::Perhaps,
    };
    let communicators = match (&send.1.communicator, &receive.1.communicator) {
        (Communicator::Unknown, _) | (_, Communicator::Unknown) => Truth::Perhaps,
        (one, other) if one.may_be(other) => Truth::Yes,
        _ => Truth::No,
    };
    least(least(peers, tags), communicators)
}

fn is_with(peer: Peer, rank: Rank) -> Truth {
    match peer {
        Peer::Rank(named) if named == rank => Truth::Yes,
        Peer::Rank(_) | Peer::Nobody => Truth::No,
        Peer::Anybody | Peer::Unknown => Truth::Perhaps,
    }
}

/// Whether both are so.
fn least(one: Truth, other: Truth) -> Truth {
    match (one, other) {
        (Truth::No, _) | (_, Truth::No) => Truth::No,
        (Truth::Perhaps, _) | (_, Truth::Perhaps) => Truth::Perhaps,
        (Truth::Yes, Truth::Yes) => Truth::Yes,
    }
}

/// Whether one of the two is so.
fn most(one: Truth, other: Truth) -> Truth {
    match (one, other) {
        (Truth::Yes, _) | (_, Truth::Yes) => Truth::Yes,
        (Truth::Perhaps, _) | (_, Truth::Perhaps) => Truth::Perhaps,
        (Truth::No, Truth::No) => Truth::No,
    }
}
