//! What comes in, and what goes out: events with the one tie that each may have to events of other streams.

use base::define_id;
use std::fmt;

define_id! {
    /// A stream of events: one process, whose events have an order of their own.
    StreamId, "stream"
}

define_id! {
    /// A group of streams that take part in operations together, as a communicator or a window has it.
    GroupId, "group"
}

/// Which event of which stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId {
    /// The stream.
    pub stream: StreamId,
    /// The event's place in it, counted from 0 without a gap.
    pub sequence: u64,
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "event {} of {:?}", self.sequence, self.stream)
    }
}

/// One event. What is known of it beyond its place in the order is the caller's `T`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<T> {
    /// Its stream and its place there.
    pub id: EventId,
    /// When it was, in nanoseconds on the clock of its stream, whatever that counts from.
    pub time: i64,
    /// What ties it to other streams.
    pub link: Link,
    /// What the caller knows of it.
    pub what: T,
}

impl<T> Event<T> {
    /// The same event without a tie: for one whose tie was refused.
    #[must_use]
    pub fn unlinked(self) -> Self {
        Self {
            link: Link::None,
            ..self
        }
    }
}

/// What ties an event to others besides the order of its stream (section 2.1). An operation that takes and gives is two events: its beginning gives, its
/// end takes; and one that completes several messages is an event for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Nothing.
    None,
    /// A send begins: before the end of the receive.
    Sends(Message),
    /// A receive has ended, whoever it was that sent: for a receive from anybody the message says it, now that it is matched.
    Receives(Message),
    /// A member's part of a collective operation begins.
    Enters(Operation),
    /// A member's part of a collective operation has ended.
    Leaves(Operation),
}

/// One message, or one signal of a one-sided epoch (a post for a start, a complete for a wait).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Message {
    /// The communicator or window that it is sent over.
    pub group: GroupId,
    /// Who sends.
    pub from: StreamId,
    /// Who receives.
    pub to: StreamId,
    /// The tag, or the kind of the signal.
    pub tag: i64,
    /// The number of the message among those of the same four, counted by the sender as it begins them and by the receiver as it ends them. The n-th end
    /// of a receive is never before the n-th beginning of a send, in whatever order receives end, so this holds of receives that overtake each other, too.
    pub ordinal: u64,
}

/// One collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operation {
    /// The group whose members take part.
    pub group: GroupId,
    /// Its number among the operations of the group.
    pub ordinal: u64,
    /// Whose beginning comes before whose end.
    pub flow: Flow,
}

/// Whose beginning of a collective operation comes before whose end of it. All but the last are of section 2.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flow {
    /// Each member's beginning before each member's end: a barrier, an exchange among all, the construction of a communicator.
    Everyone,
    /// The root's beginning before the ends of all others: a multicast.
    FromRoot(StreamId),
    /// The beginnings of all others before the root's end: a combine, a concatenation.
    ToRoot(StreamId),
    /// Each member's beginning before the end of the member behind it: a shift.
    Neighbours,
    /// Each member's beginning before the ends of all members behind it: a prefix, where the library promises no more order than its result needs.
    Prefix,
}

/// An event that came before another in another stream, and when it was by the adjusted clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cause {
    /// When, adjusted; first in the order, so that the greatest is the latest.
    pub time: i64,
    /// Which.
    pub id: EventId,
    /// When, on the clock of its stream.
    pub local: i64,
}

/// Why an event's cause is not in the output before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// It is: or it has none.
    #[default]
    Nothing,
    /// Its stream has ended without it.
    Gone,
    /// It had not come by the deadline.
    Late,
    /// It comes after this event by what other records say: some of them are wrong.
    Cycle,
}

/// How far the output keeps the causal order around an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// So many events of its stream directly before it never came.
    pub lost_before: u64,
    /// Whether what comes before it in other streams does in the output.
    pub missing: Missing,
    /// An event that comes after it has been put out before it, as [`Missing::Late`].
    pub overtaken: bool,
}

impl Standing {
    /// All that comes before it is before it in the output, and nothing that comes after it.
    #[must_use]
    pub fn is_in_order(&self) -> bool {
        *self == Self::default()
    }
}

/// An event as it is put out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported<T> {
    /// The event.
    pub event: Event<T>,
    /// Its time by the adjusted clock: never before that of anything that comes before it (section 2.6).
    pub time: i64,
    /// The latest of the events in other streams that come directly before it: of the end of a receive, the beginning of the send; of the end of a
    /// collective operation, the last that it had to wait for.
    pub cause: Option<Cause>,
    /// How far the order holds around it.
    pub standing: Standing,
}
