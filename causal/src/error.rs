//! Why an event is not taken.

use crate::event::{Event, EventId, GroupId, Operation, StreamId};
use std::fmt;

/// Why something was refused. Nothing has changed by it: the caller may hand an event in again without its tie ([`Event::unlinked`]), or leave it out and say
/// that it is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// There is no such stream: whoever says so claims more processes than there are.
    UnknownStream(StreamId),
    /// The stream was said to have ended.
    Ended(EventId),
    /// The event was there before, or was given up as lost; the next one of its stream would be this.
    Passed(EventId, u64),
    /// The stream begins anew: its first event comes again, with a later time than its last one.
    Restarted(StreamId),
    /// Its place is further behind the last one of its stream than is waited for; the next one would be this.
    TooFarAhead(EventId, u64),
    /// Its time is further from that of its stream's last event than clocks go, by so many nanoseconds.
    TimeJumps(EventId, u64),
    /// No such group was defined, or it is retired.
    UnknownGroup(GroupId),
    /// The stream is no member of the group.
    NoMember(StreamId, GroupId),
    /// A group was to be defined in which this stream is twice.
    TwiceInGroup(StreamId),
    /// A group was to be defined without members.
    EmptyGroup,
    /// The message is not one that this stream sends or receives.
    NotItsMessage(EventId),
    /// The same end of a message, or the same part of an operation, was told before.
    ToldTwice(EventId),
    /// Members say of this operation that it flows in different ways.
    Contradicts(EventId, Operation),
    /// There are as many events as may be remembered at once.
    Full,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownStream(stream) => write!(f, "there is no {stream:?}"),
            Self::Ended(id) => write!(f, "{id} comes after the end of its stream"),
            Self::Passed(id, next) => {
                write!(
                    f,
                    "{id} has come before, or was given up as lost: {next} is the next one"
                )
            }
            Self::Restarted(stream) => write!(f, "{stream:?} begins anew: give it a stream of its own"),
            Self::TooFarAhead(id, next) => {
                write!(
                    f,
                    "{id} is too far ahead: {next} is the next one, say what is lost"
                )
            }
            Self::TimeJumps(id, by) => write!(f, "{id} is {by} ns from the last one of its stream"),
            Self::UnknownGroup(group) => write!(f, "there is no {group:?}: define it before it is used"),
            Self::NoMember(stream, group) => write!(f, "{stream:?} is no member of {group:?}"),
            Self::TwiceInGroup(stream) => write!(f, "{stream:?} is twice in one group"),
            Self::EmptyGroup => f.write_str("a group has no members"),
            Self::NotItsMessage(id) => write!(f, "{id} is an end of a message of others"),
            Self::ToldTwice(id) => write!(f, "{id} tells what was told before"),
            Self::Contradicts(id, operation) => write!(
                f,
                "{id} says of operation {} of {:?} another flow than a member before: {:?}",
                operation.ordinal, operation.group, operation.flow
            ),
            Self::Full => f.write_str("too many events are held: give up what is missing"),
        }
    }
}

impl std::error::Error for Error {}

/// An event that was not taken, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused<T> {
    /// The event, as it was.
    pub event: Event<T>,
    /// Why.
    pub why: Error,
}

impl<T> fmt::Display for Refused<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.why.fmt(f)
    }
}

impl<T: fmt::Debug> std::error::Error for Refused<T> {}
