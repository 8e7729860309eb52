//! The nodes of the graph, in places that are used again.

use crate::event::{Cause, Event, EventId, Standing};
use base::define_id;

define_id! {
    /// A node.
    NodeId, "node"
}

define_id! {
    /// A collective operation.
    HubId, "hub"
}

/// Where an event's tie leads, as far as the other side is here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Partner {
    /// Nowhere, or nobody is here yet.
    None,
    /// Of the beginning of a send: the end of its receive.
    Receive(NodeId),
    /// It begins a member's part.
    Gives(HubId, u32),
    /// It ends a member's part.
    Takes(HubId, u32),
}

/// What is known of an event (Figure 1 of the paper, with counts that go down).
#[derive(Debug)]
pub(crate) struct Node<T> {
    pub(crate) id: EventId,
    /// The event, until it is put out.
    pub(crate) event: Option<Event<T>>,
    /// When it came, on the caller's clock.
    pub(crate) arrived: u64,
    /// Predecessors that are not put out: the one in its stream, and what its tie leads from.
    pub(crate) waits_for: u8,
    /// Successors that have not come.
    pub(crate) awaits: u8,
    /// The next event of its stream, if that is here.
    pub(crate) next: Option<NodeId>,
    pub(crate) partner: Partner,
    /// The latest time of its predecessors; once it is put out, its own.
    pub(crate) time: i64,
    /// When it was on the clock of its stream.
    pub(crate) local: i64,
    pub(crate) cause: Option<Cause>,
    pub(crate) standing: Standing,
}

impl<T> Node<T> {
    pub(crate) fn is_reported(&self) -> bool {
        self.event.is_none()
    }

    /// It, as a cause of others; once it is put out.
    pub(crate) fn as_cause(&self) -> Cause {
        Cause {
            time: self.time,
            id: self.id,
            local: self.local,
        }
    }
}
