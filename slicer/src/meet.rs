//! Which calls may exchange messages with each other, as far as the source tells: communicator, tag, and kind of operation.
//! What is no constant may be anything, and so may a wildcard; peers are not looked at, because ranks are known at run time only.

use crate::graph::{Message, MessageRole};

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
            ) => constants_agree(mine.receive_tag.or(mine.tag), theirs.tag),
            (MessageRole::Collective, MessageRole::Collective) => mine.operation == theirs.operation,
            // What stands in a window was written there by anybody.
            (
                MessageRole::Get | MessageRole::Update | MessageRole::Window,
                MessageRole::Put | MessageRole::Update | MessageRole::Window,
            ) => true,
            _ => false,
        }
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
        && constants_agree(mine.receive_tag.or(mine.tag), theirs.receive_tag.or(theirs.tag))
}

/// Whether both may name the same tag.
fn constants_agree(a: Option<i64>, b: Option<i64>) -> bool {
    match (a, b) {
        // Negative ones are wildcards.
        (Some(a), Some(b)) if a >= 0 && b >= 0 => a == b,
        _ => true,
    }
}

fn communicators_agree(a: &Message, b: &Message) -> bool {
    match (&a.communicator, &b.communicator) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    }
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
