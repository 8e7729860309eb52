//! Moments of a trace in words: when, and which message.

use engine::traces::{Message, Moment, Part, Tie, WORLD};
use serde_json::{Value, json};

/// A time since the job began.
pub(super) fn seconds(nanoseconds: i64) -> String {
    format!("{:.6} s", nanoseconds as f64 / 1e9)
}

/// What a call of MPI did for other tasks; `None` where nothing ties it to them.
pub(super) fn did(tie: Tie) -> Option<String> {
    Some(match tie {
        Tie::None => return None,
        Tie::Sends(message) => format!("sends {}", message_words(message, "to")),
        Tie::Receives(message) => format!("receives {}", message_words(message, "from")),
        Tie::Enters(part) => format!("enters {}", part_words(part)),
        Tie::Leaves(part) => format!("leaves {}", part_words(part)),
    })
}

/// People count messages from 1, as the recorder's other answers do.
fn message_words(message: Message, way: &str) -> String {
    format!(
        "message {} {way} rank {} (tag {}, {})",
        message.ordinal.saturating_add(1),
        message.peer,
        message.tag,
        communicator(message.communicator)
    )
}

fn part_words(part: Part) -> String {
    let root = part.root.map_or(String::new(), |root| format!(", root {root}"));
    format!(
        "operation {} of {}{root}",
        part.ordinal,
        communicator(part.communicator)
    )
}

fn communicator(identity: u64) -> String {
    match identity {
        WORLD => "MPI_COMM_WORLD".to_owned(),
        identity => format!("communicator {identity:016x}"),
    }
}

pub(super) fn moment_json(moment: &Moment) -> Value {
    let mut value = json!({"time": moment.time});
    let name = |identity| match identity {
        WORLD => "MPI_COMM_WORLD".to_owned(),
        identity => format!("{identity:016x}"),
    };
    let tie = match moment.tie {
        Tie::None => return value,
        Tie::Sends(message) | Tie::Receives(message) => {
            json!({"communicator": name(message.communicator), "peer": message.peer, "tag": message.tag, "number": message.ordinal.saturating_add(1)})
        }
        Tie::Enters(part) | Tie::Leaves(part) => {
            json!({"communicator": name(part.communicator), "root": part.root, "number": part.ordinal})
        }
    };
    let kind = match moment.tie {
        Tie::Sends(_) => "sends",
        Tie::Receives(_) => "receives",
        Tie::Enters(_) => "enters",
        Tie::Leaves(_) | Tie::None => "leaves",
    };
    value[kind] = tie;
    value
}
