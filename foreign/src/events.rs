//! Events that other tools recorded of the ranks of a job, and those that hindmost has exported.
//!
//! * The text of `otf2-print --show-all` (`otf2`): what Score-P, EZTrace and others record of MPI.
//! * Chrome's trace format as JSON (`chrome`), which Perfetto's converters write, too: slices, and flows between them.
//! * `hindmost timeline --export perfetto` and `--export jsonl` (`own`).
//!
//! All become one form, a [`Trace`]: who gives what to whom is told by numbers that both ends have alike. Who orders them is `engine`.

mod build;
mod chrome;
mod definitions;
mod otf2;
mod own;
mod slices;
#[cfg(test)]
mod tests;

use crate::Error;
use base::{IdVec, define_id};
pub use recording::ring::Step;

define_id! {
    /// A name of a function, or of what else happens.
    NameId, "name"
}

define_id! {
    /// Ranks that take part in operations together.
    GroupId, "group"
}

/// Ranks are numbered below this: a file that claims more is damaged.
pub const MOST_RANKS: u32 = 1 << 20;

/// What a file of events is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The text of `otf2-print`.
    Otf2,
    /// An archive of OTF2 itself: known, to be named.
    Otf2Archive,
    /// Chrome's trace format as JSON.
    Chrome,
    /// The lines of `hindmost timeline --export jsonl`.
    Lines,
}

/// A rank of which there are events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// The rank.
    pub rank: u32,
    /// Its host, or what else the file calls it; empty if it says nothing.
    pub host: String,
}

/// Ranks that take part in operations together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// What tells it from others where it is a communicator.
    pub identity: Option<u64>,
    /// Its members in the order of their ranks in it; none if the file does not tell them.
    pub members: Vec<u32>,
}

/// One end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The rank at the other end.
    pub peer: u32,
    /// Its tag, if it has one.
    pub tag: Option<i64>,
    /// What both ends call it, and no other message is called. `None` if this end alone is in the file.
    pub number: Option<u64>,
}

/// A rank's part of a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The number of the operation in its group, counted from 1.
    pub number: u64,
    /// Its root.
    pub root: Option<u32>,
    /// The function of MPI that says whose part comes before whose; `None` if nothing does.
    pub function: Option<NameId>,
}

/// What an event gives other ranks, or takes from them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tie {
    /// Nothing.
    #[default]
    None,
    /// A message is sent.
    Sends(Message),
    /// One was received.
    Receives(Message),
    /// A part of a collective operation begins.
    Enters(Part),
    /// One has ended.
    Leaves(Part),
}

/// An event of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Whose.
    pub rank: u32,
    /// Which of its rank, counted from 0. What is missing in between was lost when it was recorded.
    pub sequence: u64,
    /// By which of its threads, if that is told.
    pub thread: Option<u32>,
    /// When, in nanoseconds on its clock: since the epoch, where the file tells.
    pub time: i64,
    /// What happens.
    pub step: Step,
    /// To what.
    pub name: Option<NameId>,
    /// The communicator, or who else its tie is among.
    pub group: Option<GroupId>,
    /// What it gives, or takes.
    pub tie: Tie,
}

/// The events of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The ranks, ascending.
    pub lanes: Vec<Lane>,
    /// Names, each once.
    pub names: IdVec<NameId, String>,
    /// Groups.
    pub groups: IdVec<GroupId, Group>,
    /// The events; those of each rank in their order.
    pub events: Vec<Event>,
}

/// What a file of events is, by its beginning; `None` if it is none.
#[must_use]
pub fn format_of(start: &[u8]) -> Option<Format> {
    // The anchor file of an archive begins with a byte for its buffers, and one for the order of bytes.
    if start.get(2..6) == Some(b"OTF2") || start.get(1..6) == Some(b"BOTF2") {
        return Some(Format::Otf2Archive);
    }
    let text = String::from_utf8_lossy(start);
    let text = text.trim_start();
    let first = text.lines().next().unwrap_or_default();
    if text.starts_with("=== OTF2-PRINT ===") || text.starts_with("=== Events ===") {
        Some(Format::Otf2)
    } else if first.starts_with('{')
        && first.contains(snapshot::EVENTS_SCHEMA)
        && first.contains("\"schema\"")
    {
        Some(Format::Lines)
    } else if text.starts_with('{') && text.contains("\"traceEvents\"")
        || text.starts_with('[') && text.contains("\"ph\"")
    {
        Some(Format::Chrome)
    } else {
        None
    }
}

/// Reads a file of events.
///
/// # Errors
/// The first line that does not fit, and what to do about it.
pub fn read(format: Format, text: &str) -> Result<Trace, Error> {
    match format {
        Format::Otf2 => otf2::read(text),
        Format::Otf2Archive => Err(
            Error::new(1, "an archive of OTF2, which its own tool turns into text").hint(
                "otf2-print --show-all traces.otf2 >FILE (of the package otf2-tools), and give that file",
            ),
        ),
        Format::Chrome => chrome::read(text),
        Format::Lines => own::read_lines(text),
    }
}
