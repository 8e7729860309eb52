//! Which calls may exchange messages with each other, as far as the source tells: communicator, tag, and kind of operation.
//! Tags and communicators are sets (`build::origins`): two calls that share none cannot meet. What is not known may be anything, and so may a wildcard; peers
//! are not looked at, because ranks are known at run time only.

use crate::graph::{ByCaller, Message, MessageRole, NodeId};
use library::EpochCall;
use std::borrow::Cow;

/// Whether what one call waits for, or gets, may come from the other.
pub(crate) fn meet(mine: &Message, theirs: &Message) -> bool {
    communicators_agree(mine, theirs)
        && match (mine.role, theirs.role) {
            (MessageRole::Any, theirs) => !matches!(
                theirs,
                MessageRole::Receive | MessageRole::Probe | MessageRole::Get | MessageRole::Address
            ),
            (mine, MessageRole::Any) => {
                !matches!(mine, MessageRole::Send | MessageRole::Put | MessageRole::Address)
            }
            (
                MessageRole::Receive | MessageRole::Probe | MessageRole::Both,
                MessageRole::Send | MessageRole::Both,
            ) => tags_agree(received(mine), theirs.tag.as_deref()),
            (MessageRole::Collective, MessageRole::Collective) => mine.operation == theirs.operation,
            (MessageRole::Epoch, MessageRole::Epoch) => lets_go(mine, theirs),
            (MessageRole::Epoch, MessageRole::Collective) => is_barrier_before_lock(mine, theirs),
            // Any task may have written what stands in a window.
            (
                MessageRole::Get | MessageRole::Update | MessageRole::Window,
                MessageRole::Put | MessageRole::Update | MessageRole::Window,
            ) => true,
            _ => false,
        }
}

/// What a call does to an access epoch.
fn epoch(message: &Message) -> Option<EpochCall> {
    library::function(&message.operation)?.epoch
}

/// Whether a task that waits at the bounds of an access epoch may go on because of the other call.
fn lets_go(mine: &Message, theirs: &Message) -> bool {
    epoch(mine).is_some_and(|mine| epoch(theirs).is_some_and(|theirs| mine.is_let_go_by(theirs)))
}

/// Whether the one locks a window and the other is a barrier. Which of several tasks comes to have the window first is up to what they wait
/// for before: a barrier is made for nothing else.
fn is_barrier_before_lock(mine: &Message, theirs: &Message) -> bool {
    let row = library::function(&theirs.operation);
    epoch(mine) == Some(EpochCall::Lock) && row.is_some_and(library::Function::is_barrier)
}

/// Whether what a call brings to memory, or leaves there for others, is there because the other begins or ends its epoch.
pub(crate) fn in_epoch(mine: &Message, theirs: &Message) -> bool {
    matches!(
        mine.role,
        MessageRole::Put | MessageRole::Get | MessageRole::Update | MessageRole::Window
    ) && theirs.role == MessageRole::Epoch
}

/// Whether a call may take the message that another of the same task waits for.
pub(crate) fn compete(mine: &Message, theirs: &Message) -> bool {
    matches!(
        mine.role,
        MessageRole::Receive | MessageRole::Probe | MessageRole::Both | MessageRole::Any
    ) && matches!(
        theirs.role,
        MessageRole::Receive | MessageRole::Both | MessageRole::Any
    ) && communicators_agree(mine, theirs)
        && tags_agree(received(mine), received(theirs))
}

/// Which tags a message has, by the calls of the wrappers around it.
type Callers<'m> = Vec<&'m ByCaller>;

/// Of the calls of the wrappers around a send, those that may send what a call receives; `None` if that is all of them.
pub(crate) fn ways_to_send<'m>(mine: &Message, theirs: &'m Message) -> Option<Callers<'m>> {
    agreeing(received(mine), &theirs.sends)
}

/// The same of a receive, and what a call sends.
pub(crate) fn ways_to_receive<'m>(mine: &Message, theirs: &'m Message) -> Option<Callers<'m>> {
    agreeing(mine.tag.as_deref(), &theirs.receives)
}

/// The same of a receive that may take what another receives.
pub(crate) fn ways_to_take<'m>(mine: &Message, theirs: &'m Message) -> Option<Callers<'m>> {
    agreeing(received(mine), &theirs.receives)
}

fn agreeing<'m>(tags: Option<&[i64]>, ways: &'m [ByCaller]) -> Option<Callers<'m>> {
    let agree = |way: &&ByCaller| tags_agree(tags, way.tags.as_deref());
    let found = Vec::from_iter(ways.iter().filter(agree));
    (found.len() < ways.len()).then_some(found)
}

/// A message whose wrappers have been called as `is_called` says, of the calls from inside outward.
pub(crate) fn as_called<'m>(message: &'m Message, is_called: impl Fn(&[NodeId]) -> bool) -> Cow<'m, Message> {
    let tags = |ways: &[ByCaller]| {
        let ways = Vec::from_iter(ways.iter().filter(|way| is_called(&way.calls)));
        let tags: Option<Vec<Vec<i64>>> = ways.iter().map(|way| way.tags.clone()).collect();
        tags.map(|tags| tags.concat()).filter(|tags| !tags.is_empty())
    };
    let (sends, receives) = (tags(&message.sends), tags(&message.receives));
    if sends.is_none() && receives.is_none() {
        return Cow::Borrowed(message);
    }
    let mut own = message.clone();
    own.receive_tag = receives.or(own.receive_tag);
    own.tag = sends.or(own.tag);
    Cow::Owned(own)
}

/// The tags that a call receives.
fn received(message: &Message) -> Option<&[i64]> {
    message.receive_tag.as_deref().or(message.tag.as_deref())
}

/// Whether both may name the same tag.
fn tags_agree(a: Option<&[i64]>, b: Option<&[i64]>) -> bool {
    match (a, b) {
        // Negative ones are wildcards.
        (Some(a), Some(b)) => share(a, b) || a.iter().chain(b).any(|&tag| tag < 0),
        _ => true,
    }
}

fn communicators_agree(a: &Message, b: &Message) -> bool {
    match (&a.communicator, &b.communicator) {
        (Some(a), Some(b)) => share(a, b),
        _ => true,
    }
}

fn share<T: PartialEq>(a: &[T], b: &[T]) -> bool {
    a.iter().any(|one| b.contains(one))
}

/// Whether variables whose addresses stand in datatypes take part: as what a message brings, or as what is sent.
pub(crate) fn by_address(mine: &Message, theirs: &Message) -> bool {
    match (mine.role, theirs.role) {
        (MessageRole::Address, role) => !matches!(
            role,
            MessageRole::Address | MessageRole::Receive | MessageRole::Probe
        ),
        (_, MessageRole::Address) => mine.by_address,
        _ => false,
    }
}

/// Whether a call may write to variables because their addresses stand in the datatype that it is given.
pub(crate) fn fills(mine: &Message, theirs: &Message) -> bool {
    mine.role == MessageRole::Address && theirs.by_address
}
